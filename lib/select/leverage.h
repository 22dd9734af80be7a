/*
 * leverage.h - leverage scores of features, exact or approximate, and choosing by them
 *
 * The score of feature j is |v_j|^2, v_j its vector in the row space (row_space.h); the scores add
 * up to the rank.
 *
 * A struct leverage owns its arrays; a zeroed one is empty.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "geometry/row_space.h"
#include "select/selection.h"

struct leverage {
	int64_t n;	  /* number of features that occur */
	int32_t *feature; /* feature numbers, n, ascending */
	double *score;	  /* leverage scores, n, not negative */
	int64_t rank;
	bool sketched; /* scores are approximate, from products of hashed features */
};

void leverage_free(struct leverage *l);

/*
 * leverage_exact() - the scores of 's' into the empty '*l'
 *
 * O(entries x rank), see row_space_leverage().  Fails with ERR_MEMORY only.
 */
int leverage_exact(struct leverage *l, const struct row_space *s, int n_threads, struct error *err);

struct leverage_options {
	uint64_t seed;
	int64_t turns;	   /* factor c: features are hashed to c n buckets; 0: LEVERAGE_TURNS */
	int64_t max_bytes; /* bytes that full matrices may take; 0: ROW_SPACE_MAX_BYTES */
	int n_threads;
};

#define LEVERAGE_TURNS 8

/*
 * leverage_approximate() - the scores of the features of 'x' within some ten per cent
 *
 * If more than c n features occur, each has a bucket and a sign (RNG_LEVERAGE_BUCKET), and the
 * signed sums X S' of the features in each of c n buckets take their place; else S = 1.  With the
 * Cholesky factor L of the products of the independent rows of X S' (rows whose pivot is below
 * 1e-12 of the largest product count as dependent), and m = ceil(32 ln d) random directions
 * G (RNG_LEVERAGE_DIRECTION),
 *
 *     score_j = (1 - rank / (c n)) |x_j' L'^-1 G|^2 / m      (S = 1: without the first factor)
 *
 * where the first factor takes away what the buckets add on average.  With n > d the scores are
 * exact.  Time: products of pairs of rows, n^3 / 3, and entries m, which is less than that of
 * exact scores above about a thousand rows.  Memory: 8 n^2 bytes, 16 n m, and about 60 an entry.
 * The bits do not depend on the number of threads.  Fails with ERR_MEMORY, with ERR_NUMERIC (a
 * value that is not finite), or with ERR_ARGUMENT (more than max_bytes for full matrices); '*l' is
 * then empty.
 *
 * Source: Drineas, Magdon-Ismail, Mahoney, Woodruff 2012, Fast approximation of matrix coherence
 * and statistical leverage; Clarkson, Woodruff 2013 (the hashing).
 */
int leverage_approximate(struct leverage *l, const struct csr *x,
			 const struct leverage_options *options, struct error *err);

/* Most trials of IID draws: more trials change weights in the fourth digit only. */
#define LEVERAGE_MOST_TRIALS 100000000

/* Rules of choosing features by their scores. */
enum leverage_rule {
	/*
	 * r trials with replacement draw feature j with probability p_j = score_j / sum; a feature
	 * drawn c times has the weight sqrt(c / (r p_j)).  In the order in which features are first
	 * drawn; at most r features; r up to LEVERAGE_MOST_TRIALS.
	 */
	LEVERAGE_IID,

	/*
	 * feature j is taken with probability q_j = min(1, c score_j), with c such that the q_j
	 * add up to r, and has the weight 1 / sqrt(q_j).  In the order of the features; about r
	 */
	LEVERAGE_BERNOULLI,

	/* the r largest scores, the lower feature of equals first; weights 1 */
	LEVERAGE_TOP
};

/*
 * leverage_select() - features by rule into the empty '*selection'; r >= 1
 *
 * The rank is 1 or more.
 * Under the first two rules the mean of sum w^2 v v' over all seeds is the identity.  Features with
 * score 0 are never taken.  Trial k draws (RNG_LEVERAGE_TRIAL, k), feature j (RNG_LEVERAGE,
 * j - 1).  The selection's scores are those of 'l'.  O(n log n + r log n).
 * Fails with ERR_MEMORY, or ERR_ARGUMENT if there are too many trials;
 * '*selection' is then empty.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, section 3 (with weights 1 / sqrt(r p) rather than 1 / sqrt(p)).
 */
int leverage_select(struct selection *selection, const struct leverage *l, int64_t r,
		    enum leverage_rule rule, uint64_t seed, struct error *err);
