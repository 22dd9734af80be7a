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
 * rank_move_rows() sends, receives or broadcasts the arrays in this order.  Both ends call it, and
 * so agree about the order and the sizes of messages; no message has a length in it.  The arrays
 * that are NULL are the same at both ends, as they follow from the form that was announced before.
 *
 * The starts (1) of the sender count from the sender's first value, those of the receiver from the
 * receiver's.  So (1) goes first: only then does the receiver know how many values follow.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_messages.h"

#include <string.h>

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

int64_t row_arrays_values(const struct row_arrays *a, int64_t first, int64_t n)
{
	/* number of values by (1); rows without starts have n_cols values each */
	return a->start ? a->start[first + n] - a->start[first] : n * a->n_cols;
}

void row_arrays_copy(const struct row_arrays *to, int64_t at, const struct row_arrays *from,
		     int64_t n)
{
	const int64_t n_values = row_arrays_values(from, 0, n);
	const int64_t first = to->start ? to->start[at] : at * to->n_cols;

	for (int64_t i = 0; to->start && i <= n; i++)
		to->start[at + i] = first + from->start[i] - from->start[0];
	if (to->col)
		memcpy(to->col + first, from->col, (size_t)n_values * sizeof(*to->col));
	memcpy((char *)to->val + first * to->value_size, from->val,
	       (size_t)(n_values * to->value_size));
	if (to->norm2)
		memcpy((char *)to->norm2 + at * to->norm_size, from->norm2,
		       (size_t)(n * to->norm_size));
}

/* Move bytes of a rank to another, or to all; each of these ranks makes the same call. */
static void transfer(struct rank_group *g, int from, int to, void *data, int64_t n_bytes)
{
	if (to == RANK_ALL)
		rank_group_share(g, from, data, n_bytes);
	else if (g->rank == from)
		rank_group_send(g, to, data, n_bytes);
	else
		rank_group_receive(g, from, data, n_bytes);
}

/* Move the starts of the rows; the receiver adds the difference of its own first start. */
static void move_starts(struct rank_group *g, const struct row_arrays *a, int64_t first, int64_t n,
			int from, int to)
{
	/* the receiver's own first start, read before transfer() overwrites it */
	int64_t here = a->start[first], shift;

	transfer(g, from, to, a->start + first, (n + 1) * (int64_t)sizeof(*a->start));
	/* the shift of starts is 0 for a sender, whose array transfer() leaves alone */
	shift = here - a->start[first];
	for (int64_t i = first; shift != 0 && i <= first + n; i++)
		a->start[i] += shift;
}

void rank_move_rows(struct rank_group *g, const struct row_arrays *a, int64_t first, int64_t n,
		    int from, int to)
{
	int64_t at, n_values;

	if (n == 0)
		return;
	/* after this a->start[first + n] is right for the receiver, too, as (1) needs */
	if (a->start)
		move_starts(g, a, first, n, from, to);
	/* position of the first value to be moved */
	at = a->start ? a->start[first] : first * a->n_cols;
	n_values = row_arrays_values(a, first, n);
	if (a->col)
		transfer(g, from, to, a->col + at, n_values * (int64_t)sizeof(*a->col));
	transfer(g, from, to, (char *)a->val + at * a->value_size, n_values * a->value_size);
	if (a->norm2)
		transfer(g, from, to, (char *)a->norm2 + first * a->norm_size, n * a->norm_size);
}
