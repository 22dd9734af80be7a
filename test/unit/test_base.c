/*
 * test_base.c - errors, checked memory, threads, random numbers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/control_group.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/mem_bound.h"
#include "base/mem_spill.h"
#include "base/rng.h"
#include "base/rng_fill.h"
#include "base/thread.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- Errors ---- */

static void test_first_error_is_kept(void)
{
	struct error err = { 0 };

	CHECK(error_set(&err, ERR_IO, "%s: %d", "first", 7) == -1, "not -1");
	CHECK(err.code == ERR_IO && !strcmp(err.text, "first: 7"), "%d '%s'", err.code, err.text);
	CHECK(error_set(&err, ERR_FORMAT, "second") == -1, "not -1");
	CHECK(error_memory(&err, 3) == -1, "not -1");
	CHECK(err.code == ERR_IO && !strcmp(err.text, "first: 7"), "%d '%s'", err.code, err.text);
	err = (struct error){ 0 };
	error_memory(&err, 123);
	CHECK(err.code == ERR_MEMORY && strstr(err.text, "(123 bytes"), "'%s'", err.text);
}

static void test_long_error(void)
{
	struct error err = { 0 };
	static char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	error_set(&err, ERR_ARGUMENT, "%s", text);
	CHECK(strlen(err.text) == sizeof(err.text) - 1, "%zu bytes", strlen(err.text));
}

static void expect_quote(size_t size, const char *bytes, size_t length, const char *wanted)
{
	char buffer[32];

	memset(buffer, '#', sizeof(buffer));
	CHECK(error_quote(buffer, size, bytes, length) == buffer, "another buffer");
	CHECK(!strcmp(buffer, wanted), "'%s', not '%s'", buffer, wanted);
	CHECK(buffer[size] == '#', "wrote beyond %zu bytes", size);
}

static void test_quote(void)
{
	expect_quote(20, "", 0, "");
	expect_quote(20, "plain", 5, "plain");
	expect_quote(20, "plain", 3, "pla");
	expect_quote(20, "a\nb\tc\0d\x1b[1m\x7f", 12, "a?b?c?d?[1m?");
	expect_quote(6, "12345", 5, "12345");
	expect_quote(6, "123456", 6, "12...");
	expect_quote(4, "123456", 6, "...");
	expect_quote(3, "123456", 6, "12");
	expect_quote(1, "123456", 6, "");
	expect_quote(20, "\xc3\xa9\xe2\x82\xac", 5, "\xc3\xa9\xe2\x82\xac");
	expect_quote(20, "\x93ROWS\xc3", 6, "?ROWS?");
	expect_quote(7,
		     "12\xe2\x82\xac"
		     "45",
		     7, "12?...");
}

static void test_quote_every_byte(void)
{
	char buffer[2];

	for (int c = 0; c < 256; c++) {
		char byte = (char)c;
		bool prints = c >= 0x20 && c < 0x7f;

		error_quote(buffer, sizeof(buffer), &byte, 1);
		CHECK(buffer[0] == (prints ? byte : '?'), "%#x became %#x", c, buffer[0]);
	}
}

/* ---- Memory ---- */

/* Memory of a kind, or by growing if it is none. */
static void *take_or_grow(int kind, int64_t n, size_t size, struct error *err)
{
	int64_t capacity = 0;
	void *p = NULL;

	if (kind <= MEM_RESERVED)
		return mem_take((enum mem_kind)kind, __FILE__, n, size, err);
	return mem_grow(&p, &capacity, n, size, err) == 0 ? p : NULL;
}

static void test_impossible_sizes(void)
{
	static const struct {
		int64_t n;
		size_t size;
	} sizes[] = {
		{ INT64_MAX, 8 },	 { INT64_MAX, SIZE_MAX },	 { INT64_MAX, 2 },
		{ INT64_C(1) << 61, 8 }, { (INT64_C(1) << 61) + 1, 8 },	 { 4, SIZE_MAX / 4 + 1 },
		{ 2, SIZE_MAX },	 { 1, (size_t)PTRDIFF_MAX + 1 }, { -1, 1 },
		{ INT64_MIN, 8 }
	};

	for (int kind = 0; kind <= MEM_RESERVED + 1; kind++)
		for (int i = 0; i < LENGTH(sizes); i++) {
			struct error err = { 0 };
			void *p;

			if (kind > MEM_RESERVED && sizes[i].n < 0)
				continue; /* already holds that many */
			p = take_or_grow(kind, sizes[i].n, sizes[i].size, &err);
			CHECK(!p && err.code == ERR_MEMORY, "kind %d gave %" PRId64 " of %zu", kind,
			      sizes[i].n, sizes[i].size);
			free(p);
		}
}

static void test_room(void)
{
	struct error err = { 0 };

	CHECK(mem_check_room(1e6, &err) == 0 && mem_check_room(0, &err) == 0, "%s", err.text);
	CHECK(mem_check_room(1e18, &err) < 0 && err.code == ERR_MEMORY, "room for 1e18 bytes");
	CHECK(mem_check_room(1e30, &err) < 0, "room for 1e30 bytes");
	mem_fail_after(0);
	CHECK(mem_check_room(1, &err) < 0, "room, though told to fail");
	mem_fail_after(-1);
}

static void test_copy(void)
{
	static const int from[] = { 3, 1, 4 };
	struct error err = { 0 };
	int *some = mem_copy(from, 3, sizeof(*from), &err), *none;

	CHECK(some && some != from && memcmp(some, from, sizeof(from)) == 0, "%s", err.text);
	mem_free(some);
	some = mem_copy(from, 0, sizeof(*from), &err);
	none = mem_copy(NULL, 3, sizeof(*from), &err);
	CHECK(some && !none && err.code == ERR_NONE, "of nothing: %s", err.text);
	mem_free(some);
	mem_fail_after(0);
	none = mem_copy(from, 3, sizeof(*from), &err);
	CHECK(!none && err.code == ERR_MEMORY, "without memory");
	mem_fail_after(-1);
}

