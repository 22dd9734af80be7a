/*
 * linear_descent.c - dual coordinate descent, the linear engine's start on many features
 *
 * The constraint sum beta = 0 couples all multipliers; an augmented Lagrangian takes it into the
 * objective.  With S = sum beta, w = sum_i beta_i x_i and a bias that follows S,
 *
 *     maximise over the box   D(beta) - centre_b S - theta S^2 / 2,   b = centre_b + theta S    (1)
 *
 * whose derivative by beta_i is r_i -+ epsilon, r_i = target_i - w.x_i - b, and whose curvature is
 * q_i = |x_i|^2 + theta.  One multiplier after the other goes to its maximum,
 *
 *     beta_i <- clip(soft(beta_i + r_i / q_i, epsilon / q_i), lower_i, upper_i)                 (2)
 *
 * and w and S follow: O(entries of the row).  An epoch meets the rows in a random order.  Where no
 * multiplier of an epoch over all rows had a violation |change| q_i above the tolerance, the bias
 * moves and the tolerance falls,
 *
 *     centre_b <- centre_b + theta S,   tolerance <- TOLERANCE_FACTOR tolerance                 (3)
 *
 * theta = min(1, mean |x|^2): a theta far above |x_i|^2 would make (2) keep S = 0 and nothing else,
 * one far below leaves b to the few steps (3).
 *
 * Rows at a bound (or at 0 within epsilon) by more than the largest violation of the last epoch are
 * left out; once the active rows are within the tolerance an epoch over all rows has to confirm it.
 * On text most rows stay where the first epochs put them, so that most epochs are cheap.
 *
 * The result is a start: what is left is the Newton method's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "linear/linear_products.h"
#include "linear/linear_work.h"

/*
 * The tolerance of (3), in units of the targets: from the residual of a class label at w = 0 to a
 * fifth of svm-train's eps.  Factors of 0.3 and 0.8, and last tolerances of 2e-5 and 2e-3, change
 * the Newton steps that follow by less than 1 %.
 */
#define FIRST_TOLERANCE 1.0
#define TOLERANCE_FACTOR 0.6
#define LAST_TOLERANCE 2e-4

struct descent {
	struct linear_run *s;
	double theta;	/* b = centre_b + theta sum */
	double sum;	/* S: of prox, which holds the multipliers */
	int64_t *order; /* all rows, the n_active ones that are not left out first */
	int64_t n_active;
	double largest; /* violation in this epoch so far */
	double bound;	/* rows at a bound by more than this are left out */
};

/* The order of this epoch, by Fisher and Yates: a function of the seed and the epoch alone. */
static void shuffle(struct descent *d, uint32_t epoch)
{
	for (int64_t k = d->n_active - 1; k > 0; k--) {
		uint64_t draw = rng_first64(
			rng_draw(d->s->task.o->seed, RNG_DESCENT_ORDER, (uint64_t)k, epoch));
		int64_t other = (int64_t)(draw % (uint64_t)(k + 1)), row = d->order[k];

		d->order[k] = d->order[other];
		d->order[other] = row;
	}
}

/* (2) for row i.  False if the row is so far beyond a bound that it should be left out. */
static bool descend_row(struct descent *d, int64_t i)
{
	const struct linear_task *t = &d->s->task;
	struct linear_point *at = &d->s->at;
	double q = t->x.norm2[i] + d->theta, old = at->prox[i], epsilon = t->p->epsilon, v, moved;
	double r =
		t->target[i] - linear_rows_dot(&t->x, i, at->w) - at->centre_b - d->theta * d->sum;

	if ((old == t->upper[i] && r - epsilon > d->bound) ||
	    (old == t->lower[i] && r + epsilon < -d->bound) ||
	    (old == 0 && fabs(r) < epsilon - d->bound))
		return false;
	v = old + r / q;
	v = fmax(v - epsilon / q, 0) + fmin(v + epsilon / q, 0);
	v = fmin(fmax(v, t->lower[i]), t->upper[i]);
	moved = v - old;
	d->largest = fmax(d->largest, fabs(moved) * q);
	if (moved != 0) {
		at->prox[i] = v;
		d->sum += moved;
		linear_rows_axpy(&t->x, i, moved, at->w);
	}
	return true;
}

/* One multiplier after the other; a row to be left out changes places with the last active one. */
static void run_epoch(struct descent *d, uint32_t epoch)
{
	int64_t k = 0;

	shuffle(d, epoch);
	d->largest = 0;
	while (k < d->n_active) {
		int64_t row = d->order[k];

		if (descend_row(d, row)) {
			k++;
			continue;
		}
		d->order[k] = d->order[--d->n_active];
		d->order[d->n_active] = row;
	}
}

/* Until the tolerance and theta S are at LAST_TOLERANCE, or the epochs are used up. */
static void run_epochs(struct descent *d, int n_epochs)
{
	struct linear_run *s = d->s;
	double tolerance = FIRST_TOLERANCE;

	for (int epoch = 0; epoch < n_epochs && !linear_asked_to_stop(s); epoch++) {
		bool all = d->n_active == s->task.n;

		run_epoch(d, (uint32_t)epoch);
		s->n_iterations++;
		d->bound = d->largest;
		if (d->largest > tolerance)
			continue;
		/* within the tolerance: all rows take part in the next epoch, to confirm it */
		d->n_active = s->task.n;
		d->bound = INFINITY;
		if (!all)
			continue;
		/* (3) */
		if (tolerance <= LAST_TOLERANCE && fabs(d->theta * d->sum) <= LAST_TOLERANCE)
			break;
		s->at.centre_b += d->theta * d->sum;
		tolerance = fmax(LAST_TOLERANCE, TOLERANCE_FACTOR * tolerance);
	}
}

int linear_descend(struct linear_run *s, int n_epochs, struct error *err)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;
	struct descent d = {
		.s = s, .theta = fmin(1, t->mean_norm2), .n_active = t->n, .bound = INFINITY
	};

	d.order = mem_array(t->n, sizeof(*d.order), err);
	if (!d.order)
		return -1;
	for (int64_t i = 0; i < t->n; i++) {
		d.order[i] = i;
		at->prox[i] = at->beta[i];
		d.sum += at->beta[i];
	}
	if (d.theta > 0) { /* not all rows are zero */
		memset(at->w, 0, (size_t)t->d * sizeof(*at->w));
		linear_rows_add(&t->x, NULL, t->n, at->prox, at->w);
		run_epochs(&d, n_epochs);
		at->b = at->centre_b + d.theta * d.sum;
		memcpy(at->beta, at->prox, (size_t)t->n * sizeof(*at->beta));
	}
	free(d.order);
	return 0;
}
