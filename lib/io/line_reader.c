/*
 * line_reader.c - the lines of a text, one after another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/line_reader.h"

#include <inttypes.h>
#include <string.h>

/* Bytes read at a time. */
#define AT_ONCE (1 << 18)

/* More bytes behind those that are not read yet, which move to the front. */
static int read_more(struct line_reader *r, struct error *err)
{
	int64_t n;

	r->text.size -= r->next;
	if (r->next > 0)
		memmove(r->text.bytes, r->text.bytes + r->next, (size_t)r->text.size);
	r->next = 0;
	/* and the final 0 of a last line without a line end */
	if (byte_buffer_reserve(&r->text, AT_ONCE + 1, err) < 0)
		return -1;
	n = kept_input_read(&r->from, r->text.bytes + r->text.size, AT_ONCE, err);
	if (n < 0)
		return -1;
	r->text.size += n;
	r->at_end = n < AT_ONCE;
	return 0;
}

int line_read(struct line_reader *r, char **line, int64_t *length, struct error *err)
{
	int64_t searched = 0; /* bytes from 'next' on that have no line end */
	char *start, *end;

	for (;;) {
		start = r->text.bytes + r->next;
		end = r->text.size - r->next > searched ?
			      memchr(start + searched, '\n',
				     (size_t)(r->text.size - r->next - searched)) :
			      NULL;
		if (end || r->at_end)
			break;
		searched = r->text.size - r->next;
		if (read_more(r, err) < 0)
			return -1;
	}
	if (r->next == r->text.size)
		return 0;
	if (!end)
		end = r->text.bytes + r->text.size;
	r->next = end - r->text.bytes + (end < r->text.bytes + r->text.size);
	r->line++;
	if (end > start && end[-1] == '\r')
		end--;
	*end = '\0';
	*line = start;
	*length = end - start;
	return 1;
}

int line_fault(const struct line_reader *r, const char *reason, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": %s", r->name, r->line, reason);
}

void line_reader_free(struct line_reader *r)
{
	byte_buffer_free(&r->text);
}
