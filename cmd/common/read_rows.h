/*
 * read_rows.h - all rows of a data file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_READ_ROWS_H
#define RANDSVM_READ_ROWS_H

#include "common_options.h"
#include "matrix/dataset.h"
#include "progress.h"

/*
 * cli_read_rows() - the rows of the file 'name' into the empty '*d', by the options in 'c'
 *
 * 'progress' is shown meanwhile.  Ends the program with a message when anything fails.
 */
void cli_read_rows(struct dataset *d, const char *name, const struct common_options *c,
		   struct cli_progress *progress);

#endif
