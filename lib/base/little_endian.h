/*
 * little_endian.h - numbers as bytes, the least first
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

static inline void put_32(void *to, uint32_t n)
{
	unsigned char *p = to;

	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(n >> 8 * i);
}

static inline void put_64(void *to, uint64_t n)
{
	put_32(to, (uint32_t)n);
	put_32((char *)to + 4, (uint32_t)(n >> 32));
}

static inline uint32_t get_16(const void *from)
{
	const unsigned char *p = from;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t get_32(const void *from)
{
	return get_16(from) | get_16((const char *)from + 2) << 16;
}

static inline uint64_t get_64(const void *from)
{
	return get_32(from) | (uint64_t)get_32((const char *)from + 4) << 32;
}
