/*
 * csv_rows.c - a table of delimited text, whose columns are known, as batches of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/csv_rows.h"

/* Rows of a batch. */
enum { BATCH_ROWS = 512 };

/* The next rows, none at the end; the first record tells the order of the columns. */
static int fill(struct csv_columns *c, struct csv_reader *r, struct row_batch *to, int64_t max_rows,
		struct error *err)
{
	struct csv_record record;
	int got = row_batch_reserve(to, 0, 0, false, err) < 0 ? -1 : 1;

	while (got > 0 && to->n_rows < max_rows && (got = csv_read(r, &record, err)) > 0) {
		const bool is_first = c->n_fields == 0;
		const bool is_heading = is_first && !csv_columns_numbered(c);

		if ((is_first &&
		     csv_columns_fit(c, is_heading ? &record : NULL, record.n, err) < 0) ||
		    (!is_heading && csv_columns_row(c, &record, to, err) < 0))
			return -1;
	}
	return got;
}

int csv_rows_scan(struct csv_columns *c, struct input *from, int64_t max_rows,
		  const struct rows_visitor *v, struct error *err)
{
	struct csv_reader r = { .text.from = from,
				.name = input_name(from),
				.decimal_comma = c->decimal_comma };
	struct row_batch rows = { 0 };
	int got = text_window_more(&r.text, err) < 0 ? -1 : 1;

	c->name = r.name;
	c->accept_unlabelled = true;
	c->n_fields = 0; /* the order of the columns is this table's */
	r.delimiter = csv_skip_head(&r);
	if (got > 0 && !r.delimiter)
		got = error_set(err, ERR_FORMAT, "%s: put tabs between the columns", c->name);
	while (got > 0) {
		got = fill(c, &r, &rows, max_rows > 0 ? max_rows : BATCH_ROWS, err);
		if (got >= 0 && rows.n_rows > 0 &&
		    ((v->work && v->work(v->arg, &rows, v->users, err) < 0) ||
		     (v->deliver && v->deliver(v->arg, &rows, v->users, err) < 0)))
			got = -1;
	}
	row_batch_free(&rows);
	csv_reader_free(&r);
	return got;
}
