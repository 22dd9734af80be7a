/*
 * text_window.c - the bytes of a text that have been read and not been used yet
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/text_window.h"

#include <string.h>

int text_window_more(struct text_window *w, struct error *err)
{
	int64_t n;

	w->buffer.size -= w->next;
	if (w->next > 0)
		memmove(w->buffer.bytes, w->buffer.bytes + w->next, (size_t)w->buffer.size);
	w->next = 0;
	if (byte_buffer_reserve(&w->buffer, TEXT_WINDOW_BYTES + 1, err) < 0)
		return -1;
	n = kept_input_read(&w->from, w->buffer.bytes + w->buffer.size, TEXT_WINDOW_BYTES, err);
	if (n < 0)
		return -1;
	if (n > 0 && w->from.input && memchr(w->buffer.bytes + w->buffer.size, '\0', (size_t)n))
		return error_set(err, ERR_FORMAT, "%s: a byte 0: this is no text",
				 input_name(w->from.input));
	w->buffer.size += n;
	w->at_end = n < TEXT_WINDOW_BYTES;
	return 0;
}

void text_window_free(struct text_window *w)
{
	byte_buffer_free(&w->buffer);
}
