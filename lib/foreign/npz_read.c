/*
 * npz_read.c - the rows of a matrix in NumPy's .npz format
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "foreign/npz_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "foreign/npy_array.h"
#include "foreign/npy_read.h"
#include "io/zip_file.h"

/* A member that is being read, with the numbers read ahead. */
struct npz_stream {
	int64_t member;
	struct input *input;
	struct npy_array array;
	double number[NPY_AT_ONCE];
	int64_t next, n, left; /* numbers handed out and at hand; numbers still in the file */
};

struct npz_entry {
	double column, value;
};

struct npz_state {
	struct zip_file zip;
	struct npz_stream starts, columns, values;
	struct matrix_reader dense; /* matrix of a dense member */
	int64_t n_cols, n_read;
	double start; /* first entry of the row that is next */
	struct npz_entry *row;
	int64_t row_capacity;
};

static int refuse(const struct npz_state *s, const char *reason, struct error *err)
{
	char shown[512];

	return error_set(err, ERR_FORMAT, "%s: %s",
			 error_quote(shown, sizeof(shown), s->zip.path, strlen(s->zip.path)),
			 reason);
}

/* ---- members ---- */

static int open_stream(struct npz_state *s, struct npz_stream *t, const char *name,
		       struct error *err)
{
	t->member = zip_find(&s->zip, name);
	if (t->member < 0)
		return refuse(s, "some member of a sparse matrix is missing", err);
	if (zip_open_member(&s->zip, t->member, &t->input, err) < 0 ||
	    npy_begin(&t->array, t->input, err) < 0)
		return -1;
	t->left = t->array.dim[0] * t->array.dim[1];
	return 0;
}

static int next_number(struct npz_stream *t, double *x, struct error *err)
{
	if (t->next == t->n) {
		t->n = int64_min(NPY_AT_ONCE, t->left);
		t->next = 0;
		t->left -= t->n;
		if (t->n == 0)
			return error_set(err, ERR_FORMAT, "%s: sparse matrix: too few numbers",
					 input_name(t->input));
		if (npy_numbers(&t->array, t->number, t->n, err) < 0)
			return -1;
	}
	*x = t->number[t->next++];
	return 0;
}

static int end_stream(struct npz_state *s, struct npz_stream *t, struct error *err)
{
	if (t->next < t->n || t->left > 0)
		return refuse(s, "sparse matrix: more numbers than its rows have", err);
	return npy_end(&t->array, err) < 0 ? -1 :
					     zip_check_member(&s->zip, t->member, t->input, err);
}

/* ---- rows ---- */

static int compare_entries(const void *a, const void *b)
{
	const struct npz_entry *x = a, *y = b;

	return (x->column > y->column) - (x->column < y->column);
}

/* The n entries of a row, in the order of their columns; those of the same column are added. */
static int add_row(struct npz_state *s, int64_t n, bool sorted, struct row_batch *to,
		   struct error *err)
{
	if (!sorted)
		qsort(s->row, (size_t)n, sizeof(*s->row), compare_entries);
	for (int64_t k = 0; k < n;) {
		const double column = s->row[k].column;
		double sum = 0;

		for (; k < n && s->row[k].column == column; k++)
			sum += s->row[k].value;
		if (isinf(sum))
			return error_set(err, ERR_FORMAT,
					 "%s: row %" PRId64 ", column %.0f: not finite",
					 s->zip.path, s->n_read + 1, column + 1);
		if (sum != 0 && row_batch_add(to, (int64_t)column + 1, sum, err) < 0)
			return -1;
	}
	return 0;
}

static int read_row(void *state, struct row_batch *to, struct error *err)
{
	struct npz_state *s = state;
	double end;
	int64_t n;
	bool sorted = true;

	if (next_number(&s->starts, &end, err) < 0)
		return -1;
	if (!(end >= s->start && end < 9e15))
		return refuse(s, "sparse matrix: the ends of its rows do not ascend", err);
	n = (int64_t)(end - s->start);
	s->start = end;
	for (int64_t k = 0; k < n; k++) {
		struct npz_entry e;

		if (next_number(&s->columns, &e.column, err) < 0 ||
		    next_number(&s->values, &e.value, err) < 0 ||
		    mem_grow(&s->row, &s->row_capacity, k + 1, sizeof(e), err) < 0)
			return -1;
		if (!(e.column >= 0 && e.column < (double)s->n_cols) || e.column != floor(e.column))
			return refuse(s, "sparse matrix: a column beyond its shape", err);
		sorted = sorted && (k == 0 || s->row[k - 1].column <= e.column);
		s->row[k] = e;
	}
	if (add_row(s, n, sorted, to, err) < 0)
		return -1;
	s->n_read++;
	return 0;
}

