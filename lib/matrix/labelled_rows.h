/*
 * labelled_rows.h - rows in memory that can be written as they were: with the text of their labels
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/rows.h"
#include "matrix/dataset.h"

/* Where the texts of a row are in labelled_rows.text: label, qid and comment one after another. */
struct row_text_place {
	int64_t start;
	int32_t label, qid; /* lengths of label and qid; 0: no text */
	int64_t comment;    /* length of the comment; 0: none */
};

/* Owns its arrays; a zeroed struct is empty. */
struct labelled_rows {
	struct dataset data;
	bool has_text; /* rows are text that was read with keep_text */
	struct byte_buffer text;
	struct row_text_place *place; /* place of each row's text, if has_text */
	int64_t places_capacity;
};

/*
 * labelled_rows_add() - a rows_visitor's deliver(): the rows of a batch, and copies of their texts
 *
 * All batches have texts, or none has.  ERR_MEMORY; '*rows' then holds what came before.
 */
int labelled_rows_add(void *rows, struct row_batch *batch, void *user, struct error *err);

/*
 * labelled_rows_batch() - rows row[first], ..., row[first + n - 1] in a batch, with their text
 *
 * 'row' may be NULL: rows first, first + 1, ...  The batch is overwritten; its text points into
 * 'r', and its max_index is that of all rows.  Fails with ERR_MEMORY only.
 */
int labelled_rows_batch(struct row_batch *batch, const struct labelled_rows *r, const int64_t *row,
			int64_t first, int64_t n, struct error *err);

void labelled_rows_free(struct labelled_rows *r);
