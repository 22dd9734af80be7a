/*
 * linear_dispatch.c - the best copy of linear_loops.c for this machine
 *
 * How this works.  linear_loops.c is compiled once for each instruction set, each copy with names
 * of its own.  HOT_LOOP() makes of each function one that calls the copy of the instruction set in
 * use (base/instruction_set.h); the arguments are passed on as they are.  All copies give the same
 * bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "linear/linear_loops.h"

HOT_LOOP(void, linear_slope_at,
	 (const struct linear_arrays *a, int64_t first, int64_t last, double t,
	  struct linear_slope *slope),
	 (a, first, last, t, slope))

HOT_LOOP(void, linear_update_prox,
	 (const struct linear_arrays *a, int64_t first, int64_t last, int64_t *changed, double *old,
	  struct linear_change *change),
	 (a, first, last, changed, old, change))

HOT_LOOP(void, linear_measure,
	 (const struct linear_arrays *a, const double *beta, const double *residual, double b,
	  double epsilon, struct linear_state *state),
	 (a, beta, residual, b, epsilon, state))

HOT_LOOP(int64_t, linear_list_free,
	 (const double *prox, const double *lower, const double *upper, int64_t first, int64_t last,
	  int64_t *list),
	 (prox, lower, upper, first, last, list))

HOT_LOOP(void, linear_multiply,
	 (const struct linear_rows *x, const int64_t *list, int64_t first, int64_t last,
	  const double *w, double b, double *out),
	 (x, list, first, last, w, b, out))

HOT_LOOP(void, linear_accumulate,
	 (const struct linear_rows *x, const int64_t *list, int64_t first, int64_t last,
	  const double *c, double *w),
	 (x, list, first, last, c, w))
