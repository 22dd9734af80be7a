/*
 * float_vectors.c - training rows in single precision: their arrays, and copies of some rows
 *
 * Of float_form.c is which form they have.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_vectors.h"

#include <string.h>

#include "base/mem.h"

void float_vectors_free(struct float_vectors *v)
{
	mem_free_all(v->start, v->col, v->val, v->half_norm2);
	*v = (struct float_vectors){ 0 };
}

int float_vectors_make_room(struct float_vectors *v, const struct float_vectors *form, int64_t n,
			    int64_t n_values, struct error *err)
{
	const size_t size = (size_t)float_vectors_size(form),
		     norm = (size_t)float_vectors_norm_size(form);

	*v = *form;
	v->spare = NULL;
	v->n = n;
	v->val = mem_array(n_values, size, err);
	v->start = v->dense ? NULL : mem_array(n + 1, sizeof(int64_t), err);
	v->col = v->dense ? NULL : mem_array(n_values, sizeof(int32_t), err);
	if (v->start)
		v->start[0] = 0;
	v->half_norm2 =
		v->kernel.type == KERNEL_RBF && !v->difference ? mem_array(n, norm, err) : NULL;
	if (err->code == ERR_NONE)
		return 0;
	float_vectors_free(v);
	return -1;
}

int float_vectors_gather(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err)
{
	const int64_t size = float_vectors_size(all), norm = float_vectors_norm_size(all);
	int64_t n_values = 0, width;

	for (int64_t i = 0; i < n; i++) {
		float_vectors_extent(all, row[i], &width);
		n_values += width;
	}
	if (float_vectors_make_room(v, all, n, n_values, err) < 0)
		return -1;
	/* entries are counted first, so that memory is taken once; the copies follow */
	for (int64_t i = 0; i < n; i++) {
		int64_t first = float_vectors_extent(all, row[i], &width);
		int64_t to = v->dense ? i * width : v->start[i];

		memcpy((char *)v->val + to * size, (const char *)all->val + first * size,
		       (size_t)(width * size));
		if (!v->dense) {
			memcpy(v->col + to, all->col + first, (size_t)width * sizeof(int32_t));
			v->start[i + 1] = to + width;
		}
		if (v->half_norm2)
			memcpy((char *)v->half_norm2 + i * norm,
			       (const char *)all->half_norm2 + row[i] * norm, (size_t)norm);
	}
	return 0;
}
