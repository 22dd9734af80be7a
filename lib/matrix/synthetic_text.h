/*
 * synthetic_text.h - synthetic rows of words, as of texts
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
 * Like the rows of synthetic.h these are functions of the options and their number alone, the same
 * on every machine.
 *
 * Sources: Zipf 1949, Human behavior and the principle of least effort (1); Salton, Buckley 1988,
 * Information Processing and Management 24 (2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

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
