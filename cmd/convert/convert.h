/*
 * convert.h - the parts of svm-convert
 *
 *     svm-convert.c       options, and what is done in which order
 *     convert_form.c      which format and name the input has
 *     convert_table.c     tables: CSV, ARFF; is the first line of one its heading?
 *     convert_matrix.c    matrices: NumPy, scipy, MatrixMarket
 *     convert_write.c     rows in SVMlight's form or the binary one; what becomes of all rows
 *     convert_remarks.c   notes on likely slips
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "common/run.h"
#include "io/row_writer.h"
#include "tables/csv_columns.h"

/* Formats of the input; their names have the same order. */
enum convert_form { FORM_AUTO, FORM_CSV, FORM_ARFF, FORM_NPY, FORM_NPZ, FORM_MTX, FORM_ROWS };

/* Formats of the output, and where indices count from 0; their names have the same order. */
enum convert_output { TO_ROWS, TO_CSV, TO_NPY, TO_MTX };
enum convert_zero_based { ZERO_NOWHERE, ZERO_IN = 1, ZERO_OUT = 2, ZERO_BOTH = ZERO_IN | ZERO_OUT };
extern const char *const convert_zero_based_names[];

/* Settings of the command line, written by main() before any other function runs. */
extern struct convert_settings {
	struct common_options common;
	const char *label, *labels_of, *categories, *ignore, *id, *group, *na, *save, *restore,
		*names, *labels, *text, *ngrams, *stop;
	struct text_rule rule;
	bool tfidf;
	const char *positive;
	int missing, delimiter, from, to, zero_based;
	int64_t digits;
	bool header, no_header, no_label, decimal_comma, binary;
	const char *data_name, *output_name;
} settings;

/* Files that a run writes, by position in struct cli_run. */
enum { FILE_ROWS, FILE_COLUMNS, FILE_NAMES, FILE_LABELS };

/* Rows of a batch. */
enum { CONVERT_BATCH = 1024 };

struct convert_job {
	struct cli_run run;
	enum convert_form form;
	struct input *input; /* the input while it is read for the first time */
	bool has_heading;
	bool in_doubt;		    /* line 1 may be a record, or names of columns */
	bool between_blanks;	    /* fields below a heading are between runs of blanks */
	struct csv_columns columns; /* columns of a table; of a matrix the labels alone */
	int64_t n_columns;	    /* columns of a matrix; features */
	struct row_batch rows;
	double positive; /* label of the class of --positive */
	int64_t n_positive;
	struct row_batch all; /* all rows, for an output that has to know how many there are */
	struct row_writer writer;
	/* identifiers of the rows of the batch as comments, "# ID", and where each begins */
	struct byte_buffer ids;
	int64_t id_start[CONVERT_BATCH + 1];
	/* names of the groups so far, and of each row of the batch "qid:N", or "" */
	struct text_set groups;
	/* identifiers so far, of which the first CSV_MOST_CATEGORIES are known again, as n_again were */
	struct text_set id_names;
	int64_t n_again;
	char qid[CONVERT_BATCH][32];
	bool has_qid; /* some row has a qid, of its own or for its group */
	struct byte_buffer bytes;
	int64_t n_read, n_written;
};

/* ---- convert_form.c ---- */

/* convert_name() - name of the input in messages */
const char *convert_name(void);

/* convert_open() - open the input, and find its format out; options that do not fit it are refused */
void convert_open(struct convert_job *job);

/* ---- convert_table.c ---- */

/* convert_table() - learn the columns, or restore them, and write the rows */
void convert_table(struct convert_job *job);

/* convert_restore() - the columns of -r */
void convert_restore(struct convert_job *job);

/* ---- convert_matrix.c ---- */

/* convert_matrix() - write the rows of a matrix; those with a missing value by columns.missing */
void convert_matrix(struct convert_job *job);

/* ---- convert_write.c ---- */

/* convert_rows() - write rows in another form, with indices counted from where --zero-based says */
void convert_rows(struct convert_job *job);

/*
 * convert_begin(), convert_end() - before the first row, and behind the last one
 *
 * job->columns has the classes before, and job->n_columns the features after.
 */
void convert_begin(struct convert_job *job);
void convert_end(struct convert_job *job);

/* convert_write() - write the rows of the batch, which is emptied */
int convert_write(struct convert_job *job, struct row_batch *rows, struct error *err);

/* ---- convert_remarks.c ---- */

/* convert_remark() - notes on what is likely to be a slip, after all rows */
void convert_remark(const struct convert_job *job);
