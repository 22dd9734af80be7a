/*
 * column_map.h - the columns that occur, numbered 0, 1, 2, ...
 *
 * Lets work arrays be as long as the number of different columns, not as the largest
 * one.  An open-addressing hash table of at most half-full; 16 bytes a column.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_COLUMN_MAP_H
#define RANDSVM_COLUMN_MAP_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/csr.h"

struct column_map {
	int64_t n;		/* columns in the map */
	uint32_t mask;		/* slots - 1; slots are a power of two */
	int32_t *column;	/* per slot, -1 where free */
	int32_t *number;	/* per slot, 0 .. n - 1 */
};

/* column_map_init() - the columns of 'a', numbered as they first occur; O(entries) */
int column_map_init(struct column_map *map, const struct csr *a, struct error *err);

void column_map_free(struct column_map *map);

/* column_map_find() - the number of 'column', or -1; O(1) */
static inline int32_t column_map_find(const struct column_map *map, int32_t column)
{
	/* Knuth's multiplicative hash; its high bits are the good ones */
	uint32_t slot = ((uint32_t)column * 2654435769u) >> 7 & map->mask;

	while (map->column[slot] != column && map->column[slot] >= 0)
		slot = (slot + 1) & map->mask;
	return map->column[slot] < 0 ? -1 : map->number[slot];
}

#endif
