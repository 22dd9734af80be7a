/*
 * certificate.h - how far a solution is from the optimum, proved over all the data
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CERTIFICATE_H
#define RANDSVM_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "problem/problem.h"

/*
 * struct certificate - D(beta) <= optimum <= P(w, b), whatever beta is
 */
struct certificate {
	double primal;	      /* P(w, b) with the b that is best for w */
	double dual;	      /* D(beta) */
	int64_t n_violators;  /* rows violating the KKT conditions by more than the tolerance,
				 * at the solution's own b = -rho */
	int64_t n_sv;	      /* beta != 0 */
	int64_t n_bounded_sv; /* |beta| at its bound */
	double sum_abs_beta;
};

/* certificate_relative_gap() - (P - D) / |P|; 0 where P is 0 */
double certificate_relative_gap(const struct certificate *c);

/*
 * certificate_gap_is_within() - |primal - dual| <= relative |primal|
 *
 * Where the kernel is not positive definite the dual may be above the primal by far: they
 * enclose nothing then.
 */
bool certificate_gap_is_within(double primal, double dual, double relative);

/*
 * certificate_make() - the certificate of 'beta' for the problem 'p'
 *
 *     P(w, b) = 1/2 |w|^2 + sum_i C_i loss(y_i, f_i + b),   |w|^2 = sum_i beta_i f_i
 *     loss = max(0, 1 - y_i (f_i + b)), or max(0, |y_i - f_i - b| - epsilon)
 *
 * 'f' has f_i = sum_j beta_j K(x_j, x_i) for all p->n rows.  P is convex and piecewise linear in
 * b: the best b is found among its sorted breakpoints.  Violation is measured as by svm-train: with
 * g_i = y_i - f_i - b (minus or plus epsilon by the side of 0) beta_i < upper wants g_i <=
 * tolerance, and beta_i > lower wants g_i >= -tolerance.  O(n log n) time, 32 n bytes.  Fails
 * with ERR_MEMORY only.
 */
int certificate_make(const struct problem_view *p, const double *beta, const double *f, double rho,
		     double tolerance, struct certificate *c, struct error *err);

/*
 * certificate_check() - refuse a solution that proves nothing, doubles being unable to hold a better
 *
 * ERR_NUMERIC where examples violate the conditions, the gap is more than half of the primal, and
 * rounding one multiplier at C to a double moves its own decision value by more than 0.001:
 *
 *     2^-52 max_i |K(x_i, x_i)| max(C_plus, C_minus) > 0.001
 *
 * O(n), and O(entries) where p->norm2 is not there.
 */
int certificate_check(const struct problem_view *p, const struct certificate *c, struct error *err);

/* certificate_primal() - P(w, b) at a given b; O(n) */
double certificate_primal(const struct problem_view *p, const double *beta, const double *f,
			  double b);

/* certificate_dual() - D(beta); O(n) */
double certificate_dual(const struct problem_view *p, const double *beta, const double *f);

/*
 * certificate_violates() - is row 'i', outside the working set with beta_i = 0, a violator?
 *
 * C-SVC: y (f + b) < 1 - tolerance; epsilon-SVR: |y - f - b| > epsilon + tolerance.
 * A decision value that is no number violates.
 */
static inline bool certificate_violates(const struct problem_view *p, int64_t i, double f_plus_b,
					double tolerance)
{
	double residual = p->target[i] - f_plus_b;

	if (p->type == MACHINE_C_SVC)
		return !(p->target[i] * f_plus_b >= 1 - tolerance);
	return !(residual <= p->epsilon + tolerance && -residual <= p->epsilon + tolerance);
}

/*
 * certificate_row_violates() - does row 'i' with any beta violate its condition, as
 * certificate_make() counts?
 *
 * A decision value that is no number violates.
 */
bool certificate_row_violates(const struct problem_view *p, int64_t i, double beta, double f_plus_b,
			      double tolerance);

#endif
