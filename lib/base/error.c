/*
 * error.c - how the library reports failure
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The first failure is the cause; later ones, of cleaning up say, follow from it. */
static int note(struct error *err, enum error_code code, enum error_remedy remedy,
		const char *format, va_list args)
{
	if (err->code != ERR_NONE)
		return -1;
	err->code = code;
	err->remedy = remedy;
	vsnprintf(err->text, sizeof(err->text), format, args);
	return -1;
}

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(err, code, REMEDY_NONE, format, args);
	va_end(args);
	return -1;
}

int error_set_remedy(struct error *err, enum error_code code, enum error_remedy remedy,
		     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(err, code, remedy, format, args);
	va_end(args);
	return -1;
}

int error_pass(struct error *err, const struct error *from)
{
	return error_set_remedy(err, from->code, from->remedy, "%s", from->text);
}

int error_memory(struct error *err, size_t bytes)
{
	return error_set(err, ERR_MEMORY, "out of memory (%zu bytes wanted)", bytes);
}

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
