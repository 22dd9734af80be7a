/*
 * read_weights.c - option -W: a file of weights of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "read_weights.h"

#include <inttypes.h>

#include "files.h"
#include "process.h"

struct row_weights cli_read_weights(const char *name)
{
	struct input *input;
	struct row_weights w;
	struct error err = { 0 };

	if (input_open(&input, name, &err) < 0 || row_weights_read(&w, input, &err) < 0)
		cli_fail_reading("weights file", name, &err);
	input_close(input);
	return w;
}

int64_t *cli_weigh_rows(struct dataset *d, const char *name, const char *data, bool quiet)
{
	struct row_weights w = cli_read_weights(name);
	const int64_t n_rows = d->x.n_rows;
	struct error err = { 0 };
	int64_t *row = NULL;

	if (row_weights_check(&w, n_rows, name, data, &err) < 0 ||
	    dataset_weigh(d, &w, &row, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	if (row && !quiet)
		cli_note("%" PRId64 " of %" PRId64 " rows have weight 0 and are left out",
			 n_rows - d->x.n_rows, n_rows);
	return row;
}
