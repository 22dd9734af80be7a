/*
 * fold_lines.c - svm-fold --lines: a file with a line for each row, of which a part is written too
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fold_lines.h"

#include <inttypes.h>

#include "base/arithmetic.h"
#include "common/process.h"

void fold_lines_read(struct fold_lines *l, const char *name)
{
	struct error err = { 0 };

	l->name = name;
	if (feature_names_read(&l->line, name, &err) < 0)
		cli_fail_reading("file of lines", name, &err);
}

int fold_lines_add(const struct fold_lines *l, struct output *to, int64_t first, const bool *wanted,
		   int64_t n, struct error *err)
{
	for (int64_t i = 0; i < n && first + i < l->line.n; i++) {
		/* the line as it is, with its end */
		const int64_t *start = l->line.start + first + i;

		if (wanted[i] &&
		    output_write(to, l->line.text.bytes + start[0], start[1] - start[0], err) < 0)
			return -1;
	}
	return 0;
}

void fold_lines_check(const struct fold_lines *l, int64_t n_rows, const char *data)
{
	if (l->name && l->line.n != n_rows)
		cli_fail("%s: %s:%" PRId64 ": %s lines than the %" PRId64 " rows of %s",
			 cli_program_name(), l->name, int64_min(l->line.n, n_rows) + 1,
			 l->line.n < n_rows ? "fewer" : "more", n_rows, data);
}

void fold_lines_free(struct fold_lines *l)
{
	feature_names_free(&l->line);
}
