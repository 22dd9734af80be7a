/*
 * prediction_table_read.c - reading the table of predictions that randsvm-train and svm-eval write
 *
 * How reading works.  The names of the first line say what each column is (note_name()): the number
 * of its class, or of its pair of classes, in the order of first mention.  Then every line fills a
 * row of each array that has columns; the line of names may come again, as in files that were
 * joined.  Without names the columns are those of plain_columns().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "prediction_table.h"

enum column_kind {
	COLUMN_IGNORED,
	COLUMN_LABEL,
	COLUMN_PREDICTION,
	COLUMN_PROBABILITY,
	COLUMN_VALUE
};

struct read_column {
	enum column_kind kind;
	int64_t place; /* place of the column among those of its kind */
	/* numbers of the classes named by the column; equal numbers: a single class */
	int a, b;
};

/* The text of the table, cut into lines and words as they are read. */
struct table_text {
	const char *name; /* name of the input */
	char *bytes, *next;
	int64_t size; /* number of bytes of the text */
	int64_t line;
	char *names; /* copy of the first line, if it names the columns */
};

/* The columns found in the first line of the table. */
struct table_layout {
	struct read_column *column;
	int64_t n, capacity;
	int64_t n_values, n_probabilities;
};

/* Number of entries for which the table's arrays have room. */
struct table_room {
	int classes;
	int64_t labels, predictions, values, probabilities;
};

struct table_reader {
	struct prediction_table *t;
	struct table_text text;
	struct table_layout columns;
	struct table_room room;
	bool allow_nonfinite;
};

/* Read the whole input, and end it with a 0 byte. */
static char *read_all(struct input *input, int64_t *length, struct error *err)
{
	enum { PIECE = 1 << 16 };
	int64_t size = 0, capacity = 0, n;
	char *text = NULL;

	do {
		if (mem_grow(&text, &capacity, size + PIECE + 1, 1, err) < 0)
			break;
		n = input_read(input, text + size, PIECE, err);
		if (n >= 0)
			text[size += n] = '\0';
	} while (n > 0);
	*length = size;
	if (err->code == ERR_NONE)
		return text;
	mem_free(text);
	return NULL;
}

/* Take the next word of the line and end it with a 0 byte; NULL at the end of the line. */
static char *next_word(char **at)
{
	char *word = *at;

	while (*word == ' ' || *word == '\t' || *word == '\r')
		word++;
	if (!*word)
		return NULL;
	*at = word;
	while (**at && **at != ' ' && **at != '\t' && **at != '\r')
		++*at;
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* Take the next line that is not empty, without its comment; NULL at the end. */
static char *next_line(struct table_reader *r)
{
	while (*r->text.next) {
		char *line = r->text.next, *end = line + strcspn(line, "\n");

		r->text.next = *end ? end + 1 : end;
		*end = '\0';
		r->text.line++;
		line[strcspn(line, "#")] = '\0';
		if (line[strspn(line, " \t\r")])
			return line;
	}
	return NULL;
}

/* Advice for a word with commas, which come from a table of another program. */
static const char *comma_hint(const char *word)
{
	return strpbrk(word, ",;") ?
		       "; columns are separated by blanks or tabs: tr ',;' ' ' <FILE" :
		       "";
}

static int refuse(const struct table_reader *r, struct error *err, const char *what,
		  const char *word)
{
	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": %s '%.40s'%s", r->text.name,
			 r->text.line, what, word, comma_hint(word));
}

/* Number of the class with a label, added if the label is new; or -1 without memory. */
static int find_class(struct table_reader *r, int label, struct error *err)
{
	struct prediction_table *t = r->t;
	int64_t capacity = r->room.classes;
	int k = 0;

	while (k < t->columns.n_class && t->class_label[k] != label)
		k++;
	if (k < t->columns.n_class)
		return k;
	if (mem_grow(&t->class_label, &capacity, k + 1, sizeof(int), err) < 0)
		return -1;
	r->room.classes = (int)capacity;
	t->class_label[k] = label;
	t->columns.n_class = k + 1;
	return k;
}

/* Is the text up to 'end' a whole number of 32 bits? */
static bool parse_label(const char *text, const char *end, int *label)
{
	char *stop;
	long value = strtol(text, &stop, 10);

	*label = (int)value;
	return stop == end && stop > text && value >= INT_MIN && value <= INT_MAX;
}