static bool all_zero(const uint8_t *p, int64_t n)
{
	while (n > 0 && p[n - 1] == 0)
		n--;
	return n == 0;
}

/* Bytes that the ledger has of this source file: now, or at the peak. */
static int64_t bytes_of(const struct mem_usage *usage, const char *name, bool at_peak)
{
	for (int i = 0; i < usage->n_owners; i++)
		if (strcmp(usage->owner[i].name, name) == 0)
			return at_peak ? usage->owner[i].at_peak : usage->owner[i].now;
	return 0;
}

static struct mem_usage usage_now(void)
{
	struct mem_usage usage;

	mem_usage(&usage);
	return usage;
}

/* Each way to get memory and to release it; the peak is made new by a piece larger than any. */
static void test_ledger(void)
{
	static const char me[] = "test/unit/test_base";
	const struct mem_usage before = usage_now();
	const int64_t large = before.peak + (8 << 20);
	struct mem_usage usage;
	struct error err = { 0 };
	int64_t capacity = 0;
	double *grown = NULL;
	char *p = mem_array(large, 1, &err), *small = mem_array((64 << 10) - 1, 1, &err);
	char *other;

	CHECK(p && small && mem_grow(&grown, &capacity, 10000, 8, &err) == 0, "%s", err.text);
	usage = usage_now();
	CHECK(usage.now == before.now + large + 8 * capacity, "%" PRId64, usage.now);
	CHECK(usage.peak == usage.now, "%" PRId64, usage.peak);
	CHECK(bytes_of(&usage, me, true) == large + 8 * capacity, "not mine");
	mem_free(p);
	p = mem_zeroed(1 << 16, 1, &err);
	other = mem_take(MEM_ARRAY, "src/lib/there/other.c", 1 << 17, 1, &err);
	mem_free(mem_large(1 << 20, 1, &err));
	usage = usage_now();
	CHECK(usage.now == before.now + 8 * capacity + (1 << 16) + (1 << 17), "%" PRId64,
	      usage.now);
	CHECK(usage.peak == before.now + large + 8 * capacity, "%" PRId64, usage.peak);
	CHECK(bytes_of(&usage, "there/other", false) == 1 << 17, "other's bytes");
	CHECK(bytes_of(&usage, "there/other", true) == 0, "other had none at the peak");
	CHECK(bytes_of(&usage, me, true) == large + 8 * capacity, "mine changed");
	mem_shrink(&grown, &capacity, 9000, 8);
	CHECK(usage_now().now == usage.now - 8 * 10000 + 8 * 9000, "shrunk");
	mem_fail_after(0);
	CHECK(mem_grow(&grown, &capacity, 90000, 8, &err) < 0, "grown");
	mem_fail_after(-1);
	CHECK(usage_now().now == usage.now - 8 * 10000 + 8 * 9000, "after a failure");
	mem_free(p);
	mem_free(other);
	mem_free(small);
	mem_free(grown);
	CHECK(usage_now().now == before.now, "%" PRId64 " before, %" PRId64 " after", before.now,
	      usage_now().now);
}

/* Of reserved memory counts what is used. */
static void test_reserved(void)
{
	const int64_t before = usage_now().now;
	struct error err = { 0 };
	char *p = mem_reserve(1 << 20, 16, &err);

	CHECK(p && usage_now().now == before, "%" PRId64, usage_now().now - before);
	mem_use(p, 1000);
	mem_use(p, 5000);
	mem_use(p, 4000);
	CHECK(usage_now().now == before + 5000, "%" PRId64, usage_now().now - before);
	mem_free(p);
	CHECK(usage_now().now == before, "%" PRId64, usage_now().now - before);
}

/* Numbers that differ from element to element. */
static void fill(int64_t *array, int64_t from, int64_t to)
{
	for (int64_t i = from; i < to; i++)
		array[i] = i * 7 + 1;
}

static bool is_filled(const int64_t *array, int64_t n)
{
	while (n > 0 && array[n - 1] == (n - 1) * 7 + 1)
		n--;
	return n == 0;
}

/* Memory in large pages begins at one, and keeps its contents when it grows and shrinks. */
static void test_large(void)
{
	const int64_t before = usage_now().now;
	struct error err = { 0 };
	int64_t capacity = 1 << 19, *array = mem_large(capacity, 8, &err);

	CHECK(array && (uintptr_t)array % (2 << 20) == 0, "%p", (void *)array);
	CHECK(usage_now().now == before + 8 * capacity, "%" PRId64, usage_now().now - before);
	fill(array, 0, capacity);
	CHECK(mem_grow(&array, &capacity, 1 << 20, 8, &err) == 0, "%s", err.text);
	CHECK(is_filled(array, 1 << 19), "lost when it grew");
	mem_shrink(&array, &capacity, 1000, 8);
	CHECK(capacity == 1000 && is_filled(array, 1000), "lost when it shrank");
	mem_free(array);
	CHECK(usage_now().now == before, "%" PRId64, usage_now().now - before);
}

/* Threads read an array in a file while its pages are dropped. */
static void read_array(void *arg, int64_t task, int thread)
{
	(void)thread;
	if (task % 4 == 0)
		ledger_drop_pages();
	CHECK(is_filled(arg, 1 << 20), "task %" PRId64, task);
}

