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
 * theta = min(1, mean |x|^2): a theta far above |x_i|^2 would make (2) keep S = 0 and nothing else,
 * one far below leaves b to the few steps (3).
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
 * Which rows a lane meets: of rows that are packed (below) every other block, drawn anew each time.
 * Of large rows that are not packed runs of LANE_RUN neighbours are in one lane and the other in turn,
 * so that a lane may be where its rows are.  On 100,000 rows of text at C = 1 that passes as many
 * entries; with eight such lanes a third more, and with the same lanes throughout the last epochs
 * stay at a violation of 0.0035.
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

#include "base/mem.h"
#include "base/rng.h"
#include "linear/linear_rows.h"
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
 * consecutive segments, an order of the block's rows.
 */
#define SEGMENT 32
#define EPOCH_BLOCK 2048

/* Most epochs per epoch over all rows: on average a quarter of the rows may be active. */
#define MOST_EPOCHS 4

/*
 * Period in epochs, and share of its sum of violations: where the sum is more than SLOW times the
 * sum of the period before, a few rows that are nearly dependent are left, which the Newton method
 * moves at once.  On 300,000 rows of text at C = 1 the violation stays near 0.007 from the 110th
 * epoch on.
 */
#define PERIOD 16
#define SLOW 0.8

/*
 * Times of judgements where descent is to solve the problem: after JUDGE_FIRST epochs' worth of
 * updates, each time that there are JUDGE_AGAIN times as many, and at the last tolerance.  A
 * judgement takes about as long as an epoch over all rows.
 */
#define JUDGE_FIRST 5
#define JUDGE_AGAIN 1.25

/*
 * Relative gap that a result of descent must have besides eps: that of the models of all machines.
 */
#define SURE_GAP 1e-3

/*
 * Rows that moved w by more than HARD times the longest move of the epoch before, at most one row in
 * HARD_ROWS, are met again after the epoch, for HARD_SHARE of its updates or until they move it by
 * no more than HARD_DONE of its longest move.  They are few, and nearly dependent: on 20,000 rows of
 * text at C = 1 the descent ends after 35 epochs instead of 66, and at C = 10 it leaves 320 steps of
 * conjugate gradients instead of 580.  With HARD at 0.1 and 0.5 it ends after 36 and 45, with
 * HARD_SHARE at 1 after 31 that take as long.
 */
#define HARD 0.25
#define HARD_DONE 0.1
#define HARD_ROWS 16
#define HARD_SHARE 0.25

/*
 * Lanes of an epoch that has LANE_ENTRIES active entries, and LANE_ENTRIES_PER_COLUMN for each
 * column: joining passes over d numbers, in the order of memory, which then takes some 3 % of the
 * time.  An epoch has as many rounds as have so many entries, and a block for each lane, up to
 * MOST_ROUNDS: with one round 8 % more entries are passed on 200,000 rows of text, with twice as
 * many rounds no fewer.
 */
#define LANES 2
#define LANE_ENTRIES 1e6
#define LANE_ENTRIES_PER_COLUMN 4
#define MOST_ROUNDS 8
#define LANE_RUN 64

/*
 * Updates between the prefetch of a row's numbers and the row's own update; the same for its
 * entries.
 */
#define FETCH_ROW 16
#define FETCH_ENTRIES 6

/* Bytes of a cache line; most lines that are prefetched of a row's columns or of its values. */
#define LINE 64
#define LINES 16

/* Numbers that an update needs of a row, in one line of the processor's cache. */
struct descent_row {
	_Alignas(LINE) double q;
	double beta, target, lower, upper;
	double softness;    /* softness of a row with squared losses, 1 / (2 C); else 0 */
	int64_t start, end; /* range of the row's entries, in the task's rows or in the pack */
};

/* Active rows, that is rows not left out by shrinking, (4). */
struct active_rows {
	bool *is;      /* active flag of each row */
	int64_t *list; /* list of the n active rows, ascending */
	int64_t n, n_packed;
};

/* Rows of long moves to be met again after the rounds of this epoch. */
struct hard_rows {
	int64_t *list, n;
};

