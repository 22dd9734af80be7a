/*
 * progress_observer.h - reports of how far a long piece of work has come
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

/*
 * struct progress_observer - report() is called now and then, by one thread at a time
 *
 * 'done' of 'total' units of work are over; the function that takes the observer says which units.
 * In a zeroed struct there is no report() to call.
 */
struct progress_observer {
	void (*report)(void *arg, int64_t done, int64_t total);
	void *arg;
};

/* progress_observer_tell() - call report(), if there is an observer and it has one */
static inline void progress_observer_tell(const struct progress_observer *observer, int64_t done,
					  int64_t total)
{
	if (observer && observer->report)
		observer->report(observer->arg, done, total);
}
