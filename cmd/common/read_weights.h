/*
 * read_weights.h - option -W: a file of weights of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_READ_WEIGHTS_H
#define RANDSVM_READ_WEIGHTS_H

#include "common_options.h"
#include "matrix/row_weights.h"

/* Option -W of every program that weighs rows; 'does' says what for, and ends without a stop. */
#define COMMON_ROW_WEIGHTS(to, does, ...)                                                       \
	CLI_TEXT('W', "row-weights", to, "FILE",                                                \
		 does ": a number of 0 or more for each row of the data, one a line; a row of " \
		      "weight 0 counts as if it were not there",                                \
		 __VA_ARGS__)

/*
 * cli_read_weights() - the weights in the file 'name'
 *
 * Ends the program with a message when anything fails.
 */
struct row_weights cli_read_weights(const char *name);

/*
 * cli_weigh_rows() - give the rows of 'd', read from 'data', the weights in the file 'name'
 *
 * As dataset_weigh(), whose array of former row numbers it returns, or NULL; notes how many rows are
 * left out, unless 'quiet'.  Ends the program with a message when anything fails.
 */
int64_t *cli_weigh_rows(struct dataset *d, const char *name, const char *data, bool quiet);

/*
 * cli_weigh_apart() - cli_weigh_rows() for rows of which those of weight 0 are still needed
 *
 * As dataset_weigh_apart(); returns '*row' of it.
 */
int64_t *cli_weigh_apart(struct dataset *d, struct dataset *left, const char *name,
			 const char *data, bool quiet);

#endif
