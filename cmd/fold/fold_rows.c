/*
 * fold_rows.c - rows of a batch as svm-fold writes them: lines as they are, or shards in binary form
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fold_rows.h"

#include <string.h>

#include "base/mem.h"

/* Make 'to' the rows i of a batch with wanted[i], without their text. */
static int copy_wanted(struct row_batch *to, const struct row_batch *from, const bool *wanted,
		       struct error *err)
{
	if (row_batch_reserve(to, from->n_rows, from->n_entries, false, err) < 0)
		return -1;
	for (int64_t i = 0; i < from->n_rows; i++) {
		int64_t start = from->row_start[i], n = from->row_start[i + 1] - start;

		if (!wanted[i])
			continue;
		if (n > 0) {
			memcpy(to->index + to->n_entries, from->index + start,
			       (size_t)n * sizeof(*to->index));
			memcpy(to->value + to->n_entries, from->value + start,
			       (size_t)n * sizeof(*to->value));
		}
		to->label[to->n_rows] = from->label[i];
		to->n_entries += n;
		to->row_start[++to->n_rows] = to->n_entries;
	}
	to->max_index = from->max_index;
	to->value_size = from->value_size;
	return 0;
}

int fold_rows_change_shard(struct fold_rows *r, int value_size, struct error *err)
{
	if (value_size == r->value_size)
		return 0;
	if (r->value_size && binary_add_end(&r->bytes, &r->totals, err) < 0)
		return -1;
	r->totals = (struct binary_totals){ 0 };
	r->value_size = value_size;
	return value_size ? binary_add_header(&r->bytes, value_size, err) : 0;
}

static int add_binary(struct fold_rows *r, const struct row_batch *batch, struct error *err)
{
	int64_t old_size;

	if (fold_rows_change_shard(r, batch->value_size, err) < 0 ||
	    copy_wanted(&r->chosen, batch, r->wanted, err) < 0)
		return -1;
	old_size = r->bytes.size;
	if (binary_add_rows(&r->bytes, &r->chosen, batch->value_size, err) < 0)
		return -1;
	binary_count(&r->totals, r->bytes.bytes + old_size, r->bytes.size - old_size,
		     batch->value_size);
	return 0;
}

static int add_lines(struct fold_rows *r, const struct row_batch *batch, struct error *err)
{
	for (int64_t i = 0; i < batch->n_rows; i++) {
		const struct text_span *line = &batch->text[i].line;

		if (!r->wanted[i])
			continue;
		if (byte_buffer_reserve(&r->bytes, line->length + 1, err) < 0)
			return -1;
		byte_buffer_add(&r->bytes, line->start, line->length);
		byte_buffer_add(&r->bytes, "\n", 1);
	}
	return 0;
}

int fold_rows_add(struct fold_rows *r, const struct row_batch *batch, struct error *err)
{
	return (batch->has_text ? add_lines : add_binary)(r, batch, err);
}

void fold_rows_free(struct fold_rows *r)
{
	mem_free_all(r->wanted, r->bytes.bytes);
	row_batch_free(&r->chosen);
	*r = (struct fold_rows){ 0 };
}
