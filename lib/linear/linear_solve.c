/*
 * linear_solve.c - C-SVC and epsilon-SVR with the linear kernel, all examples at once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "linear/linear_work.h"
#include "matrix/blas.h"

#define MAX_OUTER_STEPS 80
#define MAX_ITERATIONS 600

/*
 * Outer steps with neither a larger dual objective nor less violation, after which rounding is
 * what is left; more while the gap is large.
 */
#define MAX_STAGNANT 5
#define MAX_STAGNANT_EARLY 15

/* Where w and b are so much better than eps, but the multipliers are not, no step helps. */
#define ROUNDING 1e-3
#define MAX_ROUNDING 2

/* Outer steps in which the Newton method does not come to an end: rounding again. */
#define MAX_UNFINISHED 2

/* Weight of the proximal term of b, in residuals per C: so little that it is not felt. */
#define TAU 1e9

/* The relative gap wanted besides: 1e-5 at svm-train's eps of 1e-3; for so many more steps. */
#define GAP_PER_EPS 1e-2
#define MAX_SOLVED 5

/* Sums kept up to date are computed afresh so often. */
#define STEPS_TO_REFRESH 5

/* Problems with fewer entries are solved before threads have started. */
#define ENTRIES_FOR_THREADS 50000

/* From so many features on coordinate descent is the better start. */
#define FEATURES_FOR_DESCENT 1000
#define FIRST_EPOCHS 30

/* So many rows can be in J without a step becoming dear. */
#define FEW_ROWS (2 * LINEAR_MAX_DUAL)

static void work_free(struct linear_work *s)
{
	thread_team_stop(s->x.team);
	linear_rows_free(&s->x);
	linear_direction_free(&s->direction);
	free(s->target);
	free(s->lower);
	free(s->upper);
	free(s->beta);
	free(s->prox);
	free(s->residual);
	free(s->product);
	free(s->trial);
	free(s->trial_residual);
	free(s->w);
	free(s->step_w);
	free(s->gradient_w);
	free(s->sum_w);
	free(s->trial_w);
	free(s->list);
	free(s->crossed);
	free(s->coef);
	free(s->sign);
	free(s->block_slope);
	free(s->block_change);
}

static int get_vectors(struct linear_work *s, struct error *err)
{
	int64_t n = linear_arrays_of(s).n, n_blocks = n / LINEAR_BLOCK + 1;
	double **of_rows[] = { &s->target,	   &s->lower,	 &s->upper,   &s->beta,
			       &s->prox,	   &s->residual, &s->product, &s->trial,
			       &s->trial_residual, &s->coef,	 &s->sign };
	double **of_columns[] = { &s->w, &s->step_w, &s->gradient_w, &s->sum_w, &s->trial_w };

	for (size_t k = 0; k < sizeof(of_rows) / sizeof(*of_rows); k++)
		*of_rows[k] = mem_aligned(n, sizeof(double), err);
	for (size_t k = 0; k < sizeof(of_columns) / sizeof(*of_columns); k++)
		*of_columns[k] = mem_aligned(s->d, sizeof(double), err);
	s->list = mem_array(n, sizeof(*s->list), err);
	s->crossed = mem_array(n, sizeof(*s->crossed), err);
	s->block_slope = mem_array(n_blocks, sizeof(*s->block_slope), err);
	s->block_change = mem_array(n_blocks, sizeof(*s->block_change), err);
	return err->code == ERR_NONE ? 0 : -1;
}

static int work_init(struct linear_work *s, struct error *err)
{
	const struct problem_view *p = s->p;

	s->n = p->n;
	if (linear_rows_init(&s->x, p->x, p->row, p->n, err) < 0)
		return -1;
	if (s->x.start[s->n] >= ENTRIES_FOR_THREADS)
		s->x.team = thread_team_start(s->o->n_threads, err);
	s->d = s->x.d;
	if (get_vectors(s, err) < 0)
		return -1;
	s->c_max = fmax(p->c_plus, p->c_minus);
	for (int64_t i = 0; i < s->n; i++) {
		s->target[i] = p->target[s->x.order[i]];
		s->lower[i] = problem_lower(p, s->x.order[i]);
		s->upper[i] = problem_upper(p, s->x.order[i]);
		s->mean_norm2 += s->x.norm2[i] / (double)s->n;
	}
	s->best_gap = INFINITY;
	s->best_violation = INFINITY;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *x, int64_t n)
{
	qsort(x, (size_t)n, sizeof(*x), compare_numbers);
	return x[n / 2];
}

/* Where b starts, and how large residuals are. */
static double typical_residual(struct linear_work *s)
{
	double spread;

	if (s->p->type == MACHINE_C_SVC)
		return 1;
	memcpy(s->trial, s->target, (size_t)s->n * sizeof(*s->trial));
	s->b = median(s->trial, s->n);
	for (int64_t i = 0; i < s->n; i++)
		s->trial[i] = fabs(s->target[i] - s->b);
	spread = median(s->trial, s->n);
	return spread > 0 ? spread : 1;
}

static bool descends(const struct linear_work *s)
{
	return s->d >= FEATURES_FOR_DESCENT;
}

/*
 * A first outer step should move many multipliers, but not all to their bounds.  After coordinate
 * descent most are where they belong; but only where J stays small are steps that move all of
 * them cheap.
 */
