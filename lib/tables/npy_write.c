/*
 * npy_write.c - rows as an array in NumPy's .npy format, version 1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/mem.h"
#include "tables/matrix_write.h"
#include "tables/npy_array.h"

/* The header ends where the numbers are aligned to 64 bytes. */
enum { ALIGNMENT = 64, LONGEST = 192 };

static int write_header(const struct matrix_writer *w, struct error *err)
{
	char text[LONGEST], lead[10] = NPY_MAGIC "\1";
	int n = snprintf(text, sizeof(text),
			 "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64
			 "), }",
			 w->rows->n_rows, w->n_columns + w->labels);

	while ((10 + n + 1) % ALIGNMENT != 0)
		text[n++] = ' ';
	text[n++] = '\n';
	lead[8] = (char)(n & 255);
	lead[9] = (char)(n >> 8);
	return output_write(w->to, lead, sizeof(lead), err) < 0 ? -1 :
								  output_write(w->to, text, n, err);
}

/* The bytes of a number, lowest first, on any machine. */
static void put(unsigned char *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, 8);
	put_64(to, bits);
}

static int write_row(const struct matrix_writer *w, int64_t i, unsigned char *line,
		     struct error *err)
{
	const struct row_batch *b = w->rows;
	const int64_t n = w->n_columns + w->labels;

	memset(line, 0, (size_t)n * 8);
	if (w->labels)
		put(line, b->label[i]);
	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		put(line + 8 * (b->index[k] - 1 + w->labels), b->value[k]);
	return output_write(w->to, line, n * 8, err);
}

int npy_write(const struct matrix_writer *w, struct error *err)
{
	unsigned char *line = mem_array(w->n_columns + 1, 8, err);
	int ret = line ? write_header(w, err) : -1;

	for (int64_t i = 0; i < w->rows->n_rows && ret == 0; i++)
		ret = write_row(w, i, line, err);
	mem_free(line);
	return ret;
}
