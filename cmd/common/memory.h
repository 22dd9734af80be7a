/*
 * memory.h - memory that stays with the process, and what took memory
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/mem_bound.h"

/* memory_tell() - print on standard error the most memory so far, and its largest owners */
void memory_tell(void);

/* memory_usage() - result of mem_usage(), with the largest owners first */
struct mem_usage memory_usage(void);

/*
 * memory_give_back() - give freed blocks of 'size' bytes back to the system, and others where they are
 * 'total' bytes at the end of the heap
 */
void memory_give_back(int size, int total);

/*
 * memory_keep() - let blocks of up to 32 MB stay with the process when they are freed
 *
 * malloc() gives large blocks back to the system at once, which clears them when they are asked
 * for again.  Each pair of classes asks for the same sizes; 32 MB is the most that
 * M_MMAP_THRESHOLD may be.  Not before the data are read: arrays that grow would leave what they
 * were in behind, 60 MB, where the system's are moved without a copy.  Nothing is done under
 * --memory.
 */
void memory_keep(void);
