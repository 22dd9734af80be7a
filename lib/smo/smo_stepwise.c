/*
 * smo_stepwise.c - LIBSVM's steps, for problems with many local optima
 *
 * Where the kernel is not definite each step decides which optimum is found, and an equally good
 * rule for steps finds another one: of 120 trainings (heart_scale and sonar, -t 3, -g .001 to 1, -r
 * -1 to 1, -c .1 to 1000) by smo.c's steps 17 ended in another optimum than svm-train, 10 of them
 * in a worse one.  By these steps, of 385 (23 data sets, regressions among them) none is worse.
 *
 * LIBSVM optimises variables alpha_k of 0 .. C_k with signs s_k:
 *
 *     classifiers, one-class  one for each example,            s = y,         beta = y alpha
 *     regressions             two for each, n and n after it,  s = +1 and -1, beta = alpha - alpha*
 *
 * With the slope v_k = -s_k times LIBSVM's gradient, raising s_k alpha_k gains v_k.  Products with
 * s_k are exact, so that v_k has the bits of the gradient.  Where all alpha are 0 it is
 *
 *     start_k = t_k, or t_k - epsilon and t_k + epsilon, t of problem.h                     (1)
 *
 * The machines of nu begin with other alpha, which give their sums to the first examples, and of
 * nu-SVR to both variables of each of these: start is not where their slopes begin.
 *
 * A step raises s_i alpha_i and lowers s_j alpha_j, chosen as in smo_loops.h with offsets of 0 or
 * infinity; for nu-SVC and nu-SVR both of one sign, each sign being a side of smo_sets.h, and of
 * the pairs of both sides the one that promises more.  What keeps the sum of s alpha is written as
 * LIBSVM writes it: the variable that meets its bound first gets it exactly, the other one what
 * alpha_i + alpha_j, or alpha_i - alpha_j, leaves for it                                    (2)
 *
 * Shrinking.  Every 1,000 steps, variables that are at a bound and that no violating pair could
 * have leave the active ones: they change places with the last active ones.  These places matter,
 * as of equal variables the last one is chosen.  Slopes of the others are not kept up.  They are
 * made anew, when the active ones are optimal, from
 *
 *     bar_k = sum of s_j C_j K_jk over variables j at their upper bound                     (3)
 *     v_k = start_k - bar_k - sum of s_j alpha_j K_jk over the free j                       (4)
 *
 * Kernel rows in the cache have the order of examples.  The first step after variables have changed
 * places, or any in a regression, takes copies in the order of places, as long as they are needed:
 * struct placed_rows.
 *
 * Not for speed, but for svm-train's optimum: the figures above are what it is kept for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_sets.h"

#include "problem/fixed_sums.h"

/*
 * Steps between two looks at whether an end is asked for, as smo_run() takes; fewer of so many
 * examples that their kernel rows have more values, a fraction of a second's.
 */
#define INTERRUPTION_STEPS 1024
#define INTERRUPTION_VALUES (1 << 24)

/*
 * Steps between two shrinkings; and the violation, in eps, below which all variables return once.
 */
#define SHRINKING_STEPS 1000
#define RETURN_TOLERANCE 10

/*
 * Bytes of copies of rows, as many as rows of SMO_WHOLE_ROWS members take; least number of copies,
 * which are used at first; and number of copies added when a row is copied again.
 */
#define PLACED_BYTES (64 << 20)
#define LEAST_PLACED 64
#define PLACED_A_MISS 4

/* Copies of kernel rows in the order of places; the oldest copy is given up first. */
struct placed_rows {
	bool in_order; /* places are examples, so that rows need no copy */
	/* number of copies that there is room for; number of the copy given up next */
	int64_t n, next;
	int64_t n_open;	  /* number of copies that are used: memory follows the need */
	float *value;	  /* copies of rows, [n][stride] */
	int64_t *length;  /* number of places that each of the n copies has */
	int64_t *owner;	  /* example of each of the n copies, or -1 */
	int64_t *slot_of; /* copy of each example, or NEVER or GIVEN_UP */
	int64_t last;	  /* number of the copy given out last */
};

