/*
 * landmarks.h - a uniform sample of the rows of a stream, in one pass
 *
 * The sample of m rows are those with the m smallest pairs (key, number of the row), the key being
 * rng_first64() of the draw (seed, RNG_LANDMARK, row, 0) and rows numbered from 0.  It depends on
 * the seed and the rows alone, and is part of the sample of more rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "io/rows.h"
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
