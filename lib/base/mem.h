/*
 * mem.h - memory that is checked, and that can be made to fail
 *
 * Every allocation of the library goes through here; release with free().
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
 * Never returns NULL on success, not even for n == 0.  NULL with ERR_MEMORY if n
 * is negative, n * size overflows, or the system has no more.
 */
void *mem_array(int64_t n, size_t size, struct error *err);

/* mem_zeroed() - likewise, all bytes zero */
void *mem_zeroed(int64_t n, size_t size, struct error *err);

/* mem_aligned() - likewise, all bytes zero, at a multiple of 64 bytes (a vector, a cache line) */
void *mem_aligned(int64_t n, size_t size, struct error *err);

/*
 * mem_large() - likewise, contents undefined, at a multiple of 64 bytes; for much memory of
 * which only some may be used: pages not touched cost nothing, and the system is asked for large
 * ones
 */
void *mem_large(int64_t n, size_t size, struct error *err);

/*
 * mem_grow() - make '*array' hold at least 'wanted' elements
 *
 * '*array' (NULL or from here) has '*capacity' elements; both are updated and the
 * contents kept.  Grows by half at least, so that appending is O(1) amortised; pages
 * not yet written cost nothing.  On failure -1, ERR_MEMORY, the array as it was.
 */
int mem_grow(void *array, int64_t *capacity, int64_t wanted, size_t size, struct error *err);

/* mem_shrink() - give back what lies beyond 'n' elements; cannot fail */
void mem_shrink(void *array, int64_t *capacity, int64_t n, size_t size);

/*
 * mem_check_room() - is there memory for 'bytes' more?
 *
 * For what a library is going to take that does not check its allocations.  Takes nothing: other
 * threads may be faster.  -1 with ERR_MEMORY if not, as under a limit on address space.
 */
int mem_check_room(double bytes, struct error *err);

/*
 * mem_fail_after() - let 'n' more allocations succeed and all later ones fail
 *
 * For tests; a negative n ends it.
 */
void mem_fail_after(int64_t n);

#endif
