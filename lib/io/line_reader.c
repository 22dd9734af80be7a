/*
 * line_reader.c - a text through a window of bytes that are not used yet, and its lines
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/line_reader.h"

int text_window_more(struct text_window *w, struct error *err)
{
	int64_t n, step;

	w->buffer.size -= w->next;
	if (w->next > 0)
		memmove(w->buffer.bytes, w->buffer.bytes + w->next, (size_t)w->buffer.size);
	w->next = 0;
	/* as much again: a record of any length is looked through O(1) times */
	step = int64_max(w->buffer.size, TEXT_WINDOW_BYTES);
	if (byte_buffer_reserve(&w->buffer, step + 1, err) < 0)
		return -1;
	n = (w->in_pieces ? input_read_some : input_read)(w->from, w->buffer.bytes + w->buffer.size,
							  step, err);
	if (n < 0)
		return -1;
	w->buffer.size += n;
	/* the end of a long line with a byte 0, perhaps far away, is not sought */
	if ((!w->any_bytes || w->buffer.size - n >= TEXT_WINDOW_BYTES) &&
	    memchr(w->buffer.bytes + w->buffer.size - n, '\0', (size_t)n))
		return error_set(err, ERR_FORMAT, "%s: a byte 0: this is no text",
				 input_name(w->from));
	w->at_end = w->in_pieces ? n == 0 : n < step;
	return 0;
}

/* ---- Lines ---- */

int line_read(struct line_reader *r, char **line, struct error *err)
{
	int64_t searched = 0; /* bytes from 'next' on that have no line end */
	char *start, *end;

	for (;;) {
		const int64_t n = r->text.buffer.size - r->text.next;

		start = n > 0 ? r->text.buffer.bytes + r->text.next : NULL;
		end = n > searched ? memchr(start + searched, '\n', (size_t)(n - searched)) : NULL;
		if (end || r->text.at_end)
			break;
		searched = n;
		if (text_window_more(&r->text, err) < 0)
			return -1;
	}
	if (r->text.next == r->text.buffer.size)
		return 0;
	r->is_open = !end;
	if (!end)
		end = r->text.buffer.bytes + r->text.buffer.size;
	r->text.next =
		end - r->text.buffer.bytes + (end < r->text.buffer.bytes + r->text.buffer.size);
	r->line++;
	if (end > start && end[-1] == '\r')
		end--;
	*end = '\0';
	*line = start;
	return 1;
}

int line_read_data(struct line_reader *r, char **line, struct error *err)
{
	int got;

	do {
		got = line_read(r, line, err);
		if (got <= 0)
			return got;
		*line += strspn(*line, " \t");
	} while (**line == '%' || **line == '\0');
	return 1;
}

int line_fault(const struct line_reader *r, const char *reason, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": %s", r->name, r->line, reason);
}

void line_reader_free(struct line_reader *r)
{
	byte_buffer_free(&r->text.buffer);
}
