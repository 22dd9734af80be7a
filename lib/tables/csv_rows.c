/*
 * csv_rows.c - a table of delimited text, whose columns are known, as batches of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/csv_columns.h"

/* Rows of a batch. */
enum { BATCH_ROWS = 512 };

/* What read_row() returns for a record that is refused, where others may follow. */
enum { REFUSED = -2 };

/* The next record as a row, the first tells the order of the columns: 1, 0 at the end, REFUSED or -1. */
static int read_row(struct csv_columns *c, struct csv_reader *r, struct row_batch *to,
		    struct error *err)
{
	const bool is_first = c->n_fields == 0;
	const bool is_heading = is_first && !csv_columns_numbered(c);
	const int64_t line = r->line;
	struct csv_record record;
	const int got = csv_read(r, &record, err);

	if (got < 0 && r->line > line)
		return REFUSED;
	if (got > 0 && is_first &&
	    csv_columns_fit(c, is_heading ? &record : NULL, record.n, err) < 0)
		return -1;
	return got > 0 && !is_heading && csv_columns_row(c, &record, to, err) < 0 ? REFUSED : got;
}

/* Is there nothing to read just now, and no whole line that was read? */
static bool is_pause(const struct text_window *w)
{
	return !w->at_end &&
	       !memchr(w->buffer.bytes + w->next, '\n', (size_t)(w->buffer.size - w->next)) &&
	       input_would_wait(w->from);
}

int csv_rows_scan(struct csv_columns *c, struct input *from, int64_t max_rows,
		  const struct rows_visitor *v, struct error *err)
{
	struct csv_reader r = { .text.from = from,
				.text.in_pieces = v->pause != NULL,
				.text.any_bytes = v->refused != NULL,
				.name = input_name(from),
				.decimal_comma = c->decimal_comma };
	struct row_batch rows = { 0 };
	int got = csv_begin(&r, csv_columns_numbered(c) ? 1 : 2, err) < 0 ? -1 : 1;

	c->name = r.name;
	c->accept_unlabelled = true;
	c->n_fields = 0; /* the order of the columns is this table's */
	if (v->refused && c->missing == MISSING_DROPS)
		c->missing = MISSING_REFUSED;
	if (c->text_rule.delimiter > 0)
		r.delimiter = (char)c->text_rule.delimiter;
	if (got > 0 && !r.delimiter)
		got = error_set(err, ERR_FORMAT, "%s: put tabs between the columns", c->name);
	while (got > 0) {
		struct error fault = { 0 };

		got = row_batch_reserve(&rows, 0, 0, false, &fault) < 0 ? -1 : 1;
		while (got > 0 && rows.n_rows < (max_rows > 0 ? max_rows : BATCH_ROWS) &&
		       !(rows.n_rows > 0 && is_pause(&r.text)))
			got = read_row(c, &r, &rows, &fault);
		if (rows.n_rows > 0 &&
		    ((v->work && v->work(v->arg, &rows, v->users.first, err) < 0) ||
		     (v->deliver && v->deliver(v->arg, &rows, v->users.first, err) < 0)))
			got = -1;
		else if (got == REFUSED && v->refused && fault.code == ERR_FORMAT)
			got = v->refused(v->arg, &fault, err) < 0 ? -1 : 1;
		else if (got < 0)
			error_pass(err, &fault);
		if (got > 0 && v->pause && is_pause(&r.text) && v->pause(v->pause_arg, err) < 0)
			got = -1;
	}
	row_batch_free(&rows);
	csv_reader_free(&r);
	return got < 0 ? -1 : 0;
}