/* Note the classes in a column name such as "1/2", "p:1" or "1". */
static int note_class(struct table_reader *r, char *word, struct read_column *c, struct error *err)
{
	char *slash = strchr(word, '/'), *end = word + strlen(word);
	bool is_probability = strncmp(word, "p:", 2) == 0;
	int a, b;

	if (is_probability)
		word += 2;
	if (!parse_label(word, slash ? slash : end, &a) ||
	    (slash && (is_probability || !parse_label(slash + 1, end, &b))))
		return refuse(r, err, "unknown column", word);
	c->place = c->a = c->b = find_class(r, a, err);
	if (c->a >= 0 && slash)
		c->b = find_class(r, b, err);
	if (c->a < 0 || c->b < 0)
		return -1;
	c->kind = is_probability ? COLUMN_PROBABILITY : COLUMN_VALUE;
	if (is_probability) {
		r->columns.n_probabilities++;
		return 0;
	}
	if (r->columns.n_values > 0 && r->t->columns.by_class != !slash)
		return refuse(r, err, "columns of classes and of pairs of classes:", word);
	r->t->columns.by_class = !slash;
	if (slash)
		c->place = r->columns.n_values;
	r->columns.n_values++;
	return 0;
}

/* Does the last column repeat the name of an earlier column? */
static bool is_repeated(const struct table_reader *r)
{
	const struct read_column *last = &r->columns.column[r->columns.n - 1];

	for (const struct read_column *c = r->columns.column;
	     c < last && last->kind != COLUMN_IGNORED; c++)
		if (c->kind == last->kind && c->a == last->a && c->b == last->b)
			return true;
	return false;
}

static int note_name(struct table_reader *r, char *word, struct error *err)
{
	struct read_column *c;

	if (mem_grow(&r->columns.column, &r->columns.capacity, r->columns.n + 1, sizeof(*c), err) <
	    0)
		return -1;
	c = &r->columns.column[r->columns.n++];
	*c = (struct read_column){ .kind = COLUMN_IGNORED };
	if (strcmp(word, "row") == 0)
		return 0;
	if (strcmp(word, "label") == 0)
		c->kind = COLUMN_LABEL;
	else if (strcmp(word, "prediction") == 0)
		c->kind = COLUMN_PREDICTION;
	else if (strcmp(word, "value") == 0)
		*c = (struct read_column){ .kind = COLUMN_VALUE, .place = r->columns.n_values++ };
	else if (strcmp(word, "labels") == 0)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": predictions without the labels of the rows; "
				 "svm-eval --with-labels writes both",
				 r->text.name, r->text.line);
	else if (note_class(r, word, c, err) < 0)
		return -1;
	return is_repeated(r) ? refuse(r, err, "a second column", word) : 0;
}

static bool has_column(const struct table_reader *r, enum column_kind kind)
{
	for (int64_t k = 0; k < r->columns.n; k++)
		if (r->columns.column[k].kind == kind)
			return true;
	return false;
}

/* Are the columns of pairs in the order 0/1, 0/2, ..., 1/2, ...? */
static bool pairs_in_order(const struct table_reader *r)
{
	int a = 0, b = 1;

	for (int64_t k = 0; k < r->columns.n && !r->t->columns.by_class; k++) {
		const struct read_column *c = &r->columns.column[k];

		if (c->kind != COLUMN_VALUE || r->t->columns.n_class == 0)
			continue;
		if (c->a != a || c->b != b)
			return false;
		if (++b == r->t->columns.n_class)
			b = ++a + 1;
	}
	return true;
}

/* Do the columns of values go round the classes as the programs write them? */
static int check_columns(struct table_reader *r, struct error *err)
{
	struct table_columns *c = &r->t->columns;

	if (!has_column(r, COLUMN_LABEL) || !has_column(r, COLUMN_PREDICTION))
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": there are no columns 'label' and 'prediction'; "
				 "svm-eval --with-labels writes them",
				 r->text.name, r->text.line);
	c->with_values = r->columns.n_values > 0;
	c->with_probabilities = r->columns.n_probabilities > 0;
	if ((c->with_values && r->columns.n_values != table_n_values(c)) ||
	    (c->with_probabilities && r->columns.n_probabilities != c->n_class) ||
	    !pairs_in_order(r))
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %" PRId64 " columns of values and %" PRId64
				 " of probabilities do not belong to %d classes",
				 r->text.name, r->text.line, r->columns.n_values,
				 r->columns.n_probabilities, c->n_class);
	return 0;
}

