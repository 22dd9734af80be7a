/*
 * exact_certificate.c - primal, dual and gap of a model file, as a theorem
 *
 * How this works.  In intervals of MPFR's numbers, with the file's vectors v_j, coefficients and
 * rho, and targets t_i and bounds C_i of the problem (problem.h),
 *
 *     f_i = scale sum_j coef_j K(v_j, x_i),    |w|^2 = scale sum_j coef_j f(v_j)            (1)
 *     s_i = +-(t_i + scale rho - f_i) - epsilon     (+: side of beta_i > 0, -: of beta_i < 0)  (2)
 *     P = |w|^2 / 2 + sum_i C_i max(0, s_i)
 *         - scale rho (S_plus - S_minus) + epsilon (S_plus + S_minus)                      (3)
 *     D = sum_i (t_i beta_i - epsilon |beta_i|) - 1/2 sum_ij beta_i beta_j K(x_i, x_j)     (4)
 *
 * where (4) has no epsilon for the machines of nu.  With squared losses (3) has C_i max(0, s_i)^2,
 * and (4) the kernel K(x_i, x_j) + 1 / (2 C_i) [i = j].
 *
 * Multipliers are sums of doubles: what their sum is off, by rounding, is one double more, or two,
 * which the multiplier with most room takes up (5).
 *
 * Each end of an interval is rounded outwards.  Sums of products of three doubles are not rounded at
 * all, in one number that has all bits that they may have (6); the rest is exact as long as 'bits'
 * reach from its first bit to its last.
 *
 * Source: Fousse, Hanrot, Lefevre, Pelissier, Zimmermann 2007, "MPFR", ACM Trans. Math. Softw. 33.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify.h"

#include "base/shared_library.h"

/* Room for the struct of mpfr.h, and modes of its rounding. */
typedef void *number[4];

enum { NEAREST = 0, UP = 2, DOWN = 3 };

/* clang-format off */
#define FUNCTIONS(F) \
	F(void, init2, (number *, long)) F(void, clear, (number *)) \
	F(int, set_d, (number *, double, int)) F(double, get_d, (const number *, int)) \
	F(int, add, (number *, const number *, const number *, int)) \
	F(int, mul_d, (number *, const number *, double, int)) \
	F(int, div_d, (number *, const number *, double, int)) \
	F(int, pow_ui, (number *, const number *, unsigned long, int)) \
	F(int, exp, (number *, const number *, int)) F(int, tanh, (number *, const number *, int)) \
	F(int, equal_p, (const number *, const number *))

#define POINTER(type, name, arguments) type (*name) arguments;
static struct {
	FUNCTIONS(POINTER)
} mpfr;

#define SYMBOL(type, name, arguments) { "mpfr_" #name, &mpfr.name, false },
/* clang-format on */

