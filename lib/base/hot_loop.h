/*
 * hot_loop.h - names and vector types of the files that are compiled once per instruction set
 *
 * Only such files (ISA_SOURCES in the Makefile) include this: TILE_SUFFIX names the copy.
 * instruction_set.h has the functions that choose among the copies.
 *
 *     HOT_COPY(scale);
 *
 *     void SUFFIXED(scale)(double *x, int64_t n)
 *     {
 *         const vec_double factor = SPLAT_DOUBLE(0.5);
 *
 *         for (int64_t k = 0; k < n; k += 8)
 *             *(vec_double *)(x + k) *= factor;
 *     }
 *
 * is scale_base(), scale_v3() or scale_v4(), of the type that a header declares scale() with.
 *
 * Vectors are 64 bytes: one register with AVX-512, two or four with narrower ones, which the
 * compiler takes apart.  So all copies have the same lanes and add in the same order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_HOT_LOOP_H
#define RANDSVM_HOT_LOOP_H

#include <stdint.h>

#define HOT_PASTE(a, b) a##_##b
#define HOT_EXPAND(a, b) HOT_PASTE(a, b)

/* SUFFIXED() - the name of this copy of a function */
#define SUFFIXED(name) HOT_EXPAND(name, TILE_SUFFIX)

/* HOT_COPY() - declare this copy, so that the compiler compares it with the function's header */
#define HOT_COPY(name) extern __typeof__(name) SUFFIXED(name)

/* Inlined whole, so that arguments are constants and arrays registers. */
#define INLINED static inline __attribute__((always_inline))

typedef double vec_double __attribute__((vector_size(64), aligned(64)));
typedef float vec_float __attribute__((vector_size(64), aligned(64)));
typedef int64_t vec_int64 __attribute__((vector_size(64), aligned(64)));
typedef uint64_t vec_uint64 __attribute__((vector_size(64), aligned(64)));
typedef int32_t vec_int32 __attribute__((vector_size(64), aligned(64)));
typedef uint32_t vec_uint32 __attribute__((vector_size(64), aligned(64), may_alias));

/* As many floats or words as a vec_double or vec_uint64 has lanes. */
typedef float half_float __attribute__((vector_size(32), aligned(32)));
typedef uint32_t half_uint32 __attribute__((vector_size(32), aligned(32), may_alias));

/* At any address that suits an element. */
typedef double loose_double __attribute__((vector_size(64), aligned(8)));
typedef uint32_t loose_uint32 __attribute__((vector_size(64), aligned(4), may_alias));

/* The same number in all lanes; it is written out, as a sum with 0 would lose the sign of -0. */
#define SPLAT_DOUBLE(c) ((vec_double){ (c), (c), (c), (c), (c), (c), (c), (c) })
#define SPLAT_FLOAT(c)                                                                           \
	((vec_float){ (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), \
		      (c) })

/* SELECT() - a where the mask's lanes are ones, b where they are zeros, as vectors of that type */
#define SELECT(type, mask, a, b) \
	((type)(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))

#endif
