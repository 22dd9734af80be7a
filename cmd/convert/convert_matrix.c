/*
 * convert_matrix.c - matrices as rows: NumPy's arrays, scipy's sparse ones, MatrixMarket
 *
 * Rows come without labels.  The label is a column of the matrix, whose entries are taken out, or
 * comes from a file; NaN is a missing value.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "convert.h"
#include "tables/mtx_read.h"
#include "tables/npy_read.h"
#include "tables/npz_read.h"

/* A matrix on its way, and where its labels come from. */
struct matrix_job {
	struct convert_job *job;
	struct matrix_reader matrix;
	struct row_batch read; /* rows as the matrix has them */
	int64_t label;	       /* column of the label, from 1; 0: none */
	struct convert_labels *labels;
};

static void open_matrix(struct matrix_job *m)
{
	struct input *input = m->job->input;
	struct error err = { 0 };
	int ret;

	if (m->job->form == FORM_NPZ)
		ret = npz_open(&m->matrix, settings.data_name, "X", &err);
	else if (m->job->form == FORM_NPY)
		ret = npy_open(&m->matrix, input, &err);
	else
		ret = mtx_open(&m->matrix, input, &err);
	cli_check(ret, &err);
}

/* The column of -l, by its number, or counted from the last one if it is negative. */
static int64_t label_column(const struct matrix_reader *matrix)
{
	char *end;
	long long k = strtoll(settings.label, &end, 10);

	if (k < 0)
		k += matrix->n_cols + 1;
	if (*end || k < 1 || k > matrix->n_cols)
		cli_fail("-l %s: the matrix has columns 1 to %" PRId64 ", and no names",
			 settings.label, matrix->n_cols);
	return k;
}

/* What the named rule says of a missing value in row i of the matrix: is the row kept? */
static bool keep_missing(const struct convert_job *job, int64_t i, int64_t column)
{
	if (job->missing == MISSING_REFUSED)
		cli_fail("%s: row %" PRId64 ", column %" PRId64 ": a missing value (NaN)",
			 convert_name(), i + 1, column);
	return job->missing != MISSING_DROPS;
}

/* Row r of those read, without its label; false if it is left out. */
static bool take_row(struct matrix_job *m, int64_t r, int64_t i, double *label)
{
	struct row_batch *to = &m->job->rows;
	struct error err = { 0 };

	*label = 0;
	for (int64_t k = m->read.row_start[r]; k < m->read.row_start[r + 1]; k++) {
		const int64_t j = m->read.index[k];
		const double value = m->read.value[k];

		if (isnan(value)) {
			if (!keep_missing(m->job, i, j))
				return false;
			if (j == m->label)
				cli_fail("%s: row %" PRId64 ": the label is missing",
					 convert_name(), i + 1);
		} else if (j == m->label) {
			*label = value;
		} else {
			cli_check(
				row_batch_add(to, j - (m->label > 0 && j > m->label), value, &err),
				&err);
		}
	}
	return true;
}

/* The rows read, with their labels, to the output. */
static void take_rows(struct matrix_job *m)
{
	struct convert_job *job = m->job;
	struct error err = { 0 };

	for (int64_t r = 0; r < m->read.n_rows; r++) {
		const int64_t before = job->rows.n_entries;
		double label;
		bool kept = take_row(m, r, job->n_read++, &label);

		if (m->labels && convert_labels_next(m->labels, &label) == 0)
			kept = false;
		if (!kept)
			job->rows.n_entries = before;
		else
			cli_check(row_batch_end_row(&job->rows, label, &err), &err);
	}
	cli_check(convert_write(job, &job->rows, &err), &err);
}

/* Rows from which on most of them are to have an entry, and how many there may be for each. */
enum { MANY_ROWS = 1000000, ROWS_FOR_AN_ENTRY = 100 };

/* Does the shape promise rows of which hardly any has an entry?  It is likely to be a slip. */
static void refuse_empty_rows(const struct matrix_reader *m)
{
	if (!settings.common.force && m->n_rows > MANY_ROWS &&
	    m->n_rows / ROWS_FOR_AN_ENTRY > m->n_entries)
		cli_fail("%s: %" PRId64 " rows, and %" PRId64
			 " entries: --force writes all these rows",
			 convert_name(), m->n_rows, m->n_entries);
}

static void check_options(const struct convert_job *job)
{
	const bool learns =
		settings.save || settings.restore || (settings.labels && !settings.positive);

	if (!settings.label && !settings.no_label && !settings.labels_of)
		cli_refuse("-l or --labels-of is missing: where are the labels?");
	if (settings.missing == MISSING_MEAN || settings.missing == MISSING_MARKED)
		cli_refuse("--missing %s is for tables; of a matrix it is error, drop or zero",
			   csv_missing_names[settings.missing]);
	if (learns && !settings.labels_of)
		cli_refuse("of a matrix only names of classes are learned, and these need "
			   "--labels-of");
	if (job->form == FORM_NPZ && !cli_is_file(settings.data_name))
		cli_refuse("an archive cannot be read from a pipe: name its file");
}

void convert_matrix(struct convert_job *job)
{
	struct matrix_job m = { .job = job };
	struct error err = { 0 };
	int64_t n;

	check_options(job);
	job->missing = settings.missing;
	if (settings.restore) {
		convert_restore(job);
		if (job->columns.n != 1 || job->columns.label != 0)
			cli_fail("%s: was made of a table, and %s is a matrix", settings.restore,
				 convert_name());
		job->missing = job->columns.missing;
	}
	cli_run_progress(&job->run, "converting");
	open_matrix(&m);
	refuse_empty_rows(&m.matrix);
	if (settings.label)
		m.label = label_column(&m.matrix);
	if (settings.labels_of)
		m.labels = convert_labels_open(job);
	job->n_columns = m.matrix.n_cols - (m.label > 0);
	convert_begin(job);
	do {
		cli_check(row_batch_reserve(&m.read, 0, 0, false, &err), &err);
		n = matrix_read(&m.matrix, CONVERT_BATCH, &m.read, &err);
		cli_check(n, &err);
		take_rows(&m);
	} while (n > 0);
	cli_progress_end(&job->run.progress);
	convert_labels_close(m.labels);
	cli_note_rounded(m.matrix.numbers);
	matrix_close(&m.matrix);
	row_batch_free(&m.read);
	input_close(job->input);
	convert_end(job);
}
