/*
 * interior.c - the optimum of a small problem by an interior point method
 *
 * Example i has a variable v for each sign that its multiplier may have: beta_i is the sum of s v,
 * 0 <= v <= C.  With what v costs, q = cost - s t_i, and sums a'v = b that are fixed, the dual is
 *
 *     minimise  1/2 beta' K beta + q'v   subject to  a'v = b of each sum,  0 <= v <= C
 *
 * and v is optimal with multipliers z >= 0 of v >= 0, w >= 0 of v <= C and y of the sums, if
 *
 *     s (K beta)_i + q + a'y = z - w,   v z = 0,   (C - v) w = 0                            (1)
 *
 * The method goes to v z = (C - v) w = m with m falling to 0, by Newton steps.  Their changes d of
 * beta and dy of y follow, with
 *
 *     theta = z / v + w / (C - v),   r = what (1) lacks, z and w being eliminated           (2)
 *     Psi_i = sum of 1 / theta,  h_i = sum of s r / theta,  H_i = sum of s a / theta        (3)
 *
 * over the one or two variables of the example, from one factor of K + Psi^-1:
 *
 *     d = -(K + Psi^-1)^-1 Psi^-1 (h + H dy)                                                (4)
 *     a'dv = b - a'v   fixes dy,   theta dv = -(r + s K d + a dy)                           (5)
 *
 * Two variables of one example share s K d: their own changes follow from d and the sum of (5)
 * without cancellation (6).  Each step solves twice: with m = 0, to see how far m can fall, and
 * with that m and the second order terms of the products (Mehrotra's predictor and corrector) (7).
 *
 * At the end v is next to neither bound exactly.  It goes to 0 if v K_ii, what moves its own
 * decision value, is less than z, and to C likewise; the others make up for their sums (8).
 *
 * The sums of nu-SVR are limits, which a tube of width 0 does not reach.  So its problem is solved
 * without them first, and with both if the solution is beyond them (9).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/interior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "matrix/blas.h"
#include "problem/kernel_rows.h"

/* Most sums that are fixed: one of all multipliers, or one for either sign. */
#define MOST_SUMS 2

/* Limit of steps: some 30 suffice where doubles are precise enough; elsewhere more gain little. */
#define MOST_STEPS 80

/* Share of the way to the first bound that a step goes. */
#define SHARE_OF_WAY 0.995

/* Share of the objective that v z and (C - v) w may add up to: a tenth of the gap wanted. */
#define LEFT 1e-18

/* Share of the least products before, above which products may stay for a few steps in a row. */
#define FALLING 0.95
#define MOST_STALLS 5

/* Solutions for dy in a step: the first one, and corrections of it. */
#define SUM_ROUNDS 3

/* Ridges tried, relative to the largest diagonal element: the least that leaves a factor counts. */
#define RIDGE 1e-15
#define RIDGE_STEP 10
#define MOST_RIDGE 1e-6

struct variables {
	int64_t n;	      /* number of variables, at most two for each example */
	int64_t *start;	      /* number of each example's first variable, and 'n' after the last */
	int *sum;	      /* number of the fixed sum that each variable belongs to */
	double *sign, *bound; /* sign s and bound C of each variable */
	double *cost;	      /* cost q of each variable */
	double *a;	      /* coefficient of each variable in its sum */
	double *v, *room;     /* variables v, and C - v */
	double *z, *w;
	double *dv, *dz, *dw;
	double *theta, *r;
	double *products[2]; /* second order terms of v z and of (C - v) w */
};

struct interior {
	const struct problem_view *p;
	int64_t n, stride;
	struct variables x;
	int n_sums;
	double total[MOST_SUMS], y[MOST_SUMS], dy[MOST_SUMS]; /* fixed sums b; multipliers y; dy */
	double lacks[MOST_SUMS];			      /* deficits of the sums, b - a'v */
	double *kernel, *factor; /* kernel matrix [n][stride], factor [n][n] */
	double largest;		 /* largest K_ii */
	double *beta, *f, *d;	 /* vectors by example: beta, K beta, d */
	double *psi;		 /* diagonal Psi by example */
	/* solutions (K + Psi^-1)^-1 Psi^-1 h, by example, for h and for H of each sum */
	double *part[1 + MOST_SUMS];
	double objective, mean; /* negative of D; mean of v z and (C - v) w */
};

