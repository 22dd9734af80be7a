/*
 * convert_matrix.c - matrices as rows: NumPy's arrays, scipy's sparse ones, MatrixMarket
 *
 * Rows come without labels.  The label is a column of the matrix, whose entries are taken out, or
 * comes from a file; NaN is a missing value.
 *
 * Lines of text in that file are a table of one column, the label's: numbers, or names of classes.
 * They are kept in memory, to be learned and then handed out.  The values of an array become such
 * lines.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "convert.h"
#include "tables/matrix_write.h"
#include "tables/npy_read.h"

/* ---- labels of a file of their own ---- */

struct matrix_labels {
	const char *name; /* name of the file, for messages */
	struct csv_columns *columns;
	struct byte_buffer kept;
	struct csv_reader text;
	struct row_batch row;
};

/* Read the lines of the input, or those that were kept where it is NULL. */
static void begin_text(struct matrix_labels *l, struct input *input)
{
	struct error err = { 0 };

	input_close(l->text.text.from);
	csv_reader_free(&l->text);
	l->text = (struct csv_reader){ .text.from = input, .name = l->name, .delimiter = '\n' };
	if (!input)
		cli_check(input_open_kept(&l->text.text.from, &l->kept, settings.labels_of, &err),
			  &err);
	cli_check(text_window_more(&l->text.text, &err), &err);
}

/* One column, of labels; its lines are then to be read again. */
static void learn_text(struct matrix_labels *l)
{
	struct csv_columns *c = l->columns;
	struct csv_record record;
	struct error err = { 0 };
	int got;

	cli_check(csv_columns_begin(c, NULL, 1, &err), &err);
	cli_check(csv_columns_set(c, "1", COLUMN_LABEL, &err), &err);
	while ((got = csv_read(&l->text, &record, &err)) > 0)
		cli_check(csv_columns_learn(c, &record, &err), &err);
	cli_check(got, &err);
	cli_check(csv_columns_end(c, &err), &err);
	begin_text(l, NULL);
}

/* The value of row i of an array, which is the next one, as a line of text. */
static void add_value(struct matrix_labels *l, struct npy_array *a, int64_t i,
		      struct byte_buffer *text)
{
	struct error err = { 0 };
	double value;

	text->size = 0;
	if (npy_is_text(a)) {
		cli_check(npy_text(a, text, &err), &err);
		cli_check(csv_add_field(&l->kept, text->bytes, text->size, &err), &err);
	} else {
		cli_check(npy_numbers(a, &value, 1, &err), &err);
		if (isinf(value))
			cli_fail("%s: row %" PRId64 ": the label is not finite", l->name, i + 1);
		cli_check(number_text_add(&l->kept, value, 0, &err), &err);
	}
	cli_check(byte_buffer_append(&l->kept, "\n", 1, &err), &err);
}

/* The values of an array become lines; the input is closed. */
static void keep_array(struct matrix_labels *l, struct input *input)
{
	struct npy_array a;
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	cli_check(npy_begin(&a, input, &err), &err);
	if (a.n_dims > 2 || (a.dim[0] != 1 && a.dim[1] != 1))
		cli_fail("%s: labels are an array of one dimension", l->name);
	for (int64_t i = 0; i < a.dim[0] * a.dim[1]; i++)
		add_value(l, &a, i, &text);
	cli_check(npy_end(&a, &err), &err);
	byte_buffer_free(&text);
	cli_close_input(input);
}

/*
 * Labels from a file, for the rows of a matrix: lines of text, or an array.  Learns the classes, unless
 * job->columns has them from -r.
 */
static struct matrix_labels *labels_open(struct convert_job *job)
{
	struct error err = { 0 };
	struct matrix_labels *l = cli_zeroed(1, sizeof(*l));
	struct input *input;
	char start[6];
	int64_t n;

	l->columns = &job->columns;
	l->name = l->columns->name =
		strcmp(settings.labels_of, "-") == 0 ? "standard input" : settings.labels_of;
	input = cli_open_input(settings.labels_of);
	n = input_peek(input, start, sizeof(start), &err);
	cli_check(n, &err);
	if (n == 6 && memcmp(start, "PK\3\4", 4) == 0) {
		/* the array y, or the only one, is the input */
		input_close(input);
		cli_check(npz_open_array(&input, settings.labels_of, "y", &err), &err);
		memcpy(start, NPY_MAGIC, 6);
	}
	if (n == 6 && memcmp(start, NPY_MAGIC, 6) == 0) {
		keep_array(l, input);
		input = NULL;
	} else if (!settings.restore) {
		input_keep(input, &l->kept);
	}
	begin_text(l, input);
	if (!settings.restore)
		learn_text(l);
	else
		cli_check(csv_columns_fit(l->columns, NULL, 1, &err), &err);
	return l;
}

