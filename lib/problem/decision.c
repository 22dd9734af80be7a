/*
 * decision.c - decision values of a problem's examples
 *
 * How this works.  f_i = sum_j beta_j K(x_j, x_i) for all rows is most of the work of a training,
 * and is made cheaper in two ways that both cost digits: kernel values in single precision, and
 * corrections of earlier values.
 *
 * Precision.  Kernel values in single precision have independent errors of about
 * u sqrt(K_ii K_jj), u = FLOAT_ERROR; their sums go to doubles every few vectors.  So
 *
 *     error of f_i     u sqrt(K_ii) sqrt(sum_j beta_j^2 K_jj)                   (1)
 *
 * which has to be a small part of the tolerance that f is compared with.  A certificate needs
 * |w|^2 = sum_i beta_i f_i as well, in which errors do not all average out: those of K(x_i, x_i),
 * and of near duplicates, have one sign, and add up to u sum_i beta_i^2 K_ii (2).  Where that is
 * too much of the dual objective, f is computed in double precision: a primal below the true dual
 * was printed otherwise (sinc, epsilon-SVR, C = 100, gamma = 0.01, by 2e-5 of it).
 *
 * Corrections.  f is linear in beta: f' = f + sum_j (beta_j' - beta_j) K(x_j, .) costs as many
 * kernel columns as multipliers have changed (3).  Each correction adds an error (1) of its own.
 * A history holds the values of one beta, of all rows or of those that were asked for since; the
 * others are evaluated from all multipliers when they are asked for.  So a row that is near the
 * margin and is looked at in each round meets all support vectors once.
 *
 * Where the problem has a near_matrix (kernel/near_matrix.h) each support vector adds its values to
 * the rows near it, in doubles, as (1) allows floats; else tiles of rows meet all support vectors.
 *
 * Sizes of K(x, x) count, not their signs: for kernels that are not positive definite the sum of
 * beta^2 K(x, x) might cancel, and say that single precision suffices where it does not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/decision.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/thread.h"
#include "kernel/float_sums.h"
#include "kernel/row_ranks.h"
#include "problem/class_tiles.h"

/* Share of the tolerance that (1) may be: seven eighths are left for the optimisation itself. */
#define ERROR_SHARE 0.125

/*
 * Largest sum beta_i^2 K_ii, in multiples of the linear part of the dual: (2) is then at most
 * 20 u = 2e-6 of that part.
 */
#define MOST_SQUARES 20

/* Examples that a task sums for by the matrix: their values stay in the processor's cache. */
#define MATRIX_EXAMPLES 256

/*
 * Kernel values between two looks at whether an end is wanted: a tenth of a second of a core, where
 * rows are short.  The rows of a look fill whole tiles, so that no sum depends on it.
 */
#define VALUES_A_LOOK 1e8
#define ROWS_A_LOOK (16 * FLOAT_TILE_LANES)

/* Products of a sum over the matrix from which on threads pay: about a millisecond's. */
#define MATRIX_THREADS_FROM 1e6

/*
 * Decision values that are kept and computed anew may differ by this share of the largest, and by as
 * many tolerances: the steps that led to them were made with other roundings.
 */
#define UNLIKE_SHARE 1e-2
#define UNLIKE_TOLERANCES 100

/* Examples of decision_expected_seconds(): some tiles for each of a few threads. */
#define MEASURED_EXAMPLES 2048

/* Multipliers changed, as a share of the support vectors, up to which (3) is the cheaper way. */
#define CHANGED_SHARE 0.5

void decision_free(struct decision *d)
{
	float_vectors_free(&d->vectors);
	mem_free(d->example);
	mem_free(d->row);
	mem_free(d->coef);
	expansion_free(&d->expansion);
	csr_free(&d->sv);
	*d = (struct decision){ 0 };
}

static int error_kernel_overflows(struct error *err)
{
	return error_set(err, ERR_NUMERIC, "no finite solution: the kernel overflows");
}

static bool has_wide_matrix(const struct problem_view *p)
{
	return p->matrix && p->matrix->wide_value;
}