double interior_bytes(int64_t n)
{
	return 16.0 * (double)n * (double)kernel_rows_padded(n) + 400.0 * (double)n;
}

/* Work of interior_solve() in the units of smo_newton_work(): 30 factors. */
double interior_work(int64_t n)
{
	double size = (double)n;

	return 30 * (size * size * size / 40 + 4 * size * size);
}

/* ---- memory ---- */

enum { BY_VARIABLE = 15, BY_EXAMPLE = 4 + 1 + MOST_SUMS };

/* Where the vectors of doubles are: those by variable, and those by example. */
struct vectors {
	double **by_variable[BY_VARIABLE], **by_example[BY_EXAMPLE];
};

static struct vectors vectors_of(struct interior *s)
{
	struct variables *x = &s->x;

	return (struct vectors){
		{ &x->sign, &x->bound, &x->cost, &x->a, &x->v, &x->room, &x->z, &x->w, &x->dv,
		  &x->dz, &x->dw, &x->theta, &x->r, &x->products[0], &x->products[1] },
		{ &s->beta, &s->f, &s->d, &s->psi, &s->part[0], &s->part[1], &s->part[2] }
	};
}

static int allocate(struct interior *s, struct error *err)
{
	const struct vectors all = vectors_of(s);

	s->x.start = mem_array(s->n + 1, sizeof(*s->x.start), err);
	s->x.sum = mem_array(2 * s->n, sizeof(*s->x.sum), err);
	for (int k = 0; k < BY_VARIABLE; k++)
		*all.by_variable[k] = mem_zeroed(2 * s->n, sizeof(double), err);
	for (int k = 0; k < BY_EXAMPLE; k++)
		*all.by_example[k] = mem_zeroed(s->n, sizeof(double), err);
	s->kernel = mem_large(s->n * s->stride, sizeof(double), err);
	s->factor = mem_large(s->n * s->n, sizeof(double), err);
	return blas_reserve(INT64_MAX, 0, err) == 0 && err->code == ERR_NONE ? 0 : -1;
}

static void interior_free(struct interior *s)
{
	const struct vectors all = vectors_of(s);

	mem_free_all(s->x.start, s->x.sum);
	for (int k = 0; k < BY_VARIABLE; k++)
		mem_free(*all.by_variable[k]);
	for (int k = 0; k < BY_EXAMPLE; k++)
		mem_free(*all.by_example[k]);
	mem_free_all(s->kernel, s->factor);
}

/* ---- the problem ---- */

static void add_variable(struct interior *s, int64_t i, double sign, double bound)
{
	struct variables *x = &s->x;
	int64_t k = x->n;

	if (!(bound > 0))
		return;
	x->sign[k] = sign;
	x->bound[k] = bound;
	x->cost[k] = problem_cost(s->p) - sign * problem_linear(s->p, i);
	x->sum[k] = s->n_sums > 1 && sign < 0;
	x->a[k] = s->n_sums > 1 ? 1 : sign;
	x->v[k] = x->room[k] = bound / 2;
	x->n++;
}

/* Set the variables half way between their bounds, with 'n_sums' fixed sums. */
static void set_variables(struct interior *s, int n_sums)
{
	const struct problem_view *p = s->p;

	s->x.n = 0;
	s->n_sums = n_sums;
	s->total[0] = n_sums == 1 && p->sum_minus > 0 ? 0 : p->sum_plus;
	s->total[1] = p->sum_minus;
	memset(s->y, 0, sizeof(s->y));
	memset(s->dy, 0, sizeof(s->dy));
	for (int64_t i = 0; i < s->n; i++) {
		s->x.start[i] = s->x.n;
		add_variable(s, i, 1, problem_upper(p, i));
		add_variable(s, i, -1, -problem_lower(p, i));
	}
	s->x.start[s->n] = s->x.n;
}

