/*
 * training.c - which parameters of training svm-train refuses
 *
 * In its order and words (svm_check_parameter() of LIBSVM 3.37), so that of two wrong parameters
 * the same one is named.  Conditions are those of LIBSVM, which lets NaN pass; but the tolerance must
 * be finite here: no violation would be within NaN, and no share of an infinite one is less.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/training.h"

#include <math.h>
#include <stddef.h>

static bool is_flag(int value)
{
	return value == 0 || value == 1;
}

static bool kernel_has_gamma(enum kernel_type type)
{
	return type == KERNEL_POLYNOMIAL || type == KERNEL_RBF || type == KERNEL_SIGMOID;
}

const char *training_fault(const struct training *t)
{
	const bool by_nu = machine_fixes_sums(t->type);
	const bool has_cost = t->type != MACHINE_NU_SVC && t->type != MACHINE_ONE_CLASS;

	if (t->type < MACHINE_C_SVC || t->type > MACHINE_NU_SVR)
		return "unknown svm type";
	if (t->kernel.type < KERNEL_LINEAR || t->kernel.type > KERNEL_PRECOMPUTED)
		return "unknown kernel type";
	if (kernel_has_gamma(t->kernel.type) && t->kernel.gamma < 0)
		return "gamma < 0";
	if (t->kernel.type == KERNEL_POLYNOMIAL && t->kernel.degree < 0)
		return "degree of polynomial kernel < 0";
	if (t->cache_mb <= 0)
		return "cache_size <= 0";
	if (t->eps <= 0)
		return "eps <= 0";
	if (!isfinite(t->eps))
		return "eps is not finite";
	if (has_cost && t->C <= 0)
		return "C <= 0";
	if (by_nu && (t->nu <= 0 || t->nu > 1))
		return "nu <= 0 or nu > 1";
	if (t->type == MACHINE_EPSILON_SVR && t->p < 0)
		return "p < 0";
	if (!is_flag(t->shrinking))
		return "shrinking != 0 and shrinking != 1";
	if (!is_flag(t->probability))
		return "probability != 0 and probability != 1";
	return NULL;
}
