/*
 * line_reader.c - the lines of a text, one after another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/line_reader.h"

#include <inttypes.h>
#include <string.h>

int line_read(struct line_reader *r, char **line, int64_t *length, struct error *err)
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
	if (!end)
		end = r->text.buffer.bytes + r->text.buffer.size;
	r->text.next =
		end - r->text.buffer.bytes + (end < r->text.buffer.bytes + r->text.buffer.size);
	r->line++;
	if (end > start && end[-1] == '\r')
		end--;
	*end = '\0';
	*line = start;
	*length = end - start;
	return 1;
}

int line_read_data(struct line_reader *r, char **line, struct error *err)
{
	int64_t length;
	int got;

	do {
		got = line_read(r, line, &length, err);
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
	text_window_free(&r->text);
}
