/*
 * npy_read.c - the rows of a matrix in NumPy's .npy format
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/npy_read.h"

#include <inttypes.h>
#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "io/byte_buffer.h"

struct npy_state {
	struct npy_array array;
	struct byte_buffer columns; /* bytes of all numbers, in Fortran's order */
	int64_t n_read;		    /* number of rows read */
	double numbers[NPY_AT_ONCE];
};

static int fault(const struct npy_state *s, const char *reason, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: %s", input_name(s->array.input), reason);
}

static int add_number(struct npy_state *s, int64_t column, double value, struct row_batch *to,
		      struct error *err)
{
	if (isinf(value))
		return error_set(err, ERR_FORMAT,
				 "%s: row %" PRId64 ", column %" PRId64 ": not finite",
				 input_name(s->array.input), s->n_read + 1, column);
	return value == 0 ? 0 : row_batch_add(to, column, value, err);
}

/* A row in C's order, some numbers at a time. */
static int read_row(struct npy_state *s, struct row_batch *to, struct error *err)
{
	const int64_t n = s->array.dim[1];

	for (int64_t j = 0; j < n; j += NPY_AT_ONCE) {
		const int64_t here = int64_min(NPY_AT_ONCE, n - j);

		if (npy_numbers(&s->array, s->numbers, here, err) < 0)
			return -1;
		for (int64_t k = 0; k < here; k++)
			if (add_number(s, j + k + 1, s->numbers[k], to, err) < 0)
				return -1;
	}
	return 0;
}

/* All numbers of an array in Fortran's order; memory grows as they come. */
static int read_columns(struct npy_state *s, struct error *err)
{
	const int64_t size = s->array.dim[0] * s->array.dim[1] * s->array.size;

	while (s->columns.size < size) {
		const int64_t n = int64_min(size - s->columns.size, 1 << 20);

		if (byte_buffer_reserve(&s->columns, n, err) < 0 ||
		    npy_bytes(&s->array, s->columns.bytes + s->columns.size, n, err) < 0)
			return -1;
		s->columns.size += n;
	}
	return 0;
}

static int take_row(struct npy_state *s, struct row_batch *to, struct error *err)
{
	for (int64_t j = 0; j < s->array.dim[1]; j++)
		if (add_number(s, j + 1,
			       npy_number(&s->array, s->columns.bytes,
					  j * s->array.dim[0] + s->n_read),
			       to, err) < 0)
			return -1;
	return 0;
}

static int next_row(void *state, struct row_batch *to, struct error *err)
{
	struct npy_state *s = state;
	const int ret = s->columns.size > 0 ? take_row(s, to, err) : read_row(s, to, err);

	s->n_read++;
	return ret;
}

static int end(void *state, struct error *err)
{
	return npy_end(&((struct npy_state *)state)->array, err);
}

static void release(void *state)
{
	struct npy_state *s = state;

	byte_buffer_free(&s->columns);
	mem_free(s);
}

int npy_open(struct matrix_reader *m, struct input *input, struct error *err)
{
	static const struct matrix_methods methods = { next_row, end, release };
	struct npy_state *s = mem_zeroed(1, sizeof(*s), err);
	struct npy_array *a;

	*m = (struct matrix_reader){ 0 };
	if (!s)
		return -1;
	*m = (struct matrix_reader){ .methods = &methods, .state = s, .numbers = input };
	a = &s->array;
	if (npy_begin(a, input, err) < 0 ||
	    (a->n_dims == 0 && fault(s, "a number, no array", err) < 0) ||
	    (a->n_dims == 3 && fault(s, "it has more than two dimensions", err) < 0) ||
	    (npy_is_text(a) && npy_numbers(a, s->numbers, 0, err) < 0) ||
	    (a->dim[1] >= INT32_MAX && fault(s, "too many columns", err) < 0) ||
	    /* no bytes would end the rows */
	    (a->dim[1] == 0 && a->dim[0] >= INT32_MAX &&
	     fault(s, "too many rows without columns", err) < 0) ||
	    (a->by_columns && a->dim[1] > 1 && read_columns(s, err) < 0)) {
		matrix_close(m);
		return -1;
	}
	m->n_rows = a->dim[0];
	m->n_cols = a->dim[1];
	m->n_entries = a->dim[0] * a->dim[1];
	return 0;
}
