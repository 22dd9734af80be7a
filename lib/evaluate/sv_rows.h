/*
 * sv_rows.h - which rows of the training data a model's support vectors are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "model/model.h"
#include "problem/training.h"

/* Of a model's support vectors, those whose rows are in doubt. */
struct sv_rows_doubts {
	int64_t n_missing; /* vectors that are no row */
	/* vectors rounded to 8 digits, in which rows that differ agree: any may be theirs */
	int64_t n_ambiguous;
};

/*
 * sv_rows_find() - row[j] of the training data 'd' that support vector j of 'm' is, or -1
 *
 * A row has the label of the vector's class and the same values.  svm-train rounds the values in a
 * file to 8 digits; so where no such rows are left, those that agree in 8 digits are taken
 * (sv_index.h).
 * No two vectors get the same row.  Of equal rows with different targets (regression) the larger
 * coefficients go to the larger targets, which makes the dual objective largest.  Where rows have
 * weights, and so bounds of their own, C and the losses of 't' tell which assignments keep them; one
 * in the order of the rows, which model files have, may then be better.
 * O(entries + (n + n_sv) log n_sv) for n rows; with weights 2^24 steps and bytes more for each group
 * of equal rows at most.  Fails with ERR_MEMORY only.
 */
int sv_rows_find(const struct model *m, const struct dataset *d, const struct training *t,
		 int64_t *row, struct sv_rows_doubts *doubts, struct error *err);
