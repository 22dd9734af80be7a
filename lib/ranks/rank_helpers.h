/*
 * rank_helpers.h - the ranks of a group as the helpers of a training: rank 0's side
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RANK_HELPERS_H
#define RANDSVM_RANK_HELPERS_H

#include "ranks/row_ranks.h"

/* rank_helpers_init() - row_ranks_init(); then 'ranks->helpers' are ready, until row_ranks_end() */
int rank_helpers_init(struct row_ranks *ranks, struct group *group, struct error *err);

#endif
