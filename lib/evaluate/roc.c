/*
 * roc.c - how well scores tell two classes apart, at any threshold
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/roc.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void roc_free(struct roc *r)
{
	free(r->example);
	*r = (struct roc){ 0 };
}

int roc_add(struct roc *r, double score, bool positive, struct error *err)
{
	if (mem_grow(&r->example, &r->capacity, r->n + 1, sizeof(*r->example), err) < 0)
		return -1;
	r->example[r->n++] = (struct scored_example){ isnan(score) ? -INFINITY : score, positive };
	r->n_positive += positive;
	r->n_negative += !positive;
	return 0;
}

static int compare_scores(const void *a, const void *b)
{
	double x = ((const struct scored_example *)a)->score;
	double y = ((const struct scored_example *)b)->score;

	return (x < y) - (x > y);
}

void roc_sort(struct roc *r)
{
	if (r->n > 0)
		qsort(r->example, (size_t)r->n, sizeof(*r->example), compare_scores);
}

bool roc_step(const struct roc *r, struct roc_walk *w, struct roc_point *point)
{
	double threshold = INFINITY;

	if (w->begun && w->next == r->n)
		return false;
	if (w->begun) {
		threshold = r->example[w->next].score;
		for (; w->next < r->n && r->example[w->next].score == threshold; w->next++) {
			w->n_positive += r->example[w->next].positive;
			w->n_negative += !r->example[w->next].positive;
		}
	}
	w->begun = true;
	*point = (struct roc_point){ threshold, (double)w->n_negative / (double)r->n_negative,
				     (double)w->n_positive / (double)r->n_positive };
	return true;
}

double roc_auc(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	int64_t twice = 0, positives_before = 0, negatives_before = 0;

	while (roc_step(r, &walk, &point)) {
		/* each negative of this score: above it the positives before, beside it the new ones */
		twice +=
			(walk.n_negative - negatives_before) * (walk.n_positive + positives_before);
		positives_before = walk.n_positive;
		negatives_before = walk.n_negative;
	}
	return (double)twice / (2 * (double)r->n_positive * (double)r->n_negative);
}
