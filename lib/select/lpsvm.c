/*
 * lpsvm.c - features by the linear programming machine with the 1-norm
 *
 * How this works.  The machine's dual is a linear program in u, one number a row.  With
 * D = diag(y) and the columns of A scaled to norm 1 by the factors 'bound', it is
 *
 *     maximise e'u   subject to  |A'Du| <= bound,  e'Du = 0,  0 <= u <= nu            (1)
 *
 * The multipliers of these constraints are p, q (A'Du, above and below), g (e'Du), z, s (u, above
 * and below), and they hold the machine: w_j = bound_j (p_j - q_j), gamma = -g.  The augmented
 * Lagrangian method looks for both in turns.  An outer step minimises over all u
 *
 *     a = (A'Du - bound + eps p)+   b = (-A'Du - bound + eps q)+   c = e'Du + eps g
 *     h = (u - nu e + eps z)+       k = (-u + eps s)+
 *     f(u) = -eps e'u + (|a|^2 + |b|^2 + c^2 + |h|^2 + |k|^2) / 2                     (2)
 *
 * which is convex, piecewise quadratic and differentiable, and then takes
 *
 *     p, q, g, z, s <- a / eps, b / eps, c / eps, h / eps, k / eps                    (3)
 *
 * With B = D [A, e], J = {j: a_j > 0 or b_j > 0} and H the columns of B in J and the last one,
 * gradient and (generalised) Hessian of f are
 *
 *     -eps e + B (a - b, c) + h - k      F + H H',  F = diag(1[h > 0] + 1[k > 0])      (4)
 *
 * Zeros of F become a small shift, so that a Newton step (5) solves with a positive definite
 * matrix: of n rows, or by Woodbury's identity of |J| + 1.  The least f along the step is found
 * (6), not guessed: full steps need not end.
 *
 * After each outer step w and gamma give an upper bound of the optimum, the primal value
 * nu sum_i (1 - y_i (x_i.w - gamma))+ + |w|_1 (7), and u, made feasible, a lower one (8).  It ends
 * when these are within the gap.  A smaller eps makes (2) harder and (3) more exact, so eps falls
 * only where the gap does not.
 *
 * Sources: Fung and Mangasarian 2004, Comput. Optim. Appl. 28 (f, its Hessian and Newton on it);
 * Rockafellar 1976, Math. Oper. Res. 1 (multipliers by (3) converge, in finitely many steps here).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/lpsvm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "matrix/columns.h"
#include "matrix/gram.h"

/* Limits that only hopeless data meet: 5 to 20 outer and 50 to 500 Newton steps are usual. */
enum {
	MAX_OUTER = 200,
	MAX_NEWTON = 300,    /* in an outer step */
	MAX_TRIALS = 40,     /* points of a line search: bisection alone gets to 2^-40 */
	MAX_BISECTIONS = 40, /* of log nu; LEAST_WIDTH ends it after 15 */
	MAX_SHIFTS = 30,     /* times 10, of a matrix that is not positive definite */
	COLUMN_BLOCK = 64    /* columns a thread takes at a time */
};

/*
 * The first eps is as large as converges at once on most data; below the last, eps^2, which f is
 * made of, meets rounding.
 */
#define FIRST_EPS 0.1
#define LEAST_EPS 1e-6

/*
 * Where the gap falls by less than GAP_FACTOR in an outer step, eps falls by EPS_FACTOR: that made
 * 7 to 23 outer steps on five families of data.
 */
#define GAP_FACTOR 4
#define EPS_FACTOR 3

/* Share of the derivative along a step that may be left: the next step has another direction. */
#define FLAT 0.05

/* Share of eps that components of f's gradient may have: the multipliers are then good to that. */
#define INNER_TOLERANCE 1e-6

/*
 * The shift in place of zeros of F: a share of the gradient, so that it vanishes with it and
 * convergence stays fast, but at least LEAST_SHIFT, well above the rounding of products of columns
 * of norm 1.
 */
#define LEAST_SHIFT 1e-9
#define SHIFT_SHARE 1e-6

/*
 * Weights up to the gap wanted times the primal value may be zeros that are not resolved yet; up to
 * this share of the gap, in steps of the factor, what is left out may be less.
 */
#define LEAST_SHARE 1e-4
#define SHARE_FACTOR 10

