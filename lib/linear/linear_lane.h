/*
 * linear_lane.h - the rounds of an epoch of coordinate descent (linear_descent.c), and their lanes
 *
 * What a lane reads and writes is the vector w of its own, the numbers of the rows that it meets, and
 * plain numbers that can be sent as they are.  So a lane can go on from one process to another, each
 * running it over the lists that it has (ranks/rank_linear.h): after each round w and the plain numbers
 * go to all, which join the lanes, with the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "linear/linear_rows.h"

/* Lanes of an epoch; and rows that are met together, in a random order. */
#define DESCENT_LANES 2
#define DESCENT_BLOCK 2048

/* Numbers that an update needs of a row, in one line of the processor's cache. */
struct descent_row {
	_Alignas(64) double q;
	double beta, target, lower, upper;
	double softness; /* softness of a row with squared losses, 1 / (2 C); else 0 */
	int64_t start;	 /* first of the row's n entries, in 'x' or in the pack */
	int32_t n;
	uint8_t list;	/* list of the row */
	bool is_active; /* not left out by shrinking */
};

/* The rows that lanes meet, on one process. */
struct descent_rows {
	struct descent_row *row;
	const struct linear_rows *x;
	struct linear_pack pack; /* pack of the active rows, while they are met there */
};

/* What the lanes of a round have in common. */
struct descent_round {
	double theta, bound, epsilon, centre_b[2]; /* of (1), (4) and (2) of linear_descent.c */
	bool two_sides;
	bool packed;	   /* rows are met in the pack */
	bool hard;	   /* rows of long moves are met again */
	int64_t most_hard; /* most of these of a list */
	uint64_t seed;
	uint32_t epoch; /* number of this epoch */
};

/* The rows of an epoch that a lane meets one after the other, in each round some; arrays are borrowed. */
struct descent_list {
	_Alignas(64) int64_t *row; /* n rows, in the order in which blocks meet them */
	int64_t *hard; /* n_hard of these with long moves, to be met again in the last round */
	int64_t n, n_hard;
	int64_t n_active; /* rows that were not left out */
};

/* A lane of a round; w is borrowed, and all from 'round' on can be sent as it is. */
struct descent_lane {
	_Alignas(64) double *w; /* w + u_k; that of struct linear_point where there is one lane */
	struct descent_round round;
	double sum[2];	   /* share s_k of S, of each side */
	double gain;	   /* gain g_k of this round */
	double move;	   /* move of w by the last row met, |change| sqrt(q) */
	double longest;	   /* longest move in this epoch so far */
	double largest;	   /* largest violation in this epoch so far */
	int64_t n_entries; /* entries of products and updates in this epoch */
};

/* The rounds of an epoch.  Its pointers are borrowed, and all before 'rows' can be sent as it is. */
struct descent_rounds {
	struct descent_round terms; /* those of all rounds; hard is of this one */
	double sum[2];		    /* surplus S of (1), of each side */
	int round, n_rounds;	    /* number of this round; rounds before that of hard rows */
	/* in a round lane k, of n_lanes, meets rows of n_lists / n_lanes lists, lane_list() */
	int n_lanes, n_lists;
	struct descent_rows rows;  /* those that lanes meet here */
	double *w;		   /* rows.x->d numbers */
	double *old;		   /* multiplier before this round, of each row that is met here */
	struct descent_lane *lane; /* n_lanes, at most DESCENT_LANES */
	struct descent_list list[LINEAR_LISTS];
	double product[LINEAR_LISTS];	/* product u_0.u_1 of (6), over parts of the columns */
	struct linear_helpers *helpers; /* those that have the other lists; NULL: all are here */
};

/* linear_rounds_run() - all rounds, from w, sum and the lists on */
void linear_rounds_run(struct descent_rounds *r);

/*
 * linear_shuffle() - shuffle by Fisher and Yates: a function of the seed, 'place' (of the first number)
 * and the epoch alone
 */
void linear_shuffle(const struct descent_round *round, int64_t *order, int64_t n, int64_t place);
