/*
 * mtx_read.c - the rows of a matrix in MatrixMarket's format
 *
 * How this works.  A list of entries is read, with the mirror image of each if the matrix is
 * symmetric; it is sorted by rows and columns, and handed out a row at a time.  Numbers of an array
 * are entries that follow one another down the columns, those of a symmetric one from the diagonal
 * down (of a skew-symmetric one from below it).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/matrix_reader.h"

#include <strings.h>

#include "base/decimal.h"
#include "io/line_reader.h"

enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct mtx_state {
	struct line_reader lines;
	bool is_array, is_pattern;
	enum symmetry symmetry;
	int64_t n_rows, n_cols, n_promised;
	struct entry_list list;
};

/* ---- the header ---- */

/* Place of the next word of *text in the list, or -1; *text moves behind it. */
static int next_word(char **text, const char *const *list)
{
	char *word = *text + strspn(*text, " \t");
	const size_t length = strcspn(word, " \t");

	*text = word + length;
	for (int k = 0; list[k]; k++)
		if (strlen(list[k]) == length && strncasecmp(word, list[k], length) == 0)
			return k;
	return -1;
}

static int read_banner(struct mtx_state *s, char *line, struct error *err)
{
	static const char *const objects[] = { MTX_MAGIC, &MTX_MAGIC[1], "matrix", NULL };
	static const char *const forms[] = { "coordinate", "array", NULL };
	static const char *const fields[] = { "pattern", "complex",	     "real", "double",
					      "integer", "unsigned-integer", NULL };
	/* numbers that are no complex ones are hermitian where they are symmetric */
	static const char *const symmetries[] = { "general", "symmetric", "skew-symmetric",
						  "hermitian", NULL };
	int form, field, symmetry;

	if (next_word(&line, objects) < 0 || next_word(&line, objects) != 2)
		return line_fault(&s->lines, "no matrix in MatrixMarket's format", err);
	form = next_word(&line, forms);
	field = next_word(&line, fields);
	symmetry = next_word(&line, symmetries);
	if (form < 0)
		return line_fault(&s->lines, "neither coordinate nor array", err);
	if (field == 1)
		return line_fault(&s->lines, "its numbers are complex: write real ones", err);
	if (field < 0 || (field == 0 && form == 1))
		return line_fault(&s->lines, "its numbers are none of real, integer and pattern",
				  err);
	if (symmetry < 0)
		return line_fault(&s->lines,
				  "its symmetry is none of general, symmetric and skew-symmetric",
				  err);
	s->is_array = form == 1;
	s->is_pattern = field == 0;
	s->symmetry = symmetry == 3 ? SYMMETRIC : (enum symmetry)symmetry;
	return 0;
}

/* The next number of a line; false if there is none. */
static bool take_number(char **line, double *x)
{
	const char *end;
	char *p = *line + strspn(*line, " \t");

	end = *p ? decimal_parse(p, p + strlen(p), x) : NULL;
	if (!end || (*end && *end != ' ' && *end != '\t'))
		return false;
	*line = p + (end - p);
	return true;
}

/* The next number of a line, a value, which may be an integer that is no double. */
static bool take_value(struct mtx_state *s, char **line, double *value)
{
	const char *start = *line + strspn(*line, " \t");

	if (!take_number(line, value))
		return false;
	if (decimal_is_rounded(start, *line, *value))
		input_note_rounded(s->lines.text.from, FORMATTED(24, ":%" PRId64, s->lines.line),
				   QUOTED(40, start, (size_t)(*line - start)));
	return true;
}

static bool at_end(const char *line)
{
	return line[strspn(line, " \t")] == '\0';
}

static bool is_count(double x, double most)
{
	return x >= 0 && x <= most && x == floor(x);
}