/* A lane of a round, (5). */
struct lane {
	_Alignas(LINE) double *w; /* w + u_k; that of struct linear_point where there is one lane */
	double sum[2];		  /* share s_k of S, of each side */
	double gain;		  /* gain g_k of this round, (6) */
	int64_t *list, n;	  /* rows of this epoch, in the order in which blocks meet them */
	struct hard_rows hard;
	int64_t n_active;  /* rows of this epoch that were not left out */
	double move;	   /* move of w by the last row met, |change| sqrt(q) */
	double longest;	   /* longest move in this epoch so far */
	double largest;	   /* largest violation in this epoch so far */
	int64_t n_entries; /* entries of products and updates in this epoch */
};

struct descent {
	struct linear_run *s;
	double theta;  /* penalty theta of (1), times the number of lanes */
	double sum[2]; /* surplus S of (1), of each side */
	bool two_sides;
	struct descent_row *row; /* rows of the task */
	struct active_rows active;
	struct linear_pack pack; /* pack of the active rows, if n_packed > 0 */
	bool exact;	  /* the tolerance asks for more than floats have: no pack from here on */
	int64_t *segment; /* room for an order of segments */
	int64_t *dealt;	  /* the lists of the lanes, one after the other */
	double longest;	  /* longest move in this epoch */
	double largest;	  /* largest violation in this epoch */
	/* bound M for shrinking, (4): the longest move of the epoch before */
	double bound;
	uint32_t epoch;	   /* number of this epoch */
	struct lane *lane; /* n_lanes of LANES */
	int64_t *hard;	   /* lists of hard rows of the lanes */
	int n_lanes;	   /* lanes of this epoch */
	int round,
		n_rounds;  /* number of this round; rounds of this epoch before that of hard rows */
	int64_t most_hard; /* most hard rows of a lane */
	double product[LINEAR_MAX_PARTS]; /* product u_0.u_1 of (6), over parts of the columns */
};

/*
 * First numbers of the orders of segments, of the hard rows of lane k (k + 1 times), and of the rows
 * of its blocks (k times).  Hard rows of lane 1 have the numbers of its first block, another list.
 */
#define SEGMENT_ORDER (INT64_C(1) << 40)
#define HARD_ORDER (INT64_C(1) << 41)
#define LANE_ORDER (INT64_C(1) << 42)

/*
 * Shuffle by Fisher and Yates: a function of the seed, 'place' (of the first number) and the epoch
 * alone.
 */
static void shuffle(const struct descent *d, int64_t *order, int64_t n, int64_t place)
{
	for (int64_t k = n - 1; k > 0; k--) {
		uint64_t draw = rng_first64(rng_draw(d->s->task.o->seed, RNG_DESCENT_ORDER,
						     (uint64_t)(place + k), d->epoch));
		int64_t other = (int64_t)(draw % (uint64_t)(k + 1)), number = order[k];

		order[k] = order[other];
		order[other] = number;
	}
}

/* Make all rows active; their entries are read from the task's rows, not from the pack. */
static void take_all(struct descent *d)
{
	const struct linear_task *t = &d->s->task;

	d->active.n = t->n;
	d->active.n_packed = 0;
	for (int64_t i = 0; i < t->n; i++) {
		d->active.list[i] = i;
		d->active.is[i] = true;
		d->row[i].start = t->x.start[i];
		d->row[i].end = t->x.start[i + 1];
	}
}

/* Fill the pack with the active rows, if they are much fewer than the rows in it. */
static int pack_active(struct descent *d, struct error *err)
{
	const struct linear_rows *x = &d->s->task.x;

	if (d->exact || x->start[x->n] < SMALL_PACK ||
	    (d->active.n_packed &&
	     (double)d->active.n > (1 - LEFT_OUT) * (double)d->active.n_packed) ||
	    (x->shared && (double)d->active.n > SHARED_PACK * (double)x->n))
		return 0;
	if (linear_pack_fill(&d->pack, x, d->active.list, d->active.n, err) < 0)
		return -1;
	for (int64_t k = 0; k < d->active.n; k++) {
		d->row[d->active.list[k]].start = d->pack.start[k];
		d->row[d->active.list[k]].end = d->pack.start[k + 1];
	}
	d->active.n_packed = d->active.n;
	return 0;
}

