/*
 * reduction.h - what a linear reduction of the features does to a support vector machine
 *
 * Rows X (n x d, rank rho, basis V of row_space.h) become X~ = X R, R being d x r.  With the
 * extreme eigenvalues lambda_min, lambda_max of M = V' R R' V, E = |I - M| (the largest
 * |1 - lambda|) and kappa = max(lambda_max, 1 / lambda_min), for C-SVC and epsilon-SVR with the
 * linear kernel at any C, before and (marked ~) after:
 *
 *     optimum Z of the dual         min(1, 1/lambda_max) <= Z~ / Z <= max(1, 1/lambda_min)
 *     margin gamma = 1 / |w|        1/kappa <= gamma~^2 / gamma^2 <= kappa
 *     the same, no row with slack   lambda_min <= gamma~^2 / gamma^2 <= lambda_max
 *     radius B of the smallest ball lambda_min <= B~^2 / B^2 <= lambda_max
 *
 * The bounds say nothing of rows that are not in X.
 *
 * Why.  Margin: each of the two optima satisfies a variational inequality over the same set of
 * multipliers.  In the basis V let a be w, and b what the multipliers of the reduced problem make
 * of the rows X, so that |w|^2 = a'a and |w~|^2 = b'Mb.  The two inequalities add up to
 * b'Mb + a'a <= b'(I + M)a, under which b'Mb is kappa a'a at most; by symmetry the converse holds.
 * Optimum: the multipliers of one problem, scaled, are feasible for the other.  Radius: the centre
 * of the ball is a convex combination of the rows, and so lies in the row space.
 * Compare Paul, Boutsidis, Magdon-Ismail, Drineas 2013, Random Projections for Linear Support
 * Vector Machines, theorems 3.4 and 3.5, which say 1 - E and 1 + E where no point has slack.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_REDUCTION_H
#define RANDSVM_REDUCTION_H

#include <stdint.h>

#include "base/error.h"
#include "geometry/row_space.h"
#include "matrix/csr.h"

struct reduction_certificate {
	int64_t rank;	   /* rank rho of the data */
	int64_t n_columns; /* r; from rows: the columns of X~ that are not 0 */
	double lambda_min; /* least eigenvalue; 0 where r < rho, or where rounding hides it */
	double lambda_max;
	double error;	 /* error E of squared norms */
	double kappa;	 /* condition number kappa; infinite where lambda_min is 0 */
	double rounding; /* estimate of the lambdas' error, as a share of lambda_max */
};

/* Bounds of a ratio; 0 or infinite where lambda_min is 0, as no bound then exists. */
struct ratio_bounds {
	double low, high;
};

/*
 * reduction_certify_rows() - the certificate from X (of 's') and reduced = X R; R is not needed
 *
 * Columns of R that are zero change nothing; rank 0 gives lambda = 1.  O(n r rho + r rho^2); where
 * n > d and the basis came from QR, O(n d (d + r)), as the QR is made again.  Memory in bytes:
 * 8 rho^2 and 2048 (n + rho), with n > d 2048 d more; with that QR 8 (7 d + 2 r) d instead.
 * Fails with ERR_ARGUMENT (another number of rows), ERR_MEMORY or ERR_NUMERIC (a value that is not
 * finite).
 */
int reduction_certify_rows(struct reduction_certificate *c, const struct row_space *s,
			   const struct csr *reduced, struct error *err);

/*
 * reduction_certify_features() - the certificate where R keeps n features times 'weight'
 *
 * 'weight' NULL: times 1.  M = sum_k weight[k]^2 v_k v_k' with the vector v_k of feature[k].  O(n
 * rho^2) and the making of the vectors.  Fails with ERR_MEMORY, or ERR_NUMERIC (a weight that is
 * not finite).
 */
int reduction_certify_features(struct reduction_certificate *c, const struct row_space *s,
			       const int32_t *feature, const double *weight, int64_t n,
			       struct error *err);

/* reduction_margin() - bounds of gamma~^2 / gamma^2, at any C */
struct ratio_bounds reduction_margin(const struct reduction_certificate *c);

/*
 * reduction_hard_margin() - bounds of gamma~^2 / gamma^2 where no row has slack before or after, and
 * of the ratio B~^2 / B^2 of squared radii
 */
struct ratio_bounds reduction_hard_margin(const struct reduction_certificate *c);

#endif
