/*
 * binary_form.h - what binary_read.c and binary_write.c share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BINARY_FORM_H
#define RANDSVM_BINARY_FORM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/little_endian.h"
#include "io/binary.h"
#include "io/checksum.h"

#define VERSION 1
#define BYTE_ORDER_MARK UINT32_C(0x01020304)
#define BYTE_ORDER_OTHER UINT32_C(0x04030201)

/* As in PNG: a transfer that changes line ends or bytes above 127 damages the first 8 bytes. */
static const unsigned char magic[8] = { BINARY_FIRST_BYTE, 'R', 'O', 'W', 'S', '\r', '\n', 0x1a };

enum { HEADER_SIZE = 24, BLOCK_HEADER_SIZE = 32, END_SIZE = 32 };

/* Limits of a block: one row with every index from 0 to 2^31 - 1 fits. */
#define ROWS_MAX INT32_MAX
#define ENTRIES_MAX (INT64_C(1) << 31)

enum layout { LISTED, CONSECUTIVE };

/* ---- Numbers as bytes ---- */

/* Copy 'n' numbers of 4 or 8 bytes to or from little-endian. */
static inline void copy_numbers(void *to, const void *from, int64_t n, int size)
{
	if (n > 0)
		memcpy(to, from, (size_t)(n * size));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned char *p = to, *end = p + n * size; p < end; p += size)
		for (int i = 0; i < size / 2; i++) {
			unsigned char byte = p[i];

			p[i] = p[size - 1 - i];
			p[size - 1 - i] = byte;
		}
#endif
}

/* A header ends in the checksum of its other bytes. */
static inline void put_checksum(char *header, int size)
{
	put_32(header + size - 4, checksum_crc32(0, header, size - 4));
}

static inline bool checksum_holds(const char *header, int size)
{
	return get_32(header + size - 4) == checksum_crc32(0, header, size - 4);
}

/* labels, values, and unless the block is dense a length for each row and an index each entry */
static inline int64_t payload_size(const struct binary_block *b)
{
	return b->n_rows * 8 + b->n_entries * b->value_size +
	       (b->is_dense ? 0 : b->n_rows * 4 + b->n_entries * 4);
}

/* Add a block to the totals; its header stands for its payload, whose checksum it holds. */
static inline void count_block(struct binary_totals *t, const struct binary_block *b,
			       const char *header)
{
	t->n_rows += (uint64_t)b->n_rows;
	t->n_entries += (uint64_t)b->n_entries;
	t->n_blocks++;
	/* cppcheck-suppress ctuPointerArith ; a header has BLOCK_HEADER_SIZE bytes */
	t->chain = checksum_crc32(t->chain, header + BLOCK_HEADER_SIZE - 4, 4);
}

static inline void parse_block_header(struct binary_block *b, const char *header, int value_size)
{
	b->n_rows = get_32(header + 4);
	b->n_entries = (int64_t)get_64(header + 8);
	b->is_dense = get_32(header + 16) == CONSECUTIVE;
	b->first = get_32(header + 20);
	b->checksum = get_32(header + 24);
	b->value_size = value_size;
}

#endif