/* Is (1) small enough, with the largest K_ii for all i? */
static bool float_suffices(const struct problem_view *p, const double *beta, double tolerance)
{
	double sum = 0, largest = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double k = fabs(problem_diagonal(p, i));

		sum += beta[i] * beta[i] * k;
		largest = fmax(largest, k);
	}
	return FLOAT_ERROR * sqrt(sum * largest) <= ERROR_SHARE * tolerance;
}

static int64_t count_vectors(const double *beta, int64_t n)
{
	int64_t n_vectors = 0;

	for (int64_t i = 0; i < n; i++)
		n_vectors += beta[i] != 0;
	return n_vectors;
}

/* linear kernels have weights, which are made and applied in double at no more cost */
static bool has_floats(const struct problem_view *p)
{
	return p->x_float && p->kernel.type != KERNEL_LINEAR && !has_wide_matrix(p);
}

bool decision_in_floats(const struct problem_view *p, const double *beta, double tolerance)
{
	return has_floats(p) && float_suffices(p, beta, tolerance);
}

/* The vectors themselves, where coefficients are known; row[j] is that of vector j. */
static int gather_vectors(struct decision *d, const int64_t *row, struct error *err)
{
	const struct problem_view *p = d->p;
	const int64_t n_of_class[2] = { d->n_vectors, 0 };
	int ret = -1;

	if (d->in_floats)
		return float_vectors_gather(&d->vectors, p->x_float, row, d->n_vectors, err);
	if (csr_gather(&d->sv, p->x, row, d->n_vectors, err) == 0) {
		/* one decision function, the pair (0, 1), with all vectors in class 0 */
		ret = expansion_init(&d->expansion, &p->kernel,
				     &(struct support_vectors){ &d->sv, 2, n_of_class, d->coef },
				     err);
		/* else it has borrowed them, or other ranks will get them */
		if (!d->expansion.wide && !p->ranks)
			csr_free(&d->sv);
	}
	return ret;
}

/* Room for n vectors: coefficients, and what says which they are. */
static int make_room(struct decision *d, int64_t n, struct error *err)
{
	d->coef = mem_array(n, sizeof(*d->coef), err);
	d->row = mem_array(n, sizeof(*d->row), err);
	if (d->in_floats && d->p->near_matrix)
		d->example = mem_array(n, sizeof(*d->example), err);
	return err->code == ERR_NONE ? 0 : -1;
}

static void add_vector(struct decision *d, int64_t example, double coef)
{
	d->row[d->n_vectors] = d->p->row[example];
	if (d->example)
		d->example[d->n_vectors] = example;
	d->coef[d->n_vectors++] = coef;
}

/* All vectors have been added. */
static int complete(struct decision *d, struct error *err)
{
	int ret = 0;

	if (has_wide_matrix(d->p))
		return 0;
	if (!d->example)
		ret = gather_vectors(d, d->row, err);
	mem_free(d->row);
	d->row = NULL;
	return ret;
}

int decision_init(struct decision *d, const struct problem_view *p, const double *beta,
		  double tolerance, struct error *err)
{
	*d = (struct decision){ .p = p, .in_floats = decision_in_floats(p, beta, tolerance) };
	if (make_room(d, count_vectors(beta, p->n), err) < 0)
		goto fail;
	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] != 0)
			add_vector(d, i, beta[i]);
	if (complete(d, err) == 0)
		return 0;
fail:
	decision_free(d);
	return -1;
}

int decision_init_terms(struct decision *d, const struct problem_view *p,
			const struct decision_term *term, int64_t n, struct error *err)
{
	*d = (struct decision){ .p = p, .in_floats = has_floats(p) };
	if (make_room(d, n, err) < 0)
		goto fail;
	for (int64_t k = 0; k < n; k++)
		add_vector(d, term[k].example, term[k].coef);
	if (complete(d, err) == 0)
		return 0;
fail:
	decision_free(d);
	return -1;
}

