/*
 * csv_columns.h - the columns of a table as a label and features
 *
 *     sex,age,dose,outcome        outcome  label: bad is 1, good is 2
 *     f,41,1.5,good               sex      categories: sex=f is feature 1, sex=m is feature 2
 *     m,37,,bad                   age      number: feature 3
 *                                 dose     number: feature 4, here with a missing value
 *
 * What columns are is learned from all records of a table, and kept in a file, so that later tables
 * get the same features and labels:
 *
 *     csv_columns_begin()       names, from the header or numbers
 *     csv_columns_learn()       each record
 *     csv_columns_end()         kinds, categories and features       or csv_columns_read()
 *     csv_columns_fit()         which columns of another table these are
 *     csv_columns_row()         a record as a row
 *
 * A column is one of numbers if all its values are, missing ones left out; else it has categories:
 * each different text is a feature, 1 where the column has that text.  Labels that are all numbers
 * stay as they are; else each different text is a class, numbered from 1 in the order of their bytes.
 * A column that is said to be one of texts has a feature for each word (text_features.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/missing_word.h"
#include "base/moments.h"
#include "io/output.h"
#include "io/rows.h"
#include "tables/csv_read.h"
#include "tables/text_features.h"
#include "tables/text_set.h"

/* Those before the label have features.  Identifiers and groups are none, and stay beside their rows. */
enum column_kind {
	COLUMN_NUMBER,
	COLUMN_CATEGORIES,
	COLUMN_TEXT,
	COLUMN_LABEL,
	COLUMN_IGNORED,
	COLUMN_ID,
	COLUMN_GROUP,
	COLUMN_ID_AND_GROUP
};

/* What a missing value of a column becomes: csv_missing_names has the same order. */
enum missing_rule {
	MISSING_REFUSED, /* rule: an error */
	MISSING_DROPS,	 /* rule: the row is left out */
	MISSING_ZERO,	 /* rule: 0, or none of the categories */
	MISSING_MEAN,	 /* rule: the mean of the column in the table that was learned from */
	/* rule: 0, and 1 in a feature of its own; the mean in a column that had none to learn from */
	MISSING_MARKED
};
extern const char *const csv_missing_names[];

/* Most different texts of a column with categories, and of the labels. */
#define CSV_MOST_CATEGORIES 20000

struct csv_column {
	enum column_kind kind;
	int64_t n_numbers, n_missing;
	int64_t n_texts;    /* values that are no numbers */
	int64_t n_doubtful; /* of these, words that are missing values of a column of numbers */
	/* of these, those that have a number; are one but for signs or a decimal comma; but for
	 * the comma */
	int64_t n_begun, n_decorated, n_commas;
	int64_t n_first;   /* values that are the same as the first one, and that one */
	bool counts;	   /* values are 0, 1, 2 and so on, or 1, 2, 3 */
	int64_t text_line; /* line of the first text, or of the first that has a number */
	char text[40];	   /* that text, fit to print */
	char other[16];	   /* what of it is no number */
	bool unnamed;	   /* neither the header nor the caller has a name for it */
	/* of the rows made so far: line of the first integer that no double is, 0 if there is none;
	 * that integer, fit to print */
	int64_t rounded_line;
	char rounded[40];
	/*
	 * Number of the last value among the categories, -1 if it is none; for each value 1 + that of the
	 * label of its first row, or 0; of further rows of a value how many have the label of the first,
	 * and how many another
	 */
	int64_t value;
	int32_t *label_of;
	int64_t n_values, labels_capacity, n_agreeing, n_contrary;
	/* moments of the numbers of rows with other labels than the first one, and with it */
	struct moments by_label[2];
	bool whole;		    /* all numbers are */
	bool declared;		    /* kind and categories are given, not learned */
	bool all_texts;		    /* numbers stand for categories or classes */
	bool has_many;		    /* more different texts than a column may have categories */
	struct moments numbers;	    /* moments of the numbers */
	double mean;		    /* mean of the numbers */
	double number;		    /* the last number */
	struct text_set categories; /* different texts */
	struct text_features *text_features; /* those of COLUMN_TEXT; NULL: it was never one */
	int64_t feature;		     /* the first feature of the column */
	int64_t place; /* column of the table at hand, see csv_columns_fit() */
	int64_t twin;  /* the last further column of the header with the same name; 0: none */
};

/* Owns its arrays; a zeroed struct is empty.  The caller sets the first fields. */
struct csv_columns {
	int missing; /* rule for missing values, an enum missing_rule */
	bool decimal_comma;
	bool exact;	  /* blanks around a field count, and only '?' without quotes is missing */
	const char *name; /* name of the table, for messages */
	bool accept_unlabelled; /* a row may have no label: it is NaN then */
	/* csv_columns_fit(): columns of identifiers and of groups, or NULL */
	const char *id, *group;
	struct text_set missing_texts; /* further texts that stand for missing values */
	struct text_rule text_rule;    /* rule for COLUMN_TEXT, if there is one */
	struct text_set stop;	       /* words that are no features of texts */

