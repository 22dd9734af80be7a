/*
 * text_append.h - text of limited length that is put together from parts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stddef.h>

/* text_append() - printf() behind the text in an array of 'size' bytes; what has no room is cut */
void text_append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
