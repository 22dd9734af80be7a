/*
 * row_batch.h - consecutive examples in memory, on their way in or out
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/* Rules for reading examples: which are accepted, and which parts of their text are kept. */
struct rows_options {
	bool strict;	       /* of text, refuse what svm-train refuses: empty lines, comment
				 * lines, a colon in a comment, qid */
	bool allow_nonfinite;  /* accept nan and inf as label or value */
	bool label_optional;   /* text: rows without a label are accepted, with label NaN */
	bool after_unlabelled; /* the row before this text has no label (svmlight.h) */
	bool keep_text;	       /* keep the text of labels, qids and comments */
	bool groups_by_qid;    /* of a data set in memory: rows of a qid are a group */
	bool groups_if_any;    /* likewise if all rows have one */
	int64_t max_rows;      /* a batch has no more rows; 0: no such bound */
	int64_t first, end;    /* of the binary form, in a plain file, take only blocks whose header
				* ends behind byte 'first' and not behind 'end'; end 0: all */
	int32_t min_index;     /* least index accepted; lower indices are refused */
	int32_t max_index;     /* higher indices are refused; 0: no such bound */
};

/* Bytes of the input, not ended by a 0. */
struct text_span {
	const char *start; /* NULL: no such text */
	int64_t length;
};

/*
 * How an example was written: the number of its label, the last "qid:n", the comment from '#' on
 * without blanks at its end, and the whole line up to its '\n'.
 */
struct row_text {
	struct text_span label, qid, comment, line;
};

/* An integer of a text that no double is, and where; a line of 0: there is none. */
struct rounded_integer {
	int64_t line, column; /* counted as in a struct text_position */
	char digits[40];      /* fit to print */
};

/* Elements that the arrays of a row_batch have room for. */
struct row_capacity {
	int64_t rows, starts, indices, values, texts;
};

/*
 * struct row_batch - consecutive examples
 *
 *     row_start  [0, 2, 2]    row 0 holds entries 0 and 1, row 1 is empty
 *     index      [1, 5]       as in the file, ascending within a row
 *     value      [.5, 2]
 *
 * Owns its arrays; a zeroed struct is empty.  Filling it again reuses them.
 */
struct row_batch {
	int64_t n_rows, n_entries;
	int64_t n_lines;   /* text: number of lines read, lines without an example included */
	int64_t n_parted;  /* text: number of values with a blank between colon and value */
	int64_t max_index; /* largest index, 0 if there is none */
	double *label;	   /* label of each row; n_rows */
	/* weight of each row, n_rows, of rows from memory that have weights; else NULL; borrowed */
	const double *weight;
	int64_t *row_start;		/* first entry of each row; n_rows + 1, row_start[0] == 0 */
	int32_t *index;			/* index of each entry; n_entries */
	double *value;			/* value of each entry; n_entries */
	int value_size;			/* binary form: bytes of a value, 8 or 4; else 0 */
	bool has_qid;			/* some row has a qid */
	struct rounded_integer rounded; /* text: the first integer that was rounded to a double */
	bool has_text;
	struct row_text *text; /* n_rows if has_text; points into the text that was read */
	struct row_capacity capacity;
};

/* Rows first .. first + n - 1 of the batch 'in', which is borrowed. */
struct row_range {
	const struct row_batch *in;
	int64_t first, n;
};

/*
 * row_batch_reserve() - empty the batch, with room for so many rows and entries
 *
 * 'with_text' sets has_text, and makes room for the texts.  -1 with ERR_MEMORY; the batch is empty
 * then, too.
 */
int row_batch_reserve(struct row_batch *batch, int64_t n_rows, int64_t n_entries, bool with_text,
		      struct error *err);

/* row_batch_reserve_entries() - room for n entries behind those there are; -1 with ERR_MEMORY */
int row_batch_reserve_entries(struct row_batch *batch, int64_t n, struct error *err);

/*
 * row_batch_add(), row_batch_end_row() - append an entry to the row that is being made; end it
 *
 * Entries come in ascending order of their indices.  -1 with ERR_MEMORY.
 */
int row_batch_add(struct row_batch *batch, int64_t index, double value, struct error *err);
int row_batch_end_row(struct row_batch *batch, double label, struct error *err);

/* row_batch_copy_row() - append row i of 'from', without its text; -1 with ERR_MEMORY */
int row_batch_copy_row(struct row_batch *batch, const struct row_batch *from, int64_t i,
		       struct error *err);

/*
 * row_batch_put() - append an entry, for which there is room, to the row that is being made
 *
 * row_batch_end_mapped() - end that row, for which there is room: it was made of row i of 'in', and
 * gets its label and text
 */
static inline void row_batch_put(struct row_batch *batch, int32_t index, double value)
{
	batch->index[batch->n_entries] = index;
	batch->value[batch->n_entries++] = value;
}
void row_batch_end_mapped(struct row_batch *batch, const struct row_batch *in, int64_t i);

/* row_overflows() - is a number of row i not finite that a map made of finite ones?  O(entries of the row) */
bool row_overflows(const struct row_batch *in, const struct row_batch *mapped, int64_t i);

/*
 * row_batch_check_mapped() - are the numbers finite that a map made of finite ones?
 *
 * 'mapped' has a row for each of 'in'; 'n_before' rows were mapped before these.  Fails with
 * ERR_NUMERIC, `row N: overflow: fault`, where a value, or a label that was finite, is not.
 * O(rows + entries).
 */
int row_batch_check_mapped(const struct row_batch *in, const struct row_batch *mapped,
			   int64_t n_before, const char *fault, struct error *err);

void row_batch_free(struct row_batch *batch);

/*
 * CRC-32 of examples that come one batch after the other
 *
 *     struct rows_checksum sum = { 0 };
 *
 *     rows_checksum_add(&sum, batch);      for each batch, in order
 *     crc = rows_checksum_crc32(&sum);
 *
 * The checksum is that of labels, then numbers of entries so far (from 0 on, one more than rows),
 * then features, then values, each as an array of the machine's numbers.  So it is the same for the
 * same rows, from whatever form of file and in whatever batches.
 */

/* A zeroed one is that of no rows. */
struct rows_checksum {
	bool without_zeros; /* entries of value 0 are left out, as written text omits zeros */
	int64_t n_rows, n_entries, max_index;
	uint32_t labels, ends, features,
		values; /* CRC-32 of each array; 'ends' without its first 0 */
};

/* rows_checksum_add() - count further rows; O(entries) */
void rows_checksum_add(struct rows_checksum *s, struct row_range rows);

/* rows_checksum_crc32() - of all rows so far */
uint32_t rows_checksum_crc32(const struct rows_checksum *s);
