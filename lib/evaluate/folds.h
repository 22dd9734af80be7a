/*
 * folds.h - the rows of a data set, shuffled and cut into folds
 *
 *     row    [ 4 0 7 | 2 6 | 1 3 5 ]      start [0, 3, 5, 8]
 *
 * These are the folds of svm-train: numbers come from rand(), one for each row, so the folds
 * depend on srand() and on all draws since.  Call these functions from one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FOLDS_H
#define RANDSVM_FOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "problem/classes.h"

/* Rows listed by fold.  Owns its arrays; a zeroed struct is empty. */
struct folds {
	int64_t n;
	int64_t *start; /* starts of the folds, n + 1: fold i has row[start[i] .. start[i+1]-1] */
	int64_t *row;	/* row numbers, start[n] of them, each once */
};

/*
 * folds_random() - n_rows rows in random order; fold i begins at i n_rows / n_folds
 *
 * On failure (ERR_MEMORY) '*f' is empty and nothing has been drawn.  O(n_rows).
 */
int folds_random(struct folds *f, int64_t n_rows, int64_t n_folds, struct error *err);

/*
 * folds_stratified() - folds that each have their share of every class
 *
 * The rows of a class are shuffled among themselves, class by class, and fold i gets those from
 * i m / n_folds to (i + 1) m / n_folds of a class of m.  So a class of one row is in the last fold.
 * On failure (ERR_MEMORY) '*f' is empty and nothing has been drawn.  O(rows + n_folds c->n).
 */
int folds_stratified(struct folds *f, const struct classes *c, int64_t n_folds, struct error *err);

/*
 * folds_of_svm_train() - the folds of svm-train -v
 *
 * Stratified if 'classifies' and there are fewer folds than rows, else random.  Only the number of
 * rows and the labels of 'd' are read.  Fails with ERR_MEMORY, or as classes_init() does; '*f' is
 * then empty.
 */
int folds_of_svm_train(struct folds *f, const struct dataset *d, int64_t n_folds, bool classifies,
		       struct error *err);

void folds_free(struct folds *f);

/*
 * folds_outside() - the rows of all folds but number 'fold', in the order of f->row
 *
 * 'row' has room for start[n] rows; returns their number.
 */
int64_t folds_outside(const struct folds *f, int64_t fold, int64_t *row);

#endif