/* A bound that leaves no room: all arrays of a megabyte are in files, with all their contents. */
static void test_spill(void)
{
	const struct mem_usage before = usage_now();
	struct error err = { 0 };
	int64_t capacity = 1000, *array = mem_array(capacity, 8, &err);
	char *zeroed;

	fill(array, 0, 1000);
	CHECK(mem_set_bound(1 << 20, "/tmp", "advice", &err) == 0 && mem_bound() == 1 << 20, "%s",
	      err.text);
	CHECK(mem_grow(&array, &capacity, 1 << 18, 8, &err) == 0, "%s", err.text);
	CHECK(usage_now().in_files == before.in_files + 8 * capacity, "not in a file");
	CHECK(usage_now().now == before.now, "%" PRId64, usage_now().now);
	CHECK(is_filled(array, 1000), "lost on the way to the file");
	fill(array, 1000, 1 << 18);
	CHECK(mem_grow(&array, &capacity, 1 << 20, 8, &err) == 0, "%s", err.text);
	fill(array, 1 << 18, 1 << 20);
	thread_parallel_for(3, 16, read_array, array);
	mem_shrink(&array, &capacity, 1 << 19, 8);
	CHECK(capacity == 1 << 19 && is_filled(array, 1 << 19), "shrunk");
	zeroed = mem_zeroed(1 << 20, 2, &err);
	CHECK(zeroed && all_zero((uint8_t *)zeroed, 1 << 21), "%s", err.text);
	CHECK(usage_now().in_files == before.in_files + (8 << 19) + (2 << 20), "two files");
	mem_free(zeroed);
	mem_free(array);
	CHECK(usage_now().in_files == before.in_files, "left in files");
	CHECK(mem_set_bound(1 << 20, "/dev/null/none", "advice", &err) == 0, "%s", err.text);
	CHECK(!mem_array(1 << 20, 2, &err) && err.code == ERR_IO, "%d", err.code);
	CHECK(strstr(err.text, "/dev/null/none"), "%s", err.text);
	err.code = ERR_NONE;
	mem_set_bound(0, NULL, "advice", &err);
	CHECK(mem_room() == INT64_MAX, "no bound");
}

/* What is held back for reserved memory is not counted again when that is taken. */
static void test_held(void)
{
	struct error err = { 0 };
	int64_t half;
	char *p;

	CHECK(mem_set_bound(1 << 30, "/tmp", "advice", &err) == 0, "%s", err.text);
	half = mem_room() / 2;
	mem_hold_back(half);
	CHECK(half > 100 << 20, "%" PRId64, half);
	CHECK(spill_wanted((size_t)half + (1 << 20), false), "not held");
	CHECK(!spill_wanted((size_t)half + (1 << 20), true), "held against itself");
	p = mem_reserve(half, 1, &err);
	CHECK(p && llabs(mem_room() - half) < 1 << 20, "%" PRId64, mem_room() - half);
	CHECK(!spill_wanted((size_t)half - (1 << 20), false), "counted twice");
	CHECK(spill_wanted((size_t)half + (1 << 20), true), "more than there is");
	mem_free(p);
	mem_set_bound(0, NULL, "advice", &err);
}

/* What is kept is never in a file; where it has no room, the bound that the error names has. */
static void test_kept(void)
{
	const struct mem_usage before = usage_now();
	const int64_t n = 20 << 20;
	struct error err = { 0 };
	long long bound = 0;
	char *p = mem_keep(n, 1, &err);

	CHECK(p && usage_now().now == before.now + n, "counted without a bound");
	mem_free(p);
	CHECK(mem_set_bound(n, "/tmp", "advice", &err) == 0, "%s", err.text);
	CHECK(!mem_keep(n, 1, &err) && err.code == ERR_ARGUMENT &&
		      sscanf(err.text, "a bound of 20 MB on memory is too small: %lld MB would do",
			     &bound) == 1,
	      "%s", err.text);
	err = (struct error){ 0 };
	CHECK(mem_set_bound(bound << 20, "/tmp", "advice", &err) == 0, "%s", err.text);
	p = mem_keep(n, 1, &err);
	CHECK(p && usage_now().in_files == before.in_files, "%lld: %s", bound, err.text);
	mem_free(p);
	mem_set_bound(0, NULL, "advice", &err);
}

/* Mappings of the process. */
static int n_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int n = 0;

	for (int byte; maps && (byte = getc(maps)) != EOF;)
		n += byte == '\n';
	if (maps)
		fclose(maps);
	return n;
}

/* Arrays in files leave no addresses behind, of which a process may have some 65,000 pieces. */
static void test_no_mapping_left(void)
{
	struct error err = { 0 };
	int before;

	CHECK(mem_set_bound(1 << 20, "/tmp", "advice", &err) == 0, "%s", err.text);
	mem_free(mem_array((1 << 20) + 5000, 1, &err));
	before = n_mappings();
	for (int i = 0; i < 100; i++) {
		int64_t capacity = (1 << 20) + 5000;
		char *p = mem_array(capacity, 1, &err);

		CHECK(p && mem_grow(&p, &capacity, capacity + 100000, 1, &err) == 0, "%s",
		      err.text);
		mem_free(p);
	}
	CHECK(n_mappings() <= before + 10, "%d mappings, %d before", n_mappings(), before);
	mem_set_bound(0, NULL, "advice", &err);
}

/* What free(3) released is counted until its address comes again. */
static void test_stale_entry(void)
{
	static char place[1];
	const int64_t before = usage_now().now;
	const struct ledger_entry first = { .memory = place, .bytes = 1 << 20, .owner = "a" };
	const struct ledger_entry second = { .memory = place, .bytes = 1 << 17, .owner = "b" };
	struct ledger_entry found = { 0 };
	struct error err = { 0 };

	CHECK(ledger_add(&first, &err) == 0 && ledger_add(&second, &err) == 0, "%s", err.text);
	CHECK(usage_now().now == before + (1 << 17), "%" PRId64, usage_now().now - before);
	CHECK(ledger_remove(place, &found) && found.bytes == 1 << 17, "%zu", found.bytes);
	CHECK(!ledger_remove(place, &found), "twice");
	CHECK(usage_now().now == before, "%" PRId64, usage_now().now - before);
}

/* Takes and releases many pieces, of which up to a hundred are held at a time. */
static void use_ledger(void *arg, int64_t task, int thread)
{
	char *held[100] = { 0 };
	struct error err = { 0 };

	(void)thread;
	for (int k = 0; k < 20000; k++) {
		char **p = &held[(k * (7 + 2 * task)) % 100];

		mem_free(*p);
		*p = mem_array(k % 3 ? 64 << 10 : 100, 1, &err);
		if (!*p)
			atomic_fetch_add((atomic_int *)arg, 1);
	}
	for (int k = 0; k < 100; k++)
		mem_free(held[k]);
}

