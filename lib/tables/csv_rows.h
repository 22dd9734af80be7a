/*
 * csv_rows.h - a table of delimited text, whose columns are known, as batches of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "tables/csv_columns.h"

/*
 * csv_rows_scan() - all records of an input, by columns of csv_columns_read()
 *
 * As rows_scan() on one thread, in batches of max_rows, or 0 for some hundred.  The first record is the
 * heading, unless the columns have numbers for names.  A record that is refused ends the scan behind the
 * rows before it, as csv_read() and csv_columns_row() fail; c->n_left_out counts records without a row.
 * With v->refused it does not, each record has a row or is refused, and c->missing has become so.  After
 * one that cannot be split into fields its second line is the next record.  v->progress is not called.
 */
int csv_rows_scan(struct csv_columns *c, struct input *from, int64_t max_rows,
		  const struct rows_visitor *v, struct error *err);
