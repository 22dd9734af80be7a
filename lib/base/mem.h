/*
 * mem.h - memory that is checked, and that can be made to fail
 *
 * Every allocation of the library goes through here, and is released by mem_free().  Pieces of
 * 64 KiB and more are entered in a ledger, with the source file that asked for them; mem_usage()
 * tells what it adds up to.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MEM_H
#define RANDSVM_MEM_H

#include <stdint.h>
#include <stddef.h>

#include "base/error.h"

/* Bytes of the unit that options and messages count memory in. */
#define MEGABYTE (1 << 20)

/*
 * mem_array() - room for 'n' elements of 'size' bytes, contents undefined
 *
 * Never NULL on success, not even for n == 0.  NULL with ERR_MEMORY if n is negative, n * size
 * overflows, or the system has no more memory; so for the next three functions.
 */
void *mem_array(int64_t n, size_t size, struct error *err);

/* mem_zeroed() - room for 'n' elements, all bytes zero */
void *mem_zeroed(int64_t n, size_t size, struct error *err);

/* mem_aligned() - mem_zeroed() at a multiple of 64 bytes (a vector, a cache line) */
void *mem_aligned(int64_t n, size_t size, struct error *err);

/*
 * mem_large() - room for 'n' elements at a multiple of 64 bytes, contents undefined
 *
 * For large arrays, of which perhaps only a part is used: pages that are not written take no
 * memory, and the system is asked for pages of 2 MiB.
 */
void *mem_large(int64_t n, size_t size, struct error *err);

/*
 * mem_reserve() - mem_large() of which the ledger counts only what mem_use() says, but all of it
 * where memory is bounded; and for which mem_hold_back() keeps memory
 *
 * mem_use() - the first 'bytes' of a reserved piece are in use; fewer than before is ignored
 *
 * For room of which a small part may do, such as a kernel cache.
 */
#define mem_reserve(n, size, err) mem_reserve_for(__FILE__, n, size, err)
void *mem_reserve_for(const char *owner, int64_t n, size_t size, struct error *err);
void mem_use(void *p, size_t bytes);

/*
 * mem_keep() - mem_large() that is never in a file; it counts as one of mem_reserve()
 *
 * For matrices that BLAS and LAPACK pass through again and again: each time all of a file would
 * come into memory, faster than its pages are dropped.  Where memory is bounded and has no room,
 * NULL with ERR_ARGUMENT, whose text says which bound would do.
 */
#define mem_keep(n, size, err) mem_keep_for(__FILE__, n, size, err)
void *mem_keep_for(const char *owner, int64_t n, size_t size, struct error *err);

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

/*
 * mem_give_back() - what was freed in small pieces goes back to the system, where it can
 *
 * To call after a library that frees very many of them.  Some milliseconds for each 100 MB.
 */
void mem_give_back(void);

/*
 * mem_check_room() - does the process have address space for 'bytes' more?
 *
 * To call before a library that does not check its own allocations.  Nothing is reserved: another
 * thread may take the memory before the library does.  0 if there is room, -1 with ERR_MEMORY if
 * not (as under ulimit -v).
 */
int mem_check_room(double bytes, struct error *err);

/*
 * mem_check_bound() - may a library allocate 'bytes' more, where memory is bounded?
 *
 * What a library allocates cannot be in files.  0, or -1 with ERR_ARGUMENT as mem_keep() has it.
 */
int mem_check_bound(double bytes, struct error *err);

/*
 * mem_limit() - bytes of memory this process may use
 *
 * The least of the machine's memory, ulimit -v and the limit of the control group (containers).
 */
int64_t mem_limit(void);

/*
 * mem_fail_after() - let 'n' more allocations succeed and all later ones fail
 *
 * For tests; counts the allocations of all threads.  A negative n ends it.
 */
void mem_fail_after(int64_t n);

/* The most files that are told apart; the last place counts all others together. */
#define MEM_OWNERS 128

/* Bytes of the large pieces that a source file asked for. */
struct mem_owner {
	char name[48]; /* "kernel/float_vectors" for lib/kernel/float_vectors.c */
	int64_t now, at_peak;
};

/*
 * mem_set_bound() - keep the resident size of the process near 'bytes'; 0: no bound
 *
 * From now on large arrays that memory has no room for are in files without names in the folder:
 * plain pointers nevertheless, and the same results; see mem_spill.c.  At first half of the bound
 * is held back for mem_reserve(); see mem_hold_back().  'advice', what to do where the folder does
 * not serve, ends the messages of its errors, and is borrowed.  Returns 0, or -1 with ERR_IO or
 * ERR_MEMORY, or with ERR_ARGUMENT where the system has no such files.  One thread calls it, while
 * there is one.
 */
int mem_set_bound(int64_t bytes, const char *folder, const char *advice, struct error *err);

/* mem_bound(), mem_folder() - the bound, or 0; the folder of its files, or "" */
int64_t mem_bound(void);
const char *mem_folder(void);

/*
 * mem_room() - how many more bytes may be in memory, but for small pieces; INT64_MAX without a
 * bound
 */
int64_t mem_room(void);

/* mem_hold_back() - keep so many bytes for mem_reserve(), of those taken and those to come */
void mem_hold_back(int64_t bytes);

/* mem_least_bound() - the bound that has room for so many bytes that are never in a file */
int64_t mem_least_bound(int64_t bytes);

/* Bytes of all large pieces, now and when they were most, and whose they are. */
struct mem_usage {
	int64_t now, peak; /* bytes in memory now, and their maximum so far */
	int64_t in_files, files_peak;
	int n_owners;
	struct mem_owner owner[MEM_OWNERS];
};

/* mem_usage() - the bytes that the ledger counts */
void mem_usage(struct mem_usage *usage);

/*
 * The functions that allocate, with the source file that asks: a call of mem_array() is one of
 * mem_array_for().  The functions of the shorter names are there for pointers to them.
 */
void *mem_array_for(const char *owner, int64_t n, size_t size, struct error *err);
void *mem_zeroed_for(const char *owner, int64_t n, size_t size, struct error *err);
void *mem_aligned_for(const char *owner, int64_t n, size_t size, struct error *err);
void *mem_large_for(const char *owner, int64_t n, size_t size, struct error *err);

#define mem_array(n, size, err) mem_array_for(__FILE__, n, size, err)
#define mem_zeroed(n, size, err) mem_zeroed_for(__FILE__, n, size, err)
#define mem_aligned(n, size, err) mem_aligned_for(__FILE__, n, size, err)
#define mem_large(n, size, err) mem_large_for(__FILE__, n, size, err)

#endif
