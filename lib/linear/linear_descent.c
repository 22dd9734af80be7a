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
 * and w and S follow: O(entries of the row).  With squared losses r_i has the further term
 * -beta_i / (2 C_i), q_i has 1 / (2 C_i), and one bound is infinite.  An epoch meets the rows in a
 * random order.  After it the bias moves; and where no multiplier of an epoch over all rows had a
 * violation |change| q_i above the tolerance, the tolerance falls,
 *
 *     centre_b <- centre_b + theta S,   tolerance <- TOLERANCE_FACTOR tolerance                 (3)
 *
 * Where the sum of the multipliers is to be another number than 0, S is what it is above that; and
 * where there are two sides, each has its own S and b.
 *
 * theta = min(1, mean |x|^2, STIFFNESS / sum 1 / q_i over free rows): a theta far above |x_i|^2 would make
 * (2) keep S = 0 and nothing else, one far below leaves b to the few steps (3).  Free rows give way to the
 * bias together, so that what is stiff follows from all of them; it is chosen anew for each epoch.
 *
 * An update moves w by |change| |x_j|, and r_i by at most |x_i| times that.  So rows are left out
 * that are at a bound (or at 0 within epsilon) by more than the longest move of the last epoch, M =
 * max |change_j| sqrt(q_j), can bring back,
 *
 *     at upper_i  r_i - epsilon > M sqrt(q_i)        at lower_i  r_i + epsilon < -M sqrt(q_i)
 *     at 0        |r_i| < epsilon - M sqrt(q_i)                                                 (4)
 *
 * Once the active rows are within the tolerance an epoch over all rows has to confirm it.
 * On text most rows stay where the first epochs put them, so that most epochs are cheap.  (With the
 * largest violation in place of M sqrt(q_i) one long document keeps all rows active: on the 20
 * machines of 20news, where the largest |x|^2 is 2,800 times the mean, nearly twice as many entries
 * are passed at C = 1 and at C = 100.)
 *
 * Order: the rows of an epoch that have been met since the last bias moved S agree on it, so that
 * violations do not pass from one block of rows to another unless the blocks are drawn anew each
 * time.  (With blocks that last, 7,600 active rows of text at C = 1 keep a violation of 0.02 for as
 * long as they are met; here it falls by a tenth an epoch.)  An epoch meets segments of rows in a
 * random order, and the rows of so many segments as the caches hold in a random order as well.
 *
 * Threads: where the active rows have many entries an epoch runs in two lanes, by the data and never
 * by the number of threads.  Lane k starts from w, meets half of the blocks of a round with a w of its
 * own, w + u_k, and ends with a share s_k of S, of which both have half at first.  Multipliers of the
 * two lanes are different ones, so what joins them is an addition,
 *
 *     w <- w + u_0 + u_1,   S <- s_0 + s_1                                                      (5)
 *
 * All rows meet in the bias, and two lanes that each repair S as (1) asks would move it twice as far:
 * so (1) has theta / 2, and each lane, theta s_k^2 / 2 for its share alone.  (s_0 + s_1)^2 / 4 <=
 * (s_0^2 + s_1^2) / 2, so that for the gains g_k of the lanes, each on its own,
 *
 *     rise of (1) by (5)  >=  g_0 + g_1 - u_0.u_1                                               (6)
 *
 * Where that is negative the lanes' means are taken, in (5) and of the multipliers: (1) is concave,
 * and rises by (g_0 + g_1) / 2 at least.  (Means are what CoCoA takes, Jaggi et al. 2014, and sums
 * with a safe problem for each lane CoCoA+, Ma et al. 2015; here the sum is taken where (6) shows
 * it to be safe.  On text u_0.u_1 is a tenth of the gains, and (5) never was refused.)  On 50,000
 * and 200,000 rows of text at C = 1 two lanes pass as many entries as one; without the shares of S
 * they pass twice as many.
 *
 * Which rows a lane meets: of small rows that are packed (below) every other block, drawn anew each
 * time.  Others are in LINEAR_LISTS lists, and in a round a lane meets some rows of half of them, one of
 * each two, drawn anew for each epoch: a process that has the rows of a list can run it, with the lane's w
 * from where the list before is.  On 300,000 rows of text at C = 1 that passes at most twice the entries of
 * blocks that are drawn anew (1.9e9, 1.05e9).  Lists of contiguous eighths, and eight lanes, were worse in
 * an earlier form, above all where rows are sorted by label.
 *
 * Memory: an epoch takes as long as it takes to fetch the rows.  So the active ones are copied side
 * by side (struct linear_pack), again whenever they have become much fewer; and a row is asked for some
 * updates before it is met.
 *
 * The result is a solution to within the last tolerance where the epochs suffice, as they mostly do
 * for a small C, and else a start: what is left is the Newton method's.  With linear_options.epochs
 * there are many, and the solution is judged on the way (linear_judge.c): where the gap asks for more
 * than the last tolerance, that falls on, and rows are no longer packed, as floats.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear_lane.h"
