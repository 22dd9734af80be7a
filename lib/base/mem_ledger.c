/*
 * mem_ledger.c - which large pieces of memory the process holds, how many bytes, and for whom
 *
 * How this works.  Entries are in a hash table by address, open addressing with linear steps, at
 * most half full.  An entry that leaves is followed by a shift: each later entry of the same run
 * moves into the hole unless its home is behind it (1), so there are no marks of what was deleted.
 *
 * Most calls of mem_free() are for small pieces.  'entered' counts the entries of each of 4096
 * classes of addresses; an address whose class is empty has no entry, and needs no lock (2).  The
 * thread that releases a piece has it from the thread that made it, so it sees the count.
 *
 * Whenever the sum of all entries is larger than ever, the bytes of each owner are copied (3).
 *
 * A table of eight slots with four entries, three of them in one run (h is the slot that hash()
 * gives):
 *
 *      slot     0    1    2    3    4    5    6    7
 *      memory   -    A    B    C    -    -    D    -       h(A) = h(B) = 1, h(C) = 3
 *
 * Taking out A leaves a hole in slot 1.  B may move there, since its home is 1; then slot 2 is the
 * hole, C must not move in front of its home 3, and the empty slot 4 ends the run.
 *
 * The table is from calloc(): mem.c would call the ledger again, whose lock is held.  Totals that
 * others ask for often are atomics besides, which need no lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem_ledger.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arithmetic.h"

#define N_CLASSES 4096
#define FIRST_SLOTS 256 /* first number of slots; all are powers of two */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint entered[N_CLASSES];
static atomic_llong in_memory; /* bytes counted, equal to usage.now */
static atomic_llong reserved;  /* bytes of entries with is_reserved */

/* All below belongs to the lock. */
static struct {
	struct ledger_entry *slot; /* memory is NULL where a slot is empty */
	size_t n_slots, n;
	const char
		*owner_file[MEM_OWNERS]; /* file names for usage.owner, as ledger_add() was told */
	struct mem_usage usage;
} ledger;

