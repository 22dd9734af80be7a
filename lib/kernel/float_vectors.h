/*
 * float_vectors.h - training rows in single precision, ready for kernel values
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/work_counts.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"

/*
 * Largest error that a sample of kernel values in single precision may have, relative to
 * sqrt(K(x,x) K(z,z)), or, where coef0 is negative, to this root with |coef0| in place of coef0.
 */
#define FLOAT_TOLERANCE 1e-6

/*
 * Size of most errors of kernel values at most, relative to sqrt(K(x,x) K(z,z)); errors are
 * independent of each other.
 */
#define FLOAT_ERROR 1e-7

/* Products that are added up before their sum joins that of the row. */
#define FLOAT_CHUNK 32

struct float_spare_tiles; /* float_sums.c */

/*
 * struct float_exponent - error of t = gamma |x - z|^2, of which rbf kernels are the exponential
 *
 *     |error of t| <= absolute + of_root sqrt(t) + relative t
 *
 * To the first order it is the relative error of a kernel value, but for FLOAT_VALUE_STEPS roundings
 * to floats that follow: of all floats from -4 to -1/64, and every 37th of the others down to -126,
 * 2^x was 1.8 to 2.1 roundings off at most, by instruction set.
 */
struct float_exponent {
	double absolute, of_root, relative;
};

#define FLOAT_VALUE_STEPS 3

/*
 * struct float_vectors - n rows, sparse, or dense where nearly every entry is there
 *
 * Kernel values are floats in any case.  Where products and differences of floats are too coarse
 * for them, the rows are kept in doubles, and products or differences are summed in doubles; or
 * only sums of products are, where these are exact in floats a few at a time.
 *
 * Scaled so that the kernel is a function of products or squared distances times 'factor', which is
 * between 1/2 and 2 or 0.  Dense rows of an rbf kernel are centred unless they are exact, which
 * changes no distance but makes the norms, and so the rounding errors, smaller.  Owns its arrays; a
 * zeroed struct is empty.
 */
struct float_vectors {
	struct kernel kernel;
	double factor;
	struct float_exponent exponent; /* rbf: errors of exponents at most */
	/*
	 * size of most errors of kernel values, relative to sqrt(K(x,x) K(z,z)), measured; and of
	 * those of K(x,x).  At most FLOAT_ERROR.
	 */
	double error, error_of_same;
	/*
	 * distances of an rbf kernel come from differences x - z, not from products: dense rows
	 * only
	 */
	bool difference;
	bool tame; /* rbf kernel values are all at least 2^-126 */
	bool dense;
	bool near;	 /* rows are in an order, for rbf, where neighbours are near each other */
	bool in_doubles; /* values are doubles, else floats */
	bool wide_sums;	 /* norms, and sums of products, are doubles: always of values in doubles */
	bool exact_sums; /* as vectors of sums: sums are in doubles throughout */
	/* number of rows; number of columns that occur, which are numbered 0, 1, ... */
	int64_t n, n_cols;
	int64_t longest; /* entries of a sparse row at most */
	int64_t *start;	 /* position of the first entry of each sparse row; n + 1 numbers */
	int32_t *col;	 /* column numbers of sparse rows, start[n] of them */
	void *val;	 /* values: start[n] of sparse rows, [n][n_cols] of dense ones */
	/* half the squared norm of each of the n rows, for rbf by products; else NULL */
	void *half_norm2;
	/* elements that the arrays have room for */
	int64_t starts_capacity, cols_capacity, vals_capacity, norms_capacity;
	/* store of empty tiles to be used again (float_sums.h), or NULL */
	struct float_spare_tiles *spare;
};

/* float_vectors_size(), float_vectors_norm_size() - bytes of a value, and of a norm */
static inline int64_t float_vectors_size(const struct float_vectors *v)
{
	return v->in_doubles ? sizeof(double) : sizeof(float);
}

static inline int64_t float_vectors_norm_size(const struct float_vectors *v)
{
	return v->wide_sums ? sizeof(double) : sizeof(float);
}

/* float_vectors_count() - count n kernel values, as doubles where rows are in doubles */
static inline void float_vectors_count(const struct float_vectors *v, int64_t n)
{
	work_count(v->in_doubles ? WORK_DOUBLES : WORK_FLOATS, n);
}

/* float_vectors_value() - value k */
static inline double float_vectors_value(const struct float_vectors *v, int64_t k)
{
	return v->in_doubles ? ((const double *)v->val)[k] : ((const float *)v->val)[k];
}

/* float_vectors_extent() - position of the first value of row i, and '*n', the number of its values */
static inline int64_t float_vectors_extent(const struct float_vectors *v, int64_t i, int64_t *n)
{
	*n = v->dense ? v->n_cols : v->start[i + 1] - v->start[i];
	return v->dense ? i * v->n_cols : v->start[i];
}

/* float_vectors_set() - store number k of an array of floats, or of doubles */
static inline void float_vectors_set(bool in_doubles, void *array, int64_t k, double value)
{
	if (in_doubles)
		((double *)array)[k] = value;
	else
		((float *)array)[k] = (float)value;
}

/* float_vectors_gather() - copy rows all[row[0]], all[row[1]], ... to the empty '*v' */
int float_vectors_gather(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err);

/*
 * float_vectors_append() - copy them behind the rows of '*v', which is empty or has their form
 *
 * Amortised O(values copied).  On ERR_MEMORY '*v' has the rows that it had.
 */
int float_vectors_append(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err);

/*
 * float_vectors_make_room() - room in the empty '*v' for n rows in the form of 'form'
 *
 * 'n_values' entries in all, or elements where rows are dense; the arrays of 'form' are not read.
 * Values and norms are undefined, and so is v->start but for its first element, 0.  Returns 0, or
 * -1 with ERR_MEMORY.
 */
int float_vectors_make_room(struct float_vectors *v, const struct float_vectors *form, int64_t n,
			    int64_t n_values, struct error *err);

void float_vectors_free(struct float_vectors *v);

/* float_vectors_form() - the form of the rows, without rows and arrays */
static inline struct float_vectors float_vectors_form(const struct float_vectors *v)
{
	struct float_vectors form = *v;

	form.n = 0;
	form.start = NULL;
	form.col = NULL;
	form.val = form.half_norm2 = NULL;
	form.starts_capacity = form.cols_capacity = form.vals_capacity = form.norms_capacity = 0;
	form.spare = NULL;
	return form;
}