#include "linear/linear_work.h"

/*
 * Tolerance of (3), in units of the targets, and factors by which it falls: from the residual of a
 * class label at w = 0 to a tenth of eps, as two multipliers may violate in opposite directions,
 * and the duality gap is to be small as well.  (After a fifth of eps two more Newton steps follow
 * on basehock, reuters-moneyfx and rcv1-ccat-small at C = 1 to 1000; with a fiftieth the descent on
 * 50,000 rows of text at C = 1 takes a quarter more epochs.)  Each new tolerance takes an epoch over
 * all rows: with a factor of 0.3 the descent takes a fifth more time on 20,000 rows of text at C = 1.
 */
#define FIRST_TOLERANCE 1.0
#define TOLERANCE_FACTOR 0.1
#define LAST_TOLERANCE 0.1 /* last tolerance, in eps, or in TRAINING_USUAL_EPS if that is less */

/*
 * Share of the pack's rows whose leaving out makes the pack anew; rows of fewer entries than
 * SMALL_PACK, which the caches hold, are met where they are.
 */
#define LEFT_OUT 0.25
#define SMALL_PACK 100000

/*
 * Share of active rows up to which rows so large that they are shared with the data go into a pack:
 * the pack then takes at most a third of their memory.  At 0.25 the descent on 300,000 rows of text
 * at C = 1 takes a tenth more time, at 1 as much as at 0.5.
 */
#define SHARED_PACK 0.5

/*
 * Rows met together: an epoch draws an order of segments of rows, and then, for each block of
 * consecutive segments (DESCENT_BLOCK), an order of the block's rows.
 */
#define SEGMENT 32

/* Most epochs per epoch over all rows: on average a quarter of the rows may be active. */
#define MOST_EPOCHS 4

/*
 * Period in epochs, and share of its sum of violations: where the sum is more than SLOW times the
 * sum of the period before, a few rows that are nearly dependent are left, which the Newton method
 * moves at once.  On 300,000 rows of text at C = 1 the violation stays near 0.007 for the 30 epochs up
 * to the 86th and then falls again: with a period of 16 chance decides whether descent ends there, and
 * conjugate gradients, which are to go on, pass more than twice the entries.
 */
#define PERIOD 32
#define SLOW 0.8

/*
 * theta is at most this part of what S gives way to the bias, the sum of 1 / q over free rows: a stiffer
 * bias keeps the sum of the rows of each block nearly as it is.  Entries in millions with all of min(1,
 * mean |x|^2), and with 300, 100, 30 and 10: 60,000 rows of text, C = 1, 1357 792 343 233 221; C = 10 4376
 * 3474 2283 2575 2140; reuters-moneyfx, C = 100, 53 48 39 42 31; 20 machines of 20news, of few free rows,
 * C = 0.1, 1771 1739 1739 1742 1789.  With a fixed theta of 300 / n these take 40 times as many.
 */
#define STIFFNESS 10

/*
 * Times of judgements where descent is to solve the problem: after JUDGE_FIRST epochs' worth of
 * updates, each time that there are JUDGE_AGAIN times as many, and at the last tolerance.  A
 * judgement takes about as long as an epoch over all rows.
 */
#define JUDGE_FIRST 5
#define JUDGE_AGAIN 1.25

