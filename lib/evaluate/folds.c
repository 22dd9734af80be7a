/*
 * folds.c - the rows of a data set, shuffled and cut into folds
 *
 * How this works.  LIBSVM's svm_cross_validation() shuffles and cuts in a way of its own, and every
 * accuracy that svm-train -v has printed depends on it; so each line here does what it does, in the
 * same order of calls to rand():
 *
 *     random      shuffle all rows; fold i is the places from i n / n_folds on
 *     stratified  shuffle the rows of each class; fold i is its part, by the same rule, of the
 *                 first class, then of the second, ...
 *
 * The parts of classes are rounded down one by one, so that folds of many small classes may differ
 * by as many rows as there are classes.  rand() % m, which prefers small numbers by a little, is
 * also what LIBSVM does.
 *
 * A fold is a part of f->row: rows row[start[i]] .. row[start[i + 1] - 1].  The rows outside are
 * the other two parts of the same array, before and after, which folds_outside() copies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void folds_free(struct folds *f)
{
	mem_free(f->start);
	mem_free(f->row);
	*f = (struct folds){ 0 };
}

/* Allocate the starts of the folds and the list of all rows; '*f' is empty after a failure. */
static int folds_allocate(struct folds *f, int64_t n_rows, int64_t n_folds, struct error *err)
{
	*f = (struct folds){ .n = n_folds };
	f->start = mem_array(n_folds + 1, sizeof(*f->start), err);
	f->row = mem_array(n_rows, sizeof(*f->row), err);
	if (f->start && f->row)
		return 0;
	folds_free(f);
	return -1;
}

/* Shuffle as Fisher and Yates do, from the front: place i gets one of the rows from i on. */
static void shuffle(int64_t *row, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		/* one call of rand() for each row, in LIBSVM's order */
		int64_t j = i + rand() % (n - i), first = row[i];

		row[i] = row[j];
		row[j] = first;
	}
}

int folds_random(struct folds *f, int64_t n_rows, int64_t n_folds, struct error *err)
{
	if (folds_allocate(f, n_rows, n_folds, err) < 0)
		return -1;
	for (int64_t i = 0; i < n_rows; i++)
		f->row[i] = i;
	shuffle(f->row, n_rows);
	/* fold i ends where fold i + 1 begins */
	for (int64_t i = 0; i <= n_folds; i++)
		f->start[i] = i * n_rows / n_folds;
	return 0;
}

/* Append to f->row, which has n rows, fold i's share of a class; returns the new number of rows. */
static int64_t take_share(struct folds *f, int64_t i, const int64_t *row, int64_t n_of_class,
			  int64_t n)
{
	/* fold i takes the i-th part of the class, rounded down at both ends */
	for (int64_t k = i * n_of_class / f->n; k < (i + 1) * n_of_class / f->n; k++)
		f->row[n++] = row[k];
	return n;
}

int folds_stratified(struct folds *f, const struct classes *c, int64_t n_folds, struct error *err)
{
	int64_t n_rows = c->start[c->n], *shuffled = mem_array(n_rows, sizeof(*shuffled), err);
	int64_t n = 0;

	*f = (struct folds){ 0 };
	if (!shuffled || folds_allocate(f, n_rows, n_folds, err) < 0) {
		mem_free(shuffled);
		return -1;
	}
	/* classes, in the order that LIBSVM numbers them; all are shuffled before any is cut */
	memcpy(shuffled, c->row, (size_t)n_rows * sizeof(*shuffled));
	for (int k = 0; k < c->n; k++)
		shuffle(shuffled + c->start[k], c->start[k + 1] - c->start[k]);
	for (int64_t i = 0; i < n_folds; i++) {
		f->start[i] = n;
		for (int k = 0; k < c->n; k++)
			n = take_share(f, i, shuffled + c->start[k], c->start[k + 1] - c->start[k],
				       n);
	}
	f->start[n_folds] = n;
	mem_free(shuffled);
	return 0;
}

int folds_of_svm_train(struct folds *f, const struct dataset *d, int64_t n_folds, bool classifies,
		       struct error *err)
{
	struct classes classes;
	int ret;

	/* leaving one out: every fold has one row, and no share of a class */
	if (!classifies || n_folds >= d->x.n_rows)
		return folds_random(f, d->x.n_rows, n_folds, err);
	*f = (struct folds){ 0 };
	if (classes_init(&classes, d, err) < 0)
		return -1;
	ret = folds_stratified(f, &classes, n_folds, err);
	classes_free(&classes);
	return ret;
}

int64_t folds_outside(const struct folds *f, int64_t fold, int64_t *row)
{
	/* rows keep the order of the folds, in which LIBSVM trains on them */
	int64_t before = f->start[fold], after = f->start[f->n] - f->start[fold + 1];

	memcpy(row, f->row, (size_t)before * sizeof(*row));
	memcpy(row + before, f->row + f->start[fold + 1], (size_t)after * sizeof(*row));
	return before + after;
}