static void test_ledger_threads(void)
{
	const int64_t before = usage_now().now;
	atomic_int failures = 0;

	thread_parallel_for(4, 8, use_ledger, &failures);
	CHECK(failures == 0, "%d failed", failures);
	CHECK(usage_now().now == before, "%" PRId64 " bytes left", usage_now().now - before);
}

static void test_contents(void)
{
	for (int64_t n = 0; n < 300; n++) {
		struct error err = { 0 };
		uint8_t *plain = mem_array(n, 3, &err), *zeroed = mem_zeroed(n, 3, &err);
		uint8_t *aligned = mem_aligned(n, 3, &err);

		CHECK(plain && zeroed && aligned, "nothing for %" PRId64 ": %s", n, err.text);
		memset(plain, 1, (size_t)n * 3);
		CHECK(all_zero(zeroed, 3 * n), "%" PRId64 " not zeroed", n);
		CHECK(all_zero(aligned, 3 * n), "%" PRId64 " aligned, not zeroed", n);
		CHECK((uintptr_t)aligned % 64 == 0, "%p", (void *)aligned);
		free(plain);
		free(zeroed);
		free(aligned);
	}
}

static void test_grow(void)
{
	struct error err = { 0 };
	int64_t *array = NULL, capacity = 0, n_moves = 0;

	for (int64_t n = 0; n < 100000; n++) {
		int64_t before = capacity;

		CHECK(mem_grow(&array, &capacity, n + 1, sizeof(*array), &err) == 0, "%s",
		      err.text);
		CHECK(capacity > n, "%" PRId64 " elements for %" PRId64, capacity, n + 1);
		n_moves += capacity != before;
		CHECK(capacity == before || capacity - before >= before / 2,
		      "grew from %" PRId64 " to %" PRId64, before, capacity);
		array[n] = n;
	}
	CHECK(n_moves < 30, "%" PRId64 " moves", n_moves);
	mem_shrink(&array, &capacity, 5000, sizeof(*array));
	CHECK(capacity == 5000, "%" PRId64, capacity);
	mem_shrink(&array, &capacity, 6000, sizeof(*array));
	CHECK(capacity == 5000, "shrunk to %" PRId64, capacity);
	CHECK(mem_grow(&array, &capacity, 90000, sizeof(*array), &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < 5000; i++)
		CHECK(array[i] == i, "%" PRId64 " at %" PRId64, array[i], i);
	mem_shrink(&array, &capacity, 0, sizeof(*array));
	CHECK(array && capacity == 0, "%" PRId64 " elements", capacity);
	free(array);
}

static void test_failed_grow(void)
{
	struct error err = { 0 };
	int64_t capacity = 0;
	char *text = NULL, *before;

	CHECK(mem_grow(&text, &capacity, 4, 1, &err) == 0, "%s", err.text);
	strcpy(text, "abc");
	before = text;
	mem_fail_after(0);
	CHECK(mem_grow(&text, &capacity, capacity, 1, &err) == 0, "failed, though it held enough");
	CHECK(mem_grow(&text, &capacity, 1000, 1, &err) == -1 && err.code == ERR_MEMORY, "%s",
	      err.text);
	mem_shrink(&text, &capacity, 4, 1);
	mem_fail_after(-1);
	CHECK(text == before && capacity >= 16 && !strcmp(text, "abc"), "'%s', %" PRId64, text,
	      capacity);
	free(text);
}

static void test_fail_after(void)
{
	for (int allowed = 0; allowed < 9; allowed++) {
		mem_fail_after(allowed);
		for (int i = 0; i < 12; i++) {
			struct error err = { 0 };
			void *p = take_or_grow(i % (MEM_RESERVED + 2), 10, 8, &err);

			CHECK(i < allowed ? p != NULL : !p && err.code == ERR_MEMORY,
			      "allocation %d of %d allowed: %p", i, allowed, p);
			free(p);
		}
	}
	mem_fail_after(-1);
	free(mem_array(1, 1, &(struct error){ 0 }));
}

static void take_memory(void *arg, int64_t i, int thread)
{
	struct error err = { 0 };
	void *p = mem_array(1, 1, &err);

	(void)i;
	(void)thread;
	atomic_fetch_add((atomic_int *)arg, p != NULL);
	free(p);
}

static void test_fail_after_on_threads(void)
{
	atomic_int n_had = 0;

	mem_fail_after(3000);
	thread_parallel_for(8, 10000, take_memory, &n_had);
	mem_fail_after(-1);
	CHECK(n_had == 3000, "%d allocations of 3000", n_had);
}

/* ---- Parallel loops ---- */

enum { MAX_TASKS = 2000 };

struct visits {
	int n_threads;
	atomic_int count[MAX_TASKS];
	atomic_int busy[THREAD_MAX]; /* tasks that run under a thread's number */
	int64_t last[THREAD_MAX];    /* that thread's last task */
};

static void visit(void *arg, int64_t i, int thread)
{
	struct visits *v = arg;

	if (!CHECK(thread >= 0 && thread < v->n_threads, "thread %d of %d", thread, v->n_threads))
		return;
	CHECK(atomic_fetch_add(&v->busy[thread], 1) == 0, "two tasks are thread %d", thread);
	CHECK(i > v->last[thread], "%" PRId64 " after %" PRId64, i, v->last[thread]);
	v->last[thread] = i;
	atomic_fetch_add(&v->count[i], 1);
	atomic_fetch_sub(&v->busy[thread], 1);
}

static void visit_all(int n_threads, int64_t n)
{
	static struct visits v;

	memset(&v, 0, sizeof(v));
	v.n_threads = n_threads < THREAD_MAX ? n_threads : THREAD_MAX;
	for (int t = 0; t < THREAD_MAX; t++)
		v.last[t] = -1;
	thread_parallel_for(n_threads, n, visit, &v);
	for (int64_t i = 0; i < MAX_TASKS; i++)
		CHECK(v.count[i] == (i < n), "task %" PRId64 " of %" PRId64 " done %d times on %d",
		      i, n, v.count[i], n_threads);
}

static void visit_each(void *arg, int64_t i, void *room)
{
	int64_t *own = room;

	*own = i; /* no other thread writes here before it is read */
	atomic_fetch_add(&((struct visits *)arg)->count[*own], 1);
}

/* thread_each() visits each place once, whatever a task has of them. */
static void test_each(void)
{
	static struct visits v;

	for (int64_t n = 0; n < 40; n++)
		for (int64_t grain = 1; grain < 20; grain += 6) {
			struct error err = { 0 };

			memset(&v, 0, sizeof(v));
			CHECK(thread_each(4, n, grain, sizeof(n), visit_each, &v, &err) == 0, "%s",
			      err.text);
			for (int64_t i = 0; i < 60; i++)
				CHECK(v.count[i] == (i < n), "%" PRId64 " of %" PRId64, i, n);
		}
}

static void test_parallel_for(void)
{
	static const int64_t sizes[] = { 0, 1, 2, 7, 8, 9, 100, MAX_TASKS };

	for (int n_threads = 1; n_threads <= 8; n_threads++)
		for (int i = 0; i < LENGTH(sizes); i++)
			visit_all(n_threads, sizes[i]);
	visit_all(THREAD_MAX, MAX_TASKS);
	visit_all(THREAD_MAX + 50, MAX_TASKS);
}

/* A team does many loops, of any size, one after the other; and again after having slept. */
static void test_team(void)
{
	static const int64_t sizes[] = { 0, 1, 2, 7, 100, MAX_TASKS };
	struct timespec nap = { 0, 5000000 };
	struct error err = { 0 };

	for (int n_threads = 1; n_threads <= 4; n_threads++) {
		struct thread_team *team = thread_team_start(n_threads, &err);

		CHECK((team == NULL) == (n_threads == 1), "%d threads: %s", n_threads, err.text);
		for (int round = 0; round < 200; round++) {
			static struct visits v;
			int64_t n = sizes[round % LENGTH(sizes)];

			memset(&v, 0, sizeof(v));
			v.n_threads = n_threads;
			for (int t = 0; t < THREAD_MAX; t++)
				v.last[t] = -1;
			thread_team_for(team, n, visit, &v);
			for (int64_t i = 0; i < MAX_TASKS; i++)
				CHECK(v.count[i] == (i < n),
				      "task %" PRId64 " of %" PRId64 " done %d times", i, n,
				      v.count[i]);
			if (round % 50 == 0)
				nanosleep(&nap, NULL);
		}
		thread_team_stop(team);
	}
	mem_fail_after(0);
	CHECK(!thread_team_start(2, &err) && err.code == ERR_MEMORY, "code %d", err.code);
	mem_fail_after(-1);
}

/* Tasks of very different lengths; those from 'first_bad' on fail, each with its number. */
struct ordered {
	int64_t first_bad, n_delivered;
	int n_threads;
	bool done[300], in_order;
};

static int ordered_task(void *arg, int64_t i, int thread, struct error *err)
{
	struct ordered *o = arg;
	volatile int work = 0;

	for (int64_t k = 0; k < i * 37 % 101 * 300; k++)
		work++;
	o->done[i] = thread >= 0 && thread < o->n_threads;
	return i < o->first_bad ? 0 : error_set(err, ERR_NUMERIC, "task %" PRId64, i);
}

static void ordered_deliver(void *arg, int64_t i)
{
	struct ordered *o = arg;

	o->in_order = o->in_order && o->done[i] && i == o->n_delivered;
	o->n_delivered++;
}

static void test_ordered_for(void)
{
	static const int64_t sizes[] = { 0, 1, 2, 300 }, first_bad[] = { 300, 0, 1, 150, 299 };

	for (int n_threads = 1; n_threads <= 4; n_threads++)
		for (int k = 0; k < 4 * 5; k++) {
			struct ordered o = { .first_bad = first_bad[k % 5],
					     .n_threads = n_threads,
					     .in_order = true };
			int64_t n = sizes[k / 5], wanted = n < o.first_bad ? n : o.first_bad;
			struct error err = { 0 };
			char text[32];
			int ret = thread_ordered_for(n_threads, n, ordered_task, ordered_deliver,
						     &o, &err);

			CHECK((ret < 0) == (wanted < n), "%d of %" PRId64, ret, n);
			CHECK(o.in_order && o.n_delivered == wanted, "%" PRId64 " delivered",
			      o.n_delivered);
			snprintf(text, sizeof(text), "task %" PRId64, wanted);
			CHECK(ret == 0 || (err.code == ERR_NUMERIC && !strcmp(err.text, text)),
			      "%s", err.text);
		}
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", name);
}

/* The least limit on the way up counts; "max", and files that are not there, are none. */
static void test_control_group(void)
{
	put("process", "4:memory:/x\n0::/a/b\n");
	CHECK(mkdir("limits", 0777) == 0 && mkdir("limits/a", 0777) == 0 &&
		      mkdir("limits/a/b", 0777) == 0,
	      "no folders");
	CHECK(isinf(control_group_limit("cpu.max", "process", "limits")), "a limit of nothing");
	put("limits/a/b/cpu.max", "max 100000\n");
	put("limits/cpu.max", "400000 100000\n");
	CHECK(control_group_limit("cpu.max", "process", "limits") == 4,
	      "not that of the uppermost");
	put("limits/a/cpu.max", "150000 100000\n");
	CHECK(control_group_limit("cpu.max", "process", "limits") == 1.5, "not that between");
	put("limits/a/b/memory.max", "123456789012\n");
	CHECK(control_group_limit("memory.max", "process", "limits") == 123456789012,
	      "not its own");
	put("process", "0::/\n");
	CHECK(control_group_limit("cpu.max", "process", "limits") == 4, "a container's");
	CHECK(control_group_limit("cpu.max", "no file", "limits") == 4, "without a group");
}

static void test_default_count(void)
{
	cpu_set_t all, one;
	int n = thread_default_count();
	double quota;

	CHECK(n >= 1 && n <= THREAD_MAX, "%d threads", n);
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	quota = control_group_limit("cpu.max", CONTROL_GROUP_OF_PROCESS, CONTROL_GROUP_LIMITS);
	CHECK(n == CPU_COUNT(&all) || n == THREAD_MAX || n == ceil(quota), "%d threads on %d cores",
	      n, CPU_COUNT(&all));
	CPU_ZERO(&one);
	for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&one) == 0; c++)
		if (CPU_ISSET(c, &all))
			CPU_SET(c, &one);
	sched_setaffinity(0, sizeof(one), &one);
	CHECK(thread_default_count() == 1, "%d threads on one core", thread_default_count());
	sched_setaffinity(0, sizeof(all), &all);
}