/* Compute all kernel values.  Returns 1 where the problem has none in double precision. */
static int fill_kernel(struct interior *s, int n_threads, struct error *err)
{
	struct kernel_rows rows;
	struct row_members all = { .n = s->n, .in_place = true };
	int64_t *example = mem_array(s->n, sizeof(*example), err);
	int ret = example ? kernel_rows_init(&rows, s->p, n_threads, err) : -1;

	if (ret < 0) {
		mem_free(example);
		return -1;
	}
	for (int64_t i = 0; i < s->n; i++)
		example[i] = i;
	all.example = example;
	all.row = (int64_t *)s->p->row;
	ret = !rows.in_doubles;
	for (int64_t i = 0; ret == 0 && i < s->n; i += KERNEL_ROWS_AT_ONCE) {
		int64_t m = int64_min(KERNEL_ROWS_AT_ONCE, s->n - i);
		void *out[KERNEL_ROWS_AT_ONCE];

		for (int64_t k = 0; k < m; k++)
			out[k] = s->kernel + (i + k) * s->stride;
		ret = kernel_rows_fetch(&rows, &all, 0, example + i, m, out, err);
	}
	for (int64_t i = 0; ret == 0 && i < s->n; i++)
		s->largest = fmax(s->largest, s->kernel[i * s->stride + i]);
	kernel_rows_free(&rows);
	mem_free(example);
	return ret;
}

/* y <- K x, one product of the kernel matrix with a vector */
static void multiply(const struct interior *s, const double *x, double *y)
{
	blas_multiply_vector((struct blas_factor){ s->kernel, s->stride, BLAS_PLAIN }, s->n, s->n,
			     x, y);
}

/* ---- steps ---- */

/* Slope of variable k of example i: the left side of (1), where the optimum has z - w. */
static double slope_of(const struct interior *s, int64_t i, int64_t k)
{
	const struct variables *x = &s->x;

	return x->sign[k] * s->f[i] + x->cost[k] + x->a[k] * s->y[x->sum[k]];
}

/* beta_i = sum of s v over the variables of example i */
static void add_up_beta(const struct interior *s, double *beta)
{
	const struct variables *x = &s->x;

	for (int64_t i = 0; i < s->n; i++) {
		beta[i] = 0;
		for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
			beta[i] += x->sign[k] * x->v[k];
	}
}

/* Compute beta, K beta, the objective, the deficits of the sums and the mean product. */
static void measure(struct interior *s)
{
	const struct variables *x = &s->x;
	double products = 0;

	add_up_beta(s, s->beta);
	multiply(s, s->beta, s->f);
	s->objective = 0;
	memcpy(s->lacks, s->total, sizeof(s->lacks));
	for (int64_t i = 0; i < s->n; i++) {
		s->objective += s->beta[i] * s->f[i] / 2;
		for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
			s->objective += x->cost[k] * x->v[k];
			products += x->v[k] * x->z[k] + x->room[k] * x->w[k];
			s->lacks[x->sum[k]] -= x->a[k] * x->v[k];
		}
	}
	s->mean = products / (2 * (double)x->n);
}

/* Set z and w at the start so that (1) holds, each as large as the slopes are. */
static void begin(struct interior *s)
{
	struct variables *x = &s->x;
	double largest = 0;

	measure(s);
	for (int64_t i = 0; i < s->n; i++)
		for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
			largest = fmax(largest, fabs(slope_of(s, i, k)));
	largest = largest > 0 ? largest : 1;
	for (int64_t i = 0; i < s->n; i++)
		for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
			double slope = slope_of(s, i, k);

			x->z[k] = fmax(slope, 0) + largest;
			x->w[k] = fmax(-slope, 0) + largest;
		}
}

