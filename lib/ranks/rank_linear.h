/*
 * rank_linear.h - products with rows of a linear problem, and lanes of descent, shared among ranks
 *
 * Where the linear engine takes many products with the same rows (conjugate gradients), rank 0 gives
 * each rank some of their parts once, and then a vector for each product.  Where an epoch of descent
 * has two lanes rank 1 gets the rows of the second one once, and then for each epoch w and the
 * multipliers of the rows that are met; after each round the two ranks swap their w.  Parts and lanes
 * follow from the data, and so do the bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "linear/linear_lane.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/* A row that a lane meets, as it is sent, and sent back. */
struct met_row {
	double beta;
	int64_t row, start; /* start: -1 once it is left out */
};

/* A zeroed struct with rows is one without rows of a problem; not to be moved once made. */
struct rank_linear {
	struct linear_helpers helpers; /* on rank 0, for the linear engine */
	struct rank_rows *rows;

	/* on other ranks: rows of their parts, those of the others being empty; and room for products */
	struct linear_pack pack;
	double *v, *w;
	struct thread_team *team;

	/* of lane 1, on ranks 0 and 1: rows of an epoch on their way, and what entries are moved by */
	struct met_row *met;
	int64_t shift[LINEAR_RANGES]; /* those of each range of rows */
	/* on rank 1: all rows, and entries of those in its ranges */
	struct descent_row *row;
	struct linear_rows x;
	int64_t *list; /* an epoch's rows, and behind room for all of them its hard ones */
	double *room;  /* w, those of the lanes, and multipliers before a round */
};

/* rank_linear_init() - the ranks as helpers; 'rows' is borrowed */
void rank_linear_init(struct rank_linear *s, struct rank_rows *rows);

/* rank_linear_free() - on other ranks: drop the rows */
void rank_linear_free(struct rank_linear *s);

/* rank_linear_serve() - what the other ranks do, RANK_PACK to RANK_LANE */
void rank_linear_serve(struct rank_linear *s, const struct rank_message *m);
