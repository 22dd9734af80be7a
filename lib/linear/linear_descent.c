/*
 * linear_descent.c - dual coordinate descent, the linear engine's start on many features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "linear/linear_products.h"
#include "linear/linear_work.h"

/* An epoch's largest violation, below which the bias moves: falls to the last of these. */
#define FIRST_TOLERANCE 1.0
#define TOLERANCE_FACTOR 0.6
#define LAST_TOLERANCE 2e-4

struct descent {
	struct linear_work *s;
	double theta; /* b = centre_b + theta * sum of prox */
	double sum;
	int64_t *order; /* rows, those being looked at first */
	int64_t n_active;
	double largest; /* violation met in this epoch */
	double bound;	/* rows at a bound by more than this are left out */
};

/* Fisher, Yates: the order of this epoch */
static void shuffle(struct descent *d, uint32_t epoch)
{
	for (int64_t k = d->n_active - 1; k > 0; k--) {
		uint64_t draw =
			rng_first64(rng_draw(d->s->o->seed, RNG_DESCENT_ORDER, (uint64_t)k, epoch));
		int64_t other = (int64_t)(draw % (uint64_t)(k + 1)), row = d->order[k];

		d->order[k] = d->order[other];
		d->order[other] = row;
	}
}

/*
 * prox_i to where the dual is largest, all others held: the proximal point of prox_i + r_i / q,
 * q the curvature.  False if the row sits at a bound by far and should be left out.
 */
static bool descend_row(struct descent *d, int64_t i)
{
	struct linear_work *s = d->s;
	double q = s->x.norm2[i] + d->theta, old = s->prox[i], epsilon = s->p->epsilon, v, moved;
	double r = s->target[i] - linear_rows_dot(&s->x, i, s->w) - s->centre_b - d->theta * d->sum;

	if ((old == s->upper[i] && r - epsilon > d->bound) ||
	    (old == s->lower[i] && r + epsilon < -d->bound) ||
	    (old == 0 && fabs(r) < epsilon - d->bound))
		return false;
	v = old + r / q;
	v = fmax(v - epsilon / q, 0) + fmin(v + epsilon / q, 0);
	v = fmin(fmax(v, s->lower[i]), s->upper[i]);
	moved = v - old;
	d->largest = fmax(d->largest, fabs(moved) * q);
	if (moved != 0) {
		s->prox[i] = v;
		d->sum += moved;
		linear_rows_axpy(&s->x, i, moved, s->w);
	}
	return true;
}

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

static void run_epochs(struct descent *d, int n_epochs)
{
	struct linear_work *s = d->s;
	double tolerance = FIRST_TOLERANCE;

	for (int epoch = 0; epoch < n_epochs && !linear_asked_to_stop(s); epoch++) {
		bool all = d->n_active == s->n;

		run_epoch(d, (uint32_t)epoch);
		s->n_iterations++;
		d->bound = d->largest;
		if (d->largest > tolerance)
			continue;
		d->n_active = s->n;
		d->bound = INFINITY;
		if (!all)
			continue;
		if (tolerance <= LAST_TOLERANCE && fabs(d->theta * d->sum) <= LAST_TOLERANCE)
			break;
		s->centre_b += d->theta * d->sum;
		tolerance = fmax(LAST_TOLERANCE, TOLERANCE_FACTOR * tolerance);
	}
}

int linear_descend(struct linear_work *s, int n_epochs, struct error *err)
{
	struct descent d = {
		.s = s, .theta = fmin(1, s->mean_norm2), .n_active = s->n, .bound = INFINITY
	};

	d.order = mem_array(s->n, sizeof(*d.order), err);
	if (!d.order)
		return -1;
	for (int64_t i = 0; i < s->n; i++) {
		d.order[i] = i;
		s->prox[i] = s->beta[i];
		d.sum += s->beta[i];
	}
	if (d.theta > 0) {
		memset(s->w, 0, (size_t)s->d * sizeof(*s->w));
		linear_rows_add(&s->x, NULL, s->n, s->prox, s->w);
		run_epochs(&d, n_epochs);
		s->b = s->centre_b + d.theta * d.sum;
		memcpy(s->beta, s->prox, (size_t)s->n * sizeof(*s->beta));
	}
	free(d.order);
	return 0;
}
