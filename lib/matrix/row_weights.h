/*
 * row_weights.h - a weight for each row of a data set, from a file
 *
 *     data    +1 1:.5 3:1        weights    1
 *             -1 2:2                        0
 *             +1 1:.5                       2.5
 *
 * A row of weight w counts as w equal rows do, in training and in measures; a row of weight 0 as
 * none.  Weights are numbers of 0 or more, one a line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/input.h"
#include "matrix/dataset.h"

/* Owns its array; a zeroed struct is empty. */
struct row_weights {
	int64_t n;
	double *value; /* n weights, each finite and 0 or more */
	int64_t capacity;
};

void row_weights_free(struct row_weights *w);

/*
 * row_weights_read() - the weights of a file, one a line, into the empty '*w'
 *
 * Blanks around a number are skipped, and the last line need not end.  Fails with ERR_FORMAT (text:
 * `name:line: reason`) where a line is not one finite number of 0 or more, or without any lines;
 * with ERR_IO or ERR_MEMORY.  '*w' is then empty.
 */
int row_weights_read(struct row_weights *w, struct input *input, struct error *err);

/*
 * row_weights_check() - are there n_rows weights, and is one of them above 0?
 *
 * Else ERR_FORMAT; 'name' is that of the weights' file and 'data' that of the rows', for the text.
 */
int row_weights_check(const struct row_weights *w, int64_t n_rows, const char *name,
		      const char *data, struct error *err);

/*
 * dataset_weigh() - give each row of 'd' its weight, and leave out the rows of weight 0
 *
 * 'w' has d->x.n_rows weights and is emptied: d->weight becomes its array, or stays NULL if all
 * rows that are left have the weight 1.  Rows keep their order and d->max_index stays.  '*row'
 * becomes an array for the caller to free, which has the former number of each row that is left; or
 * NULL if all are.  O(entries), in place.
 * With 'left' rows of weight 0 stay where they are: where there are such rows 'd' stays as it is, and
 * the empty '*left' becomes a copy of the others with their weights; else '*left' stays empty.
 * Fails with ERR_MEMORY; all are then as they were.
 */
int dataset_weigh(struct dataset *d, struct dataset *left, struct row_weights *w, int64_t **row,
		  struct error *err);

/* dataset_weight_checksum() - the CRC-32 of the weights of 'd', which has some; O(rows) */
uint32_t dataset_weight_checksum(const struct dataset *d);
