/*
 * byte_buffer.h - bytes that are appended to, until they are written out
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/mem.h"

/* Owns its bytes: mem_free(buffer.bytes).  A zeroed struct is empty. */
struct byte_buffer {
	char *bytes;
	int64_t size, capacity;
};

/* byte_buffer_reserve() - make room for 'more' bytes behind the bytes stored; -1 with ERR_MEMORY */
static inline int byte_buffer_reserve(struct byte_buffer *b, int64_t more, struct error *err)
{
	if (b->capacity - b->size >= more)
		return 0;
	return mem_grow(&b->bytes, &b->capacity, b->size + more, 1, err);
}

/* byte_buffer_add() - append bytes for which there is room */
static inline void byte_buffer_add(struct byte_buffer *b, const void *bytes, int64_t size)
{
	if (size > 0)
		memcpy(b->bytes + b->size, bytes, (size_t)size);
	b->size += size;
}

/* byte_buffer_append(), byte_buffer_append_text() - add, with room for it; -1 with ERR_MEMORY */
static inline int byte_buffer_append(struct byte_buffer *b, const void *bytes, int64_t size,
				     struct error *err)
{
	if (byte_buffer_reserve(b, size, err) < 0)
		return -1;
	byte_buffer_add(b, bytes, size);
	return 0;
}

static inline int byte_buffer_append_text(struct byte_buffer *b, const char *text,
					  struct error *err)
{
	return byte_buffer_append(b, text, (int64_t)strlen(text), err);
}

/* byte_buffer_free() - release the bytes; the buffer is empty then */
static inline void byte_buffer_free(struct byte_buffer *b)
{
	mem_free(b->bytes);
	*b = (struct byte_buffer){ 0 };
}
