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

const char *training_fault(const struct training *t)
{
	const struct kernel *k = &t->kernel;
	const bool has_gamma = kernel_has_gamma(k->type), has_C = machine_has_cost(t->type);
	const bool has_nu = machine_fixes_sums(t->type), has_p = t->type == MACHINE_EPSILON_SVR;
	const struct {
		bool is_found;
		const char *words;
	} fault[] = {
		{ t->type < MACHINE_C_SVC || t->type >= MACHINE_N_TYPES, "unknown svm type" },
		{ k->type < KERNEL_LINEAR || k->type >= KERNEL_N_TYPES, "unknown kernel type" },
		{ has_gamma && k->gamma < 0, "gamma < 0" },
		{ k->type == KERNEL_POLYNOMIAL && k->degree < 0,
		  "degree of polynomial kernel < 0" },
		{ t->cache_mb <= 0, "cache_size <= 0" },
		{ t->eps <= 0, "eps <= 0" },
		{ has_C && t->C <= 0, "C <= 0" },
		{ has_nu && (t->nu <= 0 || t->nu > 1), "nu <= 0 or nu > 1" },
		{ has_p && t->p < 0, "p < 0" },
		{ t->shrinking != 0 && t->shrinking != 1, "shrinking != 0 and shrinking != 1" },
		{ t->probability != 0 && t->probability != 1,
		  "probability != 0 and probability != 1" },
		{ has_gamma && !isfinite(k->gamma), "gamma is not finite" },
		{ kernel_has_coef0(k->type) && !isfinite(k->coef0), "coef0 is not finite" },
		{ !isfinite(t->cache_mb), "cache_size is not finite" },
		{ !isfinite(t->eps), "eps is not finite" },
		{ has_C && !isfinite(t->C), "C is not finite" },
		{ has_nu && !isfinite(t->nu), "nu is not finite" },
		{ has_p && !isfinite(t->p), "p is not finite" },
	};

	for (size_t i = 0; i < sizeof(fault) / sizeof(*fault); i++)
		if (fault[i].is_found)
			return fault[i].words;
	return NULL;
}