/* By the kernel values that are there: what each support vector adds to all examples near it. */
static int evaluate_near(const struct decision *d, const int64_t *position, int64_t n, double *f,
			 struct error *err)
{
	double *sum = mem_zeroed(d->p->n, sizeof(*sum), err);

	for (int64_t j = 0; sum && j < d->n_vectors; j++)
		near_matrix_add(d->p->near_matrix, d->example[j], d->coef[j], sum);
	for (int64_t k = 0; sum && k < n; k++) {
		int64_t i = position ? position[k] : k;

		f[i] = sum[i];
	}
	mem_free(sum);
	return sum ? 0 : -1;
}

/* Decision values of n examples by the problem's matrix: f[k] of example position[k], or k. */
struct matrix_sums {
	const struct decision *d;
	const int64_t *row; /* n */
	int64_t n;
	double *f;
};

/* The values of a vector with some examples are part of one row, and next to one another. */
static void sum_matrix_task(void *arg, int64_t task, int thread)
{
	const struct matrix_sums *s = arg;
	const struct kernel_matrix *m = s->d->p->matrix;
	int64_t first = task * MATRIX_EXAMPLES, end = int64_min(first + MATRIX_EXAMPLES, s->n);

	(void)thread;
	memset(s->f + first, 0, (size_t)(end - first) * sizeof(*s->f));
	for (int64_t j = 0; j < s->d->n_vectors; j++) {
		const double *values = m->wide_value + s->d->row[j] * m->stride;

		for (int64_t k = first; k < end; k++)
			s->f[k] += s->d->coef[j] * values[s->row[k]];
	}
}

static void evaluate_by_matrix(const struct decision *d, const int64_t *row, int64_t n, double *f,
			       int n_threads)
{
	struct matrix_sums sums = { d, row, n, f };

	if ((double)n * (double)d->n_vectors < MATRIX_THREADS_FROM)
		n_threads = 1;
	thread_parallel_for(n_threads, int64_blocks(n, MATRIX_EXAMPLES), sum_matrix_task, &sums);
}

/* value[k] of row[k] for k < n, by kernel values of rows and vectors. */
static int sum_rows(const struct decision *d, const int64_t *row, int64_t n, double *value,
		    int n_threads, struct error *err)
{
	const struct problem_view *p = d->p;

	if (d->in_floats)
		return row_ranks_float_sums(p->ranks, (struct float_rows){ p->x_float, row, n },
					    &d->vectors, d->coef, value, n_threads, err);
	return row_ranks_expand(p->ranks,
				&(struct rank_expansion){ p->x, &d->expansion, &d->sv, d->coef },
				row, n, value, n_threads, err);
}

/* The same, as many rows at a time as take a moment. */
static int sum_rows_by_looks(const struct decision *d, const int64_t *row, int64_t n, double *value,
			     int n_threads, struct error *err)
{
	const struct interruption *interruption = d->p->interruption;
	double values = VALUES_A_LOOK * (d->p->ranks ? d->p->ranks->group->size : 1);
	int64_t some = (int64_t)(values / ((double)d->n_vectors + 1)) / ROWS_A_LOOK * ROWS_A_LOOK;

	some = interruption ? int64_max(some, ROWS_A_LOOK) : n;
	for (int64_t first = 0; first < n; first += some) {
		int64_t count = int64_min(some, n - first);

		if (interruption_requested(interruption))
			return error_set(err, ERR_INTERRUPTED, "interrupted");
		if (sum_rows(d, row + first, count, value + first, n_threads, err) < 0)
			return -1;
	}
	return 0;
}

