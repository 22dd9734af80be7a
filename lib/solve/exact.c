/*
 * exact.c - the optimum of a whole problem, by nested random subsets and working sets
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "solve/decision.h"
#include "solve/gap.h"
#include "solve/smo.h"

/* Measured on the rows of bench/train; none of these changes what is found, only how soon. */
#define SMALLEST_SUBSET 2000
#define SUBSET_GROWTH 4
#define SUBSET_TOLERANCE 0.01	/* of subsets, whose solutions only predict */
#define SUBSET_STEPS 50		/* per member: a subset is not worth more */
#define FIRST_TOLERANCE 0.3	/* the first of the tolerances that narrow the working set */
#define TOLERANCE_STEP 0.1
#define KEPT_TOLERANCES 3	/* members this many tolerances from violating stay */
#define FIRST_NOISE 1.0		/* how far predictions are off, before it is known */
#define NOISE_OUTSIDE 0.3	/* working set: so many times that outside the margin */
#define NOISE_INSIDE 2.0	/* and inside */
#define REACH 2.0		/* look again at those within this many times the movement */
#define FEW_VIOLATORS 0.01	/* share of the working set that can wait for the next tolerance */
#define CHANGED_SHARE 0.5	/* above it decision values are computed from scratch */
#define IMPROVING_STEPS 1000000	/* from what another solver left, besides one per example */
#define MOST_LEVELS 32
#define MEMBERS_SHARE 0.4	/* of the tolerance: a half for all, and what rounding needs */
#define MOST_STALLS 3

/* Wanted besides the tolerance, where it takes no more steps than there were before. */
#define WANTED_GAP 1e-3
#define LEAST_TOLERANCE 1e-3	/* times the one asked for */

/* A solution without violators, kept while it is made nearer to the optimum. */
struct optimum {
	bool known;
	double *beta, *f, rho;
	struct certificate certificate;
};

/* One run; examples are positions within the problem, 0 .. p->n - 1. */
struct run {
	const struct problem_view *p;
	const struct randsvm_options *o;
	const struct interruption *interruption;
	const struct randsvm_observer *observer;
	struct smo smo;
	int n_levels, level;	/* the level is the subset's number */
	int64_t subset_size[MOST_LEVELS];
	uint8_t *first_level;	/* by example: the first subset it is in */
	double scale;		/* of C in this subset: what an example stands for */
	bool *is_working;
	int64_t *list;		/* room for p->n examples */
	double *beta;
	double *f;		/* decision values as last known */
	double *seen;		/* 'moved' at the time of f */
	double moved;		/* how far decision values have moved, all in all */
	double noise;		/* how far predictions were off, last time */
	double *proved_f, *proved_beta, *change;	/* at the last evaluation of all */
	double tolerance, last;	/* of the next optimisation, and of the last one planned */
	int64_t most_steps, steps_left;	/* on the whole set */
	bool predicts;		/* solutions of subsets predict multipliers too */
	bool gave_up;
	bool settled;		/* the last tolerance planned was reached */
	struct optimum optimum;
	int64_t n_joined;	/* violators found by proving that were no members */
	int n_proofs, n_stalls;
	struct randsvm_round round;
	struct randsvm_result *result;
};

static int run_init(struct run *s, const struct solver *solver, struct error *err)
{
	int64_t n = s->p->n;

	s->first_level = mem_zeroed(n, sizeof(uint8_t), err);
	s->is_working = mem_zeroed(n, sizeof(bool), err);
	s->list = mem_array(n, sizeof(int64_t), err);
	s->seen = mem_zeroed(n, sizeof(double), err);
	s->proved_f = mem_zeroed(n, sizeof(double), err);
	s->proved_beta = mem_zeroed(n, sizeof(double), err);
	s->change = mem_array(n, sizeof(double), err);
	s->optimum.beta = mem_array(n, sizeof(double), err);
	s->optimum.f = mem_array(n, sizeof(double), err);
	if (err->code != ERR_NONE)
		return -1;
	return smo_init(&s->smo, s->p, solver->cache_mb, s->o->n_threads, s->interruption, err);
}

