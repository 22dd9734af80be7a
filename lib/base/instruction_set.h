/*
 * instruction_set.h - which copy of the hot loops this machine should run
 *
 * Files of hot loops are compiled once per instruction set (ISA_SOURCES in the Makefile).  A copy's
 * symbols end in _base, _v3 or _v4; _v3 and _v4 exist where HAVE_ISA_VARIANTS is defined.
 * Each folder with hot loops has one file *_dispatch.c, which chooses among the copies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

enum instruction_set {
	INSTRUCTION_SET_BASELINE,
	INSTRUCTION_SET_V3, /* x86-64-v3: AVX2 */
	INSTRUCTION_SET_V4  /* x86-64-v4: AVX-512 */
};

/* instruction_set_best() - the best set that this machine has and copies were compiled for */
enum instruction_set instruction_set_best(void);

/*
 * instruction_set_limit() - use no better set than this one from now on
 *
 * So that processes on unlike machines compute the same bytes.  To call before other threads run.
 */
void instruction_set_limit(enum instruction_set set);

/*
 * HOT_LOOP() - declare a function that calls its best copy
 *
 *     HOT_LOOP(void, scale, (double *x, int64_t n), (x, n))
 *
 * declares scale().  In a *_dispatch.c, which defines HOT_DISPATCH before it includes the headers of
 * its functions, it defines scale() as the best of scale_base(), scale_v3() and scale_v4().  In files
 * of hot loops it declares their own copy too, SUFFIXED(scale), so that the compiler compares it.
 */
#ifdef HOT_DISPATCH
#define HOT_LOOP(type, name, parameters, arguments)                          \
	typedef type name##_function parameters;                             \
	HOT_LOOP_COPIES(name);                                               \
	type name parameters                                                 \
	{                                                                    \
		static name##_function *const copy[] = HOT_LOOP_TABLE(name); \
                                                                             \
		return copy[instruction_set_best()] arguments;               \
	}
#elif defined(TILE_SUFFIX)
#define HOT_PASTE(a, b) a##_##b
#define HOT_EXPAND(a, b) HOT_PASTE(a, b)
#define SUFFIXED(name) HOT_EXPAND(name, TILE_SUFFIX)
#define HOT_LOOP(type, name, parameters, arguments) \
	type name parameters;                       \
	type SUFFIXED(name) parameters;
#else
#define HOT_LOOP(type, name, parameters, arguments) type name parameters;
#endif
#ifdef HAVE_ISA_VARIANTS
#define HOT_LOOP_COPIES(name) name##_function name##_base, name##_v3, name##_v4
#define HOT_LOOP_TABLE(name)                                                                \
	{                                                                                   \
		[INSTRUCTION_SET_BASELINE] = name##_base, [INSTRUCTION_SET_V3] = name##_v3, \
		[INSTRUCTION_SET_V4] = name##_v4                                            \
	}
#else
#define HOT_LOOP_COPIES(name) name##_function name##_base
#define HOT_LOOP_TABLE(name)                             \
	{                                                \
		[INSTRUCTION_SET_BASELINE] = name##_base \
	}
#endif

/* instruction_set_name() - "baseline", "x86-64-v3" or "x86-64-v4" */
const char *instruction_set_name(enum instruction_set set);
