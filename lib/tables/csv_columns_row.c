/*
 * csv_columns_row.c - records of a table as rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>

#include "base/decimal.h"
#include "tables/csv_fields.h"

/* Add an entry, unless it is 0: 1, or -1. */
static int add_entry(struct row_batch *to, int64_t feature, double value, struct error *err)
{
	return value != 0 && row_batch_add(to, feature, value, err) < 0 ? -1 : 1;
}

static int missing_fault(const struct csv_columns *c, const struct csv_record *record, int64_t k,
			 const char *reason, struct error *err)
{
	csv_fault(c, record, k, reason, err);
	err->remedy = REMEDY_MISSING;
	return -1;
}

/* A text that is no category of column k. */
static void note_unknown(struct csv_columns *c, int64_t line, int64_t k,
			 const struct csv_field *field)
{
	if (c->n_unknown++ > 0)
		return;
	c->unknown.line = line;
	c->unknown.column = k;
	error_quote(c->unknown.text, sizeof(c->unknown.text), field->text, (size_t)field->length);
}

/* The field of column k as a number; false if it is none.  Notes the first that is rounded. */
static bool read_number(struct csv_columns *c, int64_t line, int64_t k,
			const struct csv_field *field, double *value)
{
	struct csv_column *column = &c->column[k];

	if (!csv_columns_is_number(c, field, value))
		return false;
	if (column->rounded_line == 0 &&
	    decimal_is_rounded(field->text, field->text + field->length, *value)) {
		column->rounded_line = line;
		error_quote(column->rounded, sizeof(column->rounded), field->text,
			    (size_t)field->length);
	}
	return true;
}

/* A missing value, by the rule: 1, 0 if the row is left out, or -1. */
static int add_missing(const struct csv_columns *c, const struct csv_column *column,
		       struct row_batch *to, struct error *err)
{
	const int64_t last = column->feature + csv_count_features(c, column) - 1;

	if (c->missing == MISSING_MEAN && column->kind == COLUMN_NUMBER)
		return add_entry(to, column->feature, column->mean, err);
	if (c->missing == MISSING_MARKED && column->n_missing > 0)
		return add_entry(to, last, 1, err);
	return c->missing != MISSING_DROPS;
}

/* Is it a missing value of that column, which a word such as '-' is among numbers alone? */
static bool is_missing(const struct csv_columns *c, const struct csv_column *column,
		       const struct csv_field *field)
{
	const enum missing_word missing = csv_missing(c, field);

	return missing == MISSING_ALWAYS ||
	       (missing == MISSING_AMONG_NUMBERS && column->categories.n == 0);
}

/* The entry of a field: 1, 0 if the row is left out, or -1. */
static int add_field(struct csv_columns *c, const struct csv_record *record, int64_t k,
		     struct row_batch *to, struct error *err)
{
	const struct csv_column *column = &c->column[k];
	const struct csv_field field = csv_trimmed(c, &record->field[column->place]);
	double value;
	int64_t category;

	if (is_missing(c, column, &field)) {
		if (c->missing == MISSING_REFUSED)
			return missing_fault(c, record, k, "is a missing value", err);
		return add_missing(c, column, to, err);
	}
	if (column->kind == COLUMN_NUMBER) {
		if (!read_number(c, record->line, k, &field, &value))
			return csv_fault(c, record, k, "is not a number", err);
		return add_entry(to, column->feature, value, err);
	}
	category = text_set_find(&column->categories, field.text, field.length);
	if (category < 0) {
		note_unknown(c, record->line, k, &field);
		return 1;
	}
	return add_entry(to, column->feature + category, 1, err);
}

/* The label of a record: 1, 0 if it is missing and the row is left out, or -1. */
static int read_label(struct csv_columns *c, const struct csv_record *record, double *label,
		      struct error *err)
{
	const struct csv_column *column = &c->column[c->label];
	const struct csv_field field = csv_trimmed(c, &record->field[column->place]);
	int64_t class;

	if (is_missing(c, column, &field)) {
		if (c->missing == MISSING_DROPS || c->accept_unlabelled)
			return c->missing != MISSING_DROPS;
		return missing_fault(c, record, c->label, "is a missing label", err);
	}
	if (column->categories.n == 0)
		return read_number(c, record->line, c->label, &field, label) ?
			       1 :
			       csv_fault(c, record, c->label, "is not a number", err);
	class = text_set_find(&column->categories, field.text, field.length);
	*label = (double)class + 1;
	return class >= 0 ? 1 : csv_fault(c, record, c->label, "is none of the classes", err);
}

/* Is there a group, where rows have one?  1, 0 if the row is left out without it, or -1. */
static int check_group(const struct csv_columns *c, const struct csv_record *record,
		       struct error *err)
{
	struct csv_field field;

	if (c->group_place < 0)
		return 1;
	field = csv_trimmed(c, &record->field[c->group_place]);
	if (csv_missing(c, &field) != MISSING_ALWAYS)
		return 1;
	if (c->missing == MISSING_DROPS)
		return 0;
	return error_set(err, ERR_FORMAT,
			 "%s:%" PRId64 ": field %" PRId64 ", the group of the row, is missing",
			 c->name, record->line, c->group_place + 1);
}

int csv_columns_row(struct csv_columns *c, const struct csv_record *record, struct row_batch *to,
		    struct error *err)
{
	const int64_t n_before = to->n_entries;
	double label = c->accept_unlabelled && c->label >= 0 ? NAN : 0;
	int kept;

	if (csv_check_length(c, record, err) < 0)
		return -1;
	kept = check_group(c, record, err);
	if (kept == 1 && c->label >= 0 && c->column[c->label].place >= 0)
		kept = read_label(c, record, &label, err);
	for (int64_t k = 0; k < c->n && kept == 1; k++)
		if (c->column[k].kind == COLUMN_NUMBER || c->column[k].kind == COLUMN_CATEGORIES)
			kept = add_field(c, record, k, to, err);
	if (kept < 1) {
		to->n_entries = n_before;
		return kept;
	}
	c->n_unlabelled += isnan(label);
	/* -0 is 0 */
	return row_batch_end_row(to, label + 0., err) < 0 ? -1 : 1;
}
