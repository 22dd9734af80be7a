/*
 * require.h - a condition that every input of a target must meet
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_REQUIRE_H
#define RANDSVM_REQUIRE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition) ((condition) ? (void)0 : require_fail(__FILE__, __LINE__, #condition))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
	abort();
}

#endif