/* Factor K + Psi^-1, with Psi of (2) and (3); false if rounding leaves no factor. */
static bool factor(struct interior *s)
{
	struct variables *x = &s->x;

	for (int64_t i = 0; i < s->n; i++) {
		s->psi[i] = 0;
		for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
			x->theta[k] = x->z[k] / x->v[k] + x->w[k] / x->room[k];
			s->psi[i] += 1 / x->theta[k];
		}
	}
	for (double ridge = RIDGE; ridge < MOST_RIDGE; ridge *= RIDGE_STEP) {
		for (int64_t i = 0; i < s->n; i++) {
			double *row = s->factor + i * s->n;

			memcpy(row, s->kernel + i * s->stride, (size_t)(i + 1) * sizeof(*row));
			/* an example without variables has the multiplier 0 */
			row[i] += (s->psi[i] > 0 ? 1 / s->psi[i] : 1) + ridge * s->largest;
		}
		if (blas_cholesky(s->factor, s->n, s->n) == 0)
			return true;
	}
	return false;
}

/* part <- (K + Psi^-1)^-1 Psi^-1 part */
static void solve_part(struct interior *s, int which)
{
	double *part = s->part[which];

	for (int64_t i = 0; i < s->n; i++)
		part[i] = s->psi[i] > 0 ? part[i] / s->psi[i] : 0;
	blas_cholesky_solve(s->factor, s->n, s->n, part);
}

/* Solve (3) and (4) for the right side H, which does not depend on r. */
static void solve_sums(struct interior *s)
{
	const struct variables *x = &s->x;

	for (int c = 0; c < s->n_sums; c++) {
		memset(s->part[1 + c], 0, (size_t)s->n * sizeof(double));
		for (int64_t i = 0; i < s->n; i++)
			for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
				if (x->sum[k] == c)
					s->part[1 + c][i] += x->sign[k] * x->a[k] / x->theta[k];
		solve_part(s, 1 + c);
	}
}

/* Solve (4) for h, by (2) and (3), aiming at the mean product 'm'. */
static void solve_rest(struct interior *s, double m, double second_order)
{
	struct variables *x = &s->x;

	for (int64_t i = 0; i < s->n; i++) {
		s->part[0][i] = 0;
		for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
			x->r[k] = slope_of(s, i, k) -
				  (m - second_order * x->products[0][k]) / x->v[k] +
				  (m - second_order * x->products[1][k]) / x->room[k];
			s->part[0][i] += x->sign[k] * x->r[k] / x->theta[k];
		}
	}
	solve_part(s, 0);
}

/*
 * Changes of the variables of example i by (6), where its beta changes by d; 'rest' has the changes
 * of (5) without the term s K d
 */
static void split_change(const struct variables *x, int64_t i, double d, const double rest[2],
			 double dv[2])
{
	int64_t k = x->start[i], l = k + 1, end = x->start[i + 1];

	if (end == l)
		dv[0] = x->sign[k] * d;
	if (end <= l)
		return;
	dv[0] = (rest[0] + rest[1] + x->theta[l] * d) / (x->theta[k] + x->theta[l]);
	dv[1] = (rest[0] + rest[1] - x->theta[k] * d) / (x->theta[k] + x->theta[l]);
}

/* Growth of a'dv of each sum by a change dy of sum c. */
static void add_up_growth(const struct interior *s, int c, double *growth)
{
	const struct variables *x = &s->x;

	for (int64_t i = 0; i < s->n; i++) {
		int64_t first = x->start[i], end = x->start[i + 1];
		double rest[2], dv[2];

		for (int64_t k = first; k < end; k++)
			rest[k - first] = x->sum[k] == c ? -x->a[k] : 0;
		split_change(x, i, -s->part[1 + c][i], rest, dv);
		for (int64_t k = first; k < end; k++)
			growth[x->sum[k]] += x->a[k] * dv[k - first];
	}
}

