/*
 * synthetic.h - the synthetic data of the papers, row by row
 *
 * A row is a function of the options and its number and of nothing else: any thread, process or
 * machine can make any row, without those before it.  Values and
 * targets are multiples of 10^-8 (the doubles nearest to them), so that they have few digits and
 * what is read from a file is what was made.  Labels are +1 and -1.
 *
 * A struct synthetic_data owns its array.  Threads may share it once it is made.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * In the formulas z are independent N(0, 1), u independent uniform on (0, 1), d is the number of
 * features, and y is +1 or -1 with equal chances unless a formula gives it.
 */
enum synthetic_kind {
	/* x_j = y a + z_j, a = 2 / sqrt(d); Bayes error Phi(-2) = 2.275 % for any d */
	SYNTHETIC_TWONORM,

	/* y = 1: x_j = 2 z_j, or 1 + 2 z_j as the RandSVM papers print it; y = -1: x_j = a + z_j */
	SYNTHETIC_RINGNORM,

	/* x_j = 4 u_j, d = 2; y = 1 where ceil(x_1) and ceil(x_2) are both odd or both even */
	SYNTHETIC_CHECKERBOARD,

	/* x_j = u_j; target 10 sin(pi x_1 x_2) + 20 (x_3 - 1/2)^2 + 10 x_4 + 5 x_5 + z */
	SYNTHETIC_FRIEDMAN,

	/* x_j = z_j; y = 1 where w'x > tau |w|, w_j being N(0, 1) */
	SYNTHETIC_SEPARABLE,

	/* x_j = y (z_j - j) for j = 1 .. n_relevant, x_j = z_j for the other features */
	SYNTHETIC_RELEVANT
};

/* synthetic_names - names of the kinds, in the order of the enum; ended by NULL */
extern const char *const synthetic_names[];

struct synthetic_options {
	enum synthetic_kind kind;
	uint64_t seed;
	int64_t n_features; /* number of features, 1 .. INT32_MAX; 0: as in the papers */
	double noise;	    /* chance, 0 .. 1, that a label is turned round; not for targets */
	bool printed;	    /* ringnorm: the mean 1 that the RandSVM papers print, see above */
	double tau;	    /* separable: distance of the plane from the origin */
	int64_t n_relevant; /* relevant: number of relevant features, 0 .. n_features */
};

struct synthetic_data {
	struct synthetic_options options; /* options with n_features filled in */
	double *plane;			  /* separable: w / |w|, n_features; or NULL */
};

/*
 * synthetic_init() - get ready for synthetic_row()
 *
 * Fails with ERR_MEMORY, or with ERR_ARGUMENT if the kind cannot have such options; '*g' is
 * then empty.
 *
 * Sources: Breiman 1996, Bias, variance and arcing classifiers (twonorm, ringnorm); Krishnan,
 * Bhattacharyya, Hariharan 2007, section 4 (checkerboard, printed ringnorm); Friedman 1991,
 * Multivariate adaptive regression splines; Paul, Boutsidis, Magdon-Ismail,
 * Drineas 2013, section 4.1.1 (separable); Paul, Magdon-Ismail, Drineas 2015, table 1 (relevant).
 */
int synthetic_init(struct synthetic_data *g, const struct synthetic_options *options,
		   struct error *err);

/*
 * synthetic_row() - the features of a row into 'x'; returns its label or target
 *
 * 'x' has room for g->options.n_features doubles; rows count from 0.  The label is that of
 * the values in 'x', before noise.  O(n_features), some 30 ns a value, no allocation.
 */
double synthetic_row(const struct synthetic_data *g, int64_t row, double *x);

/* synthetic_free() - release and empty; harmless on a zeroed struct */
void synthetic_free(struct synthetic_data *g);
