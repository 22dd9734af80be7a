/*
 * factor_loops.h - Shapley values of a kernel that is a product over the features
 *
 *     K(s, x) = prod_l k(s_l, x_l),   k(a, b) = exp(-gamma (a - b)^2)
 *
 * Players are the features in which the rows x and z differ; a set S of them has the value
 * K(s, y), where y has the features of S from x and the others from z.  With p_l = k(s_l, x_l) and
 * q_l = k(s_l, z_l), and r = the product of k over the features in which x and z agree, feature j has
 *
 *     phi_j = r (p_j - q_j) int_0^1 prod_{l != j} (q_l + t (p_l - q_l)) dt               (1)
 *
 * as in a random order of the players each has come before j by a time t that is uniform.  The
 * integrand is a polynomial, of which a rule of Gauss and Legendre with n nodes leaves
 *
 *     (n!)^4 / ((2n + 1) ((2n)!)^3) D,   D = A^(2n) prod_{i < 2n} (1 - i / m),
 *     A = sum_l |p_l - q_l|                                                               (2)
 *
 * at most: its derivative number 2n is (2n)! times a sum over products of 2n of the m = players - 1
 * differences, by factors of 1 at most, and that is largest where all are equal (Maclaurin).  Nothing
 * is left where 2n >= players.  So the number of nodes follows from A, for a group of vectors, such
 * that (2) is at most 2^-50.
 *
 * Source: Owen 1972, Management Science 18 (the integral); Davis and Rabinowitz 1984, 2.7 (2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "base/standard.h"

/* Vectors of a group, one in each lane, and nodes that are taken in step. */
enum { FACTOR_LANES = 8, FACTOR_NODES = 3, FACTOR_RULES = 17, FACTOR_MOST_NODES = 207 };

/* Doubles of scratch for each player. */
enum { FACTOR_WORK = (2 + 2 * FACTOR_NODES) * FACTOR_LANES };

/* A rule of Gauss and Legendre on [0, 1]. */
struct factor_rule {
	int n;		     /* number of nodes, a multiple of FACTOR_NODES */
	double log_constant; /* logarithm of the constant before D in (2) */
	double node[FACTOR_MOST_NODES], weight[FACTOR_MOST_NODES];
};

/* Vectors by groups, in the columns that rows have; their other values are in 'outside'. */
struct factor_tile {
	int64_t n_groups, n_columns;
	double *value;	 /* [n_groups][n_columns][FACTOR_LANES] */
	double *outside; /* squares of the vectors' other values, [n_groups][FACTOR_LANES] */
};

/* A row x, and another one, z, that it plays a game with. */
struct factor_game {
	double gamma;
	const struct factor_rule *rule; /* FACTOR_RULES */
	double *x, *z;			/* their values, n_columns */
	double *factor;	  /* of x alone: k(s_l, x_l), [n_groups][n_columns][FACTOR_LANES] */
	double *distance; /* likewise |s - x|^2, [n_groups][FACTOR_LANES] */
	double *other;	  /* the factors of z */
	int64_t n;	  /* number of players */
	int32_t *player;  /* n: columns in which x and z differ */
	double limit[FACTOR_RULES]; /* the largest A that each rule is for */
	const double *coef;	    /* [n_groups][FACTOR_LANES] */
	double *work;		    /* n * FACTOR_WORK, aligned to 64 bytes */
	double *sum;		    /* [n_columns][FACTOR_LANES]; coef phi_j is added */
};

/* factor_loops_row() - game->factor and game->distance of a row x; for a row z, 'other' in their place */
HOT_LOOP(void, factor_loops_row, (const struct factor_tile *tile, const struct factor_game *game),
	 (tile, game))

/*
 * factor_loops_play() - add the game's phi_j, (1), over all vectors; false where no rule is enough
 *
 * O(n_groups n nodes), some 6 operations each.  The same bits on every instruction set.
 */
HOT_LOOP(bool, factor_loops_play, (const struct factor_tile *tile, const struct factor_game *game),
	 (tile, game))
