/*
 * mem.h - memory that is checked, and that can be made to fail
 *
 * Every allocation of the library goes through here, and is released by mem_free().  Pieces of
 * 64 KiB and more are entered in a ledger, with the source file that asked for them.  Bounds of
 * memory, what libraries take, and what the ledger adds up to are mem_bound.h's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/* Bytes of the unit that options and messages count memory in. */
#define MEGABYTE (1 << 20)

/* How a piece of memory is taken, for mem_take(). */
enum mem_kind { MEM_ARRAY, MEM_ZEROED, MEM_ALIGNED, MEM_LARGE, MEM_KEPT, MEM_RESERVED };

/* mem_take() - what the macros below call, with the source file that asks for the memory */
void *mem_take(enum mem_kind kind, const char *owner, int64_t n, size_t size, struct error *err);

/*
 * mem_array() - room for 'n' elements of 'size' bytes, contents undefined
 *
 * Never NULL on success, not even for n == 0.  NULL with ERR_MEMORY if n is negative, n * size
 * overflows, or the system has no more memory; so for all that follow.
 */
#define mem_array(n, size, err) mem_take(MEM_ARRAY, __FILE__, n, size, err)

/* mem_zeroed() - room for 'n' elements, all bytes zero */
#define mem_zeroed(n, size, err) mem_take(MEM_ZEROED, __FILE__, n, size, err)

/* mem_aligned() - mem_zeroed() at a multiple of 64 bytes (a vector, a cache line) */
#define mem_aligned(n, size, err) mem_take(MEM_ALIGNED, __FILE__, n, size, err)

/*
 * mem_large() - room for 'n' elements at a multiple of 64 bytes, contents undefined
 *
 * For large arrays, of which perhaps only a part is used: pages that are not written take no
 * memory, and the system is asked for pages of 2 MiB.
 */
#define mem_large(n, size, err) mem_take(MEM_LARGE, __FILE__, n, size, err)

/*
 * mem_keep() - mem_large() that is never in a file; it counts as one of mem_reserve() (mem_bound.h)
 *
 * For matrices that BLAS and LAPACK pass through again and again: each time all of a file would
 * come into memory, faster than its pages are dropped.  Where memory is bounded and has no room,
 * NULL with ERR_ARGUMENT, whose text says which bound would do.
 */
#define mem_keep(n, size, err) mem_take(MEM_KEPT, __FILE__, n, size, err)

/*
 * mem_copy() - mem_array() with a copy of n elements; where 'from' is NULL, NULL without an error
 */
#define mem_copy(from, n, size, err) mem_copy_for(__FILE__, from, n, size, err)
void *mem_copy_for(const char *owner, const void *from, int64_t n, size_t size, struct error *err);

/*
 * mem_grow() - make '*array' hold at least 'wanted' elements
 *
 * '*array' (NULL or from here) has room for '*capacity' elements; both are updated and the
 * contents kept, an alignment is not.  Grows by half at least, so that appending is O(1)
 * amortised.  -1 with ERR_MEMORY on failure, the array being as it was.
 */
#define mem_grow(array, capacity, wanted, size, err) \
	mem_grow_for(__FILE__, array, capacity, wanted, size, err)
int mem_grow_for(const char *owner, void *array, int64_t *capacity, int64_t wanted, size_t size,
		 struct error *err);

/* mem_shrink() - give back the room beyond 'n' elements; cannot fail */
#define mem_shrink(array, capacity, n, size) mem_shrink_for(__FILE__, array, capacity, n, size)
void mem_shrink_for(const char *owner, void *array, int64_t *capacity, int64_t n, size_t size);

/* mem_free() - give back what one of these functions gave, or malloc(); NULL is fine */
void mem_free(void *p);

/* mem_free_all() - mem_free() of several pointers, in this order */
#define mem_free_all(...) \
	mem_free_list((void *[]){ __VA_ARGS__ }, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_list(void *const *list, size_t n);
