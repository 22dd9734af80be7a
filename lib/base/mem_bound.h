/*
 * mem_bound.h - a bound of memory, what is left below it, and what the ledger counts
 *
 * For programs, which set the bound, and for the few places that choose how much to take; who
 * wants an array calls mem.h's functions, and need not know whether there is a bound.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/mem.h"

/*
 * mem_reserve() - mem_large() of which the ledger counts only what mem_use() says, but all of it
 * where memory is bounded; and for which mem_hold_back() keeps memory
 *
 * mem_use() - the first 'bytes' of a reserved piece are in use; fewer than before is ignored
 *
 * For room of which a small part may do, such as a kernel cache.
 */
#define mem_reserve(n, size, err) mem_take(MEM_RESERVED, __FILE__, n, size, err)
void mem_use(const void *p, size_t bytes);

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
 * ERR_MEMORY.  One thread calls it, while there is one.
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
