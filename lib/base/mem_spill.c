/*
 * mem_spill.c - the ledger of large pieces of memory, and arrays in files without names
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

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the ledger: which large pieces of memory the process holds, how many bytes, and for whom ---- */

/*
 * How this works.  Entries are in a hash table by address, open addressing with linear steps, at
 * most half full.  An entry that leaves is followed by a shift: each later entry of the same run
 * moves into the hole unless its home is behind it (5), so there are no marks of what was deleted.
 *
 * Most calls of mem_free() are for small pieces.  'entered' counts the entries of each of 4096
 * classes of addresses; an address whose class is empty has no entry, and needs no lock (6).  The
 * thread that releases a piece has it from the thread that made it, so it sees the count.
 *
 * Whenever the sum of all entries is larger than ever, the bytes of each owner are copied (7).
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
 */

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
	/* (7): a new peak of the total: note the bytes of each owner at this moment */
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
	/* (5): the entry of slot i may move if its home is at the hole or before it, cyclically */
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

	/* (6): a class without entries has no entry of this address, and needs no lock to say so */
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

/* ---- files ---- */

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
static void *watch(void *arg UNUSED)
{
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
		spill.base = resident(&of_program) - atomic_load(&in_memory) + UNCOUNTED;
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
	return (int64_t)((FULL - PAGES) * (double)bound) - spill.base - atomic_load(&in_memory);
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
	int64_t held = atomic_load(&spill.held) - atomic_load(&reserved);

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
