/*
 * vector_digits.c - what the digits of support vectors in a model file are worth
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/vector_digits.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/mem.h"

/* Vectors whose decision values are compared, at most, and the numbers of these values. */
#define MOST_VECTORS 256
#define MOST_VALUES (INT64_C(1) << 20)

void vectors_round(struct csr *x)
{
	for (int64_t k = 0; k < csr_n_entries(x); k++)
		x->val[k] = decimal_read_back(x->val[k], 8);
}

static bool same_entries(const struct csr *a, const struct csr *b)
{
	const int64_t n = csr_n_entries(a);

	return n == csr_n_entries(b) &&
	       (n == 0 || (memcmp(a->val, b->val, (size_t)n * sizeof(*a->val)) == 0 &&
			   memcmp(a->col, b->col, (size_t)n * sizeof(*a->col)) == 0));
}

int vectors_evaluate(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		     struct row_view rows, double *value, int n_threads, struct error *err)
{
	struct expansion e = { 0 };
	int ret = expansion_init(
		&e, kernel, &(struct support_vectors){ sv, s->n_class, s->n_sv_of_class, s->coef },
		err);

	if (ret == 0)
		ret = expansion_evaluate_rows(&e, rows, value, n_threads, err);
	expansion_free(&e);
	return ret;
}

int vectors_change(const struct kernel *kernel, const struct solution *s, const struct csr *sv,
		   const struct csr *filed, int n_threads, double *change, struct error *err)
{
	const int64_t n_pairs = solution_n_pairs(s->n_class);
	const int64_t most =
		int64_max(1, int64_min(MOST_VECTORS, MOST_VALUES / int64_max(1, n_pairs)));
	const int64_t n = int64_min(s->n_sv, most), n_values = n * n_pairs;
	int64_t row[MOST_VECTORS];
	double *value;
	int ret = -1;

	*change = same_entries(sv, filed) ? 0 : DBL_MIN;
	if (*change == 0)
		return 0;
	for (int64_t k = 0; k < n; k++)
		row[k] = k * s->n_sv / n;
	value = mem_array(2 * n_values, sizeof(*value), err);
	if (value &&
	    vectors_evaluate(kernel, s, sv, csr_view(sv, row, n), value, n_threads, err) == 0 &&
	    vectors_evaluate(kernel, s, filed, csr_view(sv, row, n), value + n_values, n_threads,
			     err) == 0)
		ret = 0;
	for (int64_t k = 0; ret == 0 && k < n_values; k++)
		*change = fmax(*change, fabs(value[n_values + k] - value[k]));
	mem_free(value);
	return ret;
}
