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
 * Memory: an epoch takes as long as it takes to fetch the rows.  So they are copied side by side in
 * an order drawn once (linear_pack.h), those left out are taken out of that copy now and then, and
 * an epoch meets them by blocks: the blocks in random order, and the rows of a block, which the
 * caches hold, as well.  (An order drawn once and for all converges several times more slowly: on
 * 300,000 rows of text the dual gap after 30 epochs is 14 times as large.)
 *
 * The result is a start: what is left is the Newton method's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/rng.h"
#include "linear/linear_pack.h"
#include "linear/linear_products.h"
#include "linear/linear_work.h"

/*
 * The tolerance of (3), in units of the targets: from the residual of a class label at w = 0 to a
 * fifth of svm-train's eps.  Each step of it takes an epoch over all rows: with a factor of 0.6, 17
 * instead of 8, a tenth of the time on 20,000 rows of text at C = 0.1.
 */
#define FIRST_TOLERANCE 1.0
#define TOLERANCE_FACTOR 0.3
#define LAST_TOLERANCE 2e-4

/*
 * Rows of a block: 4096 rows of 70 words are 2.3 MB.  With 1024 an epoch is a tenth faster and does
 * a tenth less; with 128 it does half.
 */
#define BLOCK 4096

/*
 * Rows left out are taken out of the pack when they are this part of it; a pack of fewer entries
 * than SMALL_PACK, which the caches hold, stays whole.
 */
#define LEFT_OUT 0.25
#define SMALL_PACK 100000

/* What an update needs to know of a row, together in memory. */
struct descent_row {
	double q, beta, target, lower, upper;
	int64_t row; /* its number in the task */
};

struct descent {
	struct linear_run *s;
	double theta; /* b = centre_b + theta sum */
	double sum;   /* S */
	int64_t *all; /* the rows of the task, in the order drawn once */
	struct linear_pack pack;
	struct descent_row *row; /* of the pack */
	bool *active;		 /* of the pack */
	int64_t n_active;
	int64_t *blocks, *order; /* their order in this epoch; of the rows of one block */
	double largest;		 /* violation in this epoch so far */
	double bound;		 /* rows at a bound by more than this are left out */
};

/* Drawn orders have numbers of their own: those of rows are below, those of blocks above. */
#define BLOCK_ORDER (INT64_C(1) << 40)
#define FIRST_ORDER UINT32_MAX

/* Fisher and Yates: a function of the seed, 'place' (of the first number) and the epoch alone. */
static void shuffle(const struct descent *d, int64_t *order, int64_t n, int64_t place,
		    uint32_t epoch)
{
	for (int64_t k = n - 1; k > 0; k--) {
		uint64_t draw = rng_first64(rng_draw(d->s->task.o->seed, RNG_DESCENT_ORDER,
						     (uint64_t)(place + k), epoch));
		int64_t other = (int64_t)(draw % (uint64_t)(k + 1)), number = order[k];

		order[k] = order[other];
		order[other] = number;
	}
}

/* All rows are active and in the pack, with the multipliers of prox. */
static int take_all(struct descent *d, struct error *err)
{
	const struct linear_task *t = &d->s->task;

	d->n_active = t->n;
	d->bound = INFINITY;
	if (d->pack.n < t->n && linear_pack_fill(&d->pack, &t->x, d->all, t->n, err) < 0)
		return -1;
	for (int64_t k = 0; k < t->n; k++) {
		int64_t i = d->all[k];

		d->active[k] = true;
		d->row[k] = (struct descent_row){ .q = t->x.norm2[i] + d->theta,
						  .beta = d->s->at.prox[i],
						  .target = t->target[i],
						  .lower = t->lower[i],
						  .upper = t->upper[i],
						  .row = i };
	}
	return 0;
}

/* The multipliers of the pack into prox. */
static void give_back(const struct descent *d)
{
	for (int64_t k = 0; k < d->pack.n; k++)
		d->s->at.prox[d->row[k].row] = d->row[k].beta;
}

/* Take the rows that are left out out of the pack, if they are many. */
static void drop_rows(struct descent *d)
{
	int64_t n = 0, before = d->pack.n;

	if ((double)(before - d->n_active) <= LEFT_OUT * (double)before ||
	    d->pack.start[before] < SMALL_PACK)
		return;
	give_back(d);
	linear_pack_keep(&d->pack, d->active);
	for (int64_t k = 0; k < before; k++)
		if (d->active[k])
			d->row[n++] = d->row[k];
	for (int64_t k = 0; k < n; k++)
		d->active[k] = true;
}

