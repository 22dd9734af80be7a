/*
 * text_window.h - the bytes of a text that have been read and not been used yet
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_TEXT_WINDOW_H
#define RANDSVM_TEXT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/byte_buffer.h"
#include "io/input.h"

/* Bytes read at first: what a text has beyond them comes with the next calls. */
enum { TEXT_WINDOW_BYTES = 1 << 18 };

/* struct text_window - a window on a text; a zeroed one with 'from' set is empty */
struct text_window {
	struct input *from; /* borrowed */
	struct byte_buffer buffer;
	int64_t next; /* bytes of 'buffer' before it have been used */
	bool at_end;  /* the text ends where the buffer does */
};

/*
 * text_window_more() - read more bytes behind those that are not used, which move to the front
 *
 * There is room for a final 0 behind them.  Fails with ERR_MEMORY, as input_read(), or with
 * ERR_FORMAT for bytes 0, which no text has.
 */
int text_window_more(struct text_window *w, struct error *err);

void text_window_free(struct text_window *w);

#endif
