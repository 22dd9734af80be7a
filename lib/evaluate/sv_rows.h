/*
 * sv_rows.h - which rows of the training data a model's support vectors are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SV_ROWS_H
#define RANDSVM_SV_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "model/model.h"

/*
 * sv_rows_find() - row[j] of the training data 'd' that support vector j of 'm' is, or -1
 *
 * Model files write values as %.8g, so rows are compared in 8 digits (sv_index.h).  The row's label is
 * that of the vector's class.
 * No two vectors get the same row.  Of equal rows with different targets (regression) the larger
 * coefficients go to the larger targets, which makes the dual objective largest.
 * '*n_missing' counts the vectors without a row.  O(entries + (n + n_sv) log n_sv) for n rows.
 * Fails with ERR_MEMORY only.
 */
int sv_rows_find(const struct model *m, const struct dataset *d, int64_t *row, int64_t *n_missing,
		 struct error *err);

#endif
