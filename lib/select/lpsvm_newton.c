/*
 * lpsvm_newton.c - the inner steps of the linear programming machine: Newton's method on f
 *
 * Numbers in brackets are those of the equations at the head of lpsvm.c.
 *
 * One call of lpsvm_minimise(), with what is O(entries) in it:
 *
 *     product = B'u                           once; later it moves with u
 *     repeat
 *         gradient, J and F                   (4): columns of J alone
 *         step                                (5): products of the columns of J, a Cholesky factor
 *         step_product = B'step               one product with B
 *         t                                   (6): O(n + d) a trial, from product and step_product
 *         u += t step, product += t step_product
 *
 * The factor is of order n or |J| + 1, whichever is less: with few features in J a step costs |J|^2
 * n and |J|^3.  J is what the machine's weights are not 0 for, so that it is small near the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdbool.h>

#include "base/arithmetic.h"
#include "base/interruption.h"
#include "base/mem.h"
#include "matrix/blas.h"
#include "matrix/gram.h"
#include "select/lpsvm_work.h"

/* Limits on steps, for hopeless data: 50 to 500 Newton steps in all are usual. */
enum {
	MAX_NEWTON = 300, /* most Newton steps in one outer step */
	MAX_TRIALS = 40,  /* most points of a line search: bisection alone gets to 2^-40 */
	/* most growths of the shift of a singular matrix, each by a factor of 10 */
	MAX_SHIFTS = 30,
	COLUMN_BLOCK = 64 /* columns that a thread takes at a time */
};

/* Share of the derivative that a line search may leave: the next step has another direction. */
#define FLAT 0.05

/* Largest component of f's gradient at the end, over eps: the relative error of multipliers. */
#define INNER_TOLERANCE 1e-6

/*
 * The shift in place of zeros of F: a share of the gradient, so that it vanishes with it and
 * convergence stays fast, but at least LEAST_SHIFT, well above the rounding of products of columns
 * of norm 1.
 */
#define LEAST_SHIFT 1e-9
#define SHIFT_SHARE 1e-6

/* ---- Products with B ---- */

struct multiplication {
	const struct lpsvm_program *p;
	const double *v;
	double *out;
};

/* Elements of B'v for one block of columns, written by the present task alone. */
static void multiply_block(void *arg, int64_t block, int thread)
{
	const struct multiplication *w = arg;
	int64_t d = w->p->d, end = int64_min((block + 1) * COLUMN_BLOCK, d);

	(void)thread;
	for (int64_t j = block * COLUMN_BLOCK; j < end; j++)
		w->out[j] = csr_row_dot(&w->p->columns.by_column, j, w->v);
}

void lpsvm_multiply(const struct lpsvm_program *p, const double *v, double *out)
{
	struct multiplication w = { p, v, out };

	thread_team_for(p->team, int64_blocks(p->d, COLUMN_BLOCK), multiply_block, &w);
	/* the last column of B, D e = y */
	out[p->d] = ordered_product(p->y, v, p->n);
}

void lpsvm_add_columns(const struct lpsvm_program *p, const double *coef, double *out)
{
	for (int64_t j = 0; j < p->d; j++)
		csr_add_row(&p->columns.by_column, j, coef[j], out);
	/* the last column of B, D e = y */
	blas_add_scaled(out, p->n, coef[p->d], p->y);
}

/* ---- The function minimised, (2) ---- */

/* Derivative of f(u + t step) by t, and its own derivative: it rises, piecewise linearly. */
struct slope {
	double at, rise;
};

/*
 * The derivative of f at u + t step and its own derivative, from the two products B'u and B'step.
 * O(n + d).
 */
static struct slope slope_at(const struct lpsvm_program *p, const struct lpsvm_lagrangian *at,
			     const struct lpsvm_newton *w, double t)
{
	const double *step = w->step_product;
	/* terms of (2): c^2 / 2, then |a|^2 and |b|^2, then |h|^2, |k|^2 and -eps e'u */
	struct slope f = { (at->product[p->d] + t * step[p->d] + at->eps * at->g) * step[p->d],
			   step[p->d] * step[p->d] };

	for (int64_t j = 0; j < p->d; j++) {
		struct lpsvm_pair excess = lpsvm_excess(p, at, j, at->product[j] + t * step[j]);

		/* where neither a_j nor b_j is above 0 the term of column j is 0 */
		if (excess.first != excess.second) {
			f.at += (excess.first - excess.second) * step[j];
			f.rise += step[j] * step[j];
		}
	}
	for (int64_t i = 0; i < p->n; i++) {
		/* h_i and k_i after the step, less eps for -eps e'u */
		struct lpsvm_pair outside = lpsvm_outside(p, at, i, at->u[i] + t * w->step[i]);

		f.at += (outside.first - outside.second - at->eps) * w->step[i];
		/*
		 * the squares of h_i and k_i have a second derivative of 1 where they are above 0
		 */
		f.rise += ((outside.first > 0) + (outside.second > 0)) * w->step[i] * w->step[i];
	}
	return f;
}

