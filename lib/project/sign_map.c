/*
 * sign_map.c - projections by random signs
 *
 * How this works.  Entries of R are +-1 / sqrt(r), so y_t is a sum of the entries of x with signs,
 * and a draw of four random words has the signs of a feature for 128 columns.  That makes R cheap:
 * its rows are made again for each row of x, and neither sorted nor kept as in dense_maps.c.
 *
 *     for each row, each chunk of its entries, each tile of 128 columns:
 *         draw the words of all features of the chunk at once        (rng_fill_each())
 *         add each value, its sign bit flipped, to 64 sums twice     (sign_add())
 *
 * The sums of a tile are in registers while a chunk is added, and each sum is added up in the order
 * of the row's entries whatever the chunks are.  Flipping the sign bit is multiplying by -1
 * exactly.  O(nnz r) time; the memory is one row of sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "project/family.h"
#include "project/project_loops.h"

/* E[R R'] = I with the scale 1 / sqrt(r); 'stride' rounds r up to whole tiles. */
static int sign_start(struct projection *p, struct error *err UNUSED)
{
	p->scale = 1 / sqrt((double)p->options.n_columns);
	p->stride = int64_round_up(p->options.n_columns, PROJECTION_TILE);
	return 0;
}

/* Add the chunk to the columns of a tile. */
static void add_tile(const struct projection *p, const struct row_chunk *chunk, int64_t tile,
		     void *sum)
{
	const struct rng_place place = { p->options.seed, RNG_SIGN, 0, (uint32_t)tile };
	uint32_t words[4][PROJECTION_CHUNK];
	uint64_t signs[2][PROJECTION_CHUNK];

	rng_fill_each(&place, chunk->feature, chunk->n, words[0], PROJECTION_CHUNK);
	for (int h = 0; h < 2; h++) { /* words 0 and 1, then 2 and 3, are 64 columns each */
		int64_t column = tile * PROJECTION_TILE + h * 64;

		for (int64_t e = 0; e < chunk->n; e++)
			signs[h][e] = words[2 * h][e] | (uint64_t)words[2 * h + 1][e] << 32;
		if (p->options.single)
			sign_add_single(signs[h], 1, chunk->rounded, chunk->n,
					(float *)sum + column);
		else
			sign_add(signs[h], 1, chunk->value, chunk->n, (double *)sum + column);
	}
}

static int sign_apply(const struct projection *p, struct row_range rows, struct row_batch *out,
		      struct map_room *room, struct error *err)
{
	const struct row_batch *in = rows.in;
	size_t size = p->options.single ? sizeof(float) : sizeof(double);
	void *sum = room_reserve(&room->sums, p->stride, size, err);

	if (!sum)
		return -1;
	for (int64_t i = rows.first; i < rows.first + rows.n; i++) {
		struct row_chunk chunk;

		memset(sum, 0, (size_t)p->stride * size);
		for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k += chunk.n) {
			take_chunk(in, k, in->row_start[i + 1], &chunk);
			for (int64_t tile = 0; tile < p->stride / PROJECTION_TILE; tile++)
				add_tile(p, &chunk, tile, sum);
		}
		if (append_sums(p, (struct summed_row){ in, i, sum }, out, err) < 0)
			return -1;
	}
	return 0;
}

static void sign_row(const struct projection *p, uint32_t feature, double *row)
{
	for (int64_t t = 0; t < p->options.n_columns; t++) {
		struct rng_block draw = rng_draw(p->options.seed, RNG_SIGN, feature,
						 (uint32_t)(t / PROJECTION_TILE));

		row[t] = draw.w[t / 32 % 4] >> t % 32 & 1 ? -1 : 1;
	}
}

const struct projection_family sign_family = { sign_start, sign_apply, sign_row };
