/*
 * float_error.h - the error of kernel values in single precision, measured on some of the rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"

/* Most rows of a sample. */
#define FLOAT_SAMPLE 64

/*
 * float_sample_rows() - which rows a sample has: row[0], row[1], ...; returns how many
 *
 * Of n_rows > 0 rows with n_entries entries and the squared norms norm2[].  They are drawn, one of
 * each part of the rows, but every eighth is the longest of its eight parts, so that few long rows
 * are not missed.  The same rows each time.  O(n_rows).
 */
int float_sample_rows(int64_t row[FLOAT_SAMPLE], int64_t n_rows, int64_t n_entries,
		      const double *norm2);

/*
 * struct float_sample - all kernel values between the rows of a sample, in doubles
 *
 * value[i][j] is that of rows i and j <= i; size[i] the root of row i's with itself, with |coef0| in
 * place of coef0.
 */
struct float_sample {
	int n;
	double size[FLOAT_SAMPLE];
	double value[FLOAT_SAMPLE][FLOAT_SAMPLE];
};

/* float_sample_init() - the values of the rows of a sample; some hundred thousand operations */
void float_sample_init(struct float_sample *sample, const struct csr *rows,
		       const struct kernel *kernel);

/* Errors of kernel values of a sample, relative to the sizes of both rows. */
struct float_errors {
	double rms; /* root mean square of values, one of FLOAT_SAMPLE of which is a row's with itself */
	double of_same; /* the same of a row with itself alone: near duplicates have such errors */
	double largest;
};

/*
 * float_sample_errors() - errors of 'some', the rows of the sample in floats
 *
 * The same for any threads; by the copy of float_tile.c that sums take, so that last digits, and near
 * a limit decisions, may differ with the instruction set.  Returns 0, or -1 with ERR_MEMORY.
 */
int float_sample_errors(const struct float_sample *sample, const struct float_vectors *some,
			struct float_errors *errors, struct error *err);
