/*
 * near_rows.h - rows in an order where neighbours are near, and what is far from them
 *
 * Where an rbf kernel is narrow, most of its values are nothing: 2^-40 of the largest and less.
 * Rows that come in an order where neighbours are near one another lie in balls, some tens of rows
 * each, and for two balls that are far apart no value has to be computed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"

/* Number of vectors in a ball of a sum. */
#define NEAR_BALL_ROWS 4

/* A ball around some rows: their mean, and the distance of the farthest. */
struct near_ball {
	double *centre; /* centre of the ball, n_cols numbers */
	double radius;
};

/* Balls, each around as many consecutive rows; a zeroed struct is empty. */
struct near_balls {
	int64_t n;
	struct near_ball *ball;
	double *centres; /* centres of all balls, one allocation */
};

/*
 * near_rows_order() - place[i] = the place of row i in an order where neighbours are near
 *
 * Rows are halved by the column in which they extend farthest, and the halves again.  '*helps'
 * tells whether at least half of the pairs of balls are then too far apart for a kernel value;
 * place is undefined if not.  False for few rows, many columns and kernels other than rbf. O(n log
 * n columns) time, 4 bytes an element of the dense rows.  Returns 0, or -1 with ERR_MEMORY.
 */
int near_rows_order(const struct float_vectors *v, int64_t *place, bool *helps, struct error *err);

/* Pairs of rows that tell whether rows are far from one another at all. */
#define NEAR_ROWS_PAIRS 100

/*
 * near_rows_list_pairs() - the numbers of the rows, of n, that near_rows_are_far() wants, into row[]
 *
 * Of 'form' no arrays are read.  Returns their number, 2 NEAR_ROWS_PAIRS, or 0 where no order can
 * help: for few rows, many columns and kernels other than rbf.
 */
int near_rows_list_pairs(const struct float_vectors *form, int64_t n, int64_t *row);

/*
 * near_rows_are_far() - are most of the pairs, of the rows listed, too far apart for a kernel value?
 *
 * If not, near_rows_order() does not help.  Returns 0, or -1 with ERR_MEMORY.
 */
int near_rows_are_far(const struct float_vectors *pairs, bool *are_far, struct error *err);

/*
 * near_balls_init() - make balls of 'rows' each around the n rows row[0], row[1], ... of 'v'
 *
 * 'row' NULL: rows 0, 1, ...  Returns 0, or -1 with ERR_MEMORY and '*b' empty.
 */
int near_balls_init(struct near_balls *b, const struct float_vectors *v, const int64_t *row,
		    int64_t n, int64_t rows, struct error *err);

void near_balls_free(struct near_balls *b);

/* near_ball_of() - the ball around rows row[first .. first + n - 1]; ball->centre must have room */
void near_ball_of(struct near_ball *ball, const struct float_vectors *v, const int64_t *row,
		  int64_t first, int64_t n);

/* near_balls_are_far() - is K(x, z) < 2^-40 for all x in one ball and z in the other? */
bool near_balls_are_far(const struct near_ball *a, const struct near_ball *b,
			const struct float_vectors *v);
