/*
 * arff_read.c - records of a table in Weka's ARFF format, dense or sparse
 *
 * How this works.  A line is cut into words where it lies: a word in quotes loses them and its
 * backslashes, another one ends at a delimiter and loses the blanks around it.  Each word gets a
 * final 0, for which the delimiter behind it has the room.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/arff_read.h"

#include <strings.h>

/* What ends a word without quotes among values. */
#define WORD_ENDS ", \t}%"

static int fault(const struct arff_reader *r, const char *reason, struct error *err)
{
	return line_fault(&r->lines, reason, err);
}

/* ---- words ---- */

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

/* The byte that a backslash and 'c' stand for. */
static char unescaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* A word in quotes, at *p, which moves behind the last one. */
static int quoted_word(const struct arff_reader *r, char **p, struct csv_field *word,
		       struct error *err)
{
	const char quote = **p;
	char *from = *p + 1, *to = from;

	*word = (struct csv_field){ .text = from, .quoted = true };
	for (; *from && *from != quote; from++)
		*to++ = *from == '\\' && from[1] ? unescaped(*++from) : *from;
	if (!*from)
		return fault(r, "a quoted word does not end", err);
	word->length = to - word->text;
	*p = from + 1;
	return 0;
}

/*
 * A word that ends at one of the delimiters or the end of the line
 *
 * *p moves to its end; the caller puts word->text[word->length] = 0 when it has seen what is there.
 */
static int take_word(const struct arff_reader *r, char **p, const char *delimiters,
		     struct csv_field *word, struct error *err)
{
	*p = skip_blanks(*p);
	if (**p == '\'' || **p == '"') {
		if (quoted_word(r, p, word, err) < 0)
			return -1;
	} else {
		*word = (struct csv_field){ .text = *p,
					    .length = (int64_t)strcspn(*p, delimiters) };
		*p += word->length;
		while (word->length > 0 && (word->text[word->length - 1] == ' ' ||
					    word->text[word->length - 1] == '\t'))
			word->length--;
	}
	*p = skip_blanks(*p);
	return 0;
}

static bool is_word(const struct csv_field *word, const char *text)
{
	return !word->quoted && word->length == (int64_t)strlen(text) &&
	       strncasecmp(word->text, text, (size_t)word->length) == 0;
}

/* ---- the header ---- */

/* Does the line end here, or a comment begin? */
static bool is_end(const char *p)
{
	return *p == '\0' || *p == '%';
}

/* Behind a word: a comma and blanks, of which one or both are between words. */
static char *skip_comma(char *p)
{
	return *p == ',' ? skip_blanks(p + 1) : p;
}

/* "{a, 'b c'}" */
static int read_values(struct arff_reader *r, char *p, struct text_set *values, struct error *err)
{
	struct csv_field word;

	do {
		const int64_t n = values->n;

		if (take_word(r, &p, WORD_ENDS, &word, err) < 0 ||
		    text_set_add(values, word.text, word.length, err) < 0)
			return -1;
		if (values->n == n)
			return fault(r, "a value is declared twice", err);
		p = skip_comma(p);
	} while (!is_end(p) && *p != '}');
	if (*p != '}')
		return fault(r, "the values of an attribute do not end", err);
	return is_end(skip_blanks(p + 1)) ? 0 : fault(r, "text behind the values", err);
}

static int read_type(struct arff_reader *r, char *p, struct arff_attribute *a, struct error *err)
{
	struct csv_field word;

	if (*p == '{') {
		a->type = ARFF_NOMINAL;
		return read_values(r, p + 1, &a->values, err);
	}
	if (take_word(r, &p, " \t%", &word, err) < 0)
		return -1;
	if (is_word(&word, "numeric") || is_word(&word, "real") || is_word(&word, "integer"))
		a->type = ARFF_NUMBER;
	else if (is_word(&word, "string") || is_word(&word, "date"))
		a->type = ARFF_TEXT;
	else if (is_word(&word, "relational"))
		return fault(r, "relational attributes are not read", err);
	else
		return fault(r, "its type is none of numeric, {values}, string and date", err);
	return 0;
}

static int read_attribute(struct arff_reader *r, char *p, struct error *err)
{
	struct csv_field name;
	struct arff_attribute *a;
	const int64_t n = r->n;

	if (take_word(r, &p, " \t{", &name, err) < 0 ||
	    mem_grow(&r->attribute, &r->attributes_capacity, n + 1, sizeof(*a), err) < 0)
		return -1;
	a = &r->attribute[r->n++];
	*a = (struct arff_attribute){ 0 };
	if (text_set_add(&r->names, name.text, name.length, err) < 0)
		return -1;
	if (r->names.n == n)
		return fault(r, "two attributes have the same name", err);
	return read_type(r, p, a, err);
}

/* What a sparse record has where it has no value. */
static struct csv_field absent_field(const struct arff_attribute *a)
{
	static char zero[] = "0";
	struct text_span first;

	if (a->type != ARFF_NOMINAL)
		return (struct csv_field){ .text = zero, .length = 1 };
	first = text_set_get(&a->values, 0);
	return (struct csv_field){ .text = a->values.bytes.bytes,
				   .length = first.length,
				   .quoted = true };
}