/* Changes of beta and of the variables for the present dy. */
static void apply_sum_changes(struct interior *s)
{
	struct variables *x = &s->x;

	for (int64_t i = 0; i < s->n; i++) {
		int64_t first = x->start[i];
		double rest[2];

		s->d[i] = -s->part[0][i];
		for (int c = 0; c < s->n_sums; c++)
			s->d[i] -= s->part[1 + c][i] * s->dy[c];
		for (int64_t k = first; k < x->start[i + 1]; k++)
			rest[k - first] = -x->r[k] - x->a[k] * s->dy[x->sum[k]];
		split_change(x, i, s->d[i], rest, x->dv + first);
	}
}

/* Deficits of the sums after the changes. */
static void find_lacks(const struct interior *s, double *lacks)
{
	const struct variables *x = &s->x;

	memcpy(lacks, s->lacks, sizeof(s->lacks));
	for (int64_t k = 0; k < x->n; k++)
		lacks[x->sum[k]] -= x->a[k] * x->dv[k];
}

/*
 * Solve (5): dy of one or two sums, by Cramer's rule.  As two equations are nearly alike where the
 * kernel matrix is nearly singular, the deficits that remain are solved for again.
 */
static void solve_sum_changes(struct interior *s)
{
	double of[MOST_SUMS][MOST_SUMS] = { { 0 } }, lacks[MOST_SUMS], determinant;

	memset(s->dy, 0, sizeof(s->dy));
	for (int c = 0; c < s->n_sums; c++)
		add_up_growth(s, c, of[c]);
	determinant = s->n_sums == 1 ? of[0][0] : of[0][0] * of[1][1] - of[1][0] * of[0][1];
	for (int round = 0; round < SUM_ROUNDS; round++) {
		apply_sum_changes(s);
		find_lacks(s, lacks);
		if (s->n_sums == 1) {
			s->dy[0] += lacks[0] / determinant;
			continue;
		}
		s->dy[0] += (lacks[0] * of[1][1] - lacks[1] * of[1][0]) / determinant;
		s->dy[1] += (lacks[1] * of[0][0] - lacks[0] * of[0][1]) / determinant;
	}
	apply_sum_changes(s);
}

/* Changes of all variables, towards the mean product 'm'. */
static void find_changes(struct interior *s, double m, double second_order)
{
	struct variables *x = &s->x;

	solve_rest(s, m, second_order);
	solve_sum_changes(s);
	for (int64_t k = 0; k < x->n; k++) {
		x->dz[k] = (m - second_order * x->products[0][k] - x->z[k] * x->dv[k]) / x->v[k] -
			   x->z[k];
		x->dw[k] =
			(m - second_order * x->products[1][k] + x->w[k] * x->dv[k]) / x->room[k] -
			x->w[k];
	}
}

static double way_to_zero(double value, double change, double way)
{
	return change < 0 ? fmin(way, -value / change) : way;
}

/* 'share' of the way along the changes to where a v, C - v, z or w is 0; at most 1. */
static double find_way(const struct interior *s, double share)
{
	const struct variables *x = &s->x;
	double way = 1 / share;

	for (int64_t k = 0; k < x->n; k++) {
		way = way_to_zero(x->v[k], x->dv[k], way);
		way = way_to_zero(x->room[k], -x->dv[k], way);
		way = way_to_zero(x->z[k], x->dz[k], way);
		way = way_to_zero(x->w[k], x->dw[k], way);
	}
	return share * way;
}

/* The mean product at the end of the predictor's way, and its second order terms, (7). */
static double predict(struct interior *s)
{
	struct variables *x = &s->x;
	double way, products = 0, fall;

	find_changes(s, 0, 0);
	way = find_way(s, 1);
	for (int64_t k = 0; k < x->n; k++) {
		double v = x->v[k] + way * x->dv[k], room = x->room[k] - way * x->dv[k];

		products += v * (x->z[k] + way * x->dz[k]) + room * (x->w[k] + way * x->dw[k]);
		x->products[0][k] = x->dv[k] * x->dz[k];
		x->products[1][k] = -x->dv[k] * x->dw[k];
	}
	fall = fmax(products, 0) / (2 * (double)x->n) / s->mean;
	return fall * fall * fall * s->mean;
}

