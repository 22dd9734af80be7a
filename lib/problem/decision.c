/*
 * decision.c - decision values of a problem's examples
 *
 * How this works.  f_i = sum_j beta_j K(x_j, x_i) for all rows is most of the work of a training,
 * and is made cheaper in two ways that both cost digits: kernel values in single precision, and
 * corrections of earlier values.
 *
 * Precision.  Kernel values in single precision have independent errors of about
 * u sqrt(K_ii K_jj), and so
 *
 *     error of f_i     u sqrt(K_ii) sqrt(sum_j beta_j^2 K_jj)                   (1)
 *
 * which has to be a small part of the tolerance that f is compared with.  u is FLOAT_ERROR where
 * sums go to doubles every few vectors only, which costs more digits than the values have: of a9a
 * and cadata, whose values have errors of 1.5e-8 and 1.8e-8, f has those of u = 1.8e-7 then, and of
 * 1.3e-8 and 2.2e-8 where sums are in doubles throughout.  So there is a choice of three: the
 * fastest; floats in exact sums, which take a tenth longer, with the u that float_form.c has
 * measured; and doubles, which take four times as long.  (2) is a reason for exact sums, too: of
 * cadata, epsilon-SVR, C = 10, sums in floats moved the dual by 7e-5 of it.
 *
 * A certificate needs |w|^2 = sum_i beta_i f_i as well, in which errors do not all average out:
 * those of K(x_i, x_i), and of near duplicates, have one sign, and add up to u sum_i beta_i^2 K_ii
 * (2).  Where that is too much of the dual objective, f is computed in double precision: a primal
 * below the true dual was printed otherwise (sinc, epsilon-SVR, C = 100, gamma = 0.01, by 2e-5 of
 * it).
 *
 * Corrections.  f is linear in beta: f' = f + sum_j (beta_j' - beta_j) K(x_j, .) costs as many
 * kernel columns as multipliers have changed (3).  Each correction adds an error (1) of its own.
 * A history holds the values of one beta, of all rows or of those that were asked for since; the
 * others are evaluated from all multipliers when they are asked for.  So a row that is near the
 * margin and is looked at in each round meets all support vectors once.
 *
 * Sizes of K(x, x) count, not their signs: for kernels that are not positive definite the sum of
 * beta^2 K(x, x) might cancel, and say that single precision suffices where it does not.
 *
 * Life of a history h of n examples:
 *
 *      n_known    f[i] is known for h->beta and     a new beta comes
 *         n       all i                             f is corrected (3); or made from scratch, where
 *                                                   many multipliers changed or corrections add up
 *      0 < . < n  the rows asked for so far         other rows asked for are evaluated for h->beta,
 *                                                   then all rows asked for are corrected
 *         0       no i, as many multipliers changed h->beta becomes beta; rows are evaluated for it
 *
 * decision_changes() and decision_add_changes() are the two halves of a correction, between which
 * the caller computes the sum with the changes (or with all of beta) itself.
 *
 * Nothing here owns kernel values: a struct kernel_sums lives for one evaluation, and its source
 * decides where values come from (problem/kernel_source.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/decision.h"

#include "base/clock.h"
#include "base/rng.h"

/*
 * Share of the tolerance that the error (1) may take: seven eighths are left for the optimisation
 * itself.
 */
#define ERROR_SHARE 0.125

/* Largest error (2), as a share of the linear part of the dual. */
#define SQUARES_SHARE 2e-6

/*
 * Largest difference of decision values kept and recomputed, as a share of the largest value and in
 * tolerances: the steps that led to the kept values had other roundings.
 */
#define UNLIKE_SHARE 1e-2
#define UNLIKE_TOLERANCES 100

/* Most rows whose kept values are recomputed: a mistake is looked for, not rounding. */
#define MOST_CHECKED 1000

/* Examples that decision_expected_seconds() measures: some tiles for each of a few threads. */
#define MEASURED_EXAMPLES 2048

/* Errors of decision values that count, a share of the margin. */
#define FAR_ERROR 0.01

/*
 * Multipliers changed, as a share of the support vectors, up to which a correction (3) is the
 * cheaper way.
 */
#define CHANGED_SHARE 0.5

/* The error (1) over u, for all examples at most: with the largest K_ii. */
static double error_in_units(const struct problem_view *p, const double *beta)
{
	double sum = 0, largest = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double k = fabs(problem_diagonal(p, i));

		sum += beta[i] * beta[i] * k;
		largest = fmax(largest, k);
	}
	return sqrt(sum * largest);
}

