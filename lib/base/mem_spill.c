/*
 * mem_spill.c - arrays in files without names
 *
 * How this works.  Where a bound is set, an array of SPILL_LEAST bytes or more for which memory has
 * no room is a shared mapping of a file of its own.  Whoever uses it has a plain pointer: results
 * do not depend on where an array is.  Pages of such a mapping come into memory when they are
 * touched, and count as memory of the process while its page table has them.  A thread, the warden,
 * looks at the resident size some thousand times a second, and when it nears the bound drops the
 * pages of all files from the page table (MADV_DONTNEED).  That loses nothing, since they are
 * shared with the file: the system has them in its page cache, writes them to the disk at leisure,
 * and gives them back when they are touched again, at some gigabytes a second as long as the cache
 * holds them.  In a control group the cache counts as well, and the system takes back its pages.
 *
 * No loop over an array has a duty for it.  On a machine whose processors are all busy the warden
 * may come late, in spite of its priority; so the threads of parallel loops look as well, after
 * each task (spill_look()).
 *
 * So the process stays near the bound whatever it does with its arrays, in loops of the library
 * and of others (BLAS), in order and at random; only the time depends on the order.
 *
 * A file has no name (O_TMPFILE, or unlinked at once): however the process ends, it is gone.
 * posix_fallocate() takes the room before the array is given out; a full disk is an error then, and
 * not a signal later.
 *
 * It takes /proc/self/statm, which Linux has; where it is missing a bound is refused.
 *
 * Shares of the bound, from 0 to all of it:
 *
 *      |  base  |  arrays that the ledger counts  |  pages of files  |      |
 *      0                                          FULL - PAGES       FULL   bound
 *
 *  (1) mem_room() is what is left for arrays below FULL - PAGES; an array that needs more is a
 *      file.
 *  (2) trim() looks at the resident size, and above FULL drops the pages of all files, if these are
 *      enough.
 *  (3) watch() pauses as long as filling the rest would take at the fastest, within bounds.
 *  (4) No fault maps more than 64 KB: the system maps 2 MB at a time where an address and the place
 *      in the file differ by a multiple of 2 MB, which would fill the bound within a millisecond.
 *      It reads ahead nevertheless: with MADV_RANDOM, which would do as well, a pass over an array
 *      of which a control group keeps no page in the cache reads 4 KB at a time.
 *
 * Arrays in files, and those alone, can be dropped: memory from malloc() would need swap space.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem_spill.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arithmetic.h"

#define LARGE_PAGE ((size_t)2 << 20)
#define MOST_PAGE ((size_t)64 << 10) /* the largest page that systems use for all memory */

#ifndef O_TMPFILE
#define O_TMPFILE 0 /* opening a folder for writing fails: the new file has a name at first then */
#endif

/*
 * Smaller arrays stay in memory: each file takes a descriptor, of which a process may have about a
 * thousand, and 50 us to make.  Together they may take a share of the bound.
 */
#define SPILL_LEAST ((size_t)128 << 10)

/* Share of the bound above which pages are dropped; the rest is for pages read meanwhile. */
#define FULL 0.85

/* Least share of the bound that must be pages of files: to drop fewer frees too little. */
#define LEAST_DROPPED 0.04

/*
 * Share of the bound that is left to pages of files: with fewer they would be dropped all the time.
 */
#define PAGES 0.2

/* Bytes of arrays that are too small for files, beside one that is kept. */
#define SMALL_PIECES (4 << 20)

/* Bytes of libraries loaded on first use (OpenBLAS: 4 MB), and of small pieces. */
#define UNCOUNTED (6 << 20)

/* Share of the bound kept for mem_reserve(), until mem_hold_back() says how many bytes. */
#define HELD_AT_FIRST 0.5

/*
 * Bytes a second that may come in at most: a fault takes about a microsecond and maps 64 KB, of
 * which a thread that gathers scattered rows reads a few bytes.  And bounds of the pause between
 * looks at the resident size, in seconds.
 */
#define FASTEST 64e9
#define SHORTEST_PAUSE 0.0002
#define LONGEST_PAUSE 0.02

