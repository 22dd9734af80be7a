/*
 * sv_indices.c - a file that says which rows of the training data a model's vectors are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/sv_indices.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/model_text.h"

/* The number of vector j, on a line of its own; 0 at the end of the file, or -1. */
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

static int read_all(struct model_text *t, int64_t n_sv, int64_t n_rows, bool *is_taken,
		    int64_t *row)
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
		if (is_taken[index - 1])
			return model_text_fail(t, "row %" PRId64 " again", index);
		is_taken[index - 1] = true;
		row[j] = index - 1;
	}
	ret = model_text_next_line(t);
	if (ret > 0)
		return model_text_fail(
			t, "more rows than the %" PRId64 " support vectors of the model", n_sv);
	return ret;
}

int sv_indices_read(const char *path, int64_t n_sv, int64_t n_rows, int64_t *row, struct error *err)
{
	struct input *input;
	struct model_text text = { 0 };
	bool *is_taken = NULL;
	int ret = -1;

	if (input_open(&input, path, err) < 0)
		return -1;
	is_taken = mem_zeroed(n_rows, sizeof(*is_taken), err);
	if (is_taken && model_text_init(&text, input, err) == 0)
		ret = read_all(&text, n_sv, n_rows, is_taken, row);
	model_text_free(&text);
	input_close(input);
	free(is_taken);
	return ret;
}
