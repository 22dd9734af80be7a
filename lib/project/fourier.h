/*
 * fourier.h - random Fourier features: rows whose inner products are nearly kernel values
 *
 *     z_2t, z_2t+1 = sqrt(2/k) (cos 2 pi f_t.x, sin 2 pi f_t.x)       t = 0 .. floor(k/2) - 1
 *     z_k-1        = sqrt(2/k) cos 2 pi (f_t.x + u)                   t = (k-1)/2, for an odd k
 *
 * With the kernel's frequencies f_t, E[z(x).z(y)] is K(x, y): a pair of columns has 2/k times
 * cos 2 pi f_t.(x - y), and the single one, whose u is uniform between 0 and 1, half of that in
 * expectation.  Frequencies are in turns, not radians:
 *
 *     rbf       exp(-gamma |x - y|^2)      f_tj = sqrt(2 gamma) / (2 pi) times N(0, 1)
 *     laplace   exp(-gamma |x - y|_1)      f_tj = gamma / (2 pi) times Cauchy's distribution
 *
 * For two rows x, y and independent frequencies, by Hoeffding's inequality for k/2 cosines,
 *
 *     P(|z(x).z(y) - K(x, y)| > E) <= 2 exp(-k E^2 / 4)                                     (1)
 *
 * Of an odd k the product of the single cosines, too, is between -2/k and 2/k: for the sum of the
 * squares of (k + 1) / 2 such ranges, k^2 / (k + 1) takes the place of k in (1).
 *
 * Those of rbf are orthogonal by default, which makes errors smaller.  With m frequencies to a
 * block, block b being those t with floor(t / m) = b, and w = f 2 pi / sqrt(2 gamma):
 *
 *     d <= 64   m = d.  Normal vectors g_t are made orthogonal within the block, by Gram and
 *               Schmidt in the order of t, and keep their lengths: w_t = |g_t| q_t.  Each w_t is
 *               normal, so the expectation is exact
 *     d > 64    m = d', the power of two that is d or next above.  w_t.x is s_t times entry t - m b
 *               of H D_0 H D_1 H D_2 x / d'^(3/2), with diagonal signs D, the Hadamard matrix H, and
 *               s_t the length of a normal vector of d' entries.  The rows of that matrix are
 *               orthonormal, and nearly uniform: the bias is O(1 / sqrt(d')) at most, and far below
 *               the standard deviation where it was measured
 *     d > 2^14  independent: orthogonal ones would change the variance by k / (2 d) at most
 *
 * Random numbers, by the draws of rng.h; j = index - 1, and (i, b) are those of rng_draw():
 *
 *     independent, rbf      w_tj: rng_normals() of RNG_GAUSSIAN (j, t / 2), number t % 2
 *     independent, laplace  tan(2 pi v), v: rng_unit() of half t % 2 of RNG_CAUCHY (j, t / 2)
 *     g_tj                  rng_normals() of RNG_FREQUENCY_AXIS (t, j / 2), number j % 2
 *     D_r of block b        -1 where bit j % 128 of RNG_FREQUENCY_SIGN (3 b + r, j / 128) is set
 *     s_t^2                 sum over i < d'/2 of both rng_normals() of RNG_FREQUENCY_LENGTH (t, i),
 *                           squared
 *     u                     rng_unit() of the first half of RNG_FREQUENCY_PHASE (t, 0)
 *
 * Sources: Rahimi and Recht 2007, Random features for large-scale kernel machines; Sutherland and
 * Schneider 2015, On the error of random Fourier features (pairs, and (1)); Yu, Suresh,
 * Choromanski, Holtmann-Rice and Kumar 2016, Orthogonal random features (the lengths of (1), the
 * products of three Hadamard transforms and their bias, theorem 3); Le, Sarlos and Smola 2013,
 * Fastfood.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "project/projection.h"

/* Kernels of kernel maps, of which rff has the first two. */
enum map_kernel { MAP_KERNEL_RBF, MAP_KERNEL_LAPLACE, MAP_KERNEL_POLYNOMIAL };

/* Features from which on frequencies are independent whatever is asked for by default. */
#define FOURIER_MAX_ORTHOGONAL (1 << 14)

struct fourier_options {
	enum map_kernel kernel;
	double gamma; /* factor gamma of the kernel, finite and >= 0 */
	uint64_t seed;
	int64_t n_columns;  /* number k of columns, 1 .. 2^31 - 1 */
	int64_t n_features; /* d, for orthogonal frequencies; 0: unknown */
	bool orthogonal;    /* rbf with n_features in 1 .. FOURIER_MAX_ORTHOGONAL */
	bool single;	    /* results rounded to single precision */
};

/* A ready map.  Owns its arrays; a zeroed one is empty.  Threads may share it. */
struct fourier {
	struct fourier_options options;
	int64_t n_frequencies;	       /* k/2, rounded up */
	int64_t stride;		       /* turns held for a row: n_frequencies in whole panels */
	struct projection form;	       /* columns and scale of the rows written */
	struct projection independent; /* turns of a row, unless orthogonal */
	double phase;		       /* phase u of the single column; 0 for an even k */

	/* orthogonal, d <= 64: frequencies as columns of a matrix, in panels (project_loops.h) */
	double *axis;

	/* orthogonal, d > 64 */
	int log2_size;	/* log2 d'; 0 for the others */
	double *length; /* s_t sqrt(2 gamma) / (2 pi d'^(3/2)); n_frequencies */
	uint64_t *sign; /* signs of D_r of block b, a bit each; [3 b + r][d' / 64] */
};

/*
 * fourier_init() - check the options, and draw what the map keeps
 *
 * O(k) numbers where frequencies are independent; O(k d) of them, and O(k d^2) time up to d = 64,
 * where they are orthogonal.  Returns 0; or -1 with ERR_ARGUMENT or ERR_MEMORY and '*f' empty.
 */
int fourier_init(struct fourier *f, const struct fourier_options *options, struct error *err);

void fourier_free(struct fourier *f);

/* fourier_last_feature() - the highest feature that the map has frequencies for; 0: all have */
int64_t fourier_last_feature(const struct fourier *f);

/*
 * fourier_apply() - out = z(x) for the rows x
 *
 * 'out' is overwritten: labels and texts as they were, column t as index t + 1, zeros left out.  A
 * row's values depend on that row alone.  With 'single' values are computed in doubles and then
 * rounded.
 * Time of a row: O(nnz k), or O(k log d) for orthogonal frequencies of more than 64 features, at
 * least O(d log d).
 * Returns 0; or -1 with ERR_MEMORY, or with ERR_FORMAT and the text `feature N above D` for
 * orthogonal frequencies; 'out' is then of no use.
 */
int fourier_apply(const struct fourier *f, struct row_range rows, struct row_batch *out,
		  struct map_room *room, struct error *err);