/* Inner product x.w of a row */
static double row_dot(const struct descent *d, const struct descent_row *row, const double *w)
{
	return d->active.n_packed ? linear_pack_dot(&d->pack, row->start, row->end, w) :
				    linear_entries_dot(&d->s->task.x, row->start, row->end, w);
}

/* w += c x for one row */
static void row_axpy(const struct descent *d, const struct descent_row *row, double c, double *w)
{
	if (d->active.n_packed)
		linear_pack_axpy(&d->pack, row->start, row->end, c, w);
	else
		linear_entries_axpy(&d->s->task.x, row->start, row->end, c, w);
}

/*
 * Update the multiplier of a row, (2).  False if the row is so far beyond a bound that it should be
 * left out, (4).
 *
 * Never lowers the objective (1): beta_i goes to the maximum of (1) along its axis, within the box.
 */
static bool descend_row(const struct descent *d, struct lane *l, struct descent_row *row)
{
	int side = d->two_sides && row->lower < 0;
	double old = row->beta, epsilon = d->s->task.epsilon, v, moved;
	double root = sqrt(row->q), reach = root * d->bound;
	double r = row->target - row_dot(d, row, l->w) - d->s->at.centre_b[side] -
		   d->theta * l->sum[side] - row->softness * old;

	l->n_entries += row->end - row->start;
	/* shrinking, (4): multipliers are at a bound exactly, as clip() below puts them there */
	if ((old == row->upper && r - epsilon > reach) ||
	    (old == row->lower && r + epsilon < -reach) || (old == 0 && fabs(r) < epsilon - reach))
		return false;
	/*
	 * step (2): the unconstrained maximum, soft(v, epsilon / q) without a branch, then clip()
	 */
	v = old + r / row->q;
	v = fmax(v - epsilon / row->q, 0) + fmin(v + epsilon / row->q, 0);
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
		l->gain += moved * (r - row->q * moved / 2) - epsilon * (fabs(v) - fabs(old));
		l->n_entries += row->end - row->start;
		l->sum[side] += moved;
		row_axpy(d, row, moved, l->w);
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
static void fetch_ahead(const struct descent *d, const int64_t *order, int64_t k, int64_t n)
{
	const struct linear_rows *x = &d->s->task.x;
	const struct descent_row *row;

	if (k + FETCH_ROW < n)
		__builtin_prefetch(&d->row[order[k + FETCH_ROW]], 1);
	if (k + FETCH_ENTRIES >= n)
		return;
	row = &d->row[order[k + FETCH_ENTRIES]];
	if (d->active.n_packed) {
		fetch_lines(d->pack.entry + row->start, d->pack.entry + row->end);
	} else {
		fetch_lines(x->col + row->start, x->col + row->end);
		fetch_lines(x->val + row->start, x->val + row->end);
	}
}

/* Update the n rows of the lane's list from 'first' on, in random order. */
static void run_block(const struct descent *d, struct lane *l, int64_t first, int64_t n)
{
	int64_t *order = l->list + first;

	shuffle(d, order, n, LANE_ORDER * (l - d->lane) + first);
	for (int64_t k = 0; k < n; k++) {
		int64_t i = order[k];

		fetch_ahead(d, order, k, n);
		/*
		 * a row that is left out, (4), stays listed for this epoch: its order is drawn
		 * already
		 */
		if (!descend_row(d, l, &d->row[i])) {
			d->active.is[i] = false;
			continue;
		}
		l->n_active++;
		if (l->move > HARD * d->bound && l->hard.n < d->most_hard)
			l->hard.list[l->hard.n++] = i;
	}
}

/*
 * Meet the rows of long moves again, until HARD_SHARE of an epoch is spent or their moves are short
 * beside those of this epoch.  'longest' and 'largest' are left unchanged.
 */
static void run_hard_rows(const struct descent *d, struct lane *l, int64_t place)
{
	double longest = l->longest, largest = l->largest, share = HARD_SHARE * (double)l->n_active;

	for (int64_t k = 0; k < l->hard.n; k++)
		d->s->at.prox[l->hard.list[k]] = d->row[l->hard.list[k]].beta;
	/* 'bound' is that of the epoch before: a row that is left out here is met again later */
	for (double met = 0; l->hard.n > 0 && met < share; met += (double)l->hard.n) {
		shuffle(d, l->hard.list, l->hard.n, place);
		l->longest = 0;
		for (int64_t k = 0; k < l->hard.n; k++)
			descend_row(d, l, &d->row[l->hard.list[k]]);
		if (l->longest <= HARD_DONE * longest)
			break;
	}
	l->longest = longest;
	l->largest = largest;
}

/* First row of the lane's list in a round of this epoch, the start of a block. */
static int64_t round_start(const struct descent *d, const struct lane *l, int round)
{
	int64_t n_blocks = int64_blocks(l->n, EPOCH_BLOCK);

	return int64_min(n_blocks * round / d->n_rounds * EPOCH_BLOCK, l->n);
}

/* A lane of this round: some blocks of its list, or in the last round its hard rows. */
static void run_lane(void *arg, int64_t lane, int thread)
{
	const struct descent *d = arg;
	struct lane *l = &d->lane[lane];
	int64_t first = round_start(d, l, d->round), last = round_start(d, l, d->round + 1);

	(void)thread;
	l->gain = 0;
	for (int side = 0; side < 2; side++)
		l->sum[side] = d->sum[side] / d->n_lanes;
	if (d->n_lanes > 1)
		memcpy(l->w, d->s->at.w, (size_t)d->s->task.d * sizeof(*l->w));
	if (d->round == d->n_rounds)
		run_hard_rows(d, l, HARD_ORDER * (lane + 1));
	/* multipliers at the start of the round are for the mean */
	for (int64_t k = first; k < last; k++)
		d->s->at.prox[l->list[k]] = d->row[l->list[k]].beta;
	for (; first < last; first += EPOCH_BLOCK)
		run_block(d, l, first, int64_min(EPOCH_BLOCK, last - first));
}

/* The first sum of (5), and u_0.u_1, for a part of the columns */
static void join_columns(void *arg, int64_t part, int thread)
{
	struct descent *d = arg;
	double *w = d->s->at.w, product = 0;
	const double *w0 = d->lane[0].w, *w1 = d->lane[1].w;
	int64_t last = d->s->task.d * (part + 1) / LINEAR_MAX_PARTS;

	(void)thread;
	for (int64_t j = d->s->task.d * part / LINEAR_MAX_PARTS; j < last; j++) {
		product += (w0[j] - w[j]) * (w1[j] - w[j]);
		w[j] = w0[j] + (w1[j] - w[j]);
	}
	d->product[part] = product;
}

/* The means in place of (5): of w, S, and the multipliers of this round. */
static void take_means(struct descent *d, const double old_sum[2])
{
	const struct lane *l = d->lane;
	bool hard = d->round == d->n_rounds;

	for (int64_t j = 0; j < d->s->task.d; j++)
		d->s->at.w[j] = (l[0].w[j] + l[1].w[j]) / 2;
	for (int side = 0; side < 2; side++)
		d->sum[side] = (d->sum[side] + old_sum[side]) / 2;
	for (; l < d->lane + LANES; l++) {
		int64_t last = hard ? l->hard.n : round_start(d, l, d->round + 1);

		for (int64_t k = hard ? 0 : round_start(d, l, d->round); k < last; k++) {
			int64_t i = hard ? l->hard.list[k] : l->list[k];

			d->row[i].beta = (d->row[i].beta + d->s->at.prox[i]) / 2;
		}
	}
}

/* Join the lanes of this round, (5), if that is sure not to lower (1), by (6). */
static void join_lanes(struct descent *d)
{
	const struct lane *l = d->lane;
	double old_sum[2] = { d->sum[0], d->sum[1] }, rise = l[0].gain + l[1].gain;

	for (int side = 0; side < 2; side++)
		d->sum[side] = l[0].sum[side] + (d->n_lanes > 1 ? l[1].sum[side] : 0);
	if (d->n_lanes == 1)
		return;
	thread_team_for(d->s->task.x.team, LINEAR_MAX_PARTS, join_columns, d);
	for (int k = 0; k < LINEAR_MAX_PARTS; k++)
		rise -= d->product[k];
	if (!(rise >= 0))
		take_means(d, old_sum);
}

/* How many lanes and rounds an epoch has, by its active entries: see LANE_ENTRIES. */
static void choose_lanes(struct descent *d)
{
	const struct linear_rows *x = &d->s->task.x;
	double n_entries = (double)x->start[x->n] / (double)x->n * (double)d->active.n;
	double most_rounds =
		fmin((double)int64_blocks(d->active.n, EPOCH_BLOCK) / LANES, MOST_ROUNDS);
	double n_rounds = fmin(n_entries / LANE_ENTRIES_PER_COLUMN / (double)x->d, most_rounds);
	bool lanes = n_entries >= LANE_ENTRIES && n_rounds >= 1;

	d->n_lanes = lanes ? LANES : 1;
	d->n_rounds = lanes ? (int)n_rounds : 1;
	d->most_hard = (x->n / HARD_ROWS + 1) / d->n_lanes;
	for (int k = 0; k < LANES; k++)
		d->lane[k] = (struct lane){ .w = lanes ? x->partial + k * x->d : d->s->at.w,
					    .hard.list = d->hard + k * d->most_hard };
}

/*
 * Deal the active rows to the lanes, segments of neighbours in random order: of rows that are packed
 * blocks in turn, else runs.
 */
static void deal_rows(struct descent *d)
{
	int64_t n_segments = int64_blocks(d->active.n, SEGMENT), *out = d->dealt;
	bool in_runs = d->s->task.x.shared && d->active.n_packed == 0;

	count_up(d->segment, n_segments);
	shuffle(d, d->segment, n_segments, SEGMENT_ORDER);
	for (int lane = 0; lane < d->n_lanes; lane++) {
		int64_t at = 0;

		d->lane[lane].list = out;
		for (int64_t s = 0; s < n_segments; s++)
			for (int64_t k = d->segment[s] * SEGMENT,
				     end = int64_min(k + SEGMENT, d->active.n);
			     k < end; k++, at++) {
				int64_t i = d->active.list[k];

				if ((in_runs ? i / LANE_RUN : at / EPOCH_BLOCK) % d->n_lanes ==
				    lane)
					*out++ = i;
			}
		d->lane[lane].n = out - d->lane[lane].list;
	}
}

/* One epoch: the update (2) of each active row, in random order. */
static void run_epoch(struct descent *d, uint32_t epoch)
{
	int64_t n = 0;

	d->epoch = epoch;
	choose_lanes(d);
	deal_rows(d);
	for (d->round = 0; d->round <= d->n_rounds; d->round++) {
		thread_team_for(d->s->task.x.team, d->n_lanes, run_lane, d);
		join_lanes(d);
	}
	/* rows left out by (4) leave the list, which stays ascending */
	for (int64_t k = 0; k < d->active.n; k++)
		if (d->active.is[d->active.list[k]])
			d->active.list[n++] = d->active.list[k];
	d->active.n = n;
	d->longest = fmax(d->lane[0].longest, d->lane[1].longest);
	d->largest = fmax(d->lane[0].largest, d->lane[1].largest);
	work_count(WORK_ENTRIES, d->lane[0].n_entries + d->lane[1].n_entries);
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
		at->b[k] = at->centre_b[k] + d->theta / d->n_lanes * d->sum[k];
	for (int64_t i = 0; i < d->s->task.n; i++)
		at->beta[i] = at->prox[i] = d->row[i].beta;
}

/* Keep the state, if the next epoch meets all rows and reads rows from the task. */
static void keep(struct descent *d)
{
	struct linear_epochs *e = &d->s->epochs;

	if (!d->s->task.o->checkpoint || d->active.n < d->s->task.n || d->active.n_packed > 0)
		return;
	give_back(d);
	e->largest = d->largest;
	e->bound = d->bound;
	memcpy(e->sum, d->sum, sizeof(e->sum));
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
	return linear_is_solved(s) && s->best.gap <= fmax(s->task.o->gap, SURE_GAP);
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
		bool all = d->active.n == s->task.n, slow, within;
		int enough;

		/* safe point, one epoch, then the bound for shrinking (4) in the next epoch */
		keep(d);
		if (linear_asked_to_stop(s))
			break;
		e->n_updates += (double)d->active.n;
		run_epoch(d, (uint32_t)e->n);
		s->n_iterations++;
		if (linear_lead_is_due(s)) {
			give_back(d);
			if (linear_lead_offer(s, s->at.prox, err) < 0)
				return -1;
		}
		d->bound = d->longest;
		e->recent += d->largest;
		slow = is_slow(&e->recent, &e->before, e->n) && s->task.o->epochs == 0;
		/* all rows were met and none violates, and neither do the constants by theta S */
		within = all && e->tolerance == last && d->largest <= last &&
			 fabs(d->theta * d->sum[0]) <= last && fabs(d->theta * d->sum[1]) <= last;
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
		if (d->largest <= e->tolerance) {
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
			s->at.centre_b[k] += d->theta / d->n_lanes * d->sum[k];
	}
	return 0;
}

static int descent_init(struct descent *d, struct error *err)
{
	const struct linear_task *t = &d->s->task;

	d->row = mem_aligned(t->n, sizeof(*d->row), err);
	d->active.list = mem_array(t->n, sizeof(*d->active.list), err);
	d->active.is = mem_array(t->n, sizeof(*d->active.is), err);
	d->segment = mem_array(int64_blocks(t->n, SEGMENT), sizeof(*d->segment), err);
	d->dealt = mem_array(t->n, sizeof(*d->dealt), err);
	d->lane = mem_aligned(LANES, sizeof(*d->lane), err);
	d->hard = mem_array(t->n / HARD_ROWS + 1, sizeof(*d->hard), err);
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t i = 0; i < t->n; i++) {
		d->sum[linear_side(t, i)] += d->s->at.beta[i];
		/* q of (2), the curvature of (1) along beta_i */
		d->row[i] =
			(struct descent_row){ .q = t->x.norm2[i] + d->theta + linear_softness(t, i),
					      .softness = linear_softness(t, i),
					      .beta = d->s->at.beta[i],
					      .target = t->row.target[i],
					      .lower = t->row.lower[i],
					      .upper = t->row.upper[i] };
	}
	d->bound = INFINITY;
	take_all(d);
	return 0;
}

