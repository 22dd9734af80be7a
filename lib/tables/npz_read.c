/*
 * npz_read.c - the rows of a matrix in NumPy's .npz format: a zip archive of arrays
 *
 * First the archive, struct zip_file, which knows nothing of matrices; then the matrix in it, one
 * array, or the three of a sparse matrix as scipy saves it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/npy_read.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/little_endian.h"

/* ---- zip archives ---- */

/*
 *     file = { local header, data }  central directory  end record
 *
 * Only what the central directory lists is a member.  Archives of more than 4 GB have zip64's
 * records, which are read; encryption, other methods and archives of several files are refused.
 *
 * Weighed: libzip (well kept, but depends on OpenSSL's and bzip2's libraries for what is refused
 * here, and reads stored bytes through a buffer of its own) and minizip (reads one member at a time
 * for each open archive, where a sparse matrix needs three at once).  Reading the directory is a
 * page; the deflated bytes go through the inflater of gzip, which may be ISA-L's.
 *
 * Source: PKWARE, APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.
 *
 * How this works.
 *
 *  (1) The end record is searched backwards from the end of the file, as a comment of up to 65,535
 *      bytes may follow it.  With zip64 a locator stands right before it, and names the offset of
 *      zip64's end record.
 *  (2) The entries of the central directory have sizes and checksum of each member.  Fields of 32
 *      bits that are all ones are in zip64's extra field, in a fixed order.
 *  (3) Lengths of the local header, which may differ from the directory's, tell where data begin.
 *  (4) A deflated member becomes one of gzip: the same bytes between a header of ten bytes and a
 *      trailer of CRC-32 and size, as the directory has them; so one inflater reads, and checks,
 *      both formats.
 */
struct zip_member {
	int64_t name_start, name_length; /* place of the name in zip->directory */
	int method;			 /* 0: stored, 8: deflated */
	int64_t header, packed, size;	 /* offset of the local header; bytes stored and unpacked */
	uint32_t checksum;		 /* CRC-32 of the unpacked bytes */
};

/* Owns its arrays and the open file; 'path' is borrowed. */
struct zip_file {
	const char *path;
	int fd; /* -1: no file is open */
	int64_t file_size, n;
	struct zip_member *member;
	int64_t capacity;
	struct byte_buffer directory; /* bytes of the central directory */
};

enum { END_RECORD = 22, LOCATOR = 20, END_RECORD_64 = 56, ENTRY = 46, LOCAL_HEADER = 30 };
enum { LONGEST_COMMENT = 65535 };
enum { ENCRYPTED = 1 }; /* bit of an entry's flags */

#define refuse(zip, reason, err) zip_refuse(zip, "zip archive: " reason, err)

static int zip_refuse(const struct zip_file *zip, const char *reason, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: %s", QUOTED(512, zip->path, strlen(zip->path)),
			 reason);
}

/* Bytes first .. first + size - 1 of the file. */
static int read_at(const struct zip_file *zip, void *to, int64_t first, int64_t size,
		   struct error *err)
{
	int64_t done = 0;
	ssize_t n = 1;

	if (first < 0 || size < 0 || size > zip->file_size || first > zip->file_size - size)
		return refuse(zip, "cut short, or damaged", err);
	while (done < size && n > 0) {
		n = pread(zip->fd, (char *)to + done, (size_t)(size - done), (off_t)(first + done));
		done += n > 0 ? n : 0;
	}
	if (n < 0)
		return error_set(err, ERR_IO, "%s: %s", zip->path, strerror(errno));
	return done == size ? 0 : refuse(zip, "cut short, or damaged", err);
}

static void zip_free(struct zip_file *zip)
{
	if (zip->fd >= 0)
		close(zip->fd);
	mem_free(zip->member);
	byte_buffer_free(&zip->directory);
	*zip = (struct zip_file){ .fd = -1 };
}

/* ---- the directory, (1) and (2) ---- */

/* Where the central directory is. */
struct zip_place {
	int64_t first, size, n;
};

/* (1): zip64's end record, if its locator stands before the end record */
static int find_zip64(const struct zip_file *zip, int64_t end_record, struct zip_place *place,
		      struct error *err)
{
	char locator[LOCATOR], record[END_RECORD_64];

	if (end_record < LOCATOR)
		return 0;
	if (read_at(zip, locator, end_record - LOCATOR, LOCATOR, err) < 0)
		return -1;
	if (memcmp(locator, "PK\6\7", 4) != 0)
		return 0;
	if (read_at(zip, record, (int64_t)get_64(locator + 8), END_RECORD_64, err) < 0)
		return -1;
	if (memcmp(record, "PK\6\6", 4) != 0)
		return refuse(zip, "zip64's end record is damaged", err);
	*place = (struct zip_place){ .first = (int64_t)get_64(record + 48),
				     .size = (int64_t)get_64(record + 40),
				     .n = (int64_t)get_64(record + 32) };
	return 0;
}

/* (1): the end record */
static int find_directory(const struct zip_file *zip, struct zip_place *place, struct error *err)
{
	const int64_t size = int64_min(zip->file_size, END_RECORD + LONGEST_COMMENT);
	const char *record = NULL;
	char *tail = mem_array(size, 1, err);
	int ret = -1;

	if (tail)
		ret = read_at(zip, tail, zip->file_size - size, size, err);
	for (int64_t k = size - END_RECORD; ret == 0 && k >= 0 && !record; k--)
		if (memcmp(tail + k, "PK\5\6", 4) == 0)
			record = tail + k;
	if (record) {
		*place = (struct zip_place){ .first = get_32(record + 16),
					     .size = get_32(record + 12),
					     .n = get_16(record + 10) };
		ret = find_zip64(zip, zip->file_size - size + (record - tail), place, err);
	} else if (ret == 0) {
		ret = refuse(zip, "cut short: it has no directory", err);
	}
	mem_free(tail);
	return ret;
}

