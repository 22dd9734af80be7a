/*
 * csv_fields.c - fields of a table as missing values, numbers and texts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "csv/csv_fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"

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

bool csv_columns_is_number(const struct csv_columns *c, const struct csv_field *field,
			   double *value)
{
	char *comma = c->decimal_comma ? strchr(field->text, ',') : NULL;
	const char *end = field->text + field->length;
	bool is_number;

	if (comma)
		*comma = '.';
	is_number = parse_number(field->text, end, value) == end && isfinite(*value);
	if (comma)
		*comma = ',';
	return is_number;
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
	const bool marked = c->marked && column->n_missing > 0;

	switch (column->kind) {
	case COLUMN_NUMBER:
		return 1 + marked;
	case COLUMN_CATEGORIES:
		return column->categories.n + marked;
	default:
		return 0;
	}
}
