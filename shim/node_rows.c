/*
 * node_rows.c - rows of svm_node, as LIBSVM's callers have them, and struct csr
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "node_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"

int64_t node_count(const struct svm_node *node)
{
	int64_t n = 1;

	while (node[n - 1].index != -1)
		n++;
	return n;
}

/* Order nodes by index, and by place where indices are equal, so that sums are the same always. */
static int compare_nodes(const void *a, const void *b)
{
	const struct svm_node *x = a, *y = b;

	return x->index != y->index ? (x->index > y->index) - (x->index < y->index) :
				      (x->value > y->value) - (x->value < y->value);
}

/* Are the indices of n nodes strictly ascending? */
static bool ascends(const struct svm_node *node, int64_t n)
{
	for (int64_t k = 1; k < n; k++)
		if (node[k].index <= node[k - 1].index)
			return false;
	return true;
}

/* Room for n entries. */
static int make_room(struct node_row *r, int64_t n, struct error *err)
{
	if (mem_grow(&r->col, &r->cols_capacity, n, sizeof(*r->col), err) < 0 ||
	    mem_grow(&r->val, &r->vals_capacity, n, sizeof(*r->val), err) < 0)
		return -1;
	return 0;
}

/* Features in order; those of equal indices become one. */
static int read_features(struct node_row *r, const struct svm_node *node, int64_t n,
			 struct error *err)
{
	int64_t m = 0;

	if (!ascends(node, n)) {
		if (mem_grow(&r->sorted, &r->nodes_capacity, n, sizeof(*r->sorted), err) < 0)
			return -1;
		memcpy(r->sorted, node, (size_t)n * sizeof(*node));
		qsort(r->sorted, (size_t)n, sizeof(*node), compare_nodes);
		node = r->sorted;
	}
	if (n > 0 && node[0].index < 0)
		return error_set(err, ERR_ARGUMENT, "index %d is below 0", node[0].index);
	for (int64_t k = 0; k < n; k++) {
		if (m > 0 && r->col[m - 1] == node[k].index) {
			r->val[m - 1] += node[k].value;
			continue;
		}
		r->col[m] = node[k].index;
		r->val[m++] = node[k].value;
	}
	r->row = (struct csr_row){ m, r->col, r->val };
	return 0;
}

int node_row_read(struct node_row *r, const struct svm_node *node, enum node_form form,
		  struct error *err)
{
	int64_t n;

	if (!node)
		return error_set(err, ERR_ARGUMENT, "no nodes");
	n = node_count(node) - 1;
	if (form == NODES_SERIAL)
		n = int64_min(n, 1);
	if (n > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "more than %d nodes", INT32_MAX);
	if (make_room(r, n, err) < 0)
		return -1;
	if (form == NODES_FEATURES)
		return read_features(r, node, n, err);
	for (int64_t k = 0; k < n; k++) {
		r->col[k] = (int32_t)k;
		r->val[k] = node[k].value;
	}
	r->row = (struct csr_row){ n, r->col, r->val };
	return 0;
}

void node_row_free(struct node_row *r)
{
	mem_free(r->col);
	mem_free(r->val);
	mem_free(r->sorted);
	*r = (struct node_row){ 0 };
}

static int check_finite(struct csr_row row, struct error *err)
{
	for (int64_t k = 0; k < row.n; k++)
		if (!isfinite(row.val[k]))
			return error_set(err, ERR_ARGUMENT, "value %g of index %" PRId32,
					 row.val[k], row.col[k]);
	return 0;
}

int node_rows_read(struct csr *x, struct svm_node *const *node, int64_t n, enum node_form form,
		   struct error *err)
{
	struct node_row r = { 0 };
	struct error reason = { 0 };
	int ret = 0;

	*x = (struct csr){ 0 };
	for (int64_t i = 0; i < n && ret == 0; i++) {
		ret = node_row_read(&r, node[i], form, &reason);
		if (ret == 0 && form != NODES_SERIAL)
			ret = check_finite(r.row, &reason);
		if (ret == 0)
			ret = csr_append_row(x, r.row, &reason);
		if (ret < 0)
			error_set(err, reason.code, "row %" PRId64 ": %s", i + 1, reason.text);
	}
	if (ret == 0)
		csr_shrink(x);
	else
		csr_free(x);
	node_row_free(&r);
	return ret;
}