static void run_free(struct run *s)
{
	free(s->first_level);
	free(s->is_working);
	free(s->list);
	free(s->seen);
	free(s->proved_f);
	free(s->proved_beta);
	free(s->change);
	free(s->optimum.beta);
	free(s->optimum.f);
	smo_free(&s->smo);
}

/* ---- subsets ---- */

static void size_subsets(struct run *s)
{
	int64_t n = s->p->n;
	double size = (double)randsvm_sample_size(s->o, n);

	while (size * 2 < (double)n && s->n_levels < MOST_LEVELS - 1) {
		s->subset_size[s->n_levels++] = (int64_t)size;
		size *= SUBSET_GROWTH;
	}
	s->subset_size[s->n_levels++] = n;
}

/* A smallest subset without one of the classes gets a tenth of its size of that class. */
static int add_missing_class(struct run *s, bool plus, struct error *err)
{
	int64_t n = 0, m = (s->subset_size[0] + 9) / 10;

	for (int64_t i = 0; i < s->p->n; i++)
		if ((s->p->target[i] > 0) == plus) {
			if (s->first_level[i] == 0)
				return 0;
			s->list[n++] = i;
		}
	if (m > n)
		m = n;
	if (rng_subset(s->o->seed, RNG_FIRST_SAMPLE, 0, s->list, n, m, err) < 0)
		return -1;
	for (int64_t k = 0; k < m; k++)
		s->first_level[s->list[k]] = 0;
	return 0;
}

static int draw_subsets(struct run *s, struct error *err)
{
	size_subsets(s);
	for (int64_t i = 0; i < s->p->n; i++)
		s->list[i] = i;
	for (int l = s->n_levels - 1; l > 0; l--) {
		if (rng_subset(s->o->seed, RNG_FIRST_SAMPLE, 0, s->list, s->subset_size[l],
			       s->subset_size[l - 1], err) < 0)
			return -1;
		for (int64_t k = s->subset_size[l - 1]; k < s->subset_size[l]; k++)
			s->first_level[s->list[k]] = (uint8_t)l;
	}
	if (s->p->type == MACHINE_C_SVC && (add_missing_class(s, false, err) < 0 ||
					    add_missing_class(s, true, err) < 0))
		return -1;
	return 0;
}

static bool in_subset(const struct run *s, int64_t i)
{
	return s->first_level[i] <= s->level;
}

static bool at_top(const struct run *s)
{
	return s->level == s->n_levels - 1;
}

/* ---- examples ---- */

/* The largest |beta_i| in this subset. */
static double bound(const struct run *s, int64_t i)
{
	bool plus = s->p->type == MACHINE_EPSILON_SVR || s->p->target[i] > 0;

	return s->scale * (plus ? s->p->c_plus : s->p->c_minus);
}

static bool is_free(const struct run *s, int64_t i)
{
	return s->beta[i] != 0 && fabs(s->beta[i]) < bound(s, i);
}

/* How much example i lacks to have a loss; negative where it has one. */
static double slack(const struct run *s, int64_t i)
{
	double f_plus_b = s->f[i] - s->result->rho, target = s->p->target[i];

	if (s->p->type == MACHINE_C_SVC)
		return target * f_plus_b - 1;
	return s->p->epsilon - fabs(target - f_plus_b);
}

/* How much it lacks to want to leave its bound, 0 or C. */
static double safety(const struct run *s, int64_t i)
{
	return s->beta[i] != 0 ? -slack(s, i) : slack(s, i);
}

static struct problem_view scaled_problem(const struct run *s)
{
	struct problem_view p = *s->p;

	p.c_plus *= s->scale;
	p.c_minus *= s->scale;
	return p;
}

/* ---- evaluating ---- */

/* Decision values of the n examples listed. */
static int evaluate(struct run *s, int64_t n, struct error *err)
{
	struct decision d;
	int ret;

	if (n == 0)
		return 0;
	if (decision_init(&d, s->p, s->beta, s->o->eps, err) < 0)
		return -1;
	ret = decision_evaluate(&d, s->list, n, s->f, s->o->n_threads, err);
	decision_free(&d);
	for (int64_t k = 0; k < n; k++)
		s->seen[s->list[k]] = s->moved;
	return ret;
}

