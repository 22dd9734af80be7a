/*
 * row_evaluator.h - sums over support vectors with the help of other processes: the other ranks'
 * side
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ROW_EVALUATOR_H
#define RANDSVM_ROW_EVALUATOR_H

#include "kernel/float_vectors.h"
#include "matrix/csr.h"
#include "ranks/group.h"
#include "ranks/rank_rows.h"

/* The rows that a rank other than 0 keeps.  A zeroed struct is empty. */
struct row_evaluator {
	struct float_vectors floats;
	struct csr doubles; /* rows in double precision, if they were asked for */
};

void row_evaluator_free(struct row_evaluator *e);

/*
 * row_evaluator_keep() - receive the rows of RANK_FLOAT_ROWS or RANK_ROWS; rows kept before are
 * dropped
 */
void row_evaluator_keep(struct row_evaluator *e, struct group *g, const struct rank_message *m);

/* row_evaluator_sum() - compute and send the sums of RANK_FLOAT_SUMS or RANK_SUMS */
void row_evaluator_sum(struct row_evaluator *e, struct group *g, const struct rank_message *m,
		       int n_threads);

#endif
