/*
 * column_map.c - the columns that occur, numbered 0, 1, 2, ...
 *
 * How this works.  A column is looked for from its slot on, slot by slot, until it or a free slot
 * is found.  The table is at most half full, so that a search takes 1.5 looks on average if the
 * column is there and 2.5 if not (Knuth, The Art of Computer Programming, section 6.4).  Columns
 * are never removed, so a free slot always ends the search.  When half of the slots are taken the
 * table is made again with twice as many; that costs O(1) for each column in all.
 *
 * A map of three columns in eight slots (s is where a column's search begins):
 *
 *      slot       0    1    2    3    4    5    6    7
 *      column    -1   17    4   -1   -1    9   -1   -1        s(17) = 1, s(4) = 1, s(9) = 5
 *      number     .    0    2    .    .    1    .    .        in the order in which they were added
 *
 * column_map_slot(), in the header, multiplies by a constant and takes the upper bits, so that
 * consecutive columns, which are the usual case, are spread over the table.
 *
 * Where the columns of a matrix are not many more than its entries, there is a slot for each of
 * them instead, which costs an entry one look and not several: a map is made for each pair of
 * classes, whose rows may have few entries.
 *
 * Reading a map is safe for any number of threads; adding is for one thread alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/column_map.h"

#include "base/mem.h"
#include "base/order.h"

/*
 * A slot for each column is taken where these are at most SLOTS_PER_ENTRY times the entries: a pair
 * of small classes must not pay for columns that it does not have.  (120 classes of five rows with
 * columns up to 4,000,000 took 29 s of clearing slots, 0.2 s without.)  Beyond MANY_SLOTS columns,
 * 16 MB, they may be at most as many as the entries, for there the hash table of those that occur
 * may be much smaller.
 */
#define MANY_SLOTS (1 << 22)
#define SLOTS_PER_ENTRY 16

/* 32 slots at first: little to clear where a map is made for each pair of small classes. */
#define FIRST_BITS 5

void column_map_free(struct column_map *map)
{
	mem_free_all(map->column, map->number, map->list);
	*map = (struct column_map){ 0 };
}

/* 2^bits free slots; on failure the map is empty */
static int set_slots(struct column_map *map, int bits, struct error *err)
{
	int64_t n_slots = (int64_t)1 << bits;

	map->column = mem_array(n_slots, sizeof(int32_t), err);
	map->number = mem_array(n_slots, sizeof(int32_t), err);
	if (!map->column || !map->number) {
		column_map_free(map);
		return -1;
	}
	memset(map->column, 0xff, (size_t)n_slots * sizeof(int32_t)); /* -1: the slot is free */
	map->mask = (uint32_t)(n_slots - 1);
	map->shift = 32 - bits;
	return 0;
}

/* Add a column that is not in the map. */
static void insert(struct column_map *map, int32_t column, int32_t number)
{
	uint32_t slot = column_map_slot(map, column);

	while (map->column[slot] >= 0)
		slot = (slot + 1) & map->mask;
	map->column[slot] = column;
	map->number[slot] = number;
}

/* Insert all columns into a table of twice the size; on failure the map stays unchanged. */
static int double_slots(struct column_map *map, struct error *err)
{
	struct column_map bigger = { .n = map->n };
	int bits = 32 - map->shift;

	if (bits == COLUMN_MAP_MAX_BITS)
		return error_set(err, ERR_ARGUMENT, "more than 2^%d different columns",
				 COLUMN_MAP_MAX_BITS - 1);
	if (set_slots(&bigger, bits + 1, err) < 0)
		return -1;
	for (int64_t slot = 0; slot <= map->mask; slot++)
		if (map->column[slot] >= 0)
			insert(&bigger, map->column[slot], map->number[slot]);
	column_map_free(map);
	*map = bigger;
	return 0;
}

int32_t column_map_add(struct column_map *map, int32_t column, struct error *err)
{
	int32_t number;

	if (!map->column && set_slots(map, FIRST_BITS, err) < 0)
		return -1;
	number = column_map_find(map, column);
	if (number >= 0)
		return number;
	if (map->n >= ((int64_t)map->mask + 1) / 2 && double_slots(map, err) < 0)
		return -1;
	/* numbers are in the order of addition, and stay when the table grows */
	number = (int32_t)map->n++;
	insert(map, column, number);
	return number;
}

/* Number the columns with a slot for each; a column's number and its place in the list are new. */
static int init_by_column(struct column_map *map, const struct csr *a, struct error *err)
{
	int64_t n_entries = csr_n_entries(a);

	*map = (struct column_map){ .mask = (uint32_t)(a->n_cols - 1) };
	map->number = mem_array(a->n_cols, sizeof(*map->number), err);
	map->list = mem_array(int64_min(a->n_cols, n_entries) + 1, sizeof(*map->list), err);
	if (!map->number || !map->list)
		return -1;
	memset(map->number, 0xff, (size_t)a->n_cols * sizeof(*map->number));
	/* without branches, as half of the columns may be new */
	for (int64_t k = 0; k < n_entries; k++) {
		int32_t number = map->number[a->col[k]], next = (int32_t)map->n;

		map->list[map->n] = a->col[k];
		map->number[a->col[k]] = number < 0 ? next : number;
		map->n += number < 0;
	}
	return 0;
}

/* Number the columns by a hash table. */
static int init_by_hash(struct column_map *map, const struct csr *a, struct error *err)
{
	*map = (struct column_map){ 0 };
	for (int64_t k = 0; k < csr_n_entries(a); k++)
		if (column_map_add(map, a->col[k], err) < 0)
			return -1;
	return 0;
}

int column_map_init(struct column_map *map, const struct csr *a, struct error *err)
{
	int64_t n_slots = a->n_cols, n_entries = csr_n_entries(a);
	bool few = n_slots <= (n_slots <= MANY_SLOTS ? SLOTS_PER_ENTRY * n_entries : n_entries);

	if ((few && n_slots > 0 ? init_by_column : init_by_hash)(map, a, err) == 0)
		return 0;
	column_map_free(map);
	return -1;
}

int column_map_list(struct column_map *map, struct error *err)
{
	if (map->list)
		return 0;
	map->list = mem_array(map->n, sizeof(*map->list), err);
	for (int64_t slot = 0; map->list && map->n > 0 && slot <= map->mask; slot++)
		if (map->column[slot] >= 0)
			map->list[map->number[slot]] = map->column[slot];
	return map->list ? 0 : -1;
}

int column_map_sort(struct column_map *map, struct error *err)
{
	int64_t n = 0;

	if (column_map_list(map, err) < 0)
		return -1;
	if (map->column)
		qsort(map->list, (size_t)map->n, sizeof(*map->list), order_int32s);
	for (int64_t slot = 0; !map->column && n < map->n; slot++)
		if (map->number[slot] >= 0)
			map->list[n++] = (int32_t)slot;
	for (int64_t k = 0; k < map->n; k++)
		map->number[column_map_place(map, map->list[k])] = (int32_t)k;
	return 0;
}
