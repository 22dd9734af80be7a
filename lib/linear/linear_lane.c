/*
 * linear_lane.c - rounds of coordinate descent: their lanes' updates of rows, and how lanes are joined
 *
 * The formulas are those of linear_descent.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_lane.h"

#include "base/rng.h"

/*
 * Rows that moved w by more than HARD times the longest move of the epoch before, as many as the round allows,
 * are met again after the epoch, for HARD_SHARE of its updates or until they move it by
 * no more than HARD_DONE of its longest move.  They are few, and nearly dependent: on 20,000 rows of
 * text at C = 1 the descent ends after 35 epochs instead of 66, and at C = 10 it leaves 320 steps of
 * conjugate gradients instead of 580.  With HARD at 0.1 and 0.5 it ends after 36 and 45, with
 * HARD_SHARE at 1 after 31 that take as long.
 */
#define HARD 0.25
#define HARD_DONE 0.1
#define HARD_SHARE 0.25

/*
 * Updates between the prefetch of a row's numbers and the row's own update; the same for its
 * entries.
 */
#define FETCH_ROW 16
#define FETCH_ENTRIES 6

/*
 * First numbers of the orders of the hard rows of list k (k + 1 times), and of the rows of its blocks (k
 * times).  Hard rows of some lists have the numbers of first blocks, other rows.
 */
#define HARD_ORDER (INT64_C(1) << 41)
#define LIST_ORDER (INT64_C(1) << 42)
#define LANE_ORDER (UINT64_C(1) << 62)

/* Bytes of a cache line; most lines that are prefetched of a row's columns or of its values. */
#define LINE 64
#define LINES 16

void linear_shuffle(const struct descent_round *round, int64_t *order, int64_t n, int64_t place)
{
	for (int64_t k = n - 1; k > 0; k--) {
		uint64_t draw = rng_first64(rng_draw(round->seed, RNG_DESCENT_ORDER,
						     (uint64_t)(place + k), round->epoch));
		int64_t other = (int64_t)(draw % (uint64_t)(k + 1)), number = order[k];

		order[k] = order[other];
		order[other] = number;
	}
}

/*
 * Update the multiplier of a row, (2).  False if the row is so far beyond a bound that it should be
 * left out, (4).
 *
 * Never lowers the objective (1): beta_i goes to the maximum of (1) along its axis, within the box.
 */
static bool descend_row(const struct descent_rows *rows, struct descent_lane *l,
			struct descent_row *row)
{
	const struct descent_round *d = &l->round;
	int side = d->two_sides && row->lower < 0;
	int64_t start = row->start, end = start + row->n;
	double old = row->beta, epsilon = d->epsilon, v, moved;
	const double q = row->q + d->theta;
	double root = sqrt(q), reach = root * d->bound;
	double dot = d->packed ? linear_pack_dot(&rows->pack, start, end, l->w) :
				 linear_entries_dot(rows->x, start, end, l->w);
	double r = row->target - dot - d->centre_b[side] - d->theta * l->sum[side] -
		   row->softness * old;

	l->n_entries += row->n;
	/* shrinking, (4): multipliers are at a bound exactly, as clip() below puts them there */
	if ((old == row->upper && r - epsilon > reach) ||
	    (old == row->lower && r + epsilon < -reach) || (old == 0 && fabs(r) < epsilon - reach))
		return false;
	/*
	 * step (2): the unconstrained maximum, soft(v, epsilon / q) without a branch, then clip()
	 */
	v = old + r / q;
	v = fmax(v - epsilon / q, 0) + fmin(v + epsilon / q, 0);
	v = fmin(fmax(v, row->lower), row->upper);
	moved = v - old;
	/* q |change| is the size of the projected gradient, less where a bound cuts the change */
	l->move = fabs(moved) * root;
	l->longest = fmax(l->longest, l->move);
	l->largest = fmax(l->largest, l->move * root);
	if (moved != 0) {
		/*
		 * invariant: w = sum beta x, and S is the sum of the side's multipliers less the
		 * sum wanted, as this lane has moved them
		 */
		row->beta = v;
		l->gain += moved * (r - q * moved / 2) - epsilon * (fabs(v) - fabs(old));
		l->n_entries += row->n;
		l->sum[side] += moved;
		if (d->packed)
			linear_pack_axpy(&rows->pack, start, end, moved, l->w);
		else
			linear_entries_axpy(rows->x, start, end, moved, l->w);
	}
	return true;
}

static inline void fetch_lines(const void *first, const void *last)
{
	const char *byte = first, *end = last;

	for (int line = 0; line < LINES && byte < end; line++, byte += LINE)
		__builtin_prefetch(byte);
}

