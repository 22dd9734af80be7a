/*
 * number_text.h - numbers as text at the end of a buffer
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NUMBER_TEXT_H
#define RANDSVM_NUMBER_TEXT_H

#include "base/decimal.h"
#include "io/byte_buffer.h"

/* number_text_add() - the value with so many digits, as "%.*g"; 0: as many as it takes; ERR_MEMORY */
static inline int number_text_add(struct byte_buffer *to, double value, int digits,
				  struct error *err)
{
	if (byte_buffer_reserve(to, DECIMAL_SHORTEST_SIZE, err) < 0)
		return -1;
	to->size += digits > 0 ? decimal_rounded(value, digits, to->bytes + to->size) :
				 decimal_shortest(value, to->bytes + to->size);
	return 0;
}

#endif
