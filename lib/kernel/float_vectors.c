/*
 * float_vectors.c - training rows in single precision: their arrays, and copies of some rows
 *
 * Of float_form.c is which form they have.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_vectors.h"

#include "base/mem.h"

void float_vectors_free(struct float_vectors *v)
{
	mem_free_all(v->start, v->col, v->val, v->half_norm2);
	*v = (struct float_vectors){ 0 };
}

/* Room for n rows with so many values in all. */
static int reserve(struct float_vectors *v, int64_t n, int64_t n_values, struct error *err)
{
	const size_t size = (size_t)float_vectors_size(v),
		     norm = (size_t)float_vectors_norm_size(v);

	/* one more each: no array is NULL that rows have, also where there are none */
	mem_grow(&v->val, &v->vals_capacity, n_values + 1, size, err);
	if (!v->dense) {
		mem_grow(&v->col, &v->cols_capacity, n_values + 1, sizeof(*v->col), err);
		mem_grow(&v->start, &v->starts_capacity, n + 1, sizeof(*v->start), err);
	}
	if (v->start)
		v->start[0] = 0;
	if (v->kernel.type == KERNEL_RBF && !v->difference)
		mem_grow(&v->half_norm2, &v->norms_capacity, n + 1, norm, err);
	return err->code == ERR_NONE ? 0 : -1;
}

int float_vectors_make_room(struct float_vectors *v, const struct float_vectors *form, int64_t n,
			    int64_t n_values, struct error *err)
{
	*v = float_vectors_form(form);
	v->n = n;
	if (reserve(v, n, n_values, err) == 0)
		return 0;
	float_vectors_free(v);
	return -1;
}

int float_vectors_append(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err)
{
	const int64_t size = float_vectors_size(all), norm = float_vectors_norm_size(all);
	struct float_spare_tiles *spare = v->spare;
	int64_t n_values = 0, width, to;

	if (v->n == 0) {
		float_vectors_free(v);
		*v = float_vectors_form(all);
		v->spare = spare;
	}
	to = v->dense ? v->n * v->n_cols : v->n > 0 ? v->start[v->n] : 0;
	for (int64_t i = 0; i < n; i++) {
		float_vectors_extent(all, row[i], &width);
		n_values += width;
	}
	if (reserve(v, v->n + n, to + n_values, err) < 0)
		return -1;
	/* entries are counted first, so that memory is taken once; the copies follow */
	for (int64_t i = 0; i < n; i++, v->n++, to += width) {
		int64_t first = float_vectors_extent(all, row[i], &width);

		memcpy((char *)v->val + to * size, (const char *)all->val + first * size,
		       (size_t)(width * size));
		if (!v->dense) {
			memcpy(v->col + to, all->col + first, (size_t)width * sizeof(int32_t));
			v->start[v->n + 1] = to + width;
		}
		if (v->half_norm2)
			memcpy((char *)v->half_norm2 + v->n * norm,
			       (const char *)all->half_norm2 + row[i] * norm, (size_t)norm);
	}
	return 0;
}

int float_vectors_gather(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err)
{
	*v = (struct float_vectors){ 0 };
	if (float_vectors_append(v, all, row, n, err) == 0)
		return 0;
	float_vectors_free(v);
	return -1;
}