/* Rows of long moves that are met again (linear_lane.c) are at most one in so many. */
#define HARD_ROWS 16

/*
 * Lanes of an epoch that has LANE_ENTRIES active entries, and LANE_ENTRIES_PER_COLUMN for each
 * column: joining passes over d numbers, in the order of memory, which then takes some 3 % of the
 * time.  An epoch has as many rounds as have so many entries, and a block for each lane, up to
 * MOST_ROUNDS: with one round 8 % more entries are passed on 200,000 rows of text, with twice as
 * many rounds no fewer.
 */
#define LANE_ENTRIES 1e6
#define LANE_ENTRIES_PER_COLUMN 4
#define MOST_ROUNDS 8

struct descent {
	struct linear_run *s;
	struct descent_rounds r; /* of this epoch; its theta is times the number of lanes */
	int64_t *active;	 /* the n_active rows not left out by shrinking, (4), ascending */
	int64_t n_active, n_packed;
	double give;	  /* sum of 1 / q over free rows: how far S gives way to the bias, about */
	bool exact;	  /* the tolerance asks for more than floats have: no pack from here on */
	int64_t *segment; /* room for an order of segments */
	int64_t *dealt;	  /* room for the lists of the lanes */
	int64_t *hard;	  /* room for hard rows of the lists */
};

/* The largest theta; and what a row adds to d->give */
static double largest_theta(const struct descent *d)
{
	return fmin(1, d->s->task.mean_norm2);
}

static double give_of(const struct descent *d, const struct descent_row *row)
{
	return linear_is_inside(row->beta, row->lower, row->upper) ?
		       1 / (row->q + largest_theta(d)) :
		       0;
}

/* First number of the orders of segments. */
#define SEGMENT_ORDER (INT64_C(1) << 40)

/* Make all rows active; their entries are read where the task's rows are, not from the pack. */
static void take_all(struct descent *d)
{
	const struct linear_task *t = &d->s->task;

	d->n_active = t->n;
	d->n_packed = 0;
	d->r.helpers = t->x.helpers;
	for (int64_t i = 0; i < t->n; i++) {
		d->active[i] = i;
		d->r.rows.row[i].is_active = true;
		d->r.rows.row[i].start = t->x.start[i];
		d->r.rows.row[i].n = (int32_t)(t->x.start[i + 1] - t->x.start[i]);
	}
}

/* Rounds of an epoch in lanes, by its active entries, see LANE_ENTRIES; 0: it has one lane. */
static int count_rounds(const struct descent *d)
{
	const struct linear_rows *x = &d->s->task.x;
	double n_entries = (double)x->start[x->n] / (double)x->n * (double)d->n_active;
	double n_blocks = (double)int64_blocks(d->n_active, DESCENT_BLOCK);
	double most = fmin(n_blocks / DESCENT_LANES, MOST_ROUNDS);

	return n_entries < LANE_ENTRIES ?
		       0 :
		       (int)fmin(n_entries / LANE_ENTRIES_PER_COLUMN / (double)x->d, most);
}

/* Fill the pack with the active rows, if they are much fewer than the rows in it. */
static int pack_active(struct descent *d, struct error *err)
{
	const struct linear_rows *x = &d->s->task.x;

	/* the few rows of one lane come here */
	const bool come = d->r.helpers && count_rounds(d) == 0;
	struct linear_pack *pack = &d->r.rows.pack;
	int64_t at[LINEAR_LISTS] = { 0 }; /* entries of each process so far */

	if (d->exact || x->start[x->n] < SMALL_PACK ||
	    (!come && d->n_packed && (double)d->n_active > (1 - LEFT_OUT) * (double)d->n_packed) ||
	    (x->shared && (double)d->n_active > SHARED_PACK * (double)x->n))
		return 0;
	if (come)
		d->r.helpers = NULL;
	if ((d->r.helpers || x->val ? linear_pack_fill : linear_pack_take)(pack, x, d->active,
									   d->n_active, err) < 0)
		return -1;
	d->n_packed = d->n_active;
	/* each process has those of its lists, one list after the other */
	for (int place = 0; place < LINEAR_LISTS; place++)
		for (int64_t k = 0; k < d->n_active; k++) {
			struct descent_row *row = &d->r.rows.row[d->active[k]];
			int64_t *end = &at[d->r.helpers ? row->list % d->r.helpers->size : 0];

			if (row->list == linear_list(place)) {
				row->start = *end;
				*end += row->n;
			}
		}
	return 0;
}

