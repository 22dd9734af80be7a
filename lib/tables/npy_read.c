/*
 * npy_read.c - the numbers of an array in NumPy's .npy format
 *
 * The header is a dictionary of Python with three keys, of which only the forms that NumPy writes
 * are known: a type in quotes, a truth value, and a tuple of integers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/npy_read.h"

#include "base/digits.h"
#include "base/little_endian.h"
#include "base/utf8.h"

/* Longest header: NumPy itself refuses longer ones unless told. */
enum { LONGEST_HEADER = 10000 };

/* Most characters of a text. */
enum { LONGEST_TEXT = 4096 };

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static int refuse(const struct npy_array *a, const char *reason, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: NumPy array: %s", input_name(a->input), reason);
}

/* The next n bytes, all of which there must be. */
static int take_bytes(struct npy_array *a, void *to, int64_t n, struct error *err)
{
	/* where reading fails err keeps the reason */
	return input_read(a->input, to, n, err) == n ?
		       0 :
		       refuse(a, "cut short: it has fewer numbers than its header says", err);
}

/* ---- the header ---- */

/* What follows the colon of a key; NULL if the key is missing. */
static const char *find_key(const char *header, const char *key)
{
	const char *p = strstr(header, key);

	if (!p)
		return NULL;
	p += strlen(key);
	p += strspn(p, "'\" ");
	return *p == ':' ? p + 1 + strspn(p + 1, " ") : NULL;
}

static int parse_type(struct npy_array *a, const char *p, struct error *err)
{
	char order, quote = p ? *p : '\0';
	const char *type;

	if (quote == '[')
		return refuse(a, "records of several fields are not read", err);
	if (quote != '\'' && quote != '"')
		return refuse(a, "its header has no type", err);
	order = *++p;
	if (order == '<' || order == '>' || order == '|' || order == '=')
		p++;
	type = p;
	a->type = *p ? *p++ : '\0';
	a->size = (int)strtol(p, NULL, 10);
	a->is_big = order == '>' || (order != '<' && HOST_IS_BIG);
	if (a->type == 'U')
		a->size = a->size < LONGEST_TEXT ? 4 * a->size : 0;
	if ((a->type == 'f' && (a->size == 2 || a->size == 4 || a->size == 8)) ||
	    ((a->type == 'i' || a->type == 'u') &&
	     (a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8)) ||
	    (a->type == 'b' && a->size == 1) ||
	    (npy_is_text(a) && a->size > 0 && a->size <= 4 * LONGEST_TEXT))
		return 0;
	return error_set(
		err, ERR_FORMAT,
		"%s: NumPy array: its type is '%s': complex numbers, long doubles, dates "
		"and objects are not read: save them .astype(float), or labels .astype(str)",
		input_name(a->input), QUOTED(32, type, strcspn(type, "'\"")));
}

static int parse_shape(struct npy_array *a, const char *p, struct error *err)
{
	int64_t n_all = 1;

	if (!p || *p++ != '(')
		return refuse(a, "its header has no shape", err);
	a->n_dims = 0;
	a->dim[0] = a->dim[1] = a->dim[2] = 1;
	for (;; a->n_dims++) {
		int64_t n = 0;

		p += strspn(p, " ,");
		if (*p == ')')
			break;
		if (a->n_dims == 3)
			return refuse(a, "it has more than two dimensions", err);
		if (!digits_is(*p))
			return refuse(a, "its shape is damaged", err);
		for (; digits_is(*p); p++) {
			n = 10 * n + (*p - '0');
			if (n > INT64_MAX / 1000)
				return refuse(a, "its shape is damaged", err);
		}
		a->dim[a->n_dims] = n;
	}
	for (int k = 0; k < 3; k++) {
		if (a->dim[k] > 0 && n_all > INT64_MAX / 8 / a->dim[k])
			return refuse(a, "its shape is damaged", err);
		n_all *= a->dim[k] > 0 ? a->dim[k] : 1;
	}
	return 0;
}

int npy_begin(struct npy_array *a, struct input *input, struct error *err)
{
	unsigned char start[12];
	char header[LONGEST_HEADER + 1];
	const char *order;
	int64_t length;

	*a = (struct npy_array){ .input = input };
	if (take_bytes(a, start, 10, err) < 0)
		return -1;
	if (memcmp(start, NPY_MAGIC, 6) != 0)
		return refuse(a, "it does not begin as one", err);
	if (start[6] < 1 || start[6] > 3)
		return refuse(a, "its version is none of 1, 2 and 3", err);
	length = start[8] | start[9] << 8;
	if (start[6] > 1) {
		if (take_bytes(a, start + 10, 2, err) < 0)
			return -1;
		length |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
	}
	if (length > LONGEST_HEADER)
		return refuse(a, "its header is too long", err);
	if (take_bytes(a, header, length, err) < 0)
		return -1;
	header[length] = '\0';
	order = find_key(header, "fortran_order");
	if (!order || (*order != 'T' && *order != 'F'))
		return refuse(a, "its header has no order", err);
	a->by_columns = *order == 'T';
	if (parse_type(a, find_key(header, "descr"), err) < 0)
		return -1;
	return parse_shape(a, find_key(header, "shape"), err);
}

/* ---- numbers ---- */

/* The bits of a number, whose bytes are in its array's order. */
static uint64_t load(const struct npy_array *a, const char *p)
{
	char bytes[8] = { 0 };
	uint64_t bits;

	memcpy(bytes, p, (size_t)a->size);
	bits = get_64(bytes);
	return a->is_big ? __builtin_bswap64(bits) >> (64 - 8 * a->size) : bits;
}

