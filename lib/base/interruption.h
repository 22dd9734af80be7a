/*
 * interruption.h - a request of the caller to end long work before it is done
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/*
 * struct interruption - asked from time to time, on the thread that works
 *
 * Once requested(arg) returns true it keeps returning true.
 */
struct interruption {
	bool (*requested)(void *arg);
	void *arg;
	/* until requested() will return true, or INFINITY; NULL: not known */
	double (*seconds_left)(void *arg);
};

/* interruption_requested() - 'i' may be NULL: never */
static inline bool interruption_requested(const struct interruption *i)
{
	return i && i->requested(i->arg);
}

/* interruption_seconds_left() - seconds until the deadline; INFINITY if unknown */
static inline double interruption_seconds_left(const struct interruption *i)
{
	return i && i->seconds_left ? i->seconds_left(i->arg) : INFINITY;
}

/*
 * interruption_scope() - what ends the work that this thread begins from now on, and that of the
 * threads it starts; NULL: nothing
 *
 * For work whose result is of no use unless it is complete: choices of features, maps, predictions,
 * certificates, files.  Training, whose solution so far is a result, has its solver's interruption.
 * 'i' is borrowed.  Returns the one before, to be put back.
 *
 * interruption_of_scope() - the one of this thread; NULL: none
 * interruption_check() - -1 with ERR_INTERRUPTED if it is requested.  Pipelines and ordered loops
 * (thread.h) ask it before each piece; other long loops once in a step that takes long.
 */
const struct interruption *interruption_scope(const struct interruption *i);
const struct interruption *interruption_of_scope(void);
int interruption_check(struct error *err);

/*
 * struct earlier_end - an interruption that comes 'reserve' seconds before the caller's
 *
 * For a part of the work, after which other parts need the reserve.  'reserve' may change; but once
 * the end was requested it stays so.
 */
struct earlier_end {
	/* interruption to pass on; its 'arg' is this struct, which must not move */
	struct interruption own;
	const struct interruption *caller;
	double reserve;
	bool requested;
};

/*
 * earlier_end_share() - the end of one of several parts of the work, which gets its share of the
 * time
 *
 * 'share' is that of the part in all that is not begun.  What a part does not use is for later
 * ones.
 */
void earlier_end_share(struct earlier_end *e, const struct interruption *caller, double share);

/* earlier_end_init() - 'caller', which may be NULL, is borrowed */
void earlier_end_init(struct earlier_end *e, const struct interruption *caller, double reserve);
