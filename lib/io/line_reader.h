/*
 * line_reader.h - the lines of a text, one after another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINE_READER_H
#define RANDSVM_LINE_READER_H

#include <stdint.h>

#include "base/error.h"
#include "io/text_window.h"

/* The caller sets 'from' and 'name'; the other fields are 0 at first. */
struct line_reader {
	struct text_window text; /* 'from' is set by the caller */
	const char *name;	 /* name of the text, for messages */

	int64_t line; /* number of the line read last, from 1 */
};

/*
 * line_read() - the next line, without its LF or CRLF and with a final 0, which may be changed
 *
 * It is borrowed until the next is read.  Returns 1, 0 at the end, or -1 as input_read() or with
 * ERR_MEMORY.  O(length).
 */
int line_read(struct line_reader *r, char **line, int64_t *length, struct error *err);

/*
 * line_read_data() - the next line that is neither empty nor a comment, which begins with %
 *
 * As line_read(), without the blanks at its beginning.
 */
int line_read_data(struct line_reader *r, char **line, struct error *err);

/* line_fault() - fail with ERR_FORMAT and `NAME:LINE: reason` for the line read last; returns -1 */
int line_fault(const struct line_reader *r, const char *reason, struct error *err);

void line_reader_free(struct line_reader *r);

#endif
