/*
 * convert_heading.c - is the first line of a table its heading?
 *
 * With --header and --no-header it is told.  Else, when the columns are learned, line 1 is a heading
 *
 *     (1)  if a field of it is the column that -l, --id or --group names;
 *     (2)  if none of its fields is a number;
 *     (3)  or if line 2 has a number below a text of line 1, and no text below a number, and all
 *          numbers of line 1 are whole ones, such as years.
 *
 * With columns restored it is a heading if it has the name of one of them (4).  The heading that R's
 * write.table() writes has no field for the names of the rows, which come first in all other lines:
 * it gets an empty one (5), as write.csv() writes it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "common/process.h"
#include "convert.h"
#include "tables/csv_fields.h"

/* Numbers and texts of line 1, and how they are continued in line 2. */
struct first_lines {
	int64_t n_numbers, n_texts;
	bool whole;	     /* numbers have digits alone */
	bool number_follows; /* a number is below a text */
	bool text_follows;   /* a text is below a number */
};

static bool is_text(const struct csv_columns *c, const struct csv_field *field)
{
	double ignored;

	return csv_missing(c, field) == NOT_MISSING && !csv_columns_is_number(c, field, &ignored);
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

		if (csv_columns_is_number(c, &above, &ignored)) {
			f.n_numbers++;
			f.whole = f.whole && above.text[strspn(above.text, "0123456789")] == '\0';
			f.text_follows = f.text_follows || is_text(c, &below);
		} else if (is_text(c, &above)) {
			f.n_texts++;
			f.number_follows =
				f.number_follows || csv_columns_is_number(c, &below, &ignored);
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

	if (settings.header || settings.no_header)
		return settings.header;
	if (settings.restore)
		return !is_numbered(c) && has_names(c, first);
	f = look_at(c, first, second);
	job->mixed = f.n_numbers > 0 && f.n_texts > 0;
	return has_field(c, first, settings.label) || has_field(c, first, settings.id) ||
	       has_field(c, first, settings.group) || f.n_numbers == 0 ||
	       (f.number_follows && !f.text_follows && f.whole);
}

struct csv_record *convert_heading(struct convert_job *job, const struct csv_record *first,
				   const struct csv_record *second, struct error *err)
{
	struct csv_record *heading;

	if (!is_heading(job, first, second))
		return NULL;
	/* (5) */
	heading = csv_record_keep(first, second && second->n == first->n + 1, err);
	if (!heading || settings.common.quiet || settings.restore || !job->mixed)
		return heading;
	cli_note("%s:%" PRId64 ": is taken for the names of the columns: if it is a record, say "
		 "--no-header",
		 convert_name(), heading->line);
	return heading;
}
