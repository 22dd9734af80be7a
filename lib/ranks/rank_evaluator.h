/*
 * rank_evaluator.h - sums over support vectors with the help of other processes: the other ranks'
 * side
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RANK_EVALUATOR_H
#define RANDSVM_RANK_EVALUATOR_H

#include "kernel/float_vectors.h"
#include "matrix/csr.h"
#include "ranks/rank_group.h"
#include "ranks/rank_messages.h"

/* The rows that a rank other than 0 keeps.  A zeroed struct is empty. */
struct rank_evaluator {
	struct float_vectors floats;
	struct csr doubles; /* rows in double precision, if they were asked for */
};

void rank_evaluator_free(struct rank_evaluator *e);

/*
 * rank_evaluator_keep() - receive the rows of RANK_FLOAT_ROWS or RANK_ROWS; rows kept before are
 * dropped
 */
void rank_evaluator_keep(struct rank_evaluator *e, struct rank_group *g,
			 const struct rank_message *m);

/* rank_evaluator_sum() - compute and send the sums of RANK_FLOAT_SUMS or RANK_SUMS */
void rank_evaluator_sum(struct rank_evaluator *e, struct rank_group *g,
			const struct rank_message *m, int n_threads);

#endif
