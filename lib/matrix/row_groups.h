/*
 * row_groups.h - the groups that rows belong to, by name
 *
 *     rows    1 qid:7 1:.5      names    7      number of each row's group    0
 *             0 qid:7 2:1                3                                    0
 *             1 qid:3 1:2                                                     1
 *
 * Names are bytes of any kind: qids, lines of a file, numbers of a caller's own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/row_batch.h"
#include "tables/text_set.h"

struct dataset;

/* Owns its arrays; a zeroed struct is empty. */
struct row_groups {
	struct text_set names;
	int64_t n, capacity; /* number of rows */
	int64_t *number;     /* number of each row's group, by first appearance of its name; n */
};

/* row_groups_add() - the name of the next row's group; ERR_MEMORY */
int row_groups_add(struct row_groups *g, const char *name, int64_t length, struct error *err);

/*
 * row_groups_add_qids() - the qids of the next rows, a batch that was read with keep_text
 *
 * "qid:07" is "qid:7".  'source' names the input.  Fails with ERR_FORMAT, naming the example, where
 * there is no qid, as in the binary form; or with ERR_MEMORY.
 */
int row_groups_add_qids(struct row_groups *g, const struct row_batch *batch, const char *source,
			struct error *err);

/*
 * row_groups_divide() - are two of the rows of one group of 'whole', its numbers as in 'g', in two
 * groups of 'g'?  O(n); ERR_MEMORY shows in 'err'.
 */
bool row_groups_divide(const struct row_groups *g, const int64_t *whole, struct error *err);

/* row_groups_give() - g->number becomes the groups of 'd', which has as many rows; empties '*g' */
void row_groups_give(struct row_groups *g, struct dataset *d);

void row_groups_free(struct row_groups *g);

/*
 * row_groups_count() - number of different groups of rows row[0], ..., row[n - 1], or of rows 0 to n - 1
 * if 'row' is NULL; -1 with ERR_MEMORY.  O(n log n).
 */
int64_t row_groups_count(const int64_t *group, const int64_t *row, int64_t n, struct error *err);

/* dataset_groups_checksum() - the CRC-32 of the groups of 'd', which has some; O(rows) */
uint32_t dataset_groups_checksum(const struct dataset *d);
