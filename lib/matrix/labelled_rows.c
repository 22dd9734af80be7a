/*
 * labelled_rows.c - rows in memory that can be written as they were: with the text of their labels
 *
 * How this works.  A batch's texts point into the input's text, which goes when the batch is
 * delivered.  So the label, qid and comment of each row are copied, one after another, to the end
 * of one long text, and a place for each row keeps where they begin and their lengths.  When rows
 * are handed out again the places become pointers into that text, which by then has stopped moving.
 *
 * Layout of the texts of three rows, the second of which has no comment and the third no qid:
 *
 *      text    | +1 | qid:1 | # first | -1 | qid:1 | +1 | # last |
 *      place   start, lengths of label, qid and comment of each row; a length of 0: no such text
 *
 * The order of the three parts is fixed, so one start for each row is enough.  Batches come in the
 * order of the input, on one thread at a time (io/rows.h), so no lock is needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/labelled_rows.h"

/* Copy the texts of a row to the end of r->text.  A text that is missing has length 0. */
static int keep_text(struct labelled_rows *r, const struct row_text *t,
		     struct row_text_place *place, struct error *err)
{
	if (byte_buffer_reserve(&r->text, t->label.length + t->qid.length + t->comment.length,
				err) < 0)
		return -1;
	*place = (struct row_text_place){ r->text.size, (int32_t)t->label.length,
					  (int32_t)t->qid.length, t->comment.length };
	byte_buffer_add(&r->text, t->label.start, t->label.length);
	byte_buffer_add(&r->text, t->qid.start, t->qid.length);
	byte_buffer_add(&r->text, t->comment.start, t->comment.length);
	return 0;
}

int labelled_rows_add(void *rows, struct row_batch *batch, void *user UNUSED, struct error *err)
{
	struct labelled_rows *r = rows;
	int64_t n = r->data.x.n_rows;

	r->has_text = batch->has_text; /* all batches of an input have texts, or none has */
	if (r->has_text &&
	    mem_grow(&r->place, &r->places_capacity, n + batch->n_rows, sizeof(*r->place), err) < 0)
		return -1;
	for (int64_t i = 0; r->has_text && i < batch->n_rows; i++)
		if (keep_text(r, &batch->text[i], &r->place[n + i], err) < 0)
			return -1;
	return dataset_append(&r->data, batch, err); /* last: a row that counts has its text */
}

/* The texts of row i as pointers; NULL for a text of length 0, as the reader leaves it. */
static struct row_text text_of(const struct labelled_rows *r, int64_t i)
{
	const struct row_text_place *p = &r->place[i];
	const char *start = r->text.bytes + p->start;
	struct row_text t = { 0 };

	if (p->label > 0)
		t.label = (struct text_span){ start, p->label };
	if (p->qid > 0)
		t.qid = (struct text_span){ start + p->label, p->qid };
	if (p->comment > 0)
		t.comment = (struct text_span){ start + p->label + p->qid, p->comment };
	return t;
}

int labelled_rows_batch(struct row_batch *batch, const struct labelled_rows *r, const int64_t *row,
			int64_t first, int64_t n, struct error *err)
{
	if (row_batch_reserve(batch, n, 0, r->has_text, err) < 0)
		return -1;
	for (int64_t k = first; k < first + n; k++) {
		const int64_t i = row ? row[k] : k;
		const struct csr_row x = csr_row_of(&r->data.x, i);

		if (row_batch_reserve_entries(batch, x.n, err) < 0)
			return -1;
		for (int64_t e = 0; e < x.n; e++)
			row_batch_put(batch, x.col[e], x.val[e]);
		if (r->has_text)
			batch->text[batch->n_rows] = text_of(r, i);
		batch->label[batch->n_rows] = r->data.y[i];
		batch->row_start[++batch->n_rows] = batch->n_entries;
	}
	/* an upper bound: the largest index of all rows, not only of the rows kept */
	batch->max_index = r->data.max_index;
	batch->has_qid = r->data.has_qid;
	return 0;
}

void labelled_rows_free(struct labelled_rows *r)
{
	dataset_free(&r->data);
	mem_free_all(r->text.bytes, r->place);
	*r = (struct labelled_rows){ 0 };
}
