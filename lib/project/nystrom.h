/*
 * nystrom.h - Nystrom's map: rows whose inner products are kernel values by way of landmarks
 *
 *     z(x) = k(x) U diag(e)^(-1/2),     k(x) = (K(l_1, x), ..., K(l_m, x)),     K_LL = U diag(e) U'
 *
 * with the landmarks l_1, ..., l_m, some rows of the data, and the r eigenvalues e of their kernel
 * matrix that are above its rounding.  z(x).z(y) is K(x, L) K_LL^+ K(L, y): exact where x or y is a
 * landmark, and what is missing, K(x, y) - z(x).z(y), is a kernel again, so that
 *
 *     |K(x, y) - z(x).z(y)| <= sqrt(d(x) d(y)),     d(x) = K(x, x) - |z(x)|^2 >= 0         (1)
 *
 * and inner products of z are those of Williams' and Seeger's K(x, L) K_LL^(-1/2), from which z
 * differs by a rotation.
 *
 * Sources: Williams and Seeger 2001, Using the Nystrom method to speed up kernel machines; (1) is
 * the inequality of Cauchy and Schwarz for that kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NYSTROM_H
#define RANDSVM_NYSTROM_H

#include <stdint.h>

#include "base/error.h"
#include "io/rows.h"
#include "kernel/expansion.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"
#include "project/projection.h"

/* A map.  Owns its arrays; a zeroed one is empty.  Threads may share it once it is made. */
struct nystrom {
	struct kernel kernel; /* rbf, or a polynomial one that is kernel_is_definite() */
	struct csr landmarks; /* m landmarks */
	int64_t n_columns;    /* r, 1 .. m */
	double *root;	      /* U diag(e)^(-1/2), [m][n_columns]; by descending eigenvalues */

	/* made by nystrom_prepare() */
	struct expansion expansion; /* kernel values with the landmarks */
	double *panel;		    /* 'root' in panels (fourier_loops.h) */
	struct projection form;	    /* columns of the rows written */
};

/* What nystrom_apply() works in: one for each thread and map.  Starts zeroed. */
struct nystrom_room {
	struct expansion_scratch scratch;
	bool is_ready; /* 'scratch' is made */
	struct room_array values, sums;
};

void nystrom_room_free(struct nystrom_room *room);

/*
 * nystrom_fit() - the map of these landmarks, into the empty '*n'
 *
 * 'landmarks' gives its rows to '*n', and is empty then, also on failure.  Eigenvalues of at most
 * 10 m DBL_EPSILON times the largest are left out, so that rows that occur twice, or that others
 * make up, have no columns.  The sign of a column is such that the largest entry of U in size, the
 * first if there are several, is positive.
 * O(9 m^3 + m^2 entries of a landmark) time, 32 m^2 bytes.  The bits do not depend on n_threads.
 * Fails with ERR_MEMORY; ERR_ARGUMENT if there is no landmark or the kernel is not one of the above;
 * ERR_NUMERIC if a kernel value is not finite, all are 0, or there is no convergence.
 */
int nystrom_fit(struct nystrom *n, struct csr *landmarks, const struct kernel *kernel,
		int n_threads, struct error *err);

/*
 * nystrom_prepare() - make what is made from the other fields, after these were read from a file
 *
 * O(m r + entries).  Fails with ERR_MEMORY; the caller then calls nystrom_free().
 */
int nystrom_prepare(struct nystrom *n, struct error *err);

void nystrom_free(struct nystrom *n);

/*
 * nystrom_apply() - out = z(x) for the rows x
 *
 * 'out' is overwritten: labels and texts as they were, column t as index t + 1, zeros left out.  A
 * row's values depend on that row alone.  O(entries of the landmarks + m r) for a row.
 * Fails with ERR_MEMORY only; 'out' is then empty.
 */
int nystrom_apply(const struct nystrom *n, struct row_range rows, struct row_batch *out,
		  struct nystrom_room *room, struct error *err);

#endif
