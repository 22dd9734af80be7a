/*
 * convert_heading.c - is the first line of a table its heading?
 *
 * With --header and --no-header it is told.  Else, when the columns are learned, line 1 is a heading
 *
 *     (1)  if a field of it is the column that -l, --id or --group names;
 *     (2)  if none of its fields is a number, nor a text that begins as one above another, such as a
 *          date, where as many letters are behind both numbers;
 *     (3)  or if line 2 has a number below a text of line 1, and no text below a number, and all
 *          numbers of line 1 are whole ones, such as years.
 *
 * With columns restored it is a heading if it has the name of one of them (4).  The heading that R's
 * write.table() writes has no field for the names of the rows, which come first in all other lines:
 * it gets an empty one (5), as write.csv() writes it.  A text that holds the delimiter looks the same,
 * and columns that touch in a first record.  So the heading has to have quotes, or the delimiter to be
 * a tab; or, between blanks, the first is 0 or 1, and the heading begins behind it or no two texts
 * follow each other, as the words of one would; or the heading begins behind the first, and all others
 * are numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "convert.h"
#include "tables/csv_fields.h"

/* Numbers and texts of line 1, and how they are continued in line 2. */
struct first_lines {
	int64_t n_numbers, n_texts;
	bool whole;	     /* numbers have digits alone */
	bool repeats;	     /* a text that begins as a number is above a similar one */
	bool quotes_number;  /* a name is a number in quotes */
	bool number_follows; /* a number is below a text */
	bool text_follows;   /* a text is below a number */
};

static bool is_text(const struct csv_columns *c, const struct csv_field *field)
{
	double ignored;

	return csv_missing(c, field) == NOT_MISSING && !csv_columns_is_number(c, field, &ignored);
}

/* Does it begin as a number, as do 2024-01-31 and numbers that touch, 1.00-200.00? */
static bool begins_as_number(const struct csv_field *field)
{
	return digits_is(field->text[strspn(field->text, "+-.")]);
}

/* How many letters follow the digits that a text begins with: 5 in 1stFlr, 2 in 5kg, none in dates. */
static size_t letters_behind(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return strspn(text + strspn(text, "+-.0123456789"), letters);
}

static struct first_lines look_at(const struct csv_columns *c, const struct csv_record *first,
				  const struct csv_record *second)
{
	struct first_lines f = { .whole = true };
	double ignored;

	for (int64_t k = 0; k < first->n; k++) {
		const struct csv_field above = csv_trimmed(c, &first->field[k]);
		const struct csv_field below =
			second && k < second->n ? csv_trimmed(c, &second->field[k]) : above;

		/* a number whose quotes it does not need, above one without, is a name */
		const bool is_name = above.quoted && !below.quoted && !strpbrk(above.text, ",;\t");

		const bool is_number = csv_columns_is_number(c, &above, &ignored);

		f.quotes_number |= is_name && is_number;
		if (!is_name && is_number) {
			f.n_numbers++;
			f.whole = f.whole && above.text[strspn(above.text, "0123456789")] == '\0';
			f.text_follows = f.text_follows || is_text(c, &below);
		} else if (is_name || is_text(c, &above)) {
			f.n_texts++;
			f.number_follows =
				f.number_follows || csv_columns_is_number(c, &below, &ignored);
			f.repeats |= second && !is_name && begins_as_number(&above) &&
				     is_text(c, &below) && begins_as_number(&below) &&
				     letters_behind(above.text) == letters_behind(below.text);
		}
	}
	return f;
}

/* Is the text, which is no number, a field of the record? */
static bool has_field(const struct csv_columns *c, const struct csv_record *record,
		      const char *text)
{
	double ignored;

	if (!text || decimal_parse(text, text + strlen(text), &ignored))
		return false;
	for (int64_t k = 0; k < record->n; k++)
		if (strcmp(csv_trimmed(c, &record->field[k]).text, text) == 0)
			return true;
	return false;
}

/* (4) */
static bool has_names(const struct csv_columns *c, const struct csv_record *record)
{
	for (int64_t k = 0; k < record->n; k++) {
		const struct csv_field field = csv_trimmed(c, &record->field[k]);

		if (text_set_find(&c->names, field.text, field.length) >= 0)
			return true;
	}
	return false;
}

