/*
 * rng.h - counter-based random numbers: the same for any thread, shard and machine; glibc's rand()
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as
 * 1, 2, 3").  A number is a function of (seed, stream, i, b) and of nothing else; there
 * is no state.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/*
 * Purposes of streams of random numbers; each says what 'i' and 'b' of rng_draw() are.  Features,
 * rows and examples count from 0 in 'i', and "b: 2 columns" means the number of that pair.
 */
enum rng_stream {
	RNG_FIRST_SAMPLE = 1,	     /* i: example, b: 0 */
	RNG_LATER_SAMPLE = 2,	     /* i: example (or draw), b: round */
	RNG_BUDGET_SAMPLE = 3,	     /* i: example, b: model and round */
	RNG_DESCENT_ORDER = 4,	     /* i: place in the order, b: epoch */
	RNG_CHECKED_ROWS = 5,	     /* i: example, b: 0 */
	RNG_ROUNDED_ROWS = 6,	     /* i: draw, b: 0 */
	RNG_MEASURED_ROWS = 7,	     /* i: draw, b: 0 */
	RNG_SIGN = 0x10,	     /* i: feature, b: 128 columns */
	RNG_GAUSSIAN = 0x11,	     /* i: feature, b: 2 columns */
	RNG_UNIFORM = 0x12,	     /* i: feature, b: 2 columns */
	RNG_ACHLIOPTAS = 0x13,	     /* i: feature, b: 4 columns */
	RNG_VERY_SPARSE = 0x14,	     /* i: feature, b: 4 columns */
	RNG_CAUCHY = 0x15,	     /* i: feature, b: 2 columns */
	RNG_SRHT_SIGN = 0x20,	     /* i: 128 features, b: 0 */
	RNG_SRHT_ROW = 0x21,	     /* i: column, or row of the Hadamard matrix, b: 0 */
	RNG_SKETCH_BLOCK = 0x30,     /* i: feature, b: 0 */
	RNG_SKETCH_BUCKET = 0x31,    /* i: feature, b: two of the copies */
	RNG_FREQUENCY_AXIS = 0x40,   /* i: frequency, b: 2 features */
	RNG_FREQUENCY_SIGN = 0x41,   /* i: three times the block, and a turn; b: 128 features */
	RNG_FREQUENCY_LENGTH = 0x42, /* i: frequency, b: 2 features */
	RNG_FREQUENCY_PHASE = 0x43,  /* i: frequency, b: 0 */
	RNG_LANDMARK = 0x44,	     /* i: row of the data, b: 0 */
	RNG_CERTIFIED_PAIR = 0x45,   /* i: pair of rows, b: 0 */
	RNG_TENSOR_SKETCH = 0x46,    /* i: feature - 1, or 2^32 of the constant; b: four sketches */
	RNG_LANDMARK_LEVEL = 0x47,   /* i: row of the data, b: 0, or 1 + level */
	RNG_SKETCH_ROWS = 0x50,	     /* i: example, b: 2 rows of the sketch */
	RNG_LEVERAGE = 0x60,	     /* i: feature, b: 0 */
	RNG_LEVERAGE_TRIAL = 0x61,   /* i: trial, b: 0 */
	RNG_LEVERAGE_BUCKET = 0x62,  /* i: feature, b: 0 */
	RNG_LEVERAGE_DIRECTION = 0x63, /* i: direction of the basis, b: 2 columns */
	RNG_UNIFORM_FEATURE = 0x70,    /* i: feature - 1 modulo 2^32, b: 0 */
	RNG_SVD_START = 0x80,	       /* i: feature - 1 modulo 2^32, b: column pair */
	RNG_MADE_VALUE = 0x90,	       /* i: row of generated data, b: two columns or words */
	RNG_MADE_LABEL = 0x91,	       /* i: row of generated data, b: 0; text also 1 */
	RNG_MADE_PLANE = 0x92,	       /* i: 0, b: column pair; text: i: word - 1, b: 0 or 1 */
	RNG_FOLD = 0xa0,	       /* i: row, b: 0 */
	RNG_FOLD_ORDER = 0xa1,	       /* i: row the order begins at, b: four places of it */
	RNG_BOOTSTRAP = 0xa2,	       /* i: draw, b: unit */
	RNG_PERMUTATION = 0xa3,	       /* i: draw, b: 0 */
	RNG_KERNEL_ROWS = 0xb0	       /* i: row of a precomputed kernel, b: 0 */
};

struct rng_block {
	uint32_t w[4];
};

/* What many draws have in common; the functions that take it vary 'i' or 'b'. */
struct rng_place {
	uint64_t seed;
	enum rng_stream stream;
	uint64_t i;
	uint32_t b;
};

/* rng_draw() - ten rounds with key = seed, on the counter (i low, i high, b, stream) */
struct rng_block rng_draw(uint64_t seed, enum rng_stream stream, uint64_t i, uint32_t b);

/* rng_first64() - the block's words 0 and 1 as one number */
static inline uint64_t rng_first64(struct rng_block block)
{
	return block.w[0] | (uint64_t)block.w[1] << 32;
}

/* rng_second64() - the block's words 2 and 3 as one number */
static inline uint64_t rng_second64(struct rng_block block)
{
	return block.w[2] | (uint64_t)block.w[3] << 32;
}

/* rng_unit() - a double strictly between 0 and 1: ((a >> 12) + 0.5) 2^-52 */
static inline double rng_unit(uint64_t a)
{
	return ((double)(a >> 12) + 0.5) * 0x1p-52;
}

/*
 * rng_normals() - two independent standard normal numbers of a block
 *
 * With u, v the units of the block's two halves: sqrt(-2 ln u) times cos(2 pi v) and
 * sin(2 pi v).  At most 8.6 in size.  The same bits on every machine, see elementary.h.
 *
 * Source: Box and Muller 1958, A note on the generation of random normal deviates.
 */
void rng_normals(struct rng_block block, double z[2]);

/*
 * rng_subset() - a uniform subset of 'm' of the 'n' ids, in ascending order
 *
 * Chooses the m smallest pairs (rng_first64() of the draw (place->seed, place->stream, id,
 * place->b), id), so the choice does not depend on the order of the ids; place->i is ignored.  'id'
 * is overwritten: the subset comes first, sorted; the other ids follow in no order.  m <= n.
 * O(n + m log m).  Fails with ERR_MEMORY only; the ids are then as they were.
 */
int rng_subset(const struct rng_place *place, int64_t *id, int64_t n, int64_t m, struct error *err);

/*
 * LIBSVM draws folds by rand(), and what svm-train -v has printed is by this library's.  Here a state
 * belongs to a call: the process's rand() is left alone, and no thread waits for another.
 */

enum { GLIBC_RAND_WORDS = 31 };

struct glibc_rand {
	uint32_t word[GLIBC_RAND_WORDS];
	int next; /* the word that is drawn next */
};

/* glibc_rand_seed() - as srand(seed); a program that never calls that has a seed of 1 */
void glibc_rand_seed(struct glibc_rand *r, unsigned seed);

/* glibc_rand_next() - as rand(), from 0 to 2^31 - 1; where 'r' is NULL the process's rand() itself */
int32_t glibc_rand_next(struct glibc_rand *r);
