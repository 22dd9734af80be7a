/*
 * node_tile.c - dot products of one row with dense vectors that are nodes as they stand
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; kernel_dispatch.c
 * chooses among them.
 *
 * A node is 16 bytes, an index and a value.  A register takes the next nodes of one vector, as many
 * registers as it has lanes those of as many vectors.  Their indices are compared, and their values
 * transposed, so that each vector has a lane; with AVX2:
 *
 *     a0 a1 | b0 b1 | c0 c1 | d0 d1        nodes 0 and 1 of vectors a, b, c, d, a register each
 *     a0 b0 a1 b1 | c0 d0 c1 d1            their values, of two vectors in a register
 *     a0 b0 c0 d0 | a1 b1 c1 d1            a register for each column
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdbool.h>

#include "base/hot_loop.h"
#include "kernel/node_tile.h"

/* Nodes in a register; each is two lanes, an index and a value. */
#define REGISTER_NODES (REGISTER_BYTES / 16)

/* Bits of nodes, as callers have them in memory. */
typedef uint64_t loose_nodes __attribute__((vector_size(REGISTER_BYTES), aligned(4), may_alias));

/* Values of the nodes of two registers, in turns; every other pair of such values; halves. */
#if REGISTER_BYTES == 64
#define VALUES_OF_TWO 1, 9, 3, 11, 5, 13, 7, 15
#define EVEN_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define ODD_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#define LOW_PAIRS 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_PAIRS 4, 5, 6, 7, 12, 13, 14, 15
#elif REGISTER_BYTES == 32
#define VALUES_OF_TWO 1, 5, 3, 7
#define EVEN_PAIRS 0, 1, 4, 5
#define ODD_PAIRS 2, 3, 6, 7
#else
#define VALUES_OF_TWO 1, 3
#endif

/* column[i][lane] = value of node i of that lane's vector; pair[] has the values of two vectors each */
INLINED void transpose(const reg_double *pair, reg_double *column)
{
#if REGISTER_BYTES == 64
	const reg_double even[2] = { __builtin_shufflevector(pair[0], pair[1], EVEN_PAIRS),
				     __builtin_shufflevector(pair[2], pair[3], EVEN_PAIRS) };
	const reg_double odd[2] = { __builtin_shufflevector(pair[0], pair[1], ODD_PAIRS),
				    __builtin_shufflevector(pair[2], pair[3], ODD_PAIRS) };

	column[0] = __builtin_shufflevector(even[0], even[1], LOW_PAIRS);
	column[1] = __builtin_shufflevector(odd[0], odd[1], LOW_PAIRS);
	column[2] = __builtin_shufflevector(even[0], even[1], HIGH_PAIRS);
	column[3] = __builtin_shufflevector(odd[0], odd[1], HIGH_PAIRS);
#elif REGISTER_BYTES == 32
	column[0] = __builtin_shufflevector(pair[0], pair[1], EVEN_PAIRS);
	column[1] = __builtin_shufflevector(pair[0], pair[1], ODD_PAIRS);
#else
	column[0] = pair[0];
#endif
}

/* Bits of nodes with the indices first, first + step, ... and the value 0. */
INLINED loose_nodes indices(int first, int step)
{
	union {
		loose_nodes bits;
		struct svm_node node[REGISTER_NODES];
	} all = { { 0 } };

	for (int i = 0; i < REGISTER_NODES; i++)
		all.node[i].index = first + i * step;
	return all.bits;
}

/* Do the nodes from number k on have other indices than a span's last ones, and the end after them? */
INLINED bool ends_differently(const struct svm_node *s, struct node_span span, int k)
{
	bool differs = s[span.n].index != -1;

	for (; k < span.n; k++)
		differs |= s[k].index != span.first + k;
	return differs;
}

/* Bits of nodes to compare with; made once, as they are put together in memory. */
struct comparison {
	loose_nodes first;	/* the first nodes of a span */
	loose_nodes step;	/* from these to the next ones */
	loose_nodes index_bits; /* the bits that are compared */
};

/* One register of vectors; returns whether all have the span's indices. */
INLINED bool register_dots(struct svm_node *const *sv, struct node_span span,
			   const struct comparison *c, const double *x, reg_double *norm2,
			   reg_double *dot)
{
	loose_nodes expected = c->first, different = { 0 };
	reg_double sum = ALL_DOUBLES(0.0), square = sum;
	uint64_t any = 0;
	int k = 0;

	for (; k + REGISTER_NODES <= span.n; k += REGISTER_NODES, expected += c->step) {
		reg_double pair[REGISTER_NODES], column[REGISTER_NODES];

		for (int i = 0; i < REGISTER_NODES; i++) {
			const loose_nodes a = *(const loose_nodes *)(sv[2 * i] + k);
			const loose_nodes b = *(const loose_nodes *)(sv[2 * i + 1] + k);

			different |= ((a ^ expected) | (b ^ expected)) & c->index_bits;
			pair[i] = __builtin_shufflevector((reg_double)a, (reg_double)b,
							  VALUES_OF_TWO);
		}
		transpose(pair, column);
		for (int i = 0; i < REGISTER_NODES; i++) {
			sum += column[i] * ALL_DOUBLES(x[k + i]);
			square += column[i] * column[i];
		}
	}
	for (int i = 0; i < REGISTER_DOUBLES; i++)
		any |= different[i] | ends_differently(sv[i], span, k);
	for (; k < span.n; k++) {
		reg_double column = ALL_DOUBLES(0.0);

		for (int i = 0; i < REGISTER_DOUBLES; i++)
			column[i] = sv[i][k].value;
		sum += column * ALL_DOUBLES(x[k]);
		square += column * column;
	}
	*norm2 = square;
	*dot = sum;
	return any == 0;
}

int SUFFIXED(node_tile_dots)(struct svm_node *const *sv, int n_sv, struct node_span span,
			     const double *x, double *norm2, double *dot)
{
	const struct comparison c = { indices(span.first, 1), indices(REGISTER_NODES, 0),
				      indices(-1, 0) };
	int j = 0;

	/* without alignment of doubles to 8 bytes a node has 12 */
	if (sizeof(struct svm_node) != 16)
		return 0;
	for (bool dense = true; j < n_sv; j += NODE_TILE_VECTORS) {
		for (int v = j; v < j + NODE_TILE_VECTORS; v += REGISTER_DOUBLES)
			dense &= register_dots(sv + v, span, &c, x, (reg_double *)(norm2 + v),
					       (reg_double *)(dot + v));
		if (!dense)
			break;
	}
	return j;
}