int arff_begin(struct arff_reader *r, struct error *err)
{
	struct csv_field word;
	char *p;

	for (;;) {
		/* of a failure to read err keeps what is said first, here and below */
		if (line_read_data(&r->lines, &p, err) <= 0)
			return error_set(err, ERR_FORMAT, "%s: no @data", r->lines.name);
		if (take_word(r, &p, " \t%", &word, err) < 0)
			return -1;
		if (is_word(&word, "@data"))
			break;
		if (is_word(&word, "@attribute")) {
			if (read_attribute(r, p, err) < 0)
				return -1;
		} else if (!is_word(&word, "@relation")) {
			return fault(r, "expected @attribute or @data", err);
		}
	}
	if (r->n == 0)
		return fault(r, "no attributes", err);
	r->field = mem_array(r->n, sizeof(*r->field), err);
	r->absent = mem_array(r->n, sizeof(*r->absent), err);
	for (int64_t k = 0; r->absent && k < r->n; k++)
		r->absent[k] = absent_field(&r->attribute[k]);
	return r->field && r->absent ? 0 : -1;
}

struct csv_record arff_names(struct arff_reader *r)
{
	for (int64_t k = 0; k < r->n; k++)
		r->field[k] = (struct csv_field){ .text = r->names.bytes.bytes + r->names.start[k],
						  .length = text_set_get(&r->names, k).length,
						  .quoted = true };
	return (struct csv_record){ .line = r->lines.line, .n = r->n, .field = r->field };
}

int arff_declare(const struct arff_reader *r, struct csv_columns *c, struct error *err)
{
	for (int64_t k = 0; k < r->n; k++) {
		const struct arff_attribute *a = &r->attribute[k];

		if (a->type != ARFF_TEXT && csv_columns_declare(c, k, &a->values, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- records ---- */

static const char weight_behind[] = "weights of records are not read";

/* What is behind a sparse record has to be nothing, or a comment. */
static int check_end(const struct arff_reader *r, char *p, struct error *err)
{
	if (*skip_comma(p) == '{')
		return fault(r, weight_behind, err);
	return is_end(p) ? 0 : fault(r, "text behind a record", err);
}

static int read_dense(struct arff_reader *r, char *p, struct error *err)
{
	for (int64_t k = 0; k < r->n; k++) {
		struct csv_field *field = &r->field[k];
		char *end;

		if (is_end(p))
			return fault(r, "fewer values than attributes", err);
		if (take_word(r, &p, WORD_ENDS, field, err) < 0)
			return -1;
		end = skip_comma(p);
		if (*p == '}')
			return fault(r, "a brace that no sparse record begins", err);
		if (field->quoted && end == field->text + field->length + 1 && !is_end(end))
			return fault(r, "text behind a quoted word", err);
		if (k + 1 == r->n && !is_end(end))
			return fault(r, *end == '{' ? weight_behind : "more values than attributes",
				     err);
		field->text[field->length] = '\0';
		p = end;
	}
	return 0;
}

/* "NUMBER value", of an attribute behind number 'last'. */
static int read_entry(struct arff_reader *r, char **p, int64_t *last, struct error *err)
{
	int64_t k = 0;

	*p = skip_blanks(*p);
	if (!digits_is(**p))
		return fault(r, "expected the number of an attribute", err);
	for (; digits_is(**p); (*p)++) {
		k = 10 * k + (**p - '0');
		if (k >= r->n)
			return fault(r, "no attribute has such a number", err);
	}
	if (k <= *last)
		return fault(r, "numbers of attributes must ascend", err);
	*last = k;
	return take_word(r, p, WORD_ENDS, &r->field[k], err);
}

static int read_sparse(struct arff_reader *r, char *p, struct error *err)
{
	int64_t last = -1;
	char end;

	memcpy(r->field, r->absent, (size_t)r->n * sizeof(*r->field));
	p = skip_blanks(p + 1);
	if (*p == '}')
		return check_end(r, skip_blanks(p + 1), err);
	do {
		if (read_entry(r, &p, &last, err) < 0)
			return -1;
		p = skip_comma(p);
		end = *p;
		if (end != '}' && !digits_is(end))
			return fault(r, "a sparse record does not end", err);
		r->field[last].text[r->field[last].length] = '\0';
	} while (end != '}');
	return check_end(r, skip_blanks(p + 1), err);
}

int arff_read(struct arff_reader *r, struct csv_record *record, struct error *err)
{
	char *p;
	const int got = line_read_data(&r->lines, &p, err);

	if (got <= 0)
		return got;
	if ((*p == '{' ? read_sparse(r, p, err) : read_dense(r, p, err)) < 0)
		return -1;
	*record = (struct csv_record){ .line = r->lines.line, .n = r->n, .field = r->field };
	return 1;
}

void arff_reader_free(struct arff_reader *r)
{
	for (int64_t k = 0; k < r->n; k++)
		text_set_free(&r->attribute[k].values);
	text_set_free(&r->names);
	mem_free_all(r->attribute, r->field, r->absent);
	line_reader_free(&r->lines);
}
