/*
 * table_notes.h - notes on values of a table that its columns do not know
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "tables/csv_columns.h"

/*
 * note_table_values() - note, of the rows made by columns, texts that are no category, and missing
 * values of columns that have no mark of them: how many there are, and where the first one is; and
 * columns of texts with accents of their own
 */
void note_table_values(const struct csv_columns *c);
