/*
 * rank_sums.h - sums over vectors, where the rows are
 *
 *     out_k = sum_j coef_j K(vector_j, row_k)                                                   (1)
 *
 * for rows of the data, over vectors that are rows of the data, too.  Each rank sums for its own
 * rows; vectors come from the ranks that have them to all ranks, some at a time.  A sum depends on the
 * row, the vectors and the instruction set alone, in the order of the vectors, so that the bytes are
 * the same for any number of ranks.  Ranks use the lowest instruction set of all
 * (base/instruction_set.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/interruption.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/* What rank 0 asks for. */
struct rank_sum_request {
	bool in_floats;	 /* as float_vectors_sums(); else as expansion_evaluate_rows() */
	bool exact_sums; /* of floats: sums are in doubles throughout */
	const struct kernel *kernel; /* of sums in doubles */
	const int64_t *vector;	     /* n_vectors rows of the data, and their coefficients */
	const double *coef;
	int64_t n_vectors;
	const int64_t *row; /* n rows of the data, in any order */
	double *out;
	int64_t n;
	const struct interruption *interruption; /* asked between vectors; or NULL */
};

/*
 * rank_rows_sum() - q->out by (1), on rank 0
 *
 * Floats want rank_rows_make_floats() before.  Returns 0, or -1 with ERR_MEMORY of any rank, or
 * ERR_INTERRUPTED.  In floats, vectors are some thousands at a time; in doubles all of them.
 */
int rank_rows_sum(struct rank_rows *rows, const struct rank_sum_request *q, struct error *err);

/* rank_sums_serve() - what the other ranks do then, RANK_SUMS */
void rank_sums_serve(struct rank_rows *rows, const struct rank_message *m);
