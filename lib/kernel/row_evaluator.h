/*
 * row_evaluator.h - sums over support vectors with the help of other processes: the other ranks' side
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ROW_EVALUATOR_H
#define RANDSVM_ROW_EVALUATOR_H

#include "base/group.h"

/*
 * row_evaluator_run() - keep rows, and compute sums for them, until rank 0 ends it
 *
 * For all ranks but 0, which uses the functions of row_ranks.h.  Computes on n_threads threads,
 * asleep between commands.  Prints nothing, and what fails here is told to rank 0.  Returns the
 * status that rank 0 gave.
 */
int row_evaluator_run(struct group *g, int n_threads);

#endif
