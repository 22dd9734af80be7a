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

/*
 * Synthetic rows of words, as of texts
 *
 * Words are numbered from the most frequent one on, 1 .. d.  A row with L different words is made
 * by drawing words one after the other, word j with a probability
 *
 *     p_j = (1 / j) / (1 / 1 + 1 / 2 + ... + 1 / d)          Zipf's law                         (1)
 *
 * until L different ones are there.  L is random with the mean m: 1 + a gamma number of shape 2,
 * rounded, at most d / 2.  The value of a word that was drawn t times is
 *
 *     (1 + ln t) idf_j,   idf_j = -ln(1 - (1 - p_j)^m),                                         (2)
 *
 * the second factor being the inverse of the part of all texts of m words that have word j; the row
 * is then scaled to length 1 and values are rounded to multiples of 10^-8.  The label is
 *
 *     y = 1 where w.x > b, else -1                                                              (3)
 *
 * with w normal numbers for n_relevant words, chosen at random, and 0 for all others; b is the
 * median of w.x over rows 1 to 1001.  Noise turns a label round.
 *
 * Like the rows above these are functions of the options and their number alone, the same
 * on every machine.
 *
 * Sources: Zipf 1949, Human behavior and the principle of least effort (1); Salton, Buckley 1988,
 * Information Processing and Management 24 (2).
 */
struct synthetic_text_options {
	uint64_t seed;
	int64_t n_features; /* number d of features, 8 .. INT32_MAX; 0: 50,000 */
	int64_t n_words;    /* words m of a row, 1 .. d / 4 */
	int64_t n_relevant; /* number of relevant words, 1 .. d; 0: a tenth of d */
	double noise;	    /* chance, 0 .. 1, that a label is turned round */
};

/* Owns its arrays; read-only after its making, so threads may share the struct. */
struct synthetic_text {
	struct synthetic_text_options options; /* options with defaults for zeros */
	double *cumulative;		       /* cumulative probabilities p_1 + ... + p_j, d */
	double *idf;			       /* inverse document frequency of each word, d */
	double *direction;		       /* normal w of the plane of the labels, d */
	double threshold;		       /* threshold b of the labels */
};

/* One row, and the memory to make it: one for each thread. */
struct synthetic_words {
	int64_t n;	/* words of the row */
	int32_t *col;	/* columns of the n words, ascending; word j has column j - 1 */
	double *val;	/* values of the row's entries; n */
	int32_t *times; /* count of draws of each word, d; all 0 between rows */
};

/*
 * synthetic_text_init() - get ready for synthetic_text_row(); O(d + 1000 m)
 *
 * Returns 0; or -1 with ERR_MEMORY, or ERR_ARGUMENT if there are no such texts, and '*t' empty.
 */
int synthetic_text_init(struct synthetic_text *t, const struct synthetic_text_options *options,
			struct error *err);

/* synthetic_words_init() - memory for a row of 't'; 0, or -1 with ERR_MEMORY and '*row' empty */
int synthetic_words_init(struct synthetic_words *row, const struct synthetic_text *t,
			 struct error *err);

/* synthetic_text_row() - make row i, counted from 0; returns its label, +1 or -1 */
double synthetic_text_row(const struct synthetic_text *t, int64_t i, struct synthetic_words *row);

/* synthetic_text_free(), synthetic_words_free() - release and empty; harmless on a zeroed struct */
void synthetic_text_free(struct synthetic_text *t);
void synthetic_words_free(struct synthetic_words *row);