/* Describe columns without names: label, prediction, and perhaps a decision value. */
static int plain_columns(struct table_reader *r, const char *line, struct error *err)
{
	const char *hint = comma_hint(line);
	char label[] = "label", prediction[] = "prediction", value[] = "value";
	int n = 0;

	for (bool blank = true; *line; line++) {
		bool was_blank = blank;

		blank = isspace((unsigned char)*line);
		n += was_blank && !blank;
	}
	if (n < 2 || n > 3)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %d column%s without names; expected label, "
				 "prediction, and perhaps a value%s",
				 r->text.name, r->text.line, n, n == 1 ? "" : "s", hint);
	if (note_name(r, label, err) < 0 || note_name(r, prediction, err) < 0)
		return -1;
	return n > 2 ? note_name(r, value, err) : 0;
}

static int grow_rows(struct table_reader *r, struct error *err)
{
	struct prediction_table *t = r->t;
	int64_t n = t->n_rows + 1;

	if (mem_grow(&t->label, &r->room.labels, n, sizeof(double), err) < 0 ||
	    mem_grow(&t->prediction, &r->room.predictions, n, sizeof(double), err) < 0)
		return -1;
	if (r->columns.n_values > 0 &&
	    mem_grow(&t->value, &r->room.values, n * r->columns.n_values, sizeof(double), err) < 0)
		return -1;
	if (r->columns.n_probabilities > 0 &&
	    mem_grow(&t->probability, &r->room.probabilities, n * r->columns.n_probabilities,
		     sizeof(double), err) < 0)
		return -1;
	return 0;
}

/* Place for a column's number in the present row; NULL: the number is not kept. */
static double *cell(const struct table_reader *r, const struct read_column *c)
{
	const struct prediction_table *t = r->t;

	switch (c->kind) {
	case COLUMN_LABEL:
		return t->label + t->n_rows;
	case COLUMN_PREDICTION:
		return t->prediction + t->n_rows;
	case COLUMN_VALUE:
		return t->value + t->n_rows * r->columns.n_values + c->place;
	case COLUMN_PROBABILITY:
		return t->probability + t->n_rows * r->columns.n_probabilities + c->place;
	default:
		return NULL;
	}
}

/* Check a number for its column: nan is an unknown label or probability, and values may be any. */
static int check_number(const struct table_reader *r, const struct read_column *c, double x,
			const char *word, struct error *err)
{
	bool is_unknown = isnan(x) && c->kind != COLUMN_PREDICTION;

	if (c->kind == COLUMN_PROBABILITY && !is_unknown && !(x >= 0 && x <= 1))
		return refuse(r, err, "not a probability:", word);
	if (c->kind != COLUMN_VALUE && c->kind != COLUMN_IGNORED && !isfinite(x) && !is_unknown &&
	    !r->allow_nonfinite)
		return refuse(r, err, "not finite (--allow-nonfinite accepts it):", word);
	return 0;
}

/* Check that the prediction is a named class; labels of examples may be of other classes. */
static int check_prediction(const struct table_reader *r, struct error *err)
{
	const struct prediction_table *t = r->t;
	double prediction = t->prediction[t->n_rows];
	int k = 0;

	while (k < t->columns.n_class && t->class_label[k] != prediction)
		k++;
	if (t->columns.n_class == 0 || k < t->columns.n_class)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "%s:%" PRId64 ": the prediction %g is no class of the columns",
			 r->text.name, r->text.line, prediction);
}

static int add_line(struct table_reader *r, char *line, struct error *err)
{
	char *word;
	int64_t k = 0;

	if (grow_rows(r, err) < 0)
		return -1;
	for (; (word = next_word(&line)); k++) {
		const char *end = word + strlen(word);
		double value, *to;

		if (k == r->columns.n)
			return refuse(r, err, "one column too many:", word);
		if (decimal_parse(word, end, &value) != end)
			return refuse(r, err, "expected a number, got", word);
		if (check_number(r, &r->columns.column[k], value, word, err) < 0)
			return -1;
		to = cell(r, &r->columns.column[k]);
		if (to)
			*to = value;
	}
	if (k < r->columns.n)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %" PRId64 " column%s, expected %" PRId64,
				 r->text.name, r->text.line, k, k == 1 ? "" : "s", r->columns.n);
	if (check_prediction(r, err) < 0)
		return -1;
	if (!isnan(r->t->label[r->t->n_rows]))
		r->t->n_rows++;
	return 0;
}

/* Length without the blanks at the end; Hadoop appends a tab to each line. */
static size_t trimmed_length(const char *line)
{
	size_t n = strlen(line);

	while (n > 0 && strchr(" \t\r", line[n - 1]))
		n--;
	return n;
}

