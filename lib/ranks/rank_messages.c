/*
 * rank_messages.c - rows on their way between ranks
 *
 * How this works.  Rows of all forms are seen as up to four arrays (struct row_arrays), so that one
 * function moves rows in single or double precision, sparse or dense:
 *
 *     start   row i has values start[i] .. start[i + 1] - 1    NULL: a row has n_cols values   (1)
 *     col     column of each value                             NULL: value k is column k       (2)
 *     val     the values, value_size bytes each                                                (3)
 *     norm2   a number for each row, norm_size bytes each      NULL: rows have none            (4)
 *
 * rank_move_rows() moves the arrays in this order.  Both ends call it, and so agree about the order
 * and the sizes of messages; no message has a length in it.  The arrays that are NULL are the same
 * at both ends, as they follow from the form that was announced before.
 *
 * The starts (1) of the sender count from the sender's first value, those of the receiver from the
 * receiver's.  So (1) goes first: only then does the receiver know how many values follow.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_messages.h"

struct row_arrays row_arrays_of_floats(const struct float_vectors *v)
{
	return (struct row_arrays){ .n_cols = v->n_cols,
				    .start = v->start,
				    .col = v->col,
				    .val = v->val,
				    .norm2 = v->half_norm2,
				    .value_size = float_vectors_size(v),
				    .norm_size = float_vectors_norm_size(v) };
}

struct row_arrays row_arrays_of_csr(const struct csr *x)
{
	return (struct row_arrays){ .n_cols = x->n_cols,
				    .start = x->row_start,
				    .col = x->col,
				    .val = x->val,
				    .value_size = sizeof(double) };
}

/* Does this rank get what is moved? */
static bool gets(const struct rank_group *g, struct rank_move m)
{
	return m.to == RANK_ALL || m.to == g->rank;
}

void rank_move_elements(struct rank_group *g, struct rank_move m, const void *own, void *all,
			int64_t size)
{
	const bool has = g->rank == m.from;
	const char *from = (const char *)own + (has ? m.at * size : 0);
	char *to = (char *)all + (gets(g, m) ? m.first * size : 0);
	const int64_t n_bytes = m.n * size;

	if (has && gets(g, m) && n_bytes > 0)
		memcpy(to, from, (size_t)n_bytes);
	if (m.to == RANK_ALL)
		rank_group_share(g, m.from, to, n_bytes);
	else if (has && !gets(g, m))
		rank_group_send(g, m.to, from, n_bytes);
	else if (!has && gets(g, m))
		rank_group_receive(g, m.from, to, n_bytes);
}

/* (1): the starts of the rows, to which who gets them adds the end of the row before */
static void move_starts(struct rank_group *g, struct rank_move m, const int64_t *own, int64_t *all)
{
	const int64_t end = gets(g, m) ? all[m.first] : 0;
	int64_t shift;

	m.n++;
	rank_move_elements(g, m, own, all, sizeof(*all));
	shift = gets(g, m) ? end - all[m.first] : 0;
	for (int64_t i = 0; shift != 0 && i < m.n; i++)
		all[m.first + i] += shift;
}

void rank_move_rows(struct rank_group *g, struct rank_move m, const struct row_arrays *own,
		    const struct row_arrays *all)
{
	const bool has = g->rank == m.from;
	/* which arrays are NULL is the same at both ends */
	const struct row_arrays *here = has ? own : all;
	const int64_t row = has ? m.at : m.first;
	struct rank_move values = m;

	if (m.n == 0 || (!has && !gets(g, m)))
		return;
	if (here->start)
		move_starts(g, m, own->start, all->start);
	values.n = row_arrays_start(here, row + m.n) - row_arrays_start(here, row);
	values.at = has ? row_arrays_start(own, m.at) : 0;
	values.first = gets(g, m) ? row_arrays_start(all, m.first) : 0;
	if (here->col)
		rank_move_elements(g, values, own->col, all->col, sizeof(*here->col));
	rank_move_elements(g, values, own->val, all->val, here->value_size);
	if (here->norm2)
		rank_move_elements(g, m, own->norm2, all->norm2, here->norm_size);
}

void rank_announce(struct rank_group *g, struct rank_message m)
{
	if (g->rank == 0)
		rank_group_broadcast(g, &m, sizeof(m));
}
