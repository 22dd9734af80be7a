/*
 * node_rows.h - rows of svm_node, as LIBSVM's callers have them, and struct csr
 *
 *     (1, .5) (5, 2) (-1, ?)      an index of -1 ends the row
 *
 * Indices may be in any order, and any number from 0 on; values of equal indices are added, as
 * sparse matrices that are not in canonical form mean them.  An index below -1 is an error.
 *
 * A row of a precomputed kernel is read by position, whatever its indices say: node 0 has the
 * serial number, node s the kernel value with row s.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NODE_ROWS_H
#define RANDSVM_NODE_ROWS_H

#include "matrix/csr.h"
#include "svm_header.h"

/* Nodes of a row that are read. */
enum node_form {
	NODES_FEATURES,	 /* nodes are features */
	NODES_POSITIONS, /* nodes are those of a precomputed kernel: columns are positions */
	NODES_SERIAL	 /* the serial number alone, which a support vector of such a kernel is */
};

/* A row as the library takes it; owns its arrays, which grow and are used again. */
struct node_row {
	struct csr_row row;
	int32_t *col;
	double *val;
	struct svm_node *sorted; /* nodes in order, where the caller's are not */
	int64_t cols_capacity, vals_capacity, nodes_capacity;
};

/*
 * node_row_read() - r->row is the row that begins with 'node'
 *
 * Fails with ERR_ARGUMENT if 'node' is NULL or an index is below -1, or with ERR_MEMORY.
 * O(nodes), or O(nodes log nodes) where they are not ascending.
 */
int node_row_read(struct node_row *r, const struct svm_node *node, enum node_form form,
		  struct error *err);

void node_row_free(struct node_row *r);

/*
 * node_rows_read() - n rows into the empty '*x'
 *
 * Values must be finite.  Fails with ERR_ARGUMENT, naming the row, or with ERR_MEMORY; '*x' is then
 * empty.  O(nodes).
 */
int node_rows_read(struct csr *x, struct svm_node *const *node, int64_t n, enum node_form form,
		   struct error *err);

/* node_count() - number of nodes of a row, the last one, of index -1, included */
int64_t node_count(const struct svm_node *node);

#endif