/* ---- Pipelines ---- */

enum { MAX_PIECES = 200, NEVER = MAX_PIECES };

struct piece {
	int number;
	bool worked;
};

struct trial {
	uint32_t seed;
	int n_pieces;
	int take_fails, deliver_fails; /* at this piece, or NEVER */
	bool work_fails[MAX_PIECES + 1];
	int n_taken, n_delivered;
	atomic_int taking, delivering;
};

/* Up to 'most' microseconds, differently for each piece and step, none for every fourth. */
static void dawdle(const struct trial *t, int piece, uint32_t step, useconds_t most)
{
	uint64_t place = (uint32_t)piece | (uint64_t)step << 32;
	uint32_t random = rng_draw(t->seed, (enum rng_stream)0, place, 0).w[0];

	if (random % 4)
		usleep(random / 4 % most);
}

static int take_number(void *arg, void *slot, struct error *err)
{
	struct trial *t = arg;
	int number = t->n_taken++;

	CHECK(atomic_fetch_add(&t->taking, 1) == 0, "two threads take");
	dawdle(t, number, 1, 50);
	atomic_fetch_sub(&t->taking, 1);
	if (number == t->take_fails)
		return error_set(err, ERR_IO, "take %d", number);
	if (number >= t->n_pieces)
		return 0;
	*(struct piece *)slot = (struct piece){ .number = number };
	return 1;
}

