/*
 * linear_pack.c - some rows of a linear problem side by side, in single precision
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_pack.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "linear/linear_products.h"

/*
 * Entries a part of a product must have, in columns: clearing its vector and adding it to the
 * others passes over 4 d numbers, one after another, which then take a tenth of the time.
 */
#define ENTRIES_PER_COLUMN 8

/* Columns a thread adds up at a time: 32 KB of each part, which the second cache holds. */
#define COLUMNS_PER_TASK 4096

void linear_pack_free(struct linear_pack *pack)
{
	mem_free(pack->start);
	mem_free(pack->entry);
	*pack = (struct linear_pack){ 0 };
}

/* Room for n rows and their entries; what was in the pack is lost. */
static int make_room(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err)
{
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

/* ---- products on several threads ---- */

/* One product: parts of the rows first, and then blocks of the columns. */
struct pack_pass {
	const struct linear_pack *pack;
	const struct linear_square *product;
	int64_t n_parts;
	double *out, *partial;
	double sum[LINEAR_MAX_PARTS][2];
};

/* A row is multiplied and added while it is in the first cache. */
static void multiply_rows(const struct pack_pass *s, int64_t first, int64_t last, double *out,
			  double sum[2])
{
	const int64_t *start = s->pack->start;
	const struct linear_square *p = s->product;

	sum[0] = sum[1] = 0;
	for (int64_t k = first; k < last; k++) {
		int side = p->side ? p->side[k] : 0;
		double c = p->factor *
			   (linear_pack_dot(s->pack, start[k], start[k + 1], p->v) + p->b[side]);

		if (p->weight)
			c *= p->weight[k];

		linear_pack_axpy(s->pack, start[k], start[k + 1], c, out);
		sum[side] += c;
	}
}

static void multiply_part(void *arg, int64_t part, int thread)
{
	struct pack_pass *s = arg;
	int64_t n = s->pack->n, first = n * part / s->n_parts, last = n * (part + 1) / s->n_parts;
	double *out = s->partial + part * s->pack->d;

	(void)thread;
	memset(out, 0, (size_t)s->pack->d * sizeof(*out));
	multiply_rows(s, first, last, out, s->sum[part]);
}

static void add_columns(void *arg, int64_t task, int thread)
{
	const struct pack_pass *s = arg;
	int64_t first = task * COLUMNS_PER_TASK,
		last = int64_min(first + COLUMNS_PER_TASK, s->pack->d);

	(void)thread;
	for (int64_t part = 0; part < s->n_parts; part++) {
		const double *partial = s->partial + part * s->pack->d;

		for (int64_t j = first; j < last; j++)
			s->out[j] += partial[j];
	}
}

void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *partial)
{
	int64_t n_entries = pack->start[pack->n];
	struct pack_pass s = {
		.pack = pack, .product = product, .out = out, .partial = partial, .n_parts = 1
	};

	if (n_entries >= LINEAR_WORK_FOR_THREADS) /* so there are columns */
		s.n_parts = int64_min(n_entries / (ENTRIES_PER_COLUMN * pack->d), LINEAR_MAX_PARTS);
	if (s.n_parts <= 1) {
		multiply_rows(&s, 0, pack->n, out, sum);
		return;
	}
	thread_team_for(team, s.n_parts, multiply_part, &s);
	thread_team_for(team, int64_blocks(pack->d, COLUMNS_PER_TASK), add_columns, &s);
	sum[0] = sum[1] = 0;
	for (int64_t part = 0; part < s.n_parts; part++)
		for (int side = 0; side < 2; side++)
			sum[side] += s.sum[part][side];
}