/* Choose lanes and rounds of this epoch. */
static void choose_lanes(struct descent *d)
{
	const struct linear_rows *x = &d->s->task.x;
	int n_rounds = count_rounds(d);

	d->r.n_lanes = n_rounds > 0 ? DESCENT_LANES : 1;
	d->r.n_rounds = n_rounds > 0 ? n_rounds : 1;
	d->r.terms.packed = d->n_packed > 0;
	d->r.n_lists =
		n_rounds == 0 || (d->n_packed > 0 && !x->shared) ? d->r.n_lanes : LINEAR_LISTS;
	d->r.terms.most_hard = (x->n / HARD_ROWS + 1) / d->r.n_lists;
	d->r.terms.theta = fmin(largest_theta(d), STIFFNESS / d->give);
	memcpy(d->r.terms.centre_b, d->s->at.centre_b, sizeof(d->r.terms.centre_b));
	memset(d->r.lane, 0, DESCENT_LANES * sizeof(*d->r.lane));
	for (int k = 0; k < DESCENT_LANES; k++)
		d->r.lane[k].w = n_rounds > 0 ? x->partial + k * x->d : d->s->at.w;
}

/* Deal the active rows to the lists, segments of neighbours in their order; or count those of each. */
static void deal_rows(struct descent *d, int64_t n_segments, bool counts)
{
	int64_t at = 0;

	for (int64_t s = 0; s < n_segments; s++)
		for (int64_t k = d->segment[s] * SEGMENT, end = int64_min(k + SEGMENT, d->n_active);
		     k < end; k++, at++) {
			const int64_t i = d->active[k], by = d->r.n_lists == LINEAR_LISTS ?
								     d->r.rows.row[i].list :
								     at / DESCENT_BLOCK;
			struct descent_list *l = &d->r.list[by % d->r.n_lists];

			if (!counts)
				l->row[l->n] = i;
			l->n++;
		}
}

/* The lists of this epoch, one behind the other, of segments in random order. */
static void make_lists(struct descent *d)
{
	int64_t n_segments = int64_blocks(d->n_active, SEGMENT), *room = d->dealt;

	count_up(d->segment, n_segments);
	linear_shuffle(&d->r.terms, d->segment, n_segments, SEGMENT_ORDER);
	memset(d->r.list, 0, sizeof(d->r.list));
	deal_rows(d, n_segments, true);
	for (int k = 0; k < d->r.n_lists; k++) {
		struct descent_list *l = &d->r.list[k];

		l->row = room;
		l->hard = d->hard + k * d->r.terms.most_hard;
		room += l->n;
		l->n = 0;
	}
	deal_rows(d, n_segments, false);
}

/* One epoch: the update (2) of each active row, in random order. */
static void run_epoch(struct descent *d, uint32_t epoch)
{
	int64_t n = 0;

	d->r.terms.epoch = epoch;
	choose_lanes(d);
	make_lists(d);
	if (d->r.helpers)
		d->r.helpers->rounds(d->r.helpers, &d->r);
	else
		linear_rounds_run(&d->r);
	/* rows left out by (4) leave the list, which stays ascending */
	d->give = 0;
	for (int64_t k = 0; k < d->n_active; k++) {
		const struct descent_row *row = &d->r.rows.row[d->active[k]];

		d->give += give_of(d, row);
		if (row->is_active)
			d->active[n++] = d->active[k];
	}
	d->n_active = n;
	d->r.terms.bound = fmax(d->r.lane[0].longest, d->r.lane[1].longest);
	d->s->epochs.largest = fmax(d->r.lane[0].largest, d->r.lane[1].largest);
	work_count(WORK_ENTRIES, d->r.lane[0].n_entries + d->r.lane[1].n_entries);
}

