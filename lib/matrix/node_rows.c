/*
 * node_rows.c - rows of svm_node, as LIBSVM's callers have them, and struct csr
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/node_rows.h"

#include "base/mem.h"
#include "base/order.h"

int64_t node_count(const struct svm_node *node)
{
	int64_t n = 0;

	while (node[n].index != -1)
		n++;
	return n;
}

/* Sort a copy of the nodes, the last one of index -1 among them but not moved. */
static int sort_nodes(struct node_list *list, struct error *err)
{
	list->copy = mem_copy(list->node, list->n + 1, sizeof(*list->copy), err);
	if (!list->copy)
		return -1;
	/* by the index, which is the first member of a node */
	qsort(list->copy, (size_t)list->n, sizeof(*list->copy), order_int32s);
	list->node = list->copy;
	for (int64_t k = 1; k < list->n; k++)
		if (list->node[k].index == list->node[k - 1].index)
			return error_set(err, ERR_ARGUMENT, "index %d is there twice",
					 list->node[k].index);
	return 0;
}

int node_list_init(struct node_list *list, const struct svm_node *node, struct error *err)
{
	bool ascends = true;
	int64_t n = 0;

	*list = (struct node_list){ .node = node };
	if (!node)
		return error_set(err, ERR_ARGUMENT, "no nodes");
	for (int last = -1; node[n].index != -1; last = node[n++].index)
		ascends &= node[n].index > last;
	list->n = n;
	if (!ascends && sort_nodes(list, err) < 0) {
		node_list_free(list);
		return -1;
	}
	return 0;
}

void node_list_free(struct node_list *list)
{
	mem_free(list->copy);
	*list = (struct node_list){ 0 };
}

/* Append the nodes as a row, by their indices or by their positions. */
static int append_row(struct csr *x, const struct svm_node *node, int64_t n, enum node_form form,
		      struct error *err)
{
	int64_t at = csr_n_entries(x);

	if (n > INT_MAX)
		return error_set(err, ERR_ARGUMENT, "more than %d nodes", INT_MAX);
	if (csr_reserve(x, x->n_rows + 1, at + n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++, at++) {
		x->col[at] = form == NODES_FEATURES ? node[k].index : (int32_t)k;
		x->val[at] = node[k].value;
		if (!isfinite(node[k].value))
			return error_set(err, ERR_ARGUMENT, "value %g of index %d", node[k].value,
					 node[k].index);
	}
	if (n > 0)
		x->n_cols = int64_max(x->n_cols, (int64_t)x->col[at - 1] + 1);
	x->row_start[++x->n_rows] = at;
	return 0;
}

static int read_row(struct csr *x, const struct svm_node *node, enum node_form form,
		    struct error *err)
{
	struct node_list list = { .node = node };
	int ret = 0;

	if (form == NODES_FEATURES || !node)
		ret = node_list_init(&list, node, err);
	else
		list.n = form == NODES_SERIAL ? int64_min(node_count(node), 1) : node_count(node);
	if (ret == 0 && form == NODES_FEATURES && list.n > 0 && list.node[0].index < 0)
		ret = error_set(err, ERR_ARGUMENT, "index %d is below 0", list.node[0].index);
	if (ret == 0)
		ret = append_row(x, list.node, list.n, form, err);
	node_list_free(&list);
	return ret;
}

int node_rows_read(struct csr *x, struct svm_node *const *node, int64_t n, enum node_form form,
		   struct error *err)
{
	struct error reason = { 0 };

	*x = (struct csr){ 0 };
	for (int64_t i = 0; i < n; i++)
		if (read_row(x, node[i], form, &reason) < 0) {
			csr_free(x);
			return error_set(err, reason.code, "row %" PRId64 ": %s", i + 1,
					 reason.text);
		}
	csr_shrink(x);
	return 0;
}