/* In slot_of: an example without a copy, since places have changed or since it had one. */
#define NEVER (-1)
#define GIVEN_UP (-2)

struct stepper {
	struct smo *s;
	/*
	 * variables by place: set.beta is alpha, set.upper C and set.member the example; set.n are
	 * active
	 */
	struct smo_set set;
	int64_t n, stride; /* number of variables; number with padding */
	/* sign s_k, start_k of (1) and bar_k of (3) of the variable at each place */
	double *sign, *start, *bar;
	struct placed_rows rows;
	double eps;
	bool returned; /* variables have all been active again near the end */
};

static int allocate(struct stepper *t, struct error *err)
{
	struct placed_rows *rows = &t->rows;
	int64_t n = t->stride, n_examples = t->s->p->n;

	rows->n = PLACED_BYTES / (n * (int64_t)sizeof(float));
	rows->n = int64_max(LEAST_PLACED, int64_min(rows->n, n_examples));
	rows->n_open = LEAST_PLACED;
	smo_set_room(&t->set, t->s->all.n_sides, n, n, err);
	t->sign = mem_zeroed(n, sizeof(double), err);
	t->start = mem_zeroed(n, sizeof(double), err);
	t->bar = mem_aligned(n, sizeof(double), err);
	rows->value = mem_large(rows->n * n, sizeof(float), err);
	rows->length = mem_zeroed(rows->n, sizeof(int64_t), err);
	rows->owner = mem_array(rows->n, sizeof(int64_t), err);
	rows->slot_of = mem_array(n_examples, sizeof(int64_t), err);
	return err->code == ERR_NONE ? 0 : -1;
}

/* ---- variables ---- */

static bool at_upper(const struct stepper *t, int64_t k)
{
	return t->set.beta[k] >= t->set.upper[k];
}

static bool at_lower(const struct stepper *t, int64_t k)
{
	return t->set.beta[k] <= 0;
}

/* The side that the variable is on: the only one, or that of its sign. */
static int side_of(const struct stepper *t, int64_t k)
{
	return t->set.n_sides > 1 && t->sign[k] < 0 ? SMO_MINUS : SMO_PLUS;
}

/* A variable that is not active, or not on a side, can move neither way there. */
static void set_offsets(struct stepper *t, int64_t k, bool active)
{
	bool up = active && (t->sign[k] > 0 ? !at_upper(t, k) : !at_lower(t, k));
	bool down = active && (t->sign[k] > 0 ? !at_lower(t, k) : !at_upper(t, k));

	for (int side = 0; side < t->set.n_sides; side++) {
		const struct smo_arrays a = smo_side(&t->set, side);
		bool here = side == side_of(t, k);

		a.up_offset[k] = here && up ? 0 : -INFINITY;
		a.down_offset[k] = here && down ? 0 : INFINITY;
	}
}

/* Make the first n variables active.  Others are never chosen, as the padding is not. */
static void activate(struct stepper *t, int64_t n)
{
	for (int64_t k = 0; k < t->stride; k++)
		set_offsets(t, k, k < n);
	t->set.n = n;
	t->set.a.n = int64_round_up(n, SMO_LANES);
}

/* Set the variable k of an example, with its sign and its start of (1). */
static void set_variable(struct stepper *t, int64_t k, int64_t example, double sign)
{
	const struct problem_view *p = t->s->p;

	t->set.member[k] = example;
	t->set.upper[k] = problem_c(p, example);
	t->sign[k] = sign;
	/* only epsilon-SVR has a cost above 0 */
	t->start[k] = problem_linear(p, example) - sign * problem_cost(p);
	t->set.a.slope[k] = t->start[k];
	t->set.a.double_diagonal[k] = problem_diagonal(p, example);
	t->set.a.diagonal[k] = (float)t->set.a.double_diagonal[k];
}

static void forget_placed(struct placed_rows *rows, int64_t n_examples)
{
	for (int64_t i = 0; i < n_examples; i++)
		rows->slot_of[i] = NEVER;
	for (int64_t i = 0; i < rows->n; i++)
		rows->owner[i] = -1;
	rows->next = 0;
	rows->last = -1;
}

