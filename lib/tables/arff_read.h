/*
 * arff_read.h - records of a table in Weka's ARFF format, dense or sparse
 *
 *     @relation weather                        % a comment
 *     @attribute 'the outlook' {sunny, 'quite rainy'}
 *     @attribute humidity numeric              or real, integer; string, date
 *     @data
 *     'quite rainy', 85                        a record, with '?' where a value is missing
 *     {1 85}                                   the same form sparse: numbers from 0, and values
 *
 * Words are separated by a comma, blanks or both; a comment may be behind any line.  In a sparse
 * record the values that are left out are 0, and the first of those declared (not
 * missing ones).  Relational attributes and weights of records are refused.
 *
 * Source: Weka wiki, ARFF (stable version).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/line_reader.h"
#include "tables/csv_columns.h"
#include "tables/csv_read.h"
#include "tables/text_set.h"

enum arff_type { ARFF_NUMBER, ARFF_NOMINAL, ARFF_TEXT };

struct arff_attribute {
	enum arff_type type;
	struct text_set values; /* texts declared, of ARFF_NOMINAL */
};

/* A table that is being read; the caller sets 'from' and 'name' of the lines. */
struct arff_reader {
	struct line_reader lines;
	int64_t n;
	struct text_set names; /* names of the attributes, n */
	struct arff_attribute *attribute;
	int64_t attributes_capacity;
	struct csv_field *field, *absent; /* fields of a record; of a sparse one without values */
};

/* arff_begin() - read all before the data; ERR_FORMAT (`NAME:LINE: reason`), as input_read(), ERR_MEMORY */
int arff_begin(struct arff_reader *r, struct error *err);

/* arff_names() - the names of the attributes as a header */
struct csv_record arff_names(struct arff_reader *r);

/* arff_declare() - tell columns, which have begun with that header, of the attributes' types */
int arff_declare(const struct arff_reader *r, struct csv_columns *c, struct error *err);

/* arff_read() - the next record; 1, 0 at the end, or -1 as arff_begin() */
int arff_read(struct arff_reader *r, struct csv_record *record, struct error *err);

void arff_reader_free(struct arff_reader *r);
