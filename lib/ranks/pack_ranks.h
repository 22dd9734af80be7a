/*
 * pack_ranks.h - products of a pack of rows with the help of other processes
 *
 * On many features and many rows between their bounds the Newton steps of the linear engine take
 * conjugate gradients: hundreds of passes over the same rows, each
 *
 *     out += sum_k c_k x_k,   c_k = factor weight_k (x_k.v + b)                                 (1)
 *
 * (linear_pack_square()).  The pack is cut into parts by its entries alone, and each rank gets some
 * of these:
 *
 *     rank 0                               ranks 1, 2, ...
 *     pack_ranks_deal()    rows       -->  pack_keeper_keep()       once for each Newton step
 *     pack_ranks_square()  v, b       -->  pack_keeper_square()     at each pass
 *                          sums       <--
 *
 * The sums of parts are added as in a binary tree, whoever has them: the same bytes for any number
 * of ranks.  A pass sends d numbers to each rank, and gets d or a few times as many.  All else of
 * the linear engine is rank 0's: coordinate descent goes from row to row, and the passes over all
 * rows are a few for each Newton step, beside which reading the file takes longer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PACK_RANKS_H
#define RANDSVM_PACK_RANKS_H

#include "base/error.h"
#include "base/thread.h"
#include "linear/linear_pack.h"
#include "ranks/group.h"
#include "ranks/rank_rows.h"
#include "ranks/row_ranks.h"

/* ---- rank 0 ---- */

/*
 * pack_ranks_deal() - each rank gets its parts of the pack, and of the weights and sides of rows
 *
 * 'weight' and 'side' are those of struct linear_square.  Returns 1; 0 where that would not pay, as
 * for a small pack, or one of a single part; or -1 with ERR_MEMORY
 * of this rank or another, which the text names.  Sends 8 bytes an entry once.
 */
int pack_ranks_deal(struct helpers *helpers, const struct linear_pack *pack, const double *weight,
		    const uint8_t *side, struct error *err);

/*
 * pack_ranks_square() - linear_pack_square() of the pack that was dealt last
 *
 * Weights and sides in 'product' must be those that were dealt.
 */
void pack_ranks_square(struct helpers *helpers, const struct linear_pack *pack,
		       struct thread_team *team, const struct linear_square *product, double *out,
		       double sum[2], double *room);

/* ---- all other ranks ---- */

/* Parts of a pack that a rank other than 0 keeps.  A zeroed struct is empty. */
struct pack_keeper {
	struct linear_pack pack;
	struct linear_share share;
	double *weight; /* weight of each row, or NULL */
	uint8_t *side;
	double *v;
	struct linear_partial partial;
	struct thread_team *team;
};

void pack_keeper_free(struct pack_keeper *keeper);

/* pack_keeper_keep() - receive a share, as RANK_PACK announces it, for later products */
void pack_keeper_keep(struct pack_keeper *keeper, struct group *g, const struct rank_message *m,
		      int n_threads);

/* pack_keeper_square() - compute and send the sums that RANK_PACK_SQUARE asks for */
void pack_keeper_square(struct pack_keeper *keeper, struct group *g, const struct rank_message *m);

#endif
