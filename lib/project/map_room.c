/*
 * map_room.c - the memory that a map of rows works in
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/map_room.h"

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/mem_bound.h"

void map_room_free(struct map_room *room)
{
	mem_free_all(room->entries.memory, room->runs.memory, room->touched.memory,
		     room->cached.memory, room->cache_lines.memory, room->counters.memory,
		     room->turns.memory, room->pairs.memory, room->words.memory,
		     room->rounded.memory, room->sums.memory, room->work.memory);
	row_batch_free(&room->projected);
	expansion_scratch_free(&room->scratch);
	*room = (struct map_room){ 0 };
}

void map_room_share(struct map_room *room, int n)
{
	if (mem_bound() > 0)
		room->most_bytes = int64_max(mem_room() / 2 / int64_max(n, 1), 1);
}

void *room_take(struct room_array *array, int64_t n, size_t size, bool zeroed, struct error *err)
{
	void *memory;

	/* as its last user left it: sums are 0 again, the lines of a cache are still known */
	if (n <= array->n_bytes / (int64_t)size)
		return array->memory;
	memory = zeroed ? mem_aligned(n, size, err) : mem_large(n, size, err);
	if (!memory)
		return NULL;
	/* after the new one is there: a failure leaves the room usable */
	mem_free(array->memory);
	*array = (struct room_array){ memory, n * (int64_t)size };
	return memory;
}