int decision_evaluate(const struct decision *d, const int64_t *position, int64_t n, double *f,
		      int n_threads, struct error *err)
{
	const struct problem_view *p = d->p;
	int64_t *row;
	double *value;
	int ret = -1;

	if (d->example)
		return evaluate_near(d, position, n, f, err);
	row = mem_array(n, sizeof(*row), err);
	value = position ? mem_array(n, sizeof(*value), err) : f;
	if (!row || !value)
		goto out;
	for (int64_t i = 0; i < n; i++)
		row[i] = p->row[position ? position[i] : i];
	ret = 0;
	/* all examples of a pair of classes are in tiles already */
	if (d->row)
		evaluate_by_matrix(d, row, n, value, n_threads);
	else if (d->in_floats && !position && class_pair_has_tiles(&p->pair))
		ret = class_pair_sums(&p->pair, &d->vectors, d->coef, value, err);
	else
		ret = sum_rows_by_looks(d, row, n, value, n_threads, err);
	for (int64_t i = 0; ret == 0 && i < n; i++)
		if (!isfinite(value[i]))
			ret = error_kernel_overflows(err);
	for (int64_t i = 0; position && ret == 0 && i < n; i++)
		f[position[i]] = value[i];
out:
	if (position)
		mem_free(value);
	mem_free(row);
	return ret;
}

/*
 * Is (2) small enough, compared with sum |t_i beta_i - epsilon |beta_i||?  For the machines of nu
 * that is D with what the thresholds give for the sums.  One-class has 0 for it; but a kernel that is
 * never negative makes |w|^2 at least (2).
 */
static bool norm_is_exact(const struct problem_view *p, const double *beta)
{
	double squares = 0, linear = 0;

	if (p->type == MACHINE_ONE_CLASS)
		return p->kernel.type == KERNEL_RBF;
	for (int64_t i = 0; i < p->n; i++) {
		squares += beta[i] * beta[i] * fabs(problem_diagonal(p, i));
		linear += fabs(problem_linear(p, i) * beta[i] - p->epsilon * fabs(beta[i]));
	}
	return squares <= MOST_SQUARES * linear;
}

double decision_certain_tolerance(const struct problem_view *p, const double *beta,
				  double tolerance)
{
	return norm_is_exact(p, beta) ? tolerance : 0;
}

bool decision_float_suffices(const struct problem_view *p, const double *beta, double tolerance)
{
	return (p->x_float || p->rounds_matrix) &&
	       float_suffices(p, beta, decision_certain_tolerance(p, beta, tolerance));
}

int decision_values(const struct problem_view *p, const double *beta, double tolerance, double *f,
		    int n_threads, struct error *err)
{
	struct decision d;
	int ret;

	if (decision_init(&d, p, beta, decision_certain_tolerance(p, beta, tolerance), err) < 0)
		return -1;
	ret = decision_evaluate(&d, NULL, p->n, f, n_threads, err);
	decision_free(&d);
	return ret;
}

bool decision_float_is_enough(double largest, double c, double eps)
{
	bool in_range =
		largest == 0 || (largest >= FLT_MIN / FLT_EPSILON && largest <= FLT_MAX / 4);

	return in_range && FLOAT_ERROR * largest * c <= eps;
}

void decision_use_doubles(struct problem_view *p)
{
	p->x_float = NULL;
	p->pair.tiles = NULL;
	if (p->matrix && !p->matrix->wide_value)
		p->matrix = NULL;
}

bool decision_choose_precision(struct problem_view *p, double eps)
{
	const struct float_vectors *x_float;
	double largest = 0;
	bool suffices;

	for (int64_t i = 0; i < p->n; i++)
		largest = fmax(largest, fabs(problem_diagonal(p, i)));
	suffices = decision_float_is_enough(largest, fmax(p->c_plus, p->c_minus), eps);
	if (suffices && !problem_is_stepwise(p))
		return true;
	x_float = suffices ? p->x_float : NULL;
	decision_use_doubles(p);
	p->x_float = x_float;
	return false;
}

int decision_history_init(struct decision_history *h, int64_t n, struct error *err)
{
	*h = (struct decision_history){ .n = n, .n_known = n };
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
	mem_free(h->beta);
	mem_free(h->f);
	mem_free(h->known);
	mem_free(h->change);
	*h = (struct decision_history){ 0 };
}