static int work_on_number(void *arg, void *slot, struct error *err)
{
	struct trial *t = arg;
	struct piece *piece = slot;

	CHECK(!piece->worked, "piece %d worked on twice", piece->number);
	dawdle(t, piece->number, 2, 300);
	piece->worked = true;
	if (t->work_fails[piece->number])
		return error_set(err, ERR_FORMAT, "work %d", piece->number);
	return 0;
}

static int deliver_number(void *arg, void *slot, struct error *err)
{
	struct trial *t = arg;
	struct piece *piece = slot;

	CHECK(atomic_fetch_add(&t->delivering, 1) == 0, "two threads deliver");
	CHECK(piece->worked && piece->number == t->n_delivered, "piece %d delivered, not %d",
	      piece->number, t->n_delivered);
	dawdle(t, piece->number, 3, 50);
	atomic_fetch_sub(&t->delivering, 1);
	if (piece->number == t->deliver_fails)
		return error_set(err, ERR_ARGUMENT, "deliver %d", piece->number);
	t->n_delivered++;
	return 0;
}

static int run_trial(struct trial *t, int n_threads, struct error *err)
{
	struct pipeline steps = { take_number, work_on_number, deliver_number, t };
	struct piece pieces[8];

	return pipeline_run(&steps, pieces, sizeof(*pieces), n_threads, err);
}

static void test_pipeline_order(void)
{
	static const int sizes[] = { 0, 1, 3, MAX_PIECES };

	for (int n_threads = 1; n_threads <= 8; n_threads++)
		for (int i = 0; i < LENGTH(sizes); i++) {
			struct trial t = { .seed = (uint32_t)n_threads,
					   .n_pieces = sizes[i],
					   .take_fails = -1,
					   .deliver_fails = NEVER };
			struct error err = { 0 };

			CHECK(run_trial(&t, n_threads, &err) == 0, "%s", err.text);
			CHECK(t.n_delivered == t.n_pieces, "%d of %d pieces on %d threads",
			      t.n_delivered, t.n_pieces, n_threads);
			CHECK(t.n_taken <= t.n_pieces + 1, "asked %d times for %d pieces",
			      t.n_taken, t.n_pieces);
		}
}

/* Failures at random, at most one place to a piece; 'first' is the earliest. */
static void plan_failures(struct trial *t, char *first, size_t size)
{
	int piece = NEVER;

	*t = (struct trial){ .seed = (uint32_t)random_bits(),
			     .n_pieces = 60,
			     .take_fails = 30 + (int)random_below(60),
			     .deliver_fails = (int)random_below(60) };
	for (int i = 0; i < 5; i++)
		t->work_fails[random_below(60)] = true;
	for (int i = t->n_pieces; i >= 0; i--)
		if (t->work_fails[i] || i == t->take_fails || i == t->deliver_fails)
			piece = i;
	snprintf(first, size, "%s %d",
		 piece == t->take_fails ? "take" :
		 t->work_fails[piece]	? "work" :
					  "deliver",
		 piece);
}

static void test_first_failure_wins(void)
{
	for (int trial = 0; trial < 150; trial++) {
		int n_threads = 1 + trial % 8;
		struct error err = { 0 };
		struct trial t;
		char first[40];

		plan_failures(&t, first, sizeof(first));
		CHECK(run_trial(&t, n_threads, &err) == -1, "no failure");
		CHECK(!strcmp(err.text, first), "'%s' before '%s' on %d threads", err.text, first,
		      n_threads);
		CHECK(t.n_delivered == atoi(strchr(first, ' ')), "%d pieces delivered before %s",
		      t.n_delivered, first);
		CHECK(err.code == (*first == 't' ? ERR_IO :
				   *first == 'w' ? ERR_FORMAT :
						   ERR_ARGUMENT),
		      "code %d for %s", err.code, first);
	}
}

static int take_few(void *arg, void *slot, struct error *err)
{
	(void)slot;
	(void)err;
	return (*(int *)arg)++ < 20;
}

static void test_missing_steps(void)
{
	int taken = 0;
	struct pipeline steps = { .take = take_few, .arg = &taken };
	struct error err = { 0 };

	CHECK(pipeline_run(&steps, NULL, 0, 3, &err) == 0 && taken == 21, "%d taken", taken);
}

