/*
 * matrix_reader.c - the rows of a matrix in a format of another program
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/matrix_reader.h"

#include "base/order.h"

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

/* ---- Entries in any order, as rows ---- */

int entry_list_add(struct entry_list *l, int64_t row, int32_t column, double value,
		   struct error *err)
{
	if (mem_grow(&l->entry, &l->capacity, l->n + 1, sizeof(*l->entry), err) < 0)
		return -1;
	l->entry[l->n++] = (struct matrix_entry){ row, column, value };
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct matrix_entry *x = a, *y = b;

	return x->row != y->row ? ORDER_OF(x->row, y->row) : ORDER_OF(x->column, y->column);
}

void entry_list_sort(struct entry_list *l)
{
	for (int64_t k = 1; k < l->n; k++)
		if (compare_entries(&l->entry[k - 1], &l->entry[k]) > 0) {
			qsort(l->entry, (size_t)l->n, sizeof(*l->entry), compare_entries);
			return;
		}
}

int entry_list_row(void *list, struct row_batch *to, struct error *err)
{
	struct entry_list *l = list;
	const struct matrix_entry *e = &l->entry[l->next], *end = &l->entry[l->n];

	l->row++;
	while (e < end && e->row == l->row) {
		const int32_t column = e->column;
		double sum = 0;

		for (; e < end && e->row == l->row && e->column == column; e++)
			sum += e->value;
		if (sum != 0 && row_batch_add(to, column, sum, err) < 0)
			return -1;
	}
	l->next = e - l->entry;
	return 0;
}

void entry_list_free(struct entry_list *l)
{
	mem_free(l->entry);
	*l = (struct entry_list){ 0 };
}

/* ---- a list as a matrix ---- */

static void release(void *state)
{
	entry_list_free(state);
	mem_free(state);
}

int entry_list_reader(struct matrix_reader *m, struct entry_list *l, struct error *err)
{
	static const struct matrix_methods methods = { .read_row = entry_list_row,
						       .close = release };
	struct entry_list *state = mem_zeroed(1, sizeof(*state), err);

	if (!state)
		return -1;
	entry_list_sort(l);
	*state = *l;
	*l = (struct entry_list){ 0 };
	m->methods = &methods;
	m->state = state;
	m->n_entries = state->n;
	return 0;
}