/* (2): fields of zip64's extra field, for those that are all ones */
static void read_extra(struct zip_member *m, const char *extra, const char *end)
{
	int64_t *const field[] = { &m->size, &m->packed, &m->header };

	for (; end - extra >= 4; extra += 4 + get_16(extra + 2)) {
		const char *p = extra + 4, *last = p + get_16(extra + 2);

		if (last > end)
			break;
		if (get_16(extra) != 1)
			continue;
		for (int k = 0; k < 3; k++) {
			if (*field[k] != UINT32_MAX || last - p < 8)
				continue;
			*field[k] = (int64_t)get_64(p);
			p += 8;
		}
	}
}

/* (2): the entry at *at of the directory, which moves behind it */
static int read_entry(struct zip_file *zip, int64_t *at, struct error *err)
{
	const int64_t left = zip->directory.size - *at;
	const char *p = left < ENTRY ? "" : zip->directory.bytes + *at;
	struct zip_member m = { .name_start = *at + ENTRY };
	int64_t length;

	if (strncmp(p, "PK\1\2", 4) != 0)
		return refuse(zip, "its directory is damaged", err);
	m.name_length = get_16(p + 28);
	length = ENTRY + m.name_length + get_16(p + 30) + get_16(p + 32);
	if (length > left)
		return refuse(zip, "its directory is damaged", err);
	m.method = (int)get_16(p + 10);
	m.checksum = get_32(p + 16);
	m.packed = get_32(p + 20);
	m.size = get_32(p + 24);
	m.header = get_32(p + 42);
	read_extra(&m, p + ENTRY + m.name_length, p + ENTRY + m.name_length + get_16(p + 30));
	if (get_16(p + 8) & ENCRYPTED)
		return refuse(zip, "its members are encrypted", err);
	if (m.method != 0 && m.method != 8)
		return refuse(zip, "its members are neither stored nor deflated", err);
	if (m.size < 0 || m.packed < 0 || m.header < 0 || (m.method == 0 && m.packed != m.size))
		return refuse(zip, "its directory is damaged", err);
	if (mem_grow(&zip->member, &zip->capacity, zip->n + 1, sizeof(m), err) < 0)
		return -1;
	zip->member[zip->n++] = m;
	*at += length;
	return 0;
}

static int read_directory(struct zip_file *zip, struct error *err)
{
	struct zip_place place = { 0 };
	int64_t at = 0;

	if (find_directory(zip, &place, err) < 0)
		return -1;
	if (place.size < 0 || place.size > zip->file_size)
		return refuse(zip, "its directory is damaged", err);
	if (byte_buffer_reserve(&zip->directory, place.size, err) < 0 ||
	    read_at(zip, zip->directory.bytes, place.first, place.size, err) < 0)
		return -1;
	zip->directory.size = place.size;
	for (int64_t k = 0; k < place.n; k++)
		if (read_entry(zip, &at, err) < 0)
			return -1;
	return 0;
}

static int zip_open(struct zip_file *zip, const char *path, struct error *err)
{
	struct stat st;
	int ret = -1;

	*zip = (struct zip_file){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (zip->fd < 0)
		return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (fstat(zip->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		refuse(zip, "it has to be a file, as it is not read from its beginning on", err);
	} else {
		zip->file_size = st.st_size;
		ret = read_directory(zip, err);
	}
	if (ret < 0)
		zip_free(zip);
	return ret;
}

static int64_t zip_find(const struct zip_file *zip, const char *name)
{
	for (int64_t k = 0; k < zip->n; k++)
		if (zip->member[k].name_length == (int64_t)strlen(name) &&
		    memcmp(zip->directory.bytes + zip->member[k].name_start, name, strlen(name)) ==
			    0)
			return k;
	return -1;
}

/* ---- members, (3) and (4) ---- */

/* (3): where the data of a member begin, or -1 */
static int64_t find_data(const struct zip_file *zip, const struct zip_member *m, struct error *err)
{
	char header[LOCAL_HEADER];
	int64_t first;

	if (read_at(zip, header, m->header, LOCAL_HEADER, err) < 0)
		return -1;
	first = m->header + LOCAL_HEADER + get_16(header + 26) + get_16(header + 28);
	if (memcmp(header, "PK\3\4", 4) != 0 || m->packed > zip->file_size ||
	    first > zip->file_size - m->packed)
		return refuse(zip, "cut short, or damaged", err);
	return first;
}

static int zip_open_member(const struct zip_file *zip, int64_t k, struct input **input,
			   struct error *err)
{
	static const uint8_t head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	const struct zip_member *m = &zip->member[k];
	struct input_part part = { .size = m->packed };
	uint8_t tail[8];

	part.first = find_data(zip, m, err);
	if (part.first < 0)
		return -1;
	if (m->method == 8) { /* (4) */
		put_32(tail, m->checksum);
		put_32(tail + 4, (uint32_t)m->size);
		part.head = head;
		part.n_head = sizeof(head);
		part.tail = tail;
		part.n_tail = sizeof(tail);
	} else {
		part.checksum = &m->checksum;
	}
	return input_open_part(input, zip->path, &part, err);
}

/* ---- scipy's matrices ---- */

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

/* ---- numbers of a member ---- */

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

	if (end_stream(s, &s->starts, err) < 0 || end_stream(s, &s->columns, err) < 0)
		return -1;
	return end_stream(s, &s->values, err);
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
	const int64_t k = zip->n == 1 ? 0 : zip_find(zip, FORMATTED(64, "%s.npy", name));

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
