/*
 * row_space_work.h - the steps of finding a basis, shared by row_space.c and row_sketch.c
 *
 * All functions work on the struct row_space that row_space_begin() leaves: the columns of 'scale'
 * X and n_rows, which a caller may set to the number of rows of another matrix with the same
 * columns.  m is the smaller of n_rows and the number of columns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "geometry/row_space.h"

/* row_space_begin() - the columns of 'x' and their scale, no basis; '*s' is empty on failure */
int row_space_begin(struct row_space *s, const struct csr *x, struct error *err);

/* row_space_check_bytes() - fail with ERR_ARGUMENT if 'bytes' are more than o->max_bytes */
int row_space_check_bytes(const struct row_space *s, const struct row_space_options *o,
			  double bytes, enum error_remedy remedy, struct error *err);

/*
 * row_space_of_gram() - rank, singular values and coefficient (n_rows > columns: basis)
 *
 * 'g' has the products of the rows (n_rows > columns: of the columns), m x m; it becomes the
 * eigenvectors as rows, eigenvalues ascending.  Returns 1; 0 if the eigenvalues leave the rank
 * open; or -1 with ERR_MEMORY or ERR_NUMERIC.
 */
int row_space_of_gram(struct row_space *s, double *g, const struct row_space_options *o,
		      struct error *err);

/*
 * row_space_is_short() - is the rank larger than the eigenvalues say?
 *
 * The n_null rows of 'z' are eigenvectors whose eigenvalue counts as 0; 't' is the matrix, or for
 * n_rows <= columns its transpose, of 'scale' X.  True if the matrix has a length above
 * max(n, d) DBL_EPSILON s_1 along one of them.
 */
bool row_space_is_short(const struct row_space *s, const struct csr *t, const double *z,
			int64_t n_null);

/* row_space_full_matrix() - room for row_space_factorise(); errors as row_space_check_bytes() */
double *row_space_full_matrix(const struct row_space *s, const struct row_space_options *o,
			      struct error *err);

/*
 * row_space_factorise() - rank, singular values, coefficient and basis, by QR
 *
 * For n_rows <= columns *q is the transposed matrix, columns x n_rows; on success it becomes the
 * basis, and is set to NULL.  For more rows q is NULL, and R alone is made, of 'rows'.
 */
int row_space_factorise(struct row_space *s, double **q, const struct csr *rows,
			const struct row_space_options *o, struct error *err);

/*
 * row_space_turn_basis() - q <- q left, columns x n_rows times n_rows x rank
 *
 * Rows of 'left' are 'stride' apart; those of q have no gaps.
 */
int row_space_turn_basis(const struct row_space *s, double *q, const double *left, int64_t stride,
			 struct error *err);

/*
 * row_space_equate() - give rows of V that belong to equal columns the same bits, if V is stored
 *
 * Also the rows of a column and its negative, up to the sign.  Fails with ERR_MEMORY only.
 */
int row_space_equate(struct row_space *s, struct error *err);
