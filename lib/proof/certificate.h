/*
 * certificate.h - how far a solution is from the optimum, proved over all the data
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/fields.h"
#include "io/report_tree.h"
#include "problem/problem.h"

/* A solution with a relative gap above it is no optimum in any sense, whatever its violations are. */
#define CERTIFICATE_WIDE_GAP 1e-3

/*
 * struct certificate_witness - the (w, b) that a primal belongs to: scale w, and two thresholds
 *
 * th_plus and th_minus of problem.h: b + epsilon and b - epsilon, which are both b for C-SVC.
 */
struct certificate_witness {
	double scale, plus, minus;
};

/*
 * struct certificate - a lower and an upper bound of the optimum, and counts of examples
 *
 * D(beta) <= optimum <= P(w, b) for every feasible beta, with w = sum_i beta_i phi(x_i) and any b.
 */
struct certificate {
	double primal; /* primal: the least P(w, b) found for this w or a multiple of it */
	struct certificate_witness witness; /* witness of the primal; its scale is 0 if not known */
	double dual;			    /* dual D(beta); -INFINITY where beta is not feasible */
	/*
	 * rounding: bound of the errors of primal and of dual, each, see rounding.h; 0 before it is
	 * computed
	 */
	double rounding;
	/*
	 * bound of P - D by the terms of single examples, with their rounding errors, see rounding.h;
	 * 0 before it is computed
	 */
	double row_gaps;
	/*
	 * number of examples that violate the KKT conditions by more than the tolerance, at the
	 * solution's own b = -rho
	 */
	int64_t n_violators;
	int64_t n_sv;	      /* number of examples with beta_i != 0 */
	int64_t n_bounded_sv; /* number of examples with |beta_i| = C_i */
	double sum_abs_beta;
	/*
	 * excess: certificate_excess() of a solution that claims to be the optimum, unless
	 * certificate_drop_excess() found that it does no harm; else 0
	 */
	double excess;
	bool indefinite; /* is the kernel not positive semidefinite, as far as is known? */
};

/* certificate_add() - add bounds and counts to those of a sum over pairs, which begins zeroed */
void certificate_add(struct certificate *sum, const struct certificate *c);

/* certificate_visit() - visit all fields of the certificate, see io/fields.h */
void certificate_visit(struct certificate *c, struct fields *f);

/*
 * certificate_gap() - how far exact numbers' P may be above the optimum: row_gaps, or
 * P - D + 2 rounding where that is less or the other is not known
 *
 * Errors are in it, so that it is an upper bound; INFINITY where no dual is known.
 */
double certificate_gap(const struct certificate *c);

/* certificate_relative_gap() - certificate_gap() / |P|; 0 if P and D are 0, infinite if P alone is */
double certificate_relative_gap(const struct certificate *c);

/*
 * certificate_row_gap() - the most that example 'i' may add to P - D, at thresholds of scale 1
 *
 *     U max(0, u - th_plus) + L max(0, th_minus - u) - beta+ (u - th_plus) - beta- (th_minus - u)
 *
 * with u = t - f, the bounds -L and U, and the parts beta+ and beta- of the multiplier 'beta'; f is
 * known within 'error'.  Of multipliers within their bounds it is never below 0, and exactly 0 where
 * beta is at a bound and u, with its error, on the right side.  P - D is the sum of these and of what
 * sums of multipliers add that are not quite those of the constraints.  Squared losses have C times
 * the squares, and beta^2 / (4 C).
 */
double certificate_row_gap(const struct problem_view *p, int64_t i, double beta, double f,
			   double error, const struct certificate_witness *at);

/*
 * certificate_is_below_dual() - is the primal below the dual, by more than rounding and than values
 * rounded in a file of kernel values explain?
 *
 * Then |w|^2 = a'Ka is negative for some a: the kernel is not positive semidefinite on these data,
 * and the two do not bound the optimum.
 */
bool certificate_is_below_dual(const struct certificate *c);

/*
 * certificate_proves() - is the dual a bound of the optimum: is the kernel not known to be indefinite,
 * and the primal not below the dual?
 */
bool certificate_proves(const struct certificate *c);

/*
 * certificate_report() - add the numbers to an object; null: not known; gap_bound where the kernel is
 * indefinite, and relative_gap where the primal is below the dual
 */
void certificate_report(const struct certificate *c, struct report *r);

/*
 * certificate_gap_is_within() - |primal - dual| <= relative |primal|
 *
 * The absolute value matters: with a kernel that is not positive semidefinite the dual can be far
 * above the primal, and then the two do not bound the optimum.
 */
bool certificate_gap_is_within(double primal, double dual, double relative);

/* certificate_lengths() - sum_i |beta_i| |phi(x_i)|, which |w| is at most; O(n) */
double certificate_lengths(const struct problem_view *p, const double *beta);

/*
 * Rounding error of |w|, relative to certificate_lengths(): the error of a sum is taken for that of
 * 16 roundings, as its terms have signs of their own.
 */
