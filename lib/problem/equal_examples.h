/*
 * equal_examples.h - one example in place of several that are equal
 *
 * The dual objective depends on the multipliers of equal examples, those of equal features and
 * targets, by their sum alone.  So m of them are one example with the sum of their C: a smaller
 * problem with the same optimum, and one that is better conditioned, as rows of its kernel matrix
 * are not equal.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/*
 * struct equal_examples - a problem, and a smaller one in which equal examples are one
 *
 * Owns its arrays; borrows the problem and all else.  A zeroed struct is empty.
 */
struct equal_examples {
	const struct problem_view *p; /* problem given, with p->n examples */
	/* problem of the merged examples, in the order of the first of each group */
	struct problem_view merged;
	/* group of each of the p->n examples: number of the merged example that it is part of */
	int64_t *group;
	/* row of each merged example; merged.n numbers, as 'target', 'weight' and 'spread' have */
	int64_t *row;
	double *target, *weight; /* sum of the weights of each group's examples */
	double *spread;		 /* sum of the weights of examples that already have their share */
};

/*
 * equal_examples_init() - find the equal examples of 'p'
 *
 * Entries that are 0 count: with and without them are different rows.  The merged problem has no
 * kernel matrix, tiles or linear_rows.  O(entries) time; returns 0, or -1 with ERR_MEMORY; or 1
 * where more than a share 'most' of the examples would be left, or they are nearly 2^32 or more.
 * equal_examples_free() follows in any case.
 */
int equal_examples_init(struct equal_examples *e, const struct problem_view *p, double most,
			struct error *err);

void equal_examples_free(struct equal_examples *e);

/*
 * equal_examples_gather() - the multipliers of e->merged from those of e->p: the sums of each group
 *
 * An array of e->merged.n for the caller to free, or NULL with ERR_MEMORY.
 */
double *equal_examples_gather(const struct equal_examples *e, const double *beta,
			      struct error *err);

/*
 * equal_examples_spread() - a solution of e->merged as one of e->p, of the same objective
 *
 * Of the examples that are one, as few as possible get a multiplier: the first of them their whole
 * C, one what is left, and the others 0; but of a multiplier beyond the bound each gets an equal
 * part.  Sets beta, f and, where both have them, sizes of '*to', which has room for e->p->n values,
 * and what else is known of them; the sizes are the same sums, as equal examples' multipliers have
 * one sign.
 */
void equal_examples_spread(const struct equal_examples *e, const struct iterate *from,
			   struct iterate *to);
