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
#pragma once

#include "geometry/row_space.h"

struct reduction_certificate {
	int64_t rank;	   /* rank rho of the data */
	int64_t n_columns; /* r; from rows: the columns of X~ that are not 0 */
	double lambda_min; /* least eigenvalue; 0 where r < rho, or where rounding hides it */
	double lambda_max;
	double error;	 /* error E of squared norms */
	double kappa;	 /* condition number kappa; infinite where lambda_min is 0 */
	double rounding; /* estimate of the lambdas' error, as a share of lambda_max */
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

/* ---- Sizes of reductions ---- */

/*
 * For data of rank rho whose rows have the orthonormal basis V, E = |I - V'RR'V| is the error of
 * the reduction R (see geometry/reduction.h).
 */

/*
 * sizes_for_error() - columns r for E <= epsilon: ceil(rho / (sqrt(1 + epsilon) - 1)^2)
 *
 * A guarantee for features chosen by spectral sparsification: its eigenvalues lie within
 * (1 +- sqrt(rho / r))^2, so E <= 2 sqrt(rho / r) + rho / r.  It needs r > rho, so rho + 1 is the
 * least that is returned.  For random projections the same r is typical, not guaranteed.
 * rank >= 1, epsilon > 0; INT64_MAX where the size is beyond 2^62.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, Lemma 2, before its error is rounded up to 3 sqrt(rho / r).
 */
int64_t sizes_for_error(int64_t rank, double epsilon);

/*
 * sizes_of_paper() - the size printed in that paper: ceil(36 rho / epsilon^2)
 *
 * There epsilon is the relative error of the squared margin, for which it takes E <= epsilon / 2.
 * So its size for E <= epsilon, 9 rho / epsilon^2, is sizes_of_paper(rank, 2 * epsilon).
 */
int64_t sizes_of_paper(int64_t rank, double epsilon);

/*
 * sizes_for_margin() - columns r for a squared margin of at least 1 - epsilon times what it was
 *
 * ceil(rho / (1 - sqrt(1 - epsilon))^2), at least rho + 1; 0 < epsilon <= 1.  With features chosen
 * by spectral sparsification the squared margin is at least 1 / kappa times what it was, for any C,
 * kappa being the larger of lambda_max <= (1 + s)^2 and 1 / lambda_min <= (1 - s)^-2, the larger
 * bound, with s = sqrt(rho / r).
 *
 * Source: Lemma 2 there, and geometry/reduction.h, which has no need of the paper's
 * E <= epsilon / 2.
 */
int64_t sizes_for_margin(int64_t rank, double epsilon);
