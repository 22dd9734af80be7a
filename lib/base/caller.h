/*
 * caller.h - what a function of a public library changes in its caller's thread, and puts back
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <fenv.h>

#include "base/interruption.h"
#include "base/work_counts.h"

struct caller {
	fenv_t arithmetic; /* exceptions that trap, and those that were raised */
	const struct interruption *scope;
};

/*
 * FROM_CALLER - first declaration of a public function: until it returns no exception of arithmetic
 * traps, here and in threads that begin here, and no scope of interruption or of counts holds
 *
 * Infinities and NANs are results of the engine, and of LAPACK's look at the machine.  If a callback
 * jumps out of the function, the scope that it leaves behind is of no call that comes after; memory
 * and locks of the function stay taken.
 */
#define FROM_CALLER                                                                  \
	struct caller from_caller __attribute__((cleanup(caller_restore), unused)) = \
		caller_leave();                                                      \
	WORK_SCOPE(((struct work_scope){ .counts = NULL }))

static inline struct caller caller_leave(void)
{
	struct caller c = { .scope = interruption_scope(NULL) };

	feholdexcept(&c.arithmetic);
	return c;
}

static inline void caller_restore(const struct caller *c)
{
	fesetenv(&c->arithmetic);
	interruption_scope(c->scope);
}
