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
 * What it wins: sinc without noise, -g 1 -c 100.  Relative gaps with it and without it: 150 rows,
 * -s 3 -p 0, 2e-6 and .5; -s 4 -n .9, 1e-5 and .4; 400 rows 1.5e-5 and .8; 1,500 rows 3e-3 and 1.
 * There SMO in doubles does not converge, whatever work it may take.  Of 17 other small problems
 * four have a smaller gap by it, which was below 1e-3 before.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/interior.h"

#include "matrix/blas.h"

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

struct variable {
	int64_t example;
	struct variable *twin; /* the other variable of the example, or NULL */
	int sum;	       /* number of the fixed sum that it belongs to */
	double sign, bound;    /* sign s and bound C */
	double cost, a;	       /* cost q; coefficient in its sum */
	double v, room;	       /* v, and C - v */
	double z, w;
	double dv, dz, dw;
	double theta, r;
	double of_v, of_room; /* second order terms of v z and of (C - v) w */
};

struct interior {
	const struct problem_view *p;
	int64_t n, stride;
	int64_t n_x;	    /* number of variables, at most two for each example */
	struct variable *x; /* variables by example, a positive one before a negative one */
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

/* ---- the problem ---- */

static int allocate(struct interior *s, struct error *err)
{
	double **vector[] = {
		&s->beta, &s->f, &s->d, &s->psi, &s->part[0], &s->part[1], &s->part[2]
	};
	const int n_vectors = sizeof(vector) / sizeof(*vector);
	double *room = mem_zeroed(n_vectors * s->n, sizeof(*room), err);

	/* all vectors are parts of the first one */
	for (int k = 0; room && k < n_vectors; k++)
		*vector[k] = room + k * s->n;
	s->x = mem_array(2 * s->n, sizeof(*s->x), err);
	s->kernel = mem_large(s->n * s->stride, sizeof(double), err);
	s->factor = mem_large(s->n * s->n, sizeof(double), err);
	return blas_reserve(INT64_MAX, 0, err) == 0 && err->code == ERR_NONE ? 0 : -1;
}

static void add_variable(struct interior *s, int64_t i, double sign, double bound)
{
	struct variable *x = s->x + s->n_x;
	bool is_second = s->n_x > 0 && x[-1].example == i;

	if (!(bound > 0))
		return;
	*x = (struct variable){ .example = i,
				.twin = is_second ? x - 1 : NULL,
				.sum = (sign < 0 && s->n_sums > 1),
				.sign = sign,
				.bound = bound,
				.cost = problem_cost(s->p) - sign * problem_linear(s->p, i),
				.a = (s->n_sums > 1) ? 1 : sign,
				.v = bound / 2,
				.room = bound / 2 };
	if (is_second)
		x[-1].twin = x;
	s->n_x++;
}

/* Set the variables half way between their bounds, with 'n_sums' fixed sums. */
static void set_variables(struct interior *s, int n_sums)
{
	const struct problem_view *p = s->p;

	s->n_x = 0;
	s->n_sums = n_sums;
	s->total[0] = n_sums == 1 && p->sum_minus > 0 ? 0 : p->sum_plus;
	s->total[1] = n_sums == 1 ? 0 : p->sum_minus;
	memset(s->y, 0, sizeof(s->y));
	for (int64_t i = 0; i < s->n; i++) {
		add_variable(s, i, 1, problem_upper(p, i));
		add_variable(s, i, -1, -problem_lower(p, i));
	}
}

/* Compute all kernel values.  Returns 1 where the problem has none in double precision. */
static int fill_kernel(struct interior *s, int n_threads, struct error *err)
{
	struct kernel_rows rows = { 0 };
	struct row_members all = { .n = s->n, .in_place = true };
	int64_t *example = mem_array(s->n, sizeof(*example), err);
	int ret = example ? kernel_rows_init(&rows, s->p, n_threads, err) : -1;

	if (example)
		count_up(example, s->n);
	all.example = example;
	all.row = (int64_t *)s->p->row;
	if (ret == 0)
		ret = !rows.in_doubles;
	for (int64_t i = 0; ret == 0 && i < s->n; i += KERNEL_ROWS_AT_ONCE) {
		int64_t m = int64_min(KERNEL_ROWS_AT_ONCE, s->n - i);
		void *out[KERNEL_ROWS_AT_ONCE];

		for (int64_t k = 0; k < m; k++)
			out[k] = s->kernel + (i + k) * s->stride;
		ret = kernel_rows_fetch(&rows, (struct row_request){ &all, 0, example + i, m, out },
					err);
	}
	for (int64_t i = 0; ret == 0 && i < s->n; i++)
		s->largest = fmax(s->largest, s->kernel[i * s->stride + i]);
	kernel_rows_free(&rows);
	mem_free(example);
	return ret;
}

/* ---- steps ---- */

/* Slope of a variable: the left side of (1), where the optimum has z - w. */
static double slope_of(const struct interior *s, const struct variable *x)
{
	return x->sign * s->f[x->example] + x->cost + x->a * s->y[x->sum];
}

/* beta_i = sum of s v over the variables of example i */
static void add_up_beta(const struct interior *s, double *beta)
{
	memset(beta, 0, (size_t)s->n * sizeof(*beta));
	for (const struct variable *x = s->x; x < s->x + s->n_x; x++)
		beta[x->example] += x->sign * x->v;
}

/* Compute beta, K beta, the objective, the deficits of the sums and the mean product. */
static void measure(struct interior *s)
{
	double products = 0;

	add_up_beta(s, s->beta);
	blas_multiply_vector((struct blas_factor){ s->kernel, s->stride, BLAS_PLAIN }, s->n, s->n,
			     s->beta, s->f);
	s->objective = 0;
	for (int64_t i = 0; i < s->n; i++)
		s->objective += s->beta[i] * s->f[i] / 2;
	memcpy(s->lacks, s->total, sizeof(s->lacks));
	for (const struct variable *x = s->x; x < s->x + s->n_x; x++) {
		s->objective += x->cost * x->v;
		products += x->v * x->z + x->room * x->w;
		s->lacks[x->sum] -= x->a * x->v;
	}
	s->mean = products / (2 * (double)s->n_x);
}

/* Set z and w at the start so that (1) holds, each as large as the slopes are. */
static void begin(struct interior *s)
{
	double largest = 0;

	/* (1) holds with z - w = slope; both get as much more as the largest slope is */
	measure(s);
	for (const struct variable *x = s->x; x < s->x + s->n_x; x++)
		largest = fmax(largest, fabs(slope_of(s, x)));
	largest = largest > 0 ? largest : 1;
	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		x->z = fmax(slope_of(s, x), 0) + largest;
		x->w = fmax(-slope_of(s, x), 0) + largest;
	}
}