/* Is the mean violation of a period little less than that of the period before? */
static bool is_slow(double *sum, double *sum_before, int epoch)
{
	bool slow;

	if ((epoch + 1) % PERIOD != 0)
		return false;
	slow = *sum > SLOW * *sum_before;
	*sum_before = *sum;
	*sum = 0;
	return slow;
}

/* Copy multipliers and b to struct linear_point, for the Newton method and linear_judge.c. */
static void give_back(const struct descent *d)
{
	struct linear_point *at = &d->s->at;

	for (int k = 0; k < d->s->task.sides.n; k++)
		at->b[k] = at->centre_b[k] + d->r.terms.theta / d->r.n_lanes * d->r.sum[k];
	for (int64_t i = 0; i < d->s->task.n; i++)
		at->beta[i] = at->prox[i] = d->r.rows.row[i].beta;
}

/* Keep the state, if the next epoch meets all rows and reads rows from the task. */
static void keep(struct descent *d)
{
	struct linear_epochs *e = &d->s->epochs;

	if (!d->s->task.o->checkpoint || d->n_active < d->s->task.n || d->n_packed > 0)
		return;
	give_back(d);
	e->bound = d->r.terms.bound;
	memcpy(e->sum, d->r.sum, sizeof(e->sum));
	linear_keep(d->s, LINEAR_DESCENDS);
}

/*
 * Does descent end here? 'within': all rows are within the last tolerance, which suffices for a
 * start.  Where descent is to solve the problem the multipliers are judged.  Returns 0, 1, or -1
 * with an error.
 */
static int is_enough(struct descent *d, bool within, struct error *err)
{
	struct linear_run *s = d->s;
	struct linear_epochs *e = &s->epochs;
	double violation, first = JUDGE_FIRST * (double)s->task.n;

	if (s->task.o->epochs == 0)
		return within;
	if (!within && e->n_updates < fmax(first, JUDGE_AGAIN * e->n_judged))
		return 0;
	/* judged after 5, 6.25, 7.8, ... epochs: judging takes an ever smaller share of the time */
	e->n_judged = e->n_updates;
	give_back(d);
	if (linear_judge_plain(s, &violation, err) < 0)
		return -1;
	return linear_is_solved(s) && s->best.gap <= fmax(s->task.o->gap, LINEAR_SURE_GAP);
}

/* The fall of (3), but not to just above the last tolerance: that would cost an epoch over all rows. */
static void lower_tolerance(struct linear_epochs *e, double last)
{
	e->tolerance *= TOLERANCE_FACTOR;
	if (e->tolerance < last / TOLERANCE_FACTOR / 2)
		e->tolerance = last;
}

/*
 * Epochs until is_enough() (returns 1); or until as many updates are made as 'n_epochs' epochs over
 * all rows take, or, as a start of the Newton method, descent is slow (returns 0).
 */
static int run_epochs(struct descent *d, int n_epochs, struct error *err)
{
	struct linear_run *s = d->s;
	struct linear_epochs *e = &s->epochs;
	/* the gap has to be small as well: else all rows are met again and again, or Newton steps follow */
	double last = LAST_TOLERANCE * fmin(s->task.eps, TRAINING_USUAL_EPS);
	double most = (double)n_epochs * (double)s->task.n;

	for (; e->n_updates < most && e->n < MOST_EPOCHS * n_epochs; e->n++) {
		bool all = d->n_active == s->task.n, slow, within;
		int enough;

		/* safe point, one epoch, then the bound for shrinking (4) in the next epoch */
		keep(d);
		if (linear_asked_to_stop(s))
			break;
		e->n_updates += (double)d->n_active;
		run_epoch(d, (uint32_t)e->n);
		s->n_iterations++;
		if (linear_lead_is_due(s)) {
			give_back(d);
			if (linear_lead_offer(s, s->at.prox, err) < 0)
				return -1;
		}
		e->recent += e->largest;
		slow = is_slow(&e->recent, &e->before, e->n) && s->task.o->epochs == 0;
		/* all rows were met and none violates, and neither do the constants by theta S */
		within = all && e->tolerance == last && e->largest <= last &&
			 fabs(d->r.terms.theta * d->r.sum[0]) <= last &&
			 fabs(d->r.terms.theta * d->r.sum[1]) <= last;
		enough = is_enough(d, within, err);
		if (enough != 0)
			return enough;
		/* the gap of a large C asks for a smaller violation */
		if (within)
			last *= TOLERANCE_FACTOR;
		if (within && !d->exact) {
			/*
			 * Packed rows are floats, whose rounding adds up in w: from here on none
			 * are, and w is summed anew.
			 */
			d->exact = true;
			give_back(d);
			linear_plain_sum(&s->task, s->at.beta, s->at.w);
		}
		if (e->largest <= e->tolerance) {
			if (all)
				lower_tolerance(e, last);
			/* active rows are within the tolerance: an epoch over all is to confirm it */
			take_all(d);
		} else if (slow) {
			break;
		} else if (pack_active(d, err) < 0) {
			return -1;
		}
		/* multiplier of the constraint by the step of the augmented Lagrangian, (3) */
		for (int k = 0; k < s->task.sides.n; k++)
			s->at.centre_b[k] += d->r.terms.theta / d->r.n_lanes * d->r.sum[k];
	}
	return 0;
}

