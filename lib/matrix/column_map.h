/*
 * column_map.h - the columns that occur, numbered 0, 1, 2, ...
 *
 * With it, work arrays are as long as the number of different columns, not as the largest column.
 * A hash table with open addressing, at most half full: 16 to 32 bytes a column.  Of a matrix whose
 * columns are not many more than its entries it has a slot for each column: 8 bytes a column.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/csr.h"

/* Slots are counted with 32 bits. */
#define COLUMN_MAP_MAX_BITS 31

/*
 * A map with n alone is that of columns 0 .. n - 1, each its own number; it has no list, and nothing
 * is added to it.
 */
struct column_map {
	int64_t n;	 /* columns in the map */
	uint32_t mask;	 /* slots - 1; those of a hash table are a power of two */
	int shift;	 /* 32 - log2(slots) */
	int32_t *column; /* column of each slot, -1 where free; NULL: s of slot s */
	/* column number of each slot, 0 .. n - 1, -1 where free; NULL: empty, or all columns */
	int32_t *number;
	int32_t *list; /* n: the columns by number, once they are listed; else NULL */
};

/*
 * column_map_init() - the columns of 'a', numbered as they first occur; O(entries)
 *
 * No other is added to it.
 */
int column_map_init(struct column_map *map, const struct csr *a, struct error *err);

/*
 * column_map_add() - the number of 'column', which is the next one if it is new; O(1) on average
 *
 * A zeroed map is empty.  -1 with ERR_MEMORY or ERR_ARGUMENT (too many columns), the map being as
 * it was.
 */
int32_t column_map_add(struct column_map *map, int32_t column, struct error *err);

/* column_map_list() - make map->list, once all columns are in the map; O(n), 4 bytes a column */
int column_map_list(struct column_map *map, struct error *err);

/* column_map_sort() - the same, with the columns numbered anew in ascending order; O(n log n) */
int column_map_sort(struct column_map *map, struct error *err);

void column_map_free(struct column_map *map);

/*
 * column_map_slot() - the slot at which the search for a column begins
 *
 * Knuth's multiplicative hash, 2^32 / 2654435769 being the golden ratio.  Its high bits depend on
 * all bits of the column, its low bits on lower bits only: with those, columns that are multiples
 * of 65536 apart would all begin at the same slot.
 */
static inline uint32_t column_map_slot(const struct column_map *map, int32_t column)
{
	return ((uint32_t)column * 2654435769u) >> map->shift;
}

/* column_map_place() - the slot of a column that is in the map; O(1) */
static inline uint32_t column_map_place(const struct column_map *map, int32_t column)
{
	uint32_t slot;

	if (!map->column)
		return (uint32_t)column;
	slot = column_map_slot(map, column);
	while (map->column[slot] != column)
		slot = (slot + 1) & map->mask;
	return slot;
}

/* column_map_find() - the number of 'column', or -1; O(1) */
static inline int32_t column_map_find(const struct column_map *map, int32_t column)
{
	uint32_t slot;

	if (!map->number)
		return column < map->n ? column : -1;
	if (!map->column)
		return (uint32_t)column <= map->mask ? map->number[column] : -1;
	slot = column_map_slot(map, column);
	while (map->column[slot] != column && map->column[slot] >= 0)
		slot = (slot + 1) & map->mask;
	return map->column[slot] < 0 ? -1 : map->number[slot];
}
