/*
 * optimum_ball.c - what a certificate proves of every optimum, whatever solver found the model
 *
 * How this works.  Let beta be feasible, w = sum_i beta_i phi(x_i), and T_i the share of row i in
 * the gap where its decision value is v,
 *
 *     T_i(v) = C_i loss_i(v) - beta_i (y_i - v) + epsilon |beta_i| (+ beta_i^2 / (4 C_i))   (1)
 *
 * (the last term with squared losses), convex and at least 0; it is 0 where v keeps the condition
 * of optimality for beta_i.  As sum_i beta_i = 0, for any w' and b'
 *
 *     P(w', b') - D(beta) = |w' - w|^2 / 2 + sum_i T_i(w'.phi(x_i) + b')                     (2)
 *
 * At (w, b) this is the gap G = sum_i T_i(f_i + b).  At an optimum (w*, b*) it is at most
 * G - |w - w*|^2 / 2, because P is 1-strongly convex in w, also with squared losses.  So
 *
 *     |w - w*|^2 + sum_i T_i(w*.phi(x_i) + b*) <= G                                          (3)
 *
 * which gives |w - w*| <= R = sqrt(G), a factor sqrt(2) less than strong convexity alone.  For any z
 *
 *     w*.phi(x) + b* = w.phi(x) + c + (w* - w).(phi(x) - z),   c = b* + (w* - w).z            (4)
 *
 * so a decision value is within R |phi(x) - z| of w.phi(x) + c, and the rows bound c: with d_i for
 * that distance of row i,
 *
 *     S(c) <= G,   S(c) = sum_i min { T_i(v): |v - f_i - c| <= d_i }                         (5)
 *
 * Without a center, z = 0, d_i is R sqrt(K_ii); by the mean of some support vectors it is a third of
 * that on a9a at gamma = .01.
 *
 * S is convex and S(b) <= G, so each c' with S(c') > G is beyond every c on its side of b.  Such c'
 * are found by doubling a step, and brought nearer by bisection, of which the outer end counts.
 *
 * A row is no support vector of any optimum where all values within these bounds are without a loss
 * and off its edge, and has a multiplier of C_i (above 0 with squared losses) where all have one.
 *
 * Rounding.  What makes beta feasible, clipping to the box and scaling the sign that weighs more,
 * moves w by at most sum_i |change of beta_i| sqrt(K_ii), which R takes up.  f_i has the error e_i
 * of rounding_errors.c, taken twice for a linear kernel, whose w is a rounded vector, and which d_i
 * takes up with what adding b loses.
 *
 * Source of (2) and (3): Ndiaye, Fercoq, Gramfort, Salmon 2017, Gap safe screening rules, J. Mach.
 * Learn. Res. 18, theorem 6, for both sides of the gap at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/optimum_ball.h"

#include "base/long_sum.h"
#include "kernel/kernel_lanes.h"

/* Share that the operations of (1), or of making a multiplier feasible, may lose of their terms. */
#define OPERATIONS (8 * DBL_EPSILON)

/* Share of the distance of c' from b that bisection leaves open. */
#define NEAR 1e-3

/* Vectors of the mean z: its |phi(x) - z|^2 is by 1 / 16 of that above the mean of all. */
#define MOST_VECTORS 16

struct ball_search {
	const struct problem_view *p;
	const double *f;
	const struct optimum_rows *rows;
	double *beta; /* feasible multipliers, n */
	struct rounding_errors errors;
	double moved; /* how far w is from that of beta, at most */
	double gap;   /* G, at most */
	double b;
};

