/*
 * dataset.c - labelled examples in memory
 *
 * How this works.  Reading appends the batches of rows_scan() in their order.  Parsing runs on all
 * threads, appending on one at a time; it is a copy, and small beside the parsing.
 *
 * dataset_scan() shows the examples again to a visitor made for files: a pipeline (thread.h) whose
 * first step cuts the next rows off the matrix.  Such a batch borrows labels, indices and values
 * from the dataset; only its row_start is its own, since it counts from 0.
 *
 * What a batch from memory borrows, for rows next .. next + n - 1 of the dataset:
 *
 *      label        d->y + next                      borrowed
 *      weight       d->weight + next                 borrowed, where there are weights
 *      index        d->x.col + first                 borrowed, first = row_start[next]
 *      value        d->x.val + first                 borrowed
 *      row_start    row_start[next ..] - first       its own, n + 1 numbers
 *
 * A visitor may not change a batch, therefore, nor keep it; no entry is copied.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/dataset.h"

#include "base/thread.h"
#include "matrix/asked_kernel.h"
#include "matrix/row_groups.h"

/* Rows of a batch from memory: enough to make locks rare, few enough to occupy all threads. */
#define SLICE_ROWS 1024

void dataset_free(struct dataset *d)
{
	csr_free(&d->x);
	mem_free_all(d->y, d->weight, d->group);
	asked_kernel_free(d->asked);
	*d = (struct dataset){ 0 };
}

/* Numbers of 8 bytes, from[row[0]], from[row[1]], ...; NULL where 'from' is, or without memory. */
static void *gather_numbers(const void *from, const int64_t *row, int64_t n, struct error *err)
{
	char *to = from ? mem_array(n, 8, err) : NULL;

	for (int64_t i = 0; to && i < n; i++)
		memcpy(to + 8 * i, (const char *)from + 8 * row[i], 8);
	return to;
}

int dataset_gather(struct dataset *part, const struct dataset *d, const int64_t *row, int64_t n,
		   struct error *err)
{
	*part = (struct dataset){ .asked = d->asked,
				  .max_index = d->max_index,
				  .has_qid = d->has_qid,
				  .has_rounded = d->has_rounded };
	if (d->asked)
		atomic_fetch_add(&d->asked->n_users, 1);
	part->y = gather_numbers(d->y, row, n, err);
	part->weight = gather_numbers(d->weight, row, n, err);
	part->group = gather_numbers(d->group, row, n, err);
	if (!part->y || (d->weight && !part->weight) || (d->group && !part->group) ||
	    csr_gather(&part->x, &d->x, row, n, err) < 0) {
		dataset_free(part);
		return -1;
	}
	/* so that rows can be appended to the part as to any dataset */
	part->labels_capacity = n;
	return 0;
}

int dataset_append(void *dataset, const struct row_batch *b, struct error *err)
{
	struct dataset *d = dataset;
	int64_t old = d->x.n_rows;

	/* labels first: where the rows fail, n_rows is the old one, and both still fit */
	if (mem_grow(&d->y, &d->labels_capacity, old + b->n_rows, sizeof(double), err) < 0 ||
	    csr_append(&d->x, b->n_rows, b->row_start, b->index, b->value, err) < 0)
		return -1;
	if (b->n_rows > 0)
		memcpy(d->y + old, b->label, (size_t)b->n_rows * sizeof(double));
	d->max_index = int64_max(d->max_index, b->max_index);
	d->has_qid |= b->has_qid;
	d->has_rounded |= b->rounded.line > 0;
	return 0;
}

/* A data set that is being read. */
struct reading {
	struct dataset *d;
	struct row_groups groups; /* groups of the rows so far, if they are by qid */
	const char *source;
	bool by_qid, if_any;
};

/* A visitor's function: the batch joins the dataset. */
static int append_batch(void *arg, struct row_batch *b, void *user UNUSED, struct error *err)
{
	struct reading *r = arg;

	/* a row without qid has them all left out */
	r->if_any &= b->has_qid;
	if ((r->by_qid || r->if_any) && row_groups_add_qids(&r->groups, b, r->source, err) < 0) {
		if (r->by_qid || err->code != ERR_FORMAT)
			return -1;
		*err = (struct error){ 0 };
		r->if_any = false;
	}
	return dataset_append(r->d, b, err);
}

