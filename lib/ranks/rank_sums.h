/*
 * rank_sums.h - sums over support vectors with the help of other processes, on both sides
 *
 * Rank 0 runs the training as if it were alone.  The other ranks of its group serve it
 * (rank_service_run()).  As evaluators each keeps a share of the rows and computes
 *
 *     out_i = sum_j coef_j K(vector_j, row_i)                                                   (1)
 *
 * for those of its rows that it is asked for, while rank 0 does so for its own share.  Rows are
 * dealt when first needed, a block at a time: block b is rank b mod size's.  They go as they are
 * when ready for sums, so that whatever is decided from all rows (scale, centre, single precision
 * or double) was decided once.  A sum (1) depends on the row, the vectors and the instruction set
 * alone, not on which rows are computed together: out is the same bytes for any number of ranks.
 * Ranks use the lowest instruction set of all (base/instruction_set.h).
 *
 * Vectors and coefficients are sent with every request, and small ones are not sent out at all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "kernel/helpers.h"
#include "ranks/rank_group.h"

/*
 * Multiplications from which a request is sent out: 10 to 50 ms of a core, against about 2 ms for
 * ranks to wake up and for the answers to be found.
 */
#define RANK_SUMS_LEAST_WORK 2e8

/* Rows that are dealt at a time: whole tiles, and a message of some hundred KB. */
#define RANK_SUMS_BLOCK 4096

/* Figures of one rank, for the report of the run. */
struct rank_record {
	/* number of rows that the rank keeps; for rank 0 known once rows are dealt */
	int64_t n_rows;
	double sum_seconds; /* seconds that the rank has summed */
	double cpu_seconds; /* processor seconds of another rank's process, when it answered last */
	int64_t peak_array_bytes; /* most bytes in arrays of another rank, see mem_usage() */
};

/* Rows dealt to the ranks, and the records of these; a zeroed struct is empty. */
struct rank_sums {
	struct helpers helpers; /* interface for whoever sums */
	struct rank_group *group;
	int64_t block;	   /* rows that are dealt at a time */
	double least_work; /* multiplications from which a request is sent out */
	int n_threads;	   /* threads of each other rank; 0: one for each of its cores */
	/* rows that were dealt, a struct float_vectors and a struct csr; or NULL */
	const void *floats, *doubles;
	int64_t n_requests;
	struct rank_record *record; /* record of each rank */
};

/*
 * rank_sums_init() - begin with a group all of whose other ranks run rank_service_run(); borrows
 * the group
 *
 * 'ranks->helpers' then share the sums of a training, until rank_sums_end(): helpers_float_sums(),
 * helpers_expand() and helpers_forget().
 */
int rank_sums_init(struct rank_sums *ranks, struct rank_group *group, struct error *err);

/* rank_sums_end() - the other ranks end, with this status of the program; '*ranks' is empty then */
void rank_sums_end(struct rank_sums *ranks, int status);

/*
 * rank_sums_set_bound() - mem_set_bound() on all other ranks, before any other command
 *
 * Returns 0, or -1 with the error of a rank, which the text names.
 */
int rank_sums_set_bound(struct rank_sums *ranks, int64_t bytes, const char *folder,
			struct error *err);

/* ---- What all ranks but rank 0 do: serve it ---- */

/*
 * rank_service_run() - answer rank 0's commands until it ends them
 *
 * Rank 0 gives commands by the functions above.  Computes on n_threads threads, or as many as rank
 * 0 says, asleep between commands.  Prints nothing, and sends each failure to rank 0.  Returns the
 * status that rank 0 gave.
 */
int rank_service_run(struct rank_group *g, int n_threads);
