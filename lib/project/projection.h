/*
 * projection.h - oblivious random projections y = x R, R (features x columns) never stored
 *
 * R is a function of (method, seed, feature, column) by the draws of rng.h, so every shard of the
 * data, thread and machine makes the same map.  All maps are scaled so that E[R R'] = I; then inner
 * products are kept in expectation, and with r columns Var |xR|^2 is
 *
 *     rs, fht, cw, countsketch, osnap    2 (|x|_2^4 - |x|_4^4) / r
 *     gaussian, achlioptas               2 |x|_2^4 / r
 *     uniform                            (2 |x|_2^4 - 1.2 |x|_4^4) / r
 *     li                                 (2 |x|_2^4 + (s - 3) |x|_4^4) / r
 *
 * For fht without replacement, which is the default, that is multiplied by (d' - r) / (d' - 1):
 * less than with replacement, as the theory has it, and 0 at r = d', where the map is a rotation.
 *
 * Entries of R in row j and column t, w being the words of the draws that rng.h lists:
 *
 *     rs          +-1 / sqrt(r)                       sign: bit t % 128 of draw (j, t / 128)
 *     gaussian    N(0, 1) / sqrt(r)                   rng_normals() of draw (j, t / 2)
 *     uniform     sqrt(3/r) (2 u - 1)                 u: rng_unit() of a half of draw (j, t / 2)
 *     achlioptas  sqrt(3/r) (+1, -1, 0)               floor(6 w / 2^32) is 0, 1, more
 *     li          sqrt(s/r) (+-1 or 0)                sign bit 0 of w, 0 unless w < 2 round(2^31/s)
 *     fht         D_j (-1)^popcount(j & i_t) / sqrt(r)
 *                                                     d' = power of two >= d; D_j: bit j % 128 of
 *                                                     draw (j / 128, 0); i_t: a random row of the
 *                                                     d' x d' Hadamard matrix, all different, or
 *                                                     with replacement each any of the d'
 *     cw          +-1 / sqrt(a) in column (h a + c) v + position, c = 0 .. a-1, else 0; r = q a v
 *                                                     h < q drawn for j, position < v and sign
 *                                                     for j and c
 *     osnap       cw with q = 1
 *     countsketch cw with q = r, a = v = 1
 *
 * For rs, gaussian, uniform, achlioptas, li and fht the first r' columns times sqrt(r / r') are
 * the map of r' columns.
 *
 * Features are named as in files: j = index - 1.  A file's index 0, which svm-train accepts, is
 * j = 2^32 - 1, a row no other index has; fht, whose rows end at d', refuses it.
 *
 * Sources: Achlioptas 2003, Database-friendly random projections; Li, Hastie and Church 2006,
 * Very sparse random projections; Ailon and Liberty 2009 and Tropp 2011, Improved analysis of the
 * subsampled randomized Hadamard transform; Clarkson and Woodruff 2013, Low rank approximation and
 * regression in input sparsity time; Nelson and Nguyen 2013, OSNAP; Charikar, Chen and
 * Farach-Colton 2002, Finding frequent items in data streams; Paul, Boutsidis, Magdon-Ismail and
 * Drineas 2013, Random projections for linear support vector machines.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "kernel/expansion.h"

/* ---- the memory that a map of rows works in ---- */

/*
 * It is kept from call to call and grows to the largest row or block, so that batches of a stream
 * are mapped without an allocation, but for those of the output.
 */

/* An array that grows; aligned to 64 bytes. */
struct room_array {
	void *memory;
	int64_t n_bytes;
};

/*
 * One for each thread and map.  Starts zeroed, but two sizes may be set before the first use, for
 * gaussian, uniform, achlioptas and li, and for rff with independent frequencies.  Results do not
 * depend on them.
 */
struct map_room {
	int64_t cache_bytes; /* memory for rows of R that are kept; 0: 32 megabytes */
	/* memory for these rows and a block of entries and sums, unless one row has more; 0: any */
	int64_t most_bytes;
	/* projections */
	struct room_array entries, runs, touched, cached, cache_lines, counters;
	int64_t n_blocks, n_counted;

	/* kernel maps */
	struct room_array turns, pairs, words, rounded;
	struct row_batch projected;	  /* turns of rows, for independent frequencies */
	struct expansion_scratch scratch; /* kernel values with landmarks */
	bool has_scratch;

	/* both */
	struct room_array sums, work;
};

void map_room_free(struct map_room *room);

/*
 * map_room_share() - most_bytes of one of n rooms: together they take half of what the bound on
 * memory leaves (base/mem_bound.h), the rest being for the rows; unchanged without a bound
 */
void map_room_share(struct map_room *room, int n);

/* room_take() - what the macros below call */
void *room_take(struct room_array *array, int64_t n, size_t size, bool zeroed, struct error *err);

/*
 * room_reserve() - the array with at least n elements; their contents are undefined
 *
 * NULL with ERR_MEMORY; the array is then as it was.
 */
#define room_reserve(array, n, size, err) room_take(array, n, size, false, err)

/* room_reserve_zeroed() - room_reserve() of an array whose bytes are 0 whenever it is new */
#define room_reserve_zeroed(array, n, size, err) room_take(array, n, size, true, err)

/* ---- projections ---- */

