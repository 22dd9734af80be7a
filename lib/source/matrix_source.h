/*
 * matrix_source.h - kernel values from a kernel matrix that is kept
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel_matrix.h"
#include "problem/kernel_source.h"

/* struct matrix_source - source that reads a kernel matrix of the rows of x, which is borrowed */
struct matrix_source {
	struct kernel_source base;
	struct kernel_matrix *matrix;
};

/*
 * matrix_source_of_doubles() - the source of a matrix in double precision
 *
 * Rows are doubles, or rounded to floats where 'rounds' says so, or the problem_is_stepwise().  A
 * matrix whose values are asked for is served, too.
 * 'diagonal' has K(x, x) by row of x; NULL: the diagonal is taken from the matrix.
 */
struct matrix_source matrix_source_of_doubles(struct kernel_matrix *matrix, const double *diagonal,
					      bool rounds);

/*
 * matrix_source_of_floats() - the source of a matrix in single precision, for a problem with all
 * its examples: example i must be row i
 *
 * The matrix computes rows when they are wanted, and keeps them.  Sums are those of 'floats', a
 * float_source of the same rows.
 */
struct matrix_source matrix_source_of_floats(struct kernel_matrix *matrix,
					     const struct kernel_source *floats);
