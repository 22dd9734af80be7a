/*
 * projection_apply.c - oblivious random projections: options, rows in and out
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/projection.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "project/dense_loops.h"
#include "project/family.h"

const char *const projection_names[] = { "rs", "fht", "cw", "countsketch", "gaussian", "uniform",
					 "achlioptas", "li", "osnap", "pca", NULL };

static const struct projection_family *family_of(const struct projection *p)
{
	static const struct projection_family *const families[] = {
		[PROJECT_RS] = &sign_family,	    [PROJECT_FHT] = &srht_family,
		[PROJECT_CW] = &sparse_family,	    [PROJECT_COUNTSKETCH] = &sparse_family,
		[PROJECT_GAUSSIAN] = &dense_family, [PROJECT_UNIFORM] = &dense_family,
		[PROJECT_ACHLIOPTAS] = &dense_family, [PROJECT_LI] = &dense_family,
		[PROJECT_OSNAP] = &sparse_family,
	};

	return families[p->options.method];
}

/* ---- Options ---- */

/* That the options of other methods are zero. */
static int check_concern(const struct projection_options *o, struct error *err)
{
	const char *name = projection_names[o->method];
	bool blocks = o->method == PROJECT_CW, copies = blocks || o->method == PROJECT_OSNAP;

	if (o->q != 0 && !blocks)
		return error_set(err, ERR_ARGUMENT, "%s has no number of blocks to choose", name);
	if ((o->a != 0 || o->v != 0) && !copies)
		return error_set(err, ERR_ARGUMENT, "%s has no entries a feature to choose", name);
	if (o->sparsity != 0 && o->method != PROJECT_LI)
		return error_set(err, ERR_ARGUMENT, "%s has no sparsity to choose", name);
	if (o->without_replacement && o->method != PROJECT_FHT)
		return error_set(err, ERR_ARGUMENT, "%s draws nothing to be replaced", name);
	return 0;
}

static int check_ranges(const struct projection_options *o, struct error *err)
{
	if (o->n_columns < 1 || o->n_columns > INT32_MAX)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " columns: 1 to %d can be made", o->n_columns,
				 INT32_MAX);
	if (o->n_features < 0 || o->n_features > INT32_MAX)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " features: there can be 1 to %d (0: unknown)",
				 o->n_features, INT32_MAX);
	return 0;
}

int projection_init(struct projection *p, const struct projection_options *options,
		    struct error *err)
{
	*p = (struct projection){ .options = *options };
	if ((unsigned)options->method > PROJECT_OSNAP) {
		error_set(err, ERR_ARGUMENT, "no projection has the number %d", (int)options->method);
		goto fail;
	}
	if (check_concern(options, err) < 0 || check_ranges(options, err) < 0 ||
	    family_of(p)->start(p, err) < 0)
		goto fail;
	return 0;
fail:
	projection_free(p);
	return -1;
}

void projection_free(struct projection *p)
{
	free(p->sample);
	free(p->plane);
	free(p->wanted);
	*p = (struct projection){ 0 };
}

/* ---- Memory to work in ---- */

static void *reserve(struct room_array *array, int64_t n, size_t size,
		     void *(*allocate)(int64_t, size_t, struct error *), struct error *err)
{
	void *memory;

	if (n <= array->n_bytes / (int64_t)size)
		return array->memory;
	memory = allocate(n, size, err);
	if (!memory)
		return NULL;
	free(array->memory);
	*array = (struct room_array){ memory, n * (int64_t)size };
	return memory;
}

void *room_reserve(struct room_array *array, int64_t n, size_t size, struct error *err)
{
	return reserve(array, n, size, mem_large, err);
}

void *room_reserve_zeroed(struct room_array *array, int64_t n, size_t size, struct error *err)
{
	return reserve(array, n, size, mem_aligned, err);
}

void projection_room_free(struct projection_room *room)
{
	struct room_array *arrays[] = { &room->sums,	&room->touched, &room->part,
					&room->entries, &room->runs,	&room->cached,
					&room->cache_lines, &room->counters };

	for (size_t k = 0; k < sizeof(arrays) / sizeof(arrays[0]); k++)
		free(arrays[k]->memory);
	*room = (struct projection_room){ 0 };
}

