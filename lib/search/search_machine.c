/*
 * search_machine.c - one machine, for one value of C after another
 *
 * How this works.  A solution for C is a start for the next, larger C'.  With the multipliers all
 * times t they are feasible for 1 <= t <= C' / C, their decision values are f times t, and
 *
 *     D(t beta) = t a - t^2 q / 2,   a = sum_i (y_i beta_i - epsilon |beta_i|),  q = sum_i beta_i f_i
 *
 * is largest at t = a / q, or at an end.  By the KKT conditions a - q = C sum of losses: where all
 * support vectors are on the margin t is 1, where all are at their bound it is C' / C.  So a start
 * costs O(n), and no kernel values.
 *
 * 100 points of five folds (log2 C -5 .. 13, log2 gamma 3 .. -15), steps of SMO from 0 and from
 * such starts: heart_scale 248,000 and 147,000, diabetes_scale 2.3 and 1.6 million, a1a 2.1 and 1.8
 * million.  Starts from the solution of the fold before, with the other rows' multipliers taken
 * from their margins, have a larger D in one of four trainings only, and save no steps.
 *
 * Kernel rows are floats as long as these are exact enough for C, and then doubles; decision values
 * are computed anew when they change.  The rows that a machine has used stay for all values of C.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kernel/kernel_tile.h"
#include "problem/decision.h"
#include "search/search_work.h"
#include "smo/smo.h"
#include "source/matrix_source.h"

/* Share of a multiplier that rounding may be: that of some thousand sums. */
#define ROUNDING 1e-12

/* A machine while C grows. */
struct machine {
	struct problem_view *p;
	const struct search_machine_options *o;
	struct matrix_source source[2]; /* rows rounded to floats, and doubles */
	bool wide;			/* the second source is in use */
	double largest;			/* largest K(x, x) */
	struct smo smo;
	struct iterate x;
	double c; /* C of the present multipliers, or 0: these are 0 */
	/* support vectors: rows of the matrix, and multipliers */
	const double **vector;
	double *coef;
};

static void machine_free(struct machine *m)
{
	smo_free(&m->smo);
	mem_free(m->x.beta);
	mem_free(m->x.f);
	mem_free(m->vector);
	mem_free(m->coef);
}

/* All examples are members of the working set. */
static int add_members(struct machine *m, struct error *err)
{
	bool *everyone = mem_array(m->p->n, sizeof(*everyone), err);
	int ret = -1;

	if (everyone) {
		memset(everyone, true, (size_t)m->p->n * sizeof(*everyone));
		ret = smo_set_members(&m->smo, everyone, err);
	}
	mem_free(everyone);
	return ret;
}

static int machine_init(struct machine *m, struct problem_view *p,
			const struct search_machine_options *o, struct error *err)
{
	/* the matrix is only read: sources of matrices in single precision fill theirs */
	struct kernel_matrix *matrix = (struct kernel_matrix *)o->matrix;

	*m = (struct machine){ .p = p, .o = o };
	for (int wide = 0; wide < 2; wide++)
		m->source[wide] = matrix_source_of_doubles(matrix, NULL, !wide);
	p->source = &m->source[0].base;
	for (int64_t i = 0; i < p->n; i++)
		m->largest = fmax(m->largest, problem_diagonal(p, i));
	m->x.beta = mem_zeroed(p->n, sizeof(double), err);
	m->x.f = mem_zeroed(p->n, sizeof(double), err);
	m->vector = mem_array(p->n, sizeof(*m->vector), err);
	m->coef = mem_array(p->n, sizeof(*m->coef), err);
	if (err->code != ERR_NONE ||
	    smo_init(&m->smo, p, solver_rows_mb(o->solver), 1, o->solver->interruption, err) < 0)
		return -1;
	return add_members(m, err);
}

/* List the support vectors; returns their number. */
static int64_t list_vectors(struct machine *m)
{
	const struct kernel_matrix *matrix = m->o->matrix;
	int64_t n = 0;

	for (int64_t i = 0; i < m->p->n; i++)
		if (m->x.beta[i] != 0) {
			m->vector[n] = matrix->wide_value + m->p->row[i] * matrix->stride;
			m->coef[n++] = m->x.beta[i];
		}
	return n;
}

/* From here on rows are doubles, and decision values what these make of the multipliers. */
static int use_doubles(struct machine *m, struct error *err)
{
	int64_t n = list_vectors(m);
	double *all = mem_zeroed(m->o->matrix->n, sizeof(*all), err);

	m->wide = true;
	m->p->source = &m->source[1].base;
	if (!all || smo_renew_rows(&m->smo, err) < 0) {
		mem_free(all);
		return -1;
	}
	kernel_sum_rows(m->vector, m->coef, n, m->o->matrix->n, all);
	for (int64_t i = 0; i < m->p->n; i++)
		m->x.f[i] = all[m->p->row[i]];
	mem_free(all);
	return 0;
}

