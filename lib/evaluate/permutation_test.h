/*
 * permutation_test.h - could what a cross validation finds be chance?
 *
 *     labels     1 1 2 2 1 2          rate 83 %
 *     draw 0     2 1 1 2 2 1          rate 50 %
 *     draw 1     1 2 2 1 2 1          rate 33 %       p = (1 + draws as good) / (1 + draws)
 *
 * If labels had nothing to do with the rows, each way to deal them to the rows would be as likely as
 * the one that is found, and p at most x with probability x at most.
 *
 * Sources: Golland, Fischl 2003, Information Processing in Medical Imaging; for p: Phipson, Smyth
 * 2010, Statistical Applications in Genetics and Molecular Biology 9.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/machine_train.h"
#include "evaluate/metrics.h"

/*
 * labels_permute() - exchange n labels or targets at random
 *
 * Where rows have groups ('group' is not NULL) within each group that has several labels; groups whose
 * rows are equal, as the diagnosis of a patient is, exchange theirs, and keep one label each.
 * O(n log n).  Fails with ERR_MEMORY.
 */
int labels_permute(double *y, const int64_t *group, int64_t n, struct glibc_rand *draws,
		   struct error *err);

/*
 * validation_permuted() - machine_validate() with labels exchanged, and all else, from the folds on, as
 * for 'm'; its predictions are added to '*sums'
 *
 * The exchange depends on the seed of 'm' and the number 'draw' alone.  Fails as machine_init() and
 * machine_validate() do.
 */
int validation_permuted(const struct machine *m, int64_t n_folds, int64_t draw,
			struct metrics *sums, struct error *err);
