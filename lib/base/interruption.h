/*
 * interruption.h - a request of the caller to end long work before it is done
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_INTERRUPTION_H
#define RANDSVM_INTERRUPTION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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
 * struct earlier_end - an interruption that comes 'reserve' seconds before the caller's
 *
 * For a part of the work, after which other parts need the reserve.  'reserve' may change; but once
 * the end was requested it stays so.
 */
struct earlier_end {
	struct interruption
		own; /* interruption to pass on; its 'arg' is this struct, which must not move */
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

#endif