/* (2) for row k of the pack.  False if it is so far beyond a bound that it should be left out. */
static bool descend_row(struct descent *d, int64_t k)
{
	struct linear_point *at = &d->s->at;
	struct descent_row *row = &d->row[k];
	double old = row->beta, epsilon = d->s->task.p->epsilon, v, moved;
	double r = row->target - linear_pack_dot(&d->pack, k, at->w) - at->centre_b -
		   d->theta * d->sum;

	if ((old == row->upper && r - epsilon > d->bound) ||
	    (old == row->lower && r + epsilon < -d->bound) ||
	    (old == 0 && fabs(r) < epsilon - d->bound))
		return false;
	v = old + r / row->q;
	v = fmax(v - epsilon / row->q, 0) + fmin(v + epsilon / row->q, 0);
	v = fmin(fmax(v, row->lower), row->upper);
	moved = v - old;
	d->largest = fmax(d->largest, fabs(moved) * row->q);
	if (moved != 0) {
		row->beta = v;
		d->sum += moved;
		linear_pack_axpy(&d->pack, k, moved, at->w);
	}
	return true;
}

/* The active rows of a block, in random order. */
static void run_block(struct descent *d, int64_t block, uint32_t epoch)
{
	int64_t first = block * BLOCK, last = int64_min(first + BLOCK, d->pack.n), n = 0;

	for (int64_t k = first; k < last; k++)
		if (d->active[k])
			d->order[n++] = k;
	shuffle(d, d->order, n, first, epoch);
	for (int64_t k = 0; k < n; k++)
		if (!descend_row(d, d->order[k])) {
			d->active[d->order[k]] = false;
			d->n_active--;
		}
}

/* One multiplier after the other. */
static void run_epoch(struct descent *d, uint32_t epoch)
{
	int64_t n_blocks = int64_blocks(d->pack.n, BLOCK);

	for (int64_t k = 0; k < n_blocks; k++)
		d->blocks[k] = k;
	shuffle(d, d->blocks, n_blocks, BLOCK_ORDER, epoch);
	d->largest = 0;
	for (int64_t k = 0; k < n_blocks; k++)
		run_block(d, d->blocks[k], epoch);
	drop_rows(d);
}

/* Until the tolerance and theta S are at LAST_TOLERANCE, or the epochs are used up. */
static int run_epochs(struct descent *d, int n_epochs, struct error *err)
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
		give_back(d);
		if (take_all(d, err) < 0)
			return -1;
		if (!all)
			continue;
		/* (3) */
		if (tolerance <= LAST_TOLERANCE && fabs(d->theta * d->sum) <= LAST_TOLERANCE)
			break;
		s->at.centre_b += d->theta * d->sum;
		tolerance = fmax(LAST_TOLERANCE, TOLERANCE_FACTOR * tolerance);
	}
	give_back(d);
	return 0;
}

static void descent_free(struct descent *d)
{
	free(d->all);
	linear_pack_free(&d->pack);
	free(d->row);
	free(d->active);
	free(d->blocks);
	free(d->order);
}

/* All rows, in an order of its own. */
static int descent_init(struct descent *d, struct error *err)
{
	int64_t n = d->s->task.n;

	d->all = mem_array(n, sizeof(*d->all), err);
	d->row = mem_array(n, sizeof(*d->row), err);
	d->active = mem_array(n, sizeof(*d->active), err);
	d->blocks = mem_array(int64_blocks(n, BLOCK), sizeof(*d->blocks), err);
	d->order = mem_array(int64_min(n, BLOCK), sizeof(*d->order), err);
	if (!d->all || !d->row || !d->active || !d->blocks || !d->order)
		return -1;
	for (int64_t i = 0; i < n; i++)
		d->all[i] = i;
	shuffle(d, d->all, n, 0, FIRST_ORDER);
	return take_all(d, err);
}

int linear_descend(struct linear_run *s, int n_epochs, double *violation, struct error *err)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;
	struct descent d = { .s = s, .theta = fmin(1, t->mean_norm2) };
	int ret = -1;

	if (d.theta == 0) /* all rows are zero */
		return 0;
	for (int64_t i = 0; i < t->n; i++) {
		at->prox[i] = at->beta[i];
		d.sum += at->beta[i];
	}
	if (descent_init(&d, err) == 0) {
		memset(at->w, 0, (size_t)t->d * sizeof(*at->w));
		linear_rows_add(&t->x, NULL, t->n, at->prox, at->w);
		ret = run_epochs(&d, n_epochs, err);
		*violation = d.largest;
		at->b = at->centre_b + d.theta * d.sum;
		memcpy(at->beta, at->prox, (size_t)t->n * sizeof(*at->beta));
	}
	descent_free(&d);
	return ret;
}
