/*
 * memory.c - memory that stays with the process, and what took memory
 *
 * How this works.  The ledger of mem.h knows large arrays and the source files that asked for them;
 * the system knows the pages that are in memory.  The two differ by what the ledger does not count
 * (the program, its libraries, small pieces) and by pages of arrays that were never written.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

/* Most owners of memory that --verbose prints; the report has all of them. */
#define MOST_LINES 8

/* Order owners by the most bytes first; owners of equal bytes by their names. */
static int compare_owners(const void *a, const void *b)
{
	const struct mem_owner *x = a, *y = b;

	if (x->at_peak != y->at_peak)
		return x->at_peak < y->at_peak ? 1 : -1;
	return strcmp(x->name, y->name);
}

struct mem_usage memory_usage(void)
{
	struct mem_usage usage;

	mem_usage(&usage);
	qsort(usage.owner, (size_t)usage.n_owners, sizeof(*usage.owner), compare_owners);
	return usage;
}

static double megabytes(int64_t bytes)
{
	return (double)bytes / MEGABYTE;
}

void memory_tell(void)
{
	const struct mem_usage usage = memory_usage();

	cli_warn("memory: %.1f MB at most, %.1f MB of them in large arrays",
		 megabytes(cli_peak_memory()), megabytes(usage.peak));
	if (mem_bound() > 0)
		cli_warn("memory: %.1f MB of arrays in files", megabytes(usage.files_peak));
	for (int i = 0; i < usage.n_owners && i < MOST_LINES && usage.owner[i].at_peak > 0; i++)
		cli_warn("memory: %8.1f MB %s", megabytes(usage.owner[i].at_peak),
			 usage.owner[i].name);
}

void memory_give_back(int size, int total)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, size);
	mallopt(M_TRIM_THRESHOLD, total);
#else
	(void)size;
	(void)total;
#endif
}

void memory_keep(void)
{
	if (mem_bound() == 0)
		memory_give_back(32 << 20, 256 << 20);
}
