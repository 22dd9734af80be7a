/*
 * interruption.c - an interruption that comes some seconds before another
 *
 * How this works.  An earlier_end is an interruption that wraps the caller's: its time left is the
 * caller's less a reserve, and it is requested once the caller's is or no time is left.  A request
 * stays (requested() remembers it), as an engine that has begun to end must not be told to go on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/interruption.h"

static _Thread_local const struct interruption *scope;

const struct interruption *interruption_scope(const struct interruption *i)
{
	const struct interruption *before = scope;

	scope = i;
	return before;
}

const struct interruption *interruption_of_scope(void)
{
	return scope;
}

int interruption_check(struct error *err)
{
	return interruption_requested(scope) ? error_set(err, ERR_INTERRUPTED, "interrupted") : 0;
}

/* The caller's seconds left, less the reserve; infinite where the caller has no end. */
static double seconds_left(void *arg)
{
	const struct earlier_end *e = arg;

	return interruption_seconds_left(e->caller) - e->reserve;
}

/* A function for interruption_requested(): true from the first time on. */
static bool requested(void *arg)
{
	struct earlier_end *e = arg;

	if (!e->requested)
		e->requested = interruption_requested(e->caller) || seconds_left(arg) <= 0;
	return e->requested;
}

void earlier_end_share(struct earlier_end *e, const struct interruption *caller, double share)
{
	double left = interruption_seconds_left(caller);

	earlier_end_init(e, caller, isfinite(left) ? fmax(left * (1 - fmin(share, 1)), 0) : 0);
}

void earlier_end_init(struct earlier_end *e, const struct interruption *caller, double reserve)
{
	*e = (struct earlier_end){ .own = { requested, e, seconds_left },
				   .caller = caller,
				   .reserve = reserve };
}
