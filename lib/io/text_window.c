/*
 * text_window.c - the bytes of a text that have been read and not been used yet
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/text_window.h"

#include <string.h>

#include "base/arithmetic.h"

int text_window_more(struct text_window *w, struct error *err)
{
	int64_t n, step;

	w->buffer.size -= w->next;
	if (w->next > 0)
		memmove(w->buffer.bytes, w->buffer.bytes + w->next, (size_t)w->buffer.size);
	w->next = 0;
	/* as much again: a record of any length is looked through O(1) times */
	step = int64_max(w->buffer.size, TEXT_WINDOW_BYTES);
	n = input_append(w->from, &w->buffer, step, err);
	if (n < 0)
		return -1;
	if (memchr(w->buffer.bytes + w->buffer.size - n, '\0', (size_t)n))
		return error_set(err, ERR_FORMAT, "%s: a byte 0: this is no text",
				 input_name(w->from));
	w->at_end = n < step;
	return 0;
}

void text_window_free(struct text_window *w)
{
	byte_buffer_free(&w->buffer);
}
