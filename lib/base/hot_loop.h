/*
 * hot_loop.h - names and vector types of the files that are compiled once per instruction set
 *
 * Only such files (ISA_SOURCES in the Makefile) include this: TILE_SUFFIX names the copy.
 * instruction_set.h has the functions that choose among the copies.
 *
 *     void SUFFIXED(scale)(double *x, int64_t n)
 *     {
 *         const reg_double factor = ALL_DOUBLES(0.5);
 *
 *         for (int64_t k = 0; k < n; k += REGISTER_DOUBLES)
 *             *(reg_double *)(x + k) *= factor;
 *     }
 *
 * is scale_base(), scale_v3() or scale_v4(), which HOT_LOOP() in a header declares
 * (instruction_set.h).
 *
 * A vector is one register.  Where the width of the registers must not show, as in sums that are
 * added up in the end, a loop takes as many of them as make up 64 bytes, and so has the same lanes
 * in all copies.  (Vectors of 64 bytes would say that too, but gcc 12 takes those longer than a
 * register apart in memory or into single numbers: without AVX-512 most loops took 5 to 40 times as
 * long.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/instruction_set.h"

/* Inlined whole, so that arguments are constants and arrays registers. */
#define INLINED static inline __attribute__((always_inline))

/* Bytes of a register. */
#if defined(__AVX512F__)
#define REGISTER_BYTES 64
#elif defined(__AVX2__)
#define REGISTER_BYTES 32
#else
#define REGISTER_BYTES 16
#endif

#define REGISTER_OF(bytes) __attribute__((vector_size(bytes), aligned(bytes)))
typedef double reg_double REGISTER_OF(REGISTER_BYTES);
typedef float reg_float REGISTER_OF(REGISTER_BYTES);
typedef int64_t reg_int64 REGISTER_OF(REGISTER_BYTES);
typedef uint64_t reg_uint64 REGISTER_OF(REGISTER_BYTES);
typedef int32_t reg_int32 REGISTER_OF(REGISTER_BYTES);
typedef uint32_t reg_uint32 REGISTER_OF(REGISTER_BYTES) __attribute__((may_alias));
typedef float reg_half_float REGISTER_OF(REGISTER_BYTES / 2);
typedef uint32_t reg_half_uint32 REGISTER_OF(REGISTER_BYTES / 2) __attribute__((may_alias));

/* Numbers in a register. */
#define REGISTER_DOUBLES (REGISTER_BYTES / 8)
#define REGISTER_FLOATS (REGISTER_BYTES / 4)

/* Vectors at addresses that are aligned for an element alone. */
typedef double loose_double __attribute__((vector_size(REGISTER_BYTES), aligned(8)));
typedef float loose_float __attribute__((vector_size(REGISTER_BYTES), aligned(4)));

/* The same number in all lanes of a register: c - 0 is c, -0 too. */
#define ALL_DOUBLES(c) ((double)(c) - (reg_double){ 0 })
#define ALL_FLOATS(c) ((float)(c) - (reg_float){ 0 })

/*
 * REGISTER_POWER() - function 'name' of type: x^n, n >= 0, of all lanes by repeated squaring, in
 * the order of double_power()
 */
#define REGISTER_POWER(type, name)             \
	INLINED type name(type x, int n)       \
	{                                      \
		type result = 1 - (type){ 0 }; \
                                               \
		for (; n > 0; n /= 2) {        \
			if (n % 2 == 1)        \
				result *= x;   \
			x *= x;                \
		}                              \
		return result;                 \
	}

/*
 * The halves of a register of floats, and a register of two halves.  LOW_SINGLES and HIGH_SINGLES
 * number the elements of two registers, a then b, that interleave their first and second halves;
 * LOW_DOUBLES and HIGH_DOUBLES are those of registers of doubles.
 */
#if REGISTER_BYTES == 64
#define LOW_HALF(a) __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7)
#define HIGH_HALF(a) __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15)
#define JOIN_HALVES(a, b) \
	__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define LOW_DOUBLES 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_DOUBLES 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_SINGLES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_SINGLES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif REGISTER_BYTES == 32
#define LOW_HALF(a) __builtin_shufflevector(a, a, 0, 1, 2, 3)
#define HIGH_HALF(a) __builtin_shufflevector(a, a, 4, 5, 6, 7)
#define JOIN_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW_DOUBLES 0, 4, 1, 5
#define HIGH_DOUBLES 2, 6, 3, 7
#define LOW_SINGLES 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_SINGLES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define LOW_HALF(a) __builtin_shufflevector(a, a, 0, 1)
#define HIGH_HALF(a) __builtin_shufflevector(a, a, 2, 3)
#define JOIN_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3)
#define LOW_DOUBLES 0, 2
#define HIGH_DOUBLES 1, 3
#define LOW_SINGLES 0, 4, 1, 5
#define HIGH_SINGLES 2, 6, 3, 7
#endif

/* SELECT() - a where the mask's lanes are ones, b where they are zeros, as vectors of that type */
#define SELECT(type, mask, a, b) \
	((type)(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))
