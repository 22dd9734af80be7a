/*
 * mem.c - memory that is checked, and that can be made to fail
 *
 * How this works.  Each function turns a number of elements into bytes in one place, byte_count(),
 * which refuses negative numbers, products that overflow, and sizes beyond PTRDIFF_MAX (the C
 * library refuses those as well, and gcc warns of them).  Zero elements take one byte, so that
 * NULL always means failure and no caller needs a special case for an empty matrix.
 *
 * Tests make the k-th allocation fail for k = 0, 1, 2, ... and look for leaks and wrong errors.
 * 'allocations_left' counts down across all threads; at 0 every later allocation fails too, as it
 * would where memory is exhausted.
 *
 * Growing arrays grow by half: appending n elements one by one copies at most 3 n.  Doubling
 * would copy 2 n but leave up to half of the room unused; half more leaves a third.  realloc()
 * moves large arrays by their page tables (mremap), so that from LARGE_BYTES on they grow by an eighth.
 *
 * Each large piece is entered in the ledger after it was made, and taken out before it is released.
 * A new piece that the ledger has no room for is not given out, so that its sums are complete.
 *
 * Where memory comes from, and who is told:
 *
 *      request -> byte_count() -> fails?  -> error_memory()
 *                                 bound and no room (mem_spill.h)?  -> a file, always entered
 *                                 else  malloc, calloc, aligned_alloc -> entered if large
 *
 *      mem_free(p):  in the ledger as a file -> munmap;  else -> free()
 *
 * So every pointer that this module gives out can be released by mem_free(), wherever it points.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/control_group.h"
#include "base/mem_spill.h"

/* From here on the C library's realloc() maps arrays, whatever it has learned of sizes. */
#define LARGE_BYTES (INT64_C(32) << 20)

static atomic_llong allocations_left = -1; /* allocations until a failure; negative: no limit */

void mem_fail_after(int64_t n)
{
	atomic_store(&allocations_left, n);
}

/* Takes one of the allocations left, if allocations are counted; true if none was left. */
static bool told_to_fail(void)
{
	long long left = atomic_load(&allocations_left);

	while (left > 0)
		if (atomic_compare_exchange_weak(&allocations_left, &left, left - 1))
			return false;
	return left == 0;
}

/* Bytes of n elements, at least 1; 0 if no memory can have that size. */
static size_t byte_count(int64_t n, size_t size)
{
	size_t bytes;

	if (n < 0 || __builtin_mul_overflow((uint64_t)n, size, &bytes) || bytes > PTRDIFF_MAX)
		return 0;
	return bytes ? bytes : 1;
}

/* The entry's memory if it was allocated and the ledger takes it; else sets the error. */
static void *entered(const struct ledger_entry *entry, size_t bytes, struct error *err)
{
	if (!entry->memory) {
		error_memory(err, bytes ? bytes : SIZE_MAX);
	} else if (bytes >= LEDGER_LEAST && ledger_add(entry, err) < 0) {
		free(entry->piece);
		return NULL;
	}
	return entry->memory;
}

/* An array in a file, if the ledger has room for its entry. */
static void *in_file(const char *owner, size_t bytes, struct error *err)
{
	struct ledger_entry entry = { .owner = owner };

	if (spill_take(&entry, bytes, err) < 0)
		return NULL;
	if (ledger_add(&entry, err) == 0)
		return entry.memory;
	spill_release(&entry);
	return NULL;
}

/* calloc() gets pages of zeros from the system without touching them. */
static void *zeroed(size_t bytes)
{
	return calloc(bytes, 1);
}

#define ALIGNMENT ((size_t)64) /* a cache line, and the longest vector register */

/* aligned_alloc() takes a multiple of the alignment; bytes <= PTRDIFF_MAX leaves room for it. */
static void *aligned(size_t bytes)
{
	return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
}

static void *aligned_zeroed(size_t bytes)
{
	void *p = aligned(bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

/* Not cleared. */
static void *large(size_t bytes)
{
	return bytes < LARGE_PAGE ? aligned(bytes) : malloc(bytes + LARGE_PAGE);
}

/*
 * The part of a piece of large() that begins at a large page, in large pages where the system has
 * them: they save page faults and address look-ups.
 *
 * aligned_alloc() would give back what is before and behind that part.  The C library of GNU looks
 * for all of it again when as much is wanted next, finds a bit less where the part was, and takes
 * new memory, which the system has to clear: svmguide1 on a grid of 12 points took 83 MB more.
 */
static void *in_large_pages(void *piece, size_t bytes)
{
	char *p = piece;

	if (!p || bytes < LARGE_PAGE)
		return p;
	p += -(uintptr_t)p & (LARGE_PAGE - 1);
#ifdef MADV_HUGEPAGE
	/* the system may ignore the advice */
	madvise(p, bytes & ~(LARGE_PAGE - 1), MADV_HUGEPAGE);
#endif
	return p;
}

/*
 * Of MEM_RESERVED nothing counts until it is used; within a bound all of it, as there must be room
 * for it when it is used.
 */
void *mem_take(enum mem_kind kind, const char *owner, int64_t n, size_t size, struct error *err)
{
	static void *(*const from_system[])(size_t bytes) = {
		[MEM_ARRAY] = malloc, [MEM_ZEROED] = zeroed, [MEM_ALIGNED] = aligned_zeroed,
		[MEM_LARGE] = large,  [MEM_KEPT] = large,    [MEM_RESERVED] = large,
	};
	const bool is_held = kind == MEM_KEPT || kind == MEM_RESERVED, is_bounded = mem_bound() > 0;
	const size_t bytes = byte_count(n, size);
	struct ledger_entry entry = { .bytes = kind == MEM_RESERVED && !is_bounded ? 0 : bytes,
				      .owner = owner,
				      .is_reserved = is_held && is_bounded };
	const bool fails = bytes == 0 || told_to_fail();

	if (!fails && kind == MEM_KEPT && spill_check_kept(bytes, err) < 0)
		return NULL;
	if (!fails && kind != MEM_KEPT && spill_wanted(bytes, is_held))
		return in_file(owner, bytes, err);
	entry.piece = fails ? NULL : from_system[kind](bytes);
	entry.memory = kind >= MEM_LARGE ? in_large_pages(entry.piece, bytes) : entry.piece;
	return entered(&entry, bytes, err);
}

void mem_free(void *p)
{
	struct ledger_entry entry = { .piece = p };

	if (ledger_remove(p, &entry) && entry.is_file)
		spill_release(&entry);
	else
		free(entry.piece);
}

void mem_free_list(void *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_free(list[i]);
}

/*
 * By mmap(2) rather than malloc() and free(): when a block of up to 32 MB that glibc took by mmap
 * is freed, glibc takes blocks of that size from its heap from then on, and gives less back.
 */
void mem_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

int64_t mem_limit(void)
{
	int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	const double most =
		control_group_limit("memory.max", CONTROL_GROUP_OF_PROCESS, CONTROL_GROUP_LIMITS);
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)bytes)
		bytes = (int64_t)limit.rlim_cur;
	return most < (double)bytes ? (int64_t)most : bytes;
}

