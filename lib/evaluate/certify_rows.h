/*
 * certify_rows.h - what a certificate needs of the training data, from two passes over them
 *
 * Rows are not kept but for those that could be support vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CERTIFY_ROWS_H
#define RANDSVM_CERTIFY_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "io/rows.h"
#include "kernel/expansion.h"
#include "matrix/dataset.h"
#include "model/model.h"

/* Owns its arrays; a zeroed struct is empty. */
struct certify_rows {
	struct dataset labels;	   /* of all rows: x.n_rows and y, no features */
	struct dataset candidates; /* rows as the model writes one of its vectors */
	int64_t *candidate_row;	   /* their numbers among all rows */
	int64_t candidate_capacity;
};

/*
 * certify_rows_collect() - the first pass: labels, and the rows that could be vectors of 'm'
 *
 * Into the empty '*r'.  8 bytes a row, and the candidates.  Fails as the scan does, or with
 * ERR_MEMORY.
 */
int certify_rows_collect(struct certify_rows *r, const struct model *m,
			 const struct row_source *data, int n_threads, struct error *err);

void certify_rows_free(struct certify_rows *r);

/* certify_rows_slot() - where among the values of a row of class 'own' that against 'other' is */
static inline int certify_rows_slot(int own, int other)
{
	return other < own ? other : other - 1;
}

/*
 * certify_rows_evaluate() - the second pass: decision values of each row's own class
 *
 * value[i (n_class - 1) + slot] for each row i, n_class being that of 'm'; regressions have one
 * value.  'e' has m's classes.  O(rows n_sv) kernel values.  The bits do not depend on n_threads.
 * Fails as the scan does, or with ERR_MEMORY; ERR_NUMERIC where values overflow; ERR_ARGUMENT
 * if the rows have changed.
 */
int certify_rows_evaluate(const struct certify_rows *r, const struct model *m,
			  const struct expansion *e, const struct row_source *data, double *value,
			  int n_threads, struct error *err);

#endif
