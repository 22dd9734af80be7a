/*
 * full_weights.c - weights of all features up to the highest, as LIBLINEAR's models have them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/full_weights.h"

#include "base/mem.h"

#define MOST_WEIGHTS (INT64_C(1) << 30)
#define MOST_OF_AN_ENTRY 16

static int refuse(int64_t n_features, int64_t n_columns, enum error_code code, struct error *err)
{
	return error_set_remedy(err, code, REMEDY_SMALLER_NUMBERS,
				"the highest feature is %" PRId64
				", and weights of all up to it take %.3g GB",
				n_features, (double)(n_features + 1) * (double)n_columns * 8e-9);
}

int full_weights_check(int64_t n_features, int64_t n_columns, int64_t n_entries, struct error *err)
{
	const int64_t n = (n_features + 1) * n_columns;

	if (n <= MOST_WEIGHTS || n / MOST_OF_AN_ENTRY <= n_entries)
		return 0;
	return refuse(n_features, n_columns, ERR_ARGUMENT, err);
}

double *full_weights(int64_t n_features, int64_t n_columns, int64_t n_entries, struct error *err)
{
	struct error failed = { 0 };
	double *w;

	if (full_weights_check(n_features, n_columns, n_entries, err) < 0)
		return NULL;
	w = mem_zeroed((n_features + 1) * n_columns, sizeof(*w), &failed);
	if (!w)
		refuse(n_features, n_columns, ERR_MEMORY, err);
	return w;
}