static int stepper_init(struct stepper *t, struct smo *s, double eps, struct error *err)
{
	const struct problem_view *p = s->p;
	bool twice = machine_is_regression(p->type);

	*t = (struct stepper){ .s = s, .n = twice ? 2 * p->n : p->n, .eps = eps };
	t->stride = int64_round_up(t->n, SMO_LANES);
	t->rows.in_order = !twice;
	if (allocate(t, err) < 0)
		return -1;
	t->set.a.exact = true;
	for (int64_t k = 0; k < t->n; k++) {
		int64_t i = k < p->n ? k : k - p->n;

		set_variable(t, k, i, twice ? (k < p->n ? 1 : -1) : p->target[i]);
	}
	forget_placed(&t->rows, p->n);
	activate(t, t->n);
	return 0;
}

/* ---- kernel rows ---- */

/* The number of a copy to be made; never the copy that a caller still has. */
static int64_t next_placed(struct placed_rows *rows, int64_t example)
{
	int64_t slot;

	/* a copy wanted again was given up too soon: more copies are opened */
	if (rows->slot_of[example] == GIVEN_UP)
		rows->n_open = int64_min(rows->n_open + PLACED_A_MISS, rows->n);
	/* the copy given out last may be in use as the row of i: the one after it is taken */
	slot = rows->next == rows->last ? rows->next + 1 : rows->next;
	slot = slot % rows->n_open;
	rows->next = (slot + 1) % rows->n_open;
	if (rows->owner[slot] >= 0)
		rows->slot_of[rows->owner[slot]] = GIVEN_UP;
	rows->owner[slot] = example;
	rows->slot_of[example] = slot;
	rows->length[slot] = 0;
	return slot;
}

/* The row of the variable at a place, over 'length' places; valid until the call after the next. */
static const float *row_at(struct stepper *t, int64_t place, int64_t length,
			   const struct smo_extremes *x, struct error *err)
{
	struct placed_rows *rows = &t->rows;
	int64_t example = t->set.member[place], slot = rows->slot_of[example];
	const float *row;
	float *copy;

	/* places are still examples, so that the cached row serves without a copy */
	if (rows->in_order)
		return smo_row_of(t->s, &t->set, place, x, err);
	/* a copy over the active places alone is extended when all places are wanted */
	if (slot < 0 || rows->length[slot] < length) {
		row = smo_row_of(t->s, &t->set, place, x, err);
		if (!row)
			return NULL;
		if (slot < 0)
			slot = next_placed(rows, example);
		copy = rows->value + slot * t->stride;
		for (int64_t k = rows->length[slot]; k < length; k++)
			copy[k] = row[t->set.member[k]];
		rows->length[slot] = length;
	}
	rows->last = slot;
	return rows->value + slot * t->stride;
}

/* sum_k -= change K_ik from place 'first' on, a multiple of SMO_LANES */
static void subtract_row(const struct stepper *t, double *sum, double change, const float *row,
			 int64_t first)
{
	const struct smo_arrays *a = &t->set.a;
	struct smo_arrays part = { .n = t->stride - first,
				   .slope = sum + first,
				   .up_offset = a->up_offset + first,
				   .down_offset = a->down_offset + first };

	smo_step(&part, change, row + first, 0, a->diagonal + first, &(struct smo_extremes){ 0 });
}

/* ---- shrinking ---- */

/* Make all slopes anew, (4); all variables are active then. */
static int make_slopes(struct stepper *t, const struct smo_extremes *x, struct error *err)
{
	int64_t n_active = t->set.n, first = n_active - n_active % SMO_LANES;
	double *slope = t->set.a.slope, kept[SMO_LANES];
	size_t n_kept = (size_t)(n_active - first) * sizeof(double);

	if (n_active == t->n)
		return 0;
	/*
	 * subtract_row() begins at a whole group of lanes: the slopes of active variables in this
	 * group are put back afterwards
	 */
	memcpy(kept, slope + first, n_kept);
	for (int64_t k = n_active; k < t->n; k++)
		/*
		 * the terms of (4) without free variables: start, and bar for those at their upper
		 * bound
		 */
		slope[k] = t->start[k] - t->bar[k];
	for (int64_t j = 0; j < n_active; j++) {
		const float *row;

		/*
		 * the sum of (4) is over free variables: bar has those at C, and alpha = 0 adds no
		 * term
		 */
		if (at_upper(t, j) || at_lower(t, j))
			continue;
		row = row_at(t, j, t->stride, x, err);
		if (!row)
			return -1;
		subtract_row(t, slope, t->sign[j] * t->set.beta[j], row, first);
	}
	memcpy(slope + first, kept, n_kept);
	activate(t, t->n);
	return 0;
}