static int read_names(struct table_reader *r, char *line, struct error *err)
{
	size_t length = trimmed_length(line);
	char *word;

	r->text.names = mem_array((int64_t)length + 1, 1, err);
	if (!r->text.names)
		return -1;
	memcpy(r->text.names, line, length);
	r->text.names[length] = '\0';
	while ((word = next_word(&line)))
		if (note_name(r, word, err) < 0)
			return -1;
	return check_columns(r, err);
}

/* Does the line repeat the column names? */
static bool repeats_names(const struct table_reader *r, const char *line)
{
	return r->text.names && strncmp(line, r->text.names, strlen(r->text.names)) == 0 &&
	       trimmed_length(line) == strlen(r->text.names);
}

static int read_lines(struct table_reader *r, struct error *err)
{
	char *line = next_line(r);
	const char *word;
	double number;

	if (!line)
		return error_set(err, ERR_FORMAT, "%s: no predictions", r->text.name);
	word = line + strspn(line, " \t");
	if (decimal_parse(word, word + strcspn(word, " \t\r"), &number)) {
		if (plain_columns(r, line, err) < 0 || check_columns(r, err) < 0 ||
		    add_line(r, line, err) < 0)
			return -1;
	} else if (read_names(r, line, err) < 0) {
		return -1;
	}
	while ((line = next_line(r)))
		if (!repeats_names(r, line) && add_line(r, line, err) < 0)
			return -1;
	/* a line ends at a byte 0, which next_line() does not pass */
	if (r->text.next < r->text.bytes + r->text.size)
		return error_set(err, ERR_FORMAT, "%s: a byte 0: damaged, or no text",
				 r->text.name);
	if (r->t->n_rows == 0)
		return error_set(err, ERR_FORMAT, "%s: no predictions of rows with a label",
				 r->text.name);
	return 0;
}

/* Order labels and predictions as classes, the largest first, if no column names classes. */
static int compare_labels(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static bool is_label(double x)
{
	return x == trunc(x) && fabs(x) <= INT_MAX;
}

/* Do all rows hold labels of classes, and only 1 and -1? */
static void look_at_labels(const struct prediction_table *t, bool *classes, bool *sides)
{
	*classes = *sides = true;
	for (int64_t i = 0; i < t->n_rows; i++) {
		*classes = *classes && is_label(t->label[i]) && is_label(t->prediction[i]);
		*sides = *sides && fabs(t->label[i]) == 1 && fabs(t->prediction[i]) == 1;
	}
}

/* List the classes in order, each once. */
static int list_classes(struct prediction_table *t, struct error *err)
{
	int64_t n = 0;

	t->class_label = mem_array(2 * t->n_rows, sizeof(int), err);
	if (!t->class_label)
		return -1;
	for (int64_t i = 0; i < t->n_rows; i++) {
		t->class_label[2 * i] = (int)t->label[i];
		t->class_label[2 * i + 1] = (int)t->prediction[i];
	}
	qsort(t->class_label, (size_t)(2 * t->n_rows), sizeof(int), compare_labels);
	for (int64_t k = 0; k < 2 * t->n_rows; k++)
		if (n == 0 || t->class_label[k] != t->class_label[n - 1])
			t->class_label[n++] = t->class_label[k];
	t->columns.n_class = (int)n;
	return 0;
}

static int choose_kind(struct table_reader *r, struct error *err)
{
	struct prediction_table *t = r->t;
	bool classes, sides;

	look_at_labels(t, &classes, &sides);
	t->kind = t->columns.n_class > 0 ? PREDICTS_CLASS : PREDICTS_VALUE;
	if (t->columns.n_class > 0 || !classes)
		return 0;
	if (sides) {
		t->kind = PREDICTS_SIDE;
		return 0;
	}
	if (list_classes(t, err) < 0)
		return -1;
	t->kind = PREDICTS_CLASS;
	/* a single value is not a value for each pair of more than two classes */
	t->columns.with_values = t->columns.with_values && t->columns.n_class == 2;
	return 0;
}

int table_read(struct prediction_table *t, struct input *input, bool allow_nonfinite,
	       struct error *err)
{
	struct table_reader r = { .t = t,
				  .text.name = input_name(input),
				  .allow_nonfinite = allow_nonfinite };
	int ret = -1;

	*t = (struct prediction_table){ 0 };
	r.text.bytes = r.text.next = read_all(input, &r.text.size, err);
	if (r.text.bytes && read_lines(&r, err) == 0 && choose_kind(&r, err) == 0)
		ret = 0;
	t->columns.label = t->class_label;
	mem_free(r.text.bytes);
	mem_free(r.text.names);
	mem_free(r.columns.column);
	if (ret < 0)
		table_free(t);
	return ret;
}
