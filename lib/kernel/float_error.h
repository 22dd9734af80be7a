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
 * struct float_sample - some rows of a matrix, and all kernel values between them in doubles
 *
 * row[0 .. n - 1] are drawn, one of each part of the matrix, but every eighth is the longest of its
 * eight parts, so that few long rows are not missed.  value[i][j] is that of rows i and j <= i;
 * size[i] the root of row i's with itself, with |coef0| in place of coef0.
 */
struct float_sample {
	int n;
	int64_t row[FLOAT_SAMPLE];
	double size[FLOAT_SAMPLE];
	double value[FLOAT_SAMPLE][FLOAT_SAMPLE];
};

/*
 * float_sample_draw() - the sample of 'x', whose rows have the squared norms norm2[], for 'kernel'
 *
 * The same rows each time.  O(rows), and some hundred thousand operations at most.
 */
void float_sample_draw(struct float_sample *sample, const struct csr *x, const double *norm2,
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