	int64_t n;
	bool has_header;       /* names are those of a header, not numbers */
	int64_t renamed;       /* last column whose name another one had already; -1: none */
	struct text_set names; /* names of the columns, n */
	struct csv_column *column;
	bool marked; /* missing values have features of their own */
	/* fields with the identifier and with the group, in the table at hand; -1: none */
	int64_t id_place, group_place;
	int64_t label;	  /* number of the label's column; -1: there is none */
	int64_t n_fields; /* fields of each record of the table at hand */
	int64_t n_features;
	int64_t n_labels, n_first_label; /* labels learned, and those that are the first value */
	int64_t like_groups; /* the first column whose values tell the label; -1: none */
	/* of the rows made so far */
	/* rows without a label; rows left out; texts that were no category; missing values */
	int64_t n_unlabelled, n_left_out, n_unknown, n_missing;
	struct csv_unknown {
		int64_t line, column;
		char text[40];
	} unknown; /* the first of these texts, fit to print */
	/* of the missing values those without a feature for their mark, and the column of the first */
	int64_t n_unmarked, unmarked_column;
};

/*
 * csv_columns_begin() - n columns, all of numbers so far
 *
 * Their names are the fields of 'header', or their numbers from 1 if it is NULL.  A column without
 * a name is called by its number, but for the first, whose name is empty; and one whose name is
 * taken gets `NAME.1`, `NAME.2` and so on, the first that is free.  ERR_MEMORY.
 */
int csv_columns_begin(struct csv_columns *c, const struct csv_record *header, int64_t n,
		      struct error *err);

/*
 * csv_columns_set() - give the column of that name, or number from 1, or from -1 backwards, a kind
 *
 * Categories are then categories even if all values are numbers, and so are the classes of a label
 * that was given categories before.  A column may have identifiers and then groups as well.  Texts
 * become words by c->text_rule, without those of c->stop.  ERR_ARGUMENT: no such column; ERR_MEMORY.
 */
int csv_columns_set(struct csv_columns *c, const char *name, enum column_kind kind,
		    struct error *err);

/* csv_columns_begin_text() - for reading a file of columns: make the features of one of texts; ERR_MEMORY */
int csv_columns_begin_text(const struct csv_columns *c, struct csv_column *column,
			   struct error *err);

/*
 * csv_columns_declare() - column k has these values, in this order, and no others; if there are
 * none, it has numbers
 *
 * Before csv_columns_set().  ERR_MEMORY.
 */
int csv_columns_declare(struct csv_columns *c, int64_t k, const struct text_set *values,
			struct error *err);

/* csv_columns_learn() - note the values of a record; ERR_FORMAT (`NAME:LINE: reason`), ERR_MEMORY */
int csv_columns_learn(struct csv_columns *c, const struct csv_record *record, struct error *err);

/*
 * csv_columns_end() - number the features, and find a column whose values tell the label
 *
 * ERR_FORMAT for a column with too many texts, or with texts among nine times as many numbers or
 * more: one value that is no number would make categories of all.  Numbers with signs or separators,
 * such as $5 or 1,234, count as numbers there, and are an error.
 */
int csv_columns_end(struct csv_columns *c, struct error *err);

/* csv_columns_number() - number the features of columns that are known; ERR_FORMAT: too many */
int csv_columns_number(struct csv_columns *c, struct error *err);

/* csv_columns_numbered() - is column k called k + 1, for each k, as without a heading? */
bool csv_columns_numbered(const struct csv_columns *c);

/*
 * csv_columns_fit() - find the columns in a table with this header, or by number if it is NULL
 *
 * A column that the table does not have is ERR_FORMAT, but for one that makes no feature; and so are
 * more fields than columns where there is no header, unless c->id or c->group is one of them.
 */
int csv_columns_fit(struct csv_columns *c, const struct csv_record *header, int64_t n,
		    struct error *err);

/*
 * csv_columns_row() - append a record to a batch, which grows
 *
 * Returns 1; 0 if the row is left out; or -1 with ERR_FORMAT for a missing value (MISSING_REFUSED) or
 * group (unless MISSING_DROPS), a text in a column of numbers or one that is not UTF-8, a label that is
 * no class, or ERR_MEMORY.
 */
int csv_columns_row(struct csv_columns *c, const struct csv_record *record, struct row_batch *to,
		    struct error *err);

/* csv_columns_is_number() - is the whole field a finite number? */
bool csv_columns_is_number(const struct csv_columns *c, const struct csv_field *field,
			   double *value);

/*
 * csv_columns_names() - append a line for each feature; ERR_MEMORY
 *
 * `NAME`, `NAME=CATEGORY`, `NAME=WORD` (`WORD` where no other column has features) or
 * `NAME missing`, with line ends escaped as in the file.  ERR_ARGUMENT where features are of a hash.
 */
int csv_columns_names(const struct csv_columns *c, struct byte_buffer *to, struct error *err);

/* csv_columns_class() - name of the class with that label; its start is NULL if there is none */
struct text_span csv_columns_class(const struct csv_columns *c, double label);

/* csv_columns_find_class() - number of the class of that name; -1: there is none */
int64_t csv_columns_find_class(const struct csv_columns *c, struct text_span name);

/* csv_columns_labels() - append lines `number name` of the classes; none where labels are numbers */
int csv_columns_labels(const struct csv_columns *c, struct byte_buffer *to, struct error *err);

/*
 * csv_columns_save(), csv_columns_read() - a file of mapfile.h, whose errors these are; the second is
 * an input_reader of a struct csv_columns, the first an output_writer
 */
int csv_columns_save(const void *columns, struct output *to, struct error *err);
int csv_columns_read(void *c, struct input *from, struct error *err);

void csv_columns_free(struct csv_columns *c);

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

/* CSV_COLUMN_NAME() - name of column k, fit to print, until the end of the block */
#define CSV_COLUMN_NAME(c, k) csv_column_name(c, k, (char[64]){ 0 })
const char *csv_column_name(const struct csv_columns *c, int64_t k, char quoted[64]);

/* ---- csv_rows.c ---- */

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
