/*
 * float_error.c - the error of kernel values in single precision, measured on some of the rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_error.h"

#include <math.h>

#include "base/rng.h"
#include "kernel/float_sums.h"
#include "kernel/kernel_merged.h"

/*
 * Rows for each row of the sample, and steps of merging rows that it takes: some .2 ms, and 2 % of
 * the training of 270 rows.
 */
#define ROWS_A_SAMPLED 16
#define MOST_STEPS (1 << 17)
#define LEAST_SAMPLE 8

/* Parts of which one has its longest row in the sample, in place of one that is drawn. */
#define PARTS_A_LONGEST 8

/* The longest of rows first .. end - 1. */
static int64_t longest_row(const double *norm2, int64_t first, int64_t end)
{
	int64_t longest = first;

	for (int64_t i = first; i < end; i++)
		longest = norm2[i] > norm2[longest] ? i : longest;
	return longest;
}

int float_sample_rows(int64_t row[FLOAT_SAMPLE], int64_t n_rows, int64_t n_entries,
		      const double *norm2)
{
	double entries = (double)n_entries / (double)n_rows + 1;
	double most = fmin((double)(n_rows / ROWS_A_SAMPLED), sqrt(MOST_STEPS / entries));
	int n = (int)fmin(fmin(fmax(most, LEAST_SAMPLE), FLOAT_SAMPLE), (double)n_rows);

	for (int k = 0; k < n; k++) {
		int64_t first = k * n_rows / n, end = (k + 1) * n_rows / n;
		uint64_t draw = rng_first64(rng_draw(0, RNG_MEASURED_ROWS, (uint64_t)k, 0));
		int eight = k / PARTS_A_LONGEST * PARTS_A_LONGEST;

		row[k] = first + (int64_t)(draw % (uint64_t)(end - first));
		if (k % PARTS_A_LONGEST == PARTS_A_LONGEST - 1)
			row[k] = longest_row(norm2, eight * n_rows / n, end);
	}
	return n;
}

void float_sample_init(struct float_sample *sample, const struct csr *rows,
		       const struct kernel *kernel)
{
	struct kernel sizes = *kernel;

	sizes.coef0 = fabs(sizes.coef0);
	sample->n = (int)rows->n_rows;
	for (int i = 0; i < sample->n; i++) {
		const struct csr_row row = csr_row_of(rows, i);

		sample->size[i] = sqrt(fabs(kernel_merged_value(&sizes, row, row)));
		for (int j = 0; j <= i; j++)
			sample->value[i][j] = kernel_merged_value(kernel, row, csr_row_of(rows, j));
	}
}

static void compare(const struct float_sample *sample, float (*value)[FLOAT_SAMPLE],
		    struct float_errors *errors)
{
	double squares = 0, of_same = 0, n = sample->n;
	double n_pairs = fmax(n * (n - 1) / 2, 1);

	*errors = (struct float_errors){ 0 };
	for (int i = 0; i < sample->n; i++)
		for (int j = 0; j <= i; j++) {
			double size = sample->size[i] * sample->size[j];
			double error = size > 0 ? (value[i][j] - sample->value[i][j]) / size : 0;

			*(i == j ? &of_same : &squares) += error * error;
			/* an error that is not a number counts as the largest there is */
			errors->largest =
				fmax(errors->largest, isnan(error) ? INFINITY : fabs(error));
		}
	errors->of_same = sqrt(of_same / n);
	errors->rms = sqrt(squares / n_pairs + of_same / n / FLOAT_SAMPLE);
}

int float_sample_errors(const struct float_sample *sample, const struct float_vectors *some,
			struct float_errors *errors, struct error *err)
{
	float value[FLOAT_SAMPLE][FLOAT_SAMPLE] __attribute__((aligned(64)));
	float *out[FLOAT_SAMPLE];
	struct float_tile tile;

	if (float_tile_init(&tile, some, err) < 0)
		return -1;
	for (int i = 0; i < sample->n; i++)
		out[i] = value[i];
	float_tile_fill(&tile, some, NULL, 0, sample->n);
	float_tile_values(some, 0, sample->n, &tile, out);
	compare(sample, value, errors);
	float_tile_free(&tile);
	return 0;
}
