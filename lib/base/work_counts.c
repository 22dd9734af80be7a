/*
 * work_counts.c - the work of a training, counted
 *
 * How this works.  A training's counts are known to its threads alone, as its interruption is: each
 * has a scope of its own, and gives it to the threads that it starts (thread.c).  Threads add to the
 * same numbers, whose sums depend on no order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/work_counts.h"

static _Thread_local struct work_scope own;

struct work_scope work_begin(struct work_scope scope)
{
	struct work_scope before = own;

	own = scope;
	return before;
}

void work_end(const struct work_scope *before)
{
	own = *before;
}

struct work_scope work_for(enum work_purpose purpose)
{
	return (struct work_scope){ own.counts, purpose > own.purpose ? purpose : own.purpose };
}

void work_count(enum work_kind kind, int64_t n)
{
	if (own.counts)
		own.counts->of[own.purpose][kind] += n;
}

struct work_sums work_sums(const struct work_counts *w)
{
	struct work_sums s = { .floor = 0 };
	int64_t work = 0;

	for (int purpose = 0; purpose < WORK_N_PURPOSES; purpose++)
		for (int kind = 0; kind <= WORK_LEAST_ENTRIES; kind++)
			s.of[kind] += w->of[purpose][kind];
	if (s.of[WORK_LEAST_VALUES])
		work += s.of[WORK_FLOATS] + s.of[WORK_DOUBLES];
	if (s.of[WORK_LEAST_ENTRIES])
		work += s.of[WORK_ENTRIES];
	s.floor = s.of[WORK_LEAST_VALUES] + s.of[WORK_LEAST_ENTRIES];
	s.per_floor = (double)work / (double)s.floor;
	return s;
}