static void swap_places(struct stepper *t, int64_t i, int64_t j)
{
	struct smo_arrays *a = &t->set.a;
	int64_t member = t->set.member[i];
	float diagonal = a->diagonal[i];
	double *const array[] = { a->slope, a->double_diagonal, t->set.beta, t->set.upper,
				  t->sign,  t->start,		t->bar };

	for (int k = 0; k < (int)(sizeof(array) / sizeof(*array)); k++) {
		double kept = array[k][i];

		array[k][i] = array[k][j];
		array[k][j] = kept;
	}
	a->diagonal[i] = a->diagonal[j];
	a->diagonal[j] = diagonal;
	t->set.member[i] = t->set.member[j];
	t->set.member[j] = member;
	set_offsets(t, i, true);
	set_offsets(t, j, true);
}

/* Is the variable at a bound, and farther inside it than any that could be its partner? */
static bool may_leave(const struct stepper *t, int64_t k, const struct smo_extremes *x)
{
	const int side = side_of(t, k);
	const struct smo_arrays a = smo_side(&t->set, side);

	return (a.up_offset[k] < 0 && a.slope[k] > x[side].up) ||
	       (a.down_offset[k] > 0 && a.slope[k] < x[side].down);
}

/* Move variables that may leave behind the active ones, in exchange with the last that may not. */
static int shrink(struct stepper *t, const struct smo_extremes *x, struct error *err)
{
	int64_t n;
	bool swapped = false;

	/* close to the end all variables return once, in case some have left too early */
	if (!t->returned && smo_violation(&t->set, x) <= RETURN_TOLERANCE * t->eps) {
		t->returned = true;
		if (make_slopes(t, x, err) < 0)
			return -1;
	}
	n = t->set.n;
	for (int64_t k = 0; k < n; k++) {
		if (!may_leave(t, k, x))
			continue;
		/* the last active variable that may not leave takes the place of variable k */
		for (n--; n > k && may_leave(t, n, x); n--)
			;
		if (n <= k)
			continue;
		swap_places(t, k, n);
		swapped = true;
	}
	/* copies of rows are in the order of places, which has changed */
	if (swapped) {
		t->rows.in_order = false;
		forget_placed(&t->rows, t->s->p->n);
	}
	if (n < t->set.n)
		activate(t, n);
	return 0;
}

/* ---- steps ---- */

/* Move the pair by (2): raise s_i alpha_i and lower s_j alpha_j by t, as far as bounds let them */
static void move_variables(struct stepper *s, int64_t i, int64_t j, double t)
{
	bool same = s->sign[i] == s->sign[j], rises = s->sign[i] > 0, i_first;
	double c_i = s->set.upper[i], c_j = s->set.upper[j];
	double *a = s->set.beta, conserved = same ? a[i] + a[j] : a[i] - a[j];
	double goal_i = rises ? c_i : 0, goal_j = s->sign[j] > 0 ? 0 : c_j;

	a[i] += s->sign[i] * t;
	a[j] -= s->sign[j] * t;
	if (same)
		i_first = rises ? conserved > c_i : !(conserved > c_j);
	else
		i_first = rises ? conserved > c_i - c_j : !(conserved > 0);
	/*
	 * (2): the first variable at its bound gets the bound exactly, the other one the rest of
	 * the conserved sum
	 */
	if (i_first && (rises ? a[i] > goal_i : a[i] < goal_i)) {
		a[i] = goal_i;
		a[j] = same ? conserved - goal_i : goal_i - conserved;
	} else if (!i_first && (s->sign[j] > 0 ? a[j] < goal_j : a[j] > goal_j)) {
		a[j] = goal_j;
		a[i] = same ? conserved - goal_j : goal_j + conserved;
	}
}

