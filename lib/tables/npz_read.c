/*
 * npz_read.c - the rows of a matrix in NumPy's .npz format
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/npz_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "tables/npy_read.h"

/* The forms of scipy's sparse matrices, and where their numbers are. */
enum form { CSR, CSC, BSR, COO, N_FORMS };
static const struct {
	const char *name, *starts, *columns;
} forms[N_FORMS] = {
	[CSR] = { "csr", "indptr.npy", "indices.npy" },
	[CSC] = { "csc", "indptr.npy", "indices.npy" },
	[BSR] = { "bsr", "indptr.npy", "indices.npy" },
	[COO] = { "coo", "row.npy", "col.npy" },
};

/* A member that is being read, with the numbers read ahead. */
struct npz_stream {
	struct input *input;
	struct npy_array array;
	double number[NPY_AT_ONCE];
	int64_t next, n, left; /* numbers handed out and at hand; numbers still in the file */
};

struct npz_state {
	struct zip_file zip;
	struct npz_stream starts, columns, values;
	int64_t n_rows, n_cols, n_read;
	bool by_columns;	/* CSC: what is said of rows is true of columns */
	double start;		/* first entry of the row that is next; of BSR the first block */
	struct entry_list list; /* entries of the row, or of all rows */
};

/* ---- members ---- */

static int open_stream(struct npz_state *s, struct npz_stream *t, const char *name,
		       struct error *err)
{
	const int64_t member = zip_find(&s->zip, name);

	if (member < 0)
		return zip_refuse(&s->zip, "some member of a sparse matrix is missing", err);
	if (zip_open_member(&s->zip, member, &t->input, err) < 0 ||
	    npy_begin(&t->array, t->input, err) < 0)
		return -1;
	if (t->array.by_columns && t->array.n_dims > 1)
		return zip_refuse(&s->zip,
				  "sparse matrix: numbers in Fortran's order: save X.tocsr()", err);
	t->left = t->array.dim[0] * t->array.dim[1] * t->array.dim[2];
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
		return zip_refuse(&s->zip, "sparse matrix: more numbers than its rows have", err);
	return npy_end(&t->array, err);
}

/* ---- rows ---- */

/* An entry, whose row and column count from 0. */
static int add_place(struct npz_state *s, double row, double column, double value,
		     struct error *err)
{
	if (!(row >= 0 && row < (double)s->n_rows && column >= 0 && column < (double)s->n_cols) ||
	    row != floor(row) || column != floor(column))
		return zip_refuse(&s->zip, "sparse matrix: an entry beyond its shape", err);
	if (isinf(value))
		return error_set(err, ERR_FORMAT, "%s: row %.0f, column %.0f: not finite",
				 s->zip.path, row + 1, column + 1);
	if (value == 0)
		return 0;
	return entry_list_add(&s->list, (int64_t)row + 1, (int32_t)column + 1, value, err);
}

/* The numbers of block (i, j), one but for BSR. */
static int read_block(struct npz_state *s, int64_t i, double j, struct error *err)
{
	const int64_t n_rows = s->values.array.dim[1], n_cols = s->values.array.dim[2];
	double value = 0;

	for (int64_t r = 0; r < n_rows; r++)
		for (int64_t c = 0; c < n_cols; c++) {
			const double row = (double)i * (double)n_rows + (double)r,
				     column = j * (double)n_cols + (double)c;

			if (next_number(&s->values, &value, err) < 0 ||
			    add_place(s, s->by_columns ? column : row, s->by_columns ? row : column,
				      value, err) < 0)
				return -1;
		}
	return 0;
}

/* The blocks of row i. */
static int read_blocks(struct npz_state *s, int64_t i, struct error *err)
{
	const double start = s->start;
	double j;

	if (next_number(&s->starts, &s->start, err) < 0)
		return -1;
	if (!(s->start >= start && s->start < 9e15))
		return zip_refuse(&s->zip, "sparse matrix: the ends of its rows do not ascend",
				  err);
	for (double k = start; k < s->start; k++)
		if (next_number(&s->columns, &j, err) < 0 || read_block(s, i, j, err) < 0)
			return -1;
	return 0;
}

static int read_row(void *state, struct row_batch *to, struct error *err)
{
	struct npz_state *s = state;

	s->list.n = s->list.next = 0;
	if (read_blocks(s, s->n_read++, err) < 0)
		return -1;
	entry_list_sort(&s->list);
	return entry_list_row(&s->list, to, err);
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

	entry_list_free(&s->list);
	input_close(s->starts.input);
	input_close(s->columns.input);
	input_close(s->values.input);
	zip_free(&s->zip);
	mem_free(s);
}

/* ---- the other forms, whose rows do not follow one another ---- */

static int read_all_blocks(struct npz_state *s, struct error *err)
{
	const int64_t n = s->by_columns ? s->n_cols : s->n_rows, size = s->values.array.dim[1];

	if (size == 0 || n % size != 0)
		return zip_refuse(&s->zip, "sparse matrix: blocks that do not fill its rows", err);
	for (int64_t i = 0; i < n / size; i++)
		if (read_blocks(s, i, err) < 0)
			return -1;
	return 0;
}