int linear_descend(struct linear_run *s, int n_epochs, double *violation, struct error *err)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;
	struct descent d = { .s = s,
			     .n_lanes = 1,
			     .theta = fmin(1, t->mean_norm2),
			     .sum = { -t->sides.sum[0], -t->sides.sum[1] },
			     .two_sides = t->sides.n == 2 };
	int ret = -1;

	if (d.theta == 0) /* all rows are zero: nothing to descend */
		return 0;
	if (descent_init(&d, err) == 0) {
		/*
		 * beta and centre_b are in 'at', whether read from a checkpoint or made by
		 * linear_start()
		 */
		if (s->resumes) {
			d.largest = s->epochs.largest;
			d.bound = s->epochs.bound;
			memcpy(d.sum, s->epochs.sum, sizeof(d.sum));
		} else {
			s->epochs = (struct linear_epochs){ .tolerance = fmax(
								    FIRST_TOLERANCE * s->at.scale,
								    LAST_TOLERANCE * t->eps),
							    .before = INFINITY };
			linear_plain_sum(t, at->beta, at->w);
		}
		s->resumes = false;
		ret = run_epochs(&d, n_epochs, err);
		*violation = d.largest;
		give_back(&d);
	}
	mem_free_all(d.row, d.active.list, d.active.is, d.segment, d.dealt, d.lane, d.hard);
	linear_pack_free(&d.pack);
	return ret;
}
