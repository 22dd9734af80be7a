/*
 * order.c - partly sorting, and searching what is sorted
 *
 * How this works.  Hoare's FIND: elements are exchanged across a pivot until those up to j
 * precede it or are it, and those from i on follow it or are it; then only the part that holds
 * place m - 1 is parted again.  Elements outside [low, high] are where they belong.  The middle
 * element as pivot halves an array that is sorted already; the first element would not.  Both
 * scans stop at the pivot itself, so they need no bounds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"

#include <string.h>

static void exchange(char *a, char *b, size_t size)
{
	char t[ORDER_MAX_SIZE];

	memcpy(t, a, size);
	memmove(a, b, size); /* memmove(): a and b may be one element */
	memcpy(b, t, size);
}

void order_select(void *array, int64_t n, size_t size, int64_t m,
		  bool (*precedes)(const void *a, const void *b))
{
	char *base = array, pivot[ORDER_MAX_SIZE];
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
				exchange(base + (size_t)i++ * size, base + (size_t)j-- * size,
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

	return (*x > *y) - (*x < *y);
}

int order_int32s(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int order_int64s(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}
