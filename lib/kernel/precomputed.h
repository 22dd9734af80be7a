/*
 * precomputed.h - kernel values that the data themselves are
 *
 *     0:1  1:K(1,1)  2:K(1,2)  3:K(1,3)      column 0: the row's serial number s
 *     0:2  1:K(2,1)  2:K(2,2)  3:K(2,3)      column s of another row: its value with this row
 *     0:3  1:K(3,1)  2:K(3,2)  3:K(3,3)
 *
 * Rows have all columns, zeros written out, as svm-train needs them.  They may be some of those
 * that the columns are for, in any order, and one may occur several times.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/interruption.h"
#include "kernel/kernel_matrix.h"
#include "matrix/dataset.h"

/*
 * precomputed_value() - K(x_i, x_j): the entry of row i in the column that is row j's serial number
 */
static inline double precomputed_value(const struct csr *x, int64_t i, int64_t j)
{
	return x->val[x->row_start[i] + (int64_t)x->val[x->row_start[j]]];
}

/* precomputed_object() - the object, from 0, that row i is; of serial numbers these less 1 */
static inline int64_t precomputed_object(const struct csr *x, int64_t i)
{
	return (int64_t)x->val[x->row_start[i]] - 1;
}

/*
 * precomputed_check() - do all rows have all columns, and a serial number from 1 to the last one?
 *
 * Fails with ERR_ARGUMENT and the first row that does not.
 */
int precomputed_check(const struct csr *x, struct error *err);

/*
 * precomputed_check_numbers() - have rows of the same serial number the same values?
 *
 * Numbers that were not counted up are the usual slip.  For rows that passed precomputed_check().
 * Fails with ERR_ARGUMENT and the first two rows that differ, or with ERR_MEMORY.  O(n), and
 * O(columns) for each row that occurs again.
 */
int precomputed_check_numbers(const struct csr *x, struct error *err);

/*
 * precomputed_check_symmetry() - is K(x, z) = K(z, x), but for rounding?
 *
 * Of all rows, or of 512 at random: values may differ by 1e-5 times the mean size of the diagonal.
 * For rows that passed precomputed_check().  Fails with ERR_ARGUMENT and the first two values that
 * differ, or with ERR_MEMORY.  O(n).
 */
int precomputed_check_symmetry(const struct csr *x, struct error *err);

/*
 * precomputed_matrix_init() - the kernel matrix of the rows of 'd', in double precision
 *
 * Where the rows are numbered 1, 2, ... the matrix is in 'd' as it stands and takes no memory; 'd'
 * must outlive it.  Else it is a copy of 8 n^2 bytes.  Of rows that are objects (d->asked) values are
 * asked for when they are wanted, but for the diagonal.
 *
 * It counts as indefinite if it is not positive semidefinite, or not symmetric, by the principal
 * submatrix of 512 rows at random, or of all if they are fewer: if that has an eigenvalue below
 * -0.001 times the mean of its diagonal, or two values K(x, z) and K(z, x) that differ by 0.001
 * times that.  So values that were rounded to six digits are no reason.  Of objects 256 are drawn,
 * or fewer where 'interruption', which may be NULL, asks for an end; a kernel that is not symmetric on
 * the first 8 is refused.  O(n).
 *
 * Fails as precomputed_check(), asked_kernel_values() and blas_reserve() do, or with
 * ERR_MEMORY.
 */
int precomputed_matrix_init(struct kernel_matrix *m, const struct dataset *d,
			    const struct interruption *interruption, struct error *err);

struct row_view;

/*
 * precomputed_of_objects() - rows that are objects, as rows of a precomputed kernel to predict
 *
 * '*x', empty, becomes the rows with their numbers, and their values with the objects that 'vectors',
 * the support vectors of a model, are; 'asked' keeps the values or not, as 'keeps' says.  12 bytes a
 * value.  Fails as asked_kernel_values() does, or with ERR_INTERRUPTED, by the scope
 * (base/interruption.h).
 */
int precomputed_of_objects(struct csr *x, struct asked_kernel *asked, const struct row_view *rows,
			   const struct csr *vectors, bool keeps, struct error *err);
