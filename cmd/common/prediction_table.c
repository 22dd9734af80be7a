/*
 * prediction_table.c - the names of the columns of predictions, and reading them with the rows
 *
 * The names of the first line say what each column is (note_name()) and, once all are known, where
 * its numbers stand in a row of the table (place_columns()).  Every line fills a row; the line of
 * names may come again, as in files that were joined.  Without names the columns are those of
 * plain_names.  Classes and names are found in hash tables: the columns of pairs of a thousand
 * classes are half a million.
 *
 * Names of classes, as words of lib/tables/class_names.h, stand for the numbers that --labels gives
 * them, as label and as prediction.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "base/order.h"
#include "io/line_reader.h"
#include "prediction_table.h"

void table_name_values(const struct prediction_columns *c, const struct class_names *names,
		       struct output *to, struct error *err)
{
	if (c->n_class == 0)
		output_printf(to, err, " value");
	for (int a = 0; a < c->n_class; a++) {
		if (c->by_class)
			output_printf(to, err, " %s", CLASS_WORD(names, c->label[a]));
		for (int b = a + 1; b < c->n_class && !c->by_class; b++)
			output_printf(to, err, " %s/%s", CLASS_WORD(names, c->label[a]),
				      CLASS_WORD(names, c->label[b]));
	}
}

void table_name_columns(const struct prediction_columns *c, bool with_groups, struct output *to,
			struct error *err)
{
	output_printf(to, err, "label prediction");
	for (int a = 0; a < c->n_class && c->with_probabilities; a++)
		output_printf(to, err, " p:%d", c->label[a]);
	if (c->with_values)
		table_name_values(c, NULL, to, err);
	output_printf(to, err, with_groups ? " group\n" : "\n");
}

/* ---- reading ---- */

enum read_kind { READ_GROUP, READ_ROW, READ_LABEL, READ_PREDICTION, READ_VALUE, READ_PROBABILITY };

struct read_column {
	enum read_kind kind;
	int64_t a, b;  /* numbers of the classes named by the column; equal numbers: a single one */
	int64_t place; /* its place in a row of the table; -1: its numbers are not kept */
};

struct table_reader {
	struct prediction_table *t;
	const struct class_names *labels; /* names of the classes; may be empty */
	struct line_reader text;
	char **word; /* words of the line, without its comment */
	int64_t n_words;
	struct text_set names, classes; /* names of columns and labels of classes, in their order */
	struct read_column *column;	/* as many as names */
	int64_t n_values, n_probabilities;
	int64_t words_capacity, columns_capacity, classes_capacity, numbers_capacity;
	bool allow_nonfinite;
	/* there are names that are no labels, and bare numbers that are both */
	bool has_names, has_numbers;
};

/* What is between words. */
#define BLANKS " \t\r"

static const char *const plain_names[] = { "label", "prediction", "value" };

/* What a word says: one that was in quotes begins with a quote yet, by which names are known. */
static const char *text_of(const char *word)
{
	return word + (*word == '"');
}

/* The word at '*line', which moves behind it; without other quotes than the first. */
static char *take_word(char **line)
{
	char *word = *line, *p = word + (*word == '"'), *to = p;

	if (p > word)
		for (; *p && (*p != '"' || *++p == '"'); p++)
			*to++ = *p;
	/* what is behind quotes is of the word, too */
	while (!strchr(BLANKS "#", *p))
		*to++ = *p++;
	*line = p;
	if (to < p)
		*to = '\0';
	return word;
}

/* Take the words of the next line that has some, up to a '#': 1, 0 at the end, or -1. */
static int next_line(struct table_reader *r, struct error *err)
{
	char *line;
	int ret = 1;

	r->n_words = 0;
	while (r->n_words == 0 && (ret = line_read(&r->text, &line, err)) > 0)
		for (line += strspn(line, BLANKS); *line && *line != '#';
		     line += strspn(line, BLANKS)) {
			if (mem_grow(&r->word, &r->words_capacity, r->n_words + 1, sizeof(char *),
				     err) < 0)
				return -1;
			r->word[r->n_words++] = take_word(&line);
			if (*line == '#')
				line[1] = '\0';
			if (*line)
				*line++ = '\0';
		}
	return ret;
}

/* Advice for a word with commas, which come from a table of another program. */
static const char *comma_hint(const char *word)
{
	return strpbrk(word, ",;") ?
		       "; columns are separated by blanks or tabs: tr ',;' ' ' <FILE" :
		       "";
}

