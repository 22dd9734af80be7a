/*
 * barrier.h - the two barriers between which spectral sparsification keeps a growing matrix
 *
 * A is l x l, a sum of t v v' that starts at 0.  Before step tau = 0 .. r - 1 of r > l its
 * eigenvalues lie between L and U, and after it between L' and U'; with s = sqrt(l / r):
 *
 *     L = tau - sqrt(r l)             L' = L + 1
 *     U = delta (tau + sqrt(r l))     U' = U + delta      delta = (1 + s) / (1 - s)
 *
 * How near the eigenvalues are, the potentials tell: P(L) = tr (A - L)^-1, Q(U) = tr (U - A)^-1.
 * A vector v may be added, by some t, where upper(v) <= lower(v):
 *
 *     upper(v) = v'(U' - A)^-2 v / (Q(U) - Q(U')) + v'(U' - A)^-1 v
 *     lower(v) = v'(A - L')^-2 v / (P(L') - P(L)) - v'(A - L')^-1 v
 *
 * A is kept as Z'(D + W'W)Z: eigenvectors and eigenvalues of some steps ago, and the rows of W for
 * what has been added since.  Both inverses are then a diagonal and a correction of few rows,
 *
 *     (U' - A)^-1 = Z'(S^-1 + X'X)Z    S = U' - D    C C' = 1 - W S^-1 W'    C X = W S^-1
 *     (A - L')^-1 = Z'(S^-1 - X'X)Z    S = D - L'    C C' = 1 + W S^-1 W'    C X = W S^-1
 *
 * which takes O(l m^2) a step with m rows and O(l^2) a vector, where factorising the matrices takes
 * 4/3 l^3.  New eigenvectors, 9 l^3, come when there are many rows or when L' has
 * come halfway to the least of D, so that S stays far from singular.
 *
 * Source: Batson, Spielman, Srivastava 2009, Twice-Ramanujan sparsifiers; the single-set form:
 * Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable Guarantees,
 * Algorithm 1; the inverse of a matrix plus few rows: Woodbury 1950.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/* One of the two barriers: (U' - A)^-1 or (A - L')^-1. */
struct barrier_side {
	double sign;	      /* sign of X'X: 1 for the upper barrier, -1 for the lower */
	double before, after; /* potential at U or L, and after the step at U' or L' */
	double *inverse;      /* diagonal S^-1, l numbers */
	double *rows;	      /* correction X, recent.n x l */
};

/* Vectors added to A since the last turn. */
struct barrier_recent {
	int64_t n, room; /* number of rows in W; largest number of rows */
	double *rows;	 /* matrix W of turned vectors, n x l */
	double *added;	 /* vectors sqrt(t) v before they were turned, n x l */
};

/* Scratch memory of barrier_raise().  For 'room' see struct barrier_recent. */
struct barrier_scratch {
	double *root;	/* square roots S^-1/2, l numbers */
	double *scaled; /* product W S^-1/2, room x l */
	double *small;	/* small matrix C, room x room */
};

struct barrier {
	int64_t l, r, step;
	double delta;
	/* matrix A as it was at the last turn, l x l, lower triangle */
	double *a;
	/* eigenvectors Z, l x l; not set before the first turn, when Z = 1 */
	double *turn;
	double *value;		      /* eigenvalues D, l numbers, ascending */
	int64_t n_turns;	      /* number of decompositions A = Z'D Z so far */
	struct barrier_recent recent; /* vectors added since the last turn: W */
	double clearance;	      /* distance of L' from the least of D at the last turn */
	struct barrier_scratch scratch;
	struct barrier_side upper, lower;
};

/* upper(v) or lower(v) as defined above, and the quadratic forms that it is made of. */
struct barrier_bound {
	double of;
	/* quadratic forms v'M v and v'M^2 v, M being (U' - A)^-1 or (A - L')^-1 */
	double form, square;
};

struct barrier_verdict {
	struct barrier_bound upper, lower;
};

/*
 * barrier_init() - A = 0 of order l, for r steps, r > l >= 1, into the empty '*b'
 *
 * Memory: some 32 l^2 bytes, twice that while there are new eigenvectors.  Fails with ERR_MEMORY
 * only; '*b' is then empty.
 */
int barrier_init(struct barrier *b, int64_t l, int64_t r, struct error *err);

void barrier_free(struct barrier *b);

/*
 * barrier_raise() - prepare step b->step: L' and U', their potentials and inverses
 *
 * Call it once before each step.  Fails with ERR_MEMORY, or with ERR_NUMERIC if the eigenvalues of
 * A are not between the barriers.
 */
int barrier_raise(struct barrier *b, struct error *err);

/*
 * barrier_turn() - y = Z v for 'n' vectors, n x l each; O(n l^2)
 *
 * A vector is turned for as long as b->n_turns is the same.  Fails with ERR_ARGUMENT if the sizes
 * are beyond the BLAS.
 */
int barrier_turn(const struct barrier *b, const double *v, int64_t n, double *y, struct error *err);

/*
 * barrier_judge() - the verdicts on 'n' turned vectors
 *
 * 'work' has room for n (l + room) doubles.  O(n l m), m rows being recent.  Errors as
 * barrier_turn().
 */
int barrier_judge(const struct barrier *b, const double *y, int64_t n,
		  struct barrier_verdict *verdict, double *work, struct error *err);

/*
 * A bound that rejects most vectors of a step.  lower(v) - upper(v) = v'N v with the same N for all
 * v; N = sum_i g_i u_i u_i' by descending g_i, few of them positive, so that
 *
 *     lower(v) - upper(v) <= sum_{i <= k} g_i (u_i'v)^2 + g_{k+1} (|v|^2 - sum_{i <= k} (u_i'v)^2)
 */
struct barrier_screen {
	int64_t k;
	double *gain; /* gains of the k directions, ascending */
	/* directions, l x k by rows: a column for each, in the order of 'gain' */
	double *direction;
	double rest;	 /* gain of all other directions, at most: g_{k+1} */
	double rounding; /* largest rounding error of the bound, over |v|^2 */
};

/*
 * barrier_screen_init() - for k = l / 2 and this step, into the empty '*screen'
 *
 * O(14 l^3), 32 l^2 bytes.  Fails with ERR_MEMORY or ERR_NUMERIC; '*screen' is then empty.
 */
int barrier_screen_init(struct barrier_screen *screen, const struct barrier *b, struct error *err);

void barrier_screen_free(struct barrier_screen *screen);

/*
 * barrier_add() - A <- A + t v v' with t = 2 / (upper + lower), which ends the step; returns t
 *
 * 'y' is v turned, 'verdict' the one on it.
 */
double barrier_add(struct barrier *b, const double *v, const double *y,
		   const struct barrier_verdict *verdict);

/*
 * barrier_extremes() - the least and largest eigenvalue of A; O(4/3 l^3)
 *
 * Fails with ERR_MEMORY or ERR_NUMERIC.
 */
int barrier_extremes(struct barrier *b, double *least, double *largest, struct error *err);
