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

/* Where the binary form is read from; zeroed but for the input at first. */
struct binary_reader {
	struct input *input;
	bool first_byte_taken; /* by the caller: BINARY_FIRST_BYTE */
	bool in_shard;
	int value_size;
	int64_t n_blocks; /* of all shards, so far */
	struct binary_totals totals;
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
