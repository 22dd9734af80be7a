/*
 * linear_pack.c - some rows of a linear problem side by side, in single precision
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "linear/linear_products.h"

/* Rows a thread takes at a time, as in linear_products.c. */
#define ROWS_PER_TASK 512

/*
 * Entries a part of a sum must have, in columns: clearing its vector and adding it to the others
 * passes over 2 d numbers, which then are an eighth of the work.
 */
#define ENTRIES_PER_COLUMN 16

void linear_pack_free(struct linear_pack *pack)
{
	free(pack->start);
	free(pack->col);
	free(pack->val);
	*pack = (struct linear_pack){ 0 };
}

/* Room for n rows and their entries; what was in the pack is lost. */
static int make_room(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err)
{
	if (pack->row_capacity < n + 1) {
		free(pack->start);
		pack->row_capacity = n + 1;
		pack->start = mem_array(pack->row_capacity, sizeof(*pack->start), err);
	}
	if (pack->entry_capacity < n_entries || !pack->col) {
		free(pack->col);
		free(pack->val);
		pack->entry_capacity = n_entries;
		pack->col = mem_large(n_entries, sizeof(*pack->col), err);
		pack->val = mem_large(n_entries, sizeof(*pack->val), err);
	}
	if (pack->start && pack->col && pack->val)
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
		for (int64_t e = x->start[i]; e < x->start[i + 1]; e++, at++) {
			pack->col[at] = x->col[e];
			pack->val[at] = (float)(x->val[e] * inverse);
		}
	}
	pack->start[n] = at;
	return 0;
}

void linear_pack_keep(struct linear_pack *pack, const bool *keep)
{
	int64_t n = 0, at = 0;

	for (int64_t k = 0; k < pack->n; k++) {
		int64_t start = pack->start[k], length = pack->start[k + 1] - start;

		if (!keep[k])
			continue;
		memmove(pack->col + at, pack->col + start, (size_t)length * sizeof(*pack->col));
		memmove(pack->val + at, pack->val + start, (size_t)length * sizeof(*pack->val));
		pack->start[n++] = at;
		at += length;
	}
	pack->start[n] = at;
	pack->n = n;
}

/* ---- products on several threads ---- */

struct pack_pass {
	const struct linear_pack *pack;
	const double *w, *c;
	double b, *out;
	int64_t n_parts;
};

static void multiply_rows(void *arg, int64_t task, int thread)
{
	const struct pack_pass *s = arg;
	int64_t first = task * ROWS_PER_TASK, last = int64_min(first + ROWS_PER_TASK, s->pack->n);

	(void)thread;
	for (int64_t k = first; k < last; k++)
		s->out[k] = linear_pack_dot(s->pack, k, s->w) + s->b;
}

static struct thread_team *team_for(const struct linear_pack *pack, struct thread_team *team)
{
	return pack->start[pack->n] >= LINEAR_WORK_FOR_THREADS ? team : NULL;
}

void linear_pack_times(const struct linear_pack *pack, struct thread_team *team, const double *w,
		       double b, double *out)
{
	struct pack_pass s = { .pack = pack, .w = w, .b = b, .out = out };

	thread_team_for(team_for(pack, team), int64_blocks(pack->n, ROWS_PER_TASK), multiply_rows,
			&s);
}

static void add_part(void *arg, int64_t part, int thread)
{
	const struct pack_pass *s = arg;
	int64_t n = s->pack->n, first = n * part / s->n_parts, last = n * (part + 1) / s->n_parts;
	double *w = s->out + part * s->pack->d;

	(void)thread;
	memset(w, 0, (size_t)s->pack->d * sizeof(*w));
	for (int64_t k = first; k < last; k++)
		linear_pack_axpy(s->pack, k, s->c[k], w);
}

void linear_pack_add(const struct linear_pack *pack, struct thread_team *team, const double *c,
		     double *w, double *partial)
{
	int64_t n_entries = pack->start[pack->n];
	struct pack_pass s = { .pack = pack, .c = c, .out = partial, .n_parts = 1 };

	if (n_entries >= LINEAR_WORK_FOR_THREADS) /* so there are columns */
		s.n_parts = int64_min(n_entries / (ENTRIES_PER_COLUMN * pack->d), LINEAR_MAX_PARTS);
	if (s.n_parts <= 1) {
		for (int64_t k = 0; k < pack->n; k++)
			linear_pack_axpy(pack, k, c[k], w);
		return;
	}
	thread_team_for(team, s.n_parts, add_part, &s);
	for (int64_t part = 0; part < s.n_parts; part++)
		for (int64_t j = 0; j < pack->d; j++)
			w[j] += partial[part * pack->d + j];
}