/* Computes h->change; would it be the cheaper way to the values of 'beta'? */
static bool changes_are_few(struct decision_history *h, const double *beta)
{
	int64_t n_vectors = 0, n_changed = 0;

	for (int64_t i = 0; i < h->n; i++) {
		h->change[i] = beta[i] - h->beta[i];
		n_changed += h->change[i] != 0;
		n_vectors += beta[i] != 0;
	}
	/* at first beta and f are 0: all support vectors have changed, and it is from scratch */
	return (double)n_changed <= CHANGED_SHARE * (double)n_vectors;
}

const double *decision_changes(struct decision_history *h, const double *beta)
{
	h->corrects = changes_are_few(h, beta) && h->n_known == h->n &&
		      h->n_corrections < DECISION_MOST_CORRECTIONS;
	return h->corrects ? h->change : beta;
}

void decision_add_changes(struct decision_history *h, const double *beta, double *f)
{
	size_t size = (size_t)h->n * sizeof(double);

	for (int64_t i = 0; h->corrects && i < h->n; i++)
		if (h->known[i])
			f[i] += h->f[i];
	h->n_corrections = h->corrects ? h->n_corrections + 1 : 0;
	memcpy(h->f, f, size);
	memcpy(h->beta, beta, size);
	memset(h->known, true, (size_t)h->n * sizeof(bool));
	h->n_known = h->n;
}

/* f of the examples listed, for these coefficients. */
static int evaluate_rows(const struct problem_view *p, const double *coef,
			 const struct decision_rows *rows, double *f, struct error *err)
{
	struct decision d;
	int ret;

	if (rows->n == 0)
		return 0;
	if (decision_init(&d, p, coef, rows->tolerance, err) < 0)
		return -1;
	ret = decision_evaluate(&d, rows->position, rows->n, f, rows->n_threads, err);
	decision_free(&d);
	return ret;
}

/* Seconds of one evaluation of the first n examples, the quicker one of two. */
static int measure_seconds(const struct decision *d, int64_t n, int n_threads, double *f,
			   double *seconds, struct error *err)
{
	int64_t *position = mem_array(n, sizeof(*position), err);
	int ret = position ? 0 : -1;

	*seconds = INFINITY;
	for (int64_t i = 0; position && i < n; i++)
		position[i] = i;
	for (int k = 0; k < 2 && ret == 0; k++) {
		double started = clock_seconds(CLOCK_MONOTONIC);

		ret = decision_evaluate(d, position, n, f, n_threads, err);
		*seconds = fmin(*seconds, clock_seconds(CLOCK_MONOTONIC) - started);
	}
	mem_free(position);
	return ret;
}

int decision_expected_seconds(const struct problem_view *p, const bool *is_member, double tolerance,
			      int n_threads, double *seconds, struct error *err)
{
	struct problem_view alone = *p;
	int64_t n = int64_min(p->n, MEASURED_EXAMPLES);
	double *beta = mem_zeroed(p->n, sizeof(*beta), err), *f = mem_array(p->n, sizeof(*f), err);
	struct decision d;
	int ret = -1;

	alone.interruption = NULL;
	alone.ranks = NULL;
	for (int64_t i = 0; beta && i < p->n; i++)
		beta[i] = is_member[i] ? problem_c(p, i) : 0;
	if (beta && f && decision_init(&d, &alone, beta, tolerance, err) == 0) {
		ret = measure_seconds(&d, n, n_threads, f, seconds, err);
		*seconds *= (double)p->n / (double)n;
		decision_free(&d);
	}
	mem_free(beta);
	mem_free(f);
	return ret;
}

/* Corrections to the known values, and all of the others.  'position' has room for p->n. */
static int evaluate_all(const struct decision_history *h, const struct problem_view *p,
			struct iterate *x, struct decision_rows all, int64_t *position,
			struct error *err)
{
	struct decision_rows known = all, others = all;
	int64_t n = 0, at = h->n_known;

	for (int64_t i = 0; i < h->n; i++)
		position[h->known[i] ? n++ : at++] = i;
	known.position = position;
	known.n = h->n_known;
	others.position = position + h->n_known;
	others.n = h->n - h->n_known;
	return evaluate_rows(p, h->change, &known, x->f, err) < 0 ||
			       evaluate_rows(p, x->beta, &others, x->f, err) < 0 ?
		       -1 :
		       0;
}

