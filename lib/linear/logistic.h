/*
 * logistic.h - logistic regression of two classes, all examples at once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "proof/certificate.h"

struct logistic_options {
	double gap; /* relative duality gap at which to stop; 0: what doubles give */
	int n_threads;
	const struct interruption *interruption; /* interruption to end at; or NULL */
};

struct logistic_result {
	double *w; /* weights by column of p->x, for the caller to free */
	double rho;
	struct certificate certificate; /* of w and -rho as they are */
	int64_t n_iterations;		/* products of the rows with a vector, there and back */
	bool interrupted, enough;	/* ended by the caller; the gap asked for is reached */
};

/*
 * logistic_solve() - weights of the least
 *
 *     P(w, b) = 1/2 |w|^2 + sum_i C_i log(1 + exp(-y_i (w.x_i + b))),   b free, not penalised
 *
 * for the C-SVC problem 'p', whose kernel is linear, and which has linear_rows.  With p->n values
 * beta_i = y_i C_i / (1 + exp(y_i (w.x_i + b))), feasible multipliers where b is the best for w,
 *
 *     P(w, b) - D(beta) = 1/2 |w - sum_i beta_i x_i|^2,
 *     D(beta) = -1/2 |sum_i beta_i x_i|^2 + sum_i C_i H(|beta_i| / C_i)
 *
 * H being the entropy -p log p - (1 - p) log(1 - p): the gap is half the squared gradient of P.
 * An interrupted one has the best weights so far, with their gap.
 *
 * A Newton step takes up to 1000 conjugate gradients, each two passes over the entries; 5 to 20
 * suffice.  Memory: 6 numbers for each row, and 16 for each column.  The bits do not depend on
 * n_threads.  Fails with ERR_MEMORY.
 *
 * Source: Lin, Weng, Keerthi 2008, "Trust region Newton method for large-scale logistic regression",
 * J. Mach. Learn. Res. 9 (the products); Yu, Huang, Lin 2011, Mach. Learn. 85 (the dual).
 */
int logistic_solve(const struct problem_view *p, const struct logistic_options *o, double *beta,
		   struct logistic_result *result, struct error *err);
