/*
 * family.c - what the families of projections have in common: rows in and out, room to work in
 *
 * Sums are held in the precision asked for, entry t of R being +-1 or so, and multiplied by the
 * scale when a row ends: one product for each column, not for each entry of the row.  In single
 * precision the scale is rounded first and the product then, as if all was floats.
 *
 * Life of a row on its way out (append_sums()):
 *
 *      sums      r numbers, or those of the columns touched; not scaled, zeros among them
 *      values    scale times the sums, in the place where the output's values go
 *      entries   zeros left out in place; index t + 1 for column t
 *      row       label and text of the input's row; row_start, max_index
 *
 * All columns go through append_sums(), O(r) a row; a family that knows which columns a row touches
 * has a way of its own, O(columns touched).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/family.h"

#include "base/mem_bound.h"
#include "project/feature_map.h"
#include "project/project_loops.h"

const char *const projection_names[] = {
	"rs",		"fht",	 "cw",	      "countsketch", "gaussian", "uniform",
	"achlioptas",	"li",	 "osnap",     "pca",	     "rff",	 "nystrom",
	"tensorsketch", "scale", "normalise", "none",	     NULL
};

_Static_assert(sizeof(projection_names) / sizeof(*projection_names) == ROW_MAP_NONE + 2,
	       "a name of each method");

int check_features(const struct row_batch *in, int64_t i, int64_t last, struct error *err)
{
	int64_t k = in->row_start[i], end = in->row_start[i + 1];

	if (k < end && in->index[k] < 1)
		return error_set(err, ERR_FORMAT, "feature %d below 1", (int)in->index[k]);
	if (k < end && in->index[end - 1] > last)
		return error_set(err, ERR_FORMAT, "feature %d above %" PRId64,
				 (int)in->index[end - 1], last);
	return 0;
}

void take_chunk(const struct row_batch *in, int64_t first, int64_t end, struct row_chunk *chunk)
{
	chunk->n = int64_min(end - first, PROJECTION_CHUNK);
	for (int64_t e = 0; e < chunk->n; e++) {
		chunk->feature[e] = internal_feature(in->index[first + e]);
		chunk->value[e] = in->value[first + e];
		chunk->rounded[e] = (float)in->value[first + e];
	}
}

int append_sums(const struct projection *p, struct summed_row row, struct row_batch *out,
		struct error *err)
{
	int64_t r = p->options.n_columns, n = 0, n_nonzero;
	double *value;
	int32_t *index;

	if (row_batch_reserve_entries(out, r, err) < 0)
		return -1;
	value = out->value + out->n_entries;
	index = out->index + out->n_entries;
	/* the r values of a row, before zeros are left out */
	n_nonzero = p->options.single ? scale_sums_single(row.sum, r, p->scale, value) :
					scale_sums(row.sum, r, p->scale, value);
	if (n_nonzero == r) { /* mostly: no zeros to leave out */
		number_columns(n = r, index);
	} else {
		/* in place: entry n is never behind column t; a zero is overwritten by the next */
		for (int64_t t = 0; t < r; t++) {
			double y = value[t];

			value[n] = y;
			index[n] = (int32_t)t + 1;
			n += y != 0;
		}
	}
	out->n_entries += n;
	row_batch_end_mapped(out, row.in, row.i);
	return 0;
}

int append_doubles(const struct projection *p, struct summed_row row, struct row_batch *out,
		   struct map_room *room, struct error *err)
{
	const int64_t r = p->options.n_columns;
	float *rounded;

	if (p->options.single) {
		rounded = room_reserve(&room->rounded, r, sizeof(*rounded), err);
		if (!rounded)
			return -1;
		round_values(row.sum, r, rounded);
		row.sum = rounded;
	}
	return append_sums(p, row, out, err);
}

/* ---- the memory that a map of rows works in ---- */

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