/* Clip to the box, and scale the sign that weighs more; s->moved is what that does to w. */
static void make_feasible(struct ball_search *s, const double *beta)
{
	const struct problem_view *p = s->p;
	struct long_sum sum[2] = { { 0 } };

	for (int64_t i = 0; i < p->n; i++) {
		s->beta[i] = fmin(fmax(beta[i], problem_lower(p, i)), problem_upper(p, i));
		long_sum_add(&sum[s->beta[i] < 0], fabs(s->beta[i]), 1);
	}
	for (int64_t i = 0; i < p->n; i++) {
		const bool negative = s->beta[i] < 0;
		const double share =
			long_sum_value(&sum[!negative]) / long_sum_value(&sum[negative]);

		if (share < 1)
			s->beta[i] *= share;
		s->moved += (fabs(s->beta[i] - beta[i]) + OPERATIONS * fabs(s->beta[i])) *
			    s->errors.length[i];
	}
}

/*
 * d_i of (5), where w* is within 'radius' of w; for a radius of 0 what f_i + b may be off at the
 * feasible multipliers themselves
 */
static double width_of(const struct ball_search *s, int64_t i, double radius, double b)
{
	const double reach = radius > 0 ? radius * s->rows->distance[s->p->row[i]] :
					  s->moved * s->errors.length[i];

	return reach + 2 * rounding_error_of(&s->errors, i) +
	       OPERATIONS * (fabs(s->f[i]) + fabs(b) + fabs(s->p->target[i]) + s->p->epsilon);
}

/*
 * Sums of the least, S(c) of (5), and of the largest T_i(v) that the widths allow
 *
 * The violation is the distance of v from the values where T_i is 0; below 0 inside of them.
 * Multipliers that were scaled, and T_i, have the errors of a few operations.
 */
static struct value_bounds sum_row_gaps(const struct ball_search *s, double radius, double b)
{
	const struct problem_view *p = s->p;
	const struct certificate_witness at = { 1, p->epsilon, -p->epsilon };
	struct value_bounds sum = { 0, 0 };

	for (int64_t i = 0; i < p->n; i++) {
		const double beta = s->beta[i], v = s->f[i] + b, width = width_of(s, i, radius, b);
		const double violation = certificate_row_violation(p, i, beta, v);
		const double sizes = fabs(p->target[i] - v) + width + p->epsilon;
		const double error = 4 * OPERATIONS * fabs(beta) * sizes;
		double low, high;

		if (violation < -width)
			continue;
		sum.high +=
			(1 + OPERATIONS) * certificate_row_gap(p, i, beta, v, width, &at) + error;
		if (!(violation > width))
			continue;
		low = certificate_row_gap(p, i, beta, v - width, 0, &at);
		high = certificate_row_gap(p, i, beta, v + width, 0, &at);
		sum.low += fmax(0, (1 - OPERATIONS) * fmin(low, high) - error);
	}
	return sum;
}

/* A constant above all c, or below all if 'side' is -1. */
static double find_end(const struct ball_search *s, double radius, int side)
{
	double step = fmax(radius, DBL_EPSILON * (1 + fabs(s->b))), inside = s->b, outside;

	for (;; step *= 2) {
		outside = s->b + side * step;
		if (!isfinite(outside) || sum_row_gaps(s, radius, outside).low > s->gap)
			break;
		inside = outside;
	}
	/* not below a few roundings, where no double is between the two */
	while (isfinite(outside) &&
	       fabs(outside - inside) > NEAR * step + 4 * DBL_EPSILON * fabs(outside)) {
		const double middle = (outside + inside) / 2;

		*(sum_row_gaps(s, radius, middle).low > s->gap ? &outside : &inside) = middle;
	}
	return outside;
}

static void mark_rows(const struct ball_search *s, const struct optimum_ball *ball)
{
	unsigned char *mark = s->rows->mark;
	const struct problem_view *p = s->p;

	for (int64_t i = 0; i < p->n; i++) {
		const double low = s->f[i] + ball->low - width_of(s, i, ball->radius, ball->low);
		const double high = s->f[i] + ball->high + width_of(s, i, ball->radius, ball->high);
		const double below = certificate_row_violation(p, i, 0, low);
		const double above = certificate_row_violation(p, i, 0, high);

		if (!(below < 0 && above < 0))
			mark[p->row[i]] |= OPTIMUM_MAY_BE_SV;
		/* a regression's row may be above the tube or below */
		if (below > 0 && above > 0 && (p->target[i] > low) == (p->target[i] > high))
			mark[p->row[i]] |= OPTIMUM_IS_SV;
	}
}