static int end(void *state, struct error *err)
{
	struct npz_state *s = state;

	return end_stream(s, &s->starts, err) < 0 || end_stream(s, &s->columns, err) < 0 ||
			       end_stream(s, &s->values, err) < 0 ?
		       -1 :
		       0;
}

static void release(void *state)
{
	struct npz_state *s = state;

	matrix_close(&s->dense);
	input_close(s->starts.input);
	input_close(s->columns.input);
	input_close(s->values.input);
	zip_free(&s->zip);
	mem_free(s->row);
	mem_free(s);
}

/* ---- dense members ---- */

static int read_dense_row(void *state, struct row_batch *to, struct error *err)
{
	struct npz_state *s = state;

	return s->dense.methods->read_row(s->dense.state, to, err);
}

static int end_dense(void *state, struct error *err)
{
	struct npz_state *s = state;

	return s->dense.methods->end(s->dense.state, err) < 0 ?
		       -1 :
		       zip_check_member(&s->zip, s->starts.member, s->starts.input, err);
}

static int open_dense(struct matrix_reader *m, struct npz_state *s, const char *dense,
		      struct error *err)
{
	static const struct matrix_methods methods = { read_dense_row, end_dense, release };
	char name[64];

	m->methods = &methods;
	snprintf(name, sizeof(name), "%s.npy", dense);
	s->starts.member = s->zip.n == 1 ? 0 : zip_find(&s->zip, name);
	if (zip_find(&s->zip, "[Content_Types].xml") >= 0)
		return refuse(s, "a workbook or document, as of Excel: save it as CSV", err);
	if (s->starts.member < 0)
		return error_set(
			err, ERR_FORMAT,
			"%s: an archive with neither a sparse matrix of scipy nor an array "
			"called '%s'",
			s->zip.path, dense);
	if (zip_open_member(&s->zip, s->starts.member, &s->starts.input, err) < 0 ||
	    npy_open(&s->dense, s->starts.input, err) < 0)
		return -1;
	m->n_rows = s->dense.n_rows;
	m->n_cols = s->dense.n_cols;
	return 0;
}

/* ---- opening ---- */

/* The form of the matrix: "csr", as bytes or as text of four bytes a letter. */
static int check_form(struct npz_state *s, struct error *err)
{
	const int64_t k = zip_find(&s->zip, "format.npy");
	struct npy_array a = { 0 };
	struct input *input;
	char form[3];
	int ret = -1;

	if (zip_open_member(&s->zip, k, &input, err) < 0)
		return -1;
	if (npy_begin(&a, input, err) == 0 && a.type == 'S' && a.size == 3 &&
	    npy_bytes(&a, form, 3, err) == 0 && memcmp(form, "csr", 3) == 0)
		ret = 0;
	else
		refuse(s, "a sparse matrix in another form than CSR: save X.tocsr()", err);
	input_close(input);
	return ret;
}

static int open_sparse(struct matrix_reader *m, struct npz_state *s, struct error *err)
{
	static const struct matrix_methods methods = { read_row, end, release };
	struct npz_stream *shape = &s->values;
	double rows, cols;

	m->methods = &methods;
	if (check_form(s, err) < 0 || open_stream(s, shape, "shape.npy", err) < 0 ||
	    next_number(shape, &rows, err) < 0 || next_number(shape, &cols, err) < 0)
		return -1;
	input_close(shape->input);
	*shape = (struct npz_stream){ 0 };
	if (!(rows >= 0 && rows < 9e15 && cols >= 0 && cols < INT32_MAX))
		return refuse(s, "sparse matrix: impossible shape", err);
	m->n_rows = (int64_t)rows;
	m->n_cols = s->n_cols = (int64_t)cols;
	if (open_stream(s, &s->starts, "indptr.npy", err) < 0 ||
	    open_stream(s, &s->columns, "indices.npy", err) < 0 ||
	    open_stream(s, &s->values, "data.npy", err) < 0 ||
	    next_number(&s->starts, &s->start, err) < 0)
		return -1;
	return s->start == 0 ? 0 : refuse(s, "sparse matrix: its rows do not begin at 0", err);
}

int npz_open(struct matrix_reader *m, const char *path, const char *dense, struct error *err)
{
	struct npz_state *s = mem_zeroed(1, sizeof(*s), err);
	int ret;

	*m = (struct matrix_reader){ 0 };
	if (!s)
		return -1;
	m->state = s;
	if (zip_open(&s->zip, path, err) < 0) {
		mem_free(s);
		*m = (struct matrix_reader){ 0 };
		return -1;
	}
	ret = zip_find(&s->zip, "format.npy") >= 0 ? open_sparse(m, s, err) :
						     open_dense(m, s, dense, err);
	if (ret < 0)
		matrix_close(m);
	return ret;
}