/* Width of the interval of log nu at which its bisection ends: nu is known to a thousandth. */
#define LEAST_WIDTH 1e-3

/* The data, the same for all nu. */
struct program {
	const double *y;
	struct columns columns; /* columns of D A, each scaled to norm 1 */
	int64_t n, d;
	double *bound; /* d: by what the columns were multiplied */
	int n_threads;
	struct thread_team *team;
};

/* Where the method is; the next nu starts from here. */
struct lagrangian {
	double nu, eps;
	double *u, *z, *s; /* n each */
	double *p, *q;	   /* d each */
	double g;
	double *product; /* d + 1: B'u; the last is e'Du */
};

/* One Newton step. */
struct newton {
	double *gradient, *diagonal; /* n: of f; F */
	double *coef;		     /* d + 1: a - b, c */
	int32_t *active;	     /* J and then d, which stands for e; d + 1 */
	int64_t n_active;	     /* |J| */
	double *step;		     /* n */
	double *step_product;	     /* d + 1: B'step */
	double *matrix;		     /* matrix to be factored, of order min(|J| + 1, n) */
	int64_t matrix_capacity;
	double *scaled, *small; /* n: -F^-1/2 gradient; what solves the small system */
};

/* What (7) and (8) are computed with, and the weights of the best value so far. */
struct bounds {
	double *w;	  /* d + 1: weights of the scaled columns; the last is g */
	double *best_w;	  /* d: those with the least primal value */
	double *score;	  /* n: y_i (x_i.w - gamma) */
	double *feasible; /* n: a point of (1) */
	double *product;  /* d + 1: B' of it */
};

struct machine {
	const struct lpsvm_options *o;
	struct program program;
	struct lagrangian at;
	struct newton newton;
	struct bounds bounds;
};

/* The arrays of a machine: those of n numbers, then those of d + 1. */
enum { OF_ROWS = 9, OF_ALL = 17 };

static void list_arrays(struct machine *l, double **array[OF_ALL])
{
	double **all[OF_ALL] = {
		&l->at.u,
		&l->at.z,
		&l->at.s,
		&l->newton.gradient,
		&l->newton.diagonal,
		&l->newton.step,
		&l->newton.scaled,
		&l->newton.small,
		&l->bounds.score,
		&l->program.bound,
		&l->at.p,
		&l->at.q,
		&l->at.product,
		&l->newton.coef,
		&l->newton.step_product,
		&l->bounds.w,
		&l->bounds.best_w,
	};

	memcpy(array, all, sizeof(all));
}

static void machine_free(struct machine *l)
{
	double **array[OF_ALL];

	list_arrays(l, array);
	for (int k = 0; k < OF_ALL; k++)
		mem_free(*array[k]);
	mem_free(l->bounds.feasible);
	mem_free(l->bounds.product);
	mem_free(l->newton.active);
	mem_free(l->newton.matrix);
	columns_free(&l->program.columns);
	thread_team_stop(l->program.team);
}

/* The norm of n values, not all 0, whose squares may overflow or vanish; NAN if one is NAN */
static double norm_of(const double *x, int64_t n)
{
	double largest = 0, sum = 0;

	for (int64_t k = 0; k < n; k++)
		largest = fabs(x[k]) <= largest ? largest : fabs(x[k]);
	for (int64_t k = 0; k < n; k++)
		sum += x[k] / largest * (x[k] / largest);
	return largest * sqrt(sum);
}

/* A becomes D A with columns of norm 1: rows and features of any size meet the same tolerances. */
static int scale_columns(struct program *p, struct error *err)
{
	struct csr *a = &p->columns.by_column;

	for (int64_t j = 0; j < p->d; j++) {
		int64_t first = a->row_start[j], end = a->row_start[j + 1];

		p->bound[j] = 1 / norm_of(a->val + first, end - first);
		if (!isnormal(p->bound[j]))
			return error_set(err, ERR_NUMERIC, "a value is not finite, or too large");
		for (int64_t k = first; k < end; k++)
			a->val[k] *= p->bound[j] * p->y[a->col[k]];
	}
	return 0;
}

