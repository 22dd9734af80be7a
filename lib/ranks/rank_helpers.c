/*
 * rank_helpers.c - the ranks of a group as the helpers of a training: rank 0's side
 *
 * The layers below, kernel/ and linear/, know only the table of functions in struct helpers.  The
 * struct is the first member of struct row_ranks, so that each function gets back from the pointer
 * to it to the ranks behind it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_helpers.h"

#include "ranks/pack_ranks.h"

static const struct helper_calls rank_calls = {
	.float_sums = row_ranks_float_sums,
	.expand = row_ranks_expand,
	.deal_pack = pack_ranks_deal,
	.square_pack = pack_ranks_square,
	.forget = row_ranks_forget,
};

int rank_helpers_init(struct row_ranks *ranks, struct group *group, struct error *err)
{
	int ret = row_ranks_init(ranks, group, err);

	ranks->helpers = (struct helpers){ &rank_calls, group->size };
	return ret;
}
