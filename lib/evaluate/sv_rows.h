/*
 * sv_rows.h - which rows of the training data a model's support vectors are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SV_ROWS_H
#define RANDSVM_SV_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "model/model.h"

struct sv_key;

/*
 * A model's vectors, to be looked up by value and class.  Owns 'key', borrows the model; threads
 * may share it once it is made.
 */
struct sv_index {
	const struct model *m;
	struct sv_key *key; /* n_sv */
};

/* sv_index_init() - O(entries + n_sv log n_sv); ERR_MEMORY */
int sv_index_init(struct sv_index *s, const struct model *m, struct error *err);

void sv_index_free(struct sv_index *s);

/* sv_index_has() - would a model file write row i of 'x', of that label, as one of m's vectors? */
bool sv_index_has(const struct sv_index *s, const struct csr *x, int64_t i, double label);

/* sv_index_class() - which of the model's classes a label is, or -1; 0 for regressions */
int sv_index_class(const struct model *m, double label);

/*
 * sv_rows_find() - row[j] of the training data 'd' that support vector j of 'm' is, or -1
 *
 * Model files write values as %.8g: two values are the same if that is; zeros do not count.  For a
 * precomputed kernel serial numbers are compared.  The row's label is that of the vector's class.
 * No two vectors get the same row.  Of equal rows with different targets (regression) the larger
 * coefficients go to the larger targets, which makes the dual objective largest.
 * '*n_missing' counts the vectors without a row.  O(entries + (n + n_sv) log n_sv) for n rows.
 * Fails with ERR_MEMORY only.
 */
int sv_rows_find(const struct model *m, const struct dataset *d, int64_t *row, int64_t *n_missing,
		 struct error *err);

#endif
