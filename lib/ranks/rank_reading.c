/*
 * rank_reading.c - rows that all ranks read, or that rank 0 reads and deals to them as they come
 *
 * In either way each rank adds the rows of its parts to those that it has got; in the end all ranks
 * settle (rank_rows.h).
 *
 * Reading.  Rank 0 cuts the files into pieces (1) and looks which rank reads each of them (2), and all
 * ranks learn that (3):
 *
 *     files      | ----------- text ----------- | -- gzip -- | ---- text ---- |
 *     pieces     |    0    |    1    |    2     |     3      |   4   |   5    |
 *     rank            0         1         0           1          0       0
 *
 * Numbers of lines are known to who reads all lines before.  A malformed line, and an integer that is
 * rounded, end the reading by pieces, therefore, and rank 0 reads the files alone and tells.
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

#include "io/binary.h"
#include "linear/linear_rows.h"
#include "ranks/rank_messages.h"

/* Pieces for each rank, where the files have so many of the least size. */
#define PIECES_A_RANK 8

/* A piece of a file, which a rank reads. */
struct piece {
	struct file_stamp stamp; /* file that it is of */
	int64_t name;		 /* where its name begins among the names */
	int64_t first, end;	 /* bytes */
	int64_t rank;
};

/*
 * What all ranks read, in the order of the rows; without pieces rows are dealt.  The first three fields
 * are sent before the others.
 */
struct pieces {
	struct rows_options options;
	int64_t n, n_names; /* pieces, and bytes of names, with a byte 0 behind each */
	struct piece *piece;
	char *names;
	int64_t capacity, names_capacity;
};

/* ---- who reads what ---- */

/*
 * Length of a piece of the binary form, in pieces of text: the least one is a block, and a rank, which
 * goes over the blocks of the others for each of its pieces, has two where the files are large.  Those of
 * lists are as short as of text.
 */
#define BINARY_LENGTH 4

/* (1): pieces of a file, of about 'size' bytes where it can be cut; false where only rank 0 can read it */
static bool cut_file(struct pieces *p, const char *name, int64_t size, bool by_lists,
		     struct error *err)
{
	const int64_t length = (int64_t)strlen(name) + 1;
	struct piece piece = { .name = p->n_names };
	int64_t n = 0;

	if (!file_stamp_take(&piece.stamp, name))
		return false;
	if (file_stamp_is_text(&piece.stamp))
		n = piece.stamp.size / size;
	else if (piece.stamp.first_byte == BINARY_FIRST_BYTE)
		n = piece.stamp.size / (by_lists ? size : BINARY_LENGTH * size);
	n = int64_max(1, n);
	if (mem_grow(&p->piece, &p->capacity, p->n + n, sizeof(piece), err) < 0 ||
	    mem_grow(&p->names, &p->names_capacity, p->n_names + length, 1, err) < 0)
		return false;
	memcpy(p->names + p->n_names, name, (size_t)length);
	p->n_names += length;
	for (int64_t k = 1; k <= n; k++) {
		piece.first = piece.end;
		/* the last piece has the bytes that are left over */
		piece.end = k < n ? k * (piece.stamp.size / n) : piece.stamp.size;
		p->piece[p->n++] = piece;
	}
	return true;
}

/*
 * (2): each piece is of the rank that has the fewest bytes yet, or of that of the list in which its middle
 * would be, by bytes of the 'total'; false if a rank would have none, of the first LINEAR_LISTS by lists
 */
static bool choose_ranks(struct pieces *p, int size, int64_t total, struct error *err)
{
	int64_t *bytes = mem_zeroed(size, sizeof(*bytes), err), n_used = 0, done = 0;

	for (int64_t k = 0; bytes && k < p->n; k++) {
		struct piece *piece = &p->piece[k];
		const int64_t n = piece->end - piece->first;

		for (int rank = 1; rank < size; rank++)
			if (bytes[rank] < bytes[piece->rank])
				piece->rank = rank;
		if (total > 0)
			piece->rank = linear_range_of(done + n / 2, total) % LINEAR_LISTS % size;
		bytes[piece->rank] += n;
		done += n;
		n_used += n > 0;
	}
	mem_free(bytes);
	return n_used >= (total > 0 ? int64_min(size, LINEAR_LISTS) : size);
}

/* On rank 0: all pieces, or none. */
static void make_pieces(struct pieces *p, const struct rank_reading *reading, int size,
			struct error *err)
{
	const struct data_files *files = reading->files;
	int64_t taken, total, piece_size;
	bool can = files;

	input_position(reading->input, &taken, &total);
	piece_size = int64_max(reading->least,
			       total / (reading->by_lists ? LINEAR_RANGES : size * PIECES_A_RANK));
	for (int64_t i = 0; can && i < files->n; i++)
		can = cut_file(p, files->file[i], piece_size, reading->by_lists, err);
	if (!can || !choose_ranks(p, size, reading->by_lists ? total : 0, err))
		p->n = 0;
}

/* (3): on all ranks: the pieces of rank 0; false where a rank has no memory for them */
static bool share_pieces(struct pieces *p, struct rank_rows *rows, struct error *err)
{
	struct rank_group *g = rows->group;

	rank_group_broadcast(g, p, offsetof(struct pieces, piece));
	mem_grow(&p->piece, &p->capacity, p->n, sizeof(*p->piece), err);
	mem_grow(&p->names, &p->names_capacity, p->n_names, 1, err);
	if (!rank_agree(rows, err))
		return false;
	rank_group_broadcast(g, p->piece, p->n * (int64_t)sizeof(*p->piece));
	rank_group_broadcast(g, p->names, p->n_names);
	return true;
}

