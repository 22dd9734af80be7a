/*
 * row_batch.c - consecutive examples in memory, on their way in or out
 *
 * How this works.  Five arrays grow and never shrink, so a batch that is used again and again soon
 * allocates no more.  Growing keeps nothing that matters: a reserved batch is empty.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/row_batch.h"

#include <inttypes.h>
#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"

int row_batch_reserve_entries(struct row_batch *b, int64_t n, struct error *err)
{
	const int64_t wanted = b->n_entries + n;

	if (mem_grow(&b->index, &b->capacity.indices, wanted, sizeof(*b->index), err) < 0)
		return -1;
	return mem_grow(&b->value, &b->capacity.values, wanted, sizeof(*b->value), err);
}

int row_batch_reserve(struct row_batch *b, int64_t n_rows, int64_t n_entries, bool with_text,
		      struct error *err)
{
	b->n_rows = b->n_entries = b->n_lines = b->max_index = 0;
	/* one more than needed: then no array is NULL */
	if (mem_grow(&b->label, &b->capacity.rows, n_rows + 1, sizeof(double), err) < 0 ||
	    mem_grow(&b->row_start, &b->capacity.starts, n_rows + 1, sizeof(int64_t), err) < 0 ||
	    row_batch_reserve_entries(b, n_entries + 1, err) < 0)
		return -1;
	if (with_text &&
	    mem_grow(&b->text, &b->capacity.texts, n_rows, sizeof(struct row_text), err) < 0)
		return -1;
	b->has_qid = false;
	b->rounded.line = 0;
	b->value_size = 0;
	b->row_start[0] = 0;
	b->has_text = with_text;
	return 0;
}

int row_batch_add(struct row_batch *b, int64_t index, double value, struct error *err)
{
	if (row_batch_reserve_entries(b, 1, err) < 0)
		return -1;
	b->index[b->n_entries] = (int32_t)index;
	b->value[b->n_entries++] = value;
	if (index > b->max_index)
		b->max_index = index;
	return 0;
}

int row_batch_end_row(struct row_batch *b, double label, struct error *err)
{
	if (mem_grow(&b->label, &b->capacity.rows, b->n_rows + 1, sizeof(*b->label), err) < 0 ||
	    mem_grow(&b->row_start, &b->capacity.starts, b->n_rows + 2, sizeof(*b->row_start),
		     err) < 0)
		return -1;
	b->row_start[0] = 0;
	b->label[b->n_rows++] = label;
	b->row_start[b->n_rows] = b->n_entries;
	return 0;
}

void row_batch_end_mapped(struct row_batch *b, const struct row_batch *in, int64_t i)
{
	/* entries ascend: the last one has the largest index of the row */
	if (b->n_entries > b->row_start[b->n_rows] && b->index[b->n_entries - 1] > b->max_index)
		b->max_index = b->index[b->n_entries - 1];
	b->label[b->n_rows] = in->label[i];
	if (b->has_text)
		b->text[b->n_rows] = in->text[i];
	b->row_start[++b->n_rows] = b->n_entries;
}

/* Is some number of row i that the map made not finite? */
static bool has_overflowed(const struct row_batch *in, const struct row_batch *mapped, int64_t i)
{
	const int64_t start = mapped->row_start[i], n = mapped->row_start[i + 1] - start;

	return (isfinite(in->label[i]) && !isfinite(mapped->label[i])) ||
	       !are_finite(mapped->value + start, n);
}

int row_batch_check_mapped(const struct row_batch *in, const struct row_batch *mapped,
			   int64_t n_before, const char *fault, struct error *err)
{
	for (int64_t i = 0; i < mapped->n_rows; i++)
		if (has_overflowed(in, mapped, i))
			return error_set(err, ERR_NUMERIC, "row %" PRId64 ": overflow: %s",
					 n_before + i + 1, fault);
	return 0;
}

void row_batch_free(struct row_batch *b)
{
	mem_free_all(b->label, b->row_start, b->index, b->value, b->text);
	*b = (struct row_batch){ 0 };
}