static struct {
	atomic_llong bound, held; /* bytes: of the bound (0: none), and for mem_reserve() */
	atomic_llong of_program;  /* bytes of pages of program files, when the bound was set */
	int64_t base;		  /* bytes that the ledger did not count when the bound was set */
	char folder[PATH_MAX];
	const char *advice;
	int statm; /* descriptor of /proc/self/statm */
	bool has_warden;
} spill = { .statm = -1 };

/* Resident bytes of the process, and resident bytes that are pages of files. */
static int64_t resident(int64_t *of_files)
{
	long long total, size, shared;
	char text[128];
	ssize_t n = pread(spill.statm, text, sizeof(text) - 1, 0);
	const int64_t page = sysconf(_SC_PAGESIZE);

	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%lld %lld %lld", &total, &size, &shared) != 3)
		size = shared = 0;
	*of_files = shared * page;
	return size * page;
}

/* (2): drop pages of files near the bound; returns how many bytes were left below FULL, before. */
static double trim(void)
{
	double bound = (double)atomic_load(&spill.bound), left;
	int64_t of_files;

	left = FULL * bound - (double)resident(&of_files);
	if (bound > 0 && left <= 0 &&
	    (double)(of_files - atomic_load(&spill.of_program)) > LEAST_DROPPED * bound)
		ledger_drop_pages();
	return left;
}

/*
 * (3): the warden, for as long as the process lives; before others where the system lets it, as
 * root: with -20 it comes within .3 ms on a machine where it would wait 15 ms otherwise
 */
static void *watch(void *arg)
{
	(void)arg;
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -20);
	for (;;) {
		double pause = fmin(fmax(trim() / FASTEST, SHORTEST_PAUSE), LONGEST_PAUSE);
		struct timespec t = { .tv_nsec = (long)(pause * 1e9) };

		nanosleep(&t, NULL);
	}
	return NULL;
}

/* One thread looks at a time, and none sooner than half the shortest pause after the last one. */
void spill_look(void)
{
	static atomic_llong last;
	struct timespec now;
	long long at, before = atomic_load(&last);

	if (mem_bound() == 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	at = now.tv_sec * 1000000000LL + now.tv_nsec;
	if ((double)(at - before) > SHORTEST_PAUSE * 1e9 / 2 &&
	    atomic_compare_exchange_strong(&last, &before, at))
		trim();
}

/* A thread that takes no signals, with a small stack: under ulimit -v it counts in full. */
static int start_warden(struct error *err)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	int failed;

	if (spill.has_warden)
		return 0;
	spill.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (spill.statm < 0)
		return error_set(err, ERR_IO, "cannot open '/proc/self/statm': %s",
				 strerror(errno));
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&thread, &attributes, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (failed)
		return error_set(err, ERR_MEMORY, "cannot start a thread: %s", strerror(failed));
	spill.has_warden = true;
	return 0;
}

int mem_set_bound(int64_t bytes, const char *folder, const char *advice, struct error *err)
{
	if (bytes > 0 && start_warden(err) < 0)
		return -1;
	if (bytes > 0) {
		int64_t of_program;

		snprintf(spill.folder, sizeof(spill.folder), "%s", folder);
		spill.advice = advice;
		spill.base = resident(&of_program) - ledger_memory() + UNCOUNTED;
		atomic_store(&spill.of_program, of_program);
	}
	atomic_store(&spill.held, (long long)(HELD_AT_FIRST * (double)bytes));
	atomic_store(&spill.bound, bytes);
	return 0;
}

int64_t mem_bound(void)
{
	return atomic_load(&spill.bound);
}

const char *mem_folder(void)
{
	return spill.folder;
}

int64_t mem_room(void)
{
	int64_t bound = mem_bound();

	if (bound == 0)
		return INT64_MAX;
	return (int64_t)((FULL - PAGES) * (double)bound) - spill.base - ledger_memory();
}

int64_t mem_least_bound(int64_t bytes)
{
	return (int64_t)((double)(spill.base + bytes) / (FULL - LEAST_DROPPED));
}

void mem_hold_back(int64_t bytes)
{
	atomic_store(&spill.held, bytes);
}

bool spill_wanted(size_t bytes, bool is_held)
{
	int64_t held = atomic_load(&spill.held) - ledger_reserved();

	return mem_bound() > 0 && bytes >= SPILL_LEAST &&
	       (int64_t)bytes > mem_room() - (is_held ? 0 : int64_max(held, 0));
}

