/*
 * prediction_table_read.c - reading the table of predictions that randsvm-train and svm-eval write
 *
 * How reading works.  The names of the first line say what each column is (note_name()): the number
 * of its class, or of its pair of classes, in the order of first mention.  Then every line fills a
 * row of each array that has columns; the line of names may come again, as in files that were
 * joined.  Without names the columns are those of plain_columns().  Classes and names are found by
 * their texts in hash tables: the columns of pairs of a thousand classes are half a million.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "io/line_reader.h"
#include "tables/text_set.h"
#include "prediction_table.h"

#define BLANKS " \t\r"

enum read_kind { READ_ROW_NUMBER, READ_LABEL, READ_PREDICTION, READ_PROBABILITY, READ_VALUE };

struct read_column {
	enum read_kind kind;
	int64_t place; /* place of the column among those of its kind */
	/* numbers of the classes named by the column; equal numbers: a single class */
	int64_t a, b;
};

/* Number of entries for which the table's arrays have room. */
struct table_room {
	int64_t columns, classes, labels, predictions, values, probabilities;
};

struct table_reader {
	struct prediction_table *t;
	struct line_reader text;
	struct text_set names;	    /* names of the columns, in their order */
	struct text_set classes;    /* labels of the classes, in their order */
	struct read_column *column; /* as many as names */
	int64_t n_values, n_probabilities;
	struct table_room room;
	bool allow_nonfinite;
};

