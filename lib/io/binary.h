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
#ifndef RANDSVM_BINARY_H
#define RANDSVM_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "io/byte_buffer.h"

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

#endif
