/*
 * binary_read.h - examples read in binary form
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BINARY_READ_H
#define RANDSVM_BINARY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/binary.h"
#include "io/input.h"
#include "io/row_batch.h"

/* A stream that is being read.  The caller sets the first two fields and zeroes the others. */
struct binary_reader {
	struct input *input;
	bool first_byte_taken;	     /* the caller has read BINARY_FIRST_BYTE, the first byte */
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

#endif