static double first_sigma(const struct linear_work *s, double residual)
{
	double full = s->c_max / residual;

	double most = descends(s) && s->n <= FEW_ROWS ? 3000 : 30;

	return fmax(1e-4 * full, fmin(full / 2, most / s->mean_norm2));
}

static bool is_solved(const struct linear_work *s)
{
	return s->best_violation <= s->o->eps;
}

/* The KKT conditions to within eps leave a gap that depends on the data: is it small, too? */
static bool is_certain(const struct linear_work *s)
{
	return is_solved(s) && s->best_gap <= GAP_PER_EPS * s->o->eps;
}

/* What the outer steps have come to. */
struct progress {
	double violation, dual;	  /* the best so far */
	int n_stagnant, n_solved; /* steps without a better one; steps with a solution */
	int n_rounding;		  /* steps with a solution that rounding spoils */
};

/* Judge the proximal points.  1 to go on; 0 when solved, or when rounding rules; or -1. */
static int make_progress(struct linear_work *s, struct progress *best, struct error *err)
{
	struct linear_arrays a = linear_arrays_of(s);
	struct linear_state state;
	double dual, violation, tested;

	linear_measure(&a, s->prox, s->residual, 0, s->p->epsilon, &state);
	violation = state.up - state.down;
	s->primal = linear_norm2(s->w, s->d) / 2 + state.loss;
	dual = state.linear - linear_norm2(s->sum_w, s->d) / 2;
	if (!isfinite(dual) || !isfinite(s->primal))
		return 0;
	if (violation <= 1.1 * s->o->eps) {
		if (linear_judge(s, &tested, err) < 0)
			return -1;
		if (is_certain(s) || (is_solved(s) && ++best->n_solved == MAX_SOLVED))
			return 0;
		best->n_rounding += violation <= ROUNDING * s->o->eps && tested > s->o->eps;
	}
	best->n_stagnant =
		violation < 0.9 * best->violation || dual > best->dual ? 0 : best->n_stagnant + 1;
	best->violation = fmin(best->violation, violation);
	best->dual = fmax(best->dual, dual);
	return best->n_rounding < MAX_ROUNDING && s->n_unfinished < MAX_UNFINISHED &&
	       best->n_stagnant < (s->primal - best->dual < 1e-3 * s->primal ? MAX_STAGNANT :
									       MAX_STAGNANT_EARLY);
}

/*
 * By what sigma grows, 'moved' being the largest residual that is left: slowly where steps do
 * their work, and fast where multipliers hardly leave their places between the bounds.
 */
static double growth(const struct linear_work *s, double moved, double previous)
{
	if (moved <= 0.1 * previous)
		return 1;
	if (moved <= 0.7 * previous)
		return 2;
	return fmin(1000, fmax(10, 0.03 * s->c_max / s->change.largest));
}

/* The augmented Lagrangian method from beta, w and b: until solved, or rounding rules. */
static int run_outer_steps(struct linear_work *s, double residual, struct error *err)
{
	struct progress best = { INFINITY, -INFINITY, 0, 0, 0 };
	double full = s->c_max / residual, previous = DBL_MAX, violation;

	s->sigma = first_sigma(s, residual);
	s->tau = TAU / full;
	s->centre_b = s->b;
	memcpy(s->prox, s->beta, (size_t)s->n * sizeof(*s->prox));
	linear_refresh(s);
	for (int step = 1; step <= MAX_OUTER_STEPS && s->n_iterations < MAX_ITERATIONS; step++) {
		double moved;
		int more;

		if (linear_minimise(s, err) < 0)
			return -1;
		if (s->interrupted)
			break;
		more = make_progress(s, &best, err);
		if (more <= 0)
			return more;
		moved = s->change.largest / s->sigma;
		memcpy(s->beta, s->prox, (size_t)s->n * sizeof(*s->beta));
		s->centre_b = s->b;
		s->sigma = fmin(growth(s, moved, previous) * s->sigma, 1e10 * full);
		previous = moved;
		if (step % STEPS_TO_REFRESH == 0)
			linear_refresh(s);
	}
	if (is_solved(s))
		return 0;
	if (linear_judge(s, &violation, err) < 0)
		return -1;
	/* half way through an outer step the last one's multipliers may be the better ones */
	memcpy(s->prox, s->beta, (size_t)s->n * sizeof(*s->prox));
	return linear_judge(s, &violation, err);
}

static int solve_work(struct linear_work *s, struct error *err)
{
	double residual = typical_residual(s);

	if (linear_judge_zero(s) <= s->o->eps || !isfinite(s->mean_norm2))
		return 0;
	if (descends(s) && linear_descend(s, FIRST_EPOCHS, err) < 0)
		return -1;
	if (run_outer_steps(s, residual, err) < 0)
		return -1;
	return 0;
}

int linear_solve(const struct problem_view *p, const struct linear_options *o, double *beta,
		 double *f, struct linear_result *result, struct error *err)
{
	struct linear_work s = { .p = p, .o = o, .best_beta = beta, .best_f = f };
	int ret = -1;

	blas_single_thread();
	if (work_init(&s, err) == 0 && solve_work(&s, err) == 0) {
		*result = (struct linear_result){ .rho = s.best_rho,
						  .n_iterations = s.n_iterations,
						  .violation = s.best_violation,
						  .interrupted = s.interrupted };
		ret = is_solved(&s) ? 0 : 1;
	}
	work_free(&s);
	return ret;
}
