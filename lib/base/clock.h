/*
 * clock.h - seconds of the system's clocks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <time.h>

/* clock_seconds() - since a moment of the clock's own: CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID */
static inline double clock_seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
