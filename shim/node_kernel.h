/*
 * node_kernel.h - kernel values of one row with support vectors, all of them nodes as they stand
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel.h"
#include "kernel/node_tile.h"
#include "matrix/node_rows.h"

/* Support vectors taken at a time; a multiple of KERNEL_TILE_ROWS. */
#define NODE_KERNEL_BLOCK 64

/* Elements of a short row: to take memory for it would be most of a small model's prediction. */
#define NODE_KERNEL_SMALL 256

/* A row made ready to meet support vectors. */
struct node_kernel {
	struct kernel kernel;
	struct node_list row; /* row by ascending indices; of a precomputed kernel by position */
	double norm2;
	/* row spread out, by index below n_elements; NULL: it is merged with each vector */
	double *element;
	int64_t n_elements;
	struct node_span span;		 /* indices that vectors of one array may have, or none */
	double small[NODE_KERNEL_SMALL]; /* elements, where these are enough */
};

/*
 * node_kernel_init() - the row 'x' for the support vectors of 'm', whose kernel is 'kernel'
 *
 * The row is spread out if that takes less than merging does: if its last index is small, or there
 * are many support vectors.  Fails as node_list_init() does.
 */
int node_kernel_init(struct node_kernel *k, const struct kernel *kernel, const struct svm_node *x,
		     const struct svm_model *m, struct error *err);
void node_kernel_free(struct node_kernel *k);

/*
 * node_kernel_values() - value[j] = K(sv[j], x) for n <= NODE_KERNEL_BLOCK vectors
 *
 * 'value' is aligned to KERNEL_TILE_ALIGNMENT and has room for NODE_KERNEL_BLOCK.  For vectors
 * whose indices ascend the bits are those of kernel_tile_values().  O(nodes).
 */
void node_kernel_values(const struct node_kernel *k, struct svm_node *const *sv, int n,
			double *value);
