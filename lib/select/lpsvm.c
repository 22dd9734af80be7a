/*
 * lpsvm.c - features by the linear programming machine with the 1-norm
 *
 * How this works.  The machine's dual is a linear program in u, one number a row.  With
 * D = diag(y), the weights m of the rows, mostly 1, and the columns of A scaled to norm 1 by the
 * factors 'bound', it is
 *
 *     maximise e'u   subject to  |A'Du| <= bound,  e'Du = 0,  0 <= u <= nu m          (1)
 *
 * The multipliers of these constraints are p, q (A'Du, above and below), g (e'Du), z, s (u, above
 * and below), and they hold the machine: w_j = bound_j (p_j - q_j), gamma = -g.  The augmented
 * Lagrangian method looks for both in turns.  An outer step minimises over all u
 *
 *     a = (A'Du - bound + eps p)+   b = (-A'Du - bound + eps q)+   c = e'Du + eps g
 *     h = (u - nu m + eps z)+       k = (-u + eps s)+
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
 * nu sum_i m_i (1 - y_i (x_i.w - gamma))+ + |w|_1 (7), and u, made feasible, a lower one (8).  It
 * ends when these are within the gap.  A smaller eps makes (2) harder and (3) more exact, so eps
 * falls only where the gap does not.
 *
 * Sources: Fung and Mangasarian 2004, Comput. Optim. Appl. 28 (f, its Hessian and Newton on it);
 * Rockafellar 1976, Math. Oper. Res. 1 (multipliers by (3) converge, in finitely many steps here).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/lpsvm.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "matrix/columns.h"
#include "matrix/gram.h"

/* The linear program except nu: labels, weights, scaled columns, number of threads. */
struct lpsvm_program {
	const double *y;
	const double *weight;	/* weights m_i of the rows, n; NULL: 1 each */
	struct columns columns; /* columns of D A, each scaled to norm 1 */
	int64_t n, d;
	double *bound; /* factors of the columns, 1 / their norms, d: 'bound' of (1) */
	int n_threads;
	struct thread_team *team;
};

/* The point u and the multipliers of (2), from which the next nu starts. */
struct lpsvm_lagrangian {
	double nu, eps;
	double *u, *z, *s; /* point u, and the multipliers of its bounds, n numbers each */
	double *p, *q;	   /* multipliers of the columns' constraints, d numbers each */
	double g;
	double *product; /* product B'u, d + 1; the last number is e'Du */
};

/* Scratch memory of a Newton step: derivatives (4), the matrix of (5), and the step. */
struct lpsvm_newton {
	double *gradient, *diagonal; /* gradient of f, and diagonal F, n numbers each */
	double *coef;		     /* coefficients a - b of the columns, then c, d + 1 */
	/* numbers of the columns in J, and then d, which stands for e; d + 1 */
	int32_t *active;
	int64_t n_active;     /* number of columns in J */
	double *step;	      /* Newton step, n */
	double *step_product; /* product B'step, d + 1 */
	double *matrix;	      /* matrix to be factored, of order min(|J| + 1, n) */
	int64_t matrix_capacity;
	/* vector -F^-1/2 gradient, and solution of the small system, n numbers each */
	double *scaled, *small;
};

/* largest_size() - the largest |a_i|; NAN if a number is NAN */
static inline double largest_size(const double *a, int64_t n)
{
	double most = 0;

	for (int64_t i = 0; i < n; i++)
		most = fabs(a[i]) <= most ? most : fabs(a[i]);
	return most;
}

static inline double positive(double x)
{
	return x > 0 ? x : 0;
}

/* values a and b of a column, or h and k of a row */
struct lpsvm_pair {
	double first, second;
};

/* lpsvm_excess() - a_j and b_j of the column whose (A'Du)_j is 'product' */
static inline struct lpsvm_pair lpsvm_excess(const struct lpsvm_program *p,
					     const struct lpsvm_lagrangian *at, int64_t j,
					     double product)
{
	return (struct lpsvm_pair){ positive(product - p->bound[j] + at->eps * at->p[j]),
				    positive(-product - p->bound[j] + at->eps * at->q[j]) };
}

/* lpsvm_outside() - h_i and k_i of the row whose u_i is 'u' */
static inline struct lpsvm_pair
lpsvm_outside(const struct lpsvm_program *p, const struct lpsvm_lagrangian *at, int64_t i, double u)
{
	return (struct lpsvm_pair){ positive(u - at->nu * weight_at(p->weight, i) +
					     at->eps * at->z[i]),
				    positive(-u + at->eps * at->s[i]) };
}

