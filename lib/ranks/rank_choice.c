/*
 * rank_choice.c - some rows of the data, wherever they are, and their entries
 *
 * How rows are collected, on all ranks at once:
 *
 *     list       all ranks get it, as runs of neighbours, and group it                          (1)
 *     gather     each rank copies its rows together; who receives makes room for all            (2)
 *     agree      a rank without memory ends it for all                                          (3)
 *     move       the rows of one rank after the other                                           (4)
 *     order      from one rank after the other to the order of the list                         (5)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_choice.h"

void rank_choice_free(struct rank_choice *c)
{
	mem_free_all(c->start, c->own, c->rank, c->value);
	*c = (struct rank_choice){ 0 };
}

void rank_store_free(struct rank_store *s)
{
	float_vectors_free(&s->floats);
	csr_free(&s->doubles);
}

static struct row_arrays arrays_of(const struct rank_store *s, bool in_floats)
{
	return in_floats ? row_arrays_of_floats(&s->floats) : row_arrays_of_csr(&s->doubles);
}

/* ---- (1): the list ---- */

/* rank[], start[] and own[] of the rows listed. */
static void group(struct rank_choice *c, const struct rank_rows *rows, const int64_t *list,
		  struct error *err)
{
	const struct rank_part *part = rows->part;
	const int size = rows->group->size, here = rows->group->rank;
	int64_t n = 0, most = 0;

	for (int64_t k = 0; k < c->n; k++) {
		part = rank_rows_part(rows, list[k], part);
		c->rank[k] = (int32_t)part->rank;
		c->start[part->rank + 1]++;
	}
	c->n_own = c->start[here + 1];
	for (int rank = 0; rank < size; rank++) {
		most = int64_max(most, c->start[rank + 1]);
		c->start[rank + 1] += c->start[rank];
	}
	c->value = mem_zeroed(c->n_own + (here == 0 ? most : 0), sizeof(*c->value), err);
	c->own = mem_array(c->n_own, sizeof(*c->own), err);
	for (int64_t k = 0; c->own && k < c->n; k++)
		if (c->rank[k] == here) {
			part = rank_rows_part(rows, list[k], part);
			c->own[n++] = part->at + list[k] - part->first;
		}
}

/* A message of runs of neighbours, from row[at] on; 'end' is the row behind the run before. */
static void find_runs(struct rank_run run[RANK_RUNS], const int64_t *row, int64_t at, int64_t n,
		      int64_t end, int most)
{
	for (int r = 0; r < RANK_RUNS; r++) {
		const int64_t skip = at < n ? row[at] - end : 0;

		/* of rows that are further apart the next runs skip the rest */
		run[r] = (struct rank_run){ (int32_t)int64_clamp(skip, -most, most), 0 };
		for (end += run[r].skip; at < n && row[at] == end && run[r].n < most; at++, end++)
			run[r].n++;
	}
}

/* The list of rank 0 on another rank, into list[], or nowhere without memory. */
static void share_list(struct rank_group *g, const int64_t *row, int64_t *list, int64_t n)
{
	struct rank_run run[RANK_RUNS];
	int64_t end = 0;

	for (int64_t at = 0; at < n;) {
		if (g->rank == 0)
			find_runs(run, row, at, n, end, g->most);
		rank_group_broadcast(g, run, sizeof(run));
		for (int r = 0; r < RANK_RUNS; r++) {
			end += run[r].skip;
			for (int32_t i = 0; i < run[r].n; i++, at++, end++)
				if (list)
					list[at] = end;
		}
	}
}

void rank_choice_init(struct rank_choice *c, struct rank_rows *rows, const int64_t *row, int64_t n,
		      struct error *err)
{
	struct rank_group *g = rows->group;
	int64_t size[2] = { n, 0 }, *list = NULL;

	for (int64_t k = 0; row && k < n; k++)
		size[1] += csr_row_of(&rows->data->x, row[k]).n;
	rank_group_broadcast(g, size, sizeof(size));
	*c = (struct rank_choice){ .n = size[0],
				   .n_entries = size[1],
				   .start = mem_zeroed(g->size + 1, sizeof(*c->start), err),
				   .rank = mem_array(size[0], sizeof(*c->rank), err) };
	if (!row)
		list = mem_array(size[0], sizeof(*list), err);
	share_list(g, row, list, size[0]);
	if (err->code == ERR_NONE)
		group(c, rows, row ? row : list, err);
	mem_free(list);
}

