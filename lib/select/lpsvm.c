/*
 * lpsvm.c - features by the linear programming machine with the 1-norm
 *
 * With B = D [A, e] (D = diag(y)), the columns of A scaled to norm 1 by the factors 'bound', and
 * multipliers p, q, g, z, s of the dual's constraints:
 *
 *     a = (A'Du - bound + eps p)+   b = (-A'Du - bound + eps q)+   c = e'Du + eps g
 *     h = (u - nu e + eps z)+       k = (-u + eps s)+
 *     f(u) = -eps e'u + (|a|^2 + |b|^2 + c^2 + |h|^2 + |k|^2) / 2
 *
 * At the least u, a / eps, ... are the next multipliers, and w_j = bound_j (p_j - q_j), gamma = -g.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/lpsvm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "matrix/columns.h"
#include "matrix/gram.h"

enum {
	MAX_OUTER = 200,
	MAX_NEWTON = 300, /* in an outer step */
	MAX_TRIALS = 40,  /* in a line search */
	MAX_BISECTIONS = 40,
	MAX_SHIFTS = 30,  /* of a matrix that is not positive definite */
	COLUMN_BLOCK = 64 /* columns a thread takes at a time */
};

#define FIRST_EPS 0.1
#define LEAST_EPS 1e-6

/* The gap should fall by this factor in an outer step, or eps falls by the other. */
#define GAP_FACTOR 4
#define EPS_FACTOR 3

/* Of the derivative along a step so much may be left. */
#define FLAT 0.05

#define INNER_TOLERANCE 1e-6 /* of the gradient, in eps */

/* What takes the place of zeros of the diagonal: a share of the gradient, but at least this. */
#define LEAST_SHIFT 1e-9
#define SHIFT_SHARE 1e-6

/*
 * Weights up to the gap wanted times the primal value may be zeros that are not resolved yet; up to
 * this share of the gap, in steps of the factor, what is left out may be less.
 */
#define LEAST_SHARE 1e-4
#define SHARE_FACTOR 10

/* Bisection of log nu ends at this width. */
#define LEAST_WIDTH 1e-3

struct program {
	const struct lpsvm_options *o;
	const double *y;
	struct columns columns; /* of D A */
	int64_t n, d;
	double nu, eps;
	double *u, *z, *s; /* n each */
	double *p, *q;	   /* d each */
	double *bound;	   /* d: by what columns were multiplied to have norm 1 */
	double g;
	/* of u: B'u, f and its gradient; of the step: B'step */
	double *product, *step_product;	 /* d + 1: the last is e'Du */
	double *gradient, *step, *trial; /* n */
	double *diagonal, *slack;	 /* n */
	double *w, *best_w;		 /* d */
	int32_t *active;		 /* J and then d, which stands for e; d + 1 */
	int64_t n_active;
	double *matrix;
	int64_t matrix_capacity;
	double *small; /* n or |J| + 1, whichever is less */
	struct thread_team *team;
	const double *multiplied; /* by B' */
	double *into;
};

static void program_free(struct program *l)
{
	double *of_rows[] = { l->u,	l->z,	     l->s,     l->gradient, l->step,
			      l->trial, l->diagonal, l->slack, l->small };
	double *of_columns[] = {
		l->bound, l->p, l->q, l->product, l->step_product, l->w, l->best_w
	};

	for (size_t k = 0; k < sizeof(of_rows) / sizeof(*of_rows); k++)
		free(of_rows[k]);
	for (size_t k = 0; k < sizeof(of_columns) / sizeof(*of_columns); k++)
		free(of_columns[k]);
	free(l->active);
	free(l->matrix);
	columns_free(&l->columns);
	thread_team_stop(l->team);
}

/* The norm of n values whose squares may overflow or vanish. */
static double norm_of(const double *x, int64_t n)
{
	double largest = 0, sum = 0;

	for (int64_t k = 0; k < n; k++)
		largest = fabs(x[k]) <= largest ? largest : fabs(x[k]);
	for (int64_t k = 0; k < n; k++)
		sum += x[k] / largest * (x[k] / largest);
	return largest * sqrt(sum);
}

