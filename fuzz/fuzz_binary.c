/*
 * fuzz_binary.c - any bytes as examples in binary form
 *
 * As they are, and with all checksums and totals made right, so that what lies behind them is
 * reached.  What is read are rows that keep their promises, the same in batches of any size;
 * written and read again they are the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "csr_check.h"
#include "io/binary.h"
#include "io/gzip.h"
#include "io/rows.h"
#include "matrix/dataset.h"
#include "require.h"

static uint64_t get(const uint8_t *p, int size)
{
	uint64_t n = 0;

	for (int i = size - 1; i >= 0; i--)
		n = n << 8 | p[i];
	return n;
}

static void put(uint8_t *p, uint64_t n, int size)
{
	for (int i = 0; i < size; i++)
		p[i] = (uint8_t)(n >> 8 * i);
}

static void put_checksum(uint8_t *header, int size)
{
	put(header + size - 4, checksum_crc32(0, header, size - 4), 4);
}

/* The bytes of a block, its header included; more than there are if they cannot be counted. */
static uint64_t block_size(const uint8_t *header, uint64_t value_size)
{
	uint64_t rows = get(header + 4, 4), entries = get(header + 8, 8);

	if (entries > 1 << 20)
		return UINT64_MAX;
	return 32 + rows * 8 + entries * value_size +
	       (get(header + 16, 4) == 1 ? 0 : rows * 4 + entries * 4);
}

/* Blocks and end mark from 'p' on made right, as far as they are there; returns where that ends. */
static uint8_t *repair_blocks(uint8_t *p, uint8_t *end, uint64_t value_size)
{
	uint64_t rows = 0, entries = 0, blocks = 0;
	uint32_t chain = 0;

	for (; end - p >= 32 && memcmp(p, "ROWS", 4) == 0; blocks++) {
		uint64_t size = block_size(p, value_size);
		bool whole = size <= (uint64_t)(end - p);

		if (whole)
			put(p + 24, checksum_crc32(0, p + 32, (int64_t)size - 32), 4);
		put_checksum(p, 32);
		chain = checksum_crc32(chain, p + 28, 4);
		rows += get(p + 4, 4);
		entries += get(p + 8, 8);
		if (!whole)
			return end;
		p += size;
	}
	if (end - p < 32 || memcmp(p, "ENDS", 4) != 0)
		return end;
	put(p + 4, chain, 4);
	put(p + 8, rows, 8);
	put(p + 16, entries, 8);
	put(p + 24, blocks, 4);
	put_checksum(p, 32);
	return p + 32;
}

static void repair(uint8_t *p, uint8_t *end)
{
	while (end - p >= 24) {
		memcpy(p, "\x93ROWS\r\n\x1a\4\3\2\1\1\0\0\0", 16);
		put_checksum(p, 24);
		p = repair_blocks(p + 24, end, get(p + 16, 4));
	}
}

static int append(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct dataset *d = arg;

	(void)user;
	if (mem_grow(&d->y, &d->labels_capacity, d->x.n_rows + b->n_rows, 8, err) < 0)
		return -1;
	memcpy(d->y + d->x.n_rows, b->label, (size_t)b->n_rows * 8);
	d->max_index = b->max_index > d->max_index ? b->max_index : d->max_index;
	return csr_append(&d->x, b->n_rows, b->row_start, b->index, b->value, err);
}

static int read_rows(struct dataset *d, const void *data, size_t size,
		     const struct rows_options *options, struct error *err)
{
	struct rows_visitor visitor = { .deliver = append, .arg = d };
	int fd = memfd_create("fuzz", 0), ret;
	struct input *input;
	char path[40];

	*d = (struct dataset){ 0 };
	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	REQUIRE(input_open(&input, path, err) == 0);
	ret = rows_scan(input, options, &visitor, 1, err);
	input_close(input);
	close(fd);
	return ret;
}

static bool same(const struct dataset *a, const struct dataset *b)
{
	size_t n = (size_t)a->x.n_rows, n_entries = (size_t)csr_n_entries(&a->x);

	if (a->x.n_rows != b->x.n_rows || csr_n_entries(&b->x) != (int64_t)n_entries)
		return false;
	if (n == 0)
		return true;
	return a->max_index == b->max_index && !memcmp(a->y, b->y, n * 8) &&
	       !memcmp(a->x.row_start, b->x.row_start, n * 8 + 8) &&
	       (n_entries == 0 || (!memcmp(a->x.col, b->x.col, n_entries * 4) &&
				   !memcmp(a->x.val, b->x.val, n_entries * 8)));
}

static void require_round_trip(const struct dataset *d, const struct rows_options *options)
{
	struct row_batch b = { .n_rows = d->x.n_rows,
			       .n_entries = csr_n_entries(&d->x),
			       .label = d->y,
			       .row_start = d->x.row_start,
			       .index = d->x.col,
			       .value = d->x.val };
	struct binary_totals totals = { 0 };
	struct byte_buffer out = { 0 };
	struct error err = { 0 };
	struct dataset again;

	REQUIRE(binary_add_header(&out, 8, &err) == 0);
	REQUIRE(binary_add_rows(&out, &b, 8, &err) == 0);
	binary_count(&totals, out.bytes + 24, out.size - 24, 8);
	REQUIRE(binary_add_end(&out, &totals, &err) == 0);
	REQUIRE(read_rows(&again, out.bytes, (size_t)out.size, options, &err) == 0);
	REQUIRE(same(d, &again));
	dataset_free(&again);
	free(out.bytes);
}

static void try(const uint8_t *data, size_t size)
{
	for (int i = 0; i < 2; i++) {
		struct rows_options options = { .allow_nonfinite = i };
		struct error err = { 0 }, ignored = { 0 };
		struct dataset d, by_one;
		int ret = read_rows(&d, data, size, &options, &err);

		REQUIRE(ret == 0 || (err.code == ERR_FORMAT && *err.text));
		REQUIRE(i == 1 || csr_check(&d.x, &ignored) == 0);
		options.max_rows = 1;
		REQUIRE(read_rows(&by_one, data, size, &options, &err) == ret);
		REQUIRE(ret < 0 || same(&d, &by_one));
		if (ret == 0)
			require_round_trip(&d, &options);
		dataset_free(&d);
		dataset_free(&by_one);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	REQUIRE(copy);
	memcpy(copy, data, size);
	if (size > 0 && data[0] == BINARY_FIRST_BYTE)
		try(copy, size);
	repair(copy, copy + size);
	if (size >= 24)
		try(copy, size);
	free(copy);
	return 0;
}
