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

void work_count_floor(int64_t values, int64_t entries)
{
	if (!own.counts)
		return;
	own.counts->least_values += values;
	own.counts->least_entries += entries;
}

int64_t work_of_kind(const struct work_counts *w, enum work_kind kind)
{
	int64_t n = 0;

	for (int purpose = 0; purpose < WORK_N_PURPOSES; purpose++)
		n += w->of[purpose][kind];
	return n;
}

int64_t work_floor(const struct work_counts *w)
{
	return w->least_values + w->least_entries;
}

double work_per_floor(const struct work_counts *w)
{
	int64_t values = work_of_kind(w, WORK_FLOATS) + work_of_kind(w, WORK_DOUBLES);
	int64_t entries = work_of_kind(w, WORK_ENTRIES);

	return (double)((w->least_values ? values : 0) + (w->least_entries ? entries : 0)) /
	       (double)work_floor(w);
}
