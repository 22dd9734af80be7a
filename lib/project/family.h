/*
 * family.h - what the families of projections have in common; private to this folder
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/rng_fill.h"
#include "project/projection.h"

/* entries of a row done at a time */
#define PROJECTION_CHUNK 256

struct projection_family {
	/* check and complete p->options, set p->scale; -1 on error */
	int (*start)(struct projection *p, struct error *err);

	/* append the projections of the rows given */
	int (*apply)(const struct projection *p, struct row_range rows, struct row_batch *out,
		     struct map_room *room, struct error *err);

	/* R's row, not yet scaled */
	void (*row)(const struct projection *p, uint32_t feature, double *row);
};

extern const struct projection_family dense_family, sign_family, srht_family, sparse_family;

/* internal_feature() - j of a file's index; 2^32 - 1 for index 0 */
static inline uint32_t internal_feature(int32_t index)
{
	return (uint32_t)index - 1;
}

/* check_features() - ERR_FORMAT unless row i has features 1 .. last alone; entries ascend */
int check_features(const struct row_batch *in, int64_t i, int64_t last, struct error *err);

/* Some entries of a row, their values in both precisions. */
struct row_chunk {
	int64_t n;
	uint32_t feature[PROJECTION_CHUNK];
	double value[PROJECTION_CHUNK];
	float rounded[PROJECTION_CHUNK];
};

/* take_chunk() - the entries first, first + 1, ... of a batch, before 'end' */
void take_chunk(const struct row_batch *in, int64_t first, int64_t end, struct row_chunk *chunk);

/* Row i of 'in' and its sums: r doubles, or floats if p->options.single. */
struct summed_row {
	const struct row_batch *in;
	int64_t i;
	const void *sum;
};

/* append_sums() - the next row of 'out': p->scale times the sums, zeros left out; ERR_MEMORY */
int append_sums(const struct projection *p, struct summed_row row, struct row_batch *out,
		struct error *err);

/* append_doubles() - append_sums() of doubles, rounded before if p->options.single */
int append_doubles(const struct projection *p, struct summed_row row, struct row_batch *out,
		   struct map_room *room, struct error *err);