static struct shared_library library = {
	.file = (const char *const[]){ "libmpfr.so.6", NULL },
	.symbol = (const struct shared_symbol[]){ FUNCTIONS(SYMBOL){ .name = NULL } },
	.room = 4 << 20, /* MPFR 4.2 with GMP: 1.3 MB */
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* Bits of numbers with exp or tanh, and of others, which then are exact as far as they go. */
#define ROUNDED_BITS 192
#define EXACT_BITS 2048

/* (6): from 2^-3222 to 2^3072, and room for sums */
#define PRODUCT_BITS 6400

/* How the lower and the upper end of an interval are rounded. */
static const int outwards[2] = { DOWN, UP };

/* A vector of a function sum_j coef_j K(v_j, x); a row may be several of them. */
struct vector {
	struct csr_row entries;
	double coef;
	int64_t i; /* example of the problem; -1: vector of the file */
	int side;  /* 1 or -1: side of its multiplier */
};

/* Intervals, of which two are numbers: (6), and what is added next. */
enum { PRIMAL, DUAL, F, SLACK, VALUE, SUM, PART, N_INTERVALS };

struct exact {
	const struct exact_question *q;
	number x[N_INTERVALS][2];
	struct vector *vector; /* vectors of the file, and behind them those of the multipliers */
	int64_t n_file, n_dual;
};

/* ---- Intervals ---- */

/* (6): SUM += a b c */
static void add_product(struct exact *e, double a, double b, double c)
{
	if (b == 0 || c == 0)
		return;
	mpfr.set_d(e->x[PART], a, NEAREST);
	mpfr.mul_d(e->x[PART], e->x[PART], b, NEAREST);
	mpfr.mul_d(e->x[PART], e->x[PART], c, NEAREST);
	mpfr.add(e->x[SUM], e->x[SUM], e->x[PART], NEAREST);
}

/* to = SUM */
static void take_sum(struct exact *e, int to)
{
	for (int k = 0; k < 2; k++)
		mpfr.pow_ui(&e->x[to][k], e->x[SUM], 1, outwards[k]);
}

/* to += factor x */
static void add_multiple(struct exact *e, int to, int x, double factor)
{
	for (int k = 0; k < 2; k++) {
		mpfr.mul_d(e->x[PART], &e->x[x][factor < 0 ? !k : k], factor, outwards[k]);
		mpfr.add(&e->x[to][k], &e->x[to][k], e->x[PART], outwards[k]);
	}
}

/* x /= by, above 0 */
static void divide(struct exact *e, int x, double by)
{
	for (int k = 0; k < 2; k++)
		mpfr.div_d(&e->x[x][k], &e->x[x][k], by, outwards[k]);
}

/* The ends of x; returns whether they are one number. */
static bool find_ends(struct exact *e, int x, double end[2])
{
	for (int k = 0; k < 2; k++)
		end[k] = mpfr.get_d(&e->x[x][k], outwards[k]);
	return mpfr.equal_p(&e->x[x][0], &e->x[x][1]);
}

/* ---- Decision values ---- */

/* VALUE = K(v, x) of SUM = gamma v'x + coef0, or -gamma |v - x|^2 */
static void find_kernel(struct exact *e, struct csr_row v, struct csr_row x)
{
	const struct kernel *k = &e->q->p->kernel;
	const bool distance = k->type == KERNEL_RBF;
	const double gamma = kernel_has_gamma(k->type) ? k->gamma : 1;

	mpfr.set_d(e->x[SUM], kernel_has_coef0(k->type) ? k->coef0 : 0, NEAREST);
	for (int64_t i = 0, j = 0; i < v.n || j < x.n;) {
		int64_t in_v = i < v.n ? v.col[i] : INT64_MAX;
		int64_t in_x = j < x.n ? x.col[j] : INT64_MAX;
		double a = in_v <= in_x ? v.val[i++] : 0, b = in_x <= in_v ? x.val[j++] : 0;

		if (distance && a == b)
			continue;
		add_product(e, gamma, a, b);
		if (distance) {
			/* 2 gamma may be too large */
			add_product(e, gamma, a, b);
			add_product(e, -gamma, a, a);
			add_product(e, -gamma, b, b);
		}
	}
	for (int i = 0; i < 2; i++) {
		number *end = &e->x[VALUE][i];

		mpfr.pow_ui(end, e->x[SUM], k->type == KERNEL_POLYNOMIAL ? k->degree : 1,
			    outwards[i]);
		if (k->type == KERNEL_RBF)
			mpfr.exp(end, end, outwards[i]);
		if (k->type == KERNEL_SIGMOID)
			mpfr.tanh(end, end, outwards[i]);
	}
}

/*
 * F = the sum over n vectors at 'at', those that are not 'at' itself 'times' over; of multipliers
 * with squared losses by the kernel that they have
 */
static void find_value(struct exact *e, const struct vector *v, int64_t n, const struct vector *at,
		       double times)
{
	mpfr.set_d(e->x[SUM], 0, NEAREST);
	take_sum(e, F);
	for (int64_t j = 0; j < n; j++) {
		find_kernel(e, v[j].entries, at->entries);
		if (e->q->p->squared_loss && at->i >= 0 && v[j].i == at->i) {
			mpfr.set_d(e->x[SUM], 0.5, NEAREST);
			take_sum(e, SLACK);
			divide(e, SLACK, problem_c(e->q->p, at->i));
			add_multiple(e, VALUE, SLACK, 1);
		}
		add_multiple(e, F, VALUE, (v + j == at ? 1 : times) * v[j].coef);
	}
}

/* to += sign |w|^2 of n vectors, of which each pair is looked at once */
static void add_square(struct exact *e, int to, const struct vector *v, int64_t n, int sign)
{
	for (int64_t j = 0; j < n; j++) {
		find_value(e, v, j + 1, &v[j], 2);
		add_multiple(e, to, F, sign * v[j].coef);
	}
}

/* ---- Multipliers ---- */

/* Bound of the multiplier of example i on a side; 0: it has none there. */
static double bound_on(const struct problem_view *p, int64_t i, int side)
{
	return side > 0 ? problem_upper(p, i) : -problem_lower(p, i);
}

/* Let example i have another vector, as a part of its multiplier on a side. */
static void add_vector(struct exact *e, int64_t i, double coef, int side)
{
	e->vector[e->n_file + e->n_dual++] =
		(struct vector){ csr_row_of(e->q->p->x, e->q->p->row[i]), coef, i, side };
}

/*
 * (5): let multipliers of a side sum up to 'target', of nu-SVR to that at most; those of both, if
 * 'side' is 0, by making one less.  Returns whether they do.
 */
static bool balance(struct exact *e, int side, double target)
{
	const struct vector *v = e->vector + e->n_file;
	double rest, most = 0;
	int64_t best = 0;

	mpfr.set_d(e->x[SUM], -target, NEAREST);
	for (int64_t j = 0; j < e->n_dual; j++)
		if (side == 0 || v[j].side == side)
			add_product(e, v[j].coef, 1, 1);
	rest = mpfr.get_d(e->x[SUM], NEAREST);
	if (e->q->p->type == MACHINE_NU_SVR && side * rest < 0)
		return true;
	if (side == 0)
		side = rest > 0 ? 1 : -1;
	for (int64_t i = 0; i < e->q->p->n; i++) {
		double bound = bound_on(e->q->p, i, side);
		double size = fmin(fmax(side * e->q->beta[i], 0), bound);
		double room = side * rest > 0 ? size : bound - size;

		if (room > most) {
			most = room;
			best = i;
		}
	}
	if (!(fabs(rest) <= most / 4))
		return false;
	for (; rest != 0; rest = mpfr.get_d(e->x[SUM], NEAREST)) {
		add_vector(e, best, -rest, side);
		add_product(e, -rest, 1, 1);
	}
	return true;
}

/* Make vectors of the multipliers, feasible ones; false where they cannot be made so. */
static bool make_feasible(struct exact *e)
{
	const struct problem_view *p = e->q->p;

	for (int64_t i = 0; i < p->n; i++) {
		int side = e->q->beta[i] > 0 ? 1 : -1;
		double size = fmin(fabs(e->q->beta[i]), bound_on(p, i, side));

		if (size > 0)
			add_vector(e, i, side * size, side);
	}
	if (problem_fixes_sums(p) &&
	    (!balance(e, 1, p->sum_plus) || !balance(e, -1, -p->sum_minus)))
		return false;
	return p->type == MACHINE_ONE_CLASS || balance(e, 0, 0);
}

/* ---- Objectives ---- */

/* Add the loss of example i, whose value is F, to the primal. */
static void add_loss(struct exact *e, int64_t i, double epsilon)
{
	for (int side = 1; side >= -1; side -= 2) {
		mpfr.set_d(e->x[SUM], -epsilon, NEAREST);
		add_product(e, side, problem_linear(e->q->p, i), 1);
		add_product(e, side, e->q->rho, 1);
		take_sum(e, SLACK);
		add_multiple(e, SLACK, F, -side);
		for (int k = 0; k < 2; k++) {
			if (mpfr.get_d(&e->x[SLACK][k], DOWN) < 0)
				mpfr.set_d(&e->x[SLACK][k], 0, NEAREST);
			if (e->q->p->squared_loss)
				mpfr.pow_ui(&e->x[SLACK][k], &e->x[SLACK][k], 2, outwards[k]);
		}
		add_multiple(e, PRIMAL, SLACK,
			     bound_on(e->q->p, i, side) > 0 ? problem_c(e->q->p, i) : 0);
	}
}

/* (3) over scale^2; S_minus is S_plus or 0 */
static void find_primal(struct exact *e)
{
	const struct problem_view *p = e->q->p;
	const double epsilon = p->type == MACHINE_NU_SVC ? -1 : p->epsilon;

	mpfr.set_d(e->x[SUM], 0, NEAREST);
	add_product(e, p->sum_minus - p->sum_plus, e->q->rho, 1);
	add_product(e, p->sum_plus + p->sum_minus, epsilon, 1);
	take_sum(e, PRIMAL);
	for (int64_t i = 0; i < p->n; i++) {
		const struct vector at = { csr_row_of(p->x, p->row[i]), .i = -1 };

		find_value(e, e->vector, e->n_file, &at, 1);
		add_loss(e, i, epsilon);
	}
	divide(e, PRIMAL, e->q->scale / 2);
	add_square(e, PRIMAL, e->vector, e->n_file, 1);
	divide(e, PRIMAL, 2);
}

/* (4) over scale^2 */
static void find_dual(struct exact *e)
{
	const struct vector *v = e->vector + e->n_file;

	mpfr.set_d(e->x[SUM], 0, NEAREST);
	for (int64_t j = 0; j < e->n_dual; j++) {
		add_product(e, problem_linear(e->q->p, v[j].i), v[j].coef, 2);
		add_product(e, -problem_cost(e->q->p), v[j].side * v[j].coef, 2);
	}
	take_sum(e, DUAL);
	add_square(e, DUAL, v, e->n_dual, -1);
	divide(e, DUAL, e->q->scale);
	divide(e, DUAL, e->q->scale * 2);
}

static void certify(struct exact *e, struct exact_certificate *c)
{
	for (int k = 0; k < 2; k++) {
		const struct solution_side own = solution_side(
			&e->q->m->solution, k ? e->q->b : e->q->a, k ? e->q->a : e->q->b);

		for (int64_t j = own.first; j < own.first + own.n; j++)
			e->vector[e->n_file++] = (struct vector){ csr_row_of(&e->q->m->sv, j),
								  own.coef[j], .i = -1 };
	}
	c->known = make_feasible(e);
	if (!c->known)
		return;
	find_primal(e);
	find_dual(e);
	c->rounded = !find_ends(e, PRIMAL, c->primal);
	c->rounded |= !find_ends(e, DUAL, c->dual);
	add_multiple(e, PRIMAL, DUAL, -1);
	find_ends(e, PRIMAL, c->gap);
}

int exact_certify(struct exact_certificate *c, const struct exact_question *q, struct error *err)
{
	const enum kernel_type k = q->p->kernel.type;
	/* vectors, and the doubles that three sums can be cut into */
	const int64_t room = q->m->solution.n_sv + q->p->n + 3 * (PRODUCT_BITS / 53);
	const long bits = k == KERNEL_RBF || k == KERNEL_SIGMOID ? ROUNDED_BITS : EXACT_BITS;
	struct exact e = { .q = q };

	if (shared_library_load(&library, err) < 0)
		return -1;
	e.vector = mem_array(room, sizeof(*e.vector), err);
	if (!e.vector)
		return -1;
	shared_library_enter(&library);
	for (int i = 0; i < 2 * N_INTERVALS; i++)
		mpfr.init2(&e.x[i / 2][i % 2], i / 2 == SUM ? PRODUCT_BITS : bits);
	certify(&e, c);
	for (int i = 0; i < 2 * N_INTERVALS; i++)
		mpfr.clear(&e.x[i / 2][i % 2]);
	shared_library_leave();
	mem_free(e.vector);
	return 0;
}