/* ---- The inner steps: Newton's method on f ---- */

/*
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
 */

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
static void multiply_block(void *arg, int64_t block, int thread UNUSED)
{
	const struct multiplication *w = arg;
	int64_t d = w->p->d, end = int64_min((block + 1) * COLUMN_BLOCK, d);

	for (int64_t j = block * COLUMN_BLOCK; j < end; j++)
		w->out[j] = csr_row_dot(&w->p->columns.by_column, j, w->v);
}

/* the product out = B'v, d + 1 numbers; O(entries) */
static void lpsvm_multiply(const struct lpsvm_program *p, const double *v, double *out)
{
	struct multiplication w = { p, v, out };

	thread_team_for(p->team, int64_blocks(p->d, COLUMN_BLOCK), multiply_block, &w);
	/* the last column of B, D e = y */
	out[p->d] = ordered_product(p->y, v, p->n);
}

/* add B coef to 'out'; zeros of coef, which are most, cost no time */
static void lpsvm_add_columns(const struct lpsvm_program *p, const double *coef, double *out)
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

/*
 * minimise f of (2) over u, from at->u
 *
 * Adds the number of Newton steps to '*n_newton'; at most 300 are taken.  Fails with ERR_MEMORY,
 * ERR_ARGUMENT (too many rows for the BLAS) or ERR_NUMERIC (numbers beyond doubles).
 */
