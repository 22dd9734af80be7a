/*
 * exact_start.c - begin on the whole set with given multipliers, in place of nested subsets
 *
 * The caller's multipliers are of another training: of another C, of fewer rows, of another kernel.
 *
 *     (1)  f of all examples.  It takes n n_sv kernel values, most of what the first proof would
 *          take: the decision history keeps them, and proofs correct them.
 *     (2)  Where C has grown no multiplier is at its bound, though the solution's mostly are if
 *          they were.  All t beta with t up to 'limit', which brings the largest to its bound,
 *          are feasible, and
 *
 *              D(t beta) = t L - t^2 |w|^2 / 2,   L = sum_i (y_i beta_i - epsilon |beta_i|)
 *
 *          is largest at t = min(L / |w|^2, limit); f grows with it, without kernel values.
 *          On a9a 98 % of the optimum at 2 C are reached so, and half of them without it.
 *     (3)  Is it worth anything?  A start whose gap is about that of 0 is dropped, unless it seems to
 *          be what is left of the solution by some rows less: support vectors that are gone move all
 *          decision values, which widens the gap at once, and few steps mend it.
 *     (4)  The working set: what is free or near the margin, as between subsets.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <string.h>

#include "proof/certificate.h"
#include "train/exact_run.h"

/*
 * The largest relative gap of a start that is used; all multipliers 0 have 1.  Of 40 trainings of
 * a9a, ijcnn1 and covtype those that began with a gap above it (multipliers of another kernel, of a
 * hundredth of C, of 2 % of the rows) took 0.9 to 3 times the time of the subsets, those below it
 * 0.3 to 1.4 times.
 */
#define MOST_GAP 0.95

/*
 * What is left of a solution has a dual of this share of L at least, and at most so many violators for
 * each support vector; then a start with a wider gap is used, too.  Of ijcnn1 at C = 32 without 100 of
 * its rows (gap 0.989) it saves four fifths of the steps, of cadata without 100 or 1000 (0.95 to
 * 0.999) three quarters.  Solutions of 2 % of the rows have 30 violators a vector, and of another
 * kernel mostly a dual near 0 or below.
 */
#define LEAST_DUAL 0.25
#define MOST_VIOLATORS 10

/*
 * How far decision values of a start may be off: members are taken from a band of that size.  With
 * 0.1 and 1 ten of these trainings take as long.
 */
#define START_NOISE EXACT_FIRST_TOLERANCE

/* Largest factor t of step (2), or 1: with t < 1 multipliers would leave their bounds. */
static double best_factor(const struct exact_run *s)
{
	const double *beta = s->x->beta;
	double norm2 = 0, linear = 0, limit = INFINITY;

	for (int64_t i = 0; i < s->p->n; i++) {
		norm2 += beta[i] * s->x->f[i];
		linear += s->p->target[i] * beta[i] - s->p->epsilon * fabs(beta[i]);
		if (beta[i] != 0)
			limit = fmin(limit, problem_bound(s->p, i) / fabs(beta[i]));
	}
	if (norm2 > 0)
		limit = fmin(limit, linear / norm2);
	return limit > 1 && isfinite(limit) ? limit : 1;
}

/* Step (2): multiply beta and f by the factor, which brings multipliers up to their bounds. */
static void stretch(struct exact_run *s, double factor)
{
	struct decision_history *h = &s->proofs.history;

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = problem_bound(s->p, i), size = factor * fabs(s->x->beta[i]);

		/* the product may miss the bound by the rounding of a quotient */
		if (size > c * (1 - 4 * DBL_EPSILON))
			size = c;
		h->beta[i] = s->x->beta[i] = copysign(size, s->x->beta[i]);
		h->f[i] = s->x->f[i] *= factor;
	}
	h->summed *= factor;
}

/* Forget the start: all multipliers are 0, and so are all decision values. */
static void forget(struct exact_run *s)
{
	size_t size = (size_t)s->p->n * sizeof(double);

	memset(s->x->beta, 0, size);
	memset(s->x->f, 0, size);
	memset(s->movement.before, 0, size);
	s->x->rho = 0;
}

/* Step (3): does the start seem to be what is left of a solution? */
static bool is_remainder(const struct exact_run *s, double dual)
{
	const double *beta = s->x->beta;
	double linear = 0;
	int64_t n_sv = multipliers_count(beta, s->p->n), n_violators = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		linear += s->p->target[i] * beta[i] - s->p->epsilon * fabs(beta[i]);
		n_violators += certificate_row_violates(s->p, i, beta[i], s->x->f[i] - s->x->rho,
							EXACT_FIRST_TOLERANCE);
	}
	return dual >= LEAST_DUAL * linear && n_violators <= MOST_VIOLATORS * n_sv;
}

/*
 * (2) and (3).  The primal is that before (2), which raises the dual alone: of regressions f, then
 * as many times too large as C has grown, is far from the targets.  Returns 1 if the start is
 * worthless, 0 if it is not, -1 without memory.
 */
static int improve(struct exact_run *s, struct error *err)
{
	double factor = best_factor(s), b, primal, dual;

	if (certificate_bias(s->p, s->x->f, &b, err) < 0)
		return -1;
	primal = certificate_primal(s->p, s->x->beta, s->x->f, b);
	if (factor > 1) {
		stretch(s, factor);
		if (certificate_bias(s->p, s->x->f, &b, err) < 0)
			return -1;
	}
	s->x->rho = -b;
	dual = certificate_dual(s->p, s->x->beta, s->x->f);
	return !(primal - dual <= MOST_GAP * primal) && (factor > 1 || !is_remainder(s, dual));
}

int exact_begin(struct exact_run *s, struct error *err)
{
	int worthless;

	if (s->alone) { /* step (1), from the kernel rows that SMO will need anyway */
		if (smo_set_members(&s->smo, s->is_working, err) < 0)
			return -1;
		smo_load_members(&s->smo, 1, s->x->beta, s->x->f);
	}
	if (exact_evaluate_all(s, err) < 0)
		return -1;
	worthless = improve(s, err);
	if (worthless > 0)
		forget(s);
	if (worthless != 0)
		return worthless;
	for (int64_t i = 0; i < s->p->n; i++)
		s->movement.before[i] = s->x->f[i] - s->x->rho;
	s->subsets.level = s->subsets.n_levels - 1;
	s->subsets.noise = START_NOISE;
	if (certificate_make(s->p, s->x, s->o->eps, &s->result->certificate, err) < 0)
		return -1;
	s->round.n_violators = s->p->n;
	exact_offer_proof(s);
	return s->alone ? 0 : exact_choose_working_set(s, START_NOISE, err);
}
