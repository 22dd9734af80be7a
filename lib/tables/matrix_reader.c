/*
 * matrix_reader.c - the rows of a matrix in a format of another program
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/matrix_reader.h"

#include "base/arithmetic.h"

int64_t matrix_read(struct matrix_reader *m, int64_t max_rows, struct row_batch *to,
		    struct error *err)
{
	const int64_t n = int64_min(max_rows, m->n_rows - m->n_read);

	for (int64_t i = 0; i < n; i++)
		if (m->methods->read_row(m->state, to, err) < 0 ||
		    row_batch_end_row(to, 0, err) < 0)
			return -1;
	m->n_read += n;
	if (n == 0 && m->methods->end && m->methods->end(m->state, err) < 0)
		return -1;
	return n;
}

void matrix_close(struct matrix_reader *m)
{
	if (m->methods)
		m->methods->close(m->state);
	input_close(m->input);
	*m = (struct matrix_reader){ 0 };
}
