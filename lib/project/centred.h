/*
 * centred.h - sparse rows less their mean, and products with them
 *
 * X_c = X - 1 mean' is full where X is sparse, and is never written out.  A column that few rows
 * have keeps its zeros and has its mean in u; one that most rows have is centred entry by entry:
 *
 *     X_c = Y - 1 u',   X_c B = Y B - 1 (u'B),   X_c'B = Y'B - u (1'B)         (1)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "matrix/columns.h"
#include "matrix/csr.h"
#include "project/pca.h"

/* X_c of (1), times a power of two that keeps squares in range, and the threads for products. */
struct centred {
	int n_threads;
	int64_t n, d;
	double scale;	      /* scale of X_c, a power of two */
	double squares;	      /* |X|_F^2, of the scaled X */
	struct csr by_row;    /* matrix Y by rows, n x d */
	struct csr by_column; /* transpose Y' by rows, d x n */
	double *u;	      /* means of the columns of Y, d */
	double *one;	      /* vector of n ones */
};

/*
 * centred_init() - X_c from the columns 'x', of values times c->scale
 *
 * Their features and means become those of 'p'.  '*c' has its n_threads and scale, and is zero
 * else; the caller frees it, after a failure (ERR_MEMORY) too.
 */
int centred_init(struct centred *c, struct pca *p, struct columns *x, struct error *err);

void centred_free(struct centred *c);

/*
 * centred_multiply() - out = X_c b, or with 'transposed' X_c' b
 *
 * 'b' has 'width' columns, and so has 'out'; both are stored by rows.  O(entries width); the bits
 * do not depend on the number of threads.  Fails with ERR_MEMORY, or where there is no BLAS.
 */
int centred_multiply(const struct centred *c, bool transposed, const double *b, int64_t width,
		     double *out, struct error *err);