static int lpsvm_minimise(const struct lpsvm_program *p, struct lpsvm_lagrangian *at,
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

/* Limits on steps, for hopeless data: 5 to 20 outer and 50 to 500 Newton steps are usual. */
enum {
	MAX_OUTER = 200,
	MAX_BISECTIONS = 40 /* bisections of log nu; LEAST_WIDTH ends them after 15 */
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

/*
 * Weights up to the gap wanted times the primal value may be zeros that are not resolved yet; up to
 * this share of the gap, in steps of the factor, what is left out may be less.
 */
#define LEAST_SHARE 1e-4
#define SHARE_FACTOR 10

/* Width of the interval of log nu at which bisection ends: nu is then known to a thousandth. */
#define LEAST_WIDTH 1e-3

/* Scratch memory for the bounds (7) and (8), and the weights of the least primal value so far. */
struct bounds {
	double *w;	  /* weights of the scaled columns, d + 1; the last number is g */
	double *best_w;	  /* weights with the least primal value, d */
	double *score;	  /* scores y_i (x_i.w - gamma), n */
	double *feasible; /* feasible point u of (1), n */
	double *product;  /* product B' feasible, d + 1 */
};

struct lp_machine {
	const struct lpsvm_options *o;
	struct lpsvm_program program;
	struct lpsvm_lagrangian at;
	struct lpsvm_newton newton;
	struct bounds bounds;
};

static void lp_machine_free(struct lp_machine *l)
{
	struct lpsvm_lagrangian *at = &l->at;
	struct lpsvm_newton *m = &l->newton;
	struct bounds *b = &l->bounds;

	mem_free_all(at->u, at->z, at->s, at->p, at->q, at->product, m->gradient, m->diagonal,
		     m->step, m->scaled, m->small, m->coef, m->step_product, m->active, m->matrix,
		     b->score, b->w, b->best_w, b->feasible, b->product, l->program.bound);
	columns_free(&l->program.columns);
	thread_team_stop(l->program.team);
}

/* Norm of n values, not all 0, whose squares may overflow or vanish; NAN if a value is NAN. */
static double norm_of(const double *x, int64_t n)
{
	double largest = largest_size(x, n), sum = 0;

	for (int64_t k = 0; k < n; k++)
		/* quotients of at most 1, whose squares neither overflow nor all vanish */
		sum += x[k] / largest * (x[k] / largest);
	return largest * sqrt(sum);
}

/* Scale columns to norm 1, D A: rows and features of any size then meet the same tolerances. */
static int scale_columns(struct lpsvm_program *p, struct error *err)
{
	struct csr *a = &p->columns.by_column;

	for (int64_t j = 0; j < p->d; j++) {
		int64_t first = a->row_start[j], end = a->row_start[j + 1];

		/* the sum of bound_j |w_j| is the 1-norm of the unscaled data's weights */
		p->bound[j] = 1 / norm_of(a->val + first, end - first);
		if (!isnormal(p->bound[j]))
			return error_set(err, ERR_NUMERIC, "a value is not finite, or too large");
		for (int64_t k = first; k < end; k++)
			a->val[k] *= p->bound[j] * p->y[a->col[k]];
	}
	return 0;
}

static int lp_machine_init(struct lp_machine *l, const struct csr *x, struct error *err)
{
	struct lpsvm_program *p = &l->program;
	const size_t size = sizeof(double);

	/* of equal columns, which could share a weight in many ways, only the first is kept */
	if (blas_load(err) < 0 || columns_init(&p->columns, x, NULL, err) < 0 ||
	    columns_drop_twins(&p->columns, err) < 0)
		return -1;
	p->n = x->n_rows;
	p->d = p->columns.n;
	/* arrays by row have n numbers, arrays by column d + 1 with that of the constant */
	l->at = (struct lpsvm_lagrangian){ .u = mem_zeroed(p->n, size, err),
					   .z = mem_zeroed(p->n, size, err),
					   .s = mem_zeroed(p->n, size, err),
					   .p = mem_zeroed(p->d + 1, size, err),
					   .q = mem_zeroed(p->d + 1, size, err),
					   .product = mem_zeroed(p->d + 1, size, err) };
	l->newton = (struct lpsvm_newton){ .gradient = mem_zeroed(p->n, size, err),
					   .diagonal = mem_zeroed(p->n, size, err),
					   .step = mem_zeroed(p->n, size, err),
					   .scaled = mem_zeroed(p->n, size, err),
					   .small = mem_zeroed(p->n, size, err),
					   .coef = mem_zeroed(p->d + 1, size, err),
					   .step_product = mem_zeroed(p->d + 1, size, err),
					   .active = mem_array(p->d + 1, sizeof(int32_t), err) };
	l->bounds = (struct bounds){ .score = mem_zeroed(p->n, size, err),
				     .w = mem_zeroed(p->d + 1, size, err),
				     .best_w = mem_zeroed(p->d + 1, size, err),
				     .feasible = mem_array(p->n, size, err),
				     .product = mem_array(p->d + 1, size, err) };
	p->bound = mem_zeroed(p->d + 1, size, err);
	p->n_threads = thread_clamp_count(l->o->n_threads);
	p->team = thread_team_start(p->n_threads, err);
	if (err->code != ERR_NONE)
		return -1;
	return scale_columns(p, err);
}

/* ---- Outer steps ---- */

/* Step (3), multipliers, and the weights w = p - q of the scaled columns, followed by -gamma. */
static void update_multipliers(const struct lpsvm_program *p, struct lpsvm_lagrangian *at,
			       double *w)
{
	for (int64_t j = 0; j < p->d; j++) {
		struct lpsvm_pair excess = lpsvm_excess(p, at, j, at->product[j]);

		/* multipliers a_j / eps and b_j / eps, at most one of which is above 0 */
		at->p[j] = excess.first / at->eps;
		at->q[j] = excess.second / at->eps;
		w[j] = at->p[j] - at->q[j];
	}
	/* multiplier g of an equation, which may have any sign */
	at->g = w[p->d] = at->product[p->d] / at->eps + at->g;
	for (int64_t i = 0; i < p->n; i++) {
		struct lpsvm_pair outside = lpsvm_outside(p, at, i, at->u[i]);

		at->z[i] = outside.first / at->eps;
		at->s[i] = outside.second / at->eps;
	}
}

/*
 * (7): the value of w, d weights and -gamma, whose errors t_i are as small as they can be; 'score'
 * becomes y_i (x_i.w - gamma).
 */
static double primal_value(const struct lpsvm_program *p, double nu, const double *w, double *score)
{
	/* score_i = y_i (x_i.w - gamma): B times (w, -gamma) */
	double norm = 0, loss = 0;

	memset(score, 0, (size_t)p->n * sizeof(*score));
	lpsvm_add_columns(p, w, score);
	/* the norm |w|_1 is that of the weights of the unscaled data */
	for (int64_t j = 0; j < p->d; j++)
		norm += p->bound[j] * fabs(w[j]);
	for (int64_t i = 0; i < p->n; i++)
		/* row i has the error t_i = (1 - score_i)+, which costs nu m_i t_i */
		loss += weight_at(p->weight, i) * positive(1 - score[i]);
	return nu * loss + norm;
}

/*
 * (8): the value of a feasible point of (1) near u: cut to 0 .. nu m, the larger class scaled
 * down to the sum of the other, both divided by the worst excess of |A'Du| over bound.  u becomes
 * the point before that division; 'product' (d + 1) is overwritten.
 */
static double dual_value(const struct lpsvm_program *p, double nu, double *u, double *product)
{
	double sum_plus = 0, sum_minus = 0, smaller, most = 1;

	/* cut u to the constraint 0 <= u <= nu m */
	for (int64_t i = 0; i < p->n; i++) {
		u[i] = fmin(positive(u[i]), nu * weight_at(p->weight, i));
		*(p->y[i] > 0 ? &sum_plus : &sum_minus) += u[i];
	}
	smaller = fmin(sum_plus, sum_minus);
	/* a class with sum 0 leaves u = 0, whose dual value is 0 */
	if (!(smaller > 0))
		return 0;
	/* scale u to e'Du = 0: both classes get the smaller sum, so no u_i grows */
	for (int64_t i = 0; i < p->n; i++)
		u[i] *= smaller / (p->y[i] > 0 ? sum_plus : sum_minus);
	/* scale u to |A'Du| <= bound: division by most >= 1 keeps the other constraints */
	lpsvm_multiply(p, u, product);
	for (int64_t j = 0; j < p->d; j++)
		most = fmax(most, fabs(product[j]) / p->bound[j]);
	return 2 * smaller / most; /* dual value e'u of the scaled point */
}

/* Relative gap (P - D) / P; 0 where P is 0, which is then the optimum. */
static double gap_of(const struct lpsvm_result *result)
{
	return result->primal > 0 ? (result->primal - result->dual) / result->primal : 0;
}

/*
 * (7) of b->w and (8) of u after an outer step.  Each bounds the optimum whatever step it is of, so
 * the least primal and the largest dual value of all steps are kept.
 */
static void take_bounds(struct lp_machine *l, struct lpsvm_result *result)
{
	const struct lpsvm_program *p = &l->program;
	struct bounds *b = &l->bounds;
	/* b->w has d weights and -gamma behind them */
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
static bool prune(struct lp_machine *l, double tiny, double wanted, struct lpsvm_result *result)
{
	const struct lpsvm_program *p = &l->program;
	struct bounds *b = &l->bounds;
	double primal;

	/* the weight's part of the primal value is bound_j |w_j| */
	for (int64_t j = 0; j < p->d; j++)
		b->w[j] = p->bound[j] * fabs(b->best_w[j]) <= tiny ? 0 : b->best_w[j];
	b->w[p->d] = -result->gamma;
	primal = primal_value(p, l->at.nu, b->w, b->score);
	/* a smaller primal value is kept whatever the gap */
	if (primal > result->primal && primal - result->dual > wanted * primal)
		return false;
	result->primal = primal;
	result->gap = gap_of(result);
	memcpy(b->best_w, b->w, (size_t)p->d * sizeof(*b->best_w));
	return true;
}

/* Is w = 0 optimal?  It is for small nu, and then the dual value (8) at u = nu m proves it. */
static bool is_nothing(struct lp_machine *l, double wanted, struct lpsvm_result *result)
{
	const struct lpsvm_program *p = &l->program;
	struct bounds *b = &l->bounds;
	double sum_plus = 0, sum_minus = 0, dual;

	for (int64_t i = 0; i < p->n; i++) {
		b->feasible[i] = l->at.nu * weight_at(p->weight, i);
		*(p->y[i] > 0 ? &sum_plus : &sum_minus) += weight_at(p->weight, i);
	}
	dual = dual_value(p, l->at.nu, b->feasible, b->product);
	/* with w = 0 and gamma = +-1 rows of the lighter class have errors of 2, the others none */
	result->primal = 2 * l->at.nu * fmin(sum_plus, sum_minus);
	if (result->primal - dual > wanted * result->primal)
		return false;
	result->gamma = sum_plus > sum_minus ? -1 : 1;
	result->dual = fmin(dual, result->primal);
	result->gap = gap_of(result);
	result->converged = true;
	memset(b->best_w, 0, (size_t)p->d * sizeof(*b->best_w));
	return true;
}

/* Outer steps, (2) and then (3), until the gap between (7) and (8) is at most 'wanted'. */
static int close_gap(struct lp_machine *l, double wanted, struct lpsvm_result *result,
		     struct error *err)
{
	double before = INFINITY;

	l->at.eps = FIRST_EPS;
	for (int k = 0; k < MAX_OUTER && !result->converged; k++) {
		/* minimise f by (2), then the multipliers (3); bounds (7) of w and (8) of u */
		if (lpsvm_minimise(&l->program, &l->at, &l->newton, &result->n_newton, err) < 0)
			return -1;
		/* u minimises f for the present multipliers; (3) moves these */
		update_multipliers(&l->program, &l->at, l->bounds.w);
		take_bounds(l, result);
		if (!isfinite(result->gap))
			return error_set(err, ERR_NUMERIC,
					 "values are too large for a linear program");
		result->n_outer++;
		result->converged = result->gap <= wanted;
		/* a smaller eps where the gap fell by less than GAP_FACTOR */
		if (!(result->gap * GAP_FACTOR <= before))
			l->at.eps = fmax(LEAST_EPS, l->at.eps / EPS_FACTOR);
		before = result->gap;
	}
	return 0;
}

/* Solve for 'nu', starting from the present u and multipliers. */
static int solve(struct lp_machine *l, double nu, struct lpsvm_result *result, struct error *err)
{
	double wanted = l->o->gap > 0 ? l->o->gap : LPSVM_DEFAULT_GAP;

	l->at.nu = result->nu = nu;
	if (is_nothing(l, wanted, result))
		/* w = 0 has been proved optimal */
		return 0;
	result->primal = INFINITY;
	result->dual = 0;
	result->converged = false;
	/* the best weights of all outer steps are in best_w */
	if (close_gap(l, wanted, result, err) < 0)
		return -1;
	/* from the boldest pruning to the most careful, until one keeps the gap */
	for (double share = 1; share >= LEAST_SHARE; share /= SHARE_FACTOR)
		if (prune(l, share * wanted * result->primal, wanted, result))
			break;
	return 0;
}

/*
 * Bisect log nu: the larger nu, the more features, mostly.  The weights whose number of features
 * came nearest to the target are kept; weights without any feature count as farthest.  Each
 * problem starts from u and the multipliers of the one before, which mostly are near its own.
 */
static int solve_for_target(struct lp_machine *l, struct lpsvm_result *result, struct error *err)
{
	const size_t bytes = (size_t)l->program.d * sizeof(double);
	double *kept = mem_array(l->program.d, sizeof(*kept), err);
	double low = log(LPSVM_LEAST_NU), high = log(LPSVM_MOST_NU);
	struct lpsvm_result found = { 0 };
	int64_t nearest = kept ? INT64_MAX : 0;

	for (int k = 0; k < MAX_BISECTIONS && nearest > 0 && high - low > LEAST_WIDTH; k++) {
		double middle = (low + high) / 2;
		int64_t n = 0, distance;

		if (solve(l, exp(middle), &found, err) < 0)
			break;
		for (int64_t j = 0; j < l->program.d; j++)
			n += l->bounds.best_w[j] != 0;
		/* no weights are no selection, and are taken only if there is no other */
		distance = n == 0 ? INT64_MAX - 1 : llabs(n - l->o->target);
		if (distance < nearest) {
			nearest = distance;
			*result = found;
			memcpy(kept, l->bounds.best_w, bytes);
		}
		/* too few features ask for a larger nu, too many for a smaller one */
		*(n < l->o->target ? &low : &high) = middle;
	}
	/* steps of all problems solved have been summed in 'found' */
	result->n_outer = found.n_outer;
	result->n_newton = found.n_newton;
	if (err->code == ERR_NONE)
		memcpy(l->bounds.best_w, kept, bytes);
	mem_free(kept);
	return err->code == ERR_NONE ? 0 : -1;
}

/* ---- The selection ---- */

/* Label +1 or -1 that all rows have, else 0. */
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
	struct lp_machine l = { .o = o, .program = { .y = y, .weight = o->weight } };
	const struct lpsvm_program *p = &l.program;
	double only = only_class(y, x->n_rows);
	int ret = -1;

	/* a single class needs no feature: with w = 0 gamma puts every row on the right side */
	*s = (struct selection){ 0 };
	*result = (struct lpsvm_result){ .nu = o->nu, .gamma = -only, .converged = true };
	if (only != 0)
		return selection_init(s, 0, err);
	if (lp_machine_init(&l, x, err) == 0)
		/* for the nu given, or the one that gives the number of features wanted */
		ret = o->target == 0 ? solve(&l, o->nu, result, err) :
				       solve_for_target(&l, result, err);
	/* the features that have weights, by the weights of the unscaled data, bound_j w_j */
	for (int64_t j = 0; j < p->d && ret == 0; j++)
		l.bounds.product[j] = p->bound[j] * fabs(l.bounds.best_w[j]);
	if (ret == 0)
		ret = selection_of_scores(s, l.bounds.product, p->d, p->d, p->columns.feature, 1,
					  err);
	lp_machine_free(&l);
	return ret;
}