int optimum_ball_find(struct optimum_ball *ball, const struct problem_view *p,
		      const struct iterate *x, const struct optimum_rows *rows, struct error *err)
{
	struct ball_search s = { .p = p, .f = x->f, .rows = rows };
	int ret = -1;

	s.beta = mem_array(p->n, sizeof(*s.beta), err);
	if (!s.beta ||
	    rounding_errors_init(&s.errors, p, x, ROUNDING_SUMS, NULL, rows->longest, err) < 0 ||
	    certificate_bias(p, x->f, &s.b, err) < 0)
		goto out;
	make_feasible(&s, x->beta);
	/* sums of n terms above 0, on both sides of (5) */
	s.gap = sum_row_gaps(&s, 0, s.b).high * (1 + 4 * (double)p->n * DBL_EPSILON);
	ball->radius = sqrt(s.gap) + s.moved;
	ball->low = find_end(&s, ball->radius, -1);
	ball->high = find_end(&s, ball->radius, 1);
	ball->rate = s.errors.in_doubles;
	ball->units = s.errors.k;
	mark_rows(&s, ball);
	ret = 0;
out:
	rounding_errors_free(&s.errors);
	mem_free(s.beta);
	return ret;
}

/* Mean of K(x, s) over the vectors s of z. */
static double center_product(const struct optimum_center *z, struct csr_row x)
{
	double sum = 0;

	for (int64_t k = 0; k < z->n; k++)
		sum += kernel_merged_value(z->kernel, x,
					   csr_row_of(z->sv, k * z->sv->n_rows / z->n));
	return z->n > 0 ? sum / (double)z->n : 0;
}

struct optimum_sizes optimum_measure(const struct optimum_center *z, struct csr_row x)
{
	const struct kernel *kernel = z->kernel;
	/* + 3 as in rounding_errors.c, for what is added to the products */
	struct optimum_sizes to = { .units = rounding_growth((double)x.n) + 3 };
	double square = kernel_merged_value(kernel, x, x), norm2 = squared_norm(x.val, x.n), error;

	to.length = sqrt(square);
	if (kernel->type == KERNEL_RBF)
		to.error = kernel_is_far(kernel, norm2) ? to.units :
							  2 * kernel->gamma * to.units * norm2;
	/* merged values have no errors of lengths */
	error = OPERATIONS * (kernel->degree + 1) * (to.units + MOST_VECTORS) *
		(to.length + z->length) * (to.length + z->length);
	to.distance = sqrt(fmax(0, square - 2 * center_product(z, x) + z->norm2) + error);
	return to;
}

void optimum_center_init(struct optimum_center *z, const struct kernel *kernel,
			 const struct csr *sv)
{
	double norm2 = 0;

	*z = (struct optimum_center){ kernel, sv, int64_min(MOST_VECTORS, sv->n_rows), 0, 0 };
	for (int64_t k = 0; k < z->n; k++) {
		const struct csr_row x = csr_row_of(sv, k * sv->n_rows / z->n);

		norm2 += center_product(z, x) / (double)z->n;
		z->length = fmax(z->length, optimum_measure(z, x).length);
	}
	z->norm2 = norm2;
}

struct value_bounds optimum_ball_bounds(const struct optimum_ball *ball,
					const struct optimum_sizes *x, double value, double rho)
{
	const double f = value + rho, largest = fmax(fabs(ball->low), fabs(ball->high));
	const double width =
		ball->radius * x->distance +
		2 * fmax(1, x->units / ball->units) *
			(ball->rate.of_length * x->length + ball->rate.of_size * x->error) +
		OPERATIONS * (fabs(value) + fabs(rho) + largest);

	return (struct value_bounds){ f + ball->low - width, f + ball->high + width };
}
