/*
 * ball.h - the smallest ball that holds all rows of a matrix, with its radius proved
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/csr.h"

struct ball_options {
	double tolerance; /* relative tolerance of the radius; at least 1e-9 */
	int n_threads;
};

/* Default of the programs. */
#define BALL_TOLERANCE 1e-4

/* Most passes over the rows. */
#define BALL_MAX_PASSES 2000

struct ball {
	double radius_low, radius_high; /* low <= radius <= high, up to rounding */
	int64_t n_core;			/* rows that the centre is a mean of */
	int64_t n_passes;		/* passes over all rows */
};

/* The centre of a ball, sum_j weight[j] x_row[j].  Owns its arrays; a zeroed one is empty. */
struct ball_centre {
	int64_t n;	/* number of core rows, b->n_core */
	int64_t *row;	/* rows of the core set: n, each once */
	double *weight; /* weights of the rows: n, above 0, of sum 1 */
};

/*
 * ball_enclose() - the radius R of the smallest ball around the rows of 'x'
 *
 * The centre found is c = sum_j u_j x_j over a few rows j, the core set, u_j >= 0 of sum 1, and
 *
 *     low^2 = 1/2 sum_jk u_j u_k |x_j - x_k|^2 <= R^2 <= max_i |x_i - c|^2 = high^2
 *
 * both the best over all passes.  u is optimised on the core set by pairwise Frank-Wolfe steps;
 * after each pass the farthest rows join the core set, until high <= (1 + tolerance) low, or
 * BALL_MAX_PASSES are over, or rounding leaves nothing to gain.  Distances are sums of squared
 * differences: rows far from 0 lose no more accuracy than their values have.  Columns without an
 * entry in a row are 0 there; rows without any entry are points too.  R = 0 without rows, or if all
 * rows are equal.
 *
 * The empty '*centre' becomes that of the last pass; without rows it stays empty, and on failure
 * too; NULL: it is not wanted.
 *
 * Passes: mostly 3 to 10, each O(entries); but for vectors of high dimension and equal length,
 * nearly at right angles, the core set and so the passes grow as 1 / tolerance (rcv1: 18 passes,
 * core set 416).  Memory: 4 bytes an entry, 8 a row, 50 a column and 8 n_core^2.  The bits do not
 * depend on n_threads.  Fails with ERR_MEMORY, or ERR_NUMERIC if a distance is not finite, or R is
 * below 1e-146 and not 0: squares then lose their digits.
 *
 * Source: Badoiu and Clarkson 2008, Computational Geometry 40 (core sets); Frank and Wolfe 1956;
 * Lacoste-Julien and Jaggi 2015 (pairwise steps).
 */
int ball_enclose(struct ball *b, struct ball_centre *centre, const struct csr *x,
		 const struct ball_options *options, struct error *err);

void ball_centre_free(struct ball_centre *centre);
