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

struct work_scope work_scope(struct work_scope scope)
{
	struct work_scope before = own;

	own = scope;
	return before;
}

struct work_scope work_of_scope(void)
{
	return own;
}

struct work_scope work_begin(enum work_purpose purpose)
{
	struct work_scope before = own;

	if (purpose > own.purpose)
		own.purpose = purpose;
	return before;
}

static void add(atomic_llong *count, int64_t n)
{
	atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

void work_count(enum work_kind kind, int64_t n)
{
	if (own.counts)
		add(&own.counts->values[own.purpose][kind], n);
}

void work_count_entries(int64_t n)
{
	if (own.counts)
		add(&own.counts->entries, n);
}

void work_count_floor(int64_t n, int64_t n_sv, int64_t n_free, int64_t entries)
{
	if (own.counts && entries > 0)
		add(&own.counts->floor_entries, entries);
	else if (own.counts)
		add(&own.counts->floor_values, n * n_sv + n_free * n_free / 2);
}

int64_t work_of_kind(const struct work_counts *w, enum work_kind kind)
{
	int64_t n = 0;

	for (int purpose = 0; purpose < WORK_N_PURPOSES; purpose++)
		n += w->values[purpose][kind];
	return n;
}

int64_t work_floor(const struct work_counts *w)
{
	return w->floor_values + w->floor_entries;
}

double work_per_floor(const struct work_counts *w)
{
	int64_t values = work_of_kind(w, WORK_FLOATS) + work_of_kind(w, WORK_DOUBLES);
	int64_t work = (w->floor_values ? values : 0) + (w->floor_entries ? w->entries : 0);

	return (double)work / (double)work_floor(w);
}
