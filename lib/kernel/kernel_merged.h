/*
 * kernel_merged.h - a kernel value from the entries of two sparse rows, column by column
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

#include "kernel/kernel.h"
#include "matrix/csr.h"

/*
 * kernel_merged_value() - K(x, z); not for precomputed kernels
 *
 * In the order of operations of kernel_tile.c, except for the distances of rbf.  Needs no
 * preparation, and O(entries of both) steps with a branch at each: meant for few values, or for
 * rows too long for tiles.
 */
double kernel_merged_value(const struct kernel *kernel, struct csr_row x, struct csr_row z);

/*
 * kernel_merged_find() - go on from entry *j of 'x' and *k of 'z', both ascending, to the next
 * column that both have; is there one?
 */
static inline bool kernel_merged_find(struct csr_row x, struct csr_row z, int64_t *j, int64_t *k)
{
	while (*j < x.n && *k < z.n && x.col[*j] != z.col[*k])
		++*(x.col[*j] < z.col[*k] ? j : k);
	return *j < x.n && *k < z.n;
}