/* Is column k called k + 1, for each k, as without a heading? */
static bool is_numbered(const struct csv_columns *c)
{
	char number[DECIMAL_SHORTEST_SIZE];

	for (int64_t k = 0; k < c->n; k++) {
		const int length = decimal_unsigned((uint64_t)k + 1, number);

		if (text_set_find(&c->names, number, length) != k)
			return false;
	}
	return true;
}

static bool is_heading(struct convert_job *job, const struct csv_record *first,
		       const struct csv_record *second)
{
	const struct csv_columns *c = &job->columns;
	struct first_lines f;
	bool named;

	if (settings.header || settings.no_header)
		return settings.header;
	if (settings.restore)
		return !is_numbered(c) && has_names(c, first);
	f = look_at(c, first, second);
	named = has_field(c, first, settings.label) || has_field(c, first, settings.id) ||
		has_field(c, first, settings.group);
	job->in_doubt =
		f.n_numbers > 0 ? f.n_texts > 0 : !named && (!f.number_follows || f.quotes_number);
	return named || (f.n_numbers == 0 && !f.repeats) ||
	       (f.number_follows && !f.text_follows && f.whole);
}

/* Does the heading begin behind the first field of the record, as above the names of rows? */
static bool begins_behind(const struct csv_record *heading, const struct csv_record *record)
{
	return heading->indent >= record->indent + record->field[0].length;
}

/* (5): is the first field of the second record, which has one more, its name?  Ends the program in doubt. */
static bool has_row_name(const struct csv_columns *c, const struct csv_reader *r,
			 const struct csv_record *heading, const struct csv_record *second)
{
	const struct csv_field *name = &second->field[0], *last = &second->field[second->n - 1];
	const bool is_first = name->length == 1 && (*name->text == '0' || *name->text == '1'),
		   is_behind = begins_behind(heading, second);
	bool touches = false;
	int n_texts = 0, most_texts = 0; /* that follow each other */

	/* else a delimiter is behind each record */
	if (r->delimiter != ' ' && last->length == 0 && !last->quoted)
		return false;
	/* columns that were saved have that name, an empty one; no text has a tab within */
	if (settings.restore && c->n == heading->n + 1 && text_set_get(&c->names, 0).length == 0)
		return true;
	if (settings.header || (heading->field[0].quoted && name->quoted) || r->delimiter == '\t')
		return true;
	for (int64_t k = 0; k < heading->n; k++) {
		touches = touches || begins_as_number(&heading->field[k]);
		n_texts = !name[k + 1].quoted && is_text(c, &name[k + 1]) ? n_texts + 1 : 0;
		most_texts = n_texts > most_texts ? n_texts : most_texts;
	}
	if (r->delimiter == ' ' && !touches &&
	    (is_first ? is_behind || most_texts < 2 : is_behind && most_texts == 0))
		return true;
	cli_fail("%s:%" PRId64 ": a field more than in line %" PRId64 ": if the first "
		 "is the name of its row say --header, if texts hold what is between columns put "
		 "tabs there, if columns touch, blanks",
		 convert_name(), second->line, heading->line);
}

struct csv_record *convert_heading(struct convert_job *job, const struct csv_reader *r,
				   const struct csv_record *first, const struct csv_record *second,
				   struct error *err)
{
	struct csv_record *heading;

	if (!is_heading(job, first, second))
		return NULL;
	job->between_blanks = r->delimiter == ' ';
	if (job->between_blanks && !settings.header && second && second->n == first->n &&
	    !first->field[0].quoted && begins_behind(first, second))
		cli_fail("%s:%" PRId64 ": begins behind the first field of line %" PRId64
			 ", and has as many: if a name of a column holds a blank put tabs between "
			 "columns, else say --header",
			 convert_name(), first->line, second->line);
	heading = csv_record_keep(first,
				  second && second->n == first->n + 1 &&
					  has_row_name(&job->columns, r, first, second),
				  err);
	if (!heading || settings.common.quiet || settings.restore || !job->in_doubt)
		return heading;
	cli_note("%s:%" PRId64 ": is taken for the names of the columns: if it is a record, say "
		 "--no-header",
		 convert_name(), heading->line);
	return heading;
}