/* Are the values of some examples known, exactly enough for a certificate, and soon corrected? */
static bool some_are_known(struct decision_history *h, const struct problem_view *p,
			   const double *beta)
{
	return h->n_known > 0 && h->n_known < h->n && changes_are_few(h, beta) &&
	       norm_is_exact(p, beta);
}

bool decision_may_correct(struct decision_history *h, const struct problem_view *p,
			  const double *beta)
{
	return h->n_known == h->n && changes_are_few(h, beta) && norm_is_exact(p, beta);
}

int decision_update(struct decision_history *h, const struct problem_view *p, struct iterate *x,
		    double tolerance, int n_threads, struct error *err)
{
	struct decision_rows all = { .tolerance = tolerance, .n_threads = n_threads };
	int ret;

	if (some_are_known(h, p, x->beta)) {
		int64_t *position = mem_array(h->n, sizeof(*position), err);

		h->corrects = true;
		ret = position ? evaluate_all(h, p, x, all, position, err) : -1;
		mem_free(position);
	} else {
		ret = decision_values(p, decision_changes(h, x->beta), tolerance, x->f, n_threads,
				      err);
	}
	if (ret == 0)
		decision_add_changes(h, x->beta, x->f);
	return ret;
}

/* Evaluate those of the rows that are not known, for h->beta. */
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
	ret = evaluate_rows(p, h->beta, &others, h->f, err);
	for (int64_t k = 0; ret == 0 && k < others.n; k++)
		h->known[position[k]] = true;
	h->n_known += ret == 0 ? others.n : 0;
	mem_free(position);
	return ret;
}

int decision_update_rows(struct decision_history *h, const struct problem_view *p,
			 struct iterate *x, const struct decision_rows *rows, struct error *err)
{
	bool corrects = changes_are_few(h, x->beta);

	if (!corrects) {
		memcpy(h->beta, x->beta, (size_t)h->n * sizeof(double));
		memset(h->known, false, (size_t)h->n * sizeof(bool));
		h->n_known = 0;
		h->n_corrections = 0;
	}
	if (learn_rows(h, p, rows, err) < 0 ||
	    (corrects && evaluate_rows(p, h->change, rows, x->f, err) < 0))
		return -1;
	for (int64_t k = 0; k < rows->n; k++) {
		int64_t i = rows->position[k];

		x->f[i] = h->f[i] + (corrects ? x->f[i] : 0);
	}
	return 0;
}

/* Are the n values listed about the same? */
static bool are_alike(const double *f, const double *anew, const int64_t *list, int64_t n,
		      double tolerance)
{
	double largest = 0, difference = 0;

	for (int64_t k = 0; k < n; k++) {
		largest = fmax(largest, fabs(anew[list[k]]));
		difference = fmax(difference, fabs(f[list[k]] - anew[list[k]]));
		if (!isfinite(f[list[k]]))
			return false;
	}
	return difference <= UNLIKE_SHARE * largest + UNLIKE_TOLERANCES * tolerance;
}

bool decision_values_fit(const struct problem_view *p, const struct iterate *x,
			 const struct decision_rows *rows, uint64_t seed, struct error *err)
{
	const struct rng_place place = { .seed = seed, .stream = RNG_CHECKED_ROWS };
	struct decision_rows drawn = *rows;
	int64_t *list = mem_array(rows->n, sizeof(*list), err);
	double *anew = mem_array(p->n, sizeof(*anew), err);
	bool fit = false;

	if (list && anew && rows->n > 0)
		memcpy(list, rows->position, (size_t)rows->n * sizeof(*list));
	drawn.n = int64_min(rows->n, DECISION_MOST_CHECKED);
	drawn.position = list;
	if (list && anew && rng_subset(&place, list, rows->n, drawn.n, err) == 0 &&
	    evaluate_rows(p, x->beta, &drawn, anew, err) == 0)
		fit = are_alike(x->f, anew, list, drawn.n, rows->tolerance);
	mem_free(list);
	mem_free(anew);
	return fit;
}
