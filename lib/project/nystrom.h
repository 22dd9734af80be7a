/*
 * nystrom.h - Nystrom's map: rows whose inner products are kernel values by way of landmarks
 *
 *     z(x) = L^-1 k(x),     k(x) = (K(l_1, x), ..., K(l_r, x))',     K_LL = L L'
 *
 * with the landmarks l_1, ..., l_r, some rows of the data of which none depends on the others, and
 * the Cholesky factor L of their kernel matrix.  z(x).z(y) is K(x, L) K_LL^-1 K(L, y): exact where
 * x or y is a landmark, and what is missing, K(x, y) - z(x).z(y), is a kernel again, so that
 *
 *     |K(x, y) - z(x).z(y)| <= sqrt(d(x) d(y)),     d(x) = K(x, x) - |z(x)|^2 >= 0         (1)
 *
 * and inner products of z are those of Williams' and Seeger's K(x, L) K_LL^(-1/2), from which z
 * differs by a rotation: L^-1 is a triangle, so that z takes half of the products.
 *
 * Sources: Williams and Seeger 2001, Using the Nystrom method to speed up kernel machines; (1) is
 * the inequality of Cauchy and Schwarz for that kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "kernel/expansion.h"
#include "kernel/kernel.h"
#include "matrix/dataset.h"
#include "project/projection.h"

/* A map.  Owns its arrays; a zeroed one is empty.  Threads may share it once it is made. */
struct nystrom {
	struct kernel kernel; /* rbf, or a polynomial one that is kernel_is_definite() */
	struct csr landmarks; /* n_columns landmarks, in the order in which L was found */
	int64_t n_columns;    /* r, 1 .. m */
	double *inverse;      /* L^-1 by rows, of t + 1 numbers for t = 0 .. r - 1, without gaps */
	/*
	 * numbers of the landmarks among those that nystrom_fit() was given, r; NULL in a map that
	 * was read
	 */
	int32_t *origin;

	/* made by nystrom_prepare() */
	struct expansion expansion; /* kernel values with the landmarks */
	double *panel;		    /* 'inverse' in panels (project_loops.h), without zeros below */
	struct projection form;	    /* columns of the rows written */
};

/* nystrom_row() - row t of L^-1, t + 1 numbers */
static inline double *nystrom_row(const struct nystrom *n, int64_t t)
{
	return n->inverse + t * (t + 1) / 2;
}

/*
 * nystrom_matrix() - the kernel matrix of n rows, n x n without gaps, which the caller frees
 *
 * O(n^2 entries of a row / 2) time, 16 n^2 bytes for a while.  NULL with ERR_MEMORY, or with
 * ERR_NUMERIC if a value is not finite.
 */
double *nystrom_matrix(const struct csr *x, const struct kernel *kernel, int n_threads,
		       struct error *err);

/* nystrom_check_kernel() - ERR_ARGUMENT if the kernel is neither of those of struct nystrom */
int nystrom_check_kernel(const struct kernel *kernel, struct error *err);

/*
 * nystrom_fit() - the map of these m landmarks, into the empty '*n'
 *
 * 'landmarks' gives its rows to '*n', and is empty then, also on failure.  'ridge', m numbers of 0
 * or more, is added to the diagonal of their kernel matrix; NULL adds nothing.  Each landmark taken
 * is the one with the largest d(x) of (1) by those taken before, until that is at most 10 m
 * DBL_EPSILON times the largest entry of the diagonal: rows that occur twice, or that others make
 * up, are left out.  O(4/3 m^3 + m^2 entries of a landmark) time, 24 m^2 bytes.  The bits do not
 * depend on n_threads.  Fails with ERR_MEMORY; ERR_ARGUMENT if there is no landmark or the kernel
 * is not one of the above; ERR_NUMERIC if a kernel value is not finite or all are 0.
 *
 * Source: Fine and Scheinberg 2001, Efficient SVM training using low-rank kernel representations
 * (the order).
 */
int nystrom_fit(struct nystrom *n, struct csr *landmarks, const struct kernel *kernel,
		const double *ridge, int n_threads, struct error *err);

/*
 * nystrom_prepare() - make what is made from the other fields, after these were read from a file
 *
 * O(r^2 + entries).  Fails with ERR_MEMORY; the caller then calls nystrom_free().
 */
int nystrom_prepare(struct nystrom *n, struct error *err);

void nystrom_free(struct nystrom *n);

/*
 * nystrom_apply() - out = z(x) for the rows x
 *
 * 'out' is overwritten: labels and texts as they were, column t as index t + 1, zeros left out.  A
 * row's values depend on that row alone.  O(entries of the landmarks + r^2 / 2) for a row.
 * Fails with ERR_MEMORY only; 'out' is then of no use.
 */
int nystrom_apply(const struct nystrom *n, struct row_range rows, struct row_batch *out,
		  struct map_room *room, struct error *err);

/*
 * nystrom_map_rows() - keep() gets z(x) of all rows of 'from', batch by batch, in their order
 *
 * Mapped on n_threads threads; keep() runs on one at a time.  Fails with ERR_MEMORY, or as keep().
 */
int nystrom_map_rows(const struct nystrom *n, struct dataset *from, int n_threads,
		     int (*keep)(void *arg, const struct row_batch *z, struct error *err),
		     void *arg, struct error *err);