static int descent_init(struct descent *d, struct error *err)
{
	const struct linear_task *t = &d->s->task;

	d->r.rows.row = mem_aligned(t->n, sizeof(*d->r.rows.row), err);
	d->active = mem_array(t->n, sizeof(*d->active), err);
	d->segment = mem_array(int64_blocks(t->n, SEGMENT), sizeof(*d->segment), err);
	d->dealt = mem_array(t->n, sizeof(*d->dealt), err);
	d->r.lane = mem_aligned(DESCENT_LANES, sizeof(*d->r.lane), err);
	d->hard = mem_array(t->n / HARD_ROWS + 1, sizeof(*d->hard), err);
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t i = 0; i < t->n; i++) {
		d->r.sum[linear_side(t, i)] += d->s->at.beta[i];
		/* q of (2), the curvature of (1) along beta_i */
		d->r.rows.row[i] = (struct descent_row){ .list = t->x.list[i],
							 .q = t->x.norm2[i] + linear_softness(t, i),
							 .softness = linear_softness(t, i),
							 .beta = d->s->at.beta[i],
							 .target = t->row.target[i],
							 .lower = t->row.lower[i],
							 .upper = t->row.upper[i] };
		d->give += give_of(d, &d->r.rows.row[i]);
	}
	d->r.terms.bound = INFINITY;
	take_all(d);
	return 0;
}

int linear_descend(struct linear_run *s, int n_epochs, double *violation, struct error *err)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;
	struct descent d = { .s = s,
			     .r = { .rows.x = &t->x,
				    .terms = { .epsilon = t->epsilon,
					       .two_sides = t->sides.n == 2,
					       .seed = t->o->seed },
				    .sum = { -t->sides.sum[0], -t->sides.sum[1] },
				    .n_lanes = 1,
				    .w = at->w,
				    .old = at->prox,
				    .helpers = t->x.helpers } };
	int ret = -1;

	if (t->mean_norm2 == 0) /* all rows are zero: nothing to descend */
		return 0;
	if (descent_init(&d, err) == 0) {
		/*
		 * beta and centre_b are in 'at', whether read from a checkpoint or made by
		 * linear_start()
		 */
		if (s->resumes) {
			d.r.terms.bound = s->epochs.bound;
			memcpy(d.r.sum, s->epochs.sum, sizeof(d.r.sum));
		} else {
			s->epochs = (struct linear_epochs){ .tolerance = fmax(
								    FIRST_TOLERANCE * s->at.scale,
								    LAST_TOLERANCE * t->eps),
							    .before = INFINITY };
			linear_plain_sum(t, at->beta, at->w);
		}
		s->resumes = false;
		ret = run_epochs(&d, n_epochs, err);
		*violation = s->epochs.largest;
		give_back(&d);
	}
	mem_free_all(d.r.rows.row, d.active, d.segment, d.dealt, d.r.lane, d.hard);
	linear_pack_free(&d.r.rows.pack);
	return ret;
}
