/*
 * node_kernel.c - kernel values of one row with support vectors, all of them nodes as they stand
 *
 * How this works.  Callers predict one row at a time, and may edit a model between two calls.  So
 * nothing is made of a model beforehand: its nodes are read where they are, once for each
 * prediction.  LIBSVM merges the row with each vector, a comparison of indices for each node of
 * both.  Here the row is spread out once, and a node of a vector finds its element by its index:
 *
 *     row          (1, .5) (5, 2)                      element [0 .5 0 0 0 2]
 *     vector       (2, 1) (5, 3) (9, 1)                dot = 1 element[2] + 3 element[5] = 6
 *
 * Dot products and squared norms of a block of vectors become kernel values by the loops that tiles
 * of rows have (kernel_tile.h), the vectors being the lanes and the row the one vector.  An
 * addition waits for the one before; the processor goes on with the next vector meanwhile.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "node_kernel.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"
#include "kernel/kernel_tile.h"

/*
 * The most elements that a row is spread out to: to clear so many takes less than to
 * merge, which is 50 ns for a short vector.
 */
enum { FEW_INDICES = 4096, INDICES_PER_VECTOR = 64 };

static int spread_out(struct node_kernel *k, struct error *err)
{
	k->element = k->small;
	if (k->n_elements > NODE_KERNEL_SMALL)
		k->element = mem_array(k->n_elements, sizeof(*k->element), err);
	if (!k->element)
		return -1;
	for (int64_t i = 0; i < k->n_elements; i++)
		k->element[i] = 0;
	for (int64_t i = 0; i < k->row.n; i++)
		k->element[k->row.node[i].index] = k->row.node[i].value;
	return 0;
}

int node_kernel_init(struct node_kernel *k, const struct kernel *kernel, const struct svm_node *x,
		     int64_t n_sv, struct error *err)
{
	/* field by field, as most of it need not be cleared */
	k->kernel = *kernel;
	k->norm2 = 0;
	k->element = NULL;
	k->n_elements = 0;
	if (kernel->type == KERNEL_PRECOMPUTED) {
		if (!x)
			return error_set(err, ERR_ARGUMENT, "no nodes");
		k->row = (struct node_list){ .node = x, .n = node_count(x) };
		return 0;
	}
	if (node_list_init(&k->row, x, err) < 0)
		return -1;
	for (int64_t i = 0; i < k->row.n; i++)
		k->norm2 += k->row.node[i].value * k->row.node[i].value;
	if (k->row.n > 0)
		k->n_elements = (int64_t)k->row.node[k->row.n - 1].index + 1;
	/* an index below 0 has no element, and is merged */
	if ((k->row.n > 0 && k->row.node[0].index < 0) ||
	    k->n_elements > FEW_INDICES + INDICES_PER_VECTOR * n_sv || spread_out(k, err) == 0)
		return 0;
	node_kernel_free(k);
	return -1;
}

void node_kernel_free(struct node_kernel *k)
{
	if (k->element != k->small)
		mem_free(k->element);
	node_list_free(&k->row);
}

/* The dot product with one vector; returns its squared norm. */
static double meet_spread(const struct node_kernel *k, const struct svm_node *s, double *dot)
{
	const double *element = k->element;
	const int64_t n = k->n_elements;
	double norm2 = 0, sum = 0;

	for (; s->index != -1; s++) {
		norm2 += s->value * s->value;
		if ((unsigned)s->index < n) /* edited vectors may have any index */
			sum += s->value * element[s->index];
	}
	*dot = sum;
	return norm2;
}

/* The same by merging: a vector that is not in order begins again at the row's first node. */
static double meet_merging(const struct node_kernel *k, const struct svm_node *s, double *dot)
{
	const struct svm_node *x = k->row.node, *end = x + k->row.n;
	double norm2 = 0, sum = 0;
	int before = -1;

	for (; s->index != -1; before = s++->index) {
		norm2 += s->value * s->value;
		if (s->index <= before)
			x = k->row.node;
		while (x < end && x->index < s->index)
			x++;
		if (x < end && x->index == s->index)
			sum += s->value * x->value;
	}
	*dot = sum;
	return norm2;
}

static double square(double x)
{
	return x * x;
}

/* |x - s|^2 as a sum over coordinates, for rows far from 0; both in order. */
static double distance2(const struct svm_node *x, const struct svm_node *s)
{
	double sum = 0;

	while (x->index != -1 && s->index != -1)
		if (x->index == s->index)
			sum += square(x++->value - s++->value);
		else
			sum += square((x->index < s->index ? x++ : s++)->value);
	while (x->index != -1)
		sum += square(x++->value);
	while (s->index != -1)
		sum += square(s++->value);
	return sum;
}

/* Values again of vectors whose distance from the row products have too coarsely. */
static void mend_values(const struct node_kernel *k, struct svm_node *const *sv, int n,
			const double *norm2, double *value)
{
	const bool row_is_far = kernel_is_far(&k->kernel, k->norm2);

	for (int j = 0; j < n; j++)
		if (row_is_far || kernel_is_far(&k->kernel, norm2[j]))
			value[j] = exp(-k->kernel.gamma * distance2(k->row.node, sv[j]));
}

/* The kernel value is the row's node at the position that is the vector's serial number. */
static void read_values(const struct node_kernel *k, struct svm_node *const *sv, int n,
			double *value)
{
	for (int j = 0; j < n; j++) {
		const double serial = sv[j]->value;

		value[j] = serial >= 0 && serial < (double)k->row.n ?
				   k->row.node[(int64_t)serial].value :
				   0;
	}
}

void node_kernel_values(const struct node_kernel *k, struct svm_node *const *sv, int n,
			double *value)
{
	double norm2[NODE_KERNEL_BLOCK] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));

	if (k->kernel.type == KERNEL_PRECOMPUTED) {
		read_values(k, sv, n, value);
		return;
	}
	for (int j = 0; j < n; j++)
		norm2[j] = (k->element ? meet_spread : meet_merging)(k, sv[j], &value[j]);
	for (int j = n; j % KERNEL_TILE_ROWS != 0; j++)
		value[j] = norm2[j] = 0;
	for (int j = 0; j < n; j += KERNEL_TILE_ROWS)
		kernel_tile_of_dots(&k->kernel, &k->norm2, 1, norm2 + j, value + j);
	if (k->kernel.type == KERNEL_RBF)
		mend_values(k, sv, n, norm2, value);
}