/*
 * (4) at u: the gradient, J, and F.  'coef' is (a - b, c), which is 0 outside J, so that B times it
 * takes the columns of J and e alone.  find_step() makes zeros of F the shift.
 */
static void differentiate(const struct lpsvm_program *p, const struct lpsvm_lagrangian *at,
			  struct lpsvm_newton *w)
{
	/* excesses a, b and c; the list J of columns; and the factor of B in the gradient */
	w->n_active = 0;
	for (int64_t j = 0; j < p->d; j++) {
		struct lpsvm_pair excess = lpsvm_excess(p, at, j, at->product[j]);

		w->coef[j] = excess.first - excess.second;
		if (excess.first > 0 || excess.second > 0)
			w->active[w->n_active++] = (int32_t)j;
	}
	/* column e is always in H, as c has no bound */
	w->active[w->n_active] = (int32_t)p->d;
	w->coef[p->d] = at->product[p->d] + at->eps * at->g;
	/* excesses h and k: gradient -eps e + h - k, and diagonal F */
	for (int64_t i = 0; i < p->n; i++) {
		struct lpsvm_pair outside = lpsvm_outside(p, at, i, at->u[i]);

		w->gradient[i] = outside.first - outside.second - at->eps;
		w->diagonal[i] = (outside.first > 0) + (outside.second > 0);
	}
	/* add B (a - b, c) to the gradient */
	lpsvm_add_columns(p, w->coef, w->gradient);
}

/* ---- Newton steps, (5): step = -(F + H H')^-1 gradient ---- */

/*
 * h = H', a row for each column of J and one for e.  With 'scale' (n) entries are divided by the
 * root of the scale of their row of H: G' of try_step().
 */
static int gather_active(const struct lpsvm_program *p, const struct lpsvm_newton *w,
			 const double *scale, struct csr *h, struct error *err)
{
	int32_t *all = mem_array(p->n, sizeof(*all), err);
	int ret = all ? 0 : -1;

	for (int64_t m = 0; ret == 0 && m < w->n_active; m++)
		ret = csr_append_row(h, csr_row_of(&p->columns.by_column, w->active[m]), err);
	/* the last row of h is the column D e = y of B */
	for (int64_t i = 0; ret == 0 && i < p->n; i++)
		all[i] = (int32_t)i;
	if (ret == 0)
		ret = csr_append_row(h, (struct csr_row){ p->n, all, p->y }, err);
	/* G = F^-1/2 H divides row i of H, which is column i of h, by the root of F_ii */
	for (int64_t k = 0; ret == 0 && scale && k < csr_n_entries(h); k++)
		h->val[k] /= sqrt(scale[h->col[k]]);
	mem_free(all);
	return ret;
}

/* Factor w->matrix = rows rows' + diag(1, or 'add').  1 if the matrix is not positive definite. */
static int factor_products(struct lpsvm_newton *w, const struct csr *rows,
			   const struct csr *columns, const double *add, int n_threads,
			   struct error *err)
{
	int64_t m = rows->n_rows;

	if (mem_grow(&w->matrix, &w->matrix_capacity, m * m, sizeof(*w->matrix), err) < 0 ||
	    gram_rows(rows, columns, w->matrix, n_threads, err) < 0 ||
	    blas_reserve(INT64_MAX, 0, err) < 0)
		return -1;
	/* the diagonal of I for I + G'G, or of F for F + H H' */
	for (int64_t i = 0; i < m; i++)
		w->matrix[i * m + i] += add ? add[i] : 1;
	return blas_cholesky(w->matrix, m, m) < 0;
}

/* The step by the factor of I + G'G, h = G', t = G. */
static void step_of_few(struct lpsvm_newton *w, int64_t n, const struct csr *h, const struct csr *t)
{
	/* from the right: F^-1/2 (-gradient), G' of it, the small system, and back through G */
	for (int64_t i = 0; i < n; i++)
		w->scaled[i] = -w->gradient[i] / sqrt(w->diagonal[i]);
	for (int64_t m = 0; m < h->n_rows; m++)
		w->small[m] = csr_row_dot(h, m, w->scaled);
	/* G'F^-1/2 (-gradient) becomes the solution of the small system */
	blas_cholesky_solve(w->matrix, h->n_rows, h->n_rows, w->small);
	for (int64_t i = 0; i < n; i++)
		w->step[i] = (w->scaled[i] - csr_row_dot(t, i, w->small)) / sqrt(w->diagonal[i]);
}