/* The multiplier is 2^64 divided by the golden ratio; the upper 32 bits of the product are even. */
static size_t hash(const void *memory)
{
	return (size_t)(((uint64_t)(uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/*
 * The slot that holds the address, or the empty one where it would be; an eighth of the slots at
 * least are empty, so the search ends
 */
static size_t find_slot(const void *memory)
{
	size_t i = hash(memory) & (ledger.n_slots - 1);

	while (ledger.slot[i].memory && ledger.slot[i].memory != memory)
		i = (i + 1) & (ledger.n_slots - 1);
	return i;
}

/* Room for one more entry. */
static int make_room(struct error *err)
{
	struct ledger_entry *old = ledger.slot;
	size_t n_old = ledger.n_slots, n = n_old ? 2 * n_old : FIRST_SLOTS;

	if (2 * (ledger.n + 1) <= n_old)
		return 0;
	ledger.slot = calloc(n, sizeof(*ledger.slot));
	if (!ledger.slot) {
		ledger.slot = old;
		/* without memory for a larger table the old one may fill to seven eighths */
		return 8 * (ledger.n + 1) <= 7 * n_old ? 0 : error_memory(err, n * sizeof(*old));
	}
	/* find_slot() looks at the new table from here on */
	ledger.n_slots = n;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].memory)
			ledger.slot[find_slot(old[i].memory)] = old[i];
	free(old);
	return 0;
}

/* "kernel/float_vectors" of "lib/kernel/float_vectors.c", wherever the folder lib is. */
static void shorten(char *name, size_t size, const char *file)
{
	const char *from = file, *next, *dot;

	for (next = strstr(file, "lib/"); next; next = strstr(from, "lib/"))
		from = next + 4;
	dot = strrchr(from, '.');
	snprintf(name, size, "%.*s", dot ? (int)(dot - from) : (int)strlen(from), from);
}

/* Where the bytes of an owner are counted; the last place is for all that find no other. */
static struct mem_owner *find_owner(const char *file)
{
	struct mem_usage *u = &ledger.usage;
	int i;

	for (i = 0; i < u->n_owners; i++)
		if (file == ledger.owner_file[i] || strcmp(file, ledger.owner_file[i]) == 0)
			return &u->owner[i];
	if (i == MEM_OWNERS)
		return &u->owner[i - 1];
	u->n_owners++;
	ledger.owner_file[i] = i < MEM_OWNERS - 1 ? file : "others";
	shorten(u->owner[i].name, sizeof(u->owner[i].name), ledger.owner_file[i]);
	return &u->owner[i];
}

/* Count so many bytes more (or fewer) for the entry's owner, or among the files. */
static void count(const struct ledger_entry *entry, int64_t bytes)
{
	struct mem_usage *u = &ledger.usage;

	if (entry->is_file) {
		u->in_files += bytes;
		u->files_peak = int64_max(u->files_peak, u->in_files);
		return;
	}
	if (entry->is_reserved)
		atomic_fetch_add(&reserved, bytes);
	find_owner(entry->owner)->now += bytes;
	u->now += bytes;
	atomic_store(&in_memory, u->now);
	if (u->now <= u->peak)
		return;
	u->peak = u->now;
	/* (3): a new peak of the total: note the bytes of each owner at this moment */
	for (int i = 0; i < u->n_owners; i++)
		u->owner[i].at_peak = u->owner[i].now;
}

/* Empty slot i. */
static void take_out(size_t i)
{
	const size_t mask = ledger.n_slots - 1;
	const struct ledger_entry *entry = &ledger.slot[i];
	size_t hole = i;

	count(entry, -(int64_t)entry->bytes);
	atomic_fetch_sub(&entered[hash(entry->memory) % N_CLASSES], 1);
	ledger.n--;
	/* (1): the entry of slot i may move if its home is at the hole or before it, cyclically */
	for (i = (i + 1) & mask; ledger.slot[i].memory; i = (i + 1) & mask) {
		size_t home = hash(ledger.slot[i].memory) & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			ledger.slot[hole] = ledger.slot[i];
			hole = i;
		}
	}
	ledger.slot[hole] = (struct ledger_entry){ 0 };
}

int ledger_add(const struct ledger_entry *entry, struct error *err)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = make_room(err);
	if (ret == 0) {
		size_t i = find_slot(entry->memory);

		if (ledger.slot[i].memory) {
			/* the piece has changed its size, or the one before it at this address was
			 * released by free(3); taking it out may move the slot for the address */
			take_out(i);
			i = find_slot(entry->memory);
		}
		ledger.slot[i] = *entry;
		ledger.n++;
		atomic_fetch_add(&entered[hash(entry->memory) % N_CLASSES], 1);
		count(entry, (int64_t)entry->bytes);
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

bool ledger_remove(const void *memory, struct ledger_entry *entry)
{
	bool found;
	size_t i;

	/* (2): a class without entries has no entry of this address, and needs no lock to say so */
	if (!memory || atomic_load(&entered[hash(memory) % N_CLASSES]) == 0)
		return false;
	pthread_mutex_lock(&lock);
	i = find_slot(memory);
	found = ledger.slot[i].memory != NULL;
	if (found) {
		*entry = ledger.slot[i];
		take_out(i);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void mem_use(const void *memory, size_t bytes)
{
	struct ledger_entry *entry;

	pthread_mutex_lock(&lock);
	entry = ledger.n_slots > 0 ? &ledger.slot[find_slot(memory)] : NULL;
	if (entry && entry->memory && entry->bytes < bytes) {
		count(entry, (int64_t)(bytes - entry->bytes));
		entry->bytes = bytes;
	}
	pthread_mutex_unlock(&lock);
}

int64_t ledger_memory(void)
{
	return atomic_load(&in_memory);
}

int64_t ledger_reserved(void)
{
	return atomic_load(&reserved);
}

void ledger_drop_pages(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < ledger.n_slots; i++)
		if (ledger.slot[i].memory && ledger.slot[i].is_file)
			madvise(ledger.slot[i].memory, ledger.slot[i].bytes, MADV_DONTNEED);
	pthread_mutex_unlock(&lock);
}

void mem_usage(struct mem_usage *usage)
{
	pthread_mutex_lock(&lock);
	*usage = ledger.usage;
	pthread_mutex_unlock(&lock);
}