void rank_choice_move(const struct rank_choice *c, struct rank_rows *rows, double *listed,
		      bool back)
{
	double *room = c->value + c->n_own;

	for (int rank = 0; rank < rows->group->size; rank++) {
		const int64_t n = c->start[rank + 1] - c->start[rank];
		const struct rank_move m = { back ? rank : 0, back ? 0 : rank, 0, 0, n };

		for (int64_t k = 0, next = 0; listed && !back && next < n; k++)
			if (c->rank[k] == rank)
				room[next++] = listed[k];
		rank_move_elements(rows->group, m, back ? c->value : room, back ? room : c->value,
				   sizeof(*room));
		for (int64_t k = 0, next = 0; listed && back && next < n; k++)
			if (c->rank[k] == rank)
				listed[k] = room[next++];
	}
}

/* ---- (2) to (5): the rows ---- */

/* Copies of rows to 'out', where nothing has failed. */
static void gather_rows(struct rank_store *out, const struct rank_store *from, bool in_floats,
			const int64_t *row, int64_t n, struct error *err)
{
	if (err->code == ERR_NONE && in_floats)
		float_vectors_append(&out->floats, &from->floats, row, n, err);
	else if (err->code == ERR_NONE)
		csr_gather(&out->doubles, &from->doubles, row, n, err);
}

/* (2): room for the rows of all ranks */
static void make_room(const struct rank_rows *rows, const struct rank_choice *c, bool in_floats,
		      struct rank_store *all, struct error *err)
{
	const struct float_vectors *form = &rows->floats;

	if (in_floats) {
		float_vectors_make_room(&all->floats, form, c->n,
					form->dense ? c->n * form->n_cols : c->n_entries, err);
	} else if (csr_reserve(&all->doubles, c->n, c->n_entries, err) == 0) {
		all->doubles.n_rows = c->n;
		all->doubles.n_cols = rows->own.n_cols;
	}
}

/* (4): the rows of each rank, to 'all' of rank 0 or of all ranks */
static void move(struct rank_rows *rows, const struct rank_choice *c, bool in_floats, int to,
		 const struct rank_store *own, const struct rank_store *all)
{
	const struct row_arrays mine = arrays_of(own, in_floats),
				theirs = arrays_of(all, in_floats);

	for (int rank = 0; rank < rows->group->size; rank++) {
		const int64_t first = c->start[rank], n = c->start[rank + 1] - first;

		rank_move_rows(rows->group, (struct rank_move){ rank, to, 0, first, n }, &mine,
			       &theirs);
	}
}

/* (5): each row of the list is the next one of its rank */
static void order(const struct rank_choice *c, const struct rank_rows *rows, bool in_floats,
		  const struct rank_store *all, struct rank_store *out, struct error *err)
{
	int64_t *next = mem_copy(c->start, rows->group->size, sizeof(*next), err);
	int64_t *at = mem_array(c->n, sizeof(*at), err);

	for (int64_t k = 0; next && at && k < c->n; k++)
		at[k] = next[c->rank[k]]++;
	gather_rows(out, all, in_floats, at, c->n, err);
	mem_free_all(next, at);
}

bool rank_choice_collect(const struct rank_choice *c, struct rank_rows *rows, bool in_floats,
			 int to, struct rank_store *out, struct error *err)
{
	const bool receives = to == RANK_ALL || rows->group->rank == to;
	const struct rank_store here = { rows->floats, rows->own };
	struct rank_store own = { 0 }, all = { 0 };
	bool goes_on;

	gather_rows(&own, &here, in_floats, c->own, c->n_own, err);
	if (receives)
		make_room(rows, c, in_floats, &all, err);
	goes_on = rank_agree(rows, err);
	if (goes_on)
		move(rows, c, in_floats, to, &own, &all);
	if (goes_on && receives)
		order(c, rows, in_floats, &all, out, err);
	rank_store_free(&own);
	rank_store_free(&all);
	return goes_on;
}

/* ---- rows for rank 0 ---- */

static int gather(struct rank_rows *rows, const int64_t *row, int64_t n, bool in_floats,
		  struct rank_store *out, struct error *err)
{
	struct rank_choice c;

	rank_announce(rows->group,
		      (struct rank_message){ .command = RANK_GATHER, .in_floats = in_floats });
	rank_choice_init(&c, rows, row, n, err);
	rank_choice_collect(&c, rows, in_floats, 0, out, err);
	rank_choice_free(&c);
	return err->code == ERR_NONE ? 0 : -1;
}

int rank_rows_gather(struct rank_rows *rows, const int64_t *row, int64_t n, struct csr *out,
		     struct error *err)
{
	struct rank_store found = { 0 };
	int ret = gather(rows, row, n, false, &found, err);

	*out = found.doubles;
	return ret;
}

int rank_rows_gather_floats(struct rank_rows *rows, const int64_t *row, int64_t n,
			    struct float_vectors *out, struct error *err)
{
	struct rank_store found = { .floats = *out };
	int ret = gather(rows, row, n, true, &found, err);

	*out = found.floats;
	return ret;
}
