/*
 * labelled_rows.c - rows in memory that can be written as they were: with the text of their labels
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/labelled_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

static int keep_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct labelled_rows *r = arg;
	struct dataset *d = &r->data;
	int64_t n = d->x.n_rows;

	(void)user;
	r->has_text = batch->has_text;
	if (mem_grow(&d->y, &d->labels_capacity, n + batch->n_rows, sizeof(*d->y), err) < 0 ||
	    (r->has_text && mem_grow(&r->place, &r->places_capacity, n + batch->n_rows,
				     sizeof(*r->place), err) < 0) ||
	    csr_append(&d->x, batch->n_rows, batch->row_start, batch->index, batch->value, err) < 0)
		return -1;
	for (int64_t i = 0; i < batch->n_rows; i++) {
		d->y[n + i] = batch->label[i];
		if (r->has_text && keep_text(r, &batch->text[i], &r->place[n + i], err) < 0)
			return -1;
	}
	if (batch->max_index > d->max_index)
		d->max_index = batch->max_index;
	return 0;
}

int labelled_rows_read(struct labelled_rows *r, struct input *input,
		       const struct rows_options *options, const struct progress_observer *progress,
		       int n_threads, struct error *err)
{
	struct rows_visitor visitor = { .deliver = keep_batch, .arg = r };

	if (progress)
		visitor.progress = *progress;
	if (rows_scan(input, options, &visitor, n_threads, err) < 0)
		return -1;
	if (r->data.x.n_rows == 0)
		return error_set(err, ERR_FORMAT, "%s: no examples", input_name(input));
	return 0;
}

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
	const struct csr *x = &r->data.x;
	int64_t n_entries = 0;

	for (int64_t k = first; k < first + n; k++) {
		int64_t i = row ? row[k] : k;

		n_entries += x->row_start[i + 1] - x->row_start[i];
	}
	if (row_batch_reserve(batch, n, n_entries, r->has_text, err) < 0)
		return -1;
	for (int64_t k = first; k < first + n; k++) {
		int64_t i = row ? row[k] : k, start = x->row_start[i];
		int64_t count = x->row_start[i + 1] - start, at = batch->n_entries;

		if (count > 0) {
			memcpy(batch->index + at, x->col + start, (size_t)count * sizeof(*x->col));
			memcpy(batch->value + at, x->val + start, (size_t)count * sizeof(*x->val));
		}
		if (r->has_text)
			batch->text[batch->n_rows] = text_of(r, i);
		batch->label[batch->n_rows] = r->data.y[i];
		batch->n_entries += count;
		batch->row_start[++batch->n_rows] = batch->n_entries;
	}
	batch->max_index = r->data.max_index;
	return 0;
}

void labelled_rows_free(struct labelled_rows *r)
{
	dataset_free(&r->data);
	free(r->text.bytes);
	free(r->place);
	*r = (struct labelled_rows){ 0 };
}