int dataset_read(struct dataset *d, struct input *input, const struct rows_options *options,
		 const struct progress_observer *progress, int n_threads, struct error *err)
{
	struct reading reading = { .d = d,
				   .source = input_whole_name(input),
				   .by_qid = options->groups_by_qid,
				   .if_any = options->groups_if_any };
	struct rows_visitor visitor = { .deliver = append_batch, .arg = &reading };
	struct rows_options kept = *options;
	int ret;

	if (progress)
		visitor.progress = *progress;
	kept.keep_text |= options->groups_by_qid || options->groups_if_any;
	ret = rows_scan(input, &kept, &visitor, n_threads, err);
	if (ret == 0 && d->x.n_rows == 0)
		ret = error_set(err, ERR_FORMAT, "%s: no examples", reading.source);
	if (ret < 0) {
		row_groups_free(&reading.groups);
		dataset_free(d);
		return -1;
	}
	/* arrays grew by half, or an eighth, each time: up to a third of them is room */
	csr_shrink(&d->x);
	mem_shrink(&d->y, &d->labels_capacity, d->x.n_rows, sizeof(double));
	if (reading.by_qid || reading.if_any)
		row_groups_give(&reading.groups, d);
	row_groups_free(&reading.groups);
	return 0;
}

/* ---- Scanning again, from memory ---- */

/* A scan of a dataset: the next row that no batch has. */
struct slicing {
	const struct dataset *d;
	const struct rows_visitor *visitor;
	int64_t next;
};

/* A batch that owns its row_start only. */
struct slice {
	struct row_batch batch;
	void *user;
};

/* The next rows: 1, or 0 at the end. */
static int take_slice(void *arg, void *slot, struct error *err)
{
	struct slicing *s = arg;
	struct row_batch *b = &((struct slice *)slot)->batch;
	int64_t left = s->d->x.n_rows - s->next, first;

	if (left == 0)
		return 0;
	b->n_rows = int64_min(left, SLICE_ROWS);
	if (mem_grow(&b->row_start, &b->capacity.starts, b->n_rows + 1, sizeof(int64_t), err) < 0)
		return -1;
	/* a batch counts its entries from 0, the dataset from its first row */
	first = s->d->x.row_start[s->next];
	for (int64_t i = 0; i <= b->n_rows; i++)
		b->row_start[i] = s->d->x.row_start[s->next + i] - first;
	b->n_entries = b->row_start[b->n_rows];
	b->max_index = s->d->max_index; /* upper bound: largest index of all rows */
	b->label = s->d->y + s->next;
	b->weight = s->d->weight ? s->d->weight + s->next : NULL;
	b->index = s->d->x.col + first;
	b->value = s->d->x.val + first;
	s->next += b->n_rows;
	return 1;
}

/* The visitor's work on a batch, on any thread. */
static int work_on_slice(void *arg, void *slot, struct error *err)
{
	const struct rows_visitor *v = ((struct slicing *)arg)->visitor;
	struct slice *s = slot;

	return v->work ? v->work(v->arg, &s->batch, s->user, err) : 0;
}

/* The visitor gets the batch, in order, on one thread at a time. */
static int deliver_slice(void *arg, void *slot, struct error *err)
{
	const struct rows_visitor *v = ((struct slicing *)arg)->visitor;
	struct slice *s = slot;

	return v->deliver ? v->deliver(v->arg, &s->batch, s->user, err) : 0;
}

int dataset_scan(void *dataset, const struct rows_visitor *visitor, int n_threads,
		 struct error *err)
{
	struct slicing slicing = { .d = dataset, .visitor = visitor };
	const struct pipeline steps = { take_slice, work_on_slice, deliver_slice, &slicing };
	struct slice slices[THREAD_MAX] = { 0 };
	int n = thread_clamp_count(n_threads), ret;

	for (int k = 0; k < n; k++)
		slices[k].user = rows_user(visitor, k);
	ret = pipeline_run(&steps, slices, sizeof(*slices), n, err);
	for (int k = 0; k < n; k++)
		mem_free(slices[k].batch.row_start);
	return ret;
}

uint32_t dataset_checksum(const struct dataset *d)
{
	const struct row_batch all = csr_as_batch(&d->x, d->y);
	struct rows_checksum sum = { 0 };

	rows_checksum_add(&sum, (struct row_range){ &all, 0, d->x.n_rows });
	return rows_checksum_crc32(&sum);
}
