/*
 * rank_reading.c - rows that all ranks read, or that rank 0 reads and deals to them as they come
 *
 * In either way part k is that of rank k mod size, which adds its rows to those that it has got; in
 * the end all ranks settle (rank_rows.h).
 *
 * Reading.  Numbers of lines are known to who reads all lines before.  A malformed line, and an integer
 * that is rounded, end the reading by parts, therefore, and rank 0 reads the file alone and tells.
 *
 * Dealing.  Each batch that rank 0 reads goes to one rank:
 *
 *     rank 0                            the rank whose turn it is
 *     numbers of rows and entries  -->
 *                                  <--  has it memory for them?
 *     the rows                     -->  if so
 *
 * A rank that has none takes no more rows, and tells as the ranks settle.  A batch without rows ends
 * the dealing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_reading.h"

#include <stdio.h>

#include "base/arithmetic.h"
#include "io/text_part.h"
#include "ranks/rank_messages.h"

/* Parts for each rank, where the file has so many of the least size. */
#define PARTS_A_RANK 8

/* What rank 0 tells the others. */
struct order {
	struct rows_options options;
	struct text_file file;
	int64_t n_parts; /* parts of the file; 0: rows are dealt */
	char path[RANK_FOLDER];
};

/* ---- reading ---- */

/* Read the part rows->getting; the last one has the bytes that are left over. */
static void read_part(struct rank_rows *rows, const struct order *o, struct error *err)
{
	const struct rows_visitor visitor = { .deliver = rank_rows_add, .arg = rows };
	const int64_t size = o->file.size / o->n_parts, first = rows->getting * size;
	const int64_t end = rows->getting + 1 < o->n_parts ? first + size : o->file.size;
	struct input *input;

	if (text_part_open(&input, o->path, &o->file, first, end, err) < 0)
		return;
	if (rows_scan(input, &o->options, &visitor, rows->n_threads, err) == 0 &&
	    rows->got.has_rounded)
		error_set(err, ERR_FORMAT, "%s: an integer is rounded", o->path);
	input_close(input);
}

/* The parts of this rank. */
static void read_parts(struct rank_rows *rows, const struct order *o, struct error *err)
{
	rows->getting = rows->group->rank;
	for (; rows->getting < o->n_parts && err->code == ERR_NONE;
	     rows->getting += rows->group->size)
		read_part(rows, o, err);
	rows->getting = o->n_parts - 1;
}

/* ---- dealing ---- */

struct piece {
	int64_t n_rows, n_entries, part;
};

/* Rows of a batch, with labels in place of norms, from rank 0 to another; both make this call. */
static void move_batch(struct rank_group *g, const struct row_batch *b, int64_t n, int to)
{
	const struct row_arrays a = { .start = b->row_start,
				      .col = b->index,
				      .val = b->value,
				      .norm2 = b->label,
				      .value_size = sizeof(*b->value),
				      .norm_size = sizeof(*b->label) };

	rank_move_rows(g, (struct rank_move){ 0, to, 0, 0, n }, &a, &a);
}

/* On another rank, until there are no more. */
static void take_rows(struct rank_rows *rows, struct error *err)
{
	struct rank_group *g = rows->group;
	struct row_batch b = { 0 };
	struct piece p;
	bool has_room;

	do {
		rank_group_receive(g, 0, &p, sizeof(p));
		has_room = err->code == ERR_NONE &&
			   row_batch_reserve(&b, p.n_rows, p.n_entries, false, err) == 0;
		rank_group_send(g, 0, &has_room, sizeof(has_room));
		rows->getting = p.part;
		if (has_room) {
			move_batch(g, &b, p.n_rows, g->rank);
			b.n_rows = p.n_rows;
			rank_rows_add(rows, &b, NULL, err);
		}
	} while (p.n_rows > 0);
	row_batch_free(&b);
}

/* On rank 0: rows of the part rows->getting to another rank. */
static void send_rows(const struct rank_rows *rows, int to, const struct row_batch *b)
{
	const struct piece p = { b->n_rows, b->n_entries, rows->getting };
	bool has_room;

	rank_group_send(rows->group, to, &p, sizeof(p));
	rank_group_receive(rows->group, to, &has_room, sizeof(has_room));
	if (has_room)
		move_batch(rows->group, b, b->n_rows, to);
}

struct dealing {
	struct rank_rows *rows;
	int64_t n, block; /* rows so far, and those after which the next part begins */
};

/* A visitor's function: the batch, which has at most 'block' rows, to the rank whose turn it is. */
static int deal_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct dealing *s = arg;
	struct rank_rows *rows = s->rows;
	int to;

	rows->getting = s->n / s->block;
	s->n += b->n_rows;
	rows->data->has_qid |= b->has_qid;
	rows->data->has_rounded |= b->rounded.line > 0;
	to = (int)(rows->getting % rows->group->size);
	if (to == 0)
		return rank_rows_add(rows, b, user, err);
	if (b->n_rows > 0)
		send_rows(rows, to, b);
	return 0;
}

static void deal_rows(struct rank_rows *rows, const struct rank_reading *reading, struct error *err)
{
	struct dealing s = { .rows = rows, .block = reading->block };
	const struct rows_visitor visitor = { .deliver = deal_batch,
					      .arg = &s,
					      .progress = reading->progress };
	const int n_threads = rows->group->one_thread ? 1 : rows->n_threads;
	struct rows_options options = reading->options;
	const struct row_batch none = { 0 };

	options.max_rows = reading->block;
	if (rows_scan(reading->input, &options, &visitor, n_threads, err) == 0 && s.n == 0)
		error_set(err, ERR_FORMAT, "%s: no examples", input_name(reading->input));
	for (int rank = 1; rank < rows->group->size; rank++)
		send_rows(rows, rank, &none);
}

/* ---- both ---- */

/* On all ranks: rows by the order, which rank 0 has, in place of what there was. */
static int get_rows(struct rank_rows *rows, struct dataset *d, struct order *o,
		    const struct rank_reading *reading, struct error *err)
{
	rank_rows_drop(rows);
	rows->data = d;
	rank_group_broadcast(rows->group, o, sizeof(*o));
	if (o->n_parts > 0)
		read_parts(rows, o, err);
	else if (reading)
		deal_rows(rows, reading, err);
	else
		take_rows(rows, err);
	return rank_rows_settle(rows, err);
}

int rank_rows_read(struct rank_rows *rows, struct dataset *d, const struct rank_reading *reading,
		   struct error *err)
{
	const struct rank_message message = { .command = RANK_READ };
	struct rank_group *g = rows->group;
	struct order o = { .options = reading->options };

	if (reading->path &&
	    snprintf(o.path, sizeof(o.path), "%s", reading->path) < (int)sizeof(o.path) &&
	    text_file_look(&o.file, o.path))
		o.n_parts = int64_min(o.file.size / reading->least, g->size * PARTS_A_RANK);
	if (o.n_parts > 1) {
		rank_announce(g, message);
		if (get_rows(rows, d, &o, reading, err) == 0 || err->code != ERR_FORMAT)
			return err->code == ERR_NONE ? 0 : -1;
		/* only who reads all lines can tell the number of one that is malformed */
		*err = (struct error){ 0 };
	}
	o.n_parts = 0;
	rank_announce(g, message);
	return get_rows(rows, d, &o, reading, err);
}

void rank_reading_serve(struct rank_rows *rows)
{
	struct error err = { 0 };
	struct order o;

	get_rows(rows, NULL, &o, NULL, &err);
}