/* Factor K + Psi^-1, with Psi of (2) and (3); false if rounding leaves no factor. */
static bool factor(struct interior *s)
{
	memset(s->psi, 0, (size_t)s->n * sizeof(*s->psi));
	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		x->theta = x->z / x->v + x->w / x->room;
		s->psi[x->example] += 1 / x->theta;
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
static void solve_part(struct interior *s, double *part)
{
	for (int64_t i = 0; i < s->n; i++)
		part[i] = s->psi[i] > 0 ? part[i] / s->psi[i] : 0;
	blas_cholesky_solve(s->factor, s->n, s->n, part);
}

/* Solve (3) and (4) for the right side H of each sum, which does not depend on r. */
static void solve_sums(struct interior *s)
{
	for (int c = 0; c < s->n_sums; c++) {
		double *part = s->part[1 + c];

		memset(part, 0, (size_t)s->n * sizeof(*part));
		for (const struct variable *x = s->x; x < s->x + s->n_x; x++)
			if (x->sum == c)
				part[x->example] += x->sign * x->a / x->theta;
		solve_part(s, part);
	}
}

/* Solve (4) for h, by (2) and (3), aiming at the mean product 'm'. */
static void solve_rest(struct interior *s, double m, double second_order)
{
	double *part = s->part[0];

	memset(part, 0, (size_t)s->n * sizeof(*part));
	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		x->r = slope_of(s, x) - (m - second_order * x->of_v) / x->v +
		       (m - second_order * x->of_room) / x->room;
		part[x->example] += x->sign * x->r / x->theta;
	}
	solve_part(s, part);
}