/* Evaluate who is within reach of violating; violators join.  Their number, or -1. */
static int64_t look_near(struct run *s, double tolerance, struct error *err)
{
	struct problem_view p = scaled_problem(s);
	int64_t n = 0, n_violators = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (in_subset(s, i) && !s->is_working[i] &&
		    safety(s, i) < REACH * (s->moved - s->seen[i]))
			s->list[n++] = i;
	if (evaluate(s, n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = s->list[k];

		if (gap_row_violates(&p, i, s->beta[i], s->f[i] - s->result->rho, tolerance)) {
			s->is_working[i] = true;
			n_violators++;
		}
	}
	return n_violators;
}

/* ---- solving ---- */

/*
 * Optimise the working set.  Movement is measured on its members, from 'before', which has
 * their decision values with the constant.
 */
static int optimise(struct run *s, double tolerance, const double *before, struct error *err)
{
	int64_t n, limit = s->steps_left, n_steps = 0;
	double sum = 0;
	int solved;

	if (smo_set_members(&s->smo, s->is_working, err) < 0)
		return -1;
	n = s->smo.rows.n;
	if (!at_top(s) && limit > SUBSET_STEPS * n)
		limit = SUBSET_STEPS * n;
	solved = smo_run(&s->smo, s->scale, tolerance, limit, s->beta, s->f, &s->result->rho,
			 &n_steps, err);
	if (solved < 0)
		return -1;
	if (!isfinite(s->result->rho))
		return error_set(err, ERR_NUMERIC, "no finite solution: %s",
				 s->p->c_plus == 0 || s->p->c_minus == 0 ?
					 "a class has weight 0" : "the kernel overflows");
	s->result->n_iterations += n_steps;
	if (at_top(s))
		s->steps_left -= n_steps;
	s->gave_up = solved > 0;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = s->smo.rows.example[k];

		sum += fabs(s->f[i] - s->result->rho - before[i]);
	}
	/* from the mean to a standard deviation, were it normal */
	s->moved += 1.25 * sum / (double)(n > 0 ? n : 1);
	for (int64_t k = 0; k < n; k++)
		s->seen[s->smo.rows.example[k]] = s->moved;
	return 0;
}

/* Members far from violating become constants. */
static void narrow(struct run *s, double distance)
{
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i] && !is_free(s, i) && safety(s, i) > distance)
			s->is_working[i] = false;
}

/*
 * From predictions ('before', decision values with the constant) to the optimum of the
 * subset, as far as looking near can tell, by tolerances from s->tolerance down to s->last.
 * Where 'pause', returns after each of them.
 */
static int settle(struct run *s, bool pause, double *before, struct error *err)
{
	for (;;) {
		double tolerance = fmax(s->tolerance, s->last), start = s->moved;
		int64_t n_violators, few;

		s->settled = false;
		if (optimise(s, tolerance, before, err) < 0)
			return -1;
		if (interruption_requested(s->interruption))
			return 0;	/* what is near will be looked at with all the others */
		if (s->noise < 0)
			s->noise = s->moved - start;
		n_violators = look_near(s, tolerance, err);
		if (n_violators < 0)
			return -1;
		for (int64_t i = 0; i < s->p->n; i++)
			before[i] = s->f[i] - s->result->rho;
		few = tolerance > s->last ? (int64_t)(FEW_VIOLATORS * (double)s->smo.rows.n) : 0;
		s->settled = n_violators == 0 && tolerance <= s->last;
		if (s->settled || s->gave_up)
			return 0;
		if (n_violators > few)
			continue;
		narrow(s, KEPT_TOLERANCES * tolerance);
		s->tolerance = tolerance * TOLERANCE_STEP;
		if (pause)
			return 0;
	}
}

/* ---- from subset to subset ---- */

