/*
 * training.c - which parameters of training svm-train refuses
 *
 * In its order and words (svm_check_parameter() of LIBSVM 3.37), so that of two wrong parameters
 * the same one is named.  LIBSVM lets NaN and infinity pass; here the parameters that a machine has
 * must be finite, as those of a program's command line are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/training.h"

#include <math.h>
#include <stddef.h>

/* Parameters that are not finite, of those that the machine has. */
static const char *infinite_fault(const struct training *t)
{
	if (kernel_has_gamma(t->kernel.type) && !isfinite(t->kernel.gamma))
		return "gamma is not finite";
	if (kernel_has_coef0(t->kernel.type) && !isfinite(t->kernel.coef0))
		return "coef0 is not finite";
	if (!isfinite(t->cache_mb))
		return "cache_size is not finite";
	if (!isfinite(t->eps))
		return "eps is not finite";
	if (machine_has_cost(t->type) && !isfinite(t->C))
		return "C is not finite";
	if (machine_fixes_sums(t->type) && !isfinite(t->nu))
		return "nu is not finite";
	if (t->type == MACHINE_EPSILON_SVR && !isfinite(t->p))
		return "p is not finite";
	return NULL;
}

const char *training_fault(const struct training *t)
{
	const bool by_nu = machine_fixes_sums(t->type);

	if (t->type < MACHINE_C_SVC || t->type >= MACHINE_N_TYPES)
		return "unknown svm type";
	if (t->kernel.type < KERNEL_LINEAR || t->kernel.type >= KERNEL_N_TYPES)
		return "unknown kernel type";
	if (kernel_has_gamma(t->kernel.type) && t->kernel.gamma < 0)
		return "gamma < 0";
	if (t->kernel.type == KERNEL_POLYNOMIAL && t->kernel.degree < 0)
		return "degree of polynomial kernel < 0";
	if (t->cache_mb <= 0)
		return "cache_size <= 0";
	if (t->eps <= 0)
		return "eps <= 0";
	if (machine_has_cost(t->type) && t->C <= 0)
		return "C <= 0";
	if (by_nu && (t->nu <= 0 || t->nu > 1))
		return "nu <= 0 or nu > 1";
	if (t->type == MACHINE_EPSILON_SVR && t->p < 0)
		return "p < 0";
	if (t->shrinking != 0 && t->shrinking != 1)
		return "shrinking != 0 and shrinking != 1";
	if (t->probability != 0 && t->probability != 1)
		return "probability != 0 and probability != 1";
	return infinite_fault(t);
}