static double largest_multiplier(const struct machine *m)
{
	double largest = 0;

	for (int64_t i = 0; i < m->p->n; i++)
		largest = fmax(largest, fabs(m->x.beta[i]));
	return largest;
}

/*
 * Multipliers that only rounding keeps from 0 or from their bound go there; returns how many.
 *
 * What is left of 0 is rounding of the multipliers that it was exchanged with.  Bounds say nothing of
 * it: for large C, or large kernel values, all multipliers are next to 0 compared with them.
 *
 * Where all are at bounds there is an interval of constants, of which the middle is svm-train's: the
 * sum of multipliers that were scaled is 0 but for rounding, and one of them, next to its bound,
 * would seem to be free and choose an end of the interval.
 */
static int64_t drop_rounding(struct machine *m, double c)
{
	const double least = ROUNDING * largest_multiplier(m);
	int64_t n = 0;

	for (int64_t i = 0; i < m->p->n; i++) {
		double *beta = &m->x.beta[i], size = fabs(*beta);
		double bound = c * problem_c(m->p, i), goal = size;

		if (size < least)
			goal = 0;
		else if (bound - size < ROUNDING * bound)
			goal = bound;
		n += goal != size;
		*beta = copysign(goal, *beta);
	}
	return n;
}

/* The multipliers and their decision values times t, which leaves multipliers within bounds of c. */
static void scale_by(struct machine *m, double t, double c)
{
	for (int64_t i = 0; i < m->p->n; i++) {
		double bound = c * problem_c(m->p, i), size = fabs(m->x.beta[i]) * t;

		m->x.beta[i] = copysign(fmin(size, bound), m->x.beta[i]);
		m->x.f[i] *= t;
	}
}

/* Start from the multipliers for m->c: see the head. */
static void start_from_last(struct machine *m, double c)
{
	double a = 0, q = 0;

	for (int64_t i = 0; i < m->p->n; i++) {
		a += problem_linear(m->p, i) * m->x.beta[i] -
		     problem_cost(m->p) * fabs(m->x.beta[i]);
		q += m->x.beta[i] * m->x.f[i];
	}
	/* where q is 0 the decision values are, and the multipliers may be as large as they can */
	scale_by(m, q > 0 ? fmin(fmax(a / q, 1), c / m->c) : c / m->c, c);
	drop_rounding(m, c);
}

static void start_from_nothing(struct machine *m)
{
	memset(m->x.beta, 0, (size_t)m->p->n * sizeof(double));
	memset(m->x.f, 0, (size_t)m->p->n * sizeof(double));
}

/* Optimise the multipliers, and find the constant. */
static int optimise(struct machine *m, double c, struct error *err)
{
	const int64_t most = solver_max_iterations(m->p->n);
	int ret;

	m->x.rho = 0;
	ret = smo_run(&m->smo, c, m->o->eps, most, &m->x, err);
	if (ret != 0 || drop_rounding(m, c) == 0)
		return ret;
	m->x.rho = 0;
	return smo_run(&m->smo, c, m->o->eps, most, &m->x, err);
}

/* Train for C = c; 1 where the limit of steps was reached before the tolerance, or -1. */
static int train(struct machine *m, double c, struct error *err)
{
	double most = c * problem_largest_c(m->p);

	if (m->c > 0 && m->o->warm)
		start_from_last(m, c);
	else
		start_from_nothing(m);
	m->c = c;
	if (!m->wide && !decision_float_is_enough(m->largest, most, m->o->eps) &&
	    use_doubles(m, err) < 0)
		return -1;
	return optimise(m, c, err);
}

/* Decision values of the rows left out. */
static void evaluate(struct machine *m, double *value)
{
	const struct search_machine_options *o = m->o;
	int64_t n = list_vectors(m);

	for (int64_t j = 0; j < n; j++)
		m->vector[j] += o->first;
	memset(value, 0, (size_t)o->n_out * sizeof(*value));
	kernel_sum_rows(m->vector, m->coef, n, o->n_out, value);
	for (int64_t k = 0; k < o->n_out; k++)
		value[k] -= m->x.rho;
}

int search_machine_run(struct problem_view *p, const struct search_machine_options *o,
		       const struct search_machine_result *result, struct error *err)
{
	struct machine m;
	int ret = machine_init(&m, p, o, err);

	for (int k = 0; k < o->n_c && ret >= 0; k++) {
		double started = clock_seconds(CLOCK_THREAD_CPUTIME_ID);

		if (o->given_up[k])
			continue;
		ret = train(&m, o->c[k], err);
		if (ret < 0)
			break;
		if (interruption_requested(o->solver->interruption))
			ret = error_set(err, ERR_INTERRUPTED, "interrupted during the search");
		result->is_unfinished[k] |= ret > 0;
		evaluate(&m, result->value + k * o->n_out);
		result->seconds[k] += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started;
	}
	machine_free(&m);
	return ret < 0 ? -1 : 0;
}