static int machine_init(struct machine *l, const struct csr *x, struct error *err)
{
	struct program *p = &l->program;
	double **array[OF_ALL];

	/* of equal columns any share of the weight is optimal: the first alone keeps the choice */
	if (blas_load(err) < 0 || columns_init(&p->columns, x, err) < 0 ||
	    columns_drop_twins(&p->columns, err) < 0)
		return -1;
	p->n = x->n_rows;
	p->d = p->columns.n;
	list_arrays(l, array);
	for (int k = 0; k < OF_ALL; k++)
		*array[k] = mem_zeroed(k < OF_ROWS ? p->n : p->d + 1, sizeof(double), err);
	l->bounds.feasible = mem_array(p->n, sizeof(double), err);
	l->bounds.product = mem_array(p->d + 1, sizeof(double), err);
	l->newton.active = mem_array(p->d + 1, sizeof(*l->newton.active), err);
	p->n_threads = thread_clamp_count(l->o->n_threads);
	p->team = thread_team_start(p->n_threads, err);
	if (err->code != ERR_NONE)
		return -1;
	return scale_columns(p, err);
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

/* ---- Products with B ---- */

struct multiplication {
	const struct program *p;
	const double *v;
	double *out;
};

static void multiply_block(void *arg, int64_t block, int thread)
{
	const struct multiplication *w = arg;
	int64_t d = w->p->d, end = int64_min((block + 1) * COLUMN_BLOCK, d);

	(void)thread;
	for (int64_t j = block * COLUMN_BLOCK; j < end; j++)
		w->out[j] = csr_row_dot(&w->p->columns.by_column, j, w->v);
}

/* out = B'v, d + 1 numbers */
static void multiply(const struct program *p, const double *v, double *out)
{
	struct multiplication w = { p, v, out };

	thread_team_for(p->team, int64_blocks(p->d, COLUMN_BLOCK), multiply_block, &w);
	out[p->d] = dot(p->y, v, p->n);
}

/* out += B coef; zeros of coef cost nothing, and most are */
static void add_columns(const struct program *p, const double *coef, double *out)
{
	const struct csr *a = &p->columns.by_column;

	for (int64_t j = 0; j < p->d; j++)
		for (int64_t k = a->row_start[j]; coef[j] != 0 && k < a->row_start[j + 1]; k++)
			out[a->col[k]] += coef[j] * a->val[k];
	blas_add_scaled(out, p->n, coef[p->d], p->y);
}

/* ---- The function minimised, (2) ---- */

/* a and b of a column; h and k of a row */
struct pair {
	double first, second;
};

/* a_j and b_j where (A'Du)_j is 'product' */
static struct pair excess_of(const struct program *p, const struct lagrangian *at, int64_t j,
			     double product)
{
	return (struct pair){ positive(product - p->bound[j] + at->eps * at->p[j]),
			      positive(-product - p->bound[j] + at->eps * at->q[j]) };
}

/* h_i and k_i where u_i is 'u' */
static struct pair outside_of(const struct lagrangian *at, int64_t i, double u)
{
	return (struct pair){ positive(u - at->nu + at->eps * at->z[i]),
			      positive(-u + at->eps * at->s[i]) };
}

/* The derivative of f(u + t step) with respect to t, and its own: it rises, piecewise linear. */
struct slope {
	double at, rise;
};

static struct slope slope_at(const struct program *p, const struct lagrangian *at,
			     const struct newton *w, double t)
{
	const double *step = w->step_product;
	/* c^2 / 2 of (2), then |a|^2 and |b|^2, then |h|^2, |k|^2 and -eps e'u */
	struct slope f = { (at->product[p->d] + t * step[p->d] + at->eps * at->g) * step[p->d],
			   step[p->d] * step[p->d] };

	for (int64_t j = 0; j < p->d; j++) {
		struct pair excess = excess_of(p, at, j, at->product[j] + t * step[j]);

		if (excess.first != excess.second) {
			f.at += (excess.first - excess.second) * step[j];
			f.rise += step[j] * step[j];
		}
	}
	for (int64_t i = 0; i < p->n; i++) {
		struct pair outside = outside_of(at, i, at->u[i] + t * w->step[i]);

		f.at += (outside.first - outside.second - at->eps) * w->step[i];
		f.rise += ((outside.first > 0) + (outside.second > 0)) * w->step[i] * w->step[i];
	}
	return f;
}

/* (4) at u: the gradient, J, and F, whose zeros find_step() makes the shift. */
static void differentiate(const struct program *p, const struct lagrangian *at, struct newton *w)
{
	w->n_active = 0;
	for (int64_t j = 0; j < p->d; j++) {
		struct pair excess = excess_of(p, at, j, at->product[j]);

		w->coef[j] = excess.first - excess.second;
		if (excess.first > 0 || excess.second > 0)
			w->active[w->n_active++] = (int32_t)j;
	}
	w->active[w->n_active] = (int32_t)p->d;
	w->coef[p->d] = at->product[p->d] + at->eps * at->g;
	for (int64_t i = 0; i < p->n; i++) {
		struct pair outside = outside_of(at, i, at->u[i]);

		w->gradient[i] = outside.first - outside.second - at->eps;
		w->diagonal[i] = (outside.first > 0) + (outside.second > 0);
	}
	add_columns(p, w->coef, w->gradient);
}

/* ---- Newton steps, (5): step = -(F + H H')^-1 gradient ---- */

/* h = H', a row for each column of J and one for e; entries over the root of their row's 'scale' */
static int gather_active(const struct program *p, const struct newton *w, const double *scale,
			 struct csr *h, struct error *err)
{
	const struct csr *a = &p->columns.by_column;
	int64_t start[2] = { 0, 0 };
	int32_t *col = mem_array(p->n, sizeof(*col), err);
	double *val = mem_array(p->n, sizeof(*val), err);
	int ret = col && val ? 0 : -1;

	h->n_cols = p->n;
	for (int64_t m = 0; ret == 0 && m <= w->n_active; m++) {
		int32_t j = w->active[m];
		int64_t first = m < w->n_active ? a->row_start[j] : 0;
		int64_t end = m < w->n_active ? a->row_start[j + 1] : p->n;

		for (int64_t k = first; k < end; k++) {
			int32_t i = m < w->n_active ? a->col[k] : (int32_t)k;
			double value = m < w->n_active ? a->val[k] : p->y[k];

			col[k - first] = i;
			val[k - first] = scale ? value / sqrt(scale[i]) : value;
		}
		start[1] = end - first;
		ret = csr_append(h, 1, start, col, val, err);
	}
	h->n_cols = p->n; /* csr_append() makes it the last column's */
	mem_free(col);
	mem_free(val);
	return ret;
}

/* w->matrix = rows rows' + diag(1, or 'add'), factored.  1 if it is not positive definite. */
static int factor_products(struct newton *w, const struct csr *rows, const struct csr *columns,
			   const double *add, int n_threads, struct error *err)
{
	int64_t m = rows->n_rows;

	if (mem_grow(&w->matrix, &w->matrix_capacity, m * m, sizeof(*w->matrix), err) < 0 ||
	    gram_rows(rows, columns, w->matrix, n_threads, err) < 0 ||
	    blas_reserve(INT64_MAX, 0, err) < 0)
		return -1;
	for (int64_t i = 0; i < m; i++)
		w->matrix[i * m + i] += add ? add[i] : 1;
	return blas_cholesky(w->matrix, m, m) < 0;
}

/*
 * Where H has fewer columns than rows: with G = F^-1/2 H, Woodbury's identity is
 * (F + H H')^-1 = F^-1/2 (I - G (I + G'G)^-1 G') F^-1/2.  1 if I + G'G is singular to rounding.
 */
static int few_columns(const struct program *p, struct newton *w, struct error *err)
{
	struct csr h = { 0 }, t = { 0 };
	int ret = -1;

	if (gather_active(p, w, w->diagonal, &h, err) < 0 || csr_transpose(&t, &h, err) < 0)
		goto out;
	ret = factor_products(w, &h, &t, NULL, p->n_threads, err); /* I + G'G */
	if (ret != 0)
		goto out;
	for (int64_t i = 0; i < p->n; i++)
		w->scaled[i] = -w->gradient[i] / sqrt(w->diagonal[i]);
	for (int64_t m = 0; m < h.n_rows; m++)
		w->small[m] = csr_row_dot(&h, m, w->scaled);
	blas_cholesky_solve(w->matrix, h.n_rows, h.n_rows, w->small);
	for (int64_t i = 0; i < p->n; i++)
		w->step[i] = (w->scaled[i] - csr_row_dot(&t, i, w->small)) / sqrt(w->diagonal[i]);
out:
	csr_free(&h);
	csr_free(&t);
	return ret;
}

/* Where H has no fewer columns than rows: F + H H' itself.  1 if it is singular to rounding. */
static int many_columns(const struct program *p, struct newton *w, struct error *err)
{
	struct csr h = { 0 }, t = { 0 };
	int ret = -1;

	if (gather_active(p, w, NULL, &h, err) == 0 && csr_transpose(&t, &h, err) == 0)
		ret = factor_products(w, &t, &h, w->diagonal, p->n_threads, err);
	if (ret == 0) {
		for (int64_t i = 0; i < p->n; i++)
			w->step[i] = -w->gradient[i];
		blas_cholesky_solve(w->matrix, p->n, p->n, w->step);
	}
	csr_free(&h);
	csr_free(&t);
	return ret;
}

/* The Newton direction; the shift grows where the matrix is singular to rounding. */
static int find_step(const struct program *p, struct newton *w, struct error *err)
{
	double shift = fmax(LEAST_SHIFT, SHIFT_SHARE * sqrt(dot(w->gradient, w->gradient, p->n)));
	double before = 0;
	int ret = 1;

	for (int turn = 0; ret == 1 && turn < MAX_SHIFTS; turn++) {
		for (int64_t i = 0; i < p->n; i++)
			if (w->diagonal[i] <= before)
				w->diagonal[i] = shift;
		ret = w->n_active + 1 < p->n ? few_columns(p, w, err) : many_columns(p, w, err);
		before = shift;
		shift *= 10;
	}
	if (ret == 1)
		return error_set(err, ERR_NUMERIC, "values are too large for a linear program");
	return ret;
}

/*
 * (6): the t > 0 where f is least along the step, nearly.  Newton's method on the derivative, which
 * ends where t is in the right piece, between bounds that bisection moves where it fails.
 */
static double least_along(const struct program *p, const struct lagrangian *at,
			  const struct newton *w)
{
	double start = slope_at(p, at, w, 0).at, low = 0, high = INFINITY, t = 1;

	for (int k = 0; k < MAX_TRIALS; k++) {
		struct slope f = slope_at(p, at, w, t);

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
static bool search_line(const struct program *p, struct lagrangian *at, struct newton *w)
{
	double t;

	multiply(p, w->step, w->step_product);
	if (!(dot(w->gradient, w->step, p->n) < 0))
		return false;
	t = least_along(p, at, w);
	blas_add_scaled(at->u, p->n, t, w->step);
	blas_add_scaled(at->product, p->d + 1, t, w->step_product);
	return true;
}

/* Minimise (2) over u. */
static int minimise(const struct program *p, struct lagrangian *at, struct newton *w, int *n_newton,
		    struct error *err)
{
	multiply(p, at->u, at->product);
	for (int k = 0; k < MAX_NEWTON; k++) {
		differentiate(p, at, w);
		if (largest_size(w->gradient, p->n) <= INNER_TOLERANCE * at->eps)
			break;
		if (find_step(p, w, err) < 0)
			return -1;
		++*n_newton;
		if (!search_line(p, at, w))
			break;
	}
	return 0;
}

/* ---- Outer steps ---- */

/* (3), and the weights that go with it */
static void update_multipliers(const struct program *p, struct lagrangian *at, double *w)
{
	for (int64_t j = 0; j < p->d; j++) {
		struct pair excess = excess_of(p, at, j, at->product[j]);

		at->p[j] = excess.first / at->eps;
		at->q[j] = excess.second / at->eps;
		w[j] = at->p[j] - at->q[j];
	}
	at->g = w[p->d] = at->product[p->d] / at->eps + at->g;
	for (int64_t i = 0; i < p->n; i++) {
		struct pair outside = outside_of(at, i, at->u[i]);

		at->z[i] = outside.first / at->eps;
		at->s[i] = outside.second / at->eps;
	}
}

/*
 * (7): the value of w, d weights and -gamma, whose errors t_i are as small as they can be; 'score'
 * becomes y_i (x_i.w - gamma).
 */
static double primal_value(const struct program *p, double nu, const double *w, double *score)
{
	double norm = 0, loss = 0;

	memset(score, 0, (size_t)p->n * sizeof(*score));
	add_columns(p, w, score);
	for (int64_t j = 0; j < p->d; j++)
		norm += p->bound[j] * fabs(w[j]);
	for (int64_t i = 0; i < p->n; i++)
		loss += positive(1 - score[i]);
	return nu * loss + norm;
}

/*
 * (8): the value of a feasible point of (1) near u: cut to 0 .. nu, the larger class scaled down to
 * the sum of the other, both divided by the worst excess of |A'Du| over bound.  u becomes the point
 * before that division; 'product' (d + 1) is overwritten.
 */
static double dual_value(const struct program *p, double nu, double *u, double *product)
{
	double sum_plus = 0, sum_minus = 0, smaller, most = 1;

	for (int64_t i = 0; i < p->n; i++) {
		u[i] = fmin(positive(u[i]), nu);
		*(p->y[i] > 0 ? &sum_plus : &sum_minus) += u[i];
	}
	smaller = fmin(sum_plus, sum_minus);
	if (!(smaller > 0))
		return 0;
	for (int64_t i = 0; i < p->n; i++)
		u[i] *= smaller / (p->y[i] > 0 ? sum_plus : sum_minus);
	multiply(p, u, product);
	for (int64_t j = 0; j < p->d; j++)
		most = fmax(most, fabs(product[j]) / p->bound[j]);
	return 2 * smaller / most;
}

static double gap_of(const struct lpsvm_result *result)
{
	return result->primal > 0 ? (result->primal - result->dual) / result->primal : 0;
}

/* (7) of b->w and (8) of u after an outer step; the best of all steps count. */
static void take_bounds(struct machine *l, struct lpsvm_result *result)
{
	const struct program *p = &l->program;
	struct bounds *b = &l->bounds;
	double primal = primal_value(p, l->at.nu, b->w, b->score), dual;

	memcpy(b->feasible, l->at.u, (size_t)p->n * sizeof(*b->feasible));
	dual = dual_value(p, l->at.nu, b->feasible, b->product);
	if (primal < result->primal) {
		result->primal = primal;
		result->gamma = -l->at.g;
		memcpy(b->best_w, b->w, (size_t)p->d * sizeof(*b->best_w));
	}
	result->dual = fmax(result->dual, dual);
	result->gap = gap_of(result);
}

/*
 * Make the weights 0 that add no more than 'tiny' each to the value.  Returns false, and leaves all
 * as it is, where the value would grow and the gap not be as small as wanted.
 */
static bool prune(struct machine *l, double tiny, double wanted, struct lpsvm_result *result)
{
	const struct program *p = &l->program;
	struct bounds *b = &l->bounds;
	double primal;

	for (int64_t j = 0; j < p->d; j++)
		b->w[j] = p->bound[j] * fabs(b->best_w[j]) <= tiny ? 0 : b->best_w[j];
	b->w[p->d] = -result->gamma;
	primal = primal_value(p, l->at.nu, b->w, b->score);
	if (primal > result->primal && primal - result->dual > wanted * primal)
		return false;
	result->primal = primal;
	result->gap = gap_of(result);
	memcpy(b->best_w, b->w, (size_t)p->d * sizeof(*b->best_w));
	return true;
}

/* Is w = 0 optimal?  u = nu proves it where it is: where errors cost next to nothing. */
static bool is_nothing(struct machine *l, double wanted, struct lpsvm_result *result)
{
	const struct program *p = &l->program;
	struct bounds *b = &l->bounds;
	double n_plus = 0, dual;

	for (int64_t i = 0; i < p->n; i++) {
		b->feasible[i] = l->at.nu;
		n_plus += p->y[i] > 0;
	}
	dual = dual_value(p, l->at.nu, b->feasible, b->product);
	/* with w = 0 the smaller class alone has errors, of 2 each */
	result->primal = 2 * l->at.nu * fmin(n_plus, (double)p->n - n_plus);
	if (result->primal - dual > wanted * result->primal)
		return false;
	result->gamma = 2 * n_plus > (double)p->n ? -1 : 1;
	result->dual = fmin(dual, result->primal);
	result->gap = gap_of(result);
	result->converged = true;
	memset(b->best_w, 0, (size_t)p->d * sizeof(*b->best_w));
	return true;
}

/* Outer steps until the bounds are near enough. */
static int close_gap(struct machine *l, double wanted, struct lpsvm_result *result,
		     struct error *err)
{
	double before = INFINITY;

	l->at.eps = FIRST_EPS;
	for (int k = 0; k < MAX_OUTER && !result->converged; k++) {
		if (minimise(&l->program, &l->at, &l->newton, &result->n_newton, err) < 0)
			return -1;
		update_multipliers(&l->program, &l->at, l->bounds.w);
		take_bounds(l, result);
		if (!isfinite(result->gap))
			return error_set(err, ERR_NUMERIC,
					 "values are too large for a linear program");
		result->n_outer++;
		result->converged = result->gap <= wanted;
		if (!(result->gap * GAP_FACTOR <= before))
			l->at.eps = fmax(LEAST_EPS, l->at.eps / EPS_FACTOR);
		before = result->gap;
	}
	return 0;
}

/* Solve for this nu from whatever u and the multipliers are. */
static int solve(struct machine *l, double nu, struct lpsvm_result *result, struct error *err)
{
	double wanted = l->o->gap > 0 ? l->o->gap : LPSVM_DEFAULT_GAP;

	l->at.nu = result->nu = nu;
	if (is_nothing(l, wanted, result))
		return 0;
	result->primal = INFINITY;
	result->dual = 0;
	result->converged = false;
	if (close_gap(l, wanted, result, err) < 0)
		return -1;
	for (double share = 1; share >= LEAST_SHARE; share /= SHARE_FACTOR)
		if (prune(l, share * wanted * result->primal, wanted, result))
			break;
	return 0;
}

static int64_t count_features(const struct machine *l)
{
	int64_t n = 0;

	for (int64_t j = 0; j < l->program.d; j++)
		n += l->bounds.best_w[j] != 0;
	return n;
}

/*
 * Bisect log nu: the larger nu, the more features, mostly.  'kept' (d) gets the weights that came
 * nearest to the target; without any feature nothing is near.
 */
static int solve_for_target(struct machine *l, double *kept, struct lpsvm_result *result,
			    struct error *err)
{
	const size_t bytes = (size_t)l->program.d * sizeof(*kept);
	double low = log(LPSVM_LEAST_NU), high = log(LPSVM_MOST_NU);
	struct lpsvm_result found = { 0 };
	int64_t nearest = INT64_MAX;

	for (int k = 0; k < MAX_BISECTIONS && nearest > 0 && high - low > LEAST_WIDTH; k++) {
		double middle = (low + high) / 2;
		int64_t n, distance;

		if (solve(l, exp(middle), &found, err) < 0)
			return -1;
		n = count_features(l);
		distance = n == 0 ? INT64_MAX - 1 : llabs(n - l->o->target);
		if (distance < nearest) {
			nearest = distance;
			*result = found;
			memcpy(kept, l->bounds.best_w, bytes);
		}
		*(n < l->o->target ? &low : &high) = middle;
	}
	result->n_outer = found.n_outer;
	result->n_newton = found.n_newton;
	memcpy(l->bounds.best_w, kept, bytes);
	return 0;
}

static int solve_any(struct machine *l, struct lpsvm_result *result, struct error *err)
{
	double *kept;
	int ret = -1;

	if (l->o->target == 0)
		return solve(l, l->o->nu, result, err);
	kept = mem_array(l->program.d, sizeof(*kept), err);
	if (kept)
		ret = solve_for_target(l, kept, result, err);
	mem_free(kept);
	return ret;
}

/* ---- The selection ---- */

/* The features with weights, by the weights that the unscaled data have: bound_j w_j. */
static int make_selection(const struct machine *l, struct selection *s, struct error *err)
{
	const struct program *p = &l->program;
	const double *w = l->bounds.best_w;
	int64_t n = 0, room = count_features(l);
	struct scored_column *list = mem_array(room, sizeof(*list), err);

	if (!list || selection_init(s, room, err) < 0) {
		mem_free(list);
		return -1;
	}
	for (int64_t j = 0; j < p->d; j++)
		if (w[j] != 0)
			list[n++] = (struct scored_column){ p->bound[j] * fabs(w[j]), (int32_t)j };
	scored_columns_sort(list, n);
	for (int64_t k = 0; k < n; k++)
		selection_add(s, p->columns.feature[list[k].column], 1, list[k].score);
	mem_free(list);
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
	struct machine l = { .o = o, .program.y = y };
	double only = only_class(y, x->n_rows);
	int ret = -1;

	*s = (struct selection){ 0 };
	*result = (struct lpsvm_result){ .nu = o->nu, .gamma = -only, .converged = true };
	if (only != 0)
		return selection_init(s, 0, err);
	if (machine_init(&l, x, err) == 0 && solve_any(&l, result, err) == 0)
		ret = make_selection(&l, s, err);
	machine_free(&l);
	return ret;
}
