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
 * Sums are added in the order of this tree whatever the number of threads, or of processes
 * (ranks/pack_ranks.c): the bits are the same.  For (4) the pairs are listed first and the columns
 * are cut among threads: each thread makes all additions of its columns and waits for no other
 * thread.
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

int linear_pack_make_room(struct linear_pack *pack, int64_t n, int64_t n_entries, struct error *err)
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

	if (linear_pack_make_room(pack, n, linear_rows_entries(x, list, n), err) < 0)
		return -1;
	pack->n = n;
	pack->d = x->d;
	pack->unit = x->unit;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = list ? list[k] : k;

		mem_trim_at(k);
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

		mem_trim_at(k);
		if (p->weight)
			c *= p->weight[k];
		linear_pack_axpy(pack, start[k], start[k + 1], c, out);
		sum[side] += c;
	}
}

int linear_pack_parts(const struct linear_pack *pack)
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

/* Arguments of the threads that multiply the parts of a share. */
struct part_products {
	const struct linear_share *share;
	const struct linear_square *product;
	struct linear_partial *partial;
};

static void multiply_part(void *arg, int64_t task, int thread)
{
	const struct part_products *s = arg;
	const struct linear_share *share = s->share;
	int part = share->first + (int)task;
	/* rows of a share that another process keeps are numbered from 0 */
	int64_t before = linear_part_start(share, share->first);
	double *out = s->partial->w + task * share->pack->d;

	(void)thread;
	/* sums of this part alone, (3), which no other thread writes to */
	memset(out, 0, (size_t)share->pack->d * sizeof(*out));
	multiply_rows(share->pack, s->product, linear_part_start(share, part) - before,
		      linear_part_start(share, part + 1) - before, out, s->partial->sum[task]);
}

void linear_pack_multiply(const struct linear_share *share, struct thread_team *team,
			  const struct linear_square *product, struct linear_partial *partial)
{
	struct part_products s = { share, product, partial };

	/* a span for each part of the share; places after these hold no sums */
	for (int part = 0; part < LINEAR_MAX_PARTS; part++)
		partial->span[part] = part < share->last - share->first;
	thread_team_for(team, share->last - share->first, multiply_part, &s);
}

/* Pairs of partial sums to be added, in order, and the vector that the total is added to. */
struct fold {
	int64_t d;
	double *w, *out; /* sums of the parts; vector for the total, or NULL */
	int n, to[LINEAR_MAX_PARTS], from[LINEAR_MAX_PARTS];
};

/* List the pairs of neighbouring sums that are both present, smallest spans first. */
static void list_folds(const struct linear_share *s, struct linear_partial *partial,
		       struct fold *fold)
{
	int *span = partial->span;

	/* the tree from its leaves: sums of 'width' parts become sums of twice as many */
	for (int width = 1; width < s->n_parts; width *= 2)
		for (int part = 0; part + width < s->last; part += 2 * width) {
			int to = part - s->first, from = to + width;

			/* a part of another rank, or a neighbour whose sum is not complete here */
			if (to < 0 || span[to] != width || span[from] != width)
				continue;
			span[to] = 2 * width;
			span[from] = 0;
			/*
			 * the sums of c are two numbers a part, which the listing thread adds at
			 * once
			 */
			for (int side = 0; side < 2; side++)
				partial->sum[to][side] += partial->sum[from][side];
			fold->to[fold->n] = to;
			fold->from[fold->n++] = from;
		}
}

static void fold_columns(void *arg, int64_t task, int thread)
{
	const struct fold *f = arg;
	int64_t first = task * COLUMNS_PER_TASK, last = int64_min(first + COLUMNS_PER_TASK, f->d);

	(void)thread;
	/* additions of these columns, (4), in the order of the list */
	for (int k = 0; k < f->n; k++) {
		double *to = f->w + f->to[k] * f->d;
		const double *from = f->w + f->from[k] * f->d;

		for (int64_t j = first; j < last; j++)
			to[j] += from[j];
	}
	/* after the last addition the total is at part 0, and joins 'out' */
	for (int64_t j = first; j < last && f->out; j++)
		f->out[j] += f->w[j];
}

void linear_pack_fold(const struct linear_share *share, struct thread_team *team,
		      struct linear_partial *partial, double *out)
{
	struct fold fold = { .d = share->pack->d, .w = partial->w, .out = out };

	list_folds(share, partial, &fold);
	thread_team_for(team, int64_blocks(fold.d, COLUMNS_PER_TASK), fold_columns, &fold);
}

void linear_pack_square(const struct linear_pack *pack, struct thread_team *team,
			const struct linear_square *product, double *out, double sum[2],
			double *room)
{
	int n_parts = linear_pack_parts(pack);
	const struct linear_share all = { pack, pack->n, n_parts, 0, n_parts };
	struct linear_partial partial = { .w = room };

	/* a single part is summed straight into 'out', without a vector of its own */
	if (n_parts == 1) {
		multiply_rows(pack, product, 0, pack->n, out, sum);
		return;
	}
	linear_pack_multiply(&all, team, product, &partial);
	linear_pack_fold(&all, team, &partial, out);
	memcpy(sum, partial.sum[0], sizeof(partial.sum[0]));
}
