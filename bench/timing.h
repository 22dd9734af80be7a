/*
 * timing.h - what the programs that time a part of the library share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_TIMING_H
#define RANDSVM_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"

/* seconds() - the clock in seconds, such as CLOCK_THREAD_CPUTIME_ID */
static inline double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* stop_on() - end the program with the text of a failure, if there was one */
static inline void stop_on(const struct error *err)
{
	if (err->code == ERR_NONE)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

#endif
