/*
 * rows_checksum.h - CRC-32 of examples that come one batch after the other
 *
 *     struct rows_checksum sum = { 0 };
 *
 *     rows_checksum_add(&sum, batch);      for each batch, in order
 *     crc = rows_checksum_crc32(&sum);
 *
 * The checksum is that of labels, then numbers of entries so far (from 0 on, one more than rows),
 * then features, then values, each as an array of the machine's numbers.  So it is the same for the
 * same rows, from whatever form of file and in whatever batches.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/row_batch.h"

/* A zeroed one is that of no rows. */
struct rows_checksum {
	bool without_zeros; /* entries of value 0 are left out, as written text omits zeros */
	int64_t n_rows, n_entries, max_index;
	uint32_t labels, ends, features,
		values; /* CRC-32 of each array; 'ends' without its first 0 */
};

/* rows_checksum_add() - count further rows; O(entries) */
void rows_checksum_add(struct rows_checksum *s, struct row_range rows);

/* rows_checksum_crc32() - of all rows so far */
uint32_t rows_checksum_crc32(const struct rows_checksum *s);