/* ---- reading ---- */

static void read_piece(struct rank_rows *rows, const struct pieces *p, const struct piece *piece,
		       struct error *err)
{
	const struct rows_visitor visitor = { .deliver = rank_rows_add, .arg = rows };
	const char *name = p->names + piece->name;
	const bool is_text = file_stamp_is_text(&piece->stamp);
	struct rows_options options = p->options;
	struct input *input;

	/* text is cut between lines; the blocks of the binary form are found from its beginning on */
	if (text_part_open(&input, name, &piece->stamp, is_text ? piece->first : 0,
			   is_text ? piece->end : piece->stamp.size, err) < 0)
		return;
	options.first = piece->first;
	options.end = piece->end;
	if (rows_scan(input, &options, &visitor, rows->n_threads, err) == 0 &&
	    rows->got.has_rounded)
		error_set(err, ERR_FORMAT, "%s: an integer is rounded", name);
	input_close(input);
}

/* All parts are opened, and those of this rank are read. */
static void read_pieces(struct rank_rows *rows, const struct pieces *p, struct error *err)
{
	for (int64_t k = 0; k < p->n && err->code == ERR_NONE; k++)
		if (rank_rows_open(rows, p->piece[k].rank, err) == 0 &&
		    p->piece[k].rank == rows->group->rank)
			read_piece(rows, p, &p->piece[k], err);
}

/* ---- dealing ---- */

/* Rows of a batch, which are of the last of so many parts. */
struct rows_ahead {
	int64_t n_rows, n_entries, n_parts;
};

/* So many parts, which are of the ranks in turn. */
static void open_in_turn(struct rank_rows *rows, int64_t n_parts, struct error *err)
{
	while (rows->n_parts < n_parts && err->code == ERR_NONE)
		rank_rows_open(rows, rows->n_parts % rows->group->size, err);
}

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
	struct rows_ahead p;
	bool has_room;

	do {
		rank_group_receive(g, 0, &p, sizeof(p));
		open_in_turn(rows, p.n_parts, err);
		has_room = err->code == ERR_NONE &&
			   row_batch_reserve(&b, p.n_rows, p.n_entries, false, err) == 0;
		rank_group_send(g, 0, &has_room, sizeof(has_room));
		if (has_room && p.n_rows > 0) {
			move_batch(g, &b, p.n_rows, g->rank);
			b.n_rows = p.n_rows;
			rank_rows_add(rows, &b, NULL, err);
		}
	} while (p.n_rows > 0);
	row_batch_free(&b);
}

/* On rank 0: rows of the last part to another rank. */
static void send_rows(const struct rank_rows *rows, int to, const struct row_batch *b)
{
	const struct rows_ahead p = { b->n_rows, b->n_entries, rows->n_parts };
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

	open_in_turn(rows, s->n / s->block + 1, err);
	if (err->code != ERR_NONE)
		return -1;
	s->n += b->n_rows;
	rows->data->has_qid |= b->has_qid;
	rows->data->has_rounded |= b->rounded.line > 0;
	to = (int)rows->part[rows->n_parts - 1].rank;
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
		error_set(err, ERR_FORMAT, "%s: no examples", input_whole_name(reading->input));
	for (int rank = 1; rank < rows->group->size; rank++)
		send_rows(rows, rank, &none);
}

/* ---- both ---- */

/* On all ranks: rows by the pieces, which rank 0 has, in place of what there was. */
static int get_rows(struct rank_rows *rows, struct dataset *d, struct pieces *p,
		    const struct rank_reading *reading, struct error *err)
{
	if (reading)
		rank_announce(rows->group, (struct rank_message){ .command = RANK_READ });
	rank_rows_drop(rows);
	if (!share_pieces(p, rows, err))
		return -1;
	rows->data = d;
	if (p->n > 0)
		read_pieces(rows, p, err);
	else if (reading)
		deal_rows(rows, reading, err);
	else
		take_rows(rows, err);
	return rank_rows_settle(rows, err);
}

int rank_rows_read(struct rank_rows *rows, struct dataset *d, const struct rank_reading *reading,
		   struct error *err)
{
	struct pieces p = { .options = reading->options };
	int ret;

	make_pieces(&p, reading, rows->group->size, err);
	ret = get_rows(rows, d, &p, reading, err);
	if (ret < 0 && err->code == ERR_FORMAT && p.n > 0) {
		/* only who reads all lines can tell the number of one that is malformed */
		*err = (struct error){ 0 };
		p.n = 0;
		ret = get_rows(rows, d, &p, reading, err);
	}
	if (ret == 0 && p.n > 0 && reading->by_lists)
		ret = rank_rows_arrange(rows, err);
	mem_free_all(p.piece, p.names);
	return ret;
}

void rank_reading_serve(struct rank_rows *rows)
{
	struct pieces p = { 0 };
	struct error err = { 0 };

	get_rows(rows, NULL, &p, NULL, &err);
	mem_free_all(p.piece, p.names);
}
