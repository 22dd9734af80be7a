/*
 * kernel_matrix.h - the kernel matrix of some thousand rows, in single or in double precision
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_tile.h"
#include "matrix/asked_kernel.h"

/*
 * In single precision a row of the matrix is computed when it is first asked for, and stays.  Rows
 * are in the memory in the order in which they become known, so that no more of it is used than
 * they need.  They are aligned to 64 bytes and padded with finite numbers to 'stride' floats, a
 * multiple of 16.  For one thread at a time, which may have others compute.
 *
 * In double precision all rows are known from the beginning, so that threads may share the matrix.
 *
 * Owns its arrays; a zeroed struct is empty.
 */
struct kernel_matrix {
	const struct float_vectors *x;
	int n_threads;
	int64_t n, stride;
	int64_t n_known; /* number of rows already computed and stored in 'value' */
	float *value;	 /* kernel values by row, [n][stride] floats */
	float **row;	 /* pointers to the n rows in 'value'; NULL for a row that is not known */
	/* tiles of all rows of x, where rows are computed one by one, from the first on; else NULL */
	struct float_tile *tile;
	void *element; /* elements of all tiles, one allocation */
	/*
	 * kernel values in double precision, [n][stride] with n of them used in a row, in place of
	 * all arrays above; or NULL
	 */
	const double *double_value;
	/*
	 * kernel values to be freed: double_value, unless these lie in the data
	 * (kernel/precomputed.h)
	 */
	double *wide_own;
	/*
	 * kernel whose values are asked for when they are wanted, in place of all arrays above, and the
	 * object that each of the n rows is; or NULL.  The kernel is borrowed.
	 */
	struct asked_kernel *asked;
	int64_t *object;
	double *diagonal; /* diagonal of a precomputed kernel, n numbers; else NULL */
	bool indefinite;  /* kernel matrix is a precomputed one that is not positive semidefinite */
};

/* kernel_matrix_bytes() - memory that a matrix of n rows with this many columns takes, in bytes */
double kernel_matrix_bytes(const struct float_vectors *x);

/*
 * kernel_matrix_init() - no row is known yet; 'x' is borrowed
 *
 * Takes address space; memory is used as rows become known.  Fails with ERR_MEMORY.
 */
int kernel_matrix_init(struct kernel_matrix *m, const struct float_vectors *x, int n_threads,
		       struct error *err);

/*
 * kernel_matrix_init_doubles() - all kernel values of the rows of 'x', by kernel_tile_values()
 *
 * A value depends on its two rows alone: the matrix of some of the rows is, bit for bit, that part
 * of the matrix of all, whatever their order.  It is symmetric; half of it is computed.  Takes 8
 * n^2 bytes, and for a while a copy of 'x'.  Fails with ERR_MEMORY.
 */
int kernel_matrix_init_doubles(struct kernel_matrix *m, const struct csr *x,
			       const struct kernel *kernel, int n_threads, struct error *err);

/*
 * kernel_matrix_refill_doubles() - the same in the memory of a matrix of kernel_matrix_init_doubles(),
 * of as many rows; after a failure its values are of no use
 */
int kernel_matrix_refill_doubles(struct kernel_matrix *m, const struct csr *x,
				 const struct kernel *kernel, int n_threads, struct error *err);

void kernel_matrix_free(struct kernel_matrix *m);

/*
 * kernel_matrix_values() - value[k] = K(x_i, x_row[k]) for n rows, of a matrix in double precision
 *
 * Fails where values are asked for, as asked_kernel_values() does, or with ERR_MEMORY.
 */
int kernel_matrix_values(const struct kernel_matrix *m, int64_t i, const int64_t *row, int64_t n,
			 double *value, struct error *err);

/*
 * kernel_matrix_fetch() - rows row[0 .. n-1], none known before, become known
 *
 * Element j of row i is K(x_i, x_j) by float_tile_values().  Where x has more columns than rows,
 * all rows become known: tiles are then too large to be kept, so each is filled once, and only one
 * of K(x_i, x_j) and K(x_j, x_i) is computed.  The bits do not depend on the number of threads, nor
 * on which rows are asked for together.  Fails with ERR_MEMORY.
 */
int kernel_matrix_fetch(struct kernel_matrix *m, const int64_t *row, int n, struct error *err);