/* Update bar of (3), where the variable has come to its upper bound or left it */
static int update_bar(struct stepper *t, int64_t k, bool was_at_upper, const struct smo_extremes *x,
		      struct error *err)
{
	double c = t->sign[k] * t->set.upper[k];
	const float *row;

	if (at_upper(t, k) == was_at_upper)
		return 0;
	/* over all places, as (4) needs bar of the variables that have left */
	row = row_at(t, k, t->stride, x, err);
	if (!row)
		return -1;
	subtract_row(t, t->bar, was_at_upper ? c : -c, row, 0);
	return 0;
}

/* LIBSVM takes a tiny curvature in place of one that is not positive. */
static double curvature_of(const struct smo_arrays *a, int64_t i, int64_t j, const float *row_i)
{
	double curvature = a->double_diagonal[i] + a->double_diagonal[j] - 2 * (double)row_i[j];

	return curvature > 0 ? curvature : SMO_MIN_CURVATURE;
}

/* A step of the pair; '*x' gets the extremes after it. 1 where neither alpha moves. */
static int take_step(struct stepper *t, int64_t i, int64_t j, struct smo_extremes *x,
		     struct error *err)
{
	struct smo_arrays *a = &t->set.a;
	const float *row_i = row_at(t, i, a->n, x, err);
	const float *row_j = row_i ? row_at(t, j, a->n, x, err) : NULL;
	bool upper_i = at_upper(t, i), upper_j = at_upper(t, j);
	double old_i = t->set.beta[i], old_j = t->set.beta[j];

	if (!row_j)
		return -1;
	move_variables(t, i, j, (a->slope[i] - a->slope[j]) / curvature_of(a, i, j, row_i));
	set_offsets(t, i, true);
	set_offsets(t, j, true);
	/* slopes follow the alpha as they were set, not t: bounds may have cut the step */
	smo_move(&t->set,
		 (const double[2]){ t->sign[i] * (t->set.beta[i] - old_i),
				    t->sign[j] * (t->set.beta[j] - old_j) },
		 (const void *const[2]){ row_i, row_j }, x);
	if (update_bar(t, i, upper_i, x, err) < 0 || update_bar(t, j, upper_j, x, err) < 0)
		return -1;
	return t->set.beta[i] == old_i && t->set.beta[j] == old_j;
}

/* A pair, and what its step promises. */
struct choice {
	int64_t i, j; /* j is -1 where there is no pair */
	double promise;
};

/* The pair of a side that promises most. */
static int choose_on_side(struct stepper *t, int side, const struct smo_extremes *x,
			  struct choice *c, struct error *err)
{
	const struct smo_arrays a = smo_side(&t->set, side);
	const float *row_i;
	double gap;

	*c = (struct choice){ .i = x[side].up_index, .j = -1 };
	/* no variable of the side can be raised, or none lowered */
	if (!(x[side].up - x[side].down > 0) || isinf(x[side].up) || isinf(x[side].down))
		return 0;
	row_i = row_at(t, c->i, a.n, x, err);
	if (!row_i)
		return -1;
	c->j = smo_choose_partner(&a, c->i, x[side].up, row_i);
	if (c->j < 0)
		return 0;
	gap = a.slope[c->i] - a.slope[c->j];
	c->promise = gap * gap / curvature_of(&a, c->i, c->j, row_i);
	return 0;
}

/*
 * A step of the pair that promises most; 1 where the active variables are optimal, or where the
 * pair moves neither alpha: so would all further steps.
 */
static int try_step(struct stepper *t, struct smo_extremes *x, struct error *err)
{
	struct choice best = { .j = -1 }, other;

	/* LIBSVM's test of the end, negated so that NAN ends the steps as well */
	if (!(smo_violation(&t->set, x) >= t->eps))
		return 1;
	for (int side = 0; side < t->set.n_sides; side++) {
		if (choose_on_side(t, side, x, &other, err) < 0)
			return -1;
		/* of equal ones the partner in the last place, as on a side */
		if (best.j < 0 ||
		    (other.j >= 0 && (other.promise > best.promise ||
				      (other.promise == best.promise && other.j > best.j))))
			best = other;
	}
	return best.j < 0 ? 1 : take_step(t, best.i, best.j, x, err);
}

