/*
 * chain_map.c - what rows are mapped by, of whatever kind
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "chain/chain_map.h"

int chain_map_read(void *to, struct input *from, struct error *err)
{
	static const char selection[] = "randsvm-selection ";
	char head[sizeof(selection)] = "";
	struct chain_map *map = to;

	*map = (struct chain_map){ 0 };
	if (input_peek(from, head, sizeof(head) - 1, err) < 0)
		return -1;
	if (strcmp(head, selection) == 0) {
		map->kind = MAP_SELECTION;
		return selection_map_read(&map->selection, from, err);
	}
	if (*head == 'x' || *head == 'y') {
		map->kind = MAP_SCALING;
		return scaling_read(&map->scaling, from, err);
	}
	return feature_map_read(&map->features, from, err);
}

void chain_map_free(struct chain_map *map)
{
	feature_map_free(&map->features);
	scaling_free(&map->scaling);
	selection_map_free(&map->selection);
}

int64_t chain_map_n_features(const struct chain_map *map)
{
	return map->kind == MAP_FEATURES ? map->features.n_columns :
	       map->selection.renumber	 ? map->selection.chosen.n :
					   0;
}

int chain_map_apply(const struct chain_map *map, const struct row_batch *rows,
		    struct chain_map_scratch *s, struct error *err)
{
	const struct row_range all = { rows, 0, rows->n_rows };

	if (map->kind == MAP_SELECTION)
		return selection_map_apply(&map->selection, all, &s->out, err);
	if (map->kind == MAP_SCALING)
		return scaling_apply(&map->scaling, all, &s->out, &s->unknown, err);
	return feature_map_apply(&map->features, all, &s->out, &s->room, err);
}

void chain_map_scratch_free(struct chain_map_scratch *s)
{
	row_batch_free(&s->out);
	map_room_free(&s->room);
}
