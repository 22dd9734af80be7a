/*
 * drawn_folds.h - the fold of each row of a stream, at random, as the rows come
 *
 *     row     0  1  2  3  4  5 ...        plain: any fold, the same chance each
 *     fold    3  0  3  1  2  0
 *
 *     class A      B A   A B A A          stratified: of each class, one row for every fold before
 *     fold  2      0 0   1 1 3 2          the second for any
 *
 * Unlike those of folds.h these need neither the number of rows nor a second look at them: what has
 * been drawn depends on the seed and the rows so far.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_DRAWN_FOLDS_H
#define RANDSVM_DRAWN_FOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct fold_class;

/* The first three are the caller's to set, all else zero at first.  Owns its arrays. */
struct drawn_folds {
	uint64_t seed;
	int64_t n_folds; /* 1 .. 2^31 - 1 */
	bool stratified;
	int64_t n_rows; /* drawn so far */
	int64_t n_classes;
	struct fold_class *class; /* in order of appearance */
	int32_t *order;		  /* n_classes times n_folds: of each class, the folds' order */
	int64_t n_slots, *slot;	  /* of a hash table: numbers of classes, or -1 */
	int64_t classes_capacity, orders_capacity;
};

/*
 * drawn_folds_next() - the fold of the next row, 0 .. n_folds - 1
 *
 * Plain: floor(w n_folds / 2^32), w the first word drawn for (seed, row number), in constant
 * time and memory.  Stratified: the rows of one label are dealt to the folds in an order
 * shuffled anew after every n_folds of them, so folds' shares of a class differ by one row at
 * most; the order is drawn for (seed, number of the row that begins it).  4 n_folds + 40 bytes
 * for each class; amortised O(1).  -1 with ERR_MEMORY.
 */
int64_t drawn_folds_next(struct drawn_folds *f, double label, struct error *err);

void drawn_folds_free(struct drawn_folds *f);

#endif
