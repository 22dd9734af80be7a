/*
 * rank_floats.c - rows in single precision, each with the rank that has it
 *
 * How this works.  kernel/float_form.h has the steps of which each is a pass over some rows; the rows
 * of a rank are a piece, and rank 0 joins what the pieces give:
 *
 *     rank 0                              all ranks
 *     extent of all rows          <--     (1) extents of their rows
 *     columns that occur          <--     (2) the columns that they have
 *     extent, columns             -->
 *     centre                      <--     (3) sums of the columns, of dense rows
 *     norms                       <--         distances from it
 *     (4) form, from a sample     -->
 *                                         (5) their rows in this form
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_floats.h"

#include "kernel/float_form.h"
#include "kernel/float_sums.h"
#include "kernel/near_rows.h"
#include "ranks/rank_choice.h"

/* What is known of all rows, on each rank. */
struct forming {
	struct rank_rows *rows;
	const struct kernel *kernel;
	struct float_extent extent;
	struct float_columns columns;
	double *norm2; /* of the rows of this rank */
};

/*
 * join(own, other) of what all ranks have, on rank 0, and from there to all; 'other' is room
 * for as much
 */
static void join_all(struct rank_group *g, void *own, void *other, int64_t n_bytes,
		     void (*join)(void *own, const void *other, int64_t n_bytes))
{
	if (g->rank > 0)
		rank_group_send(g, 0, own, n_bytes);
	for (int rank = 1; g->rank == 0 && rank < g->size; rank++) {
		rank_group_receive(g, rank, other, n_bytes);
		join(own, other, n_bytes);
	}
	rank_group_broadcast(g, own, n_bytes);
}

/* ---- (1) extents ---- */

/* The extent of all rows on all ranks. */
static bool measure(struct forming *f, struct error *err)
{
	struct rank_group *g = f->rows->group;
	struct float_extent own;
	bool goes_on;

	f->norm2 = mem_array(f->rows->own.n_rows, sizeof(*f->norm2), err);
	if (f->norm2)
		f->extent = float_extent_of(&f->rows->own, f->norm2);
	own = f->extent;
	goes_on = rank_agree(f->rows, err);
	for (int rank = 0; goes_on && rank < g->size; rank++) {
		struct float_extent piece = own;

		rank_group_share(g, rank, &piece, sizeof(piece));
		if (rank != g->rank)
			float_extent_join(&f->extent, &piece);
	}
	return goes_on;
}

/* ---- (2) columns ---- */

static void join_bits(void *own, const void *other, int64_t n_bytes)
{
	for (int64_t b = 0; b < n_bytes; b++)
		((unsigned char *)own)[b] |= ((const unsigned char *)other)[b];
}

/* The columns that occur in f->columns.map of all ranks, ascending; one bit for each of all columns. */
static bool join_columns(struct forming *f, struct error *err)
{
	const struct csr *x = &f->rows->own;
	const int64_t n_bytes = x->n_cols / CHAR_BIT + 1;
	unsigned char *seen = mem_zeroed(n_bytes, 1, err), *other = mem_array(n_bytes, 1, err);
	bool goes_on;

	for (int64_t k = 0; seen && k < csr_n_entries(x); k++)
		seen[x->col[k] / CHAR_BIT] |= (unsigned char)(1 << x->col[k] % CHAR_BIT);
	goes_on = rank_agree(f->rows, err);
	if (goes_on)
		join_all(f->rows->group, seen, other, n_bytes, join_bits);
	for (int64_t c = 0; goes_on && c < x->n_cols && err->code == ERR_NONE; c++)
		if (seen[c / CHAR_BIT] & 1 << c % CHAR_BIT)
			column_map_add(&f->columns.map, (int32_t)c, err);
	mem_free_all(seen, other);
	return goes_on && rank_agree(f->rows, err);
}

/* ---- (3) the centre ---- */

static void add_sums(void *own, const void *other, int64_t n_bytes)
{
	for (int64_t c = 0; c < n_bytes / (int64_t)sizeof(int64_t); c++)
		((int64_t *)own)[c] += ((const int64_t *)other)[c];
}

