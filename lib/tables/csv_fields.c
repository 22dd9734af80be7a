/*
 * csv_fields.c - fields of a table as missing values, numbers and texts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/csv_fields.h"

#include <inttypes.h>
#include <math.h>

#include "base/decimal.h"
#include "base/digits.h"

const char *const csv_missing_names[] = { "error", "drop", "zero", "mean", "mark", NULL };

enum missing_word csv_missing(const struct csv_columns *c, const struct csv_field *field)
{
	if (c->missing_texts.n > 0 &&
	    text_set_find(&c->missing_texts, field->text, field->length) >= 0)
		return MISSING_ALWAYS;
	if (!c->exact)
		return missing_word(field->text, field->length);
	return !field->quoted && field->length == 1 && *field->text == '?' ? MISSING_ALWAYS :
									     NOT_MISSING;
}

/* A blank, or the 0 that is there since the field was trimmed before. */
static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\0';
}

struct csv_field csv_trimmed(const struct csv_columns *c, const struct csv_field *field)
{
	struct csv_field f = *field;

	if (c->exact)
		return f;
	while (f.length > 0 && is_blank(*f.text)) {
		f.text++;
		f.length--;
	}
	while (f.length > 0 && is_blank(f.text[f.length - 1]))
		f.text[--f.length] = '\0';
	return f;
}

/* The end of the number at 'text', or NULL; Fortran's exponents have a D before a sign: 0.1D+01. */
static const char *parse_number(char *text, const char *end, double *value)
{
	const char *stop = decimal_parse(text, end, value);
	char *letter = text + (stop ? stop - text : 0);

	if (!stop || stop == end || (*letter != 'D' && *letter != 'd') ||
	    (letter[1] != '+' && letter[1] != '-'))
		return stop;
	*letter ^= 'D' ^ 'E';
	stop = decimal_parse(text, end, value);
	*letter ^= 'D' ^ 'E';
	return stop;
}

/* Is the byte at 'p' a separator of thousands, with digits before it and three digits behind? */
static bool separates_thousands(const char *start, const char *p)
{
	return p > start && digits_is(p[-1]) && strspn(p + 1, "0123456789") == 3;
}

bool csv_columns_is_number(const struct csv_columns *c, const struct csv_field *field,
			   double *value)
{
	char *comma = c->decimal_comma ? strchr(field->text, ',') : NULL;
	const char *point = c->decimal_comma ? strchr(field->text, '.') : NULL;
	const char *end = field->text + field->length;
	bool is_number;

	/* a point beside a decimal comma separates thousands, as it may before three digits */
	if (point && (comma || separates_thousands(field->text, point)))
		return false;
	if (comma)
		*comma = '.';
	is_number = parse_number(field->text, end, value) == end && isfinite(*value);
	if (comma)
		*comma = ',';
	return is_number;
}

/*
 * Is the byte at 'p' one that people write in or beside a number, such as $ and %?  So are signs that
 * are not in ASCII, such as those of euro, pound and yen: U+0080 to U+00BF, U+2000 to U+2FFF and
 * U+F000 on, whose first bytes are C2, E2 and EF.  Letters are not.
 */
static bool is_decoration(const struct csv_columns *c, const char *start, const char *p)
{
	const unsigned char byte = (unsigned char)*p;

	if (*p == ' ' && !(p > start && digits_is(p[-1]) && digits_is(p[1])))
		return true;
	if (*p == ' ' || *p == '\'' || *p == (c->decimal_comma ? '.' : ','))
		return separates_thousands(start, p);
	return (byte >= 0x80 && byte <= 0xc2) || byte == 0xe2 || byte == 0xef ||
	       (*p && strchr("$%*()[]{}", *p));
}

static bool has_letter(const char *start, const char *end)
{
	for (const char *p = start; p < end; p++)
		if (((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') || (unsigned char)*p >= 0x80)
			return true;
	return false;
}

/* May what is before a number be the short word of a currency, as in EUR 5, Rs. 5 and R$5? */
static bool is_currency(const char *start, const char *end)
{
	return end - start <= 4 && (end[-1] == '$' || (end - start >= 3 && strchr(" .", end[-1])));
}

/* The text from 'p' on that is no number: letters, or one character of UTF-8. */
static void note_other(const char *p, char other[16])
{
	size_t n = 0;

	while (((p[n] | 0x20) >= 'a' && (p[n] | 0x20) <= 'z'))
		n++;
	if (n == 0 && *p)
		for (n = 1; ((unsigned char)p[n] & 0xc0) == 0x80;)
			n++;
	error_quote(other, 16, p, n);
}

enum number_look csv_number_look(const struct csv_columns *c, const struct csv_field *field,
				 char other[16])
{
	static const struct csv_columns with_comma = { .decimal_comma = true };
	char kept[64];
	struct csv_field rest = { .text = kept };
	const char *p = field->text, *first = NULL, *end = p;
	double value;

	if (!c->decimal_comma && strchr(p, ',') && !separates_thousands(p, strchr(p, ',')) &&
	    csv_columns_is_number(&with_comma, field, &value))
		return LOOKS_DECIMAL_COMMA;
	for (; *p && rest.length < (int64_t)sizeof(kept) - 1; p++)
		if (!is_decoration(c, field->text, p))
			kept[rest.length++] = *p;
		else if (!first || *first == ' ')
			first = p;
	kept[rest.length] = '\0';
	if (first && !*p && csv_columns_is_number(c, &rest, &value)) {
		note_other(first, other);
		return LOOKS_DECORATED;
	}
	/* the first digit, and what is before it, or else behind its number */
	p = field->text + strcspn(field->text, "0123456789");
	if (!*p || (has_letter(field->text, p) && !is_currency(field->text, p)))
		return LOOKS_LIKE_TEXT;
	end = decimal_parse(p, field->text + field->length, &value);
	p = field->text + strspn(field->text, "+-. ");
	if (digits_is(*p))
		p = end + strspn(end, " ");
	/* two signs or points, or more than a double holds */
	if (!*p)
		p = strpbrk(field->text, "eE") ? strpbrk(field->text, "eE") : field->text;
	note_other(p, other);
	return LOOKS_BEGUN;
}

const char *csv_column_name(const struct csv_columns *c, int64_t k, char quoted[64])
{
	const struct text_span name = text_set_get(&c->names, k);

	return error_quote(quoted, 64, name.start, (size_t)name.length);
}

int csv_fault(const struct csv_columns *c, const struct csv_record *record, int64_t k,
	      const char *reason, struct error *err)
{
	char column[64], text[64];
	const struct csv_field *field = &record->field[c->column[k].place];

	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": column '%s': '%s' %s", c->name,
			 record->line, csv_column_name(c, k, column),
			 error_quote(text, sizeof(text), field->text, (size_t)field->length),
			 reason);
}

int csv_check_length(const struct csv_columns *c, const struct csv_record *record,
		     struct error *err)
{
	if (record->n == c->n_fields)
		return 0;
	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": %" PRId64 " field%s, not %" PRId64,
			 c->name, record->line, record->n, record->n == 1 ? "" : "s", c->n_fields);
}

int64_t csv_count_features(const struct csv_columns *c, const struct csv_column *column)
{
	if (column->kind > COLUMN_CATEGORIES)
		return 0;
	return (column->kind == COLUMN_NUMBER ? 1 : column->categories.n) +
	       (c->marked && column->n_missing > 0);
}
