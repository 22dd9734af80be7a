/*
 * pca.h - principal components of sparse rows
 *
 *     z = (x - mean) V
 *
 * V (d x k, orthonormal columns) holds the right singular vectors of the centred rows
 * X_c = X - 1 mean' for their k largest singular values.  With all of them (k = the rank of
 * X_c) distances between rows are kept, and a support vector machine with a free bias predicts the
 * same.
 *
 * A struct pca owns its arrays; a zeroed one is empty.  Threads may share it once it is made.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "matrix/column_map.h"

/* Where rows and features are both more than this, components are found by random sketches. */
#define PCA_MAX_EXACT 3000

/* Memory that a full matrix of few rows may take where only its QR would be exact: 4 GiB. */
#define PCA_MAX_BYTES (INT64_C(1) << 32)

struct pca_options {
	int64_t n_components; /* number of components wanted, >= 1 */
	uint64_t seed;	      /* seed of the sketches */
	int64_t max_exact;    /* largest order of an exact eigenproblem; 0: PCA_MAX_EXACT */
	int n_threads;
};

struct pca {
	int64_t n_features;	/* d: the number of features that occur */
	int64_t n_components;	/* number k of components */
	int32_t *feature;	/* feature of each column, ascending; n_features */
	double *mean;		/* mean of each feature; n_features */
	double *component;	/* components V, n_features x n_components */
	double *singular_value; /* singular values of X_c, descending; n_components */

	/* made by pca_prepare() */
	struct column_map map; /* column of each feature */
	double *offset;	       /* offset of the projections: mean times V */
};

/*
 * pca_fit() - the components of the rows of 'x' into the empty '*p'
 *
 * k is options->n_components, or the rank of X_c if that is less: further coordinates would be
 * zero for every row of x.  The sign of a component is such that its largest entry in size, the
 * first if there are several, is positive.
 *
 * Columns in which more than half of the rows have entries are centred entry by entry, which at
 * most doubles these; other columns are not: (Y - 1 u')B = Y B - 1(u'B).  Let m = min(n, d).
 *
 * m <= max_exact: eigenvalues of X_c X_c' or X_c'X_c, by products of pairs (gram.h) and 9 m^3.  If
 * an eigenvalue that is wanted is above rounding, 10 max(n, d) DBL_EPSILON of the largest, and
 * below 1e-8 of the largest: QR of X_c and the singular values of R, of which those above
 * 10 max(n, d) DBL_EPSILON times the largest (or |X|_F: the means are rounded, too) count.  Memory
 * 24 m^2 and 8 (n + d) k bytes; with that QR 72 d^2 for n > d, 19 n d else.
 * m > max_exact, or where 19 n d is more than PCA_MAX_BYTES: sketches of l = k + 10 columns from
 * normal numbers (RNG_SVD_START), four power steps with orthonormal columns in between, and the
 * singular values of what they span.  Where singular values fall slowly the last ones are too
 * small by up to some 3 %.  10 sparse products of O(entries l) and as many QRs of O((n + d) l^2);
 * memory 11 (n + d) l bytes, and V.
 *
 * The bits do not depend on n_threads where the BLAS has one thread of its own.
 * Fails with ERR_MEMORY; with ERR_NUMERIC if a value, or a singular value, is not finite, or a
 * decomposition fails; with ERR_ARGUMENT if there is no row, or a bound of memory has no room for
 * the products, as mem_keep() says.  '*p' is then empty.
 *
 * Source: Halko, Martinsson, Tropp 2011, SIAM Review 53, algorithms 4.4 and 5.1.
 */
int pca_fit(struct pca *p, const struct csr *x, const struct pca_options *options,
	    struct error *err);

/*
 * pca_prepare() - make 'map' and 'offset' from the other fields, after these were read from a file
 *
 * Features must ascend, and be >= 0.  O(d k).  Fails with ERR_MEMORY only; the caller then calls
 * pca_free().
 */
int pca_prepare(struct pca *p, struct error *err);

void pca_free(struct pca *p);

/*
 * pca_apply() - out = the rows turned to components, z = (x - mean) V
 *
 * 'out' is overwritten: labels and text as they were, component t as index t + 1, zeros left out.
 * Features that did not occur in fitting change nothing.  A row's values depend on that row alone.
 * O((entries + 1) k) for a row.  ERR_MEMORY only; 'out' is then empty.
 */
int pca_apply(const struct pca *p, struct row_range rows, struct row_batch *out, struct error *err);
