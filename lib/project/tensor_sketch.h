/*
 * tensor_sketch.h - sketches of tensor powers: rows whose inner products are nearly polynomial
 * kernels
 *
 *     K(x, y) = (gamma x.y + c)^d = (x'.y')^d,     x' = (sqrt(gamma) x, sqrt(c))
 *
 * is the inner product of the d-fold tensor powers of x' and y'.  With a power of two D, hash
 * functions h_r of the features into 0 .. D - 1 and signs s_r, r = 0 .. d - 1, the count sketches
 *
 *     C_r[i] = sum over features j with h_r(j) = i of s_r(j) x'_j
 *
 * are combined by the dyadic convolution, in which indices are added bit by bit without carry, and
 * which the Walsh-Hadamard matrix H makes a product of entries:
 *
 *     z = C_0 * ... * C_(d-1) = 1/D H (H C_0 . ... . H C_(d-1))                             (1)
 *
 * z is the count sketch of the tensor power by h(j_0, ...) = h_0(j_0) xor ... and s = s_0(j_0) ...:
 * two different tuples share an index with chance 1 / D, as in Pham's and Pagh's sketch, which adds
 * modulo D and needs complex transforms.  So E[z(x).z(y)] = K(x, y).  In the variance count the
 * quadruples of tuples whose signs cancel: for each r three pairings, each with a sum of at most
 * |x'|^2 |y'|^2, of which that of all first pairings is the kernel itself:
 *
 *     Var[z(x).z(y)] <= (3^d - 1) / D  K(x, x) K(y, y)                                      (2)
 *
 * A number k of columns is a sum of powers of two D, the bits of k from the highest on.  Each has a
 * sketch of its own, times sqrt(D / k), which keeps the expectation, and (2) with k for D.
 *
 * Random numbers, by the draws of rng.h: sketch r of block B has number t = B d + r, and feature j
 * + 1 the word w = word t mod 4 of the draw (RNG_TENSOR_SKETCH, j, t div 4); h is floor(w D /
 * 2^32), the highest bits, and s is -1 where bit 0 of w is set.  D < 2^31, so both are
 * independent.  The constant sqrt(c) has j = 2^32.
 *
 * Sources: Pham and Pagh 2013, Fast and scalable polynomial kernels via explicit feature maps;
 * Avron, Nguyen and Woodruff 2014, Subspace embeddings for the polynomial kernel (the variance).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "kernel/kernel.h"
#include "project/projection.h"

struct tensor_options {
	struct kernel kernel; /* polynomial and kernel_is_definite(), of degree 1 .. 1000 */
	uint64_t seed;
	int64_t n_columns; /* number k of columns, 1 .. 2^31 - 1 */
	bool single;	   /* results rounded to single precision */
};

/* A ready map, which owns nothing.  A zeroed one is empty.  Threads may share it. */
struct tensor_sketch {
	struct tensor_options options;
	int n_sketches;		/* count sketches of a row: d for each power of two in k */
	struct projection form; /* columns of the rows written */
};

/* tensor_sketch_init() - check the options; returns 0, or -1 with ERR_ARGUMENT and '*s' empty */
int tensor_sketch_init(struct tensor_sketch *s, const struct tensor_options *options,
		       struct error *err);

/*
 * tensor_sketch_apply() - out = z(x) for the rows x
 *
 * 'out' is overwritten: labels and texts as they were, column t as index t + 1, zeros left out.  A
 * row's values depend on that row alone; they have the same bits on every machine.  With 'single'
 * values are computed in doubles and then rounded.
 * Time of a row: O(d (nnz + D log D)) for each D of k.
 * Returns 0, or -1 with ERR_MEMORY, and 'out' is then of no use.
 */
int tensor_sketch_apply(const struct tensor_sketch *s, struct row_range rows, struct row_batch *out,
			struct map_room *room, struct error *err);
