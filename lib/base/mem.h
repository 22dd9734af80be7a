/*
 * mem.h - memory that is checked, and that can be made to fail
 *
 * Every allocation of the library goes through here, and is released by mem_free().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MEM_H
#define RANDSVM_MEM_H

#include <stdint.h>
#include <stddef.h>

#include "base/error.h"

/*
 * mem_array() - room for 'n' elements of 'size' bytes, contents undefined
 *
 * Never NULL on success, not even for n == 0.  NULL with ERR_MEMORY if n is negative, n * size
 * overflows, or the system has no more memory; so for the next three functions.
 */
void *mem_array(int64_t n, size_t size, struct error *err);

/* mem_zeroed() - room for 'n' elements, all bytes zero */
void *mem_zeroed(int64_t n, size_t size, struct error *err);

/* mem_aligned() - the same at a multiple of 64 bytes (a vector, a cache line) */
void *mem_aligned(int64_t n, size_t size, struct error *err);

/*
 * mem_large() - room for 'n' elements at a multiple of 64 bytes, contents undefined
 *
 * For large arrays, of which perhaps only a part is used: pages that are not written take no
 * memory, and the system is asked for pages of 2 MiB.
 */
void *mem_large(int64_t n, size_t size, struct error *err);

/*
 * mem_grow() - make '*array' hold at least 'wanted' elements
 *
 * '*array' (NULL or from here) has room for '*capacity' elements; both are updated and the
 * contents kept, an alignment is not.  Grows by half at least, so that appending is O(1)
 * amortised.  -1 with ERR_MEMORY on failure, the array being as it was.
 */
int mem_grow(void *array, int64_t *capacity, int64_t wanted, size_t size, struct error *err);

/* mem_shrink() - give back the room beyond 'n' elements; cannot fail */
void mem_shrink(void *array, int64_t *capacity, int64_t n, size_t size);

/* mem_free() - give back what one of these functions gave, or malloc(); NULL is fine */
void mem_free(void *p);

/*
 * mem_check_room() - does the process have address space for 'bytes' more?
 *
 * To call before a library that does not check its own allocations.  Nothing is reserved: another
 * thread may take the memory before the library does.  0 if there is room, -1 with ERR_MEMORY if
 * not (as under ulimit -v).
 */
int mem_check_room(double bytes, struct error *err);

/*
 * mem_fail_after() - let 'n' more allocations succeed and all later ones fail
 *
 * For tests; counts the allocations of all threads.  A negative n ends it.
 */
void mem_fail_after(int64_t n);

#endif
