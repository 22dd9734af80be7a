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
 * costs O(n), and no kernel values.  Where few are at their bound the multipliers stay as they are:
 * those of a few rows that no C fits make t large, though only they are to grow.
 *
 * Starts from the solution of the fold before, with the other rows' multipliers taken from their
 * margins, have a larger D in one of four trainings only, and save no steps.
 *
 * Kernel rows are floats as long as these are exact enough for C, and then doubles; decision values
 * are computed anew when they change.  The rows that a machine has used stay for all values of C.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/clock.h"
#include "problem/decision.h"
#include "proof/rounding.h"
#include "search/search_work.h"
#include "smo/smo.h"

/* ---- Kernel values ---- */

/* A source of the values of a search_kernel, one of the two. */
struct search_source {
	struct matrix_source matrix;
	struct product_source sparse;
};

/* The source, which lasts as long as '*s'; its rows round to floats if told. */
static const struct kernel_source *search_source_init(struct search_source *s,
						      const struct search_kernel *k, bool rounds)
{
	*s = (struct search_source){ 0 };
	if (k->sparse) {
		s->sparse = product_source_of(k->sparse, rounds);
		return &s->sparse.base;
	}
	/* the matrix is only read: sources of matrices in single precision fill theirs */
	s->matrix = matrix_source_of_doubles((struct kernel_matrix *)&k->matrix, NULL, rounds);
	return &s->matrix.base;
}

/* The sums; of a matrix q->row is NULL; ERR_MEMORY. */
static int search_kernel_sums(const struct search_kernel *k, const struct product_sums *q,
			      struct error *err)
{
	const double **row;

	if (k->sparse)
		return product_rows_sums(k->sparse, q, err);
	row = mem_array(q->n_vectors, sizeof(*row), err);
	if (!row)
		return -1;
	for (int64_t j = 0; j < q->n_vectors; j++)
		row[j] = k->matrix.double_value + q->vector[j] * k->matrix.stride + q->first;
	for (int64_t i = 0; i < q->n; i++)
		q->value[i] = 0;
	kernel_sum_rows(row, q->coef, q->n_vectors, q->n, q->value);
	mem_free(row);
	return 0;
}

/* ---- A machine ---- */

/*
 * Members of the first working set, where that is not all examples; and tolerance of a working set,
 * as a share of the violation of all examples.  With shares of 0.3, 0.1, 0.03 and 0.01 reuters-moneyfx
 * (-t 0, 11 values of C, five folds) takes 401, 262, 196 and 155 rounds of settle(), whose steps meet
 * 121, 95, 92 and 79 million members.
 */
#define FIRST_MEMBERS 1024
#define TOLERANCE_SHARE 0.01

/*
 * Share of the support vectors at their bound below which multipliers start unscaled.  Members met
 * by steps at 100 points of five folds (log2 C -5 .. 13, log2 gamma 3 .. -15; reuters-moneyfx with
 * -t 0, 10 points), in millions, with a share of 0, 0.03, 0.1, 0.3 and 0.5:
 *
 *     heart_scale         31.8    31.5    31.9    31.9    33.9
 *     diabetes_scale       617     616     616     662     684
 *     a1a                 1462    1044     999    1077    1120
 *     reuters-moneyfx    123.2    75.6    74.3    74.8    75.8
 */
#define FEW_BOUNDED 0.1

/* Share of a multiplier that rounding may be: that of some thousand sums. */
#define ROUNDING 1e-12

/* A machine on its path, along which C grows. */
struct path {
	struct problem_view *p;
	const struct search_machine_options *o;
	struct search_source source[2]; /* sources of rows in floats, and in doubles */
	bool in_doubles;		/* the second source is in use */
	double largest;			/* largest K(x, x) */
	bool *is_member;		/* members of the working set, by example */
	double *all; /* decision values of all rows of the search; with a matrix */
	struct smo smo;
	struct iterate x;
	double c; /* C of the present multipliers, or 0: these are 0 */
	/* support vectors: their rows of the search, and multipliers */
	int64_t *vector;
	double *coef;
};

static int path_init(struct path *m, struct problem_view *p, const struct search_machine_options *o,
		     struct error *err)
{
	const int64_t n = p->n, some = o->kernel->sparse ? int64_min(FIRST_MEMBERS, n) : n;

