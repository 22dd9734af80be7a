/*
 * kernel_dispatch.c - the best copy of kernel_tile.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/kernel_tile.h"

#define DECLARE(suffix)                                                                         \
	void kernel_tile_values_##suffix(const struct kernel *, const struct csr *, int64_t,    \
					 int64_t, const double *, const double *,              \
					 const double *, double *);                            \
	void kernel_tile_accumulate_##suffix(const double *, int64_t, const double *, double *)

struct tile_code {
	const char *name;
	void (*values)(const struct kernel *, const struct csr *, int64_t, int64_t, const double *,
		       const double *, const double *, double *);
	void (*accumulate)(const double *, int64_t, const double *, double *);
};

#define CODE(suffix, name) { name, kernel_tile_values_##suffix, kernel_tile_accumulate_##suffix }

DECLARE(base);
#ifdef HAVE_ISA_VARIANTS
DECLARE(v3);
DECLARE(v4);
#endif

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

void kernel_tile_values(const struct kernel *kernel, const struct csr *vectors, int64_t first,
			int64_t last, const double *vector_norm2, const double *tile,
			const double *row_norm2, double *values)
{
	best_code()->values(kernel, vectors, first, last, vector_norm2, tile, row_norm2, values);
}

void kernel_tile_accumulate(const double *coef, int64_t n, const double *values, double *sum)
{
	best_code()->accumulate(coef, n, values, sum);
}

const char *kernel_tile_instruction_set(void)
{
	return best_code()->name;
}
