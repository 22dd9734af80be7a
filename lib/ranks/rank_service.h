/*
 * rank_service.h - what all ranks but rank 0 do: serve it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "ranks/rank_rows.h"

/*
 * rank_service_run() - answer rank 0's commands until it ends them
 *
 * Computes on n_threads threads, or as many as rank 0 says, asleep between commands.  Prints nothing,
 * and sends each failure to rank 0; train_pairs() is what it does of RANK_PAIRS.  Returns the status
 * that rank 0 gave.
 */
int rank_service_run(struct rank_group *g, int n_threads,
		     void (*train_pairs)(struct rank_rows *rows));

/* On rank 0: */

/*
 * rank_service_settle() - mem_set_bound() on all other ranks, and the number of their threads
 *
 * Before any other command.  bytes 0: no bound; n_threads 0: as many as each has cores.  Returns 0,
 * or -1 with the error of a rank, which the text names.
 */
int rank_service_settle(struct rank_rows *rows, int64_t bytes, const char *folder, int n_threads,
			struct error *err);

/* rank_service_end() - the other ranks end, with this status of the program */
void rank_service_end(struct rank_group *g, int status);
