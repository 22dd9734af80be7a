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

#include "problem/kernel_source.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/*
 * rank_rows_sum() - the sums 's' that 'q' asks for, by (1), on rank 0: a source's sum()
 *
 * s->state are the numbers of the vectors, rows of the data.  In floats, where s->source is, they are
 * as float_vectors_sums() computes them, else as expansion_evaluate_rows() does.  Floats want
 * rank_rows_make_floats() before.  Returns 0, or -1 with ERR_MEMORY of any rank, or ERR_INTERRUPTED.
 * In floats, vectors are some thousands at a time; in doubles all of them.
 */
int rank_rows_sum(struct rank_rows *rows, const struct kernel_sums *s, const struct sum_request *q,
		  struct error *err);

/* rank_sums_serve() - what the other ranks do then, RANK_SUMS */
void rank_sums_serve(struct rank_rows *rows, const struct rank_message *m);
