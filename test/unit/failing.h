/*
 * failing.h - every allocation of a call made to fail in turn
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FAILING_H
#define RANDSVM_FAILING_H

#include <inttypes.h>

#include "base/mem_bound.h"
#include "unit.h"

/*
 * fail_each_allocation() - run with 0, 1, 2, ... allocations granted, until it succeeds
 *
 * run(arg, err) returns 0, or -1 and leaves nothing behind; each of its failures must be
 * ERR_MEMORY.  (What a failure does leave allocated is the leak checker's to find.)  Returns how
 * many allocations success took.
 */
static inline int64_t fail_each_allocation(const char *what,
					   int (*run)(void *arg, struct error *err), void *arg)
{
	for (int64_t n = 0;; n++) {
		struct error err = { 0 };
		int ret;

		mem_fail_after(n);
		ret = run(arg, &err);
		mem_fail_after(-1);
		CHECK(ret == 0 ? err.code == ERR_NONE : err.code == ERR_MEMORY,
		      "%s, %" PRId64 " allocations: %d, code %d, '%s'", what, n, ret, err.code,
		      err.text);
		if (ret == 0 || err.code != ERR_MEMORY)
			return n;
	}
}

#endif
