/*
 * kernel_sums.h - sums of kernel values over support vectors, for examples of a problem
 *
 *     value_i = sum_j coef_j K(x_j, x_i)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/* struct kernel_sums - support vectors and their coefficients, which a source has made ready */
struct kernel_sums {
	const struct problem_view *p;
	const struct kernel_source *source;
	int64_t n_vectors;
	int64_t *example; /* example of each vector; NULL where the source has no use for it */
	double *coef;	  /* coefficient of each vector */
	bool exact;	  /* sums of kernel values in floats are to be in doubles throughout */
	void *state;	  /* vectors as the source has made them ready */
};

/* Sums that a source is asked for: value[k] of row[k] of x, which is example position[k]. */
struct sum_request {
	const int64_t *position; /* positions of the examples; NULL: all examples, in their order */
	const int64_t *row;
	int64_t n;
	double *value;
	int n_threads;
};

/* kernel_sums_init() - room for n vectors; returns 0, or -1 with ERR_MEMORY and '*s' empty */
int kernel_sums_init(struct kernel_sums *s, const struct problem_view *p,
		     const struct kernel_source *source, int64_t n, struct error *err);

/* kernel_sums_add() - add one more vector, before kernel_sums_open() */
void kernel_sums_add(struct kernel_sums *s, int64_t example, double coef);

/* kernel_sums_open() - the source makes the vectors ready; where it fails '*s' becomes empty */
int kernel_sums_open(struct kernel_sums *s, struct error *err);

void kernel_sums_free(struct kernel_sums *s);

/*
 * kernel_sums_evaluate() - f[position[k]] for k < n; or f[k] for all examples if 'position' is NULL
 *
 * The value of an example does not depend on n_threads, nor, unless rows of x_float->near leave out
 * what is next to nothing, on which other examples are asked for. Computes n n_vectors kernel
 * values.  Fails with ERR_MEMORY, with ERR_NUMERIC if a value is not finite, or with
 * ERR_INTERRUPTED within about a tenth of a second once p->interruption requests it.
 */
int kernel_sums_evaluate(const struct kernel_sums *s, const int64_t *position, int64_t n, double *f,
			 int n_threads, struct error *err);

/* error_kernel_overflows() - a sum is not finite: -1 with ERR_NUMERIC */
int error_kernel_overflows(struct error *err);

/* For the functions of sources: */

/* kernel_sums_take_rows() - in place of s->example the rows of x, for the caller to free */
int64_t *kernel_sums_take_rows(struct kernel_sums *s);

/*
 * kernel_sums_open_rows(), kernel_sums_close_rows() - open_sums() and close_sums() of sources whose
 * state is the array of kernel_sums_take_rows()
 */
int kernel_sums_open_rows(struct kernel_sums *s, struct error *err);
void kernel_sums_close_rows(struct kernel_sums *s);

/*
 * kernel_sums_by_looks() - 'sum' of as many rows at a time as take a moment
 *
 * For sums that cost a kernel value for each row and vector.  Between two parts the problem's
 * interruption is asked: -1 with ERR_INTERRUPTED.
 */
int kernel_sums_by_looks(const struct kernel_sums *s, const struct sum_request *q,
			 int (*sum)(const struct kernel_sums *s, const struct sum_request *q,
				    struct error *err),
			 struct error *err);