static bool interrupted(const struct smo *s, int64_t n_steps)
{
	const int64_t some =
		int64_clamp(INTERRUPTION_VALUES / (s->p->n + 1), 1, INTERRUPTION_STEPS);

	return n_steps > 0 && (n_steps % some == 0 || s->source.source->is_slow) &&
	       interruption_requested(s->interruption);
}

/* The machines of nu: alpha with their sums, in LIBSVM's manner, before the first step. */
static void spread_sums(struct stepper *t)
{
	const struct problem_view *p = t->s->p;
	double left = p->sum_plus;

	if (p->type != MACHINE_NU_SVR) {
		fixed_sums_start(p, NULL, 1, t->set.beta);
		for (int64_t k = 0; k < t->n; k++)
			t->set.beta[k] = fabs(t->set.beta[k]);
		return;
	}
	for (int64_t k = 0; k < p->n; k++) {
		t->set.beta[k] = t->set.beta[k + p->n] = fmin(left, t->set.upper[k]);
		left -= t->set.beta[k];
	}
}

/* Alpha, slopes and bar before the first step. */
static int begin(struct stepper *t, const struct smo_extremes *x, struct error *err)
{
	if (!problem_fixes_sums(t->s->p))
		return 0;
	spread_sums(t);
	for (int64_t k = 0; k < t->n; k++) {
		const float *row;

		if (at_lower(t, k))
			continue;
		row = row_at(t, k, t->stride, x, err);
		if (!row)
			return -1;
		subtract_row(t, t->set.a.slope, t->sign[k] * t->set.beta[k], row, 0);
		if (at_upper(t, k))
			subtract_row(t, t->bar, -t->sign[k] * t->set.upper[k], row, 0);
	}
	activate(t, t->n);
	return 0;
}

static int take_steps(struct stepper *t, int64_t limit, int64_t *n_steps, struct error *err)
{
	int64_t period = int64_min(t->n, SHRINKING_STEPS), left = period + 1;
	struct smo_extremes x[SMO_SIDES];
	int optimal = 0;

	smo_find_extremes(&t->set, x);
	if (begin(t, x, err) < 0)
		return -1;
	smo_find_extremes(&t->set, x);
	for (; *n_steps < limit && !interrupted(t->s, *n_steps); ++*n_steps) {
		if (--left == 0) {
			left = period;
			if (shrink(t, x, err) < 0)
				return -1;
			smo_find_extremes(&t->set, x);
		}
		optimal = try_step(t, x, err);
		if (optimal > 0 && t->set.n < t->n) {
			if (make_slopes(t, x, err) < 0)
				return -1;
			smo_find_extremes(&t->set, x);
			optimal = try_step(t, x, err);
			left = 1;
		}
		if (optimal)
			break;
	}
	return optimal < 0 ? -1 : make_slopes(t, x, err);
}

int smo_stepwise(struct smo *s, double eps, int64_t limit, struct iterate *at, int64_t *n_steps,
		 struct error *err)
{
	const struct problem_view *p = s->p;
	struct stepper t;
	int ret = -1;

	*n_steps = 0;
	if (stepper_init(&t, s, eps, err) == 0)
		ret = take_steps(&t, limit, n_steps, err);
	if (ret == 0)
		memset(at->beta, 0, (size_t)p->n * sizeof(*at->beta));
	for (int64_t k = 0; ret == 0 && k < t.n; k++) {
		int64_t i = t.set.member[k];

		at->beta[i] += t.sign[k] * t.set.beta[k];
		/*
		 * decision value from either variable of the example, by (1): both give the same f
		 */
		at->f[i] = problem_linear(p, i) - t.sign[k] * problem_cost(p) - t.set.a.slope[k];
	}
	smo_set_free(&t.set);
	mem_free_all(t.sign, t.start, t.bar, t.rows.value, t.rows.length, t.rows.owner,
		     t.rows.slot_of);
	return ret;
}