#define CERTIFICATE_ROUNDED (16 * DBL_EPSILON)

/*
 * certificate_drop_rounding() - one-class: P = D = 0 where they are what rounding leaves of 0
 *
 * Where the origin is among the rows w and rho are 0, and P and D would be rounding, with any
 * number as their relative gap.  |w| below some 1e-15 of L = sum_i beta_i |phi(x_i)| is 0.  Where
 * the primal is 0 so is a dual within c->rounding, or within the error of kernel values: some 1e-15
 * of L^2, or 1e-6 of it where they are read from a file, with six digits perhaps.  That error, or
 * what is dropped if that is more, is added to c->rounding.  Other machines' certificates stay as
 * they are.  O(n).
 */
void certificate_drop_rounding(const struct problem_view *p, const double *beta,
			       struct certificate *c);

/*
 * certificate_separates_nothing() - one-class: is no multiple of w better than w = 0?
 *
 * Then no plane separates the examples from the origin, and the model is nothing; but where the
 * dual is above 0 the kernel is indefinite, and the primal says nothing.
 */
bool certificate_separates_nothing(enum machine_type type, const struct certificate *c);

/*
 * certificate_make() - the certificate of the multipliers x->beta for the problem 'p'
 *
 *     P(w, b) = 1/2 |w|^2 + sum_i C_i loss(y_i, f_i + b),   |w|^2 = sum_i beta_i f_i
 *     loss = max(0, 1 - y_i (f_i + b)), or max(0, |y_i - f_i - b| - epsilon)
 *
 * x->f holds f_i = sum_j beta_j K(x_j, x_i) for all p->n examples.  P is convex and piecewise
 * linear in b, so one of its breakpoints minimises it; quickselect finds that breakpoint.  Where f
 * separates the classes, 'primal' is the P of that multiple of w which leaves no loss, if it is
 * lower:
 *
 *     P(s w, b') = 1/2 s^2 |w|^2,   s = 2 / (min f_i over y_i = +1 - max f_i over y_i = -1)
 *
 * Violators are counted as svm-train does, at b = -x->rho.  Let g_i = y_i - f_i - b - s epsilon be
 * the derivative of D in beta_i, where s is the sign that beta_i has after it moves (epsilon is 0
 * for C-SVC).  Example i violates if
 *
 *     beta_i < upper_i  and  g_i > tolerance  when beta_i moves up,  or
 *     beta_i > lower_i  and  g_i < -tolerance  when beta_i moves down.
 *
 * The machines of nu have two thresholds instead of b, th_plus and th_minus of problem.h; for
 * u_i = t_i - f_i and beta_i in [-L_i, U_i],
 *
 *     P = |w|^2 / 2 + sum_i (U_i max(0, u_i - th_plus) + L_i max(0, th_minus - u_i))
 *         + S_plus th_plus - S_minus th_minus
 *
 * 'primal' is the least P over both thresholds, each found by quickselect, and in nu-SVC and
 * one-class over all multiples of w and of them together.  nu-SVC's P and D are in the scaling of
 * beta; those of C-SVC's form are r^2 times less, r = -x->epsilon.  Violators are counted at x->rho
 * and x->epsilon.
 *
 * With squared losses P has loss^2, at b = -x->rho; D has the further term of problem.h, and g_i
 * its derivative -beta_i / (2 C_i).
 *
 * O(n) time on average; 16 n bytes for C-SVC, 32 n for epsilon-SVR.  Fails with ERR_MEMORY only.
 */
int certificate_make(const struct problem_view *p, const struct iterate *x, double tolerance,
		     struct certificate *c, struct error *err);

/* certificate_count_violators() - violators as certificate_make() counts them; O(n) */
int64_t certificate_count_violators(const struct problem_view *p, const struct iterate *x,
				    double tolerance);

/*
 * certificate_excess() - C times the largest kernel value, if it is too much for doubles; else 0
 *
 * It is if rounding a multiplier of size C to a double moves the decision value of its own example
 * by more than 0.001,
 *
 *     2^-52 max_i |K(x_i, x_i)| max(C_plus, C_minus) > 0.001
 *
 * O(n), plus O(entries) if p->diagonal is NULL.
 */
double certificate_excess(const struct problem_view *p);

/*
 * certificate_drop_excess() - c->excess becomes 0 where multipliers far below C have not met it
 *
 * No example violates the KKT conditions then, and the relative gap, with c->rounding, is 0.5 at
 * most.
 */
void certificate_drop_excess(struct certificate *c);

/*
 * certificate_is_finite() - are primal, dual, rounding and relative gap numbers?  A dual of -INFINITY
 * is one that is not known; where the primal is 0 the gap itself counts.
 */
bool certificate_is_finite(const struct certificate *c);

/*
 * certificate_is_doubted() - has the solution an 'excess' and violators, and a relative gap above 0.5
 * even without the bound of rounding?
 */
