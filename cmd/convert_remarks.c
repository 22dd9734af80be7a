/*
 * convert_remarks.c - what in a table is likely to be a slip
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "common/process.h"
#include "convert.h"
#include "csv/csv_fields.h"

/* Of a column that was learned: categories most of which are numbers. */
static void remark_column(const struct csv_columns *c, int64_t k)
{
	const struct csv_column *column = &c->column[k];
	const int64_t n = column->n_numbers + column->n_texts;
	char name[64];

	if (column->kind != COLUMN_IGNORED && !column->all_texts && !column->declared &&
	    column->n_texts > 0 && 2 * column->n_texts <= n)
		cli_note("%s:%" PRId64 ": column '%s': '%s' is not a number, as %" PRId64
			 " of %" PRId64 " values are: all are taken for %s",
			 c->name, column->text_line, csv_column_name(c, k, name), column->text,
			 column->n_numbers, n,
			 column->kind == COLUMN_LABEL ? "classes" : "categories");
}

void convert_remark(const struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;

	for (int64_t k = 0; k < c->n && !settings.restore; k++)
		remark_column(c, k);
	if (c->n > 0 && c->label >= 0 && c->column[c->label].place < 0)
		cli_note("%s: no column with labels: all are 0", c->name);
	if (settings.positive && job->n_positive == 0)
		cli_note("%s: no row is of the class '%s'", convert_name(), settings.positive);
	if (c->n_unknown > 0)
		cli_note("%s: %" PRId64 " values are none of the categories that were learned",
			 c->name, c->n_unknown);
	if (job->n_written < job->n_read)
		cli_note("%s: %" PRId64 " of %" PRId64 " rows have missing values and are left out",
			 convert_name(), job->n_read - job->n_written, job->n_read);
}
