/*
 * order.h - sorting, in part or by qsort(), and searching what is sorted
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/* the largest element order_select() takes, in bytes */
#define ORDER_MAX_SIZE 64

/* Exchange two elements, or none where both are one. */
static inline void order_exchange(char *a, char *b, size_t size)
{
	char t[ORDER_MAX_SIZE];

	memcpy(t, a, size);
	memmove(a, b, size);
	memcpy(b, t, size);
}

/*
 * order_select() - reorder 'array' so that the m elements that precede all others come first
 *
 * n elements of 'size' bytes; 0 <= m <= n.  precedes() is a strict total order.  Neither part is
 * sorted.  O(n) on average; O(n^2) for arrays made to defeat the choice of pivots.
 *
 * Elements are exchanged across a pivot until those up to j precede it or are it, and those from i
 * on follow it or are it; then only the part that holds place m - 1 is parted again.  Elements
 * outside [low, high] are where they belong.  The middle element as pivot halves an array that is
 * sorted already; the first element would not.  Both scans stop at the pivot itself, so they need
 * no bounds.  Inline, as a call for each comparison takes longer than the rest.
 *
 * Source: Hoare 1961, Algorithm 65: FIND, Communications of the ACM 4.
 */
static inline void order_select(void *array, int64_t n, size_t size, int64_t m,
				bool (*precedes)(const void *a, const void *b))
{
	_Alignas(double) char pivot[ORDER_MAX_SIZE];
	char *base = array;
	int64_t low = 0, high = n - 1;

	while (low < high && m > 0) {
		int64_t i = low, j = high;

		memcpy(pivot, base + (size_t)(low + (high - low) / 2) * size, size);
		while (i <= j) {
			while (precedes(base + (size_t)i * size, pivot))
				i++;
			while (precedes(pivot, base + (size_t)j * size))
				j--;
			if (i <= j)
				order_exchange(base + (size_t)i++ * size, base + (size_t)j-- * size,
					       size);
		}
		/* now j < i; a place between the two holds the pivot, and is settled */
		if (m - 1 <= j)
			high = j;
		else if (m - 1 >= i)
			low = i;
		else
			return;
	}
}

/* ORDER_OF() - which of two numbers is less, as a comparison for qsort() says it */
#define ORDER_OF(x, y) (((x) > (y)) - ((x) < (y)))

/* A number, and the key that it is ordered by; of equal keys the smaller number comes first. */
struct order_key {
	uint64_t key;
	int64_t id;
};

/* order_precedes() - for order_select() */
static inline bool order_precedes(const void *a, const void *b)
{
	const struct order_key *x = a, *y = b;

	return x->key != y->key ? x->key < y->key : x->id < y->id;
}

/* order_keys() - for qsort() */
int order_keys(const void *a, const void *b);

/*
 * order_sizes() - numbers 0 .. n-1 by descending |x[i * stride]|, of equal ones the smaller first
 *
 * The caller frees the result; NULL with ERR_MEMORY.  O(n log n).
 */
int64_t *order_sizes(const double *x, int64_t n, int64_t stride, struct error *err);

/*
 * order_keep_least() - keep the r >= 1 least of the keys that are passed one after the other
 *
 * 'heap' has room for r; '*n', 0 at first, becomes the number kept so far, which are in no order
 * but a heap's.  O(log r) at most, and O(1) for a key that is not kept.  order_put_least() is the
 * part of it that changes the heap, and not to be called else.
 */
void order_put_least(struct order_key *heap, int64_t *n, int64_t r, struct order_key next);
static inline void order_keep_least(struct order_key *heap, int64_t *n, int64_t r,
				    struct order_key next)
{
	/* most keys are above the largest one kept: no call for them */
	if (*n < r || next.key <= heap->key)
		order_put_least(heap, n, r, next);
}

/*
 * order_find_above() - the first i with sum[i] > x, n - 1 if there is none; sum[0 .. n-1] ascends
 *
 * Inverts a distribution: with x uniform below sum[n - 1], i has probability (sum[i] - sum[i - 1])
 * / sum[n - 1].  n >= 1.  O(log n).
 */
int64_t order_find_above(const double *sum, int64_t n, double x);

/*
 * order_doubles(), order_int32s(), order_int64s() - comparisons for qsort(), in ascending order
 *
 * Of numbers, or of structs by their first member.
 */
int order_doubles(const void *a, const void *b);
int order_int32s(const void *a, const void *b);
int order_int64s(const void *a, const void *b);