enum projection_method {
	PROJECT_RS,
	PROJECT_FHT,
	PROJECT_CW,
	PROJECT_COUNTSKETCH,
	PROJECT_GAUSSIAN,
	PROJECT_UNIFORM,
	PROJECT_ACHLIOPTAS,
	PROJECT_LI,
	PROJECT_OSNAP,
	PROJECT_N_METHODS,
	/* no map of its own, and without a name: frequencies of the Laplace kernel (fourier.h) */
	PROJECT_CAUCHY = 64
};

/* Names on a command line, in the order of the enum; then those of feature_map.h, and NULL. */
extern const char *const projection_names[];

/*
 * The largest s of li.  A word is below 2 round(2^31/s), so the chance of an entry, and with it
 * E |xR|^2, is off by a factor of 1 +- s / 2^32, 0.00024 here, at most.
 */
#define PROJECTION_MAX_SPARSITY 1e6

/* Options that a method does not have must be zero. */
struct projection_options {
	enum projection_method method;
	uint64_t seed;
	int64_t n_columns;  /* number r of columns, 1 .. 2^31 - 1 */
	int64_t n_features; /* d, for fht, and for li's default; 0: unknown */
	int64_t q, a, v;    /* sizes of cw, osnap (a, v); all 0: from r, see projection_init() */
	double sparsity;    /* li: s, 1 .. PROJECTION_MAX_SPARSITY; 0: sqrt(d) */
	/* fht: rows of the Hadamard matrix may be drawn again; r may exceed d' */
	bool with_replacement;
	bool single; /* sums and results rounded to single precision */
};

/* A ready map.  Owns its arrays.  Threads may share it; callers read the options only. */
struct projection {
	struct projection_options options; /* all defaults filled in */
	double scale;			   /* factor of R's entries */
	int64_t stride;	    /* columns of sums held for a row: r, rounded up to whole tiles */
	uint64_t threshold; /* li: random words below 'threshold' make a nonzero entry */

	/* fht: a sample of the columns of a Hadamard transform */
	int log2_size;	  /* log2 of the padded number d' of features */
	int log2_part;	  /* 2^log2_part features are transformed at a time */
	uint32_t *sample; /* rows i_t sampled, n_columns */
	uint64_t *plane;  /* [32][stride / 64]: bit t of plane b is bit b of i_t */
	int32_t *wanted;  /* outputs that a part's transform has to make, see project_loops.h */
};

/*
 * projection_init() - check the options and fill in the defaults
 *
 * Defaults of cw for a given r: q = r / 32, a = 4, v = 8 if 32 divides r; else q = 1 and a the
 * first of 4, 2, 1 that divides r, as always for osnap.  If q, a and v are given their product
 * must be r.  li needs s or d; fht needs d.
 * fht without replacement has no more than d' columns.
 * O(r), for fht O(d') and with replacement O(r log d').
 * Returns 0; or -1 with ERR_ARGUMENT, or ERR_MEMORY, and '*p' zeroed.
 */
int projection_init(struct projection *p, const struct projection_options *options,
		    struct error *err);

void projection_free(struct projection *p);

/*
 * projection_apply() - out = x R for the rows x
 *
 * 'out' is overwritten: labels and texts as they were, column t as index t + 1, ascending, zeros
 * left out.
 * A row's values depend on that row alone: its entries are summed in ascending order, and fht
 * chooses between the sum and the transform by looking at the row only.
 * Time: O(nnz r); for cw, osnap and countsketch O(nnz a); for fht the smaller of O(nnz r) and
 * O(d' log r).  Memory of a thread: O(r), and for gaussian, uniform, achlioptas and li some 16
 * megabytes and the cache, or most_bytes.
 * Returns 0; or -1 with ERR_MEMORY, or with ERR_FORMAT and the text `feature N above D` (or
 * `feature 0 below 1`) for fht; 'out' is then of no use.
 */
int projection_apply(const struct projection *p, struct row_range rows, struct row_batch *out,
		     struct map_room *room, struct error *err);

/*
 * projection_row() - row[t] = R's entry for that feature (a file's index) and column t
 *
 * r doubles, not rounded by 'single'.  O(r).  -1 if there is no such row: an index that is
 * negative, or for fht not in 1 .. d.
 */
int projection_row(const struct projection *p, int64_t feature, double *row);

/*
 * sizes_of_theorem() - the number of columns of a theorem O(...), with 1 for its unknown constant
 *
 *     fht   rho epsilon^-2 log(rho / delta) log(rho epsilon^-2 delta^-1 log(rho / delta))
 *     cw    rho epsilon^-4 log(rho / (delta epsilon)) (rho + log(1 / (delta epsilon)))
 *     rs    rho epsilon^-2 log(rho) log(n_features)
 *
 * are enough, times a constant, for E <= epsilon <= 1 with probability 1 - delta (rs: 1 - 1/n),
 * where E is the error of inner products in a row space of rank rho.  NAN for other methods, and
 * for rs where n_features is unknown (0) or a logarithm is 0.
 *
 * Source: Paul, Boutsidis, Magdon-Ismail, Drineas 2013, equations 7 to 9.
 */
double sizes_of_theorem(enum projection_method method, int64_t rank, double epsilon, double delta,
			int64_t n_features);
