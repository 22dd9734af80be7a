/*
 * row_space.h - an orthonormal basis of the rows of a sparse matrix
 *
 * For X (n rows, d features that occur, rank rho) with the singular values s_1 >= ... >= s_rho > 0:
 * V is d x rho, has orthonormal columns and spans the rows of X.  Row v_j of V is the vector of
 * feature j and |v_j|^2 its leverage score; the scores add up to rho.  Any other orthonormal basis
 * is V times a rotation, and has the same products v_j'v_k and scores.
 *
 *     n <= d   V = X' T, T being n x rho: v_j is made when asked for, from the entries of column j,
 *              and V is never stored (unless the numbers call for QR, below)
 *     n > d    V is stored
 *
 * A struct row_space owns its arrays; a zeroed one is empty.  Readers may share it between threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/columns.h"

/* Memory that full matrices may take unless row_space_options.max_bytes is set: 4 GiB. */
#define ROW_SPACE_MAX_BYTES (INT64_C(1) << 32)

struct row_space_options {
	double rank_tol;   /* singular values up to rank_tol s_1 count as zero; < 1; 0: see below */
	bool qr;	   /* decompose the full matrix, whatever the eigenvalues are */
	int64_t max_bytes; /* memory for full matrices; 0: ROW_SPACE_MAX_BYTES */
	int n_threads;
};

struct row_space {
	int64_t n_rows, rank;
	struct columns columns; /* columns of 'scale' X that have entries; columns.n is d */
	double scale;		/* scale of X: power of two that keeps squares in range */
	double *singular_value; /* rank, descending; of X */
	double *coefficient;	/* n <= d: T for 'scale' X, n_rows x rank; else NULL */
	double *basis;		/* V, d x rank; NULL if V is made from the coefficients */
	bool by_qr;		/* found from the full matrix, not from eigenvalues */
};

/*
 * row_space_init() - the basis of the rows of 'x' into the empty '*s'
 *
 * From the eigenvalues of the smaller of X X' and X'X, which are squares of singular values.  With
 * zero = 10 max(n, d) DBL_EPSILON the rank is clear if each of them is either at least 1e-8 times
 * the largest or at most 'zero' times it, and if X has no length (above max(n, d) DBL_EPSILON s_1)
 * along the eigenvectors of the small ones.  The rank is then the number of large ones, and
 * |V'V - I| is some 1e-9 at most, mostly far less.  If the rank is not clear, or with options->qr,
 * a Householder QR of the full matrix (n > d: of some rows at a time) gives R, and the singular
 * values of R above max(n, d) DBL_EPSILON s_1 count: |V'V - I| is then some 1e-14 for any matrix.
 * With a rank_tol the rank is the number of singular values above rank_tol s_1, and QR is used only
 * if one of these is below 1e-4 s_1.  Rows without entries are fine; the rank is 0 if no row has
 * any.
 *
 * Operations, with m = min(n, d): the products of pairs (see gram.h), 9 m^3, and entries times
 * (m - rho); QR adds some 4 n d m + 20 m^3.
 * Memory: 24 m^2 bytes and 24 an entry at the worst moment, with QR 11 n d (n > d: 32 d^2)
 * and 60 m^2; then 12 bytes an entry and 8 m rho, after QR with n <= d another 8 n d.
 * The bits depend on the BLAS, not on n_threads.
 *
 * Fails with ERR_MEMORY; with ERR_NUMERIC if a value is not finite or the decomposition fails;
 * with ERR_ARGUMENT if full matrices would take more than max_bytes, where the text names
 * --rank-tol if that can help, or if a bound of memory has no room for the products, as mem_keep()
 * says.  '*s' is then empty.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, section 2 (what V is for); the accuracy of both ways: Golub and Van Loan 2013,
 * Matrix Computations, sections 5.3, 8.6.
 */
int row_space_init(struct row_space *s, const struct csr *x,
		   const struct row_space_options *options, struct error *err);

void row_space_free(struct row_space *s);

/*
 * row_space_vector() - v_j of the feature s->columns.feature[j]; 'v' has room for s->rank doubles
 *
 * Features with the same entries have the same bits.  A feature not among the
 * columns has v = 0.  O(entries of the column x rank), no allocation.
 */
void row_space_vector(const struct row_space *s, int64_t j, double *v);

/*
 * row_space_leverage() - score[j] = |v_j|^2 for the s->columns.n features
 *
 * O(entries x rank) on 'n_threads' threads; the bits do not depend on their number.  Fails with
 * ERR_MEMORY only.
 */
int row_space_leverage(const struct row_space *s, double *score, int n_threads, struct error *err);

/* row_space_begin() - the columns of 'x' and their scale, no basis; '*s' is empty on failure */
int row_space_begin(struct row_space *s, const struct csr *x, struct error *err);

/* row_space_check_bytes() - fail with ERR_ARGUMENT if 'bytes' are more than o->max_bytes */
int row_space_check_bytes(const struct row_space *s, const struct row_space_options *o,
			  double bytes, enum error_remedy remedy, struct error *err);

#define ROW_SKETCH_ROWS 256 /* default of t, the number of sketch rows */

struct row_sketch_options {
	int64_t n_rows; /* number t >= 1 of sketch rows */
	uint64_t seed;
	struct row_space_options space;
};

/*
 * row_sketch_space() - the basis of the rows of X^ = G X into the empty '*s'
 *
 * G is t x n with independent N(0, 1) entries.  Its column i belongs to row i of 'x', and pair b of
 * that column is draw (i, b) of RNG_SKETCH_ROWS.  The rank of X^ is t, or that of X if this is
 * less.  Directions of X with large singular values lie almost in the space, those with small ones
 * partly.  If n or the number of features that occur is at most t, the space is that of X itself,
 * by row_space_init(), and *sketched is false.  Spectral sparsification of the space (bss.h) is
 * approximate BSS; it chooses more than t features.
 *
 * s->n_rows is n; s->singular_value has the singular values of G X.  Vectors of features are made
 * from the entries of their columns if n <= d, else stored.  X is never held full; X^ only if n > d
 * or for QR.  Operations: entries t + d t^2 + n t + 9 t^3.  Memory: 8 t min(n, d) bytes, which
 * max_bytes bounds (QR: 8 t d more), and 24 an entry.  The bits do not depend on the number of
 * threads.  Errors as row_space_init().
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, section 4.3 (approximate BSS).
 */
int row_sketch_space(struct row_space *s, const struct csr *x,
		     const struct row_sketch_options *options, bool *sketched, struct error *err);