static int read_places(struct npz_state *s, struct error *err)
{
	double row, column, value;

	for (int64_t k = s->values.array.dim[0]; k > 0; k--)
		if (next_number(&s->starts, &row, err) < 0 ||
		    next_number(&s->columns, &column, err) < 0 ||
		    next_number(&s->values, &value, err) < 0 ||
		    add_place(s, row, column, value, err) < 0)
			return -1;
	return 0;
}

/* ---- dense members ---- */

/* The member with the array of that name, or the only one; -1 with ERR_FORMAT */
static int64_t find_array(const struct zip_file *zip, const char *name, struct error *err)
{
	char member[64];
	int64_t k;

	snprintf(member, sizeof(member), "%s.npy", name);
	k = zip->n == 1 ? 0 : zip_find(zip, member);
	if (zip_find(zip, "[Content_Types].xml") >= 0 || zip_find(zip, "content.xml") >= 0)
		return zip_refuse(zip, "a workbook or document, as of Excel: save it as CSV", err);
	if (k < 0)
		return error_set(
			err, ERR_FORMAT,
			"%s: an archive with neither a sparse matrix of scipy nor an array "
			"called '%s'",
			zip->path, name);
	return k;
}

int npz_open_array(struct input **input, const char *path, const char *name, struct error *err)
{
	struct zip_file zip;
	int64_t k;
	int ret;

	*input = NULL;
	if (zip_open(&zip, path, err) < 0)
		return -1;
	k = find_array(&zip, name, err);
	ret = k < 0 ? -1 : zip_open_member(&zip, k, input, err);
	zip_free(&zip);
	return ret;
}

static int open_dense(struct matrix_reader *m, const char *path, const char *name,
		      struct error *err)
{
	struct input *input;

	if (npz_open_array(&input, path, name, err) < 0)
		return -1;
	if (npy_open(m, input, err) < 0) {
		input_close(input);
		return -1;
	}
	m->input = input;
	return 0;
}

/* ---- opening ---- */

/* The form of the matrix, or -1. */
static int find_form(struct npz_state *s, struct error *err)
{
	struct byte_buffer name = { 0 };
	struct npy_array a = { 0 };
	struct input *input;
	int form = N_FORMS;

	if (zip_open_member(&s->zip, zip_find(&s->zip, "format.npy"), &input, err) < 0)
		return -1;
	if (npy_begin(&a, input, err) == 0 && npy_is_text(&a) && npy_text(&a, &name, err) == 0)
		for (form = CSR; form < N_FORMS; form++)
			if (name.size == 3 && memcmp(name.bytes, forms[form].name, 3) == 0)
				break;
	byte_buffer_free(&name);
	input_close(input);
	return form < N_FORMS ?
		       form :
		       zip_refuse(
			       &s->zip,
			       "a sparse matrix in another form than CSR, CSC, BSR and COO, such as DIA: save X.tocsr()",
			       err);
}

/* Rows of CSR come from the file as they are read; of the other forms all entries are read first. */
static int open_sparse(struct matrix_reader *m, struct npz_state *s, struct error *err)
{
	static const struct matrix_methods methods = { read_row, end, release };
	struct npz_stream *shape = &s->values;
	const int form = find_form(s, err);
	double rows, cols;

	if (form < 0 || open_stream(s, shape, "shape.npy", err) < 0 ||
	    next_number(shape, &rows, err) < 0 || next_number(shape, &cols, err) < 0)
		return -1;
	input_close(shape->input);
	*shape = (struct npz_stream){ 0 };
	if (!(rows >= 0 && rows < 9e15 && cols >= 0 && cols < INT32_MAX))
		return zip_refuse(&s->zip, "sparse matrix: impossible shape", err);
	m->n_rows = s->n_rows = (int64_t)rows;
	m->n_cols = s->n_cols = (int64_t)cols;
	if (open_stream(s, &s->starts, forms[form].starts, err) < 0 ||
	    open_stream(s, &s->columns, forms[form].columns, err) < 0 ||
	    open_stream(s, &s->values, "data.npy", err) < 0)
		return -1;
	m->numbers = s->values.input;
	s->by_columns = form == CSC;
	if (form <= BSR && next_number(&s->starts, &s->start, err) < 0)
		return -1;
	if (s->start != 0)
		return zip_refuse(&s->zip, "sparse matrix: its rows do not begin at 0", err);
	if (form != CSR) {
		if ((form == COO ? read_places(s, err) : read_all_blocks(s, err)) < 0 ||
		    end(s, err) < 0 || entry_list_reader(m, &s->list, err) < 0)
			return -1;
		m->input = s->values.input;
		s->values.input = NULL;
		return 0;
	}
	m->n_entries = s->values.left;
	m->methods = &methods;
	m->state = s;
	return 0;
}

int npz_open(struct matrix_reader *m, const char *path, const char *dense, struct error *err)
{
	struct npz_state *s = mem_zeroed(1, sizeof(*s), err);
	int ret = -1;

	*m = (struct matrix_reader){ 0 };
	if (!s)
		return -1;
	if (zip_open(&s->zip, path, err) == 0)
		ret = zip_find(&s->zip, "format.npy") >= 0 ? open_sparse(m, s, err) :
							     open_dense(m, path, dense, err);
	if (m->state != s)
		release(s);
	return ret;
}
