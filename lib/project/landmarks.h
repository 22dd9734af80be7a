/*
 * landmarks.h - landmarks of kernel maps: a uniform sample of the rows of a stream, in one pass; or
 * rows drawn by approximate ridge leverage scores
 *
 * The uniform sample of m rows are those with the m smallest pairs (key, number of the row), the
 * key being rng_first64() of the draw (seed, RNG_LANDMARK, row, 0) and rows numbered from 0.  It
 * depends on the seed and the rows alone, and is part of the sample of more rows.
 *
 * The ridge leverage score of row i of n, for a ridge lambda, is
 *
 *     score_i = (K (K + lambda I)^-1)_ii      0 .. 1; their sum is the effective dimension
 *
 * large for rows that few others resemble.  Landmarks drawn by it cover small clusters and
 * outliers, of which a uniform sample has few or none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"

/* A row that may be of the sample. */
struct landmark {
	int64_t row; /* number of the row in the data */
	uint64_t key;
	int64_t kept; /* its number in 'rows' */
};

/* Owns its arrays.  Starts zeroed but for n_wanted and seed. */
struct landmark_sample {
	int64_t n_wanted; /* m, at least 1 */
	uint64_t seed;
	int64_t n_seen;		   /* rows of the data so far */
	struct landmark *landmark; /* candidates: the m best and some more; n */
	int64_t n, capacity;
	uint64_t bound;	 /* largest key of the m best when that was last found out */
	struct csr rows; /* rows of the candidates */
};

/*
 * landmark_sample_add() - the next rows of the data
 *
 * Amortised O(rows), and O(entries) for each of some m (1 + log(n / m)) rows that are kept for a
 * while; memory for 2 m rows.  Fails with ERR_MEMORY; the sample can then only be freed.
 */
int landmark_sample_add(struct landmark_sample *s, const struct row_batch *rows, struct error *err);

/*
 * landmark_sample_take() - the sample, by ascending numbers of rows, into the empty '*landmarks'
 *
 * All rows where there are m at most.  The sample is done with then, and to be freed.
 */
int landmark_sample_take(struct landmark_sample *s, struct csr *landmarks, struct error *err);

void landmark_sample_free(struct landmark_sample *s);

/* ---- by leverage scores ---- */

struct leverage_choice {
	struct kernel kernel; /* rbf, or a polynomial one that is kernel_is_definite() */
	int64_t n_wanted;     /* m, at least 1 */
	uint64_t seed;
	int n_threads;
};

/*
 * leverage_scores() - approximate scores of the n > 0 rows of 'x', n numbers, and their *lambda
 *
 * From a weighted sample S, whose row j was taken with a chance of p_j, with W = diag(p_j^(-1/2))
 * and the eigenvalues e of W K_SS W, descending,
 *
 *     k = ceil(m / (4 L)), L = max(1, ln m)       lambda = sum_{j > k} e_j / k
 *     score_i = min(1, (K_ii - k_S(x_i)' (K_SS + lambda W^-2)^-1 k_S(x_i)) / lambda)
 *
 * where lambda is at least 1000 |S| DBL_EPSILON max K_ii, below which the difference is rounding.
 * A row is of level h if the first h bits of its draw (seed, RNG_LANDMARK_LEVEL, row, 0) are 0.
 * The first sample has all rows of the highest level that has m of them, with chances of 1; those
 * of the level below it are taken with a chance of min(1, L score_i), u < chance of the draw (seed,
 * RNG_LANDMARK_LEVEL, row, 1 + level); and so on to level 0, all rows, whose scores are the
 * result.  The rows are numbered from 0.
 *
 * In the theory 1.5 score_i is at least the exact score, and the sum of the scores some constant
 * times the effective dimension at most, both with high probability, for samples that are larger by
 * a constant; these are the constants of the authors' program.
 *
 * O(2 n m (m / 2 + entries)) time, and O(m^3) for each of log2(n / m) levels; memory: the rows of
 * level 1, about half of 'x', and 32 m^2 bytes or so.  The bits do not depend on n_threads, but the
 * last ones on the linear algebra library.  Fails with ERR_MEMORY, or as nystrom_fit() does.
 *
 * Source: Musco and Musco 2017, Recursive sampling for the Nystrom method, algorithm 3, and their
 * program recursiveNystrom.m (the constants).
 */
int leverage_scores(const struct csr *x, const struct leverage_choice *choice, double *score,
		    double *lambda, struct error *err);

/*
 * leverage_landmarks() - m rows of 'x' drawn by their scores, into the empty '*landmarks'
 *
 * One by one, without replacement, each with a chance proportional to its score among the rows that
 * are left: the rows with the m smallest pairs (-ln(1 - u) / score, row), u the unit of the draw
 * (seed, RNG_LANDMARK, row, 0).  Equal scores would give the uniform sample.  By ascending
 * numbers of rows; all rows where there are m at most.  Fails as leverage_scores() does.
 *
 * Source: Efraimidis and Spirakis 2006, Weighted random sampling with a reservoir.
 */
int leverage_landmarks(struct csr *landmarks, const struct csr *x,
		       const struct leverage_choice *choice, struct error *err);
