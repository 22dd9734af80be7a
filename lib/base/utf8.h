/*
 * utf8.h - characters of UTF-8
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

/*
 * utf8_length() - bytes of the character that 'left' > 0 bytes begin with, or 0
 *
 * Source: RFC 3629, section 4.
 */
static inline size_t utf8_length(const char *bytes, size_t left)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t n = p[0] < 0x80 ? 1 :
		   p[0] < 0xc2 ? 0 :
		   p[0] < 0xe0 ? 2 :
		   p[0] < 0xf0 ? 3 :
		   p[0] < 0xf5 ? 4 :
				 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* utf8_get() - the character that these bytes are, 'length' of them by utf8_length() */
static inline uint32_t utf8_get(const char *bytes, size_t length)
{
	uint32_t c = (unsigned char)*bytes & (length == 1 ? 0x7fU : 0xffU >> (length + 1));

	for (size_t k = 1; k < length; k++)
		c = c << 6 | ((unsigned char)bytes[k] & 0x3f);
	return c;
}

/* utf8_put() - write a character, 1 to 4 bytes; returns where it ends */
static inline char *utf8_put(char *to, uint32_t c)
{
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };
	const int more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);

	*to++ = (char)(first[more] | c >> 6 * more);
	for (int k = more - 1; k >= 0; k--)
		*to++ = (char)(0x80 | (c >> 6 * k & 0x3f));
	return to;
}
