/*
 * test_dataset_file.c - rows kept in a file: as they were, or not at all
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/mem_ledger.h"
#include "failing.h"
#include "io/checksum.h"
#include "io/file_stamp.h"
#include "io/input.h"
#include "matrix/dataset_file.h"
#include "random.h"
#include "unit.h"

enum { HEADER = 136, LARGE = 6 << 20 };

static const struct dataset_file kept = { .path = "kept", .data = "data" };

static void put_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || (n > 0 && fwrite(bytes, n, 1, f) != 1) || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

/* The bytes of a file, in memory that the caller frees. */
static unsigned char *get_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	unsigned char *bytes;
	struct stat status;

	if (!f || fstat(fileno(f), &status) < 0 || status.st_size == 0) {
		perror(path);
		exit(1);
	}
	*n = (size_t)status.st_size;
	bytes = malloc(*n);
	if (!bytes || fread(bytes, *n, 1, f) != 1)
		exit(1);
	fclose(f);
	return bytes;
}

static uint32_t sum_of(const char *path)
{
	size_t n;
	unsigned char *bytes = get_file(path, &n);
	uint32_t sum = checksum_crc32(0, bytes, (int64_t)n);

	free(bytes);
	return sum;
}

/* Rows in text, some of them empty. */
static void make_data(const char *path, int n_rows)
{
	FILE *f = fopen(path, "w");

	for (int i = 0; f && i < n_rows; i++) {
		fprintf(f, "%g", random_unit());
		for (int j = i % 7; j < 7; j += 2)
			fprintf(f, " %d:%.17g", 3 * j + i % 3, random_unit());
		fprintf(f, "\n");
	}
	if (!f || fclose(f) != 0)
		exit(1);
}

static int read_data(struct dataset *d, const char *path, uint32_t *sum, struct error *err)
{
	const struct rows_options options = { 0 };
	struct input *input;
	int ret;

	if (input_open(&input, path, err) < 0)
		return -1;
	input_sum_bytes(input);
	ret = dataset_read(d, input, &options, NULL, 1, err);
	*sum = input_checksum(input);
	input_close(input);
	return ret;
}

static void expect_same(const struct dataset *a, const struct dataset *b)
{
	CHECK(a->x.n_rows == b->x.n_rows && a->x.n_cols == b->x.n_cols &&
		      a->max_index == b->max_index,
	      "%" PRId64 " rows, %" PRId64 " columns", b->x.n_rows, b->x.n_cols);
	CHECK(dataset_checksum(a) == dataset_checksum(b), "other rows");
}

/* Read the data, and keep the rows. */
static int keep(struct dataset *d, const struct dataset_file *where, struct error *err)
{
	struct dataset_file f = *where;
	uint32_t sum;
	int ret = -1;

	*d = (struct dataset){ 0 };
	if (dataset_file_begin(&f, err) == 0) {
		if (read_data(d, f.data, &sum, err) == 0)
			ret = dataset_file_commit(&f, d, sum, err);
		else
			output_discard(f.output);
	}
	return ret;
}

/* Map what is kept: 1, 0 or -1. */
static int map(struct dataset *d, const char **misfit)
{
	struct error err = { 0 };
	int ret;

	*d = (struct dataset){ 0 };
	ret = dataset_file_map(d, &kept, misfit, &err);
	CHECK((ret < 0) == (err.code != ERR_NONE), "%d, but '%s'", ret, err.text);
	return ret;
}

