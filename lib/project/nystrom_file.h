/*
 * nystrom_file.h - the lines of a map of landmarks in its file; private to this folder
 *
 * A line for each landmark: its row of L^-1, then its entries as pairs of index and value.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NYSTROM_FILE_H
#define RANDSVM_NYSTROM_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "io/byte_buffer.h"
#include "project/nystrom.h"

/* nystrom_write_line() - append the line of landmark i, as exact decimals; ERR_MEMORY */
int nystrom_write_line(const struct nystrom *n, int64_t i, struct byte_buffer *text,
		       struct error *err);

/*
 * nystrom_read_line() - the next landmark, from the line [text, end)
 *
 * '*capacity' starts as 0, and is that of n->inverse.  Entries have the
 * features 0 .. n_features, ascending.  ERR_FORMAT or ERR_MEMORY.
 */
int nystrom_read_line(struct nystrom *n, int64_t *capacity, int64_t n_features, const char *text,
		      const char *end, struct error *err);

#endif