/*
 * Step (5) by F + H H'.  Where H has fewer columns than rows by a smaller matrix: with G = F^-1/2 H,
 * Woodbury's identity is (F + H H')^-1 = F^-1/2 (I - G (I + G'G)^-1 G') F^-1/2, and F has no zeros
 * there, as find_step() has replaced them.  1 if the matrix is singular to rounding.
 */
static int try_step(const struct lpsvm_program *p, struct lpsvm_newton *w, struct error *err)
{
	const bool few = w->n_active + 1 < p->n;
	struct csr h = { 0 }, t = { 0 };
	int ret = -1;

	if (gather_active(p, w, few ? w->diagonal : NULL, &h, err) == 0 &&
	    csr_transpose(&t, &h, err) == 0)
		ret = few ? factor_products(w, &h, &t, NULL, p->n_threads, err) :
			    factor_products(w, &t, &h, w->diagonal, p->n_threads, err);
	if (ret == 0 && few) {
		step_of_few(w, p->n, &h, &t);
	} else if (ret == 0) {
		for (int64_t i = 0; i < p->n; i++)
			w->step[i] = -w->gradient[i];
		blas_cholesky_solve(w->matrix, p->n, p->n, w->step);
	}
	csr_free(&h);
	csr_free(&t);
	return ret;
}

/* Find the Newton direction; a shift grows until the matrix is not singular to rounding. */
static int find_step(const struct lpsvm_program *p, struct lpsvm_newton *w, struct error *err)
{
	/* shift in proportion to the length of the gradient, which vanishes at the least f */
	double shift = fmax(LEAST_SHIFT, SHIFT_SHARE * sqrt(squared_norm(w->gradient, p->n)));
	double before = 0;
	int ret = 1;

	/* each turn replaces the zeros of F, or the shift of the turn before, and factors again */
	for (int turn = 0; ret == 1 && turn < MAX_SHIFTS; turn++) {
		for (int64_t i = 0; i < p->n; i++)
			if (w->diagonal[i] <= before)
				w->diagonal[i] = shift;
		/* the matrix is of order |J| + 1 or n, whichever is less */
		ret = try_step(p, w, err);
		before = shift;
		shift *= 10;
	}
	/* the matrix stayed singular to rounding whatever the shift */
	if (ret == 1)
		return error_set(err, ERR_NUMERIC, "values are too large for a linear program");
	return ret;
}

/*
 * (6): the t > 0 where f is least along the step, nearly.  Newton's method on the derivative, which
 * ends where t is in the right piece, between bounds that bisection moves where it fails.
 */
static double least_along(const struct lpsvm_program *p, const struct lpsvm_lagrangian *at,
			  const struct lpsvm_newton *w)
{
	double start = slope_at(p, at, w, 0).at, low = 0, high = INFINITY, t = 1;

	for (int k = 0; k < MAX_TRIALS; k++) {
		struct slope f = slope_at(p, at, w, t);

		/* the derivative is a small part of what it was at t = 0 */
		if (fabs(f.at) <= FLAT * fabs(start))
			break;
		/* f is convex: its derivative is negative before the least f, positive behind it */
		*(f.at < 0 ? &low : &high) = t;
		t -= f.at / f.rise;
		if (!(t > low && t < high))
			/*
			 * the Newton step left the bounds: the middle, or twice as far without an
			 * upper one
			 */
			t = isinf(high) ? 2 * low : (low + high) / 2;
	}
	return t;
}

/* Line search (6), u += t step.  Returns false if f falls no more. */
static bool search_line(const struct lpsvm_program *p, struct lpsvm_lagrangian *at,
			struct lpsvm_newton *w)
{
	double t;

	lpsvm_multiply(p, w->step, w->step_product);
	/* the matrix of (5) is positive definite: only rounding makes the step ascend */
	if (!(ordered_product(w->gradient, w->step, p->n) < 0))
		return false;
	t = least_along(p, at, w);
	/* B'u moves with u: no product with B anew */
	blas_add_scaled(at->u, p->n, t, w->step);
	blas_add_scaled(at->product, p->d + 1, t, w->step_product);
	return true;
}

int lpsvm_minimise(const struct lpsvm_program *p, struct lpsvm_lagrangian *at,
		   struct lpsvm_newton *w, int *n_newton, struct error *err)
{
	/* product B'u made anew, so that rounding does not add up from call to call */
	lpsvm_multiply(p, at->u, at->product);
	for (int k = 0; k < MAX_NEWTON; k++) {
		differentiate(p, at, w);
		/* the gradient is small enough for the multipliers of step (3) in lpsvm.c */
		if (largest_size(w->gradient, p->n) <= INNER_TOLERANCE * at->eps)
			break;
		/* Newton direction (5), then the line search (6) */
		if (interruption_check(err) < 0 || find_step(p, w, err) < 0)
			return -1;
		++*n_newton;
		if (!search_line(p, at, w))
			break;
	}
	return 0;
}
