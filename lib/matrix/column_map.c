/*
 * column_map.c - the columns that occur, numbered 0, 1, 2, ...
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/column_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void column_map_free(struct column_map *map)
{
	free(map->column);
	free(map->number);
	*map = (struct column_map){ 0 };
}

static int set_slots(struct column_map *map, uint32_t slots, struct error *err)
{
	map->column = mem_array(slots, sizeof(int32_t), err);
	map->number = mem_array(slots, sizeof(int32_t), err);
	if (!map->column || !map->number)
		return -1;
	memset(map->column, 0xff, slots * sizeof(int32_t));
	map->mask = slots - 1;
	return 0;
}

static void insert(struct column_map *map, int32_t column, int32_t number)
{
	uint32_t slot = ((uint32_t)column * 2654435769u) >> 7 & map->mask;

	while (map->column[slot] >= 0)
		slot = (slot + 1) & map->mask;
	map->column[slot] = column;
	map->number[slot] = number;
}

static int double_slots(struct column_map *map, struct error *err)
{
	struct column_map bigger = { .n = map->n };

	if (set_slots(&bigger, 2 * (map->mask + 1), err) < 0) {
		column_map_free(&bigger);
		return -1;
	}
	for (uint32_t slot = 0; slot <= map->mask; slot++)
		if (map->column[slot] >= 0)
			insert(&bigger, map->column[slot], map->number[slot]);
	column_map_free(map);
	*map = bigger;
	return 0;
}

int column_map_init(struct column_map *map, const struct csr *a, struct error *err)
{
	int64_t n_entries = csr_n_entries(a);

	*map = (struct column_map){ 0 };
	if (set_slots(map, 1024, err) < 0)
		goto fail;
	for (int64_t k = 0; k < n_entries; k++) {
		if (column_map_find(map, a->col[k]) >= 0)
			continue;
		if (map->n >= (map->mask + 1) / 2 && double_slots(map, err) < 0)
			goto fail;
		insert(map, a->col[k], (int32_t)map->n++);
	}
	return 0;
fail:
	column_map_free(map);
	return -1;
}