static int scale_columns(struct program *l, struct error *err)
{
	struct csr *a = &l->columns.by_column;

	for (int64_t j = 0; j < l->d; j++) {
		int64_t first = a->row_start[j], end = a->row_start[j + 1];

		l->bound[j] = 1 / norm_of(a->val + first, end - first);
		if (!isnormal(l->bound[j]))
			return error_set(err, ERR_NUMERIC, "a value is not finite, or too large");
		for (int64_t k = first; k < end; k++)
			a->val[k] *= l->bound[j] * l->y[a->col[k]];
	}
	return 0;
}

static int program_init(struct program *l, const struct csr *x, struct error *err)
{
	double **of_rows[] = { &l->u,	  &l->z,	&l->s,	   &l->gradient, &l->step,
			       &l->trial, &l->diagonal, &l->slack, &l->small };
	double **of_columns[] = { &l->bound,	    &l->p, &l->q,     &l->product,
				  &l->step_product, &l->w, &l->best_w };

	if (columns_init(&l->columns, x, err) < 0 || columns_drop_twins(&l->columns, err) < 0)
		return -1;
	l->n = x->n_rows;
	l->d = l->columns.n;
	for (size_t k = 0; k < sizeof(of_rows) / sizeof(*of_rows); k++)
		*of_rows[k] = mem_zeroed(l->n, sizeof(double), err);
	for (size_t k = 0; k < sizeof(of_columns) / sizeof(*of_columns); k++)
		*of_columns[k] = mem_zeroed(l->d + 1, sizeof(double), err);
	l->active = mem_array(l->d + 1, sizeof(*l->active), err);
	l->team = thread_team_start(thread_clamp_count(l->o->n_threads), err);
	if (err->code != ERR_NONE)
		return -1;
	return scale_columns(l, err);
}

static double positive(double x)
{
	return x > 0 ? x : 0;
}

