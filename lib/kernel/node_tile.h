/*
 * node_tile.h - dot products of one row with dense vectors that are nodes as they stand
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "matrix/svm_header.h"

/* Vectors of a tile. */
#define NODE_TILE_VECTORS 8

/* Indices of a dense vector's nodes: first, first + 1, ..., first + n - 1. */
struct node_span {
	int first, n;
};

/*
 * node_tile_dots() - dot[j] = sum_k sv[j][k].value x[k] and norm2[j] = sum_k sv[j][k].value^2 over
 * k = 0 .. span.n - 1
 *
 * For n_sv vectors, a multiple of NODE_TILE_VECTORS.  Returns the number of vectors done: less than
 * n_sv where a tile of them has a vector of other indices.  Of each vector span.n + 1 nodes are read,
 * whatever their indices are.
 *
 * 'dot' and 'norm2' are aligned to KERNEL_TILE_ALIGNMENT.  Sums run over ascending k, without fused
 * multiply-add: the same bits on every instruction set.  O(n_sv span.n).
 */
HOT_LOOP(int, node_tile_dots,
	 (struct svm_node *const *sv, int n_sv, struct node_span span, const double *x,
	  double *norm2, double *dot),
	 (sv, n_sv, span, x, norm2, dot))
