/*
 * rrqr.h - features by column-pivoted QR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "select/selection.h"

/* Which features follow the pivots if more features are wanted than the rows have rank. */
enum rrqr_beyond {
	RRQR_RESTART, /* rule: the pivots of a new factorisation of the columns not chosen yet */
	RRQR_NORM,    /* rule: the longest columns not chosen; of equal ones the lower index */
	RRQR_NONE,    /* rule: no columns, so that fewer features than wanted are chosen */
	/*
	 * those that LAPACK's permutation has there: features in the order of their indices, those
	 * without entries included, but for the exchanges that brought the pivots forward.  The
	 * published tables were made so.
	 */
	RRQR_LAPACK
};

/* rrqr_beyond_names - names of enum rrqr_beyond: restart, norm, none, lapack; ended by NULL */
extern const char *const rrqr_beyond_names[];

struct rrqr_options {
	int64_t n_features; /* number of features wanted, r */
	enum rrqr_beyond beyond;
	int n_threads;
};

/*
 * rrqr_select() - the first r pivots of X P = Q R into the empty '*s'
 *
 * Each pivot is the column with the largest distance from the span of the pivots before it (of
 * equal ones the lowest index): its score is that distance, |R_kk|, its weight 1.  '*rank', which
 * may be NULL, becomes the number of pivots with a distance above max(n, d) DBL_EPSILON times the
 * first.  o->beyond says what follows them; scores are then distances of the new factorisation,
 * norms, or 0.  No more features are chosen than have an entry that is not 0 (RRQR_LAPACK: than
 * x->n_cols - 1), so s->n may be below r; it is 0 for rows without entries.
 *
 * Modified Gram-Schmidt, each vector orthogonalised again where it lost size; distances are
 * downdated, and computed afresh where less than 1e-8 of their square is left.  With K pivots:
 * O(K entries + n K^2), and a distance afresh O(n K).  Memory: 8 n K bytes, 24 a column, 12 an
 * entry; R is not kept.  The bits depend on the BLAS, not on n_threads.
 *
 * Fails with ERR_MEMORY, with ERR_ARGUMENT (too many rows, or features to select), or with
 * ERR_NUMERIC if a value is not finite; '*s' is then empty.  The score of a column whose length is
 * no double is inf.
 *
 * Sources: Businger and Golub 1965, Numer. Math. 7 (pivots); Drmac and Bujanovic 2008, ACM Trans.
 * Math. Softw. 35 (when a downdated norm is worn out); Daniel, Gragg, Kaufman, Stewart 1976,
 * Math. Comp. 30 (orthogonalising again); Paul, Magdon-Ismail, Drineas 2015, section 5.1 (as a
 * way to choose features).
 */
int rrqr_select(struct selection *s, const struct csr *x, const struct rrqr_options *o,
		int64_t *rank, struct error *err);
