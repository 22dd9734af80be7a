/*
 * hadamard_dispatch.c - the fast Walsh-Hadamard transform
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/hadamard.h"

#include "base/instruction_set.h"

typedef void double_function(double *, int, const int32_t *);
typedef void single_function(float *, int, const int32_t *);

#define DECLARE(suffix)                            \
	double_function hadamard_trimmed_##suffix; \
	single_function hadamard_trimmed_single_##suffix

#define CODE(suffix) { hadamard_trimmed_##suffix, hadamard_trimmed_single_##suffix }

INSTRUCTION_SET_COPIES(DECLARE);

struct code_copy {
	double_function *in_doubles;
	single_function *in_singles;
};

static const struct code_copy *best_code(void)
{
	static const struct code_copy code[] = INSTRUCTION_SET_TABLE(CODE);

	return &code[instruction_set_best()];
}

void hadamard_trimmed(double *x, int log2_n, const int32_t *wanted)
{
	best_code()->in_doubles(x, log2_n, wanted);
}

void hadamard_trimmed_single(float *x, int log2_n, const int32_t *wanted)
{
	best_code()->in_singles(x, log2_n, wanted);
}
