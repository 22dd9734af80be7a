/*
 * binary_write.h - examples written in binary form
 *
 * Writing: binary_add_header(); then, in order, blocks of batches, formatted by any thread
 * with binary_add_rows() and counted with binary_count(); then binary_add_end().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BINARY_WRITE_H
#define RANDSVM_BINARY_WRITE_H

#include "base/error.h"
#include "io/binary.h"
#include "io/byte_buffer.h"
#include "io/row_batch.h"

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

#endif