/* -(r + a dy), what (5) has without the term s K d */
static double rest_of(const struct interior *s, const struct variable *x)
{
	return -x->r - x->a * s->dy[x->sum];
}

/*
 * Change of a variable by (6), where beta of its example changes by d; 'rest' is rest_of() of both
 * variables of the example together
 */
static double change_of(const struct variable *x, double d, double rest)
{
	if (!x->twin)
		return x->sign * d;
	return (rest + x->sign * x->twin->theta * d) / (x->theta + x->twin->theta);
}

/* Growth of a'dv of each sum by a change dy of sum c. */
static void add_up_growth(const struct interior *s, int c, double *growth)
{
	for (const struct variable *x = s->x; x < s->x + s->n_x; x++) {
		double rest = x->sum == c ? -x->a : 0;

		if (x->twin && x->twin->sum == c)
			rest -= x->twin->a;
		growth[x->sum] += x->a * change_of(x, -s->part[1 + c][x->example], rest);
	}
}

/* Changes of beta and of the variables for the present dy. */
static void apply_sum_changes(struct interior *s)
{
	for (int64_t i = 0; i < s->n; i++) {
		s->d[i] = -s->part[0][i];
		for (int c = 0; c < s->n_sums; c++)
			s->d[i] -= s->part[1 + c][i] * s->dy[c];
	}
	for (struct variable *x = s->x; x < s->x + s->n_x; x++)
		x->dv = change_of(x, s->d[x->example],
				  rest_of(s, x) + (x->twin ? rest_of(s, x->twin) : 0));
}

/*
 * Solve (5): dy of one or two sums, by Cramer's rule.  As two equations are nearly alike where the
 * kernel matrix is nearly singular, the deficits that remain are solved for again.  Where there is
 * one sum the second equation is 1 dy = 0.
 */
static void solve_sum_changes(struct interior *s)
{
	double of[MOST_SUMS][MOST_SUMS] = { { 0 }, { 0, s->n_sums == 1 } }, determinant;

	/* of[c]: what a change of 1 in y of sum c does to each sum, all else being as it is */
	memset(s->dy, 0, sizeof(s->dy));
	for (int c = 0; c < s->n_sums; c++)
		add_up_growth(s, c, of[c]);
	determinant = of[0][0] * of[1][1] - of[1][0] * of[0][1];
	for (int round = 0; round < SUM_ROUNDS; round++) {
		double lacks[MOST_SUMS] = { s->lacks[0], s->lacks[1] };

		/* what the sums still lack after the changes for the present dy */
		apply_sum_changes(s);
		for (const struct variable *x = s->x; x < s->x + s->n_x; x++)
			lacks[x->sum] -= x->a * x->dv;
		s->dy[0] += (lacks[0] * of[1][1] - lacks[1] * of[1][0]) / determinant;
		s->dy[1] += (lacks[1] * of[0][0] - lacks[0] * of[0][1]) / determinant;
	}
	apply_sum_changes(s);
}

/* Changes of all variables, towards the mean product 'm'. */
static void find_changes(struct interior *s, double m, double second_order)
{
	solve_rest(s, m, second_order);
	solve_sum_changes(s);
	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		x->dz = (m - second_order * x->of_v - x->z * x->dv) / x->v - x->z;
		x->dw = (m - second_order * x->of_room + x->w * x->dv) / x->room - x->w;
	}
}

static double way_to_zero(double value, double change, double way)
{
	return change < 0 ? fmin(way, -value / change) : way;
}

/* 'share' of the way along the changes to where a v, C - v, z or w is 0; at most 1. */
static double find_way(const struct interior *s, double share)
{
	double way = 1 / share;

	for (const struct variable *x = s->x; x < s->x + s->n_x; x++) {
		way = way_to_zero(x->v, x->dv, way);
		way = way_to_zero(x->room, -x->dv, way);
		way = way_to_zero(x->z, x->dz, way);
		way = way_to_zero(x->w, x->dw, way);
	}
	return share * way;
}

