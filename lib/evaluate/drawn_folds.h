/*
 * drawn_folds.h - the fold of each row of a stream, at random, as the rows come
 *
 *     row     0  1  2  3  4  5 ...        plain: any fold, the same chance each
 *     fold    3  0  3  1  2  0
 *
 *     class A      B A   A B A A          stratified: of the rows of a class, each fold gets one
 *     fold  2      0 0   1 1 3 2          before any fold gets a second
 *
 * Unlike the folds of folds.h these need neither the number of rows nor a second look at them: the
 * fold of a row depends on the seed, and, if stratified, on the labels of the rows before it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_DRAWN_FOLDS_H
#define RANDSVM_DRAWN_FOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tables/text_set.h"

/* Folds drawn row by row.  The caller sets three fields, others start at 0.  Owns its arrays. */
struct drawn_folds {
	uint64_t seed;
	int64_t n_folds; /* number of folds, 1 .. 2^31 - 1 */
	bool stratified;
	int64_t n_rows;		/* number of rows drawn so far */
	struct text_set labels; /* labels of the classes, as bytes, in order of appearance */
	int64_t *n_of_class;	/* number of rows of each class so far, labels.n */
	/* order in which folds get the rows of each class, [labels.n][n_folds] */
	int32_t *order;
	/* rows of all classes in each fold so far, n_folds; NULL unless stratified */
	int64_t *size;
	int64_t classes_capacity, orders_capacity;
};

/*
 * drawn_folds_next() - the fold of the next row, 0 .. n_folds - 1
 *
 * Plain: floor(w n_folds / 2^32), w the first word drawn for (seed, row number), in constant
 * time and memory.  Stratified: of n_folds rows of one label, each goes to a fold of its own, so
 * that the folds' numbers of rows of a class differ by one at most.  Among the folds that such a
 * row can go to it goes to the one that has the fewest rows of all classes, and among equal ones by
 * an order drawn for (seed, number of the row that begins it).  (With more than 1024 folds by that
 * order alone.)  4 n_folds + 60 bytes for each class, up to twice that while arrays grow; O(n_folds)
 * up to 1024 folds, amortised O(1) beyond.  -1 with ERR_MEMORY.
 */
int64_t drawn_folds_next(struct drawn_folds *f, double label, struct error *err);

/* drawn_folds_small_classes() - number of classes with fewer rows so far than folds */
int64_t drawn_folds_small_classes(const struct drawn_folds *f);

void drawn_folds_free(struct drawn_folds *f);

#endif
