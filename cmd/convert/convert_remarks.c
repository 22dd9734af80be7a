/*
 * convert_remarks.c - what in a table is likely to be a slip
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/read_rows.h"
#include "common/table_notes.h"
#include "convert.h"

/* Records from which on a note says that a column tells each of them from all others. */
#define MANY_RECORDS 10

/* Of a column that was learned: categories a quarter of which are numbers, numbers or names of rows. */
static void remark_column(const struct csv_columns *c, int64_t k)
{
	const struct csv_column *column = &c->column[k];
	const int64_t n = column->n_numbers + column->n_texts;
	const char *const name = CSV_COLUMN_NAME(c, k);

	if (column->kind >= COLUMN_IGNORED || column->all_texts || column->declared)
		return;
	if (column->n_texts > 0 && 4 * column->n_texts <= 3 * n)
		cli_note("%s:%" PRId64 ": column '%s': '%s' is not a number, as %" PRId64
			 " of %" PRId64 " values are: all are taken for %s, unless --na names it",
			 c->name, column->text_line, name, column->text, column->n_numbers, n,
			 column->kind == COLUMN_LABEL ? "classes" : "categories");
	else if (2 * column->n_begun > n)
		cli_note("%s:%" PRId64 ": column '%s': '%s' has a number, and '%s' beside it: "
			 "values are taken for %s; leave such texts out of numbers, or say "
			 "--categories",
			 c->name, column->text_line, name, column->text, column->other,
			 column->kind == COLUMN_LABEL ? "classes" : "categories");
	if (n < MANY_RECORDS || column->kind == COLUMN_LABEL)
		return;
	if (column->n_texts > 0 && 10 * column->categories.n >= 9 * n)
		cli_note("%s: column '%s' has another text in %seach row: if it tells rows apart, "
			 "say --ignore, and --text for features of its words",
			 c->name, name, column->categories.n < n ? "nearly " : "");
	if (column->n_texts == 0 && column->counts)
		cli_note("%s: column '%s' counts the rows: if it tells them apart, say --ignore",
			 c->name, name);
}

/* Is line 1, which was taken for a record, one by its texts?  Then others have one of them, too. */
static bool is_unlike_others(const struct csv_columns *c)
{
	for (int64_t k = 0; k < c->n; k++)
		if (c->column[k].n_texts > 0 && c->column[k].n_first != 1)
			return false;
	return true;
}

static void remark_table(const struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;
	const struct csv_column *first = &c->column[0];
	const int64_t groups = c->like_groups;

	if (c->n > 1 && text_set_get(&c->names, 0).length == 0 &&
	    (first->kind == COLUMN_IGNORED || c->label == 0))
		cli_note("%s: the first column has no name, as names of rows have none: it is %s",
			 c->name, c->label == 0 ? "the label" : "left out");
	if (c->renamed >= 0)
		cli_note("%s: columns have the same name: column %" PRId64 " is called '%s'",
			 c->name, c->renamed + 1, CSV_COLUMN_NAME(c, c->renamed));
	if (job->in_doubt && !job->has_heading && !settings.no_header && is_unlike_others(c))
		cli_note(
			"%s: line 1 is taken for a record, and has texts that no other line has: if "
			"it has the names of the columns, say --header",
			c->name);
	if (job->between_blanks && first->kind < COLUMN_IGNORED && first->counts &&
	    first->n_texts == 0 && first->n_numbers > 1)
		cli_note("%s: column '%s' counts the rows, as names of rows do: if the name of "
			 "another column holds a blank, put tabs between columns",
			 c->name, CSV_COLUMN_NAME(c, 0));
	for (int64_t k = 0; k < c->n; k++)
		remark_column(c, k);
	if (job->n_again > 0 && c->group_place < 0)
		cli_note("%s: column '%s': %" PRId64 " of %" PRId64
			 " rows have the identifier of an "
			 "earlier one: if such rows belong together, as those of a patient, say "
			 "--group '%s' too, and folds by --by-qid keep them so",
			 c->name, settings.id, job->n_again, job->n_read, settings.id);
	if (groups >= 0)
		cli_note("%s: column '%s': %seach of %" PRId64 " values has rows of one label: if "
			 "they belong together, as those of a patient, say --group '%s', else "
			 "keep it or --ignore it",
			 c->name, CSV_COLUMN_NAME(c, groups),
			 c->column[groups].n_contrary > 0 ? "nearly " : "",
			 c->column[groups].n_values, CSV_COLUMN_NAME(c, groups));
}

void convert_remark(const struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;

	if (job->form <= FORM_ARFF && !settings.restore)
		remark_table(job);
	/* of each column, whether learned now or earlier: integers that were rounded */
	for (int64_t k = 0; k < c->n; k++)
		if (c->column[k].rounded_line > 0)
			cli_note("%s:%" PRId64
				 ": column '%s': '%s' has more digits than a double holds, "
				 "and is rounded: if it is a name say --categories or --ignore",
				 c->name, c->column[k].rounded_line, CSV_COLUMN_NAME(c, k),
				 c->column[k].rounded);
	for (int64_t k = 0; k < c->n; k++)
		if (c->column[k].kind == COLUMN_TEXT && c->column[k].text_features->n_wordless > 0)
			cli_note("%s: column '%s': %" PRId64 " of %" PRId64 " texts have no words "
				 "that are features",
				 c->name, CSV_COLUMN_NAME(c, k),
				 c->column[k].text_features->n_wordless, job->n_read);
	if (c->n > 0 && c->label >= 0 && c->column[c->label].place < 0)
		cli_note("%s: no column '%s': rows have %s", c->name, CSV_COLUMN_NAME(c, c->label),
			 settings.no_label ? "label 0" : "no labels");
	else if (c->n_unlabelled > 0)
		cli_note("%s: %" PRId64 " rows have no label", c->name, c->n_unlabelled);
	if (settings.positive && job->n_positive == 0)
		cli_note("%s: no row is of the class '%s'", convert_name(), settings.positive);
	note_table_values(c);
	if (job->has_qid && (settings.binary || settings.to != TO_ROWS))
		cli_note_lost_qids(convert_name());
	if (job->n_written < job->n_read)
		cli_note("%s: %" PRId64 " of %" PRId64 " rows have missing values and are left out",
			 convert_name(), job->n_read - job->n_written, job->n_read);
}