bool certificate_is_doubted(const struct certificate *c);

/*
 * certificate_is_void() - does the solution tell nothing, because doubles are too coarse for it?
 *
 * It is doubted, and has a relative gap of 0.99 or more: the dual is then no better than that of
 * multipliers of 0, or the primal no better than that of w = 0.
 */
bool certificate_is_void(const struct certificate *c);

/*
 * certificate_check() - ERR_NUMERIC, and why, where there is no solution: the certificate is not
 * finite, or is void
 *
 * Every front refuses a model, a fold or a point of a search by this alone.  'whose' is put behind
 * the words, such as " (classes 1 and 2)", or "".
 */
int certificate_check(const struct certificate *c, const char *whose, struct error *err);

/*
 * certificate_bias() - the b that minimises P(w, b) for the w whose decision values are 'f'
 *
 * P depends on b by its losses alone, and their minimum on the ratio of c_plus and c_minus, not on
 * their size.  Of several b, as where no row has a loss, it is the middle.  p->n > 0.  O(n) on
 * average, and some ten times that for squared losses; 16 n bytes for C-SVC, 32 n for epsilon-SVR.
 * Fails with ERR_MEMORY only.
 */
int certificate_bias(const struct problem_view *p, const double *f, double *b, struct error *err);

/*
 * certificate_thresholds() - x->rho and x->epsilon of least P for the w of a machine of nu
 *
 * x->f holds the decision values of that w.  At most nu n examples are then beyond a threshold,
 * whichever w it is.  O(n) on average, 16 n bytes.  Fails with ERR_MEMORY only.
 */
int certificate_thresholds(const struct problem_view *p, struct iterate *x, struct error *err);

/*
 * certificate_find_witness() - a witness of least P(w, b), as certificate_make() takes, and with
 * its errors
 */
int certificate_find_witness(const struct problem_view *p, const struct iterate *x,
			     struct certificate_witness *least, struct error *err);

/* certificate_separates() - is C-SVC's witness one that leaves no example a loss? */
bool certificate_separates(const struct problem_view *p, const struct certificate_witness *at);

/*
 * certificate_loss() - share of P at 'at' of an example whose decision value is 'f'
 *
 * U max(0, t - s f - th_plus) + L max(0, th_minus - t + s f) with the bounds -L and U of its
 * multiplier; C times the squares where losses are squared.
 */
double certificate_loss(const struct problem_view *p, int64_t i, double f,
			const struct certificate_witness *at);

/*
 * certificate_square() - |w|^2 = sum_i beta_i f_i; O(n)
 *
 * Not below 0, whatever rounding does, but of a kernel that may be indefinite.
 */
double certificate_square(const struct problem_view *p, const double *beta, const double *f);

/* certificate_primal_at() - P at 'at'; O(n) */
double certificate_primal_at(const struct problem_view *p, const double *beta, const double *f,
			     const struct certificate_witness *at);

/* certificate_primal() - P(w, b) at a given b, and p->epsilon; O(n) */
double certificate_primal(const struct problem_view *p, const double *beta, const double *f,
			  double b);

/* certificate_dual() - D(beta); O(n) */
double certificate_dual(const struct problem_view *p, const double *beta, const double *f);

/*
 * certificate_violates() - does example 'i', whose multiplier is 0, violate its KKT condition?
 *
 * C-SVC: y (f + b) < 1 - tolerance; epsilon-SVR and nu-SVR: |y - f - b| > epsilon + tolerance;
 * nu-SVC and one-class: y (f + b) < -epsilon - tolerance.  Of the machines of nu 'p' must be
 * problem_at() the solution.
 * A decision value that is NAN counts as a violation.
 */
static inline bool certificate_violates(const struct problem_view *p, int64_t i, double f_plus_b,
					double tolerance)
{
	double residual = p->target[i] - f_plus_b;

	if (p->type == MACHINE_C_SVC)
		return !(p->target[i] * f_plus_b >= 1 - tolerance);
	if (!machine_is_regression(p->type))
		return !(p->target[i] * f_plus_b >= -p->epsilon - tolerance);
	return !(residual <= p->epsilon + tolerance && -residual <= p->epsilon + tolerance);
}

/*
 * certificate_row_violation() - how fast D grows as the multiplier 'beta' of example 'i' leaves its
 * place in a direction that its bounds allow; below 0 if D falls in each of these
 *
 * That is by how much the condition that certificate_make() states is violated, or kept; of the machines of nu 'p'
 * must be problem_at() the solution.  NAN for a decision value that is NAN.
 */
double certificate_row_violation(const struct problem_view *p, int64_t i, double beta,
				 double f_plus_b);

/* certificate_row_violates() - is that more than the tolerance, or NAN? */
bool certificate_row_violates(const struct problem_view *p, int64_t i, double beta, double f_plus_b,
			      double tolerance);
