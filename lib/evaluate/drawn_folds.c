/*
 * drawn_folds.c - the fold of each row of a stream, at random, as the rows come
 *
 * How this works.  Stratified folds are permuted blocks, one sequence for each class:
 *
 *     rows of class A     1st 2nd 3rd 4th | 5th 6th 7th 8th | 9th ...          n_folds = 4
 *     their folds          2   0   1   3  |  1   3   0   2  |  ...
 *                         a permutation     the next one
 *
 * After m rows of a class each fold has floor(m / n_folds) or one more, whenever the stream ends.
 * Among the folds that are still due in a permutation, the one that has the fewest rows of all
 * classes comes first, and of equal ones the first of the permutation: else the remainders of many
 * small classes would add up in some folds.
 * A permutation is the draws of the row that begins it, so nothing but the permutation in use has
 * to be kept of a class, and any reader of the same rows finds the same folds.
 *
 * Labels are looked up in a hash table by their bytes: a stream may have any number of classes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/drawn_folds.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

/*
 * Number of folds up to which their sizes are compared, which takes half as many steps a row:
 * leaving one out of a million must not take 10^12.  So many folds have few rows each, and their
 * sizes matter less.
 */
enum { MOST_COMPARED = 1024 };

/* floor(word m / 2^32): a number below m from 32 random bits, equally likely to m / 2^32 */
static int64_t below(uint32_t word, int64_t m)
{
	/* the high bits of the product are the fold */
	return (int64_t)((uint64_t)word * (uint64_t)m >> 32);
}

/* Number of the class with this label, added if it is new; or -1 without memory. */
static int64_t find_class(struct drawn_folds *f, double label, struct error *err)
{
	const int64_t n = f->labels.n;
	int64_t k;

	label += 0.0; /* turns -0 into 0 */
	k = text_set_find(&f->labels, (const char *)&label, sizeof(label));
	if (k >= 0)
		return k;
	/* room for one more class and for its permutation */
	if (mem_grow(&f->n_of_class, &f->classes_capacity, n + 1, sizeof(int64_t), err) < 0 ||
	    mem_grow(&f->order, &f->orders_capacity, (n + 1) * f->n_folds, sizeof(*f->order), err) <
		    0)
		return -1;
	f->n_of_class[n] = 0;
	return text_set_add(&f->labels, (const char *)&label, sizeof(label), err);
}

/*
 * All folds in random order (Fisher and Yates): fold k takes the place of one of the k before it,
 * which goes to the end, or the end itself.  A draw has four words, for four folds.
 */
static void shuffle_folds(const struct drawn_folds *f, int32_t *order)
{
	struct rng_block block = { { 0 } };

	for (int64_t k = 0; k < f->n_folds; k++) {
		int64_t j;

		if (k % 4 == 0)
			block = rng_draw(f->seed, RNG_FOLD_ORDER, (uint64_t)f->n_rows,
					 (uint32_t)(k / 4));
		j = below(block.w[k % 4], k + 1);
		order[k] = order[j];
		order[j] = (int32_t)k;
	}
}

/* Move to 'place' the smallest of the folds order[place ..], which have no row of this turn yet. */
static void bring_smallest(const struct drawn_folds *f, int32_t *order, int64_t place)
{
	int64_t best = place;
	int32_t fold;

	for (int64_t k = place + 1; k < f->n_folds; k++)
		if (f->size[order[k]] < f->size[order[best]])
			best = k;
	fold = order[best];
	/* the folds between move back by one place and keep their order */
	memmove(order + place + 1, order + place, (size_t)(best - place) * sizeof(*order));
	order[place] = fold;
}

int64_t drawn_folds_next(struct drawn_folds *f, double label, struct error *err)
{
	int64_t k, place;
	int32_t *order;

	/* without stratification each row draws its fold alone, and classes are not counted */
	if (!f->stratified)
		return below(rng_draw(f->seed, RNG_FOLD, (uint64_t)f->n_rows++, 0).w[0],
			     f->n_folds);
	/* the sizes of folds are zeros when the first row comes */
	if (!f->size && !(f->size = mem_zeroed(f->n_folds, sizeof(*f->size), err)))
		return -1;
	k = find_class(f, label, err);
	if (k < 0)
		return -1;
	order = f->order + k * f->n_folds;
	/* a row of a class takes the next fold of the permutation in use */
	place = f->n_of_class[k]++ % f->n_folds;
	/* the permutation has been used up: a new one is drawn */
	if (place == 0)
		shuffle_folds(f, order);
	if (f->n_folds <= MOST_COMPARED)
		bring_smallest(f, order, place);
	f->size[order[place]]++;
	f->n_rows++;
	return order[place];
}

int64_t drawn_folds_small_classes(const struct drawn_folds *f)
{
	int64_t n = 0;

	for (int64_t k = 0; k < f->labels.n; k++)
		n += f->n_of_class[k] < f->n_folds;
	return n;
}

void drawn_folds_free(struct drawn_folds *f)
{
	text_set_free(&f->labels);
	mem_free_all(f->size, f->n_of_class, f->order);
	*f = (struct drawn_folds){ 0 };
}
