/*
 * sv_indices.c - a file that says which rows of the training data a model's vectors are
 *
 * How this works.  The file has one number a line, from 1, for each support vector in the order of
 * the model: svm-train's and this library's models name vectors by value only, and a row of the
 * training data cannot be found from its values if it occurs twice.
 *
 *  (1) Lines are read by the reader of model files (model_text.c), which has their line numbers for
 *      messages and refuses a last line that does not end.
 *  (2) There must be as many lines as vectors: fewer or more show that the file is another model's.
 *  (3) No row may come twice.  Rows are sorted with the lines that name them, in O(n log n) time
 *      and 16 bytes each, and neighbours compared; the later line is the one to be reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/sv_indices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/model_text.h"

/* (1): the number on the next line, in '*index'; returns 1, 0 at the end of the file, or -1. */
static int read_index(struct model_text *t, int64_t n_rows, int64_t *index)
{
	struct model_word rest;
	int ret = model_text_next_line(t);

	if (ret > 0)
		ret = model_text_integer(t, "row", 1, n_rows, index);
	if (ret <= 0)
		return ret;
	ret = model_text_word(t, &rest);
	return ret == 0 ? 1 : ret < 0 ? -1 : model_text_fail(t, "one row a line expected");
}

/* (2): rows of all vectors, counted from 0; -1 if there are fewer or more lines. */
static int read_all(struct model_text *t, int64_t n_sv, int64_t n_rows, int64_t *row)
{
	int64_t index = 0;
	int ret;

	for (int64_t j = 0; j < n_sv; j++) {
		ret = read_index(t, n_rows, &index);
		if (ret < 0)
			return -1;
		if (ret == 0)
			return model_text_fail(t,
					       "%" PRId64 " rows, and the model has %" PRId64
					       " support vectors",
					       j, n_sv);
		row[j] = index - 1;
	}
	ret = model_text_next_line(t);
	if (ret > 0)
		return model_text_fail(
			t, "more rows than the %" PRId64 " support vectors of the model", n_sv);
	return ret;
}

/* (3): fails where two vectors are the same row. */
static int refuse_repeated(const char *path, const int64_t *row, int64_t n, struct error *err)
{
	/* rows of the training data as keys, and the lines of the file that name them */
	struct order_key *list = mem_array(n, sizeof(*list), err);
	int ret = 0;

	if (!list)
		return -1;
	for (int64_t j = 0; j < n; j++)
		list[j] = (struct order_key){ (uint64_t)row[j], j + 1 };
	qsort(list, (size_t)n, sizeof(*list), order_keys);
	for (int64_t j = 1; j < n && ret == 0; j++)
		if (list[j].key == list[j - 1].key)
			ret = error_set(err, ERR_FORMAT, "%s:%" PRId64 ": row %" PRIu64 " again",
					path, list[j].id, list[j].key + 1);
	mem_free(list);
	return ret;
}

int sv_indices_read(const char *path, int64_t n_sv, int64_t n_rows, int64_t *row, struct error *err)
{
	struct input *input;
	struct model_text text = { 0 };
	int ret = -1;

	if (input_open(&input, path, err) < 0)
		return -1;
	if (model_text_init(&text, input, err) == 0)
		ret = read_all(&text, n_sv, n_rows, row);
	model_text_free(&text);
	input_close(input);
	return ret < 0 ? -1 : refuse_repeated(path, row, n_sv, err);
}
