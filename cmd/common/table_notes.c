/*
 * table_notes.c - notes on values of a table that its columns do not know
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "table_notes.h"

#include "process.h"

void note_table_values(const struct csv_columns *c)
{
	if (c->n_unknown > 0)
		cli_remark("%s:%" PRId64 ": column '%s': '%s' is none of the categories that were "
			   "learned, as %" PRId64 " value%s",
			   c->name, c->unknown.line, CSV_COLUMN_NAME(c, c->unknown.column),
			   c->unknown.text, c->n_unknown, c->n_unknown == 1 ? "" : "s");
	if (c->n_unmarked > 0)
		cli_remark("%s: column '%s' had no missing value to learn a mark from: the mean of "
			   "the column, or no category, stands for %" PRId64 " such value%s",
			   c->name, CSV_COLUMN_NAME(c, c->unmarked_column), c->n_unmarked,
			   c->n_unmarked == 1 ? "" : "s");
	for (int64_t k = 0; k < c->n; k++)
		if (c->column[k].kind == COLUMN_TEXT && c->column[k].text_features->has_accents)
			cli_remark(
				"%s: column '%s': accents are characters of their own (NFD): words "
				"with composed ones (NFC), which uconv -x any-nfc makes, are others",
				c->name, CSV_COLUMN_NAME(c, k));
}