/* An example and what it is sorted by, the largest first. */
struct ranked {
	double key;
	int64_t i;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* The sign beta_i would have. */
static bool is_positive(const struct run *s, int64_t i)
{
	return s->p->target[i] > (s->p->type == MACHINE_C_SVC ? 0 : s->f[i] - s->result->rho);
}

/* Multipliers of the subset before, scaled; returns the sum of those of one sign at their bound. */
static double scale_multipliers(struct run *s, double scale_before)
{
	double shrinks = s->scale / scale_before, sum = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = bound(s, i);

		if (s->first_level[i] >= s->level)
			continue;
		s->beta[i] = fabs(s->beta[i]) >= c / shrinks * (1 - DBL_EPSILON) ?
				     copysign(c, s->beta[i]) : s->beta[i] * shrinks;
		if (s->beta[i] >= c)
			sum += s->beta[i];
	}
	return sum;
}

/*
 * Where multipliers start in a larger subset: new examples are to have as much, of each
 * sign, as there were before for their number; those furthest beyond the margin have it.
 */
static int guess_multipliers(struct run *s, double scale_before, struct error *err)
{
	double before = (double)s->subset_size[s->level - 1];
	double wanted = scale_multipliers(s, scale_before) *
			((double)s->subset_size[s->level] - before) / before;
	struct ranked *list = mem_array(s->p->n, sizeof(*list), err);

	if (!list)
		return -1;
	for (int positive = 0; positive <= 1; positive++) {
		double sum = 0;
		int64_t n = 0;

		for (int64_t i = 0; i < s->p->n; i++)
			if (s->first_level[i] == s->level && is_positive(s, i) == positive &&
			    slack(s, i) < FIRST_NOISE)
				list[n++] = (struct ranked){ -slack(s, i), i };
		qsort(list, (size_t)n, sizeof(*list), compare_ranked);
		for (int64_t k = 0; k < n && sum < wanted; k++) {
			double c = bound(s, list[k].i);

			s->beta[list[k].i] = positive ? c : -c;
			sum += c;
		}
	}
	free(list);
	return 0;
}

/* Make sum beta = 0: take from those of the surplus sign, the least certain first. */
static int balance(struct run *s, struct error *err)
{
	struct ranked *list = mem_array(s->p->n, sizeof(*list), err);
	double sum = 0;
	int64_t n = 0;

	if (!list)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		sum += s->beta[i];
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->beta[i] * sum > 0) {
			double key = s->first_level[i] < s->level ? -DBL_MAX : slack(s, i);

			list[n++] = (struct ranked){ key, i };
		}
	qsort(list, (size_t)n, sizeof(*list), compare_ranked);
	for (int64_t k = 0; k < n && sum != 0; k++) {
		double *beta = &s->beta[list[k].i];
		double taken = fabs(*beta) <= fabs(sum) ? *beta : sum;

		*beta -= taken;
		sum -= taken;
	}
	free(list);
	return 0;
}

/*
 * The working set: whoever is free, and who is predicted near the margin; of those with
 * multiplier 0 as many as there are others, the nearest.
 */
static int choose_working_set(struct run *s, double noise, struct error *err)
{
	struct ranked *outside = mem_array(s->p->n, sizeof(*outside), err);
	int64_t n = 0, n_outside = 0, room;

	if (!outside)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++) {
		double distance = slack(s, i);

		s->is_working[i] = in_subset(s, i) && s->beta[i] != 0 &&
				   (is_free(s, i) || distance > -NOISE_INSIDE * noise || !s->predicts);
		n += in_subset(s, i) && s->beta[i] != 0;
		if (in_subset(s, i) && s->beta[i] == 0 && distance < NOISE_OUTSIDE * noise)
			outside[n_outside++] = (struct ranked){ -distance, i };
	}
	room = n + SMALLEST_SUBSET;
	if (n_outside > room)
		qsort(outside, (size_t)n_outside, sizeof(*outside), compare_ranked);
	for (int64_t k = 0; k < n_outside && k < room; k++)
		s->is_working[outside[k].i] = true;
	free(outside);
	return 0;
}

/* List the examples new in this subset; their number. */
static int64_t list_new(struct run *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->first_level[i] == s->level)
			s->list[n++] = i;
	return n;
}

static int64_t list_working(struct run *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i])
			s->list[n++] = i;
	return n;
}

/* ---- precision ---- */

/*
 * Are kernel values, single precision at last in a row's cache, good enough to start from
 * predicted multipliers?  Where what one multiplier may add to a decision value has an error beyond the
 * tolerance, the optimisation chases the rounding errors of multipliers it was given.
 */
