/*
 * mem_spill.h - the ledger of large pieces of memory, and arrays in files, for mem.c and thread.c
 *
 * What mem_set_bound() of mem_bound.h arranges.  Threads may call these functions at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/mem_bound.h"

/*
 * The ledger has which large pieces of memory the process holds, how many bytes, and for whom.
 * mem.c enters every piece of LEDGER_LEAST bytes or more; mem_use() and mem_usage() of mem_bound.h
 * are the ledger's, too.
 */

/* Bytes of the smallest piece entered; smaller pieces are many, and small in total. */
#define LEDGER_LEAST ((size_t)64 << 10)

/* large page of x86-64 and most other machines */
#define LARGE_PAGE ((size_t)2 << 20)

/* A piece of memory.  The name of its owner is borrowed: a literal. */
struct ledger_entry {
	void *memory;
	void *piece;  /* memory of malloc() that it is a part of; not of a file */
	size_t bytes; /* bytes counted */
	const char *owner;
	bool is_reserved; /* room of mem_reserve() that counts whole, as memory is bounded */
	bool is_file;	  /* a mapping of a file, of all the bytes; see spill_take() */
	int fd;		  /* descriptor of the piece's file */
};

/*
 * ledger_add() - enter a piece of memory
 *
 * One that is entered already at the same address is forgotten first: it was released by free(3).
 * O(1), and O(owners) where the sum is the largest so far.  Returns 0, or -1 with ERR_MEMORY.
 */
int ledger_add(const struct ledger_entry *entry, struct error *err);

/*
 * ledger_remove() - take the piece that begins at 'memory' out, into '*entry'; false if there is
 * none
 *
 * Call it before the memory is released: another thread may get the address at once.  Costs no
 * lock for most addresses that were never entered.
 */
bool ledger_remove(const void *memory, struct ledger_entry *entry);

/* ledger_drop_pages() - let go of the pages in memory of all pieces that are files */
void ledger_drop_pages(void);

/*
 * spill_look() - drop pages of files if the bound is near; between the tasks of parallel loops
 *
 * Some 20 ns, mostly.
 */
void spill_look(void);

/*
 * spill_wanted() - does a new array of so many bytes belong into a file?
 *
 * If 'is_held', what mem_hold_back() says is for such arrays.
 */
bool spill_wanted(size_t bytes, bool is_held);

/*
 * spill_check_kept() - may an array of so many bytes be taken that must not be in a file?
 *
 * 0, or -1 with ERR_ARGUMENT that says which bound would do.
 */
int spill_check_kept(size_t bytes, struct error *err);

/*
 * spill_take() - map a new file of so many bytes, all 0, as the piece '*entry', whose owner is set
 *
 * The folder has all the room before this returns: writing to the piece cannot fail.  Returns 0, or
 * -1 with ERR_IO naming the folder and the bytes.
 */
int spill_take(struct ledger_entry *entry, size_t bytes, struct error *err);

/*
 * spill_resize() - the piece gets so many bytes, and may move; -1 with ERR_IO, and it is as it was
 */
int spill_resize(struct ledger_entry *entry, size_t bytes, struct error *err);

/* spill_release() - unmap the piece; a file of spill_take() is gone with it */
void spill_release(const struct ledger_entry *entry);