	*m = (struct path){ .p = p, .o = o };
	p->source = search_source_init(&m->source[0], o->kernel, true);
	m->largest = problem_largest_diagonal(p);
	m->x.beta = mem_zeroed(p->n, sizeof(double), err);
	m->x.f = mem_zeroed(p->n, sizeof(double), err);
	m->is_member = mem_zeroed(p->n, sizeof(*m->is_member), err);
	m->all = mem_array(o->kernel->sparse ? 0 : p->x->n_rows, sizeof(*m->all), err);
	m->vector = mem_array(p->n, sizeof(*m->vector), err);
	m->coef = mem_array(p->n, sizeof(*m->coef), err);
	if (err->code != ERR_NONE ||
	    smo_init(&m->smo, p, solver_rows_mb(o->solver), 1, o->solver->interruption, err) < 0)
		return -1;
	/* the first members, evenly among the examples: all with a matrix of kernel values */
	for (int64_t k = 0; k < some; k++)
		m->is_member[k * n / some] = true;
	return smo_set_members(&m->smo, m->is_member, err);
}

/* The support vectors, whose sums go to value[0 .. n - 1]. */
static struct product_sums sums_of(struct path *m, int64_t n, double *value)
{
	struct product_sums sums = { .vector = m->vector, .coef = m->coef, .n = n, .value = value };

	for (int64_t i = 0; i < m->p->n; i++)
		if (m->x.beta[i] != 0) {
			m->vector[sums.n_vectors] = m->p->row[i];
			m->coef[sums.n_vectors++] = m->x.beta[i];
		}
	return sums;
}

/* Decision values become what the multipliers make of kernel values in doubles. */
static int renew_values(struct path *m, struct error *err)
{
	struct product_sums q = sums_of(m, m->p->n, m->x.f);

	if (m->o->kernel->sparse) {
		q.row = m->p->row;
		return search_kernel_sums(m->o->kernel, &q, err);
	}
	/* of a matrix all rows are summed up, whose values lie side by side */
	q.n = m->p->x->n_rows;
	q.value = m->all;
	if (search_kernel_sums(m->o->kernel, &q, err) < 0)
		return -1;
	for (int64_t i = 0; i < m->p->n; i++)
		m->x.f[i] = m->all[m->p->row[i]];
	return 0;
}

/* From here on rows are doubles, and decision values what these make of the multipliers. */
static int use_doubles(struct path *m, struct error *err)
{
	m->in_doubles = true;
	m->p->source = search_source_init(&m->source[1], m->o->kernel, false);
	return smo_renew_rows(&m->smo, err) < 0 ? -1 : renew_values(m, err);
}

/* A multiplier without what only rounding has added to 0, or keeps from its bound. */
static double without_rounding(double size, double bound, double largest)
{
	if (size < ROUNDING * largest)
		return 0;
	return bound - size < ROUNDING * bound ? bound : size;
}

/* Would the sum of the multipliers of the two signs differ without rounding, but for its own? */
static bool bounds_differ(const struct path *m, double c, double largest)
{
	long double sum = 0, size = 0;

	for (int64_t i = 0; i < m->p->n; i++) {
		double beta = m->x.beta[i];

		beta = copysign(without_rounding(fabs(beta), c * problem_c(m->p, i), largest),
				beta);
		sum += beta;
		size += fabs(beta);
	}
	return fabsl(sum) > LDBL_EPSILON * size;
}

/*
 * Multipliers that only rounding keeps from 0 or from their bound go there; returns how many.
 *
 * What is left of 0 is rounding of the multipliers that it was exchanged with.  Bounds say nothing of
 * it: for large C, or large kernel values, all multipliers are next to 0 compared with them.
 *
 * Where all are at bounds there is an interval of constants, of which the middle is svm-train's: the
 * sum of multipliers that were scaled is 0 but for rounding, and one of them, next to its bound,
 * would seem to be free and choose an end of the interval.  It is free where the bounds of the two
 * classes have other sums, as those of balanced classes may: svm-train takes that end.
 */
static int64_t drop_rounding(struct path *m, double c)
{
	const double largest = largest_of_sizes(m->x.beta, m->p->n);
	const bool some_is_free = bounds_differ(m, c, largest);
	int64_t n = 0;

	for (int64_t i = 0; i < m->p->n; i++) {
		double *beta = &m->x.beta[i], size = fabs(*beta);
		double goal = without_rounding(
			size, some_is_free ? INFINITY : c * problem_c(m->p, i), largest);

		n += goal != size;
		*beta = copysign(goal, *beta);
	}
	return n;
}

