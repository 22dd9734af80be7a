/*
 * instruction_set.c - which copy of the hot loops this machine should run
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"

static enum instruction_set highest = INSTRUCTION_SET_V4;

void instruction_set_limit(enum instruction_set set)
{
	highest = set < highest ? set : highest;
}

/*
 * The compiler's run-time library asks the processor once, at start-up: only the limit is kept
 * here.  Every processor so far that has the instructions asked for has the rest of the level
 * (x86-64-v3: lzcnt, movbe, f16c) as well; older compilers do not know the levels by name.
 */
enum instruction_set instruction_set_best(void)
{
#ifdef HAVE_ISA_VARIANTS
	if (highest >= INSTRUCTION_SET_V4 && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return INSTRUCTION_SET_V4;
	if (highest >= INSTRUCTION_SET_V3 && __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	    __builtin_cpu_supports("fma"))
		return INSTRUCTION_SET_V3;
#endif
	return INSTRUCTION_SET_BASELINE;
}

const char *instruction_set_name(enum instruction_set set)
{
	static const char *const names[] = { "baseline", "x86-64-v3", "x86-64-v4" };

	return names[set];
}
