/*
 * binary_write.c - examples written in binary form
 *
 * How this works.  Rows become blocks, whose bytes any thread can make: a block depends on its rows
 * alone.  Where a block ends is decided from the first row on, by counts of rows and entries
 * (block_end), so the bytes of a file depend neither on threads nor on time.  What depends on the
 * order, the totals and the checksum of checksums at the end of a shard, is gathered by
 * binary_count() from the headers of blocks already made, on the one thread that writes them.
 *
 * The payload is written before its header, behind the room for it: the header holds the
 * payload's checksum.  The buffer's size grows last, so a failure leaves it as it was.
 *
 * The steps of a block, (1) to (4) on any thread, (5) on the thread that writes:
 *
 *  (1) block_end()        which rows: decided by counts alone
 *  (2) are_consecutive()  which layout: without columns where all rows have the same range of them
 *  (3) put_payload()      labels, values, and for the other layout lengths and columns
 *  (4) add_block()        header, with the checksum of the payload and one of itself
 *  (5) binary_count()     totals, from the header as a reader sees it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/binary_write.h"

#include <math.h>
#include <string.h>

#include "io/binary_form.h"

/* A block ends at so many rows or entries: 32 bytes of header for some 500 kB, and yet enough
 * blocks for all threads that read them */
#define BLOCK_FULL (1 << 16)

int binary_add_header(struct byte_buffer *out, int value_size, struct error *err)
{
	char header[HEADER_SIZE];

	memcpy(header, magic, sizeof(magic));
	put_32(header + 8, BYTE_ORDER_MARK);
	put_32(header + 12, VERSION);
	put_32(header + 16, (uint32_t)value_size);
	put_checksum(header, HEADER_SIZE);
	return byte_buffer_append(out, header, HEADER_SIZE, err);
}

/* (1): the end of a block that begins with row 'first'; it has one row at least, however long. */
static int64_t block_end(const struct row_batch *rows, int64_t first)
{
	int64_t end = first;

	do
		end++;
	while (end < rows->n_rows && end - first < BLOCK_FULL &&
	       rows->row_start[end + 1] - rows->row_start[first] <= BLOCK_FULL);
	return end;
}

/*
 * (2): do the rows first .. end - 1 hold the same consecutive columns?  Indices ascend strictly, so
 * a row of n entries whose last index is n - 1 above its first has no gap.
 */
static bool are_consecutive(const struct row_batch *rows, int64_t first, int64_t end)
{
	const int64_t *start = rows->row_start;
	int64_t n = start[first + 1] - start[first];

	for (int64_t i = first; i < end; i++)
		if (n == 0 || start[i + 1] - start[i] != n ||
		    rows->index[start[i]] != rows->index[start[first]] ||
		    rows->index[start[i + 1] - 1] - rows->index[start[i]] != n - 1)
			return false;
	return true;
}

/*
 * Values as floats.  False if one is beyond their range; '*value' then points to it.  Infinite
 * values stay infinite: whether they are allowed was decided when they were read.
 */
static bool put_floats(char *p, const double **value, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		float single = (float)(*value)[k];

		if (!isfinite(single) && isfinite((*value)[k])) {
			*value += k;
			return false;
		}
		copy_numbers(p + 4 * k, &single, 1, 4);
	}
	return true;
}

/* (3): payload of rows first, first + 1, ... at 'p', where there is room for payload_size(). */
static int put_payload(char *p, const struct binary_block *b, const struct row_batch *rows,
		       int64_t first, struct error *err)
{
	const int64_t *start = rows->row_start + first;
	const double *value = rows->value + start[0];

	copy_numbers(p, rows->label + first, b->n_rows, 8);
	p += 8 * b->n_rows;
	if (b->value_size == 8)
		copy_numbers(p, value, b->n_entries, 8);
	else if (!put_floats(p, &value, b->n_entries))
		return error_set(err, ERR_NUMERIC, "the value %g is beyond single precision",
				 *value);
	p += b->value_size * b->n_entries;
	if (b->is_dense)
		return 0;
	for (int64_t i = 0; i < b->n_rows; i++, p += 4)
		put_32(p, (uint32_t)(start[i + 1] - start[i]));
	copy_numbers(p, rows->index + start[0], b->n_entries, 4);
	return 0;
}

/* (4): append the rows first .. end - 1 as one block. */
static int add_block(struct byte_buffer *out, const struct row_batch *rows, int64_t first,
		     int64_t end, int value_size, struct error *err)
{
	struct binary_block b = { .n_rows = end - first,
				  .n_entries = rows->row_start[end] - rows->row_start[first],
				  .is_dense = are_consecutive(rows, first, end),
				  .value_size = value_size };
	int64_t size = payload_size(&b);
	char *header; /* the fields are at the places where parse_block_header() reads them */

	if (byte_buffer_reserve(out, BLOCK_HEADER_SIZE + size, err) < 0)
		return -1;
	header = out->bytes + out->size;
	if (put_payload(header + BLOCK_HEADER_SIZE, &b, rows, first, err) < 0)
		return -1;
	memcpy(header, "ROWS", 4);
	put_32(header + 4, (uint32_t)b.n_rows);
	put_64(header + 8, (uint64_t)b.n_entries);
	put_32(header + 16, b.is_dense ? CONSECUTIVE : LISTED);
	put_32(header + 20, b.is_dense ? (uint32_t)rows->index[rows->row_start[first]] : 0);
	put_32(header + 24, checksum_crc32(0, header + BLOCK_HEADER_SIZE, size));
	put_checksum(header, BLOCK_HEADER_SIZE);
	out->size += BLOCK_HEADER_SIZE + size;
	return 0;
}

int binary_add_rows(struct byte_buffer *out, const struct row_batch *rows, int value_size,
		    struct error *err)
{
	int64_t old_size = out->size;

	for (int64_t first = 0; first < rows->n_rows;) {
		int64_t end = block_end(rows, first);

		if (add_block(out, rows, first, end, value_size, err) < 0) {
			out->size = old_size;
			return -1;
		}
		first = end;
	}
	return 0;
}

void binary_count(struct binary_totals *t, const char *blocks, int64_t size, int value_size)
{
	const char *p = blocks; /* header of a block: (5) goes from one to the next */

	while (p < blocks + size) {
		struct binary_block b;

		parse_block_header(&b, p, value_size);
		count_block(t, &b, p);
		p += BLOCK_HEADER_SIZE + payload_size(&b);
	}
}

int binary_add_end(struct byte_buffer *out, const struct binary_totals *t, struct error *err)
{
	char end[END_SIZE];

	memcpy(end, "ENDS", 4);
	put_32(end + 4, t->chain);
	put_64(end + 8, t->n_rows);
	put_64(end + 16, t->n_entries);
	put_32(end + 24, t->n_blocks);
	put_checksum(end, END_SIZE);
	return byte_buffer_append(out, end, END_SIZE, err);
}
