/*
 * normalise.h - rows of length 1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "io/row_batch.h"

/*
 * normalise_rows() - out = x / |x| for the rows x, with |x| the Euclidean length
 *
 * 'out' is overwritten: labels, texts and entries as they were but for the values.  A row without
 * values other than 0, or with one that is not finite, stays as it is.  Values of any size have a
 * length: they are multiplied by a power of two before they are squared.  O(entries).  ERR_MEMORY
 * only; 'out' is then empty.
 */
int normalise_rows(struct row_range rows, struct row_batch *out, struct error *err);
