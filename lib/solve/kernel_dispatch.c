/*
 * kernel_dispatch.c - vectors made ready, and the best copy of kernel_tile.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/kernel_tile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

typedef void values_function(const struct kernel *, const struct kernel_vectors *, int64_t, int64_t,
			     const double *, const double *, double *);
typedef void accumulate_function(const double *, int64_t, const double *, double *);

#define DECLARE(suffix)                                   \
	values_function kernel_tile_values_##suffix;      \
	accumulate_function kernel_tile_accumulate_##suffix

struct tile_code {
	const char *name;
	values_function *values;
	accumulate_function *accumulate;
};

#define CODE(suffix, name) { name, kernel_tile_values_##suffix, kernel_tile_accumulate_##suffix }

DECLARE(base);
#ifdef HAVE_ISA_VARIANTS
DECLARE(v3);
DECLARE(v4);
#endif

void kernel_vectors_free(struct kernel_vectors *v)
{
	csr_free(&v->x);
	free(v->norm2);
	free(v->run);
	*v = (struct kernel_vectors){ 0 };
}

static bool same_columns(const struct csr *x, int64_t v, int64_t w)
{
	int64_t n = x->row_start[v + 1] - x->row_start[v];

	return n == x->row_start[w + 1] - x->row_start[w] &&
	       memcmp(x->col + x->row_start[v], x->col + x->row_start[w],
		      (size_t)n * sizeof(*x->col)) == 0;
}

int kernel_vectors_prepare(struct kernel_vectors *v, enum kernel_type type, struct error *err)
{
	int64_t n = v->x.n_rows;

	v->run = mem_array(n, sizeof(*v->run), err);
	v->norm2 = type == KERNEL_RBF ? mem_array(n, sizeof(*v->norm2), err) : NULL;
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t i = n - 1; i >= 0; i--) {
		bool continues = i + 1 < n && v->run[i + 1] < INT32_MAX &&
				 same_columns(&v->x, i, i + 1);

		v->run[i] = continues ? v->run[i + 1] + 1 : 1;
		if (v->norm2)
			v->norm2[i] = csr_row_norm2(&v->x, i);
	}
	return 0;
}

/* __builtin_cpu_supports() looks at what was found at start-up: no state of ours. */
static const struct tile_code *best_code(void)
{
	static const struct tile_code base = CODE(base, "baseline");
#ifdef HAVE_ISA_VARIANTS
	static const struct tile_code v3 = CODE(v3, "x86-64-v3"), v4 = CODE(v4, "x86-64-v4");

	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		return &v4;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
		return &v3;
#endif
	return &base;
}

void kernel_tile_values(const struct kernel *kernel, const struct kernel_vectors *vectors,
			int64_t first, int64_t last, const double *tile, const double *row_norm2,
			double *values)
{
	best_code()->values(kernel, vectors, first, last, tile, row_norm2, values);
}

void kernel_tile_accumulate(const double *coef, int64_t n, const double *values, double *sum)
{
	best_code()->accumulate(coef, n, values, sum);
}

const char *kernel_tile_instruction_set(void)
{
	return best_code()->name;
}
