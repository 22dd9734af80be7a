/*
 * csv_columns_file.c - columns in a file, and lists of what they became
 *
 *     randsvm-columns 1
 *     missing mean
 *     decimal point
 *     words letters               and what else struct text_rule has, if a column has texts
 *     lines 5
 *     data 5
 *     label dose                  a line for each column: kind and name;
 *     category good               for each category of the column before it: its text
 *     number 1.5 0 age            mean, number of missing values, name
 *     categories 0 sex            number of missing values, name
 *     text 0 note                 0, name; words are its categories
 *     weights 1.69 1              behind them the weights of its features, if they have some
 *     ignored remark
 *     id sample
 *     group patient               or id-and-group
 *     na #nodata                  a text that stands for a missing value
 *     stop the                    a word that is no feature of texts
 *     checksum ...
 *
 * In names and texts line ends and backslashes are written as \n, \r and \\.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "io/mapfile.h"
#include "tables/csv_columns.h"

/* In the order of enum column_kind. */
static const char *const kind_names[] = { "number", "categories",   "text",
					  "label",  "ignored",	    "id",
					  "group",  "id-and-group", NULL };
static const struct text_span none;
static const char *const decimal_names[] = { "point", "comma", NULL };
/* 0, CSV_FIRST_BLANK, CSV_WHOLE_LINE */
static const char *const delimiter_names[] = { "guessed", "first", "none", NULL };

/* What is written and read. */
struct columns_record {
	int missing, decimal;
	struct text_rule rule; /* 0 words at least: no column has texts */
	int64_t n_lines;
	struct csv_columns *to; /* columns to read */
	int64_t columns_capacity;
};

/* A key of struct text_rule. */
#define TEXT(what, name, field, ...)                                                   \
	{                                                                              \
		what(name, struct columns_record, rule.field, __VA_ARGS__), .kinds = 1 \
	}

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("missing", struct columns_record, missing, csv_missing_names) },
	{ MAPFILE_CHOICE("decimal", struct columns_record, decimal, decimal_names) },
	TEXT(MAPFILE_CHOICE, "words", words, words_rule_names),
	TEXT(MAPFILE_INTEGER, "least", least, 1, TEXT_MOST_WORDS),
	TEXT(MAPFILE_INTEGER, "most", most, 1, TEXT_MOST_WORDS),
	TEXT(MAPFILE_INTEGER, "hash", bits, 0, TEXT_MOST_BITS),
	TEXT(MAPFILE_CHOICE, "counts", counts, text_counts_names),
	TEXT(MAPFILE_CHOICE, "weights", weights, text_weights_names),
	TEXT(MAPFILE_CHOICE, "norm", norm, text_norm_names),
	TEXT(MAPFILE_CHOICE, "delimiter", delimiter, delimiter_names),
	{ MAPFILE_INTEGER("lines", struct columns_record, n_lines, 1, INT32_MAX) },
	{ 0 }
};

/* ---- writing ---- */

static int64_t count_lines(const void *record)
{
	return ((const struct columns_record *)record)->n_lines;
}

static unsigned kind_of(const void *record)
{
	return ((const struct columns_record *)record)->rule.least > 0;
}

/* Is the column one of texts whose words have weights? */
static bool has_weights(const struct csv_column *column)
{
	return column->kind == COLUMN_TEXT && column->text_features->rule.weights &&
	       text_features_count(column->text_features) > 0;
}

/* The categories of a column, or its words. */
static struct text_set *texts_of(struct csv_column *column)
{
	return column->kind == COLUMN_TEXT ? &column->text_features->words : &column->categories;
}

static int add_text(struct byte_buffer *to, struct text_span text, struct error *err)
{
	if (byte_buffer_reserve(to, 2 * text.length, err) < 0)
		return -1;
	for (int64_t k = 0; k < text.length; k++) {
		const char byte = text.start[k];
		const char *escaped = byte == '\n' ? "\\n" :
				      byte == '\r' ? "\\r" :
				      byte == '\\' ? "\\\\" :
						     NULL;

		byte_buffer_add(to, escaped ? escaped : &byte, escaped ? 2 : 1);
	}
	return 0;
}

static int add_line(struct byte_buffer *to, struct text_span name, const char *between,
		    struct text_span rest, struct error *err)
{
	if (add_text(to, name, err) < 0 || byte_buffer_append_text(to, between, err) < 0 ||
	    add_text(to, rest, err) < 0)
		return -1;
	return byte_buffer_append(to, "\n", 1, err);
}

/* A line for each text, which is behind 'word'. */
static int add_lines(struct byte_buffer *to, const char *word, const struct text_set *texts,
		     struct error *err)
{
	for (int64_t k = 0; k < texts->n; k++)
		if (add_line(to, none, word, text_set_get(texts, k), err) < 0)
			return -1;
	return 0;
}