/* Start from the multipliers for m->c: see the head. */
static void start_from_last(struct path *m, double c)
{
	double a = 0, q = 0, t;
	int64_t n_vectors = 0, n_bounded = 0;

	for (int64_t i = 0; i < m->p->n; i++) {
		n_vectors += m->x.beta[i] != 0;
		n_bounded += fabs(m->x.beta[i]) == m->c * problem_c(m->p, i);
		a += problem_linear(m->p, i) * m->x.beta[i] -
		     problem_cost(m->p) * fabs(m->x.beta[i]);
		q += m->x.beta[i] * m->x.f[i];
	}
	if ((double)n_bounded < FEW_BOUNDED * (double)n_vectors)
		return;
	/* where q is 0 the decision values are, and the multipliers may be as large as they can */
	t = q > 0 ? fmin(fmax(a / q, 1), c / m->c) : c / m->c;
	for (int64_t i = 0; i < m->p->n; i++) {
		double bound = c * problem_c(m->p, i), size = fabs(m->x.beta[i]) * t;

		m->x.beta[i] = copysign(fmin(size, bound), m->x.beta[i]);
		m->x.f[i] *= t;
	}
	drop_rounding(m, c);
}

/* By how much raising a multiplier gains, or -INFINITY; by how much lowering it loses, or INFINITY. */
struct slopes {
	double up, down;
};

static struct slopes slopes_of(const struct path *m, double c, int64_t i)
{
	double beta = m->x.beta[i], cost = problem_cost(m->p);
	double slope = problem_linear(m->p, i) - m->x.f[i];

	return (struct slopes){
		beta < c * problem_upper(m->p, i) ? slope - (beta < 0 ? -cost : cost) : -INFINITY,
		beta > c * problem_lower(m->p, i) ? slope + (beta > 0 ? -cost : cost) : INFINITY
	};
}

/* The largest 'up' and the least 'down' of the members, or of all examples. */
static struct slopes extremes_of(const struct path *m, double c, bool members)
{
	struct slopes extremes = { -INFINITY, INFINITY };

	for (int64_t i = 0; i < m->p->n; i++) {
		struct slopes own;

		if (members && !m->is_member[i])
			continue;
		own = slopes_of(m, c, i);
		extremes.up = fmax(extremes.up, own.up);
		extremes.down = fmin(extremes.down, own.down);
	}
	return extremes;
}

/*
 * The examples outside that violate by more than half of 'tolerance', against the middle of what
 * the members leave of the constant, become members; returns how many, or -1.
 */
static int64_t add_violators(struct path *m, double c, double tolerance, struct error *err)
{
	const struct slopes inside = extremes_of(m, c, true);
	double middle = isinf(inside.up)   ? inside.down :
			isinf(inside.down) ? inside.up :
					     (inside.up + inside.down) / 2;
	int64_t n = 0;

	for (int64_t i = 0; i < m->p->n; i++) {
		const struct slopes own = slopes_of(m, c, i);

		if (!m->is_member[i] &&
		    (own.up > middle + tolerance / 2 || own.down < middle - tolerance / 2)) {
			m->is_member[i] = true;
			n++;
		}
	}
	return n > 0 && smo_set_members(&m->smo, m->is_member, err) < 0 ? -1 : n;
}

static double violation_of_all(const struct path *m, double c)
{
	const struct slopes all = extremes_of(m, c, false);

	return all.up - all.down;
}

/*
 * Optimise until no example violates by more than eps, with a working set as small as that allows.
 *
 * Members are optimised to within a share of the violation of all examples; then those outside that
 * violate by half of that become members.  Where members are within the tolerance and all examples
 * are not, one of the two that violate most is outside, and violates by more than half of it.  So
 * each round has another member or a smaller tolerance; but for rounding, of rows in floats and then
 * of rows in doubles, which ends it where it no longer halves the violation.
 */
static int settle(struct path *m, double c, int64_t most, struct error *err)
{
	double tolerance = INFINITY, violation = violation_of_all(m, c), before;

	for (;;) {
		int64_t n_new = 0;
		int ret;

		before = violation;
		tolerance = fmin(tolerance, fmax(m->o->eps, TOLERANCE_SHARE * violation));
		ret = smo_run(&m->smo, c, tolerance, most, &m->x, err);
		if (ret < 0 || renew_values(m, err) < 0)
			return -1;
		violation = violation_of_all(m, c);
		if (ret > 0 || !(violation > m->o->eps))
			return ret;
		if (violation > tolerance)
			n_new = add_violators(m, c, tolerance, err);
		if (n_new < 0)
			return -1;
		if (n_new > 0 || violation <= before / 2)
			continue;
		if (m->in_doubles)
			return 0;
		if (use_doubles(m, err) < 0)
			return -1;
	}
}

