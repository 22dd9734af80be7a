/*
 * smo_loops.h - the loops of sequential minimal optimisation, vectorised
 *
 * Example i of a subproblem has a slope g_i = y_i - f_i and two offsets:
 *
 *     up_i   = g_i + up_offset_i      what the dual gains by raising beta_i
 *     down_i = g_i + down_offset_i    what it loses by lowering beta_i
 *
 * up_offset_i = -inf where beta_i is at its upper bound, down_offset_i = +inf where it is at its
 * lower one; else they are -epsilon or +epsilon.  Arrays are aligned to 64 bytes and padded to a
 * multiple of SMO_LANES; the padding has the infinite offsets.  Kernel rows are aligned and padded
 * in the same way, with any finite numbers; their values are doubles where 'in_doubles' is set, else
 * floats.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"
#include "base/instruction_set.h"

#define SMO_LANES 16

/* The least curvature of a step: kernels need not be positive definite. */
#define SMO_MIN_CURVATURE 1e-12

struct smo_arrays {
	int64_t n; /* number of members, padded to a multiple of SMO_LANES */
	double *slope, *up_offset, *down_offset;
	bool in_doubles; /* kernel rows are doubles, not floats */
	/* comparison of partners is in doubles; where 'in_doubles' is set it always is */
	bool exact;
	float *diagonal; /* diagonal K_ii as floats, to compare with rows of floats */
	/* diagonal K_ii as doubles, to compare with rows of doubles, and for steps */
	double *double_diagonal;
};

/* smo_row_value() - K_ij from row i */
static inline double smo_row_value(const struct smo_arrays *a, const void *row, int64_t j)
{
	return a->in_doubles ? ((const double *)row)[j] : ((const float *)row)[j];
}

/*
 * smo_finite_row() - stands for a kernel row in a change of 0: equally long and precise, and finite
 */
static inline const void *smo_finite_row(const struct smo_arrays *a)
{
	return a->in_doubles ? (const void *)a->double_diagonal : a->diagonal;
}

/* The largest up, with the highest index that has it, and the smallest down. */
struct smo_extremes {
	double up, down;
	int64_t up_index;
};

/*
 * smo_step() - slope_k -= change_i row_i[k] + change_j row_j[k] for all k, and the extremes
 * after it
 *
 * One pass over memory.  Changes of 0 leave the slopes and find the extremes.
 */
HOT_LOOP(void, smo_step,
	 (const struct smo_arrays *a, double change_i, const void *row_i, double change_j,
	  const void *row_j, struct smo_extremes *found),
	 (a, change_i, row_i, change_j, row_j, found))

/*
 * smo_choose_partner() - the j with down_j < up_i that promises most together with i
 *
 *     argmax_j (up_i - down_j)^2 / max(K_ii + K_jj - 2 K_ij, SMO_MIN_CURVATURE)
 *
 * row[j] = K_ij.  Values are compared in doubles if a->in_doubles or a->exact is set, else in
 * floats; of equal ones the highest index wins.  Returns -1 if there is no such j.
 *
 * Source: Fan, Chen, Lin 2005, J. Mach. Learn. Res. 6, working set selection 2.
 */
HOT_LOOP(int64_t, smo_choose_partner,
	 (const struct smo_arrays *a, int64_t i, double up_i, const void *row), (a, i, up_i, row))