/* IEEE 754's binary16: a sign, 5 bits of exponent, 10 of the fraction. */
static double half_of(uint32_t bits)
{
	const int exponent = bits >> 10 & 31, fraction = bits & 1023;
	const double size = exponent == 31 ? (fraction ? NAN : INFINITY) :
			    exponent == 0  ? ldexp(fraction, -24) :
					     ldexp(fraction + 1024, exponent - 25);

	return bits >> 15 ? -size : size;
}

static double real_of(uint64_t bits, int size)
{
	const uint32_t low = (uint32_t)bits;
	float x4;
	double x8;

	if (size == 2)
		return half_of(low);
	if (size == 4) {
		memcpy(&x4, &low, 4);
		return x4;
	}
	memcpy(&x8, &bits, 8);
	return x8;
}

/* Keep the place of number k behind those read before, an integer of that size that is no double. */
static void note_rounded(const struct npy_array *a, int64_t k, uint64_t size, bool is_negative)
{
	const int64_t n = a->n_read + k, row = a->by_columns ? n % a->dim[0] : n / a->dim[1],
		      column = a->by_columns ? n / a->dim[0] : n % a->dim[1];

	input_note_rounded(a->input,
			   a->n_dims == 2 ? FORMATTED(64, ": row %" PRId64 ", column %" PRId64,
						      row + 1, column + 1) :
					    FORMATTED(64, ": number %" PRId64, n + 1),
			   FORMATTED(24, "%s%" PRIu64, is_negative ? "-" : "", size));
}

/* Number k, an integer with these bits; only of 8 bytes may it be no double. */
static double integer_of(const struct npy_array *a, int64_t k, uint64_t bits)
{
	const bool is_negative = a->type == 'i' && bits >> 63;
	const uint64_t size = is_negative ? -bits : bits, most = UINT64_C(1) << 53;

	/* a double has 53 bits, behind which there are zeros */
	if (size > most && size >> __builtin_ctzll(size) > most)
		note_rounded(a, k, size, is_negative);
	return is_negative ? -(double)size : (double)size;
}

/* Number k of those whose bytes are at 'from'. */
static double number_at(const struct npy_array *a, const char *from, int64_t k)
{
	const uint64_t bits = load(a, from + k * a->size);
	const int spare = 64 - 8 * a->size;

	if (a->type == 'f')
		return real_of(bits, a->size);
	if (a->type == 'b')
		return bits != 0;
	return integer_of(a, k,
			  a->type == 'i' ? (uint64_t)((int64_t)(bits << spare) >> spare) : bits);
}

int npy_numbers(struct npy_array *a, double *to, int64_t n, struct error *err)
{
	char bytes[NPY_AT_ONCE * 8];

	if (npy_is_text(a))
		return refuse(a, "of texts, labels alone are read", err);
	if (take_bytes(a, bytes, n * a->size, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++)
		to[k] = number_at(a, bytes, k);
	a->n_read += n;
	return 0;
}

/* ---- texts ---- */

int npy_text(struct npy_array *a, struct byte_buffer *to, struct error *err)
{
	struct npy_array character = *a;
	char bytes[4 * LONGEST_TEXT];

	character.type = 'u';
	character.size = a->type == 'U' ? 4 : 1;
	if (take_bytes(a, bytes, a->size, err) < 0 || byte_buffer_reserve(to, a->size, err) < 0)
		return -1;
	for (int k = 0; k < a->size / character.size; k++) {
		const double c = number_at(&character, bytes, k);

		if (c == 0)
			break;
		if (c > 0x10ffff)
			return refuse(a, "a text is damaged", err);
		if (a->type == 'U')
			to->size = utf8_put(to->bytes + to->size, (uint32_t)c) - to->bytes;
		else
			to->bytes[to->size++] = bytes[k];
	}
	return 0;
}

int npy_end(struct npy_array *a, struct error *err)
{
	char more;

	return input_read(a->input, &more, 1, err) == 0 ?
		       0 :
		       refuse(a, "more bytes than its header says", err);
}

/* ---- The rows of a matrix ---- */

struct npy_state {
	struct npy_array array;
	struct byte_buffer columns; /* bytes of all numbers, in Fortran's order */
	int64_t n_read;		    /* number of rows read */
	double numbers[NPY_AT_ONCE];
};

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
		    take_bytes(&s->array, s->columns.bytes + s->columns.size, n, err) < 0)
			return -1;
		s->columns.size += n;
	}
	return 0;
}

static int take_row(struct npy_state *s, struct row_batch *to, struct error *err)
{
	const struct npy_array *a = &s->array;

	for (int64_t j = 0; j < a->dim[1]; j++) {
		const double x = number_at(a, s->columns.bytes, j * a->dim[0] + s->n_read);

		if (add_number(s, j + 1, x, to, err) < 0)
			return -1;
	}
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
	    (a->n_dims == 0 && refuse(a, "a number, no array", err) < 0) ||
	    (a->n_dims == 3 && refuse(a, "it has more than two dimensions", err) < 0) ||
	    (npy_is_text(a) && npy_numbers(a, s->numbers, 0, err) < 0) ||
	    (a->dim[1] >= INT32_MAX && refuse(a, "too many columns", err) < 0) ||
	    /* no bytes would end the rows */
	    (a->dim[1] == 0 && a->dim[0] >= INT32_MAX &&
	     refuse(a, "too many rows without columns", err) < 0) ||
	    (a->by_columns && a->dim[1] > 1 && read_columns(s, err) < 0)) {
		matrix_close(m);
		return -1;
	}
	m->n_rows = a->dim[0];
	m->n_cols = a->dim[1];
	m->n_entries = a->dim[0] * a->dim[1];
	return 0;
}