/* Optimise the multipliers, and find the constant. */
static int optimise(struct path *m, double c, struct error *err)
{
	const int64_t most = solver_max_iterations(m->p->n);

	m->x.rho = 0;
	return m->o->kernel->sparse ? settle(m, c, most, err) :
				      smo_run(&m->smo, c, m->o->eps, most, &m->x, err);
}

/* Train for C = c; 1 where the limit of steps was reached before the tolerance, or -1. */
static int train(struct path *m, double c, struct error *err)
{
	/* settle() finds out what C is too large for floats, but not what kernel values are */
	double most = m->o->kernel->sparse ? 0 : c * problem_largest_c(m->p);
	int ret;

	/* multipliers of the first C begin at 0, as path_init() makes them */
	if (m->c > 0)
		start_from_last(m, c);
	m->c = c;
	if (!m->in_doubles && !decision_float_is_enough(FLOAT_ERROR, m->largest, most, m->o->eps) &&
	    use_doubles(m, err) < 0)
		return -1;
	ret = optimise(m, c, err);
	/* again where that left multipliers that only rounding keeps from 0 or from bounds */
	return ret != 0 || drop_rounding(m, c) == 0 ? ret : optimise(m, c, err);
}

/*
 * Is there a solution for C = c?  Else '*failed' says why; 1 where doubles are too coarse to know
 * whether it is within the tolerance.
 *
 * A certificate is made only where C may be too large for doubles.  Its decision values are those of
 * the multipliers; the machine goes on with its own.
 */
static int check_solution(struct path *m, double c, struct error *failed, struct error *err)
{
	struct problem_view p = *m->p;
	struct certificate found;
	double *own = m->x.f;
	int ret = -1;

	p.c_plus *= c;
	p.c_minus *= c;
	if (certificate_excess(&p) == 0)
		return 0;
	m->x.f = mem_array(p.n, sizeof(*m->x.f), err);
	if (m->x.f && renew_values(m, err) == 0 &&
	    certificate_make(&p, &m->x, m->o->eps, &found, err) == 0)
		ret = rounding_bound(&p, &m->x, ROUNDING_SUMS, 0, &found, err);
	mem_free(m->x.f);
	m->x.f = own;
	if (ret < 0)
		return -1;
	found.excess = certificate_excess(&p);
	certificate_drop_excess(&found);
	certificate_check(&found, "", failed);
	return found.excess > 0;
}

/* Decision values of the rows left out. */
static int evaluate(struct path *m, double *value, struct error *err)
{
	const struct search_machine_options *o = m->o;
	struct product_sums q = sums_of(m, o->n_out, value);
	int ret;

	q.first = o->first;
	ret = search_kernel_sums(o->kernel, &q, err);
	for (int64_t k = 0; ret == 0 && k < o->n_out; k++)
		value[k] -= m->x.rho;
	return ret;
}

int search_machine_run(struct problem_view *p, const struct search_machine_options *o,
		       double *value, struct search_figures *figures, struct error *err)
{
	struct path m;
	int ret = path_init(&m, p, o, err);

	for (int k = 0; k < o->n_c && ret >= 0; k++) {
		double started = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
		struct search_figures *at = &figures[k];

		if (at->given_up)
			continue;
		ret = train(&m, o->c[k], err);
		if (ret < 0)
			break;
		if (interruption_requested(o->solver->interruption))
			ret = error_set(err, ERR_INTERRUPTED, "interrupted during the search");
		at->is_unfinished |= ret > 0;
		if (ret >= 0 && evaluate(&m, value + k * o->n_out, err) < 0)
			ret = -1;
		if (ret >= 0)
			ret = check_solution(&m, o->c[k], &at->failed, err);
		at->is_unfinished |= ret > 0;
		at->seconds += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started;
	}
	smo_free(&m.smo);
	mem_free_all(m.is_member, m.all, m.x.beta, m.x.f, m.vector, m.coef);
	return ret < 0 ? -1 : 0;
}