static bool centre(struct forming *f, struct error *err)
{
	struct rank_group *g = f->rows->group;
	const int64_t n = f->columns.map.n;
	int64_t *sum = mem_zeroed(n, sizeof(*sum), err), *other = mem_array(n, sizeof(*other), err);
	bool goes_on;

	if (err->code == ERR_NONE)
		float_columns_add(&f->columns, &f->extent, &f->rows->own, sum);
	goes_on = rank_agree(f->rows, err);
	if (goes_on) {
		join_all(g, sum, other, n * (int64_t)sizeof(*sum), add_sums);
		f->extent.max_norm2 = 0; /* rank 0 learns the others' with the sample */
		if (float_columns_set_centre(&f->columns, &f->extent, sum, err) == 0)
			float_columns_norms(&f->columns, &f->rows->own, f->norm2,
					    &f->extent.max_norm2, err);
		goes_on = rank_agree(f->rows, err);
	}
	mem_free_all(sum, other);
	return goes_on;
}

/* ---- (4) the form, (5) the rows ---- */

/* On rank 0: a copy of the rows of the sample, by the norms of all rows. */
static bool gather_sample(struct forming *f, struct csr *sample, struct error *err)
{
	struct rank_rows *rows = f->rows;
	struct rank_choice c = { 0 };
	struct rank_store found = { 0 };
	int64_t row[FLOAT_SAMPLE], n = 0;
	double *norm2 = rows->data ? mem_array(f->extent.n_rows, sizeof(*norm2), err) : NULL;
	bool goes_on = rank_agree(rows, err);

	for (int64_t k = 0; goes_on && k < rows->n_parts; k++) {
		const struct rank_part *p = &rows->part[k];

		rank_move_elements(rows->group,
				   (struct rank_move){ (int)p->rank, 0, p->at, p->first, p->n },
				   f->norm2, norm2, sizeof(*norm2));
	}
	for (int64_t i = 0; goes_on && norm2 && i < f->extent.n_rows; i++)
		f->extent.max_norm2 = fmax(f->extent.max_norm2, norm2[i]);
	if (goes_on && norm2)
		n = float_sample_rows(row, f->extent.n_rows, f->extent.n_entries, norm2);
	if (goes_on) {
		rank_choice_init(&c, rows, rows->data ? row : NULL, n, err);
		goes_on = rank_choice_collect(&c, rows, false, 0, &found, err);
	}
	*sample = found.doubles;
	rank_choice_free(&c);
	mem_free(norm2);
	return goes_on;
}

/* The form, which rank 0 chooses, on all ranks; 0 or 1. */
static int choose(struct forming *f, const struct csr *sample, struct float_vectors *form,
		  struct error *err)
{
	int unfit = 1;

	if (f->rows->data && err->code == ERR_NONE)
		unfit = float_form_choose(form, f->kernel, &f->extent, &f->columns, sample, err);
	if (!rank_agree(f->rows, err))
		return -1;
	rank_group_broadcast(f->rows->group, &unfit, sizeof(unfit));
	rank_group_broadcast(f->rows->group, form, sizeof(*form));
	return unfit;
}

int rank_rows_make_floats(struct rank_rows *rows, const struct kernel *kernel, struct error *err)
{
	struct forming f = { .rows = rows, .kernel = kernel };
	struct float_vectors form = { 0 };
	struct csr sample = { 0 };
	int ret = -1;

	rank_announce(rows->group,
		      (struct rank_message){ .command = RANK_FLOATS, .kernel = *kernel });
	float_vectors_drop_tiles(&rows->floats);
	float_vectors_free(&rows->floats);
	if (!measure(&f, err) || !join_columns(&f, err))
		goto out;
	ret = f.extent.n_rows == 0 || !float_form_fits(kernel, &f.extent);
	if (ret == 0 && float_form_is_centred(kernel, &f.extent, f.columns.map.n) &&
	    !centre(&f, err))
		ret = -1;
	if (ret == 0)
		ret = gather_sample(&f, &sample, err) ? choose(&f, &sample, &form, err) : -1;
	if (ret == 0 && float_form_convert(&rows->floats, &form, &rows->own, &f.columns, err) == 0)
		float_vectors_keep_tiles(&rows->floats, err);
	if (ret == 0 && !rank_agree(rows, err))
		ret = -1;
out:
	mem_free(f.norm2);
	float_columns_free(&f.columns);
	csr_free(&sample);
	return ret;
}

int rank_rows_are_near(struct rank_rows *rows, bool *are_near, struct error *err)
{
	int64_t row[2 * NEAR_ROWS_PAIRS];
	const int64_t n = near_rows_list_pairs(&rows->floats, rows->data->x.n_rows, row);
	struct float_vectors pairs = { 0 };
	int ret = 0;

	*are_near = false;
	if (n > 0 && rank_rows_gather_floats(rows, row, n, &pairs, err) < 0)
		return -1;
	if (n > 0)
		ret = near_rows_are_far(&pairs, are_near, err);
	float_vectors_free(&pairs);
	return ret;
}