/* u of kernel values in floats */
static double value_error(const struct problem_view *p)
{
	const struct float_vectors *x_float = problem_source(p)->x_float;

	return x_float ? x_float->error : FLOAT_ERROR;
}

/* Do values of this error suffice for the tolerance? */
static bool suffices(double error, double tolerance)
{
	return tolerance > 0 && error <= ERROR_SHARE * tolerance;
}

/*
 * Can sums be in floats? Not for linear kernels: their weights are made and applied in double
 * precision at no more cost.
 */
static bool has_floats(const struct problem_view *p)
{
	return problem_source(p)->x_float && p->kernel.type != KERNEL_LINEAR;
}

bool decision_may_use_floats(const struct problem_view *p)
{
	return has_floats(p) || (problem_source(p)->in_floats && p->kernel.type != KERNEL_LINEAR);
}

bool decision_in_floats(const struct problem_view *p, const double *beta, double tolerance)
{
	return has_floats(p) && suffices(value_error(p) * error_in_units(p, beta), tolerance);
}

/*
 * Room for n vectors, from the problem's source in floats or in doubles; but of a linear kernel
 * never from a matrix, whose values of rows far from 0 have digits of the offset alone.
 */
static int make_room(struct kernel_sums *sums, const struct problem_view *p, int64_t n,
		     bool in_floats, struct error *err)
{
	const struct kernel_source *source = problem_source(p);

	if (!in_floats)
		source = kernel_source_in_doubles(source);
	if (p->kernel.type == KERNEL_LINEAR && source->has_matrix)
		source = &plain_source;
	return kernel_sums_init(sums, p, source, n, err);
}

/*
 * Is the error (2) of values of this error small enough, compared with sum |t_i beta_i - epsilon |beta_i||?  For machines
 * of nu this sum is D with the share of the thresholds in the sums.  One-class has a sum of 0, but
 * a kernel that is never negative makes |w|^2 at least (2).
 */
static bool squares_suffice(const struct problem_view *p, const double *beta, double error)
{
	double squares = 0, linear = 0;

	/* all beta_i >= 0 and all K >= 0: |w|^2 = sum beta_i beta_j K_ij >= sum beta_i^2 K_ii */
	if (p->type == MACHINE_ONE_CLASS)
		return p->kernel.type == KERNEL_RBF;
	for (int64_t i = 0; i < p->n; i++) {
		squares += beta[i] * beta[i] * fabs(problem_diagonal(p, i));
		linear += fabs(problem_linear(p, i) * beta[i] - p->epsilon * fabs(beta[i]));
	}
	return error * squares <= SQUARES_SHARE * linear;
}

/* Is (2) small enough where sums are exact? */
static bool norm_is_exact(const struct problem_view *p, const double *beta)
{
	const struct float_vectors *x_float = problem_source(p)->x_float;

	return squares_suffice(p, beta, x_float ? x_float->error_of_same : FLOAT_ERROR);
}

/* Gather the support vectors, the examples with beta_i != 0; O(n + entries of these). */
static int gather(struct kernel_sums *sums, const struct problem_view *p, const double *beta,
		  double tolerance, struct error *err)
{
	double units = error_in_units(p, beta);
	bool in_floats = has_floats(p) && suffices(value_error(p) * units, tolerance);

	if (make_room(sums, p, multipliers_count(beta, p->n), in_floats, err) < 0)
		return -1;
	/* errors of sums in floats are not independent: what they add to |w|^2 counts, too */
	sums->exact =
		!suffices(FLOAT_ERROR * units, tolerance) || !squares_suffice(p, beta, FLOAT_ERROR);
	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] != 0)
			kernel_sums_add(sums, i, beta[i]);
	return kernel_sums_open(sums, err);
}

