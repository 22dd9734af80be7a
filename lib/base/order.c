/*
 * order.c - sorting, partly sorting, and searching what is sorted
 *
 * How this works.  The least of a stream of keys are a heap with the largest of them on top
 * (Williams 1964, Algorithm 232): a new key is compared with that one, and mostly discarded.  The
 * parent of place i is (i - 1) / 2, and never comes before it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"

#include "base/mem.h"

int order_keys(const void *a, const void *b)
{
	const struct order_key *x = a, *y = b;

	return x->key != y->key ? ORDER_OF(x->key, y->key) : ORDER_OF(x->id, y->id);
}

/* Bits of numbers that are not negative have the order of the numbers. */
int64_t *order_sizes(const double *x, int64_t n, int64_t stride, struct error *err)
{
	struct order_key *list = mem_array(n, sizeof(*list), err);
	int64_t *order = mem_array(n, sizeof(*order), err);

	if (!list || !order) {
		mem_free_all(list, order);
		return NULL;
	}
	for (int64_t i = 0; i < n; i++) {
		const double size = fabs(x[i * stride]);

		memcpy(&list[i].key, &size, sizeof(size));
		list[i] = (struct order_key){ ~list[i].key, i };
	}
	qsort(list, (size_t)n, sizeof(*list), order_keys);
	for (int64_t i = 0; i < n; i++)
		order[i] = list[i].id;
	mem_free(list);
	return order;
}

void order_put_least(struct order_key *heap, int64_t *n, int64_t r, struct order_key next)
{
	int64_t gap = 0, child;

	if (*n < r) {
		/* at the end of the heap: parents that come before it move down */
		for (gap = (*n)++; gap > 0 && order_keys(&heap[(gap - 1) / 2], &next) < 0;
		     gap = (gap - 1) / 2)
			heap[gap] = heap[(gap - 1) / 2];
	} else if (order_keys(&next, &heap[0]) >= 0) {
		return;
	} else {
		/* in place of the top: the larger one of two children moves up */
		for (; (child = 2 * gap + 1) < r; gap = child) {
			child += child + 1 < r && order_keys(&heap[child], &heap[child + 1]) < 0;
			if (order_keys(&heap[child], &next) < 0)
				break;
			heap[gap] = heap[child];
		}
	}
	heap[gap] = next;
}

int64_t order_find_above(const double *sum, int64_t n, double x)
{
	int64_t low = 0, high = n - 1;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (sum[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int order_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return ORDER_OF(*x, *y);
}

int order_int32s(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return ORDER_OF(*x, *y);
}

int order_int64s(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return ORDER_OF(*x, *y);
}
