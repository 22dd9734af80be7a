/*
 * near_source.c - the kernel values of a narrow kernel that are not next to 0
 *
 * Rows have the values kept, and 0 for all others.  Sums: each support vector adds its values to
 * the examples near it, in doubles.
 *
 * How this works.  The matrix of values (kernel/near_matrix.h) has example i as row i, for the
 * problem with all its examples only; a problem of some of them gets the float_source that the base
 * was copied from.
 *
 *  (1) A row over members.  number[i] is the member that example i is, -1 if it is none.  The
 *      values of the row wanted are scattered to their members' places, into zeros.
 *  (2) A sum.  The support vectors add their values, row by row, to an array of all examples; those
 *      that were asked for are taken from it.  O(values of the vectors), whatever is asked for.
 *
 * The matrix is read only; a request has arrays of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/near_source.h"

#include "problem/problem.h"

static const struct near_matrix *values_of(const struct kernel_source *source)
{
	return ((const struct near_source *)source)->values;
}

/*
 * Write each value of at least 2^-40 to the number of its member, (1)
 *
 * The numbers are found once for all rows of the request, which takes less than computing a row.
 * Members before 'first' have no number, so their values, which the caller has, are not written.
 */
static int fetch_rows(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct near_matrix *m = values_of(r->source);
	int64_t n = kernel_rows_padded(q->over->n);
	int32_t *number = mem_array(m->n, sizeof(*number), err);

	for (int64_t i = 0; number && i < m->n; i++)
		number[i] = -1;
	for (int64_t j = q->first; number && j < q->over->n; j++)
		number[q->over->example[j]] = (int32_t)j;
	for (int64_t v = 0; number && v < q->n; v++) {
		float *out = q->out[v];
		int64_t i = q->wanted[v];

		memset(out + q->first, 0, (size_t)(n - q->first) * sizeof(*out));
		work_count(WORK_KEPT, m->start[i + 1] - m->start[i]);
		for (int64_t k = m->start[i]; k < m->start[i + 1]; k++)
			if (number[m->col[k]] >= 0)
				out[number[m->col[k]]] = m->val[k];
	}
	mem_free(number);
	return number ? 0 : -1;
}

/*
 * Sums from the kept values, (2): vectors in their order, so that a sum does not depend on the
 * choice of examples.
 */
static int sum(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct near_matrix *m = values_of(s->source);
	double *all = mem_zeroed(s->p->n, sizeof(*all), err);

	for (int64_t j = 0; all && j < s->n_vectors; j++) {
		near_matrix_add(m, s->example[j], s->coef[j], all);
		work_count(WORK_KEPT, m->start[s->example[j] + 1] - m->start[s->example[j]]);
	}
	for (int64_t k = 0; all && k < q->n; k++)
		q->value[k] = all[q->position ? q->position[k] : k];
	mem_free(all);
	return all ? 0 : -1;
}

static const struct kernel_source_type near_type = {
	.fetch_rows = fetch_rows,
	.sum = sum,
};

struct near_source near_source_make(const struct near_matrix *values,
				    const struct kernel_source *floats)
{
	struct near_source s = { .base = *floats, .values = values };

	s.base.type = &near_type;
	s.base.for_subset = floats;
	s.base.has_matrix = s.base.sums_in_doubles = true;
	return s;
}

bool near_source_is(const struct kernel_source *source)
{
	return source->type == &near_type;
}

int near_source_serves(const struct kernel_source *floats, const int64_t *row, int64_t n,
		       bool *serves, struct error *err)
{
	int64_t list[NEAR_MATRIX_ROWS], n_some = int64_min(n, NEAR_MATRIX_ROWS);
	struct float_vectors some;
	int ret;

	for (int64_t k = 0; k < n_some; k++)
		list[k] = row[k * n / n_some];
	if (kernel_source_gather(floats, list, n_some, &some, err) < 0)
		return -1;
	ret = near_matrix_serves(&some, n, serves, err);
	float_vectors_free(&some);
	return ret;
}
