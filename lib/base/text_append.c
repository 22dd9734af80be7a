/*
 * text_append.c - text of limited length that is put together from parts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/text_append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}