static int add_word(struct byte_buffer *to, const char *word, struct error *err)
{
	return byte_buffer_append_text(to, word, err) < 0 ? -1 :
							    byte_buffer_append(to, " ", 1, err);
}

/* The line of column k, and those below it. */
static int add_column(struct byte_buffer *to, const struct csv_columns *c, int64_t k,
		      struct error *err)
{
	struct csv_column *column = &c->column[k];

	if (add_word(to, kind_names[column->kind], err) < 0 ||
	    (column->kind == COLUMN_NUMBER && add_word(to, DECIMAL_TEXT(column->mean), err) < 0) ||
	    (column->kind <= COLUMN_TEXT &&
	     add_word(to, DECIMAL_TEXT((double)column->n_missing), err) < 0) ||
	    add_line(to, text_set_get(&c->names, k), "", none, err) < 0 ||
	    add_lines(to, "category ", texts_of(column), err) < 0)
		return -1;
	if (!has_weights(column))
		return 0;
	if (byte_buffer_append_text(to, "weights", err) < 0 ||
	    mapfile_put_reals(to, column->text_features->weight,
			      text_features_count(column->text_features), err) < 0)
		return -1;
	return byte_buffer_append(to, "\n", 1, err);
}

/* ---- reading ---- */

/* Is the next word this one?  Then *text moves behind the blank after it. */
static bool take_word(const char **text, const char *end, const char *word)
{
	const size_t length = strlen(word);

	if ((size_t)(end - *text) <= length || memcmp(*text, word, length) != 0 ||
	    (*text)[length] != ' ')
		return false;
	*text += length + 1;
	return true;
}

static int take_number(const char **text, const char *end, double *value, struct error *err)
{
	const char *behind = decimal_parse(*text, end, value);

	if (!behind || behind == end || *behind != ' ')
		return error_set(err, ERR_FORMAT, "expected a number");
	*text = behind + 1;
	return 0;
}

/* The rest of a line without its escapes, into the set; ERR_FORMAT if it is there already. */
static int take_text(struct text_set *to, const char *text, const char *end, struct error *err)
{
	char *plain = mem_array(end - text, 1, err);
	int64_t n = 0, before = to->n;

	if (!plain)
		return -1;
	for (; text < end; text++) {
		plain[n] = *text;
		if (*text == '\\' && text + 1 < end) {
			text++;
			plain[n] = *text == 'n' ? '\n' : *text == 'r' ? '\r' : *text;
		}
		n++;
	}
	text_set_add(to, plain, n, err);
	mem_free(plain);
	if (err->code == ERR_NONE && to->n == before)
		return error_set(err, ERR_FORMAT, "a name is there twice");
	return err->code == ERR_NONE ? 0 : -1;
}

static int read_column(struct columns_record *r, const char *text, const char *end,
		       struct error *err)
{
	struct csv_column column = { 0 };
	double n_missing = 0;

	while (kind_names[column.kind] && !take_word(&text, end, kind_names[column.kind]))
		column.kind++;
	if (!kind_names[column.kind])
		return error_set(err, ERR_FORMAT, "expected a column");
	if (column.kind == COLUMN_LABEL)
		r->to->label = r->to->n;
	if ((column.kind == COLUMN_NUMBER && take_number(&text, end, &column.mean, err) < 0) ||
	    (column.kind <= COLUMN_TEXT && take_number(&text, end, &n_missing, err) < 0))
		return -1;
	column.n_missing = n_missing > 0;
	if (column.kind == COLUMN_TEXT && (r->rule.least == 0 || r->rule.least > r->rule.most))
		return error_set(err, ERR_FORMAT, "texts without a rule for words");
	if (mem_grow(&r->to->column, &r->columns_capacity, r->to->n + 1, sizeof(column), err) < 0 ||
	    take_text(&r->to->names, text, end, err) < 0)
		return -1;
	r->to->column[r->to->n++] = column;
	r->to->text_rule = r->rule;
	return column.kind == COLUMN_TEXT ?
		       csv_columns_begin_text(r->to, &r->to->column[r->to->n - 1], err) :
		       0;
}

/* The weights of all words of a column, behind the last of them. */
static int read_weights(struct text_features *t, const char *text, const char *end,
			struct error *err)
{
	const int64_t n = text_features_count(t);

	if (!t->rule.weights || t->weight)
		return error_set(err, ERR_FORMAT, "weights of words that have none");
	t->weight = mem_array(n, sizeof(*t->weight), err);
	return t->weight ? mapfile_get_reals(t->weight, n, text, end, err) : -1;
}

static int read_line(void *record, int64_t i UNUSED, const char *text, const char *end,
		     struct error *err)
{
	struct columns_record *r = record;
	struct csv_column *column = r->to->n > 0 ? &r->to->column[r->to->n - 1] : NULL;

