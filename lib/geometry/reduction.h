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
 *     the same, no point with slack lambda_min <= gamma~^2 / gamma^2 <= lambda_max
 *     radius B of the smallest ball lambda_min <= B~^2 / B^2 <= lambda_max
 *
 * Nothing is said of rows that are not in X.
 *
 * Why: both optima solve a variational inequality over the same multipliers; adding them bounds
 * b'Mb + a'a by b'(I + M)a for a and b, w and w~ in the basis, and the largest b'Mb under that is
 * kappa times a'a.  The optimum: scale the other problem's multipliers.  The radius: the ball's
 * centre is a convex combination of points, so in the row space.
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
	int64_t rank;	   /* rho */
	int64_t n_columns; /* r; of rows, those columns that hold anything */
	double lambda_min; /* 0 where r < rho, or where it cannot be told from 0 */
	double lambda_max;
	double error;	 /* E */
	double kappa;	 /* infinite where lambda_min is 0 */
	double rounding; /* by how much of lambda_max the lambdas may be off, about */
};

/* Where lambda_min is 0, bounds that need it are 0 or infinite: there are none. */
struct ratio_bounds {
	double low, high;
};

/*
 * reduction_certify_rows() - from X (of 's') and reduced = X R, whatever R was
 *
 * M = B'B with B = R'V = X~' T for n <= d, else X~' X V diag(s_k)^-2; after QR with n > d, that of
 * X is made again, with X~ on its right.  A column of R that is zero changes nothing; rank 0 gives
 * lambda = 1.  O(n r rho + r rho^2), or O(n d (d + r)) for that QR.
 * Memory: 16 rho^2 bytes and 256 full columns; with that QR 8 (4 d + 2 r) d.
 * Fails with ERR_ARGUMENT (another number of rows), ERR_MEMORY or ERR_NUMERIC (a value that is not
 * finite).
 */
int reduction_certify_rows(struct reduction_certificate *c, const struct row_space *s,
			   const struct csr *reduced, struct error *err);

/*
 * reduction_certify_features() - R keeps n features, multiplied by 'weight' (NULL: by 1)
 *
 * M = sum_k weight[k]^2 v v' of feature[k].  O(n rho^2) and the making of the vectors.  Fails with
 * ERR_MEMORY, or ERR_NUMERIC (a weight that is not finite).
 */
int reduction_certify_features(struct reduction_certificate *c, const struct row_space *s,
			       const int32_t *feature, const double *weight, int64_t n,
			       struct error *err);

/* reduction_objective() - of Z~ / Z */
struct ratio_bounds reduction_objective(const struct reduction_certificate *c);

/* reduction_margin() - of gamma~^2 / gamma^2, at any C */
struct ratio_bounds reduction_margin(const struct reduction_certificate *c);

/* reduction_hard_margin() - the same where no point has slack, before or after */
struct ratio_bounds reduction_hard_margin(const struct reduction_certificate *c);

/* reduction_radius() - of B~^2 / B^2 */
struct ratio_bounds reduction_radius(const struct reduction_certificate *c);

#endif
