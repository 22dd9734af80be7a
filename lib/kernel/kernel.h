/*
 * kernel.h - LIBSVM's kernels
 *
 *     linear       K(x, z) = x.z
 *     polynomial   (gamma x.z + coef0)^degree
 *     rbf          exp(-gamma |x - z|^2); the distance is a sum over coordinates, so that K(x, x)
 *                  is 1, and K(x, z) is 0 where |x - z|^2 overflows
 *     sigmoid      tanh(gamma x.z + coef0)
 *     precomputed  entry z_0 of x: column 0 of a row holds its serial number s, and
 *                  column s of another row its kernel value with that row
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

/* Kinds of kernel, numbered as the values of option -t. */
enum kernel_type {
	KERNEL_LINEAR,
	KERNEL_POLYNOMIAL,
	KERNEL_RBF,
	KERNEL_SIGMOID,
	KERNEL_PRECOMPUTED
};

/* Number of kernel types, the length of each table of them. */
#define KERNEL_N_TYPES (KERNEL_PRECOMPUTED + 1)

struct kernel {
	enum kernel_type type;
	int degree;   /* degree of the polynomial kernel */
	double gamma; /* factor gamma of the polynomial, rbf and sigmoid kernels */
	double coef0; /* constant coef0 of the polynomial and sigmoid kernels */
};

/* kernel_has_gamma() - has the kernel a parameter gamma? */
static inline bool kernel_has_gamma(enum kernel_type type)
{
	return type == KERNEL_POLYNOMIAL || type == KERNEL_RBF || type == KERNEL_SIGMOID;
}

/* kernel_has_coef0() - has the kernel a constant coef0? */
static inline bool kernel_has_coef0(enum kernel_type type)
{
	return type == KERNEL_POLYNOMIAL || type == KERNEL_SIGMOID;
}

/*
 * kernel_is_definite() - is the kernel matrix of any data positive semidefinite?
 *
 * The sigmoid's kernel matrix mostly is not; a polynomial's is if its expansion in powers of x.z
 * has no negative coefficient.  If false, a training can have many local optima.  Not for
 * precomputed kernels.
 */
static inline bool kernel_is_definite(const struct kernel *k)
{
	if (k->type == KERNEL_POLYNOMIAL)
		return k->gamma >= 0 && k->coef0 >= 0;
	return k->type != KERNEL_SIGMOID;
}

/*
 * kernel_is_far() - is a row of this |x|^2 so far from 0 that products are too coarse for its
 * kernel?
 *
 * An rbf kernel mostly has |x - z|^2 from |x|^2 + |z|^2 - 2 x.z.  Where gamma |x|^2 is above 2^28,
 * rounding moves the exponent by some 1e-7 and more, and where |x|^2 overflows, infinity less
 * infinity is left.  False for the other kernels.
 */
static inline bool kernel_is_far(const struct kernel *k, double norm2)
{
	return k->type == KERNEL_RBF && !(k->gamma * norm2 <= 0x1p28);
}

/* kernel_diagonal() - K(x, x) from |x|^2; not for precomputed kernels */
static inline double kernel_diagonal(const struct kernel *k, double norm2)
{
	if (k->type == KERNEL_RBF)
		return 1;
	if (k->type == KERNEL_POLYNOMIAL)
		return pow(k->gamma * norm2 + k->coef0, k->degree);
	return k->type == KERNEL_SIGMOID ? tanh(k->gamma * norm2 + k->coef0) : norm2;
}