int decision_init_terms(struct kernel_sums *sums, const struct problem_view *p,
			const struct decision_term *term, int64_t n, struct error *err)
{
	if (make_room(sums, p, n, has_floats(p), err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++)
		kernel_sums_add(sums, term[k].example, term[k].coef);
	return kernel_sums_open(sums, err);
}

double decision_certain_tolerance(const struct problem_view *p, const double *beta,
				  double tolerance)
{
	return norm_is_exact(p, beta) ? tolerance : 0;
}

bool decision_float_suffices(const struct problem_view *p, const double *beta, double tolerance)
{
	return problem_source(p)->in_floats &&
	       suffices(value_error(p) * error_in_units(p, beta),
			decision_certain_tolerance(p, beta, tolerance));
}

int decision_of_rows(const struct problem_view *p, const double *beta,
		     const struct decision_rows *rows, double *f, struct error *err)
{
	WORK_SCOPE(work_for(WORK_DECISIONS));
	struct kernel_sums sums;
	int ret;

	if (rows->n == 0)
		return 0;
	if (gather(&sums, p, beta, rows->tolerance, err) < 0)
		return -1;
	ret = kernel_sums_evaluate(&sums, rows->position, rows->n, f, rows->n_threads, err);
	kernel_sums_free(&sums);
	return ret;
}

int decision_values(const struct problem_view *p, const double *beta, double tolerance, double *f,
		    int n_threads, struct error *err)
{
	const struct decision_rows all = {
		.n = p->n,
		.tolerance = decision_certain_tolerance(p, beta, tolerance),
		.n_threads = n_threads,
	};

	return decision_of_rows(p, beta, &all, f, err);
}

/*
 * Is floats' error small enough: that of the largest kernel value, times the largest multiplier, at
 * most eps?
 */
bool decision_float_is_enough(double error, double largest, double c, double eps)
{
	/* the error of the largest value must not be below FLT_MIN, where floats lose digits */
	bool in_range =
		largest == 0 || (largest >= FLT_MIN / FLT_EPSILON && largest <= FLT_MAX / 4);

	return in_range && error * largest * c <= eps;
}

void decision_use_doubles(struct problem_view *p)
{
	p->source = kernel_source_in_doubles(problem_source(p));
}

double decision_far_error(const struct problem_view *p, const double *beta)
{
	double error;

	if (p->kernel.type != KERNEL_LINEAR || p->type == MACHINE_ONE_CLASS)
		return 0;
	error = DBL_EPSILON * sqrt(squared_norm(beta, p->n)) * problem_largest_diagonal(p);
	return error > FAR_ERROR ? error : 0;
}

bool decision_floats_fit(const struct problem_view *p, double eps)
{
	return decision_float_is_enough(value_error(p), problem_largest_diagonal(p),
					problem_largest_c(p), eps);
}

void decision_choose_precision(struct problem_view *p, double eps)
{
	if (!decision_floats_fit(p, eps))
		decision_use_doubles(p);
	else if (problem_is_stepwise(p))
		p->source = kernel_source_for_subset(problem_source(p));
}

int decision_history_init(struct decision_history *h, int64_t n, struct error *err)
{
	/* decision values of beta = 0 are known for all examples: they are 0 */
	*h = (struct decision_history){ .n = n, .n_known = n, .in_doubles = true };
	h->beta = mem_zeroed(n, sizeof(double), err);
	h->f = mem_zeroed(n, sizeof(double), err);
	h->change = mem_array(n, sizeof(double), err);
	h->known = mem_array(n, sizeof(bool), err);
	if (err->code != ERR_NONE)
		return -1;
	memset(h->known, true, (size_t)n * sizeof(bool));
	return 0;
}

void decision_history_free(struct decision_history *h)
{
	mem_free_all(h->beta, h->f, h->known, h->change);
	*h = (struct decision_history){ 0 };
}

/* Compute h->change; is a correction (3) the cheaper way to the decision values of 'beta'? */
static bool changes_are_few(struct decision_history *h, const double *beta)
{
	int64_t n_vectors = 0, n_changed = 0;

	for (int64_t i = 0; i < h->n; i++) {
		h->change[i] = beta[i] - h->beta[i];
		n_changed += h->change[i] != 0;
		n_vectors += beta[i] != 0;
	}
	/*
	 * at first beta and f are 0: all support vectors have changed, and evaluation is from
	 * scratch
	 */
	return (double)n_changed <= CHANGED_SHARE * (double)n_vectors;
}

const double *decision_changes(struct decision_history *h, const double *beta)
{
	/*
	 * a correction (3) needs a value to correct for every example, and few errors (1) added up
	 * in it
	 */
	h->corrects = changes_are_few(h, beta) && h->n_known == h->n &&
		      h->n_corrections < DECISION_MOST_CORRECTIONS;
	return h->corrects ? h->change : beta;
}

void decision_add_changes(struct decision_history *h, const double *beta, bool in_doubles,
			  double *f)
{
	size_t size = (size_t)h->n * sizeof(double);

	/* f holds the correction alone so far: h->f is added to complete (3) */
	for (int64_t i = 0; h->corrects && i < h->n; i++)
		if (h->known[i])
			f[i] += h->f[i];
	/*
	 * values from scratch end a series of corrections, and with it the sum of the corrections'
	 * errors
	 */
	h->n_corrections = h->corrects ? h->n_corrections + 1 : 0;
	h->summed =
		h->corrects ? h->summed + sum_of_sizes(h->change, h->n) : sum_of_sizes(beta, h->n);
	h->in_doubles = in_doubles && (h->in_doubles || !h->corrects);
	memcpy(h->f, f, size);
	memcpy(h->beta, beta, size);
	memset(h->known, true, (size_t)h->n * sizeof(bool));
	h->n_known = h->n;
}

/*
 * Seconds of one evaluation of the first n examples, the quicker of two
 *
 * The first evaluation may have to fill caches and start threads, which later ones do not.
 */
static int measure_seconds(const struct kernel_sums *sums, int64_t n, int n_threads,
			   double *seconds, struct error *err)
{
	int64_t position[MEASURED_EXAMPLES];
	double value[MEASURED_EXAMPLES];
	int ret = 0;

	count_up(position, n);
	*seconds = INFINITY;
	for (int k = 0; k < 2 && ret == 0; k++) {
		double started = clock_seconds(CLOCK_MONOTONIC);

		ret = kernel_sums_values(sums, position, n, value, n_threads, err);
		*seconds = fmin(*seconds, clock_seconds(CLOCK_MONOTONIC) - started);
	}
	return ret;
}

int decision_expected_seconds(const struct problem_view *p, const bool *is_member, double tolerance,
			      int n_threads, double *seconds, struct error *err)
{
	struct problem_view alone = *p;
	int64_t n = int64_min(p->n, MEASURED_EXAMPLES);
	double *beta = mem_zeroed(p->n, sizeof(*beta), err);
	struct kernel_sums sums;
	int ret = -1;

	/*
	 * multipliers at C have the largest error (1): floats only where they suffice for sure.  A
	 * time is measured whole: no interruption cuts it short
	 */
	alone.interruption = NULL;
	for (int64_t i = 0; beta && i < p->n; i++)
		beta[i] = is_member[i] ? problem_c(p, i) : 0;
	if (beta && gather(&sums, &alone, beta, tolerance, err) == 0) {
		ret = measure_seconds(&sums, n, n_threads, seconds, err);
		*seconds *= (double)p->n / (double)n;
		kernel_sums_free(&sums);
	}
	mem_free(beta);
	return ret;
}

/* Correct the known values, and evaluate all others from scratch.  'position' has room for p->n. */
static int evaluate_all(const struct decision_history *h, const struct problem_view *p,
			struct iterate *x, struct decision_rows all, int64_t *position,
			struct error *err)
{
	struct decision_rows known = all, others = all;
	int64_t n = 0, at = h->n_known;

	/* known examples first: a partition of 0 .. n - 1, both parts ascending */
	for (int64_t i = 0; i < h->n; i++)
		position[h->known[i] ? n++ : at++] = i;
	known.position = position;
	known.n = h->n_known;
	others.position = position + h->n_known;
	others.n = h->n - h->n_known;
	if (decision_of_rows(p, h->change, &known, x->f, err) < 0)
		return -1;
	return decision_of_rows(p, x->beta, &others, x->f, err);
}

bool decision_may_correct(struct decision_history *h, const struct problem_view *p,
			  const double *beta)
{
	return h->n_known == h->n && changes_are_few(h, beta) && norm_is_exact(p, beta);
}

int decision_update(struct decision_history *h, const struct problem_view *p, struct iterate *x,
		    int64_t *room, double tolerance, int n_threads, struct error *err)
{
	struct decision_rows all = { .tolerance = tolerance, .n_threads = n_threads };
	int ret;

	/* values of some, but not of all: exact enough for a certificate, and cheaper to correct? */
	if (h->n_known > 0 && h->n_known < h->n && changes_are_few(h, x->beta) &&
	    norm_is_exact(p, x->beta)) {
		h->corrects = true;
		ret = evaluate_all(h, p, x, all, room, err);
	} else {
		ret = decision_values(p, decision_changes(h, x->beta), tolerance, x->f, n_threads,
				      err);
	}
	if (ret == 0)
		decision_add_changes(h, x->beta, problem_source(p)->sums_in_doubles, x->f);
	x->summed = h->summed;
	return ret;
}

/*
 * Evaluate those of the rows whose values are not known, for h->beta: each row meets all support
 * vectors once in the life of a history
 */
static int learn_rows(struct decision_history *h, const struct problem_view *p,
		      const struct decision_rows *rows, struct error *err)
{
	int64_t *position = mem_array(rows->n, sizeof(*position), err);
	struct decision_rows others = *rows;
	int ret = -1;

	if (!position)
		return -1;
	others.n = 0;
	for (int64_t k = 0; k < rows->n; k++)
		if (!h->known[rows->position[k]])
			position[others.n++] = rows->position[k];
	others.position = position;
	ret = decision_of_rows(p, h->beta, &others, h->f, err);
	for (int64_t k = 0; ret == 0 && k < others.n; k++)
		h->known[position[k]] = true;
	h->n_known += ret == 0 ? others.n : 0;
	mem_free(position);
	return ret;
}

int decision_update_rows(struct decision_history *h, const struct problem_view *p,
			 struct iterate *x, const struct decision_rows *rows, struct error *err)
{
	const bool corrects = changes_are_few(h, x->beta);

	h->in_doubles = problem_source(p)->sums_in_doubles && (h->in_doubles || !corrects);
	/* too many changes for a correction (3): begin a new history at the present multipliers */
	if (!corrects) {
		memcpy(h->beta, x->beta, (size_t)h->n * sizeof(double));
		memset(h->known, false, (size_t)h->n * sizeof(bool));
		h->n_known = 0;
		h->n_corrections = 0;
		h->summed = sum_of_sizes(h->beta, h->n);
	}
	/*
	 * rows not yet known, for h->beta; then the correction of all rows asked for, into x->f.
	 * h->beta stays unchanged: values known for it remain valid for the next call
	 */
	if (learn_rows(h, p, rows, err) < 0 ||
	    (corrects && decision_of_rows(p, h->change, rows, x->f, err) < 0))
		return -1;
	x->summed = h->summed + (corrects ? sum_of_sizes(h->change, h->n) : 0);
	for (int64_t k = 0; k < rows->n; k++) {
		int64_t i = rows->position[k];

		x->f[i] = h->f[i] + (corrects ? x->f[i] : 0);
	}
	return 0;
}

/*
 * Do the n listed values of f, which were kept, and of 'anew', recomputed, differ by rounding at
 * most?
 */
static bool are_alike(const double *f, const double *anew, const int64_t *list, int64_t n,
		      double tolerance)
{
	double largest = 0, difference = 0;

	for (int64_t k = 0; k < n; k++) {
		largest = fmax(largest, fabs(anew[list[k]]));
		difference = fmax(difference, fabs(f[list[k]] - anew[list[k]]));
		/* fmax() ignores NAN, which therefore has a test of its own */
		if (!isfinite(f[list[k]]))
			return false;
	}
	return difference <= UNLIKE_SHARE * largest + UNLIKE_TOLERANCES * tolerance;
}

int decision_check_state(const struct checkpoint_block *b, const struct decision_state *v,
			 struct error *err)
{
	const struct rng_place place = { .seed = v->seed, .stream = RNG_CHECKED_ROWS };
	struct decision_rows drawn = v->rows;
	int64_t n = drawn.n, *list = mem_array(n, sizeof(*list), err);
	double *anew = mem_array(v->p->n, sizeof(*anew), err);
	int ret = -1;

	for (int64_t k = 0; list && k < n; k++)
		list[k] = drawn.position ? drawn.position[k] : k;
	drawn.n = int64_min(n, MOST_CHECKED);
	drawn.position = list;
	/* kept values of drawn rows, and those recomputed from all multipliers */
	if (list && anew && rng_subset(&place, list, n, drawn.n, err) == 0 &&
	    decision_of_rows(v->p, v->x->beta, &drawn, anew, err) == 0)
		ret = are_alike(v->x->f, anew, list, drawn.n, drawn.tolerance) ?
			      0 :
			      checkpoint_misfit(b, "other decision values", err);
	mem_free_all(list, anew);
	return ret;
}