/* 1, 0 if the row is left out, -1 if there is no further label. */
static int next_label(struct matrix_labels *l, double *label)
{
	struct csv_record record;
	struct error err = { 0 };
	int got = csv_read(&l->text, &record, &err);

	if (got == 0)
		return -1;
	cli_check(got, &err);
	cli_check(row_batch_reserve(&l->row, 0, 0, false, &err), &err);
	got = csv_columns_row(l->columns, &record, &l->row, &err);
	cli_check(got, &err);
	if (got == 1)
		*label = l->row.label[0];
	return got;
}

/* There are no more, or the program ends. */
static void labels_close(struct matrix_labels *l, int64_t n_rows)
{
	if (!l)
		return;
	if (next_label(l, &(double){ 0 }) >= 0)
		cli_fail("%s: more labels than the %" PRId64 " rows of %s", l->name, n_rows,
			 convert_name());
	input_close(l->text.text.from);
	csv_reader_free(&l->text);
	row_batch_free(&l->row);
	byte_buffer_free(&l->kept);
	mem_free(l);
}

/* ---- rows ---- */

/* A matrix on its way, and where its labels come from. */
struct matrix_job {
	struct convert_job *job;
	struct matrix_reader matrix;
	struct row_batch read; /* rows as the matrix has them */
	int64_t label;	       /* column of the label, from 1; 0: none */
	struct matrix_labels *labels;
};

/* Rows from which on most of them are to have an entry, and how many there may be for each. */
enum { MANY_ROWS = 1000000, ROWS_FOR_AN_ENTRY = 100 };

static void open_matrix(struct matrix_job *m)
{
	const struct matrix_reader *to = &m->matrix;
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
	/* rows of which hardly any has an entry are likely to be a slip */
	if (!settings.common.force && to->n_rows > MANY_ROWS &&
	    to->n_rows / ROWS_FOR_AN_ENTRY > to->n_entries)
		cli_fail("%s: %" PRId64 " rows, and %" PRId64
			 " entries: --force writes all these rows",
			 convert_name(), to->n_rows, to->n_entries);
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
			if (m->job->columns.missing == MISSING_REFUSED)
				cli_fail("%s: row %" PRId64 ", column %" PRId64
					 ": a missing value (NaN)",
					 convert_name(), i + 1, j);
			if (m->job->columns.missing == MISSING_DROPS)
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
		const bool kept = take_row(m, r, job->n_read, &label);
		const int labelled = m->labels ? next_label(m->labels, &label) : 1;

		if (labelled < 0)
			cli_fail("%s: %" PRId64 " labels, fewer than the rows of %s",
				 m->labels->name, job->n_read, convert_name());
		job->n_read++;
		if (!kept || labelled == 0)
			job->rows.n_entries = before;
		else
			cli_check(row_batch_end_row(&job->rows, label, &err), &err);
	}
	cli_check(convert_write(job, &job->rows, &err), &err);
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
	job->columns.missing = settings.missing;
	if (settings.restore) {
		convert_restore(job);
		if (job->columns.n != 1 || job->columns.label != 0)
			cli_fail("%s: was made of a table, and %s is a matrix", settings.restore,
				 convert_name());
	}
	cli_run_progress(&job->run, "converting");
	open_matrix(&m);
	if (settings.label)
		m.label = label_column(&m.matrix);
	if (settings.labels_of)
		m.labels = labels_open(job);
	job->n_columns = m.matrix.n_cols - (m.label > 0);
	convert_begin(job);
	do {
		cli_check(row_batch_reserve(&m.read, 0, 0, false, &err), &err);
		n = matrix_read(&m.matrix, CONVERT_BATCH, &m.read, &err);
		cli_check(n, &err);
		take_rows(&m);
	} while (n > 0);
	cli_progress_end(&job->run.progress);
	labels_close(m.labels, job->n_read);
	cli_note_rounded(m.matrix.numbers);
	matrix_close(&m.matrix);
	row_batch_free(&m.read);
	input_close(job->input);
}
