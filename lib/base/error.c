/*
 * error.c - how the library reports failure
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	if (err->code != ERR_NONE)
		return -1;
	err->code = code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -1;
}

int error_memory(struct error *err, size_t bytes)
{
	return error_set(err, ERR_MEMORY, "out of memory (%zu bytes wanted)", bytes);
}

const char *error_quote(char *buffer, size_t size, const char *bytes, size_t length)
{
	size_t room = size - 1, n = length < room ? length : room;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		buffer[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	buffer[n] = '\0';
	if (length > room && room >= 3)
		memcpy(buffer + room - 3, "...", 3);
	return buffer;
}
