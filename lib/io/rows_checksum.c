/*
 * rows_checksum.c - CRC-32 of examples that come one batch after the other
 *
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
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/rows_checksum.h"

#include "base/arithmetic.h"
#include "io/gzip.h"

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

/* Is any of n entries 0?  Without a branch for each, so that the loop takes several at once. */
static bool has_zero(const struct row_batch *b, int64_t first, int64_t n)
{
	bool zero = false;

	for (int64_t k = first; k < first + n; k++)
		zero |= b->value[k] == 0;
	return zero;
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
	int64_t start;

	if (rows.n == 0)
		return;
	start = b->row_start[rows.first];
	s->labels = checksum_crc32(s->labels, b->label + rows.first,
				   rows.n * (int64_t)sizeof(*b->label));
	s->n_rows += rows.n;
	for (int64_t i = 0; i < rows.n; i++)
		note_max_index(s, b, rows.first + i);
	if (!s->without_zeros || !has_zero(b, start, b->row_start[rows.first + rows.n] - start)) {
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