/* Prefetch data that updates some places after place k, of the n in the order, will read. */
static void fetch_ahead(const struct descent_rows *rows, bool packed, const int64_t *order,
			int64_t k, int64_t n)
{
	const struct linear_rows *x = rows->x;
	const struct descent_row *row;
	int64_t end;

	if (k + FETCH_ROW < n)
		__builtin_prefetch(&rows->row[order[k + FETCH_ROW]], 1);
	if (k + FETCH_ENTRIES >= n)
		return;
	row = &rows->row[order[k + FETCH_ENTRIES]];
	end = row->start + row->n;
	if (packed) {
		fetch_lines(rows->pack.entry + row->start, rows->pack.entry + end);
	} else {
		fetch_lines(x->col + row->start, x->col + end);
		fetch_lines(x->val + row->start, x->val + end);
	}
}

/* Update the n rows of a block, in an order that is drawn from this place on. */
static void run_block(const struct descent_rows *rows, struct descent_lane *l,
		      struct descent_list *list, int64_t *order, int64_t n, int64_t place)
{
	const struct descent_round *d = &l->round;

	linear_shuffle(d, order, n, place);
	for (int64_t k = 0; k < n; k++) {
		int64_t i = order[k];

		fetch_ahead(rows, d->packed, order, k, n);
		/* a row that is left out, (4), stays listed for this epoch */
		if (!descend_row(rows, l, &rows->row[i])) {
			rows->row[i].is_active = false;
			continue;
		}
		list->n_active++;
		if (l->move > HARD * d->bound && list->n_hard < d->most_hard)
			list->hard[list->n_hard++] = i;
	}
}

/*
 * Meet the rows of long moves again, until HARD_SHARE of an epoch is spent or their moves are short
 * beside those of this epoch.  'longest' and 'largest' are left unchanged.
 */
static void run_hard_rows(const struct descent_rows *rows, struct descent_lane *l,
			  struct descent_list *list, int64_t place)
{
	double longest = l->longest, largest = l->largest,
	       share = HARD_SHARE * (double)list->n_active;

	/* 'bound' is that of the epoch before: a row that is left out here is met again later */
	for (double met = 0; list->n_hard > 0 && met < share; met += (double)list->n_hard) {
		linear_shuffle(&l->round, list->hard, list->n_hard, place);
		l->longest = 0;
		for (int64_t k = 0; k < list->n_hard; k++)
			descend_row(rows, l, &rows->row[list->hard[k]]);
		if (l->longest <= HARD_DONE * longest)
			break;
	}
	l->longest = longest;
	l->largest = largest;
}

/* ---- rounds ---- */

/* The rows of a list that are met in a round: n from row[] on */
struct met_rows {
	int64_t *row, n, first;
};

static struct met_rows met_rows(const struct descent_rounds *r, int list)
{
	const struct descent_list *l = &r->list[list];
	const int64_t first = l->n * r->round / r->n_rounds;

	if (r->terms.hard)
		return (struct met_rows){ l->hard, l->n_hard, 0 };
	return (struct met_rows){ l->row + first, l->n * (r->round + 1) / r->n_rounds - first,
				  first };
}

/* The rows of one list, which the lane goes on to */
static void run_list(struct descent_rounds *r, struct descent_lane *l, int list)
{
	const struct met_rows met = met_rows(r, list);

	/* multipliers at the start of the round are for the mean */
	for (int64_t k = 0; k < met.n; k++)
		r->old[met.row[k]] = r->rows.row[met.row[k]].beta;
	if (l->round.hard)
		run_hard_rows(&r->rows, l, &r->list[list], HARD_ORDER * (list + 1));
	for (int64_t k = 0; k < met.n && !l->round.hard; k += DESCENT_BLOCK)
		run_block(&r->rows, l, &r->list[list], met.row + k,
			  int64_min(DESCENT_BLOCK, met.n - k), LIST_ORDER * list + met.first + k);
}

/*
 * The list that a lane meets after k others.  Which lane meets one of the two of a place that are odd and
 * even is drawn anew for each epoch.
 */
static int lane_list(const struct descent_rounds *r, int lane, int k)
{
	const int n = r->n_lists / r->n_lanes;
	const uint64_t draw =
		rng_first64(rng_draw(r->terms.seed, RNG_DESCENT_ORDER, LANE_ORDER, r->terms.epoch));

	if (n > 1 && r->n_lanes > 1)
		lane ^= (int)(draw >> (8 + k)) & 1;
	return linear_list((lane * n + k) * (LINEAR_LISTS / r->n_lists));
}

static bool is_here(const struct descent_rounds *r, int list)
{
	return !r->helpers || list % r->helpers->size == r->helpers->rank;
}

