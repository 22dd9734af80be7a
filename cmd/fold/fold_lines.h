/*
 * fold_lines.h - svm-fold --lines: a file with a line for each row, of which a part is written too
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FOLD_LINES_H
#define RANDSVM_FOLD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/files.h"
#include "select/selection_map.h"

/* Lines of the rows, such as their weights.  A zeroed struct has none. */
struct fold_lines {
	const char *name; /* name of the file; NULL: there are no lines */
	struct feature_names line;
};

/* fold_lines_read() - read the file; ends the program with a message if that fails */
void fold_lines_read(struct fold_lines *l, const char *name);

/*
 * fold_lines_add() - write the lines of the wanted rows among n rows, 'first' the first of them
 *
 * Rows beyond the last line have none, which fold_lines_check() refuses.  Returns as output_write().
 */
int fold_lines_add(const struct fold_lines *l, struct output *to, int64_t first, const bool *wanted,
		   int64_t n, struct error *err);

/* fold_lines_check() - end the program unless 'data' had as many rows as there are lines */
void fold_lines_check(const struct fold_lines *l, int64_t n_rows, const char *data);

void fold_lines_free(struct fold_lines *l);

#endif