/* The mean product at the end of the predictor's way, and its second order terms, (7). */
static double predict(struct interior *s)
{
	double way, products = 0, fall;

	find_changes(s, 0, 0);
	way = find_way(s, 1);
	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		double v = x->v + way * x->dv, room = x->room - way * x->dv;

		products += v * (x->z + way * x->dz) + room * (x->w + way * x->dw);
		x->of_v = x->dv * x->dz;
		x->of_room = -x->dv * x->dw;
	}
	fall = fmax(products, 0) / (2 * (double)s->n_x) / s->mean;
	return fall * fall * fall * s->mean;
}

/* One step: predictor and corrector.  False where rounding leaves no factor or no progress. */
static bool take_step(struct interior *s)
{
	double way;

	/* the matrix of (4) at the present v, z and w, and what it makes of the sums' sides H */
	if (!factor(s))
		return false;
	solve_sums(s);
	/* changes towards m = 0 say which m can be had; those towards it are taken, (7) */
	find_changes(s, predict(s), 1);
	/* nearly as far as all of v, C - v, z and w stay above 0 */
	way = find_way(s, SHARE_OF_WAY);
	if (!(way > 0) || !isfinite(s->dy[0] + s->dy[1]))
		return false;
	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		x->v += way * x->dv;
		x->room -= way * x->dv;
		x->z += way * x->dz;
		x->w += way * x->dw;
	}
	for (int c = 0; c < s->n_sums; c++)
		s->y[c] += way * s->dy[c];
	return true;
}

/* ---- the end ---- */

/* Give the rest of a sum's surplus to the variable with the most room both ways, (8). */
static void restore_sum(struct interior *s, int c, double surplus)
{
	struct variable *best = NULL;

	for (struct variable *x = s->x; x < s->x + s->n_x; x++)
		if (x->sum == c && (!best || fmin(x->v, x->room) > fmin(best->v, best->room)))
			best = x;
	if (best)
		best->v = fmin(fmax(best->v - surplus / best->a, 0), best->bound);
}

/* Move variables next to a bound exactly to it, (8), and repair the sums. */
static void go_to_bounds(struct interior *s)
{
	double surplus[MOST_SUMS] = { 0 };

	for (struct variable *x = s->x; x < s->x + s->n_x; x++) {
		if (x->v * s->largest < x->z)
			x->v = 0;
		else if (x->room * s->largest < x->w)
			x->v = x->bound;
		x->room = x->bound - x->v;
		surplus[x->sum] += x->a * x->v;
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

		/* how far from the optimum: the gap is the sum of the products, but for the sums */
		measure(s);
		products = 2 * s->mean * (double)s->n_x;
		stalls = products < FALLING * least ? 0 : stalls + 1;
		least = fmin(least, products);
		if (products <= LEFT * fabs(s->objective) || stalls > MOST_STALLS || !take_step(s))
			break;
	}
	return step;
}

/* The solution with 'n_sums' fixed sums, into at->beta. */
static void solve(struct interior *s, int n_sums, const struct interruption *interruption,
		  struct iterate *at)
{
	set_variables(s, n_sums);
	at->n_iterations += take_steps(s, interruption);
	go_to_bounds(s);
	add_up_beta(s, at->beta);
}

int interior_solve(const struct problem_view *p, int n_threads,
		   const struct interruption *interruption, struct iterate *at, struct error *err)
{
	struct interior s = { .p = p, .n = p->n, .stride = kernel_rows_padded(p->n) };
	int ret = allocate(&s, err) < 0 ? -1 : fill_kernel(&s, n_threads, err);
	bool two_sums = p->sum_plus > 0 && p->sum_minus > 0, limits = p->type == MACHINE_NU_SVR;
	double positive = 0;

	if (ret == 0) {
		/* nu-SVR: without the limits of its sums first, then with both, (9) */
		solve(&s, two_sums && !limits ? 2 : 1, interruption, at);
		for (int64_t i = 0; i < p->n; i++)
			positive += fmax(at->beta[i], 0);
		if (limits && positive > p->sum_plus)
			solve(&s, 2, interruption, at);
	}
	mem_free_all(s.beta, s.x, s.kernel, s.factor);
	return ret;
}
