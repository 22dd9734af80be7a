/*
 * error.c - how the library reports failure, and texts of limited length
 *
 * How this works.  A struct error is the caller's, zeroed before the first call, and has room for
 * the text: reporting a failure allocates nothing, so a lack of memory can be reported like any
 * other.  All ways to fail end in error_set_remedy(), which keeps the first failure alone (1).
 * Setters return -1, so that `return error_set(...)` is a whole failure.
 *
 * error_quote() makes bytes of an input fit to print (2): characters of UTF-8 are kept whole,
 * control bytes and broken sequences become '?', and a text that is cut ends in "...".
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/error.h"

#include <stdarg.h>

#include "base/utf8.h"

int error_set_remedy(struct error *err, enum error_code code, enum error_remedy remedy,
		     const char *format, ...)
{
	va_list args;

	/* (1): keep the first error: a failure of cleaning up only follows from it */
	if (err->code != ERR_NONE)
		return -1;
	err->code = code;
	err->remedy = remedy;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -1;
}

/* The text is an argument, not a format: text of an input may contain '%'. */
int error_pass(struct error *err, const struct error *from)
{
	return error_set_remedy(err, from->code, from->remedy, "%s", from->text);
}

bool error_forgive(struct error *err, enum error_code code)
{
	if (err->code != code)
		return false;
	*err = (struct error){ 0 };
	return true;
}

int error_memory(struct error *err, size_t bytes)
{
	return error_set(err, ERR_MEMORY, "out of memory (%zu bytes wanted)", bytes);
}

/* (2): n <= room bytes are written, one for one, and the final 0 behind them has its own byte. */
const char *error_quote(char *buffer, size_t size, const char *bytes, size_t length)
{
	size_t room = size - 1, n = length < room ? length : room;
	bool dots = length > room && room >= 3;

	if (dots)
		n -= 3;
	/* a character cut by the end of the room is no whole one, and becomes '?' */
	for (size_t i = 0, step; i < n; i += step) {
		unsigned char c = (unsigned char)bytes[i];

		step = utf8_length(bytes + i, n - i);
		if (step == 0 || c < 0x20 || c == 0x7f) {
			buffer[i] = '?';
			step = 1;
		} else {
			memcpy(buffer + i, bytes + i, step);
		}
	}
	strcpy(buffer + n, dots ? "..." : "");
	return buffer;
}

const char *text_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
	return text;
}
