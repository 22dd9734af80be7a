/*
 * memory.h - what took memory, told at the end of a run
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MEMORY_H
#define RANDSVM_MEMORY_H

#include "base/mem.h"

/* memory_tell() - print on standard error the most memory so far, and its largest owners */
void memory_tell(void);

/* memory_usage() - result of mem_usage(), with the largest owners first */
struct mem_usage memory_usage(void);

#endif
