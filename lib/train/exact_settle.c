/*
 * exact_settle.c - optimise a working set, and look at what is near, until neither violates
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/certificate.h"
#include "train/exact_run.h"
#include "train/working_set.h"

/* Measured on the rows of bench/train: they change how soon the optimum is found, not which. */
#define SUBSET_STEPS 50	   /* per member: a subset is not worth more */
#define RUN_STEPS 50	   /* per member: then it is time to look outside */
#define KEPT_TOLERANCES 3  /* members this many tolerances from violating stay */
#define REACH 2.0	   /* look again at those within this many times the movement */
#define FEW_VIOLATORS 0.01 /* share of the working set that can wait for the next tolerance */

static struct problem_view scaled_problem(const struct exact_run *s)
{
	struct problem_view p = *s->p;

	p.c_plus *= s->subsets.scale;
	p.c_minus *= s->subsets.scale;
	return p;
}

int exact_evaluate(struct exact_run *s, const int64_t *list, int64_t n, struct error *err)
{
	struct decision d;
	int ret;

	if (n == 0)
		return 0;
	if (decision_init(&d, s->p, s->x->beta, s->o->eps, err) < 0)
		return -1;
	ret = decision_evaluate(&d, list, n, s->x->f, s->o->n_threads, err);
	decision_free(&d);
	for (int64_t k = 0; k < n; k++)
		s->movement.seen[list[k]] = s->movement.total;
	return ret;
}

/* Evaluate who is within reach of violating; violators join.  Their number, or -1. */
static int64_t look_near(struct exact_run *s, double tolerance, struct error *err)
{
	struct problem_view p = scaled_problem(s);
	int64_t *list = s->list_room, n = 0, n_violators = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_in_subset(s, i) && !s->is_working[i] &&
		    exact_safety(s, i) < REACH * (s->movement.total - s->movement.seen[i]))
			list[n++] = i;
	if (exact_evaluate(s, list, n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = list[k];

		if (certificate_row_violates(&p, i, s->x->beta[i], s->x->f[i] - s->x->rho,
					     tolerance)) {
			s->is_working[i] = true;
			n_violators++;
		}
	}
	return n_violators;
}

/* How many steps a run of n members may take. */
static int64_t step_limit(const struct exact_run *s, int64_t n)
{
	int64_t limit = s->pace.steps_left;

	if (!exact_at_top(s))
		return SUBSET_STEPS * n;
	if (n > 0 && limit > s->pace.work_left / n)
		limit = s->pace.work_left / n;
	return n < s->p->n && limit > RUN_STEPS * n ? RUN_STEPS * n : limit;
}

int exact_optimise(struct exact_run *s, double tolerance, struct error *err)
{
	int64_t n, limit, n_steps = -s->x->n_iterations;
	double sum = 0;
	int solved;

	if (smo_set_members(&s->smo, s->is_working, err) < 0)
		return -1;
	n = s->smo.rows.n;
	limit = step_limit(s, n);
	solved = smo_run(&s->smo, s->subsets.scale, tolerance, limit, s->x, err);
	if (solved < 0)
		return -1;
	if (!isfinite(s->x->rho))
		return error_no_finite_solution(s->p, err);
	n_steps += s->x->n_iterations;
	if (exact_at_top(s)) {
		s->pace.steps_left -= n_steps;
		s->pace.work_left -= n_steps * n;
	}
	s->pace.cut_short = solved > 0 && exact_at_top(s) && step_limit(s, n) > 0;
	s->pace.gave_up = solved > 0 && !s->pace.cut_short;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = s->smo.rows.example[k];

		sum += fabs(s->x->f[i] - s->x->rho - s->movement.before[i]);
	}
	/* from the mean to a standard deviation, were it normal */
	s->movement.total += 1.25 * sum / (double)(n > 0 ? n : 1);
	for (int64_t k = 0; k < n; k++)
		s->movement.seen[s->smo.rows.example[k]] = s->movement.total;
	return 0;
}

/* Members far from violating become constants. */
static void narrow(struct exact_run *s, double distance)
{
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i] && !exact_is_free(s, i) && exact_safety(s, i) > distance)
			s->is_working[i] = false;
}

int exact_settle(struct exact_run *s, bool pause, struct error *err)
{
	for (;;) {
		double tolerance = fmax(s->pace.tolerance, s->pace.last), start = s->movement.total;
		int64_t n_violators, few;

		s->pace.settled = false;
		if (exact_optimise(s, tolerance, err) < 0)
			return -1;
		if (exact_interrupted(s))
			return 0; /* what is near will be looked at with all the others */
		if (s->subsets.noise < 0)
			s->subsets.noise = s->movement.total - start;
		n_violators = look_near(s, tolerance, err);
		if (n_violators < 0)
			return -1;
		for (int64_t i = 0; i < s->p->n; i++)
			s->movement.before[i] = s->x->f[i] - s->x->rho;
		few = tolerance > s->pace.last ? (int64_t)(FEW_VIOLATORS * (double)s->smo.rows.n) :
						 0;
		s->pace.settled =
			n_violators == 0 && tolerance <= s->pace.last && !s->pace.cut_short;
		if (s->pace.settled || s->pace.gave_up)
			return 0;
		if (n_violators > few || s->pace.cut_short)
			continue;
		if (s->subsets.n_levels > 1) /* else all fit, and proving has all rows at hand */
			narrow(s, KEPT_TOLERANCES * tolerance);
		s->pace.tolerance = tolerance * EXACT_TOLERANCE_STEP;
		if (pause)
			return 0;
	}
}