/* Take the next word of the line and end it with a 0 byte; NULL at the end of the line. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, BLANKS), *end = word + strcspn(word, BLANKS);

	*at = *end ? end + 1 : end;
	*end = '\0';
	return end > word ? word : NULL;
}

/* Take the next line that is not empty, without its comment; NULL at the end, or after a failure. */
static char *next_line(struct table_reader *r, struct error *err)
{
	int64_t length;
	char *line;

	while (line_read(&r->text, &line, &length, err) > 0) {
		line[strcspn(line, "#")] = '\0';
		if (line[strspn(line, BLANKS)])
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
static int64_t find_class(struct table_reader *r, int label, struct error *err)
{
	char text[16];
	const int length = snprintf(text, sizeof(text), "%d", label);
	const int64_t k = text_set_add(&r->classes, text, length, err);

	if (k < r->t->columns.n_class)
		return k;
	if (mem_grow(&r->t->class_label, &r->room.classes, k + 1, sizeof(int), err) < 0)
		return -1;
	r->t->class_label[k] = label;
	r->t->columns.n_class = (int)(k + 1);
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
static int note_class(struct table_reader *r, const char *word, struct read_column *c,
		      struct error *err)
{
	const char *slash = strchr(word, '/'), *end = word + strlen(word);
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
	c->kind = is_probability ? READ_PROBABILITY : READ_VALUE;
	if (is_probability) {
		r->n_probabilities++;
		return 0;
	}
	if (r->n_values > 0 && r->t->columns.by_class != !slash)
		return refuse(r, err, "columns of classes and of pairs of classes:", word);
	r->t->columns.by_class = !slash;
	if (slash)
		c->place = r->n_values;
	r->n_values++;
	return 0;
}

static int note_name(struct table_reader *r, const char *word, struct error *err)
{
	const int64_t n = r->names.n, k = text_set_add(&r->names, word, (int64_t)strlen(word), err);
	struct read_column *c;

	if (k < 0 || mem_grow(&r->column, &r->room.columns, n + 1, sizeof(*c), err) < 0)
		return -1;
	if (k < n)
		return refuse(r, err, "a second column", word);
	c = &r->column[k];
	*c = (struct read_column){ .kind = READ_ROW_NUMBER };
	if (strcmp(word, "row") == 0)
		return 0;
	if (strcmp(word, "label") == 0)
		c->kind = READ_LABEL;
	else if (strcmp(word, "prediction") == 0)
		c->kind = READ_PREDICTION;
	else if (strcmp(word, "value") == 0)
		*c = (struct read_column){ .kind = READ_VALUE, .place = r->n_values++ };
	else if (strcmp(word, "labels") == 0)
		return line_fault(&r->text,
				  "predictions without the labels of the rows; "
				  "svm-eval --with-labels writes both",
				  err);
	else
		return note_class(r, word, c, err);
	return 0;
}

/* Are the columns of pairs in the order 0/1, 0/2, ..., 1/2, ...? */
static bool pairs_in_order(const struct table_reader *r)
{
	int64_t a = 0, b = 1;

	for (int64_t k = 0; k < r->names.n; k++) {
		const struct read_column *c = &r->column[k];

		if (c->kind != READ_VALUE)
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
	const bool is_pairs = c->n_class > 0 && !c->by_class;

	if (text_set_find(&r->names, "label", 5) < 0 ||
	    text_set_find(&r->names, "prediction", 10) < 0)
		return line_fault(&r->text,
				  "there are no columns 'label' and 'prediction'; "
				  "svm-eval --with-labels writes them",
				  err);
	c->with_values = r->n_values > 0;
	c->with_probabilities = r->n_probabilities > 0;
	if ((c->with_values && r->n_values != table_n_values(c)) ||
	    (c->with_probabilities && r->n_probabilities != c->n_class) ||
	    (is_pairs && !pairs_in_order(r)))
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %" PRId64 " columns of values and %" PRId64
				 " of probabilities do not belong to %d classes",
				 r->text.name, r->text.line, r->n_values, r->n_probabilities,
				 c->n_class);
	return 0;
}

/* Describe columns without names: label, prediction, and perhaps a decision value. */
static int plain_columns(struct table_reader *r, const char *line, struct error *err)
{
	static const char *const names[] = { "label", "prediction", "value" };
	const char *hint = comma_hint(line);
	int n = 0;

	for (line += strspn(line, BLANKS); *line; line += strspn(line, BLANKS), n++)
		line += strcspn(line, BLANKS);
	if (n < 2 || n > 3)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %d column%s without names; expected label, "
				 "prediction, and perhaps a value%s",
				 r->text.name, r->text.line, n, n == 1 ? "" : "s", hint);
	for (int k = 0; k < n; k++)
		if (note_name(r, names[k], err) < 0)
			return -1;
	return 0;
}

static int grow_rows(struct table_reader *r, struct error *err)
{
	struct prediction_table *t = r->t;
	int64_t n = t->n_rows + 1;

	if (mem_grow(&t->label, &r->room.labels, n, sizeof(double), err) < 0 ||
	    mem_grow(&t->prediction, &r->room.predictions, n, sizeof(double), err) < 0)
		return -1;
	if (r->n_values > 0 &&
	    mem_grow(&t->value, &r->room.values, n * r->n_values, sizeof(double), err) < 0)
		return -1;
	if (r->n_probabilities > 0 && mem_grow(&t->probability, &r->room.probabilities,
					       n * r->n_probabilities, sizeof(double), err) < 0)
		return -1;
	return 0;
}

/* Place for a column's number in the present row; NULL: the number is not kept. */
static double *cell(const struct table_reader *r, const struct read_column *c)
{
	const struct prediction_table *t = r->t;

	switch (c->kind) {
	case READ_LABEL:
		return t->label + t->n_rows;
	case READ_PREDICTION:
		return t->prediction + t->n_rows;
	case READ_VALUE:
		return t->value + t->n_rows * r->n_values + c->place;
	case READ_PROBABILITY:
		return t->probability + t->n_rows * r->n_probabilities + c->place;
	default:
		return NULL;
	}
}

/* Check a number for its column: nan is an unknown label or probability, and values may be any. */
static int check_number(const struct table_reader *r, const struct read_column *c, double x,
			const char *word, struct error *err)
{
	bool is_unknown = isnan(x) && c->kind != READ_PREDICTION;

	if (c->kind == READ_PROBABILITY && !is_unknown && !(x >= 0 && x <= 1))
		return refuse(r, err, "not a probability:", word);
	if (c->kind != READ_VALUE && c->kind != READ_ROW_NUMBER && !isfinite(x) && !is_unknown &&
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

		if (k == r->names.n)
			return refuse(r, err, "one column too many:", word);
		if (decimal_parse(word, end, &value) != end)
			return refuse(r, err, "expected a number, got", word);
		if (check_number(r, &r->column[k], value, word, err) < 0)
			return -1;
		to = cell(r, &r->column[k]);
		if (to)
			*to = value;
	}
	if (k < r->names.n)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %" PRId64 " column%s, expected %" PRId64,
				 r->text.name, r->text.line, k, k == 1 ? "" : "s", r->names.n);
	if (check_prediction(r, err) < 0)
		return -1;
	if (!isnan(r->t->label[r->t->n_rows]))
		r->t->n_rows++;
	return 0;
}

/* Does the line repeat the column names?  Hadoop appends a tab to each line. */
static bool repeats_names(const struct table_reader *r, const char *line)
{
	for (int64_t k = 0;; k++) {
		const char *word = line + strspn(line, BLANKS);
		const int64_t n = (int64_t)strcspn(word, BLANKS);

		if (n == 0 || k == r->names.n)
			return n == 0 && k == r->names.n;
		if (text_set_find(&r->names, word, n) != k)
			return false;
		line = word + n;
	}
}

/* Learn the columns from the first line, which is a row as well where it has no names. */
static int read_first(struct table_reader *r, char *line, struct error *err)
{
	char *word = line + strspn(line, BLANKS);
	double number;

	if (decimal_parse(word, word + strcspn(word, BLANKS), &number))
		return plain_columns(r, line, err) < 0 || check_columns(r, err) < 0 ?
			       -1 :
			       add_line(r, line, err);
	while ((word = next_word(&line)))
		if (note_name(r, word, err) < 0)
			return -1;
	return check_columns(r, err);
}

static int read_lines(struct table_reader *r, struct error *err)
{
	char *line = next_line(r, err);

	if (line && read_first(r, line, err) < 0)
		return -1;
	while (line && (line = next_line(r, err)))
		if (!repeats_names(r, line) && add_line(r, line, err) < 0)
			return -1;
	if (err->code != ERR_NONE)
		return -1;
	if (r->names.n == 0)
		return error_set(err, ERR_FORMAT, "%s: no predictions", r->text.name);
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
				  .text = { .text.from = input, .name = input_name(input) },
				  .allow_nonfinite = allow_nonfinite };
	int ret;

	*t = (struct prediction_table){ 0 };
	ret = read_lines(&r, err) < 0 || choose_kind(&r, err) < 0 ? -1 : 0;
	t->columns.label = t->class_label;
	line_reader_free(&r.text);
	text_set_free(&r.names);
	text_set_free(&r.classes);
	mem_free(r.column);
	if (ret < 0)
		table_free(t);
	return ret;
}
