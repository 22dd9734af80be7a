/*
 * group_folds.h - folds that keep the rows of a group together
 *
 *     group of each row   ann bob ann cid bob ann       ann (3 rows) -> fold 0
 *     fold                0   1   0   1   1   0         bob (2), cid (1) -> fold 1
 *
 * Rows of one patient, document or query resemble each other: with some of them to train on and
 * others to test, a validation is too good.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_GROUP_FOLDS_H
#define RANDSVM_GROUP_FOLDS_H

#include <stdint.h>

#include "base/error.h"
#include "io/row_batch.h"

/*
 * group_folds_draw() - fold[i] of each of n rows, 0 .. n_folds - 1, by the name of its group
 *
 * Groups go to folds one by one, the largest first, each to the fold that has the fewest rows so
 * far; those of equal size in an order drawn from 'seed'.  Sets '*n_groups', which may be less than
 * n_folds: some folds are then empty.  O(n log n + groups n_folds).  Fails with ERR_MEMORY.
 */
int group_folds_draw(const struct text_span *group, int64_t n, uint64_t seed, int64_t n_folds,
		     int32_t *fold, int64_t *n_groups, struct error *err);

#endif