/*
 * A bound B has room for the array if B (FULL - PAGES) is the base and the array at least; and, as
 * arrays that came before may have had all that was not held back, if B HELD_AT_FIRST is the array.
 */
int spill_check_kept(size_t bytes, struct error *err)
{
	const double wanted = (double)bytes + SMALL_PIECES;
	double would_do =
		fmax((wanted + (double)spill.base) / (FULL - PAGES), wanted / HELD_AT_FIRST);

	if (mem_bound() == 0 || bytes < SPILL_LEAST || (int64_t)bytes <= mem_room())
		return 0;
	/* where still more is in memory than that */
	would_do = fmax(would_do, (double)mem_bound() +
					  (double)((int64_t)bytes - mem_room()) / (FULL - PAGES));
	return error_set(err, ERR_ARGUMENT,
			 "a bound of %" PRId64 " MB on memory is too small: %.0f MB would do",
			 mem_bound() / MEGABYTE, ceil(would_do / MEGABYTE) + 1);
}

/* A new file without a name; -1 with errno. */
static int open_file(void)
{
	char name[PATH_MAX + 16];
	int fd = open(spill.folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "%s/spill.XXXXXX", spill.folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* The array fits neither in memory nor in a file: the error's text names the remedy. */
static int fail(size_t bytes, int reason, struct error *err)
{
	return error_set(err, ERR_IO,
			 "cannot put an array of %zu MB, for which memory has no room, into the "
			 "folder '%s': %s; %s",
			 bytes / MEGABYTE + 1, spill.folder, strerror(reason), spill.advice);
}

/* All of the room, now; a reason if there is none. */
static int reserve(int fd, size_t from, size_t bytes)
{
	int reason;

	do
		reason = posix_fallocate(fd, (off_t)from, (off_t)(bytes - from));
	while (reason == EINTR);
	return reason;
}

/* Bytes of addresses that the mapping of a file takes: it, and what no other mapping can be in. */
static size_t mapped(size_t bytes)
{
	return (bytes + MOST_PAGE - 1) / MOST_PAGE * MOST_PAGE;
}

/* (4): the file, at an address half a large page beside one that would do for large pages */
static void *map_file(int fd, size_t bytes)
{
	const size_t most = bytes + 2 * LARGE_PAGE;
	/* the system chooses the room, of which what is not needed goes back to it */
	char *room =
		mmap(NULL, most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before = LARGE_PAGE + LARGE_PAGE / 2 - (uintptr_t)room % LARGE_PAGE;
	size_t end = before + mapped(bytes);
	void *p;

	if (room == MAP_FAILED)
		return MAP_FAILED;
	munmap(room, before);
	if (end < most)
		munmap(room + end, most - end);
	p = mmap(room + before, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	if (p == MAP_FAILED)
		munmap(room + before, mapped(bytes));
	return p;
}

int spill_take(struct ledger_entry *entry, size_t bytes, struct error *err)
{
	int fd = open_file(), reason = fd < 0 ? errno : reserve(fd, 0, bytes);
	void *p = reason ? MAP_FAILED : map_file(fd, bytes);

	if (p == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return reason ? fail(bytes, reason, err) : error_memory(err, bytes);
	}
	*entry = (struct ledger_entry){
		.memory = p, .bytes = bytes, .owner = entry->owner, .is_file = true, .fd = fd
	};
	return 0;
}

int spill_resize(struct ledger_entry *entry, size_t bytes, struct error *err)
{
	int reason = bytes > entry->bytes ? reserve(entry->fd, entry->bytes, bytes) : 0;
	void *p;

	if (reason)
		return fail(bytes, reason, err);
	/* the contents are in the file */
	p = map_file(entry->fd, bytes);
	if (p == MAP_FAILED)
		return error_memory(err, bytes);
	munmap(entry->memory, mapped(entry->bytes));
	if (bytes < entry->bytes && ftruncate(entry->fd, (off_t)bytes) < 0)
		errno = 0; /* the file keeps the rest, and disappears with the process */
	entry->memory = p;
	entry->bytes = bytes;
	return 0;
}

void spill_release(const struct ledger_entry *entry)
{
	munmap(entry->memory, mapped(entry->bytes));
	close(entry->fd);
}
