/*
 * certify_rows.h - what a certificate needs of the training data, from two passes over them
 *
 * Memory holds labels, decision values, and the rows that could be support vectors; all other rows
 * are read and forgotten, twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/optimum_ball.h"
#include "io/rows.h"
#include "kernel/expansion.h"
#include "model/model.h"
#include "problem/problem.h"

/* Labels and candidates of the data.  Owns its arrays, borrows the model; zeroed it is empty. */
struct certify_rows {
	const struct model *m;
	/*
	 * labels of all rows, and in place of each row's features one that has its length or, of a
	 * precomputed kernel, its value with itself
	 */
	struct dataset labels; /* with the weights of the rows, where these have weights */
	int64_t longest;       /* number of entries of the longest row */
	/* rows equal to a vector of the model, when rounded as the model's file is */
	struct dataset candidates;
	/* row numbers of the candidates among all rows; candidates.x.n_rows */
	int64_t *candidate_row;
	int64_t candidate_capacity;
	const struct optimum_center *center; /* NULL: no distances */
	double *distance;		     /* distance of each row from it */
	int64_t distance_capacity;
	/* room in labels.weight and in candidates.weight */
	int64_t weights_capacity, candidate_weights_capacity;
};

/*
 * certify_rows_collect() - the first pass: labels, and the rows that could be vectors of 'm'
 *
 * Fills '*r', empty but for r->center: 28 bytes a row, or 40 with a precomputed kernel, 8 more with
 * weights, 8 with a center, and the candidates.  Fails
 * as the scan does, or with ERR_MEMORY; '*r' is then empty.
 */
int certify_rows_collect(struct certify_rows *r, const struct model *m,
			 const struct row_source *data, int n_threads, struct error *err);

void certify_rows_free(struct certify_rows *r);

/*
 * certify_rows_evaluate() - the second pass: decision values of all rows
 *
 * value[i (n_class - 1) + slot], without the constant, is what 'e' gives row i for the pair of its
 * own class and the class of that slot; n_class is that of the model, and of 'e'; a regression has
 * one value a row.
 * O(rows n_sv) kernel values.  The bits do not depend on n_threads.
 * Fails as the scan does, or with ERR_MEMORY; with ERR_NUMERIC where values overflow; with
 * ERR_ARGUMENT if labels or number of rows differ from those of the first pass.
 */
int certify_rows_evaluate(const struct certify_rows *r, const struct expansion *e,
			  const struct row_source *data, double *value, int n_threads,
			  struct error *err);

/*
 * certify_rows_take() - decision values 'f' of the problem 'p' of the model's classes a and b
 *
 * Those of a row are its own class's in 'value', of certify_rows_evaluate().  a = 0 and b = 1 for
 * one-class and regressions.
 */
void certify_rows_take(const struct certify_rows *r, const struct problem_view *p, int a, int b,
		       const double *value, double *f);
