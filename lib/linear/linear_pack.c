/*
 * linear_pack.c - some rows of a linear problem side by side, in single precision
 *
 * How this works.  A pack is a copy of some rows in the order of a list, entries side by side:
 *
 *     start    [0,       3,    5,       8]        n + 1 places
 *     entry    [c v, c v, c v, c v, c v, ...]     column and value / unit, 8 bytes each         (1)
 *
 * unit being a power of two, so that the division is exact and no value is too large for a float;
 * the value itself loses 29 of its 53 bits.  What is computed with a pack is a direction, not a
 * result: gradients and certificates are computed from the rows in double precision.
 *
 * A product out += sum_k c_k x_k, c_k = factor weight_k (x_k.v + b), takes one pass, each row being
 * read once for both products while it is in the first cache (2).  On several threads the rows are
 * cut into parts, a power of two by entries and d alone:
 *
 *     rows      0 .. n/4-1     ..n/2-1       ..3n/4-1      ..n-1
 *     part         0              1             2             3         own w of d sums         (3)
 *     fold         0+1                          2+3                     width 1                 (4)
 *                  0+1+2+3                                              width 2
 *
 * Sums are added in the order of this tree whatever the number of threads: the bits are the same.
 * For (4) the columns are cut among threads: each thread makes all additions of its columns and
 * waits for no other thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_pack.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"

/*
 * Entries a part of a product must have, in columns: clearing its vector and adding it to the
 * others passes over 4 d numbers, one after another, which then take a tenth of the time.
 */
#define ENTRIES_PER_COLUMN 8

/* Columns a thread adds up at a time: 32 KB of each part, which the second cache holds. */
#define COLUMNS_PER_TASK 4096

void linear_pack_free(struct linear_pack *pack)
{
	mem_free_all(pack->start, pack->entry);
	*pack = (struct linear_pack){ 0 };
}

/* Room for n rows and their entries; the rows before are lost.  On failure the pack is empty. */
static int make_room(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err)
{
	/* old entries are not copied to the larger array, as the pack is filled anew */
	if (pack->row_capacity < n + 1) {
		mem_free(pack->start);
		pack->row_capacity = n + 1;
		pack->start = mem_array(pack->row_capacity, sizeof(*pack->start), err);
	}
	if (pack->entry_capacity < n_entries || !pack->entry) {
		mem_free(pack->entry);
		pack->entry_capacity = n_entries;
		pack->entry = mem_large(n_entries, sizeof(*pack->entry), err);
	}
	if (pack->start && pack->entry)
		return 0;
	linear_pack_free(pack);
	return -1;
}

int linear_pack_fill(struct linear_pack *pack, const struct linear_rows *x, const int64_t *list,
		     int64_t n, struct error *err)
{
	/* 'unit' is a power of two, so that multiplying by its inverse does not round */
	double inverse = 1 / x->unit;
	int64_t at = 0;

	if (make_room(pack, n, linear_rows_entries(x, list, n), err) < 0)
		return -1;
	pack->n = n;
	pack->d = x->d;
	pack->unit = x->unit;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = list ? list[k] : k;

		pack->start[k] = at;
		for (int64_t e = x->start[i]; e < x->start[i + 1]; e++, at++)
			pack->entry[at] =
				(struct linear_pack_entry){ .col = x->col[e],
							    .val = (float)(x->val[e] * inverse) };
	}
	pack->start[n] = at;
	return 0;
}

/* ---- products in parts, on several threads ---- */

/*
 * Products in one pass, (2): multiply each row by v and add its multiple to the sum, while the row
 * is in the first-level cache.
 */
static void multiply_rows(const struct linear_pack *pack, const struct linear_square *p,
			  int64_t first, int64_t last, double *out, double sum[2])
{
	const int64_t *start = pack->start;

	sum[0] = sum[1] = 0;
	for (int64_t k = first; k < last; k++) {
		int side = p->side ? p->side[k] : 0;
		double c = p->factor *
			   (linear_pack_dot(pack, start[k], start[k + 1], p->v) + p->b[side]);

		if (p->weight)
			c *= p->weight[k];
		linear_pack_axpy(pack, start[k], start[k + 1], c, out);
		sum[side] += c;
	}
}

/* Number of parts, a power of 2 up to LINEAR_MAX_PARTS, by the entries and d alone. */
static int count_parts(const struct linear_pack *pack)
{
	int64_t n_entries = pack->start[pack->n];
	int n_parts = 1;

	/* too few entries for threads; with more there are columns, and the loop below ends */
	if (n_entries < LINEAR_WORK_FOR_THREADS)
		return 1;
	/* a part is only worth its vector if it has ENTRIES_PER_COLUMN entries for each column */
	while (n_parts < LINEAR_MAX_PARTS &&
	       n_entries >= 2 * n_parts * ENTRIES_PER_COLUMN * pack->d)
		n_parts *= 2;
	return n_parts;
}

/* A product in parts: sums of c x, d numbers for each part, and sums of c by side. */
struct part_products {
	const struct linear_pack *pack;
	const struct linear_square *product;
	int n_parts;
	double *w, *out;
	double sum[LINEAR_MAX_PARTS][2];
};

/* The sums of one part, (3): no other thread writes to them. */
static void multiply_part(void *arg, int64_t part, int thread)
{
	struct part_products *s = arg;
	const struct linear_pack *pack = s->pack;
	double *w = s->w + part * pack->d;

	(void)thread;
	memset(w, 0, (size_t)pack->d * sizeof(*w));
	multiply_rows(pack, s->product, pack->n * part / s->n_parts,
		      pack->n * (part + 1) / s->n_parts, w, s->sum[part]);
}

/* The tree, (4), of some columns, from its leaves: sums of 'width' parts become sums of twice as many. */
static void fold_columns(void *arg, int64_t task, int thread)
{
	const struct part_products *s = arg;
	int64_t d = s->pack->d, first = task * COLUMNS_PER_TASK;
	int64_t last = int64_min(first + COLUMNS_PER_TASK, d);

	(void)thread;
	for (int width = 1; width < s->n_parts; width *= 2)
		for (int part = 0; part < s->n_parts; part += 2 * width) {
			double *to = s->w + part * d;
			const double *from = to + width * d;

			for (int64_t j = first; j < last; j++)
				to[j] += from[j];
		}
	/* the total is at part 0, and joins 'out' */
	for (int64_t j = first; j < last; j++)
		s->out[j] += s->w[j];
}

void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *room)
{
	struct part_products s = { .pack = pack,
				   .product = product,
				   .n_parts = count_parts(pack),
				   .w = room,
				   .out = out };

	work_count(WORK_ENTRIES, 2 * pack->start[pack->n]);
	/* a single part is summed straight into 'out', without a vector of its own */
	if (s.n_parts == 1) {
		multiply_rows(pack, product, 0, pack->n, out, sum);
		return;
	}
	thread_team_for(team, s.n_parts, multiply_part, &s);
	thread_team_for(team, int64_blocks(pack->d, COLUMNS_PER_TASK), fold_columns, &s);
	/* the tree of the sums of c: two numbers a part */
	for (int width = 1; width < s.n_parts; width *= 2)
		for (int part = 0; part < s.n_parts; part += 2 * width)
			for (int side = 0; side < 2; side++)
				s.sum[part][side] += s.sum[part + width][side];
	memcpy(sum, s.sum[0], sizeof(s.sum[0]));
}