static double dot(const double *a, const double *b, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static double largest_size(const double *a, int64_t n)
{
	double most = 0;

	for (int64_t i = 0; i < n; i++)
		most = fabs(a[i]) <= most ? most : fabs(a[i]);
	return most;
}

/* ---- Products ---- */

static void multiply_block(void *arg, int64_t block, int thread)
{
	const struct program *l = arg;
	int64_t end = (block + 1) * COLUMN_BLOCK < l->d ? (block + 1) * COLUMN_BLOCK : l->d;

	(void)thread;
	for (int64_t j = block * COLUMN_BLOCK; j < end; j++)
		l->into[j] = csr_row_dot(&l->columns.by_column, j, l->multiplied);
}

/* out = B'v */
static void multiply(struct program *l, const double *v, double *out)
{
	l->multiplied = v;
	l->into = out;
	thread_team_for(l->team, (l->d + COLUMN_BLOCK - 1) / COLUMN_BLOCK, multiply_block, l);
	out[l->d] = dot(l->y, v, l->n);
}

/* out += sum over the columns of B of coef_j times the column; zeros cost nothing */
static void add_columns(const struct program *l, const double *coef, double *out)
{
	const struct csr *a = &l->columns.by_column;

	for (int64_t j = 0; j < l->d; j++)
		for (int64_t k = a->row_start[j]; coef[j] != 0 && k < a->row_start[j + 1]; k++)
			out[a->col[k]] += coef[j] * a->val[k];
	blas_add_scaled(out, l->n, coef[l->d], l->y);
}

/* ---- The function minimised ---- */

/* a or b of a column; h or k of a row */
struct pair {
	double first, second;
};

static struct pair excess_of(const struct program *l, int64_t j, double product)
{
	return (struct pair){ positive(product - l->bound[j] + l->eps * l->p[j]),
			      positive(-product - l->bound[j] + l->eps * l->q[j]) };
}

static struct pair outside_of(const struct program *l, int64_t i, double u)
{
	return (struct pair){ positive(u - l->nu + l->eps * l->z[i]),
			      positive(-u + l->eps * l->s[i]) };
}

/* The derivative of f at u + t step with respect to t: rises, piecewise linear; and its own. */
struct slope {
	double at, rise;
};

static struct slope slope_at(const struct program *l, double t)
{
	const double *step = l->step_product;
	struct slope f = { (l->product[l->d] + t * step[l->d] + l->eps * l->g) * step[l->d],
			   step[l->d] * step[l->d] };

	for (int64_t j = 0; j < l->d; j++) {
		struct pair excess = excess_of(l, j, l->product[j] + t * step[j]);

		if (excess.first != excess.second) {
			f.at += (excess.first - excess.second) * step[j];
			f.rise += step[j] * step[j];
		}
	}
	for (int64_t i = 0; i < l->n; i++) {
		struct pair outside = outside_of(l, i, l->u[i] + t * l->step[i]);

		f.at += (outside.first - outside.second - l->eps) * l->step[i];
		f.rise += ((outside.first > 0) + (outside.second > 0)) * l->step[i] * l->step[i];
	}
	return f;
}

/* The gradient at u; also J, and the diagonal, whose zeros become 'shift' later on. */
static void differentiate(struct program *l)
{
	l->n_active = 0;
	for (int64_t j = 0; j < l->d; j++) {
		struct pair excess = excess_of(l, j, l->product[j]);

		l->w[j] = excess.first - excess.second;
		if (excess.first > 0 || excess.second > 0)
			l->active[l->n_active++] = (int32_t)j;
	}
	l->active[l->n_active] = (int32_t)l->d;
	l->w[l->d] = l->product[l->d] + l->eps * l->g;
	for (int64_t i = 0; i < l->n; i++) {
		struct pair outside = outside_of(l, i, l->u[i]);

		l->gradient[i] = outside.first - outside.second - l->eps;
		l->diagonal[i] = (outside.first > 0) + (outside.second > 0);
	}
	add_columns(l, l->w, l->gradient);
}

/* ---- Newton steps ---- */

/* The rows of 'h' are the columns of B in J, and the last; divided by the root of 'scale'. */
static int gather_active(const struct program *l, const double *scale, struct csr *h,
			 struct error *err)
{
	const struct csr *a = &l->columns.by_column;
	int64_t longest = l->n, start[2] = { 0, 0 };
	int32_t *col = mem_array(longest, sizeof(*col), err);
	double *val = mem_array(longest, sizeof(*val), err);
	int ret = col && val ? 0 : -1;

	h->n_cols = l->n;
	for (int64_t m = 0; ret == 0 && m <= l->n_active; m++) {
		int32_t j = l->active[m];
		int64_t first = m < l->n_active ? a->row_start[j] : 0;
		int64_t end = m < l->n_active ? a->row_start[j + 1] : l->n;

		for (int64_t k = first; k < end; k++) {
			int32_t i = m < l->n_active ? a->col[k] : (int32_t)k;
			double value = m < l->n_active ? a->val[k] : l->y[k];

			col[k - first] = i;
			val[k - first] = scale ? value / sqrt(scale[i]) : value;
		}
		start[1] = end - first;
		ret = csr_append(h, 1, start, col, val, err);
	}
	h->n_cols = l->n;
	free(col);
	free(val);
	return ret;
}

/* l->matrix = rows rows' + diag(1, or 'add'), factored.  1 if it is not positive definite. */
static int factor_products(struct program *l, const struct csr *rows, const struct csr *columns,
			   const double *add, struct error *err)
{
	int64_t m = rows->n_rows;

	if (mem_grow(&l->matrix, &l->matrix_capacity, m * m, sizeof(*l->matrix), err) < 0 ||
	    gram_rows(rows, columns, l->matrix, l->o->n_threads, err) < 0 || blas_reserve(err) < 0)
		return -1;
	for (int64_t i = 0; i < m; i++)
		l->matrix[i * m + i] += add ? add[i] : 1;
	return blas_cholesky(l->matrix, m, m) < 0;
}

/* step = -(F + H H')^-1 gradient, H having fewer columns than rows: by Woodbury's identity */
static int few_columns(struct program *l, struct error *err)
{
	struct csr h = { 0 }, t = { 0 };
	int ret = -1;

	/* with G = F^-1/2 H: F^-1/2 (I - G (I + G'G)^-1 G') F^-1/2 */
	if (gather_active(l, l->diagonal, &h, err) < 0 || csr_transpose(&t, &h, err) < 0)
		goto out;
	ret = factor_products(l, &h, &t, NULL, err);
	if (ret != 0)
		goto out;
	for (int64_t i = 0; i < l->n; i++)
		l->trial[i] = -l->gradient[i] / sqrt(l->diagonal[i]);
	for (int64_t m = 0; m < h.n_rows; m++)
		l->small[m] = csr_row_dot(&h, m, l->trial);
	blas_cholesky_solve(l->matrix, h.n_rows, h.n_rows, l->small);
	for (int64_t i = 0; i < l->n; i++)
		l->step[i] = (l->trial[i] - csr_row_dot(&t, i, l->small)) / sqrt(l->diagonal[i]);
out:
	csr_free(&h);
	csr_free(&t);
	return ret;
}

static int many_columns(struct program *l, struct error *err)
{
	struct csr h = { 0 }, t = { 0 };
	int ret = -1;

	if (gather_active(l, NULL, &h, err) == 0 && csr_transpose(&t, &h, err) == 0)
		ret = factor_products(l, &t, &h, l->diagonal, err);
	if (ret == 0) {
		for (int64_t i = 0; i < l->n; i++)
			l->step[i] = -l->gradient[i];
		blas_cholesky_solve(l->matrix, l->n, l->n, l->step);
	}
	csr_free(&h);
	csr_free(&t);
	return ret;
}

/* The Newton direction; what is singular to rounding gets a larger diagonal. */
static int find_step(struct program *l, struct error *err)
{
	double shift = fmax(LEAST_SHIFT, SHIFT_SHARE * sqrt(dot(l->gradient, l->gradient, l->n)));
	double before = 0;
	int ret = 1;

	for (int turn = 0; ret == 1 && turn < MAX_SHIFTS; turn++) {
		for (int64_t i = 0; i < l->n; i++)
			if (l->diagonal[i] <= before)
				l->diagonal[i] = shift;
		ret = l->n_active + 1 < l->n ? few_columns(l, err) : many_columns(l, err);
		before = shift;
		shift *= 10;
	}
	if (ret == 1)
		return error_set(err, ERR_NUMERIC, "values are too large for a linear program");
	return ret;
}

/*
 * The t > 0 where f is least along the step, nearly: Newton's method on the derivative between
 * bounds, which bisection moves where it fails.
 */
static double least_along(const struct program *l)
{
	double start = slope_at(l, 0).at, low = 0, high = INFINITY, t = 1;

	for (int k = 0; k < MAX_TRIALS; k++) {
		struct slope f = slope_at(l, t);

		if (fabs(f.at) <= FLAT * fabs(start))
			break;
		*(f.at < 0 ? &low : &high) = t;
		t -= f.at / f.rise;
		if (!(t > low && t < high))
			t = isinf(high) ? 2 * low : (low + high) / 2;
	}
	return t;
}

/* u += t step.  Returns false if f falls no more. */
static bool search_line(struct program *l)
{
	double t;

	multiply(l, l->step, l->step_product);
	if (!(dot(l->gradient, l->step, l->n) < 0))
		return false;
	t = least_along(l);
	blas_add_scaled(l->u, l->n, t, l->step);
	blas_add_scaled(l->product, l->d + 1, t, l->step_product);
	return true;
}

static int minimise(struct program *l, int *n_newton, struct error *err)
{
	multiply(l, l->u, l->product);
	for (int k = 0; k < MAX_NEWTON; k++) {
		differentiate(l);
		if (largest_size(l->gradient, l->n) <= INNER_TOLERANCE * l->eps)
			break;
		if (find_step(l, err) < 0)
			return -1;
		++*n_newton;
		if (!search_line(l))
			break;
	}
	return 0;
}

/* ---- Outer steps ---- */

static void update_multipliers(struct program *l)
{
	for (int64_t j = 0; j < l->d; j++) {
		struct pair excess = excess_of(l, j, l->product[j]);

		l->p[j] = excess.first / l->eps;
		l->q[j] = excess.second / l->eps;
		l->w[j] = l->p[j] - l->q[j];
	}
	l->g = l->w[l->d] = l->product[l->d] / l->eps + l->g;
	for (int64_t i = 0; i < l->n; i++) {
		struct pair outside = outside_of(l, i, l->u[i]);

		l->z[i] = outside.first / l->eps;
		l->s[i] = outside.second / l->eps;
	}
}

/* The value of w and gamma = -g, whose t_i are what they have to be. */
static double primal_value(struct program *l)
{
	double norm = 0, loss = 0;

	memset(l->slack, 0, (size_t)l->n * sizeof(*l->slack));
	add_columns(l, l->w, l->slack);
	for (int64_t j = 0; j < l->d; j++)
		norm += l->bound[j] * fabs(l->w[j]);
	for (int64_t i = 0; i < l->n; i++)
		loss += positive(1 - l->slack[i]);
	return l->nu * loss + norm;
}

/* The value of the feasible point that u is not far from. */
static double dual_value(struct program *l)
{
	double sum_plus = 0, sum_minus = 0, smaller, most = 1;

	for (int64_t i = 0; i < l->n; i++) {
		l->trial[i] = fmin(positive(l->u[i]), l->nu);
		*(l->y[i] > 0 ? &sum_plus : &sum_minus) += l->trial[i];
	}
	smaller = fmin(sum_plus, sum_minus);
	if (!(smaller > 0))
		return 0;
	for (int64_t i = 0; i < l->n; i++)
		l->trial[i] *= smaller / (l->y[i] > 0 ? sum_plus : sum_minus);
	multiply(l, l->trial, l->step_product);
	for (int64_t j = 0; j < l->d; j++)
		most = fmax(most, fabs(l->step_product[j]) / l->bound[j]);
	return 2 * smaller / most;
}

static double gap_of(const struct lpsvm_result *result)
{
	return result->primal > 0 ? (result->primal - result->dual) / result->primal : 0;
}

static void take_bounds(struct program *l, struct lpsvm_result *result)
{
	double primal = primal_value(l), dual = dual_value(l);

	if (primal < result->primal) {
		result->primal = primal;
		result->gamma = -l->g;
		memcpy(l->best_w, l->w, (size_t)l->d * sizeof(*l->best_w));
	}
	result->dual = fmax(result->dual, dual);
	result->gap = gap_of(result);
}

/* Leave out weights that add no more than 'tiny' each.  Returns false where the gap forbids it. */
static bool prune(struct program *l, double tiny, double wanted, struct lpsvm_result *result)
{
	double primal;

	for (int64_t j = 0; j < l->d; j++)
		l->w[j] = l->bound[j] * fabs(l->best_w[j]) <= tiny ? 0 : l->best_w[j];
	l->w[l->d] = -result->gamma;
	primal = primal_value(l);
	if (primal > result->primal && primal - result->dual > wanted * primal)
		return false;
	result->primal = primal;
	result->gap = gap_of(result);
	memcpy(l->best_w, l->w, (size_t)l->d * sizeof(*l->best_w));
	return true;
}

/* w = 0, if multipliers of nu prove it: so it is where errors cost next to nothing. */
static bool is_nothing(struct program *l, double wanted, struct lpsvm_result *result)
{
	double n_plus = 0, dual;

	memcpy(l->gradient, l->u, (size_t)l->n * sizeof(*l->u));
	for (int64_t i = 0; i < l->n; i++) {
		l->u[i] = l->nu;
		n_plus += l->y[i] > 0;
	}
	dual = dual_value(l);
	memcpy(l->u, l->gradient, (size_t)l->n * sizeof(*l->u));
	result->primal = 2 * l->nu * fmin(n_plus, (double)l->n - n_plus);
	if (result->primal - dual > wanted * result->primal)
		return false;
	result->gamma = 2 * n_plus > (double)l->n ? -1 : 1;
	result->dual = fmin(dual, result->primal);
	result->gap = gap_of(result);
	result->converged = true;
	memset(l->best_w, 0, (size_t)l->d * sizeof(*l->best_w));
	return true;
}

/* Solve for l->nu from whatever u and the multipliers are. */
static int solve(struct program *l, struct lpsvm_result *result, struct error *err)
{
	double wanted = l->o->gap > 0 ? l->o->gap : LPSVM_DEFAULT_GAP, before = INFINITY;

	result->nu = l->nu;
	if (is_nothing(l, wanted, result))
		return 0;
	result->primal = INFINITY;
	result->dual = 0;
	result->converged = false;
	l->eps = FIRST_EPS;
	for (int k = 0; k < MAX_OUTER && !result->converged; k++) {
		if (minimise(l, &result->n_newton, err) < 0)
			return -1;
		update_multipliers(l);
		take_bounds(l, result);
		if (!isfinite(result->gap))
			return error_set(err, ERR_NUMERIC,
					 "values are too large for a linear program");
		result->n_outer++;
		result->converged = result->gap <= wanted;
		if (!(result->gap * GAP_FACTOR <= before))
			l->eps = fmax(LEAST_EPS, l->eps / EPS_FACTOR);
		before = result->gap;
	}
	for (double share = 1; share >= LEAST_SHARE; share /= SHARE_FACTOR)
		if (prune(l, share * wanted * result->primal, wanted, result))
			break;
	return 0;
}

static int64_t count_features(const struct program *l)
{
	int64_t n = 0;

	for (int64_t j = 0; j < l->d; j++)
		n += l->best_w[j] != 0;
	return n;
}

/* Bisect nu; 'kept' (d) gets the weights that came nearest to the target, which none never do. */
static int solve_for_target(struct program *l, double *kept, struct lpsvm_result *result,
			    struct error *err)
{
	double low = log(LPSVM_LEAST_NU), high = log(LPSVM_MOST_NU);
	struct lpsvm_result found = { 0 };
	int64_t nearest = INT64_MAX;

	for (int k = 0; k < MAX_BISECTIONS && nearest > 0 && high - low > LEAST_WIDTH; k++) {
		double middle = (low + high) / 2;
		int64_t n, distance;

		l->nu = exp(middle);
		if (solve(l, &found, err) < 0)
			return -1;
		n = count_features(l);
		distance = n == 0 ? INT64_MAX - 1 : llabs(n - l->o->target);
		if (distance < nearest) {
			nearest = distance;
			*result = found;
			memcpy(kept, l->best_w, (size_t)l->d * sizeof(*kept));
		}
		*(n < l->o->target ? &low : &high) = middle;
	}
	result->n_outer = found.n_outer;
	result->n_newton = found.n_newton;
	memcpy(l->best_w, kept, (size_t)l->d * sizeof(*kept));
	return 0;
}

static int solve_any(struct program *l, struct lpsvm_result *result, struct error *err)
{
	double *kept;
	int ret = -1;

	if (l->o->target == 0) {
		l->nu = l->o->nu;
		return solve(l, result, err);
	}
	kept = mem_array(l->d, sizeof(*kept), err);
	if (kept)
		ret = solve_for_target(l, kept, result, err);
	free(kept);
	return ret;
}

/* ---- The selection ---- */

struct weighed {
	double size;
	int32_t feature;
};

static int by_size(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static int make_selection(const struct program *l, struct selection *s, struct error *err)
{
	int64_t n = 0, room = count_features(l);
	struct weighed *list = mem_array(room, sizeof(*list), err);

	if (!list || selection_init(s, room, err) < 0) {
		free(list);
		return -1;
	}
	for (int64_t j = 0; j < l->d; j++)
		if (l->best_w[j] != 0)
			list[n++] = (struct weighed){ l->bound[j] * fabs(l->best_w[j]),
						      l->columns.feature[j] };
	qsort(list, (size_t)n, sizeof(*list), by_size);
	for (int64_t k = 0; k < n; k++)
		selection_add(s, list[k].feature, 1, list[k].size);
	free(list);
	return 0;
}

/* +1 or -1 if all are that, else 0 */
static double only_class(const double *y, int64_t n)
{
	for (int64_t i = 1; i < n; i++)
		if (y[i] != y[0])
			return 0;
	return n > 0 ? y[0] : 1;
}

int lpsvm_select(struct selection *s, const struct csr *x, const double *y,
		 const struct lpsvm_options *o, struct lpsvm_result *result, struct error *err)
{
	struct program l = { .o = o, .y = y };
	double only = only_class(y, x->n_rows);
	int ret = -1;

	*s = (struct selection){ 0 };
	*result = (struct lpsvm_result){ .nu = o->nu, .gamma = -only, .converged = true };
	if (only != 0)
		return selection_init(s, 0, err);
	if (program_init(&l, x, err) == 0 && solve_any(&l, result, err) == 0)
		ret = make_selection(&l, s, err);
	program_free(&l);
	return ret;
}
