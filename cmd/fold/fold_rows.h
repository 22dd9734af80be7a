/*
 * fold_rows.h - rows of a batch as svm-fold writes them: lines as they are, or shards in binary form
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FOLD_ROWS_H
#define RANDSVM_FOLD_ROWS_H

#include <stdbool.h>

#include "base/error.h"
#include "io/binary_write.h"
#include "io/byte_buffer.h"
#include "io/row_batch.h"

/* Rows chosen for a fold, as bytes to write.  Owns its arrays; a zeroed struct is empty. */
struct fold_rows {
	/* for the caller: which rows of a batch are wanted */
	bool *wanted;
	int64_t wanted_capacity;
	struct byte_buffer bytes; /* bytes to write, which the caller takes away */
	struct row_batch chosen;  /* room for the rows of a batch in binary form */
	int value_size;		  /* size of a value in binary form; 0: no binary shard is open */
	struct binary_totals totals;
};

/* fold_rows_add() - append the bytes of the rows i with r->wanted[i] of a batch; ERR_MEMORY */
int fold_rows_add(struct fold_rows *r, const struct row_batch *batch, struct error *err);

/*
 * fold_rows_change_shard() - end the open shard, and begin one with values of 'value_size' bytes
 *
 * 0: no shard, as at the end of all rows.  ERR_MEMORY.
 */
int fold_rows_change_shard(struct fold_rows *r, int value_size, struct error *err);

void fold_rows_free(struct fold_rows *r);

#endif