/* Fail with the file's name, the number of the line at hand and a reason; is -1. */
#define fault(r, err, format, ...)                                                            \
	error_set(err, ERR_FORMAT, "%s:%" PRId64 ": " format, (r)->text.name, (r)->text.line, \
		  ##__VA_ARGS__)

static int refuse(const struct table_reader *r, struct error *err, const char *what,
		  const char *word)
{
	return fault(r, err, "%s '%.40s'%s", what, word, comma_hint(word));
}

/* ---- the columns ---- */

/* Number of the class whose label is the text up to 'end', added if it is new; or -1. */
static int64_t find_class(struct table_reader *r, const char *text, const char *end,
			  const char *name, struct error *err)
{
	char *stop;
	const long number = strtol(text, &stop, 10);
	const int label = (int)number;
	int64_t k;

	if (stop != end || stop == text || label != number)
		return refuse(r, err, "unknown column", name);
	k = text_set_add(&r->classes, (const char *)&label, sizeof(label), err);
	if (k < 0 ||
	    mem_grow(&r->t->class_label, &r->classes_capacity, k + 1, sizeof(int), err) < 0)
		return -1;
	r->t->class_label[k] = label;
	r->t->columns.n_class = (int)r->classes.n;
	return k;
}

/* Note the classes in a column name such as "1/2", "p:1" or "1". */
static int note_class(struct table_reader *r, const char *name, struct read_column *c,
		      struct error *err)
{
	const bool is_probability = strncmp(name, "p:", 2) == 0;
	const char *label = is_probability ? name + 2 : name, *end = name + strlen(name);
	const char *slash = is_probability ? NULL : strchr(name, '/');

	c->kind = is_probability ? READ_PROBABILITY : READ_VALUE;
	c->a = c->b = find_class(r, label, slash ? slash : end, label, err);
	if (c->a >= 0 && slash)
		c->b = find_class(r, slash + 1, end, label, err);
	if (c->a < 0 || c->b < 0)
		return -1;
	if (!is_probability && r->n_values > 0 && r->t->columns.by_class != !slash)
		return refuse(r, err, "columns of classes and of pairs of classes:", name);
	if (!is_probability)
		r->t->columns.by_class = !slash;
	return 0;
}

static int note_name(struct table_reader *r, const char *name, struct error *err)
{
	static const char *const kinds[] = { "group", "row", "label", "prediction", "value" };
	const int64_t n = r->names.n, k = text_set_add(&r->names, name, (int64_t)strlen(name), err);
	struct read_column *c;
	int kind = READ_GROUP;

	if (k < 0 || mem_grow(&r->column, &r->columns_capacity, n + 1, sizeof(*c), err) < 0)
		return -1;
	if (k < n)
		return refuse(r, err, "a second column", name);
	if (strcmp(name, "labels") == 0)
		return fault(r, err,
			     "predictions without the labels of the rows; "
			     "svm-eval --with-labels writes both");
	while (kind <= READ_VALUE && strcmp(name, kinds[kind]) != 0)
		kind++;
	c = &r->column[k];
	*c = (struct read_column){ .kind = kind };
	if (kind > READ_VALUE && note_class(r, name, c, err) < 0)
		return -1;
	r->t->has_row_numbers |= c->kind == READ_ROW;
	r->n_values += c->kind == READ_VALUE;
	r->n_probabilities += c->kind == READ_PROBABILITY;
	return 0;
}

/*
 * Give the columns their places: label, prediction, probabilities, values.  False if values of pairs
 * are not in the order 0/1, 0/2, ..., 1/2, ....
 */
static bool place_columns(struct table_reader *r)
{
	const bool is_pairs = r->t->columns.n_class > 0 && !r->t->columns.by_class;
	int64_t a = 0, b = 1, n_values = 0;

	for (struct read_column *c = r->column; c < r->column + r->names.n; c++) {
		c->place = (int64_t)c->kind - READ_LABEL;
		if (c->kind == READ_PROBABILITY)
			c->place = 2 + c->a;
		if (c->kind != READ_VALUE)
			continue;
		if (is_pairs && (c->a != a || c->b != b))
			return false;
		if (++b == r->t->columns.n_class)
			b = ++a + 1;
		c->place = 2 + r->n_probabilities + (r->t->columns.by_class ? c->a : n_values++);
	}
	r->t->width = 2 + r->n_probabilities + r->n_values;
	return true;
}

static int take_columns(struct table_reader *r, int64_t n, const char *const *name,
			struct error *err)
{
	struct prediction_columns *c = &r->t->columns;

	for (int64_t k = 0; k < n; k++)
		if (note_name(r, text_of(name[k]), err) < 0)
			return -1;
	if (text_set_find(&r->names, "label", 5) < 0 ||
	    text_set_find(&r->names, "prediction", 10) < 0)
		return fault(r, err,
			     "there are no columns 'label' and 'prediction'; "
			     "svm-eval --with-labels writes them");
	c->with_values = r->n_values > 0;
	c->with_probabilities = r->n_probabilities > 0;
	if ((!c->with_values || r->n_values == prediction_n_values(c)) &&
	    (!c->with_probabilities || r->n_probabilities == c->n_class) && place_columns(r))
		return 0;
	return fault(r, err,
		     "%" PRId64 " columns of values and %" PRId64
		     " of probabilities do not belong to %d classes",
		     r->n_values, r->n_probabilities, c->n_class);
}

static int plain_columns(struct table_reader *r, struct error *err)
{
	const int64_t n = r->n_words;
	const char *hint = "";

	for (int64_t k = 0; k < n && !*hint; k++)
		hint = comma_hint(r->word[k]);
	if (n < 2 || n > 3)
		return fault(r, err,
			     "%" PRId64 " column%s without names; expected "
			     "label, prediction, and perhaps a value%s",
			     n, n == 1 ? "" : "s", hint);
	return take_columns(r, n, plain_names, err);
}

/* ---- the rows ---- */

/*
 * Read the number, or the class, for column k: nan is an unknown label or probability, and values may
 * be any.  The name of a group is kept, and is no number.  A number without quotes that is a label and
 * the name of another class is that label, as where labels are written without names; files that have
 * such numbers and names, too, are refused.  One in quotes is a name: columns are of labels, and it is
 * refused beside them where no name is known.
 */
static int read_number(struct table_reader *r, int64_t k, double *x, struct error *err)
{
	const struct read_column *c = &r->column[k];
	const char *word = text_of(r->word[k]), *end = word + strlen(word);
	const bool is_number = decimal_parse(word, end, x) == end;
	double label;
	const bool names_classes = c->kind == READ_LABEL || c->kind == READ_PREDICTION;
	const bool is_name = names_classes && class_names_label(r->labels, word, &label);
	const bool is_label =
		is_name && word == r->word[k] && class_names_is_number(r->labels, label);

	if (c->kind == READ_GROUP && (word == end || (is_number && isnan(*x))))
		return refuse(r, err, "expected the name of a group, got", word);
	if (c->kind == READ_GROUP)
		return row_groups_add(&r->t->groups, word, end - word, err);
	if (names_classes && word != r->word[k] && !is_name && r->classes.n > 0)
		return fault(r, err, "the name of a class, which --labels explains: '%.40s'", word);
	r->has_numbers |= is_label && !isnan(*x);
	r->has_names |= is_name && !is_label && !(is_number && *x == label);
	if (r->has_names && r->has_numbers)
		return fault(r, err,
			     "names of classes beside numbers that are labels and names of others: "
			     "put such names in quotes");
	if (is_name && !is_label)
		*x = label;
	else if (!is_number)
		return refuse(r, err, "expected a number, or a name of --labels, got", word);
	if (isnan(*x) && c->kind != READ_PREDICTION)
		return 0;
	if (c->kind == READ_PROBABILITY && !(*x >= 0 && *x <= 1))
		return refuse(r, err, "not a probability:", word);
	if (c->place >= 0 && c->kind != READ_VALUE && !isfinite(*x) && !r->allow_nonfinite)
		return refuse(r, err, "not finite (--allow-nonfinite accepts it):", word);
	return 0;
}

static bool is_label(double x)
{
	return x == trunc(x) && fabs(x) <= INT_MAX;
}

/* Check that the prediction is a class of the columns; labels of examples may be of others. */
static int check_prediction(const struct table_reader *r, double prediction, struct error *err)
{
	const int label = is_label(prediction) ? (int)prediction : 0;

	if (r->classes.n == 0 ||
	    (label == prediction &&
	     text_set_find(&r->classes, (const char *)&label, sizeof(label)) >= 0))
		return 0;
	return fault(r, err, "the prediction %g is no class of the columns", prediction);
}

static int add_line(struct table_reader *r, struct error *err)
{
	struct prediction_table *t = r->t;
	const int64_t n = r->n_words, n_columns = r->names.n;
	double *row, x = 0;

	if (mem_grow(&t->row, &r->numbers_capacity, (t->n_rows + 1) * t->width, sizeof(double),
		     err) < 0)
		return -1;
	row = t->row + t->n_rows * t->width;
	for (int64_t k = 0; k < n; k++) {
		if (k == n_columns)
			return refuse(r, err, "one column too many:", r->word[k]);
		if (read_number(r, k, &x, err) < 0)
			return -1;
		if (r->column[k].place >= 0)
			row[r->column[k].place] = x;
	}
	if (n < n_columns)
		return fault(r, err, "%" PRId64 " column%s, expected %" PRId64, n,
			     n == 1 ? "" : "s", n_columns);
	if (check_prediction(r, row[1], err) < 0)
		return -1;
	t->n_rows += !isnan(row[0]);
	t->n_unlabelled += isnan(row[0]);
	t->groups.n = int64_min(t->groups.n, t->n_rows);
	return 0;
}

/* Does the line repeat the column names? */
static bool repeats_names(const struct table_reader *r)
{
	int64_t k = 0;

	while (k < r->n_words && text_set_find(&r->names, text_of(r->word[k]),
					       (int64_t)strlen(text_of(r->word[k]))) == k)
		k++;
	return k == r->n_words && k == r->names.n;
}

static int read_lines(struct table_reader *r, struct error *err)
{
	double number;
	int ret = next_line(r, err);

	/* the first line is a row as well where it has no names */
	if (ret > 0 && decimal_parse(text_of(r->word[0]), strchr(r->word[0], '\0'), &number))
		ret = plain_columns(r, err) < 0 || add_line(r, err) < 0 ? -1 : 1;
	else if (ret > 0 && take_columns(r, r->n_words, (const char *const *)r->word, err) < 0)
		ret = -1;
	while (ret > 0 && (ret = next_line(r, err)) > 0) {
		/* of svm-eval --on-error answer, or names of columns; but it may be the name of a class */
		const bool is_row = class_names_label(r->labels, r->word[0], &number);

		if (!is_row && strcmp(r->word[0], "error:") == 0)
			r->t->n_unlabelled++;
		else if ((is_row || !repeats_names(r)) && add_line(r, err) < 0)
			ret = -1;
	}
	if (ret == 0 && r->t->n_rows == 0)
		return error_set(err, ERR_FORMAT, "%s: no predictions%s", r->text.name,
				 r->names.n > 0 ? " of rows with a label" : "");
	return ret;
}

/* ---- classes, where no column names them ---- */

/* List the classes, the largest first, each once. */
static int list_classes(struct prediction_table *t, struct error *err)
{
	int64_t n = 0;

	t->class_label = mem_array(2 * t->n_rows, sizeof(int), err);
	if (!t->class_label)
		return -1;
	for (int64_t i = 0; i < 2 * t->n_rows; i++)
		t->class_label[i] = -(int)t->row[i / 2 * t->width + i % 2];
	qsort(t->class_label, (size_t)(2 * t->n_rows), sizeof(int), order_int32s);
	for (int64_t k = 0; k < 2 * t->n_rows; k++)
		if (n == 0 || -t->class_label[k] != t->class_label[n - 1])
			t->class_label[n++] = -t->class_label[k];
	t->columns.n_class = (int)n;
	return 0;
}

static int choose_kind(struct prediction_table *t, struct error *err)
{
	bool classes = true, sides = true;

	for (const double *row = t->row; row < t->row + t->n_rows * t->width; row += t->width) {
		classes = classes && is_label(row[0]) && is_label(row[1]);
		sides = sides && fabs(row[0]) == 1 && fabs(row[1]) == 1;
	}
	t->kind = t->columns.n_class > 0 ? PREDICTS_CLASS :
		  sides			 ? PREDICTS_SIDE :
		  classes		 ? PREDICTS_CLASS :
					   PREDICTS_VALUE;
	if (t->columns.n_class > 0 || t->kind != PREDICTS_CLASS)
		return 0;
	/* a single value is not a value for each pair of more than two classes */
	if (list_classes(t, err) < 0)
		return -1;
	t->columns.with_values = t->columns.with_values && t->columns.n_class == 2;
	return 0;
}

int table_read(struct prediction_table *t, struct input *input, const struct class_names *labels,
	       bool allow_nonfinite, struct error *err)
{
	struct table_reader r = { .t = t,
				  .labels = labels,
				  .text = { .text.from = input, .name = input_name(input) },
				  .allow_nonfinite = allow_nonfinite };
	int ret;

	*t = (struct prediction_table){ 0 };
	ret = read_lines(&r, err) < 0 || choose_kind(t, err) < 0 ? -1 : 0;
	t->columns.label = t->class_label;
	t->is_open = r.text.is_open;
	line_reader_free(&r.text);
	text_set_free(&r.names);
	text_set_free(&r.classes);
	mem_free_all(r.word, r.column);
	if (ret < 0)
		table_free(t);
	return ret;
}

void table_free(struct prediction_table *t)
{
	mem_free_all(t->class_label, t->row);
	row_groups_free(&t->groups);
	*t = (struct prediction_table){ 0 };
}
