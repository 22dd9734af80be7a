/*
 * node_rows.h - rows of svm_node, as LIBSVM's callers have them, and struct csr
 *
 *     (1, .5) (5, 2) (-1, ?)      an index of -1 ends the row
 *
 * Indices may be in any order, and any number from 0 on, each once.  A row of a precomputed kernel
 * is read by position, whatever its indices say: node 0 has the serial number, node s the kernel
 * value with row s.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/csr.h"
#include "matrix/svm_header.h"

/* Nodes of a row that are read. */
enum node_form {
	NODES_FEATURES,	 /* nodes are features */
	NODES_POSITIONS, /* nodes are those of a precomputed kernel: columns are positions */
	NODES_SERIAL	 /* the serial number alone, which a support vector of such a kernel is */
};

/* Nodes in ascending order: the caller's, or where these are not in order a copy. */
struct node_list {
	const struct svm_node *node; /* n nodes, and one of index -1 */
	int64_t n;
	struct svm_node *copy; /* or NULL */
};

/*
 * node_list_init() - the features of the row that begins with 'node'
 *
 * An index below -1 is a feature like others.  Fails with ERR_ARGUMENT if 'node' is NULL, or an index
 * is there twice; or with ERR_MEMORY.  O(nodes), or O(nodes log nodes) where they are not in order.
 */
int node_list_init(struct node_list *list, const struct svm_node *node, struct error *err);
void node_list_free(struct node_list *list);

/*
 * node_rows_read() - n rows into the empty '*x'
 *
 * Values must be finite, and features 0 or above.  Fails with ERR_ARGUMENT, naming the row, or with ERR_MEMORY; '*x' is then
 * empty.  O(nodes) where they are in order.
 */
int node_rows_read(struct csr *x, struct svm_node *const *node, int64_t n, enum node_form form,
		   struct error *err);

/* node_count() - number of nodes of a row before the one of index -1 */
int64_t node_count(const struct svm_node *node);