int mem_check_room(double bytes, struct error *err)
{
	/* with 32 bits there may be room for PTRDIFF_MAX bytes, but not for more */
	bool exists = bytes < (double)PTRDIFF_MAX;
	size_t size = bytes < 1 ? 1 : exists ? (size_t)bytes : PTRDIFF_MAX;
	void *room = MAP_FAILED;

	if (exists && !told_to_fail())
		room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return error_memory(err, size);
	munmap(room, size);
	return 0;
}

int mem_check_bound(double bytes, struct error *err)
{
	return spill_check_kept(bytes < (double)PTRDIFF_MAX ? (size_t)bytes : PTRDIFF_MAX, err);
}

/*
 * An array of 'bytes' in place of 'before', whose contents it gets: by realloc(), or in a file if
 * it grows and memory has no room, or if it was in one.
 */
static void *remake(const char *owner, const struct ledger_entry *before, size_t bytes,
		    struct error *err)
{
	const size_t offset = (uintptr_t)before->memory - (uintptr_t)before->piece;
	struct ledger_entry after = *before;
	void *p;

	if (before->is_file) {
		if (spill_resize(&after, bytes, err) < 0)
			return NULL;
		/* cannot fail: the piece had an entry before */
		ledger_add(&after, &(struct error){ 0 });
		return after.memory;
	}
	if (bytes > before->bytes && spill_wanted(bytes, false)) {
		p = in_file(owner, bytes, err);
		if (p && before->memory)
			memcpy(p, before->memory, before->bytes);
		if (p)
			free(before->piece);
		return p;
	}
	after = (struct ledger_entry){ .bytes = bytes, .owner = owner };
	after.piece = realloc(before->piece, offset + bytes);
	after.memory = after.piece ? (char *)after.piece + offset : NULL;
	if (!after.memory)
		error_memory(err, bytes);
	if (after.memory && (bytes >= LEDGER_LEAST || offset > 0))
		ledger_add(&after, &(struct error){ 0 }); /* without room it is left out */
	return after.memory;
}

/*
 * '*array' is a pointer to any type, to 'old' elements.  It is copied by memcpy(): to read a
 * double * as a void * would break the rules of aliasing.  The array leaves the ledger first, as
 * realloc() may give its address to another thread.
 */
static int resize(const char *owner, void *array, int64_t old, int64_t n, size_t size,
		  struct error *err)
{
	size_t bytes = byte_count(n, size);
	struct ledger_entry before;
	bool was_entered;
	void *p;

	if (bytes == 0 || told_to_fail())
		return error_memory(err, bytes ? bytes : SIZE_MAX);
	memcpy(&p, array, sizeof(p));
	/* small arrays have no entry: their size follows from the old number of elements */
	before = (struct ledger_entry){ .memory = p, .piece = p, .bytes = (size_t)old * size };
	was_entered = ledger_remove(p, &before);
	p = remake(owner, &before, bytes, err);
	/* the old array is still there, and still counts */
	if (!p && was_entered)
		ledger_add(&before, &(struct error){ 0 });
	if (!p)
		return -1;
	memcpy(array, &p, sizeof(p));
	return 0;
}

void *mem_copy_for(const char *owner, const void *from, int64_t n, size_t size, struct error *err)
{
	void *copy = from ? mem_take(MEM_ARRAY, owner, n, size, err) : NULL;

	if (copy && n > 0)
		memcpy(copy, from, (size_t)n * size);
	return copy;
}

int mem_grow_for(const char *owner, void *array, int64_t *capacity, int64_t wanted, size_t size,
		 struct error *err)
{
	/* 16 more: the first few elements come one at a time; large arrays are moved by their pages */
	const int64_t share = *capacity < LARGE_BYTES / (int64_t)size ? 2 : 8;
	int64_t n = int64_max(*capacity + *capacity / share + 16, wanted);

	if (wanted <= *capacity)
		return 0;
	if (resize(owner, array, *capacity, n, size, err) < 0)
		return -1;
	*capacity = n;
	return 0;
}

void mem_shrink_for(const char *owner, void *array, int64_t *capacity, int64_t n, size_t size)
{
	struct error ignored = { 0 }; /* where memory is short the larger array stays */

	if (n < *capacity && resize(owner, array, *capacity, n, size, &ignored) == 0)
		*capacity = n;
}
