/*
 * class_curves.c - curves of each class against the rest, where there are more than two classes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "class_curves.h"

#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"

/* Examples whose scores are dealt to the curves at once: 64 of a curve are a few cache lines. */
#define EXAMPLES_AT_ONCE 64

int class_curves_add(struct class_curves *c, const double *score, double target, double weight,
		     struct error *err)
{
	int k = 0;

	while (k < c->n && c->label[k] != target)
		k++;
	if (k == c->n || isnan(score[k]))
		return 0;
	if (mem_grow(&c->example, &c->examples_capacity, c->n_examples + 1, sizeof(*c->example),
		     err) < 0 ||
	    mem_grow(&c->score, &c->scores_capacity, (c->n_examples + 1) * c->n, sizeof(*c->score),
		     err) < 0)
		return -1;
	memcpy(c->score + c->n_examples * c->n, score, (size_t)c->n * sizeof(*score));
	c->example[c->n_examples++] = (struct curve_example){ k, weight };
	return 0;
}

/* Deal the scores of class k of the examples from 'first' on to its curve. */
static int deal_block(struct class_curves *c, int64_t first, int k, struct error *err)
{
	int64_t end = int64_min(first + EXAMPLES_AT_ONCE, c->n_examples);

	for (int64_t i = first; i < end; i++) {
		const struct curve_example *e = &c->example[i];
		double score = c->score[i * c->n + k];

		if (!isnan(score) &&
		    roc_add_weighted(&c->roc[k], score,
				     e->class_number == k ? e->weight : -e->weight, err) < 0)
			return -1;
	}
	return 0;
}

int class_curves_finish(struct class_curves *c, struct error *err)
{
	c->roc = mem_zeroed(c->n, sizeof(*c->roc), err);
	c->sorted = mem_array(c->n * c->n_examples, sizeof(*c->sorted), err);
	if (!c->roc || !c->sorted)
		return -1;
	/* each curve has room for all examples: roc_add_weighted() allocates nothing */
	for (int k = 0; k < c->n; k++)
		c->roc[k] = (struct roc){ .capacity = c->n_examples,
					  .example = c->sorted + k * c->n_examples };
	for (int64_t first = 0; first < c->n_examples; first += EXAMPLES_AT_ONCE)
		for (int k = 0; k < c->n; k++)
			if (deal_block(c, first, k, err) < 0)
				return -1;
	mem_free(c->score);
	c->score = NULL;
	for (int k = 0; k < c->n; k++)
		roc_sort(&c->roc[k]);
	return 0;
}

void class_curves_free(struct class_curves *c)
{
	mem_free_all(c->example, c->score, c->sorted, c->roc);
	*c = (struct class_curves){ 0 };
}
