/*
 * rank_linear.h - the rows of a linear problem, each with the rank that keeps its list
 *
 * Of P ranks each has the lists of linear_rows.h that are its number modulo P, and answers what the
 * linear engine of rank 0 asks of them: products and sums, packs, and rounds of descent, whose lanes go
 * on from one rank to another.  Lists follow from the data, and so do the bits.  Rows never move but for
 * a few that rank 0 asks for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "linear/linear_direction.h"
#include "linear/linear_lane.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_rows.h"

/* A zeroed struct with rows has no rows of a problem; not to be moved once made. */
struct rank_linear {
	struct linear_helpers
		helpers; /* for the linear engine of rank 0, and its loops on any rank */
	struct rank_rows *rows;
	struct linear_rows x;	 /* rows->own */
	struct linear_pack pack; /* on other ranks than 0; and */
	struct linear_direction direction;
	double *v,
		*w; /* room for vectors: one; and LINEAR_LISTS, of which rank 0 has DESCENT_LANES + 1 */
	/* of descent, room for rows of x: what is met of them, multipliers before a round, and lists */
	struct descent_row *row;
	double *old;
	int64_t *list;
};

/* rank_linear_init() - the ranks as helpers; 'rows' is borrowed */
void rank_linear_init(struct rank_linear *s, struct rank_rows *rows);

/* rank_linear_free() - drop the rows of a problem */
void rank_linear_free(struct rank_linear *s);
