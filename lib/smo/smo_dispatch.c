/*
 * smo_dispatch.c - the best copy of smo_loops.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "smo/smo_loops.h"

HOT_LOOP(int64_t, smo_choose_partner,
	 (const struct smo_arrays *a, int64_t i, double up_i, const void *row), (a, i, up_i, row))

HOT_LOOP(void, smo_step,
	 (const struct smo_arrays *a, double change_i, const void *row_i, double change_j,
	  const void *row_j, struct smo_extremes *found),
	 (a, change_i, row_i, change_j, row_j, found))
