/*
 * rank_service.h - what all ranks but rank 0 do: serve it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RANK_SERVICE_H
#define RANDSVM_RANK_SERVICE_H

#include "ranks/rank_group.h"

/*
 * rank_service_run() - answer rank 0's commands until it ends them
 *
 * Rank 0 gives commands by the functions of ranks/rank_sums.h.  Computes on n_threads threads, or
 * as many as rank 0 says, asleep between commands.  Prints nothing, and sends each failure to rank 0.
 * Returns the status that rank 0 gave.
 */
int rank_service_run(struct rank_group *g, int n_threads);

#endif
