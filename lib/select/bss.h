/*
 * bss.h - features by single-set spectral sparsification: deterministic, with a guarantee
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BSS_H
#define RANDSVM_BSS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress_observer.h"
#include "geometry/row_space.h"
#include "select/selection.h"

struct bss_options {
	int64_t n_features; /* r >= 1 */
	int n_threads;
	struct progress_observer progress; /* told after each step */
};

/* How it went. */
struct bss_report {
	int64_t dimension; /* l: the rank, or less where 'truncated' */
	bool truncated;	   /* r <= rank: only the l largest singular directions count */
	bool all;	   /* r >= the features that occur: all were taken, as they are */
	int64_t n_visited, max_visited; /* features judged, in all and in one step */
	int64_t n_again;		/* steps that took a feature already chosen */
	int64_t n_forced;		/* steps in which rounding left no feature admissible */
	int64_t n_turns;		/* decompositions of A, see barrier.h */
	double least, largest;		/* eigenvalues of sum w^2 v v' */
	double low, high;		/* what bounds them: (1 - s)^2 and (1 + s)^2 */
};

/*
 * bss_select() - at most r features of 's' with weights w into the empty '*selection'
 *
 * With l = rank(X) < r and s = sqrt(l / r) the eigenvalues of sum w^2 v v' over the chosen v_j lie
 * between (1 - s)^2 and (1 + s)^2.  In each of r steps, among the features with v_j != 0 that were
 * not chosen before and that the barriers admit (barrier.h), the one with the largest |v_j| is
 * taken, of equals the first; its weight is w^2 = t (1 - s) / r.  Features are tried in that
 * order until one is admitted, which is all of them only in name: on sparse text one or two a
 * step.  If none is admitted, the admitted one with the largest |v_j| among those chosen before is
 * taken again, its t adding up, so that fewer than r are chosen in the end.  Scores are |v_j|^2.
 *
 * Where that is not defined:
 *   - r >= the features that occur: all of them, largest |v_j| first, weights 1 (exact);
 *   - r <= rank: v_j is cut to the l = max(1, r / 2) largest singular directions; nothing then
 *     bounds the rest of the row space.  r = 1 takes the largest |v_j|, with the weight 1 / |v_j|;
 *     a cut v_j of less than 1e-12 of its length is taken for 0;
 *   - no entry at all: ERR_ARGUMENT.
 *
 * The choice depends on the row space alone, not on the basis or the number of threads.
 * O(entries l + r l^2 + r l m^2 + r / m l^3), m some l / 6.  Memory: some 48 l^2 bytes, 32 a
 * feature and at most 32 MB of vectors.  Fails with ERR_MEMORY, ERR_NUMERIC or ERR_ARGUMENT
 * (as said, or l beyond the BLAS); '*selection' is then empty.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, Algorithm 1 and Lemma 2 (with the weights sqrt(t), not 1 / sqrt(t)).
 */
int bss_select(struct selection *selection, const struct row_space *s,
	       const struct bss_options *options, struct bss_report *report, struct error *err);

#endif