static void begin_lane(struct descent_rounds *r, int lane)
{
	struct descent_lane *l = &r->lane[lane];

	l->round = r->terms;
	l->gain = 0;
	for (int side = 0; side < 2; side++)
		l->sum[side] = r->sum[side] / r->n_lanes;
	if (r->n_lanes > 1)
		memcpy(l->w, r->w, (size_t)r->rows.x->d * sizeof(*l->w));
}

static void run_lane(void *arg, int64_t lane, int thread UNUSED)
{
	struct descent_rounds *r = arg;

	begin_lane(r, (int)lane);
	for (int k = 0; k < r->n_lists / r->n_lanes; k++)
		run_list(r, &r->lane[lane], lane_list(r, (int)lane, k));
}

/* A lane goes on from who has the list 'from' to who has 'to', or to all. */
static void hand_on(struct descent_rounds *r, struct descent_lane *l, int from, int to)
{
	struct linear_helpers *h = r->helpers;

	h->hand_on(h, from, to, &l->round, sizeof(*l) - offsetof(struct descent_lane, round));
	h->hand_on(h, from, to, l->w, r->rows.x->d * (int64_t)sizeof(*l->w));
}

/* The lanes of this round, whose lists some processes have: no two lanes are with one of them at a time. */
static void run_lanes_together(struct descent_rounds *r)
{
	const int n = r->n_lists / r->n_lanes;

	for (int lane = 0; lane < r->n_lanes; lane++)
		begin_lane(r, lane);
	for (int k = 0; k < n; k++)
		for (int lane = 0; lane < r->n_lanes; lane++) {
			const int list = lane_list(r, lane, k);

			if (k > 0)
				hand_on(r, &r->lane[lane], lane_list(r, lane, k - 1), list);
			if (is_here(r, list))
				run_list(r, &r->lane[lane], list);
		}
	for (int lane = 0; lane < r->n_lanes; lane++)
		hand_on(r, &r->lane[lane], lane_list(r, lane, n - 1), -1);
}

/* The first sum of (5), and u_0.u_1, for a part of the columns */
static void join_columns(void *arg, int64_t part, int thread UNUSED)
{
	struct descent_rounds *r = arg;
	double *w = r->w, product = 0;
	const double *w0 = r->lane[0].w, *w1 = r->lane[1].w;
	int64_t last = r->rows.x->d * (part + 1) / LINEAR_LISTS;

	for (int64_t j = r->rows.x->d * part / LINEAR_LISTS; j < last; j++) {
		product += (w0[j] - w[j]) * (w1[j] - w[j]);
		w[j] = w0[j] + (w1[j] - w[j]);
	}
	r->product[part] = product;
}

/* The means in place of (5): of w, S, and the multipliers of this round that were met here. */
static void take_means(struct descent_rounds *r, const double old_sum[2])
{
	const struct descent_lane *l = r->lane;

	for (int64_t j = 0; j < r->rows.x->d; j++)
		r->w[j] = (l[0].w[j] + l[1].w[j]) / 2;
	for (int side = 0; side < 2; side++)
		r->sum[side] = (r->sum[side] + old_sum[side]) / 2;
	for (int list = 0; list < r->n_lists; list++) {
		const struct met_rows met = met_rows(r, list);

		for (int64_t k = 0; k < met.n && is_here(r, list); k++) {
			double *beta = &r->rows.row[met.row[k]].beta;

			*beta = (*beta + r->old[met.row[k]]) / 2;
		}
	}
}

/* Join the lanes of this round, (5), if that is sure not to lower (1), by (6). */
static void join_lanes(struct descent_rounds *r)
{
	const struct descent_lane *l = r->lane;
	double old_sum[2] = { r->sum[0], r->sum[1] }, rise = l[0].gain + l[1].gain;

	for (int side = 0; side < 2; side++)
		r->sum[side] = l[0].sum[side] + (r->n_lanes > 1 ? l[1].sum[side] : 0);
	if (r->n_lanes == 1)
		return;
	thread_team_for(r->rows.x->team, LINEAR_LISTS, join_columns, r);
	for (int k = 0; k < LINEAR_LISTS; k++)
		rise -= r->product[k];
	if (!(rise >= 0))
		take_means(r, old_sum);
}

void linear_rounds_run(struct descent_rounds *r)
{
	for (r->round = 0; r->round <= r->n_rounds; r->round++) {
		r->terms.hard = r->round == r->n_rounds;
		/* each lane on a thread, or on who has its lists */
		if (r->helpers)
			run_lanes_together(r);
		else
			thread_team_for(r->rows.x->team, r->n_lanes, run_lane, r);
		join_lanes(r);
	}
}
