/*
 * rank_linear.h - products with rows of a linear problem, shared among ranks
 *
 * Where the linear engine takes many products with the same rows (conjugate gradients), rank 0 gives
 * each rank some of their parts once, and then a vector for each product.  Parts follow from the data,
 * and so do the bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "linear/linear_rows.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/* A zeroed struct with rows is one without rows of a problem; not to be moved once made. */
struct rank_linear {
	struct linear_helpers helpers; /* on rank 0, for the linear engine */
	struct rank_rows *rows;

	/* on other ranks: rows of their parts, those of the others being empty; and room for products */
	struct linear_pack pack;
	double *v, *w;
	struct thread_team *team;
};

/* rank_linear_init() - on rank 0: the ranks as helpers; 'rows' is borrowed */
void rank_linear_init(struct rank_linear *s, struct rank_rows *rows);

/* rank_linear_free() - on other ranks: drop the rows */
void rank_linear_free(struct rank_linear *s);

/* rank_linear_serve() - what the other ranks do, RANK_PACK and RANK_SQUARE */
void rank_linear_serve(struct rank_linear *s, const struct rank_message *m);
