/*
 * kernel_source.h - where the kernel values of a problem come from
 *
 *     rows    K(x_i, x_j) of examples i with all members j of a working set    kernel_rows.h
 *     sums    sum_j coef_j K(x_j, x_i) of support vectors j, for examples i    kernel_sums.h
 *
 * A source has both, in single or in double precision.  Who plans a training chooses it and puts it
 * into the problem; solvers and decision values ask the problem's, and know none of them:
 *
 *     plain_source    (this room)   computed in double precision: of problems without another
 *     float_source    (source/)     computed in single precision
 *     class_source    (source/)     the same of two classes, by what is kept for all their pairs
 *     matrix_source   (source/)     a kernel matrix, of doubles or of floats, or a caller's kernel
 *     near_source     (source/)     the values of a narrow kernel that are not next to 0
 *     product_source  (source/)     the linear kernel of sparse rows, by their columns
 *     rank_source     (ranks/)      of rows that other processes have
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/work_counts.h"
#include "kernel/float_vectors.h"

struct kernel_rows;
struct kernel_source;
struct kernel_sums;
struct row_members;
struct row_request;
struct sum_request;

/*
 * struct kernel_source_type - functions of a kind of source
 *
 * Functions return 0, or -1 with an error, mostly ERR_MEMORY.  Rows or sums that could not be
 * opened are closed all the same; functions to open and to close may be NULL where there is no work
 * for them.
 */
struct kernel_source_type {
	int (*open_rows)(struct kernel_rows *r, struct error *err);
	void (*close_rows)(struct kernel_rows *r);
	/* number of rows best fetched at once; NULL: KERNEL_ROWS_AT_ONCE */
	int (*rows_at_once)(const struct kernel_rows *r, const struct row_members *over);
	int (*fetch_rows)(const struct kernel_rows *r, const struct row_request *q,
			  struct error *err);
	/*
	 * Functions in place of fetch_rows, where the source itself keeps rows, of floats and over
	 * all examples: the row of example i, NULL before it is made, and the making of n rows.
	 * Else NULL.
	 */
	const float *(*kept_row)(const struct kernel_source *s, int64_t i);
	int (*make_rows)(const struct kernel_source *s, const int64_t *i, int n, struct error *err);
	/* copying of n rows of x_float to the empty '*out'; NULL: they are here, all of them */
	int (*gather)(const struct kernel_source *s, const int64_t *row, int64_t n,
		      struct float_vectors *out, struct error *err);
	int (*open_sums)(struct kernel_sums *s, struct error *err);
	void (*close_sums)(struct kernel_sums *s);
	int (*sum)(const struct kernel_sums *s, const struct sum_request *q, struct error *err);
};

/* What is known of rows whose entries other processes have: csr_row_hash(), csr_row_norm2() by row. */
struct row_marks {
	const uint64_t *hash;
	const double *norm2;
};

/*
 * struct kernel_source - a source, the first member of each kind's struct; all pointers are
 * borrowed
 */
struct kernel_source {
	const struct kernel_source_type *type;
	/* source for a problem whose examples are some of the rows of x; NULL: this one */
	const struct kernel_source *for_subset;
	const struct kernel_source *in_doubles; /* source in double precision; NULL: this one */
	/* rows of x in floats, for sums, or NULL; their form alone where the type has gather() */
	const struct float_vectors *x_float;
	/* diagonal: K(x, x) of row i at diagonal[diagonal_step * i]; NULL: computed each time */
	const double *diagonal;
	int64_t diagonal_step;
	/* error of K(x, z) in shares of sqrt(K(x, x) K(z, z)), other than rounding: the caller's */
	double value_error;
	const struct row_marks *elsewhere; /* x has no entries here; NULL: it has */
	bool in_floats; /* kernel values of rows have the error of single precision */
	/* kernel values between all examples are kept: sums need no new ones */
	bool has_matrix;
	/* a value takes far longer to compute than to read: rows are kept, however many */
	bool is_dear;
	bool sums_in_doubles; /* sums of its values are in doubles, term by term */
	bool is_slow;	      /* a value may take long: an end is asked for at each step */
	bool indefinite;      /* kernel matrix was found to be indefinite */
};

/*
 * plain_source - computes kernel values from rows, K(x, x) each time too; plain_source_with() - the
 * same with K(x, x) given by row of x
 */
extern const struct kernel_source plain_source;
struct kernel_source plain_source_with(const double *diagonal);

/* kernel_source_for_subset() - the source of a problem with another choice of the rows */
static inline const struct kernel_source *kernel_source_for_subset(const struct kernel_source *s)
{
	return s->for_subset ? s->for_subset : s;
}

/* kernel_source_in_doubles() - the source for double precision */
static inline const struct kernel_source *kernel_source_in_doubles(const struct kernel_source *s)
{
	return s->in_doubles ? s->in_doubles : s;
}

/* kernel_source_gather() - copy rows row[0 .. n - 1] of s->x_float to the empty '*out' */
static inline int kernel_source_gather(const struct kernel_source *s, const int64_t *row, int64_t n,
				       struct float_vectors *out, struct error *err)
{
	return s->type->gather ? s->type->gather(s, row, n, out, err) :
				 float_vectors_gather(out, s->x_float, row, n, err);
}
