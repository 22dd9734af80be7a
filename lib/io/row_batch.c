/*
 * row_batch.c - consecutive examples in memory, on their way in or out
 *
 * How this works.  Five arrays grow and never shrink, so a batch that is used again and again soon
 * allocates no more.  Growing keeps nothing that matters: a reserved batch is empty.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/row_batch.h"

#include "base/mem.h"
#include "io/gzip.h"

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
	b->n_rows = b->n_entries = b->n_lines = b->n_parted = b->max_index = 0;
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
	if (b->n_entries >= int64_min(b->capacity.indices, b->capacity.values) &&
	    row_batch_reserve_entries(b, 1, err) < 0)
		return -1;
	b->index[b->n_entries] = (int32_t)index;
	b->value[b->n_entries++] = value;
	b->max_index = int64_max(b->max_index, index);
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

int row_batch_copy_row(struct row_batch *b, const struct row_batch *from, int64_t i,
		       struct error *err)
{
	const int64_t start = from->row_start[i], n = from->row_start[i + 1] - start;

	if (row_batch_reserve_entries(b, n, err) < 0)
		return -1;
	if (n > 0) {
		memcpy(b->index + b->n_entries, from->index + start, (size_t)n * sizeof(*b->index));
		memcpy(b->value + b->n_entries, from->value + start, (size_t)n * sizeof(*b->value));
		b->n_entries += n;
		b->max_index = int64_max(b->max_index, b->index[b->n_entries - 1]);
	}
	return row_batch_end_row(b, from->label[i], err);
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

bool row_overflows(const struct row_batch *in, const struct row_batch *mapped, int64_t i)
{
	const int64_t start = mapped->row_start[i], n = mapped->row_start[i + 1] - start;

	return (isfinite(in->label[i]) && !isfinite(mapped->label[i])) ||
	       !are_finite(mapped->value + start, n);
}

int row_batch_check_mapped(const struct row_batch *in, const struct row_batch *mapped,
			   int64_t n_before, const char *fault, struct error *err)
{
	for (int64_t i = 0; i < mapped->n_rows; i++)
		if (row_overflows(in, mapped, i))
			return error_set(err, ERR_NUMERIC, "row %" PRId64 ": overflow: %s",
					 n_before + i + 1, fault);
	return 0;
}

void row_batch_free(struct row_batch *b)
{
	mem_free_all(b->label, b->row_start, b->index, b->value, b->text);
	*b = (struct row_batch){ 0 };
}

/* ---- CRC-32 of rows ---- */

/*
 * The four arrays grow at the same time, so each has a checksum of its own; checksum_join() makes
 * of them that of all arrays in a row.
 *
 * How this works.  The checksum is defined as that of four arrays one after the other,
 *
 *      labels [n] | ends of rows, a 0 first [n + 1] | features [m] | values [m]
 *
 * which a stream of batches has in pieces: each batch is a part of every array.  The CRC-32 of two
 * texts in a row follows from both CRCs and the length of the second (checksum_join()), so four
 * running checksums, joined at the end, give the same number as one pass over the whole arrays.
 * How the rows come in batches therefore does not matter.
 *
 * Ends of rows are counted from the beginning of all rows, not of the batch (1).  With
 * without_zeros entries of 0 do not exist: runs of other entries between them are added (2).
 */

/* Ends of rows that are made at a time: a few kilobytes on the stack. */
#define AT_ONCE 512

/* Add entries k .. k + n - 1 of the batch to both of their checksums. */
static void add_entries(struct rows_checksum *s, const struct row_batch *b, int64_t k, int64_t n)
{
	if (n == 0)
		return;
	s->features = checksum_crc32(s->features, b->index + k, n * (int64_t)sizeof(*b->index));
	s->values = checksum_crc32(s->values, b->value + k, n * (int64_t)sizeof(*b->value));
	s->n_entries += n;
}

/* Add the ends of n rows. */
static void add_ends(struct rows_checksum *s, const int64_t *end, int64_t n)
{
	s->ends = checksum_crc32(s->ends, end, n * (int64_t)sizeof(*end));
}

/* The rows with all their entries, array by array. */
static void add_rows(struct rows_checksum *s, const struct row_batch *b, int64_t first, int64_t n)
{
	const int64_t *start = b->row_start + first;
	/* (1): entries of earlier batches, less those of the batch before these rows */
	int64_t before = s->n_entries - start[0], end[AT_ONCE];

	add_entries(s, b, start[0], start[n] - start[0]);
	for (int64_t i = 0; i < n; i += AT_ONCE) {
		int64_t some = int64_min(AT_ONCE, n - i);

		for (int64_t k = 0; k < some; k++)
			end[k] = before + start[i + k + 1];
		add_ends(s, end, some);
	}
}

/* (2): one row, without its zeros; s->n_entries is its end once its entries were added. */
static void add_nonzeros(struct rows_checksum *s, const struct row_batch *b, int64_t row)
{
	int64_t k = b->row_start[row], end = b->row_start[row + 1];

	while (k < end) {
		int64_t from = k;

		while (k < end && b->value[k] != 0)
			k++;
		add_entries(s, b, from, k - from);
		k += k < end;
	}
	add_ends(s, &s->n_entries, 1);
}

/* The last entry of a row that counts; indices ascend within a row. */
static void note_max_index(struct rows_checksum *s, const struct row_batch *b, int64_t row)
{
	int64_t k = b->row_start[row + 1], start = b->row_start[row];

	while (k > start && s->without_zeros && b->value[k - 1] == 0)
		k--;
	if (k > start)
		s->max_index = int64_max(s->max_index, b->index[k - 1]);
}

void rows_checksum_add(struct rows_checksum *s, struct row_range rows)
{
	const struct row_batch *b = rows.in;
	bool has_zero = false;

	if (rows.n == 0)
		return;
	s->labels = checksum_crc32(s->labels, b->label + rows.first,
				   rows.n * (int64_t)sizeof(*b->label));
	s->n_rows += rows.n;
	for (int64_t i = 0; i < rows.n; i++)
		note_max_index(s, b, rows.first + i);
	/* without a branch for each entry, so that the loop takes several at once */
	for (int64_t k = b->row_start[rows.first];
	     s->without_zeros && k < b->row_start[rows.first + rows.n]; k++)
		has_zero |= b->value[k] == 0;
	if (!has_zero) {
		add_rows(s, b, rows.first, rows.n);
		return;
	}
	for (int64_t i = 0; i < rows.n; i++)
		add_nonzeros(s, b, rows.first + i);
}

uint32_t rows_checksum_crc32(const struct rows_checksum *s)
{
	const int64_t zero = 0;
	uint32_t crc = checksum_crc32(s->labels, &zero, sizeof(zero));

	crc = checksum_join(crc, s->ends, s->n_rows * (int64_t)sizeof(int64_t));
	crc = checksum_join(crc, s->features, s->n_entries * (int64_t)sizeof(int32_t));
	return checksum_join(crc, s->values, s->n_entries * (int64_t)sizeof(double));
}
