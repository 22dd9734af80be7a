/*
 * mem_ledger.h - which large pieces of memory the process holds, how many bytes, and for whom
 *
 * For mem.c, which enters every piece of LEDGER_LEAST bytes or more; mem_use() and mem_usage() of
 * mem_bound.h are the ledger's, too.  Threads may call these functions at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem_bound.h"

/* Bytes of the smallest piece entered; smaller pieces are many, and small in total. */
#define LEDGER_LEAST ((size_t)64 << 10)

/* A piece of memory.  The name of its owner is borrowed: a literal. */
struct ledger_entry {
	void *memory;
	void *piece;  /* memory of malloc() that it is a part of; not of a file */
	size_t bytes; /* bytes counted */
	const char *owner;
	bool is_reserved; /* room of mem_reserve() that counts whole, as memory is bounded */
	bool is_file;	  /* a mapping of a file, of all the bytes; see mem_spill.h */
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

/* ledger_memory() - counted bytes outside files; O(1), without a lock */
int64_t ledger_memory(void);

/* ledger_reserved() - counted bytes of pieces with is_reserved; O(1), without a lock */
int64_t ledger_reserved(void);

/* ledger_drop_pages() - let go of the pages in memory of all pieces that are files */
void ledger_drop_pages(void);