/* ---- Rows ---- */

void take_chunk(const struct row_batch *in, int64_t first, int64_t end, struct row_chunk *chunk)
{
	chunk->n = end - first < PROJECTION_CHUNK ? end - first : PROJECTION_CHUNK;
	for (int64_t e = 0; e < chunk->n; e++) {
		chunk->feature[e] = internal_feature(in->index[first + e]);
		chunk->value[e] = in->value[first + e];
		chunk->rounded[e] = (float)in->value[first + e];
	}
}

/* Room for a row of at most n entries. */
static int reserve_row(struct row_batch *out, int64_t n, struct error *err)
{
	if (mem_grow(&out->index, &out->indices_capacity, out->n_entries + n, sizeof(*out->index),
		     err) < 0)
		return -1;
	return mem_grow(&out->value, &out->values_capacity, out->n_entries + n, sizeof(*out->value),
			err);
}

/* The row ends before entry n_entries; the rest is as in in's row i. */
static void end_row(struct row_batch *out, int64_t n_entries, const struct row_batch *in, int64_t i)
{
	if (n_entries > out->n_entries && out->index[n_entries - 1] > out->max_index)
		out->max_index = out->index[n_entries - 1];
	out->n_entries = n_entries;
	out->label[out->n_rows] = in->label[i];
	if (out->has_text)
		out->text[out->n_rows] = in->text[i];
	out->row_start[++out->n_rows] = n_entries;
	out->n_lines = out->n_rows;
}

/* The r values of a row, before zeros are left out; returns how many are not zero. */
static int64_t scale_row(const struct projection *p, const void *sum, double *value)
{
	int64_t r = p->options.n_columns;

	if (p->options.single)
		return scale_sums_single(sum, r, p->scale, value);
	return scale_sums(sum, r, p->scale, value);
}

int append_sums(const struct projection *p, const void *sum, const struct row_batch *in, int64_t i,
		struct row_batch *out, struct error *err)
{
	int64_t r = p->options.n_columns, n = 0;
	double *value;
	int32_t *index;

	if (reserve_row(out, r, err) < 0)
		return -1;
	value = out->value + out->n_entries;
	index = out->index + out->n_entries;
	if (scale_row(p, sum, value) == r) {
		for (n = 0; n < r; n++)
			index[n] = (int32_t)n + 1;
	} else {
		for (int64_t t = 0; t < r; t++) {
			double y = value[t];

			value[n] = y;
			index[n] = (int32_t)t + 1;
			n += y != 0;
		}
	}
	end_row(out, out->n_entries + n, in, i);
	return 0;
}

static inline double scaled(const struct projection *p, const void *sum, int64_t t)
{
	if (p->options.single)
		return (float)p->scale * ((const float *)sum)[t];
	return p->scale * ((const double *)sum)[t];
}

int append_columns(const struct projection *p, const void *sum, const uint32_t *column, int64_t n,
		   const struct row_batch *in, int64_t i, struct row_batch *out, struct error *err)
{
	int64_t end = out->n_entries;

	if (reserve_row(out, n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		double value = scaled(p, sum, column[k]);

		out->value[end] = value;
		out->index[end] = (int32_t)column[k] + 1;
		end += value != 0;
	}
	end_row(out, end, in, i);
	return 0;
}

int projection_apply(const struct projection *p, const struct row_batch *in, int64_t first,
		     int64_t n, struct row_batch *out, struct projection_room *room,
		     struct error *err)
{
	if (row_batch_reserve(out, n, 0, in->has_text, err) < 0 ||
	    family_of(p)->apply(p, in, first, n, out, room, err) < 0) {
		out->n_rows = out->n_entries = out->n_lines = out->max_index = 0;
		return -1;
	}
	return 0;
}

int projection_row(const struct projection *p, int64_t feature, double *row)
{
	bool ends = p->options.method == PROJECT_FHT;

	if (feature < ends || feature > (ends ? p->options.n_features : INT32_MAX))
		return -1;
	family_of(p)->row(p, internal_feature((int32_t)feature), row);
	for (int64_t t = 0; t < p->options.n_columns; t++)
		row[t] *= p->scale;
	return 0;
}