	if (take_word(&text, end, "na"))
		return take_text(&r->to->missing_texts, text, end, err);
	if (take_word(&text, end, "stop"))
		return take_text(&r->to->stop, text, end, err);
	if (column && column->kind == COLUMN_TEXT && take_word(&text, end, "weights"))
		return read_weights(column->text_features, text, end, err);
	if (!take_word(&text, end, "category"))
		return read_column(r, text, end, err);
	if (!column ||
	    (column->kind == COLUMN_TEXT ?
		     column->text_features->weight || r->rule.bits > 0 :
		     (column->kind != COLUMN_CATEGORIES && column->kind != COLUMN_LABEL) ||
			     column->categories.n == CSV_MOST_CATEGORIES))
		return error_set(err, ERR_FORMAT, "a category without a column");
	return take_text(texts_of(column), text, end, err);
}

static const struct mapfile_form form = {
	"columns", 1, keys, count_lines, NULL, read_line, kind_of
};

int csv_columns_save(const void *columns, struct output *to, struct error *err)
{
	const struct csv_columns *c = columns;
	struct byte_buffer lines = { 0 };
	struct columns_record r = { .missing = c->missing,
				    .decimal = c->decimal_comma,
				    .rule = c->text_rule };
	int ret = 0;

	for (int64_t k = 0; k < c->n && ret == 0; k++)
		ret = add_column(&lines, c, k, err);
	if (ret < 0 || add_lines(&lines, "na ", &c->missing_texts, err) < 0 ||
	    add_lines(&lines, "stop ", &c->stop, err) < 0)
		ret = -1;
	for (int64_t i = 0; i < lines.size; i++)
		r.n_lines += lines.bytes[i] == '\n';
	if (ret == 0)
		ret = mapfile_write(&form, &r, &lines, to, err);
	byte_buffer_free(&lines);
	return ret;
}

int csv_columns_read(void *to, struct input *from, struct error *err)
{
	struct csv_columns *c = to;
	struct columns_record r = { .to = c };

	c->label = c->id_place = c->group_place = -1;
	if (mapfile_read(&form, &r, from, err) < 0) {
		csv_columns_free(c);
		return -1;
	}
	c->missing = r.missing;
	c->marked = c->missing == MISSING_MARKED;
	c->decimal_comma = r.decimal != 0;
	for (int64_t k = 0; k < c->n; k++)
		if (has_weights(&c->column[k]) && !c->column[k].text_features->weight) {
			csv_columns_free(c);
			return error_set(err, ERR_FORMAT, "%s: weights of words are missing",
					 input_name(from));
		}
	return csv_columns_number(c, err);
}

/* ---- lists ---- */

int csv_columns_names(const struct csv_columns *c, struct byte_buffer *to, struct error *err)
{
	for (int64_t k = 0; k < c->n; k++) {
		struct csv_column *column = &c->column[k];
		const struct text_set *texts = texts_of(column);
		const struct text_span name = text_set_get(&c->names, k);
		const bool is_text = column->kind == COLUMN_TEXT;
		const bool alone = is_text && texts->n == c->n_features;

		if (column->kind > COLUMN_TEXT)
			continue;
		if (is_text && texts->n < text_features_count(column->text_features))
			return error_set(err, ERR_ARGUMENT, "features of a hash have no names");
		if (column->kind == COLUMN_NUMBER && add_line(to, name, "", none, err) < 0)
			return -1;
		for (int64_t j = 0; column->kind != COLUMN_NUMBER && j < texts->n; j++)
			if (add_line(to, alone ? none : name, alone ? "" : "=",
				     text_set_get(texts, j), err) < 0)
				return -1;
		if (c->marked && column->n_missing > 0 &&
		    add_line(to, name, " missing", none, err) < 0)
			return -1;
	}
	return 0;
}

/* The names of the classes; NULL where labels are numbers. */
static const struct text_set *class_names(const struct csv_columns *c)
{
	const bool has = c->n > 0 && c->label >= 0 && c->column[c->label].categories.n > 0;

	return has ? &c->column[c->label].categories : NULL;
}

struct text_span csv_columns_class(const struct csv_columns *c, double label)
{
	const struct text_set *names = class_names(c);

	if (!names || !(label >= 1 && label <= (double)names->n))
		return (struct text_span){ 0 };
	return text_set_get(names, (int64_t)label - 1);
}

int64_t csv_columns_find_class(const struct csv_columns *c, struct text_span name)
{
	const struct text_set *names = class_names(c);
	const int64_t k = names ? text_set_find(names, name.start, name.length) : -1;

	return k < 0 ? -1 : k + 1;
}

int csv_columns_labels(const struct csv_columns *c, struct byte_buffer *to, struct error *err)
{
	const struct text_set *names = class_names(c);

	for (int64_t j = 0; names && j < names->n; j++)
		if (add_line(to, none, FORMATTED(32, "%" PRId64 " ", j + 1), text_set_get(names, j),
			     err) < 0)
			return -1;
	return 0;
}
