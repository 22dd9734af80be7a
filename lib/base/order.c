/*
 * order.c - part of an order
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"

#include <string.h>

static void exchange(char *a, char *b, size_t size)
{
	char t[ORDER_MAX_SIZE];

	memcpy(t, a, size);
	memmove(a, b, size);
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
		if (m - 1 <= j)
			high = j;
		else if (m - 1 >= i)
			low = i;
		else
			return;
	}
}