/* One step: predictor and corrector.  False where rounding leaves no factor or no progress. */
static bool take_step(struct interior *s)
{
	struct variables *x = &s->x;
	double way;

	if (!factor(s))
		return false;
	solve_sums(s);
	find_changes(s, predict(s), 1);
	way = find_way(s, SHARE_OF_WAY);
	if (!(way > 0) || !isfinite(s->dy[0] + s->dy[1]))
		return false;
	for (int64_t k = 0; k < x->n; k++) {
		x->v[k] += way * x->dv[k];
		x->room[k] -= way * x->dv[k];
		x->z[k] += way * x->dz[k];
		x->w[k] += way * x->dw[k];
	}
	for (int c = 0; c < s->n_sums; c++)
		s->y[c] += way * s->dy[c];
	return true;
}

/* ---- the end ---- */

/* Give the rest of a sum's surplus to the variable with the most room both ways, (8). */
static void restore_sum(struct interior *s, int c, double surplus)
{
	struct variables *x = &s->x;
	int64_t best = -1;

	for (int64_t k = 0; k < x->n; k++)
		if (x->sum[k] == c &&
		    (best < 0 || fmin(x->v[k], x->room[k]) > fmin(x->v[best], x->room[best])))
			best = k;
	if (best >= 0)
		x->v[best] = fmin(fmax(x->v[best] - surplus / x->a[best], 0), x->bound[best]);
}

/* Move variables next to a bound exactly to it, (8), and repair the sums. */
static void go_to_bounds(struct interior *s)
{
	struct variables *x = &s->x;
	double surplus[MOST_SUMS] = { 0 };

	for (int64_t k = 0; k < x->n; k++) {
		if (x->v[k] * s->largest < x->z[k])
			x->v[k] = 0;
		else if (x->room[k] * s->largest < x->w[k])
			x->v[k] = x->bound[k];
		x->room[k] = x->bound[k] - x->v[k];
		surplus[x->sum[k]] += x->a[k] * x->v[k];
	}
	for (int c = 0; c < s->n_sums; c++)
		restore_sum(s, c, surplus[c] - s->total[c]);
}

/* Take steps until the products are negligible beside the objective, or get no smaller. */
static int64_t take_steps(struct interior *s, const struct interruption *interruption)
{
	double least = INFINITY;
	int64_t step = 0;
	int stalls = 0;

	for (begin(s); step < MOST_STEPS && !interruption_requested(interruption); step++) {
		double products;

		measure(s);
		products = 2 * s->mean * (double)s->x.n;
		stalls = products < FALLING * least ? 0 : stalls + 1;
		least = fmin(least, products);
		if (products <= LEFT * fabs(s->objective) || stalls > MOST_STALLS || !take_step(s))
			break;
	}
	return step;
}

static int64_t solve(struct interior *s, int n_sums, const struct interruption *interruption)
{
	int64_t n_steps;

	set_variables(s, n_sums);
	n_steps = take_steps(s, interruption);
	go_to_bounds(s);
	return n_steps;
}

static double sum_of_positive(const double *beta, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += fmax(beta[i], 0);
	return sum;
}

int interior_solve(const struct problem_view *p, int n_threads,
		   const struct interruption *interruption, struct iterate *at, struct error *err)
{
	struct interior s = { .p = p, .n = p->n, .stride = kernel_rows_padded(p->n) };
	int ret = allocate(&s, err) < 0 ? -1 : fill_kernel(&s, n_threads, err);
	bool two_sums = p->sum_plus > 0 && p->sum_minus > 0, limits = p->type == MACHINE_NU_SVR;

	if (ret == 0) {
		/* nu-SVR: without the limits of its sums first, then with both, (9) */
		at->n_iterations += solve(&s, two_sums && !limits ? 2 : 1, interruption);
		add_up_beta(&s, at->beta);
		if (limits && sum_of_positive(at->beta, p->n) > p->sum_plus) {
			at->n_iterations += solve(&s, 2, interruption);
			add_up_beta(&s, at->beta);
		}
	}
	interior_free(&s);
	return ret;
}