/* ---- Random numbers ---- */

static void test_known_answers(void)
{
	static const struct {
		uint32_t c[4], k[2], w[4];
	} known[] = {
		{ { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
		  { 0xffffffff, 0xffffffff },
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
		  { 0xa4093822, 0x299f31d0 },
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};

	for (int i = 0; i < LENGTH(known); i++) {
		const uint32_t *c = known[i].c, *k = known[i].k;
		struct rng_block block =
			rng_draw(k[0] | (uint64_t)k[1] << 32, (enum rng_stream)c[3],
				 c[0] | (uint64_t)c[1] << 32, c[2]);

		CHECK(!memcmp(block.w, known[i].w, sizeof(block.w)), "answer %d: %08x %08x ...", i,
		      block.w[0], block.w[1]);
	}
	/* the third through the words that rng_draw() makes them of */
	CHECK(rng_draw(UINT64_C(0x299f31d0a4093822), (enum rng_stream)0x03707344,
		       UINT64_C(0x85a308d3243f6a88), 0x13198a2e)
			      .w[3] == 0x24126ea1,
	      "counter or key in another order");
}

/* The numbers that the GNU C library has printed since 1991; there, those of rand() for all seeds. */
static void test_glibc_rand(void)
{
	static const int32_t known[] = { 1804289383, 846930886, 1681692777, 1714636915,
					 1957747793 };
	static const unsigned seeds[] = {
		0, 1, 2, 42, INT_MAX - 1, INT_MAX, INT_MAX + 1u, INT_MAX + 2u, 3000000000, UINT_MAX
	};
	struct glibc_rand r;

	glibc_rand_seed(&r, 1);
	for (int i = 0; i < LENGTH(known); i++) {
		int32_t drawn = glibc_rand_next(&r);

		CHECK(drawn == known[i], "number %d: %d", i, drawn);
	}
	for (int k = 0; k < LENGTH(seeds); k++) {
		glibc_rand_seed(&r, seeds[k]);
		srand(seeds[k]);
#ifdef __GLIBC__
		for (int i = 0; i < 1000; i++) {
			int own = glibc_rand_next(&r), theirs = rand();

			CHECK(own == theirs, "seed %u, number %d: %d, not %d", seeds[k], i, own,
			      theirs);
		}
#endif
		CHECK(glibc_rand_next(NULL) >= 0, "rand() itself");
	}
}

static void test_derived_draws(void)
{
	struct rng_block block = { { 0x89abcdef, 0x01234567, 1, 2 } };

	CHECK(rng_first64(block) == UINT64_C(0x0123456789abcdef), "%" PRIx64, rng_first64(block));
	CHECK(rng_unit(0) == 0x1p-53, "%a", rng_unit(0));
	CHECK(rng_unit(UINT64_MAX) == 1 - 0x1p-53, "%a", rng_unit(UINT64_MAX));
	CHECK(rng_unit(UINT64_C(1) << 63) == 0.5 + 0x1p-53, "%a", rng_unit(UINT64_C(1) << 63));
}

enum { MAX_IDS = 300 };

struct draw {
	struct rng_place place;
	int64_t n, m;
	int64_t id[MAX_IDS];
};

static void make_draw(struct draw *d)
{
	d->place.seed = random_bits();
	d->place.stream = random_below(2) ? RNG_FIRST_SAMPLE : RNG_LATER_SAMPLE;
	d->place.i = random_bits(); /* not to be used */
	d->place.b = (uint32_t)random_bits();
	d->n = random_below(MAX_IDS) + 1;
	d->m = random_below(4) ? random_below(d->n + 1) : random_below(2) * d->n;
	for (int64_t i = 0; i < d->n; i++)
		d->id[i] = random_below(4) ? i : random_below(INT64_MAX);
}

static uint64_t key_of(const struct draw *d, int64_t id)
{
	return rng_first64(rng_draw(d->place.seed, d->place.stream, (uint64_t)id, d->place.b));
}

/* How many ids of the draw come before this one. */
static int64_t rank_of(const struct draw *d, int64_t id)
{
	uint64_t key = key_of(d, id);
	int64_t rank = 0;

	for (int64_t i = 0; i < d->n; i++) {
		uint64_t other = key_of(d, d->id[i]);

		rank += other < key || (other == key && d->id[i] < id);
	}
	return rank;
}

static void shuffle(int64_t *id, int64_t n)
{
	for (int64_t i = n - 1; i > 0; i--) {
		int64_t j = random_below(i + 1), t = id[i];

		id[i] = id[j];
		id[j] = t;
	}
}

static int compare_ids(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_subset(const struct draw *d, const int64_t *got)
{
	int64_t all[MAX_IDS], expected[MAX_IDS];
	size_t bytes = (size_t)d->n * sizeof(*all);

	for (int64_t i = 0; i < d->m; i++) {
		CHECK(rank_of(d, got[i]) < d->m, "id %" PRId64 " is not among the smallest",
		      got[i]);
		CHECK(i == 0 || got[i] > got[i - 1], "not ascending at %" PRId64, i);
	}
	memcpy(all, got, bytes);
	memcpy(expected, d->id, bytes);
	qsort(all, (size_t)d->n, sizeof(*all), compare_ids);
	qsort(expected, (size_t)d->n, sizeof(*all), compare_ids);
	CHECK(!memcmp(all, expected, bytes), "other ids than were given");
}

/* Many draws at once have the bits of one at a time. */
static void test_many_draws(void)
{
	enum { MOST = 70, ROOM = 80 };
	struct rng_place place = { .seed = 0xfedcba9876543210u, .stream = RNG_GAUSSIAN };
	struct rng_block block[MOST];
	uint32_t i[ROOM], w[4][ROOM];
	double z[2 * MOST], one[2];

	for (int round = 0; round < 200; round++) {
		int64_t n = 1 + round % MOST;

		place.i = UINT64_C(0x1000000ff) * (uint64_t)round;
		place.b = 0x9e3779b9u * (uint32_t)round;
		for (int64_t e = 0; e < n; e++)
			i[e] = 2654435769u * (uint32_t)(e + round);
		rng_fill_each(&place, i, n, w[0], ROOM);
		rng_fill_blocks(&place, n, block);
		rng_fill_normals(&place, n, z);
		for (int64_t e = 0; e < n; e++) {
			struct rng_block by_i = rng_draw(place.seed, place.stream, i[e], place.b);
			struct rng_block by_b =
				rng_draw(place.seed, place.stream, place.i, place.b + (uint32_t)e);

			for (int k = 0; k < 4; k++)
				CHECK(w[k][e] == by_i.w[k] && block[e].w[k] == by_b.w[k],
				      "round %d, draw %" PRId64 ", word %d", round, e, k);
			rng_normals(by_b, one);
			CHECK(!memcmp(one, z + 2 * e, sizeof(one)), "%a %a, not %a %a", z[2 * e],
			      z[2 * e + 1], one[0], one[1]);
		}
	}
}

static void test_subset(void)
{
	struct error err = { 0 };
	struct draw d;
	int64_t got[MAX_IDS], again[MAX_IDS];

	for (int trial = 0; trial < 150; trial++) {
		make_draw(&d);
		memcpy(got, d.id, sizeof(got));
		CHECK(rng_subset(&d.place, got, d.n, d.m, &err) == 0, "%s", err.text);
		check_subset(&d, got);
		memcpy(again, d.id, sizeof(again));
		shuffle(again, d.n);
		CHECK(rng_subset(&d.place, again, d.n, d.m, &err) == 0, "%s", err.text);
		CHECK(!memcmp(got, again, (size_t)d.m * sizeof(*got)),
		      "another order, another set");
	}
	CHECK(rng_subset(&d.place, got, 0, 0, &err) == 0, "%s", err.text);
}

static void test_subset_memory(void)
{
	struct error err = { 0 };
	const struct rng_place place = { .seed = 1, .stream = RNG_FIRST_SAMPLE };
	int64_t id[3] = { 3, 1, 2 };

	mem_fail_after(0);
	CHECK(rng_subset(&place, id, 3, 2, &err) == -1 && err.code == ERR_MEMORY, "%s", err.text);
	mem_fail_after(-1);
	CHECK(id[0] == 3 && id[1] == 1 && id[2] == 2, "ids touched");
}

/* Draws differ in every one of their parts. */
static void test_draws_differ(void)
{
	uint64_t base = rng_first64(rng_draw(1, RNG_FIRST_SAMPLE, 5, 7));
	uint64_t others[] = {
		rng_first64(rng_draw(2, RNG_FIRST_SAMPLE, 5, 7)),
		rng_first64(rng_draw(1 + (UINT64_C(1) << 32), RNG_FIRST_SAMPLE, 5, 7)),
		rng_first64(rng_draw(1, RNG_LATER_SAMPLE, 5, 7)),
		rng_first64(rng_draw(1, RNG_FIRST_SAMPLE, 6, 7)),
		rng_first64(rng_draw(1, RNG_FIRST_SAMPLE, 5 + (UINT64_C(1) << 32), 7)),
		rng_first64(rng_draw(1, RNG_FIRST_SAMPLE, 5, 8)),
	};

	for (int i = 0; i < LENGTH(others); i++)
		CHECK(others[i] != base, "draw %d is the same", i);
}

enum { IDS = 20, CHOSEN = 7, DRAWS = 20000 };

static void count_draws(double count[IDS], double pairs[IDS][IDS])
{
	for (uint32_t b = 0; b < DRAWS; b++) {
		const struct rng_place place = { .seed = 42, .stream = RNG_LATER_SAMPLE, .b = b };
		struct error err = { 0 };
		int64_t id[IDS];

		for (int i = 0; i < IDS; i++)
			id[i] = i;
		rng_subset(&place, id, IDS, CHOSEN, &err);
		for (int i = 0; i < CHOSEN; i++)
			for (int j = 0; j < CHOSEN; j++)
				*(i == j ? &count[id[i]] : &pairs[id[i]][id[j]]) += 1;
	}
}

/* Single ids and pairs come as often as they should: the sums are near chi-square. */
static void test_uniformity(void)
{
	double count[IDS] = { 0 }, pairs[IDS][IDS] = { 0 }, singles = 0, doubles = 0;
	double p = (double)CHOSEN / IDS, q = p * (CHOSEN - 1) / (IDS - 1);
	double freedom = IDS - 1, pair_freedom = IDS * (IDS - 1) / 2.0;

	count_draws(count, pairs);
	for (int i = 0; i < IDS; i++) {
		singles += pow(count[i] - DRAWS * p, 2) / (DRAWS * p * (1 - p)) * freedom / IDS;
		for (int j = 0; j < i; j++)
			doubles += pow(pairs[i][j] - DRAWS * q, 2) / (DRAWS * q * (1 - q));
	}
	CHECK(fabs(singles - freedom) < 4 * sqrt(2 * freedom), "%g for %g", singles, freedom);
	CHECK(fabs(doubles - pair_freedom) < 5 * sqrt(2 * pair_freedom), "%g for %g", doubles,
	      pair_freedom);
}

int main(void)
{
	test_first_error_is_kept();
	test_long_error();
	test_quote();
	test_quote_every_byte();
	test_impossible_sizes();
	test_room();
	test_copy();
	test_ledger();
	test_reserved();
	test_large();
	test_spill();
	test_held();
	test_kept();
	test_no_mapping_left();
	test_stale_entry();
	test_ledger_threads();
	test_contents();
	test_grow();
	test_failed_grow();
	test_fail_after();
	test_fail_after_on_threads();
	test_parallel_for();
	test_each();
	test_team();
	test_ordered_for();
	test_control_group();
	test_default_count();
	test_pipeline_order();
	test_first_failure_wins();
	test_missing_steps();
	test_known_answers();
	test_glibc_rand();
	test_derived_draws();
	test_many_draws();
	test_subset();
	test_subset_memory();
	test_draws_differ();
	test_uniformity();
	return unit_report("base");
}
