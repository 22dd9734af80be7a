/*
 * kept_input.c - an input whose bytes are kept, so that a pipe can be read a second time
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/kept_input.h"

#include <string.h>

#include "base/arithmetic.h"

int64_t kept_input_read(struct kept_input *k, char *to, int64_t size, struct error *err)
{
	int64_t n;

	if (!k->input) {
		n = int64_min(size, k->kept->size - k->from_kept);
		if (n > 0)
			memcpy(to, k->kept->bytes + k->from_kept, (size_t)n);
		k->from_kept += n;
		return n;
	}
	n = input_read(k->input, to, size, err);
	if (n > 0 && k->kept) {
		if (byte_buffer_reserve(k->kept, n, err) < 0)
			return -1;
		byte_buffer_add(k->kept, to, n);
	}
	return n;
}
