/*
 * bss.h - features by single-set spectral sparsification: deterministic, with a guarantee
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/progress_observer.h"
#include "geometry/row_space.h"
#include "select/selection.h"

struct bss_options {
	int64_t n_features; /* number of features wanted, r >= 1 */
	int n_threads;
	struct progress_observer progress; /* observer, told after each step */
};

/* Figures of a selection: how the features were found, and how good they are. */
struct bss_report {
	int64_t dimension; /* dimension l of the space: the rank, or less where 'truncated' */
	bool truncated;	   /* truncation to the l largest singular directions, as r <= rank */
	/* all features that occur were taken, with weight 1, as r is not less than their number */
	bool all;
	/* number of features judged: in all steps, and at most in one */
	int64_t n_visited, max_visited;
	int64_t n_again; /* number of steps that took a feature already chosen */
	/* number of steps in which rounding left no feature admissible */
	int64_t n_forced;
	int64_t n_turns;       /* number of decompositions of A, see barrier.h */
	double least, largest; /* extreme eigenvalues of sum w^2 v v' */
	double low, high;      /* guaranteed bounds of the eigenvalues, (1 - s)^2 and (1 + s)^2 */
};

/*
 * bss_select() - at most r features of 's' with weights w into the empty '*selection'; r >= 1
 *
 * 's' has an entry.
 *
 * With l = rank(X) < r and s = sqrt(l / r) the eigenvalues of sum w^2 v v' over the chosen v_j lie
 * between (1 - s)^2 and (1 + s)^2.  Each of r steps takes, among the features with v_j != 0 that
 * were not chosen before and that the barriers admit (barrier.h), the one with the largest |v_j|,
 * of equal ones the first; its weight is w^2 = t (1 - s) / r.  A step tries features in this order
 * and ends with the first that is admitted: on sparse text it tries one or two.  If no feature is
 * admitted, the step takes the admitted one with the largest |v_j| among those chosen before again,
 * and its t adds up: fewer than r features are then chosen in the end.  Scores are |v_j|^2.
 *
 * Cases that this does not cover:
 *   - r >= the number of features that occur: all of them, largest |v_j| first, weights 1 (exact);
 *   - r <= rank: v_j is cut to the l = max(1, r / 2) largest singular directions, and nothing
 *     bounds the rest of the row space.  r = 1 takes the largest |v_j|, with the weight 1 / |v_j|;
 *     a v_j whose cut has less than 1e-12 of its length counts as 0.
 *
 * The choice depends on the row space alone, not on the basis or the number of threads.
 * O(entries l + r l^2 + r l m^2 + r / m l^3), m being about l / 6.  Memory: about 48 l^2 bytes, 32
 * a feature and at most 32 MB of vectors.  Fails with ERR_MEMORY, with ERR_NUMERIC, or with
 * ERR_ARGUMENT (l too large for the BLAS); '*selection' is then empty.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, Algorithm 1 and Lemma 2 (with the weights sqrt(t), not 1 / sqrt(t)).
 */
int bss_select(struct selection *selection, const struct row_space *s,
	       const struct bss_options *options, struct bss_report *report, struct error *err);
