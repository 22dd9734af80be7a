/*
 * binary.h - examples in binary form, for pipes between our own programs
 *
 *     stream  = shard { shard }                 so files may be joined
 *     shard   = header { block } end
 *     header  = magic  byte order  version  value size  checksum          24 bytes
 *     block   = "ROWS" counts layout checksums (32 bytes)  payload
 *     payload = labels  values  [ lengths  indices ]
 *     end     = "ENDS" checksum totals checksum                           32 bytes
 *
 * All numbers are little-endian; labels are doubles, values doubles or floats, as the header
 * says.  Where all rows of a block hold the same consecutive columns there are no lengths
 * and no indices.  randsvm-formats(5) lists every field.  Each byte is under a CRC-32, the
 * order of the blocks too, and a stream that ends early, or misses a block, is an error.
 *
 * Writing: binary_add_header(); then, in order, blocks of batches, formatted by any thread
 * with binary_add_rows() and counted with binary_count(); then binary_add_end().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BINARY_H
#define RANDSVM_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/row_batch.h"

/* The first byte of the binary form: no text begins with it, nor does gzip. */
#define BINARY_FIRST_BYTE 0x93

/* What the end of a shard tells of its blocks. */
struct binary_totals {
	uint64_t n_rows, n_entries;
	uint32_t n_blocks;	/* modulo 2^32 */
	uint32_t chain;		/* CRC-32 of the blocks' header checksums, in order */
};

/* ---- Writing ---- */

/*
 * binary_add_header() - append what a shard begins with
 *
 * 'value_size' is 8 for doubles, 4 for floats.  -1 with ERR_MEMORY, here and below.
 */
int binary_add_header(struct byte_buffer *out, int value_size, struct error *err);

/*
 * binary_add_rows() - append a batch as blocks
 *
 * A block takes rows until it has 65536 entries or rows; what it holds does not
 * depend on threads.  Text of the batch is left out.  Values are kept as they are, zeros too;
 * as floats they are rounded, and one beyond their range is ERR_NUMERIC.  On failure the buffer
 * is as it was.  O(entries).
 */
int binary_add_rows(struct byte_buffer *out, const struct row_batch *rows, int value_size,
		    struct error *err);

/* binary_count() - add to the totals what [blocks, blocks + size), from binary_add_rows(), holds */
void binary_count(struct binary_totals *totals, const char *blocks, int64_t size, int value_size);

/* binary_add_end() - append what a shard ends with */
int binary_add_end(struct byte_buffer *out, const struct binary_totals *totals, struct error *err);

/* ---- Reading ---- */

/* Where the binary form is read from; zeroed but for the input at first. */
struct binary_reader {
	struct input *input;
	bool first_byte_taken;	/* by the caller: BINARY_FIRST_BYTE */
	bool in_shard;
	int value_size;
	int64_t n_blocks;	/* of all shards, so far */
	struct binary_totals totals;
};

/* A block's header, checked, and its payload, not yet. */
struct binary_block {
	struct byte_buffer payload;
	int64_t number;		/* within the stream, from 1 */
	int64_t n_rows;		/* >= 1 */
	int64_t n_entries;
	bool is_dense;		/* rows of n_entries / n_rows columns from 'first' on */
	int64_t first;
	int value_size;
	uint32_t checksum;	/* of the payload */
};

/*
 * binary_take() - read the next block; its payload's room is used again
 *
 * Memory is taken as bytes arrive, whatever the header claims.  Returns 1, 0 at the end of the
 * stream, or -1 with ERR_FORMAT (text: `name: block N: reason`), ERR_IO or ERR_MEMORY.
 */
int binary_take(struct binary_reader *reader, struct binary_block *block, struct error *err);

/*
 * binary_decode() - the rows of a block; the batch is overwritten
 *
 * Verifies the checksum, and all that struct row_batch promises.  'name' opens the message.
 * -1 with ERR_FORMAT or ERR_MEMORY.  O(entries).
 */
int binary_decode(struct row_batch *batch, const struct binary_block *block, const char *name,
		  const struct rows_options *options, struct error *err);

#endif