/* Kilobytes of the kept file that the page table of this process has. */
static long mapped_kilobytes(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[4400];
	bool is_kept = false;
	long sum = 0, n;

	while (f && fgets(line, sizeof(line), f)) {
		if (strchr(line, '-') && strchr(line, ':') && strspn(line, "0123456789abcdef") > 4)
			is_kept = strstr(line, "/kept") != NULL;
		if (is_kept && sscanf(line, "Rss: %ld", &n) == 1)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

static void test_round_trip(void)
{
	struct dataset d = { 0 }, first, second;
	struct mem_usage before, mapped;
	const char *misfit;
	struct error err = { 0 };
	uint32_t sum;

	make_data("data", 3000);
	CHECK(map(&first, &misfit) == 0 && !misfit, "there is no file yet");
	CHECK(read_data(&d, "data", &sum, &err) == 0, "%s", err.text);
	CHECK(sum == sum_of("data"), "%08" PRIx32, sum);
	CHECK(keep(&first, &kept, &err) == 1, "%s", err.text);
	expect_same(&d, &first);
	dataset_free(&first);
	mem_usage(&before);
	CHECK(map(&second, &misfit) == 1 && !misfit, "%s", misfit);
	expect_same(&d, &second);
	CHECK(csr_check(&second.x, &err) == 0, "%s", err.text);
	mem_usage(&mapped);
	CHECK(mapped.now == before.now, "%" PRId64 " bytes in memory", mapped.now - before.now);
	CHECK(mapped.in_files - before.in_files == 8 * 3000 + 8 * 3001 + 12 * csr_n_entries(&d.x),
	      "%" PRId64 " bytes", mapped.in_files - before.in_files);
	/* pages that are dropped come again, also when the file is gone */
	CHECK(mapped_kilobytes() > 100, "%ld kB", mapped_kilobytes());
	unlink("kept");
	ledger_drop_pages();
	CHECK(mapped_kilobytes() == 0, "%ld kB not dropped", mapped_kilobytes());
	expect_same(&d, &second);
	dataset_free(&second);
	mem_usage(&mapped);
	CHECK(mapped.in_files == before.in_files, "left in files");
	dataset_free(&d);
}

/* A kept file of these bytes, which is of no use: it is damaged, or refused where 'refused'. */
static void expect_useless(const unsigned char *bytes, size_t n, bool refused, const char *what)
{
	struct dataset d;
	const char *misfit;
	int ret;

	put_file("kept", bytes, n);
	ret = map(&d, &misfit);
	CHECK(ret == (refused ? -1 : 0) && (refused || misfit), "%s, %zu bytes: %d", what, n, ret);
	CHECK(d.x.n_rows == 0 && !d.y, "something is mapped");
}

/* The sum of the header is made good again, as no accident would. */
static void expect_useless_header(unsigned char *bytes, size_t n, size_t place, int64_t value)
{
	int64_t before;
	uint32_t sum;

	memcpy(&before, bytes + place, sizeof(before));
	memcpy(bytes + place, &value, sizeof(value));
	sum = checksum_crc32(0, bytes, HEADER - 4);
	memcpy(bytes + HEADER - 4, &sum, sizeof(sum));
	expect_useless(bytes, n, false, "another number");
	memcpy(bytes + place, &before, sizeof(before));
}

static void test_damage(void)
{
	const int64_t numbers[] = { -1, INT64_MIN, INT64_MAX,	     0,
				    1,	1 << 20,   INT64_C(1) << 48, INT64_C(1) << 61 };
	unsigned char *bytes;
	struct dataset d;
	struct error err = { 0 };
	const char *misfit;
	size_t n;

	make_data("data", 50);
	CHECK(keep(&d, &kept, &err) == 1, "%s", err.text);
	dataset_free(&d);
	bytes = get_file("kept", &n);
	for (size_t i = 0; i < 8 * HEADER; i++) {
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		expect_useless(bytes, n, i < 64, "a bit");
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	for (size_t size = 0; size <= HEADER; size++)
		expect_useless(bytes, size, false, "cut");
	for (size_t size = HEADER; size < n; size += 4099)
		expect_useless(bytes, size, false, "cut");
	for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++) {
		expect_useless_header(bytes, n, 16, numbers[k]);
		expect_useless_header(bytes, n, 24, numbers[k]);
	}
	expect_useless((const unsigned char *)"1 1:2\n", 6, true, "data");
	free(bytes);
	CHECK(keep(&d, &kept, &err) == 1, "%s", err.text);
	dataset_free(&d);
	CHECK(map(&d, &misfit) == 1, "%s", misfit);
	dataset_free(&d);
}

static void test_options(void)
{
	const struct rows_options others[] = { { .strict = true },
					       { .allow_nonfinite = true },
					       { .label_optional = true },
					       { .min_index = 1 },
					       { .max_index = 100 } };
	struct dataset d;
	struct error err = { 0 };

	CHECK(keep(&d, &kept, &err) == 1, "%s", err.text);
	dataset_free(&d);
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
		struct dataset_file f = kept;
		const char *misfit;

		f.options = others[k];
		CHECK(dataset_file_map(&d, &f, &misfit, &err) == 0 && misfit, "options %zu", k);
	}
}

/* The data change while they are read: nothing is kept, and what was kept before stays. */
static void test_changing_data(void)
{
	struct dataset_file f = kept;
	struct dataset d = { 0 };
	struct error err = { 0 };
	uint32_t sum = 0, before = sum_of("kept");

	CHECK(dataset_file_begin(&f, &err) == 0 && read_data(&d, "data", &sum, &err) == 0, "%s",
	      err.text);
	make_data("data", 51);
	CHECK(dataset_file_commit(&f, &d, sum, &err) == 0 && !f.output, "%s", err.text);
	CHECK(d.x.n_rows == 50 && sum_of("kept") == before, "%" PRId64 " rows", d.x.n_rows);
	dataset_free(&d);
}

static bool agrees(const struct file_stamp *stamp, const char *path)
{
	struct error err = { 0 };
	bool same;

	CHECK(file_stamp_agrees(stamp, path, &same, &err) == 0, "%s", err.text);
	return same;
}

/* 'stamp' as if the file had been left alone since. */
static void forge_times(struct file_stamp *stamp, const char *path)
{
	struct file_stamp now;
	struct error err = { 0 };

	CHECK(file_stamp_take(&now, path, &err) == 0, "%s", err.text);
	now.sample = stamp->sample;
	now.whole = stamp->whole;
	*stamp = now;
}

static void test_stamp(void)
{
	unsigned char *bytes = malloc(LARGE);
	struct file_stamp stamp;
	struct error err = { 0 };

	if (!bytes)
		exit(1);
	for (int i = 0; i < LARGE; i++)
		bytes[i] = (unsigned char)(random_below(256));
	for (size_t n = LARGE; n > 1000; n = n == LARGE ? LARGE / 2 : 1000) {
		const size_t places[] = { 0, 65535, n - 1 };

		put_file("large", bytes, n);
		CHECK(file_stamp_take(&stamp, "large", &err) == 0, "%s", err.text);
		stamp.whole = sum_of("large");
		CHECK(agrees(&stamp, "large"), "left alone");
		put_file("copy", bytes, n);
		CHECK(agrees(&stamp, "copy"), "a copy");
		put_file("copy", bytes, n - 1);
		CHECK(!agrees(&stamp, "copy"), "shorter");
		for (int k = 0; k < 3; k++) {
			bytes[places[k]] ^= 1;
			put_file("large", bytes, n);
			CHECK(!agrees(&stamp, "large"), "%zu bytes, changed at %zu", n, places[k]);
			forge_times(&stamp, "large");
			CHECK(!agrees(&stamp, "large"), "%zu bytes, sampled at %zu", n, places[k]);
			bytes[places[k]] ^= 1;
		}
	}
	CHECK(file_stamp_take(&stamp, ".", &err) < 0 && err.code == ERR_IO, "a folder");
	free(bytes);
}

static int keep_once(void *arg, struct error *err)
{
	struct dataset d;
	int ret = keep(&d, arg, err);

	dataset_free(&d);
	return ret < 0 ? -1 : 0;
}

static int map_once(void *arg, struct error *err)
{
	struct dataset d = { 0 };
	const char *misfit;
	int ret = dataset_file_map(&d, arg, &misfit, err);

	CHECK(ret != 0, "%s", misfit);
	dataset_free(&d);
	return ret < 0 ? -1 : 0;
}

static void test_memory(void)
{
	struct dataset_file f = kept;

	CHECK(fail_each_allocation("keep", keep_once, &f) > 4, "no allocation failed");
	CHECK(fail_each_allocation("map", map_once, &f) > 4, "no allocation failed");
}

int main(void)
{
	test_round_trip();
	test_damage();
	test_options();
	test_changing_data();
	test_stamp();
	test_memory();
	return unit_report("dataset_file");
}