static bool predictions_serve(const struct problem_view *p, double eps)
{
	double largest = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double norm2 = p->kernel.type == KERNEL_RBF ? 0 : csr_row_norm2(p->x, p->row[i]);

		largest = fmax(largest, fabs(kernel_diagonal(&p->kernel, norm2)));
	}
	return SINGLE_ERROR * largest * fmax(p->c_plus, p->c_minus) <= eps;
}

/* Once more without the multipliers guessed: what is left of the subset before is feasible. */
static int take_back_guess(struct run *s, const double *before, double noise, struct error *err)
{
	for (int64_t i = 0; i < s->p->n; i++) {
		if (s->first_level[i] == s->level)
			s->beta[i] = 0;
		s->f[i] = before[i] + s->result->rho;
	}
	if (balance(s, err) < 0 || choose_working_set(s, noise, err) < 0)
		return -1;
	return evaluate(s, list_working(s), err);
}

/* Predict, guess, and make ready to settle; 'before' gets the predictions. */
static int enter_subset(struct run *s, double *before, struct error *err)
{
	double scale_before = s->scale, noise = s->level > 1 ? s->noise : FIRST_NOISE;

	s->scale = s->predicts ? (double)s->p->n / (double)s->subset_size[s->level] : 1;
	s->noise = -1;	/* yet unknown */
	if (s->level == 0) {
		for (int64_t i = 0; i < s->p->n; i++)
			s->is_working[i] = in_subset(s, i);
		return 0;
	}
	if (evaluate(s, list_new(s), err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		before[i] = s->f[i] - s->result->rho;
	if (s->predicts &&
	    (guess_multipliers(s, scale_before, err) < 0 || balance(s, err) < 0))
		return -1;
	if (choose_working_set(s, noise, err) < 0 || evaluate(s, list_working(s), err) < 0)
		return -1;
	/* worse than all multipliers 0: with a large C few of them are at their bound in the end */
	if (s->predicts && gap_dual(s->p, s->beta, s->f) < 0)
		return take_back_guess(s, before, noise, err);
	return 0;
}

/* ---- proving ---- */

/*
 * Decision values of all: from scratch, or from those proved before by the multipliers
 * that changed since, if these are few.  Both are sums, in double precision, of the same
 * kernel values.
 */
static int evaluate_all(struct run *s, struct error *err)
{
	int64_t n_vectors = 0, n_changed = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		s->change[i] = s->beta[i] - s->proved_beta[i];
		n_changed += s->change[i] != 0;
		n_vectors += s->beta[i] != 0;
		s->seen[i] = s->moved;
	}
	if (n_changed > CHANGED_SHARE * (double)n_vectors) {
		if (decision_values(s->p, s->beta, s->o->eps, s->f, s->o->n_threads, err) < 0)
			return -1;
	} else {
		if (decision_values(s->p, s->change, s->o->eps, s->f, s->o->n_threads, err) < 0)
			return -1;
		for (int64_t i = 0; i < s->p->n; i++)
			s->f[i] += s->proved_f[i];
	}
	memcpy(s->proved_f, s->f, (size_t)s->p->n * sizeof(double));
	memcpy(s->proved_beta, s->beta, (size_t)s->p->n * sizeof(double));
	return 0;
}

/* Evaluate all, count violators, who join, and certify. */
static int prove(struct run *s, struct error *err)
{
	/* alone, members have all of the tolerance, as in svm-train; else both sides of b half of it */
	double tolerance = s->o->eps / (s->n_levels > 1 ? 2 : 1);

	if (evaluate_all(s, err) < 0)
		return -1;
	s->round.n_violators = s->n_joined = 0;
	s->n_proofs++;
	for (int64_t i = 0; i < s->p->n; i++) {
		double f_plus_b = s->f[i] - s->result->rho;
		bool member = s->is_working[i];

		if (gap_row_violates(s->p, i, s->beta[i], f_plus_b, tolerance)) {
			s->is_working[i] = true;
			s->round.n_violators++;
			s->n_joined += !member;
		}
	}
	return gap_certify(s->p, s->beta, s->f, s->result->rho, s->o->eps, &s->result->certificate,
			   err);
}

/* ---- watching ---- */

static void observe(struct run *s)
{
	struct randsvm_round *round = &s->round;

	round->number = ++s->result->rounds;
	round->subset = s->subset_size[s->level];
	round->working_set = s->smo.rows.n;
	round->n_sv = 0;
	for (int64_t i = 0; i < s->p->n; i++)
		round->n_sv += s->beta[i] != 0;
	round->primal = round->dual = NAN;
	if (at_top(s)) {
		round->primal = s->result->certificate.primal;
		round->dual = s->result->certificate.dual;
		round->best_primal = fmin(round->best_primal, round->primal);
		round->best_dual = fmax(round->best_dual, round->dual);
	}
	if (s->observer && s->observer->round)
		s->observer->round(s->observer->arg, round);
}

/* ---- all together ---- */

/*
 * Who wants an end will not wait for the whole set to be predicted from a large subset: the
 * smallest one is solved as what it is, C and all.
 */
static int solve_smallest(struct run *s, double *before, struct error *err)
{
	s->level = 0;
	s->scale = 1;
	s->result->rho = 0;
	memset(s->beta, 0, (size_t)s->p->n * sizeof(double));
	memset(s->f, 0, (size_t)s->p->n * sizeof(double));
	for (int64_t i = 0; i < s->p->n; i++)
		s->is_working[i] = in_subset(s, i);
	s->smo.interruption = NULL;
	if (optimise(s, s->o->eps / 2, before, err) < 0)
		return -1;
	s->smo.interruption = s->interruption;
	s->level = s->n_levels - 1;
	return 0;
}

/* Up to the predictions for the whole set. */
static int solve_subsets(struct run *s, double *before, struct error *err)
{
	s->last = SUBSET_TOLERANCE;
	for (s->level = 0; !at_top(s) && !interruption_requested(s->interruption); s->level++) {
		s->tolerance = s->level == 0 ? SUBSET_TOLERANCE : FIRST_TOLERANCE;
		if (enter_subset(s, before, err) < 0 || settle(s, false, before, err) < 0)
			return -1;
		s->round.n_violators = 0;
		observe(s);
	}
	if (s->n_levels > 1 && interruption_requested(s->interruption))
		return solve_smallest(s, before, err);
	return enter_subset(s, before, err);
}

static void keep_optimum(struct run *s)
{
	struct optimum *o = &s->optimum;
	const struct certificate *c = &s->result->certificate;
	size_t size = (size_t)s->p->n * sizeof(double);

	if (o->known && certificate_relative_gap(c) >= certificate_relative_gap(&o->certificate))
		return;
	memcpy(o->beta, s->beta, size);
	memcpy(o->f, s->f, size);
	o->rho = s->result->rho;
	o->certificate = *c;
	o->known = true;
}

/* Half way to a nearer one, out of steps, violators may be back: then it is the one kept. */
static void take_optimum(struct run *s)
{
	const struct optimum *o = &s->optimum;
	struct certificate *c = &s->result->certificate;
	size_t size = (size_t)s->p->n * sizeof(double);

	if (s->round.n_violators == 0 &&
	    certificate_relative_gap(c) <= certificate_relative_gap(&o->certificate))
		return;
	memcpy(s->beta, o->beta, size);
	memcpy(s->f, o->f, size);
	s->result->rho = o->rho;
	*c = o->certificate;
}

static enum stop_reason optimal_reason(const struct run *s)
{
	return s->n_levels == 1 ? STOP_WHOLE_SET : STOP_OPTIMAL;
}

/* The optimum is reached.  Shall it be nearer?  Then with what steps there were before. */
static bool tighten(struct run *s)
{
	if (certificate_relative_gap(&s->result->certificate) <= WANTED_GAP || s->gave_up ||
	    s->last * TOLERANCE_STEP < LEAST_TOLERANCE * s->o->eps)
		return false;
	keep_optimum(s);
	s->last *= TOLERANCE_STEP;
	if (s->steps_left > s->result->n_iterations)
		s->steps_left = s->result->n_iterations;
	return true;
}

/* Is this the end?  Then why. */
static bool should_stop(struct run *s)
{
	enum stop_reason *reason = &s->result->reason;

	if (s->o->gap > 0 && certificate_relative_gap(&s->result->certificate) <= s->o->gap)
		*reason = STOP_GAP;
	else if (s->round.n_violators == 0 && !(s->o->gap == 0 && tighten(s)))
		*reason = optimal_reason(s);
	else if (interruption_requested(s->interruption))
		*reason = STOP_INTERRUPTED;
	else if (s->gave_up)
		*reason = STOP_MAX_ITERATIONS;
	else if (s->o->max_rounds > 0 && s->n_proofs >= s->o->max_rounds)
		*reason = STOP_MAX_ROUNDS;
	else if (s->settled && s->n_joined == 0 && ++s->n_stalls > MOST_STALLS)
		*reason = STOP_PRECISION;
	else
		return false;
	return true;
}

static int solve_whole(struct run *s, double *before, struct error *err)
{
	s->last = s->n_levels > 1 ? MEMBERS_SHARE * s->o->eps : s->o->eps;
	s->tolerance = s->n_levels > 1 ? FIRST_TOLERANCE : s->last;
	s->steps_left = s->most_steps;
	do {
		if (settle(s, s->o->gap > 0, before, err) < 0 || prove(s, err) < 0)
			return -1;
		observe(s);
	} while (!should_stop(s));
	if (s->optimum.known) {
		take_optimum(s);
		if (s->result->reason != STOP_INTERRUPTED)
			s->result->reason = optimal_reason(s);
	}
	return 0;
}

static struct run make_run(const struct problem_view *p, const struct solver *solver,
			   const struct randsvm_options *options,
			   const struct randsvm_observer *observer, double *beta, double *f,
			   struct randsvm_result *result)
{
	return (struct run){
		.p = p, .o = options, .interruption = solver->interruption, .observer = observer,
		.beta = beta, .f = f, .scale = 1, .noise = -1,
		.most_steps = solver_max_iterations(p->n),
		.steps_left = INT64_MAX, .result = result,
		.round = { .sample = randsvm_sample_size(options, p->n), .best_primal = DBL_MAX,
			   .best_dual = -DBL_MAX },
	};
}

int exact_solve(const struct problem_view *p, const struct solver *solver,
		const struct randsvm_options *options, const struct randsvm_observer *observer,
		double *beta, double *f, struct randsvm_result *result, struct error *err)
{
	struct problem_view whole = *p;
	struct run s = make_run(&whole, solver, options, observer, beta, f, result);
	double *before = mem_zeroed(p->n, sizeof(*before), err);
	int ret = -1;

	s.predicts = predictions_serve(p, options->eps);
	if (!s.predicts)
		whole.single = NULL;
	*result = (struct randsvm_result){ 0 };
	memset(beta, 0, (size_t)p->n * sizeof(double));
	memset(f, 0, (size_t)p->n * sizeof(double));
	if (before && run_init(&s, solver, err) == 0 && draw_subsets(&s, err) == 0 &&
	    solve_subsets(&s, before, err) == 0)
		ret = solve_whole(&s, before, err);
	run_free(&s);
	free(before);
	return ret;
}

int exact_improve(const struct problem_view *p, const struct solver *solver,
		  const struct randsvm_options *options, const struct randsvm_observer *observer,
		  double *beta, double *f, double reach, struct randsvm_result *result,
		  struct error *err)
{
	struct run s = make_run(p, solver, options, observer, beta, f, result);
	double *before = mem_array(p->n, sizeof(*before), err);
	int ret = -1;

	if (!before || run_init(&s, solver, err) < 0)
		goto out;
	s.subset_size[s.n_levels++] = p->n;
	s.most_steps = IMPROVING_STEPS + p->n;
	for (int64_t i = 0; i < p->n; i++) {
		before[i] = f[i] - result->rho;
		s.is_working[i] = is_free(&s, i) || safety(&s, i) < reach;
	}
	ret = solve_whole(&s, before, err);
	if (result->reason == STOP_WHOLE_SET)
		result->reason = STOP_OPTIMAL;	/* of a working set that need not be that */
out:
	run_free(&s);
	free(before);
	return ret;
}