static int read_sizes(struct mtx_state *s, struct error *err)
{
	char *line;
	double rows, cols, n = 0;

	/* where reading fails err keeps the reason, here and below */
	if (line_read_data(&s->lines, &line, err) <= 0 || !take_number(&line, &rows) ||
	    !take_number(&line, &cols) || (!s->is_array && !take_number(&line, &n)) ||
	    !at_end(line) || !is_count(rows, INT32_MAX - 1) || !is_count(cols, INT32_MAX - 1) ||
	    !is_count(n, 9e15))
		return line_fault(&s->lines,
				  s->is_array ? "expected rows and columns" :
						"expected rows, columns and entries",
				  err);
	if (s->symmetry != GENERAL && rows != cols)
		return line_fault(&s->lines, "symmetric, but not square", err);
	s->n_rows = (int64_t)rows;
	s->n_cols = (int64_t)cols;
	s->n_promised = (int64_t)n;
	return 0;
}

/* ---- entries ---- */

/* An entry and, in a symmetric matrix, its mirror image. */
static int add_both(struct mtx_state *s, int64_t row, int64_t column, double value,
		    struct error *err)
{
	if (value == 0)
		return 0;
	if (isinf(value))
		return line_fault(&s->lines, "not finite", err);
	if (entry_list_add(&s->list, row, (int32_t)column, value, err) < 0)
		return -1;
	if (s->symmetry == GENERAL || row == column)
		return 0;
	return entry_list_add(&s->list, column, (int32_t)row, s->symmetry == SKEW ? -value : value,
			      err);
}

static int read_coordinates(struct mtx_state *s, struct error *err)
{
	for (int64_t k = 0; k < s->n_promised; k++) {
		char *line;
		double row, column, value = 1;

		if (line_read_data(&s->lines, &line, err) <= 0)
			return error_set(err, ERR_FORMAT,
					 "%s: %" PRId64 " entries promised, %" PRId64 " found",
					 s->lines.name, s->n_promised, k);
		if (!take_number(&line, &row) || !take_number(&line, &column) ||
		    (!s->is_pattern && !take_value(s, &line, &value)) || !at_end(line))
			return line_fault(&s->lines,
					  s->is_pattern ? "expected row and column" :
							  "expected row, column and value",
					  err);
		if (!is_count(row - 1, (double)s->n_rows - 1) ||
		    !is_count(column - 1, (double)s->n_cols - 1))
			return line_fault(&s->lines, "outside of the matrix", err);
		if (s->symmetry != GENERAL && row - column < (s->symmetry == SKEW))
			return line_fault(&s->lines,
					  s->symmetry == SKEW ?
						  "not below the diagonal of a skew matrix" :
						  "above the diagonal of a symmetric matrix",
					  err);
		if (add_both(s, (int64_t)row, (int64_t)column, value, err) < 0)
			return -1;
	}
	return 0;
}

static int read_array(struct mtx_state *s, struct error *err)
{
	for (int64_t j = 1; j <= s->n_cols && s->n_rows > 0; j++) {
		const int64_t first = s->symmetry == GENERAL   ? 1 :
				      s->symmetry == SYMMETRIC ? j :
								 j + 1;

		for (int64_t i = first; i <= s->n_rows; i++) {
			char *line;
			double value;

			if (line_read_data(&s->lines, &line, err) <= 0)
				return error_set(err, ERR_FORMAT, "%s: too few numbers",
						 s->lines.name);
			if (!take_value(s, &line, &value) || !at_end(line))
				return line_fault(&s->lines, "expected a number", err);
			if (add_both(s, i, j, value, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- all of it ---- */

static int read_all(struct mtx_state *s, struct error *err)
{
	char *line;

	if (line_read(&s->lines, &line, err) <= 0)
		return error_set(err, ERR_FORMAT, "%s: empty", s->lines.name);
	if (read_banner(s, line, err) < 0 || read_sizes(s, err) < 0 ||
	    (s->is_array ? read_array(s, err) : read_coordinates(s, err)) < 0)
		return -1;
	return line_read_data(&s->lines, &line, err) == 0 ?
		       0 :
		       line_fault(&s->lines, "more lines than promised", err);
}

int mtx_open(struct matrix_reader *m, struct input *input, struct error *err)
{
	struct mtx_state s = { .lines = { .text.from = input, .name = input_name(input) } };
	int ret = read_all(&s, err);

	*m = (struct matrix_reader){ .n_rows = s.n_rows, .n_cols = s.n_cols, .numbers = input };
	if (ret == 0)
		ret = entry_list_reader(m, &s.list, err);
	line_reader_free(&s.lines);
	entry_list_free(&s.list);
	return ret;
}
