/*
 * kept_input.h - an input whose bytes are kept, so that a pipe can be read a second time
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_KEPT_INPUT_H
#define RANDSVM_KEPT_INPUT_H

#include <stdint.h>

#include "base/error.h"
#include "io/byte_buffer.h"
#include "io/input.h"

/* All pointers are borrowed. */
struct kept_input {
	struct input *input; /* source of the bytes; NULL: those in 'kept' alone */
	/* the bytes read so far, for a second reading of a pipe; NULL: they are not kept */
	struct byte_buffer *kept;
	int64_t from_kept; /* bytes of 'kept' that have been read again */
};

/* kept_input_read() - as input_read(), from the input or from the bytes that are kept */
int64_t kept_input_read(struct kept_input *k, char *to, int64_t size, struct error *err);

#endif
