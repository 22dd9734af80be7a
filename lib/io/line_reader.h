/*
 * line_reader.h - a text through a window of bytes that are not used yet, and its lines
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/input.h"

/* Bytes read at first: what a text has beyond them comes with the next calls. */
enum { TEXT_WINDOW_BYTES = 1 << 18 };

/* struct text_window - a window on a text; a zeroed one with 'from' set is empty */
struct text_window {
	struct input *from; /* borrowed */
	struct byte_buffer buffer;
	int64_t next;	/* bytes of 'buffer' before it have been used */
	bool at_end;	/* the text ends where the buffer does */
	bool in_pieces; /* what there is will do, by input_read_some(): set by the caller */
	/* bytes 0 of short lines are passed on: set by a caller that refuses their line alone */
	bool any_bytes;
};

/*
 * text_window_more() - read more bytes behind those that are not used, which move to the front
 *
 * There is room for a final 0 behind them.  Fails with ERR_MEMORY, as input_read(), or with
 * ERR_FORMAT for bytes 0, which no text has, unless any_bytes is set and fewer than TEXT_WINDOW_BYTES
 * bytes were not used yet.
 */
int text_window_more(struct text_window *w, struct error *err);

/* ---- Lines ---- */

/* The caller sets 'from' and 'name'; the other fields are 0 at first. */
struct line_reader {
	struct text_window text; /* 'from' is set by the caller */
	const char *name;	 /* name of the text, for messages */

	int64_t line; /* number of the line read last, from 1 */
	bool is_open; /* it has no line end, as the last one of a file that was cut */
};

/*
 * line_read() - the next line, without its LF or CRLF and with a final 0, which may be changed
 *
 * It is borrowed until the next is read.  Returns 1, 0 at the end, or -1 as input_read() or with
 * ERR_MEMORY.  O(length).
 */
int line_read(struct line_reader *r, char **line, struct error *err);

/*
 * line_read_data() - the next line that is neither empty nor a comment, which begins with %
 *
 * As line_read(), without the blanks at its beginning.
 */
int line_read_data(struct line_reader *r, char **line, struct error *err);

/* line_fault() - fail with ERR_FORMAT and `NAME:LINE: reason` for the line read last; returns -1 */
int line_fault(const struct line_reader *r, const char *reason, struct error *err);

void line_reader_free(struct line_reader *r);
