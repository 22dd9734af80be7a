/*
 * csv_fields.h - fields of a table as missing values, numbers and texts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/missing_word.h"
#include "tables/csv_columns.h"

/* csv_missing() - does the field, without blanks around it, stand for a missing value? */
enum missing_word csv_missing(const struct csv_columns *c, const struct csv_field *field);

/* csv_trimmed() - the field without the blanks around it, unless c->exact */
struct csv_field csv_trimmed(const struct csv_columns *c, const struct csv_field *field);

/* What a text that is no number is beside one. */
enum number_look {
	LOOKS_LIKE_TEXT,
	LOOKS_BEGUN,	     /* has one, as do 12 kg, EUR 5, <0.5, 12:30 and 2024-01-01 */
	LOOKS_DECORATED,     /* is one but for signs and separators, as are $5, 5%, (5) and 1,234 */
	LOOKS_DECIMAL_COMMA, /* is one if commas are decimal: 1,5 */
};

/* csv_number_look() - which it is; 'other' becomes what of it is no number, where that is known */
enum number_look csv_number_look(const struct csv_columns *c, const struct csv_field *field,
				 char other[16]);

/* csv_column_name() - name of column k, fit to print; returns 'quoted' */
const char *csv_column_name(const struct csv_columns *c, int64_t k, char quoted[64]);

/* csv_fault() - set ERR_FORMAT to `TABLE:LINE: column 'NAME': 'FIELD' REASON`; returns -1 */
int csv_fault(const struct csv_columns *c, const struct csv_record *record, int64_t k,
	      const char *reason, struct error *err);

/* csv_check_length() - has the record as many fields as the table?  Else -1 with ERR_FORMAT */
int csv_check_length(const struct csv_columns *c, const struct csv_record *record,
		     struct error *err);

/* csv_count_features() - number of features of a column */
int64_t csv_count_features(const struct csv_columns *c, const struct csv_column *column);
