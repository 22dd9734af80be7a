/*
 * rank_floats.h - rows in single precision, each with the rank that has it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/*
 * rank_rows_make_floats() - rows->floats of all ranks, in the form of float_vectors_init()
 *
 * Rank 0 announces it, and all ranks make the same call.  The form, and each row, has the same bits
 * as in one process.  Returns, on all ranks, 0, 1 where floats cannot hold the rows or are not exact
 * enough, or -1 with ERR_MEMORY of any rank.  Costs a pass over the entries or three, messages of 8
 * bytes a row at most, and of each rank a message of a bit for each column up to the largest.
 */
int rank_rows_make_floats(struct rank_rows *rows, const struct kernel *kernel, struct error *err);

/*
 * rank_rows_are_near() - may an order of the rows help, as near_rows_order() finds? On rank 0, after
 * rank_rows_make_floats().  Returns 0, or -1 with ERR_MEMORY.
 */
int rank_rows_are_near(struct rank_rows *rows, bool *are_near, struct error *err);
