/*
 * binary.h - examples in binary form, for pipes between the programs of randsvm
 *
 *     stream  = shard { shard }                 so files may be joined
 *     shard   = header { block } end
 *     header  = magic  byte order  version  value size  checksum          24 bytes
 *     block   = "ROWS" counts layout checksums (32 bytes)  payload
 *     payload = labels  values  [ lengths  indices ]
 *     end     = "ENDS" checksum totals checksum                           32 bytes
 *
 * All numbers are little-endian; labels are doubles, values doubles or floats, as the shard's
 * header says.  Where all rows of a block hold the same consecutive columns there are no lengths
 * and no indices.  randsvm-formats(5) lists every field.  A CRC-32 covers each byte and the order
 * of the blocks.  A stream that ends early or lacks a block is an error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/row_batch.h"

/* The first byte of the binary form.  Neither text in UTF-8 nor gzip data begin with it. */
#define BINARY_FIRST_BYTE 0x93

/* Totals of a shard's blocks, as stored in its end mark. */
struct binary_totals {
	uint64_t n_rows, n_entries;
	uint32_t n_blocks; /* number of blocks modulo 2^32 */
	uint32_t chain;	   /* CRC-32 of the blocks' header checksums, in order */
};

/* A block whose header has been checked and whose payload has not. */
struct binary_block {
	struct byte_buffer payload;
	int64_t number; /* number of the block within the stream, from 1 */
	int64_t n_rows; /* >= 1 */
	int64_t n_entries;
	bool is_dense; /* rows of n_entries / n_rows columns from 'first' on */
	int64_t first;
	int value_size;
	uint32_t checksum; /* checksum of the payload */
};

/* ---- Reading ---- */

/* A stream that is being read.  The caller sets the fields up to 'end'. */
struct binary_reader {
	struct input *input;
	bool first_byte_taken;	     /* the caller has read BINARY_FIRST_BYTE, the first byte */
	int64_t first, end;	     /* blocks that are taken: struct rows_options */
	bool in_shard;		     /* inside a shard: after its header, before its end mark */
	int value_size;		     /* bytes of a value in the shard */
	int64_t n_blocks;	     /* blocks of all shards read so far */
	struct binary_totals totals; /* totals of the shard so far */
};

/*
 * binary_take() - read the next block; the room of block->payload is used again
 *
 * Memory is taken as bytes arrive, whatever size the header claims.  Returns 1, 0 at the end of the
 * stream, or -1 with ERR_FORMAT (text: `name: block N: reason`), ERR_IO or ERR_MEMORY.
 */
int binary_take(struct binary_reader *reader, struct binary_block *block, struct error *err);

/*
 * binary_decode() - the rows of a block; the batch is overwritten
 *
 * Verifies the checksum of the payload and everything that struct row_batch promises; of 'options'
 * it heeds allow_nonfinite, min_index and max_index.  'name' begins the error's text.  -1 with
 * ERR_FORMAT or ERR_MEMORY; the batch is then undefined.  O(entries).
 */
int binary_decode(struct row_batch *batch, const struct binary_block *block, const char *name,
		  const struct rows_options *options, struct error *err);

/* ---- Writing ---- */

/*
 * Writing: binary_add_header(); then, in order, blocks of batches, formatted by any thread
 * with binary_add_rows() and counted with binary_count(); then binary_add_end().
 */

/*
 * binary_add_header() - append what a shard begins with
 *
 * 'value_size' is 8 for doubles, 4 for floats.  -1 with ERR_MEMORY, as the functions below.
 */
int binary_add_header(struct byte_buffer *out, int value_size, struct error *err);

/*
 * binary_add_rows() - append a batch as blocks
 *
 * A block takes rows until it has 65536 rows or the next row would bring it above 65536 entries;
 * its bytes do not depend on threads.  The text of the batch is left out.  Doubles are kept as they
 * are, zeros too; for floats they are rounded, and a finite value beyond their range is
 * ERR_NUMERIC.  On failure the buffer is as it was.  O(entries).
 */
int binary_add_rows(struct byte_buffer *out, const struct row_batch *rows, int value_size,
		    struct error *err);

/* binary_count() - add to the totals the blocks of binary_add_rows() in [blocks, blocks + size) */
void binary_count(struct binary_totals *totals, const char *blocks, int64_t size, int value_size);

/* binary_add_end() - append the end mark of a shard */
int binary_add_end(struct byte_buffer *out, const struct binary_totals *totals, struct error *err);
