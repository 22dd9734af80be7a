/*
 * folds.h - the rows of a data set, shuffled and cut into folds
 *
 *     row    [ 4 0 7 | 2 6 | 1 3 5 ]      start [0, 3, 5, 8]
 *
 * These are the folds of svm-train, which draws a number for each row: they depend on the seed, and on
 * all draws since.
 *
 * Rows may belong to groups, such as the samples of a patient, which resemble each other: with some
 * of them to train on and others to test, a validation is too good.  Folds of rows with groups keep
 * each group whole:
 *
 *     group of each row   ann bob ann cid bob ann       ann (3 rows) -> fold 0
 *     fold                0   1   0   1   1   0         bob (2), cid (1) -> fold 1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/rng.h"
#include "problem/classes.h"
#include "tables/text_set.h"

/* How many folds, and whose numbers shuffle the rows; NULL: those of the process's rand(). */
struct fold_draw {
	int64_t n_folds;
	struct glibc_rand *draws;
};

/* Rows listed by fold.  Owns its arrays; a zeroed struct is empty. */
struct folds {
	int64_t n;
	int64_t *start; /* starts of the folds, n + 1: fold i has row[start[i] .. start[i+1]-1] */
	int64_t *
		row; /* row numbers, start[n] of them, each once; the first start[0] are in no fold */
	const int64_t *given; /* fold of each row, or -1, as it was given; borrowed, or NULL */
};

/* rows_shuffle() - put n rows in random order; any order is as likely; draws n numbers */
void rows_shuffle(int64_t *row, int64_t n, struct glibc_rand *draws);

/*
 * folds_random() - n_rows rows in random order; fold i begins at i n_rows / n_folds
 *
 * On failure (ERR_MEMORY) '*f' is empty and nothing has been drawn.  O(n_rows).
 */
int folds_random(struct folds *f, int64_t n_rows, struct fold_draw by, struct error *err);

/*
 * folds_stratified() - folds that each have their share of every class
 *
 * The rows of a class are shuffled among themselves, class by class, and fold i gets those from
 * i m / n_folds to (i + 1) m / n_folds of a class of m.  So a class of one row is in the last fold.
 * On failure (ERR_MEMORY) '*f' is empty and nothing has been drawn.  O(rows + n_folds c->n).
 */
int folds_stratified(struct folds *f, const struct classes *c, struct fold_draw by,
		     struct error *err);

/*
 * folds_grouped() - folds that each have whole groups, and about their share of the rows and classes
 *
 * group[i] is the number of the group of row i, any of n_rows.  With n_f,c rows of class c in fold f,
 * N_c of n_rows in all, and n_g,c in group g, groups are dealt one by one, the largest first, each to
 * the fold where it adds least to
 *
 *     V = sum_f [ sum_c (n_f,c - N_c / n_folds)^2 / N_c  +  (n_f - n_rows / n_folds)^2 / n_rows ]
 *
 * the first of equal ones; the largest is that of the largest sum_c n_g,c^2 / N_c + n_g^2 / n_rows,
 * and equal ones are in random order.  Without classes ('c' NULL) the inner sum is left out.  At the
 * end V is at most (1 - 1 / n_folds) times the sum of the groups' sizes in this sense, its mean over
 * all ways to deal the groups at random; and no fold is empty.  What the groups are called changes
 * nothing.
 *
 * Fails with ERR_ARGUMENT where there are fewer groups than folds, or with ERR_MEMORY; '*f' is then
 * empty.  O(rows log rows + n_folds (groups + pairs of a group and a class in it)).
 */
int folds_grouped(struct folds *f, const int64_t *group, int64_t n_rows, const struct classes *c,
		  struct fold_draw by, struct error *err);

/*
 * folds_of_data() - the folds of a cross validation: without groups those of svm-train -v
 *
 * Stratified if 'classifies' and there are fewer folds than rows, else random; of n rows n folds are
 * made at most.  If the rows of 'd' have groups, folds_grouped(), by the classes if 'classifies'.  If
 * they have folds, 0 .. n_folds - 1, or -1 for a row outside all of them, it is these, and nothing is
 * drawn.  Only the number of rows, labels, groups and folds of 'd' are read.  Fails with ERR_MEMORY,
 * or as classes_init() and folds_grouped() do; '*f' is then empty.
 */
int folds_of_data(struct folds *f, const struct dataset *d, struct fold_draw by, bool classifies,
		  struct error *err);

void folds_free(struct folds *f);

/*
 * folds_outside() - all rows but those of a fold, in the order of f->row; of given folds, ascending
 *
 * 'row' has room for start[n] rows; returns their number.
 */
int64_t folds_outside(const struct folds *f, int64_t fold, int64_t *row);

/* ---- folds of a stream ---- */

/*
 * The fold of each row of a stream, at random, as the rows come:
 *
 *     row     0  1  2  3  4  5 ...        plain: any fold, the same chance each
 *     fold    3  0  3  1  2  0
 *
 *     class A      B A   A B A A          stratified: of the rows of a class, each fold gets one
 *     fold  2      0 0   1 1 3 2          before any fold gets a second
 *
 * Unlike the folds above these need neither the number of rows nor a second look at them: the
 * fold of a row depends on the seed, and, if stratified, on the labels of the rows before it.
 */

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
