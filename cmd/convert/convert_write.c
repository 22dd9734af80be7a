/*
 * convert_write.c - what becomes of all rows, and their output
 *
 * Rows are written as they come; but for formats that begin with the number of rows all of them are
 * kept first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "convert.h"
#include "tables/matrix_write.h"

void convert_begin(struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;
	const char *name = settings.positive ? settings.positive : "", *end = name + strlen(name);
	struct error err = { 0 };

	/* by its name or, where classes have none, its number */
	job->positive = (double)csv_columns_find_class(c, (struct text_span){ name, end - name });
	if (settings.positive && job->positive < 0 &&
	    (csv_columns_class(c, 1).start || decimal_parse(name, end, &job->positive) != end))
		cli_fail("--positive: there is no class '%s'", name);
	job->writer = (struct row_writer){ .to = job->run.file[FILE_ROWS].output,
					   .binary = settings.binary,
					   .digits = (int)settings.digits };
	cli_check(row_writer_begin(&job->writer, &err), &err);
	cli_check(row_batch_reserve(&job->rows, 0, 0, false, &err), &err);
	cli_check(row_batch_reserve(&job->all, 0, 0, false, &err), &err);
}

/* Rows as if they had been read: with comments, and those without a label with none. */
static int add_texts(struct convert_job *job, struct row_batch *rows, struct error *err)
{
	if (mem_grow(&rows->text, &rows->capacity.texts, rows->n_rows, sizeof(*rows->text), err) <
	    0)
		return -1;
	rows->has_text = true;
	for (int64_t i = 0; i < rows->n_rows; i++) {
		rows->text[i] = (struct row_text){ 0 };
		if (isnan(rows->label[i]))
			rows->text[i].label.start = "";
		if (job->groups.n > 0)
			rows->text[i].qid =
				(struct text_span){ job->qid[i], (int64_t)strlen(job->qid[i]) };
		if (job->ids.size > 0 && job->id_start[i + 1] > job->id_start[i])
			rows->text[i].comment =
				(struct text_span){ job->ids.bytes + job->id_start[i],
						    job->id_start[i + 1] - job->id_start[i] };
	}
	job->ids.size = 0;
	return 0;
}

int convert_write(struct convert_job *job, struct row_batch *rows, struct error *err)
{
	/* one class against the rest */
	for (int64_t i = 0; settings.positive && i < rows->n_rows; i++) {
		const bool is_positive = rows->label[i] == job->positive;

		if (!isnan(rows->label[i]))
			rows->label[i] = is_positive ? 1 : -1;
		job->n_positive += is_positive;
	}
	job->n_written += rows->n_rows;
	if (settings.to != TO_ROWS) {
		for (int64_t i = 0; i < rows->n_rows; i++)
			if (row_batch_copy_row(&job->all, rows, i, err) < 0)
				return -1;
		return row_batch_reserve(rows, 0, 0, false, err);
	}
	for (int64_t k = 0; (settings.zero_based & ZERO_OUT) && k < rows->n_entries; k++)
		rows->index[k]--;
	if (row_writer_check_labels(&job->writer, rows, job->n_written - rows->n_rows, err) < 0 ||
	    (job->form != FORM_ROWS && add_texts(job, rows, err) < 0) ||
	    row_writer_format(&job->writer, &job->bytes, rows, err) < 0 ||
	    cli_written(&job->run.file[FILE_ROWS], row_writer_write(&job->writer, &job->bytes, err),
			err) < 0)
		return -1;
	return row_batch_reserve(rows, 0, 0, false, err);
}

void convert_end(struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;
	/* all rows, in a format that begins with how many there are */
	const struct matrix_writer w = { .rows = &job->all,
					 .n_columns = job->n_columns,
					 .labels = !settings.no_label,
					 .digits = (int)settings.digits,
					 .names = job->form <= FORM_ARFF ? c : NULL,
					 .classes = settings.positive ? NULL : c,
					 .to = job->run.file[FILE_ROWS].output };
	const struct matrix_format *format = settings.to == TO_CSV ? &csv_format :
					     settings.to == TO_NPY ? &npy_format :
								     &mtx_format;
	struct error err = { 0 };

	if (job->rows.n_rows > 0)
		cli_check(convert_write(job, &job->rows, &err), &err);
	if (settings.to != TO_ROWS)
		cli_check(cli_written(&job->run.file[FILE_ROWS], matrix_write(&w, format, &err),
				      &err),
			  &err);
	cli_check(row_writer_end(&job->writer, &err), &err);
	row_batch_free(&job->all);
}

static int deliver(void *arg, struct row_batch *batch, void *user UNUSED, struct error *err)
{
	const bool from_zero = settings.zero_based & ZERO_IN;
	struct convert_job *job = arg;

	job->n_read += batch->n_rows;
	job->has_qid |= batch->has_qid;
	/* qid and comments stay, and labels are written as numbers */
	for (int64_t i = 0; batch->has_text && i < batch->n_rows; i++)
		batch->text[i].label = (struct text_span){ 0 };
	for (int64_t k = 0; from_zero && k < batch->n_entries; k++)
		batch->index[k]++;
	for (int64_t i = 0; settings.no_label && i < batch->n_rows; i++)
		batch->label[i] = 0;
	job->n_columns = int64_max(job->n_columns, batch->max_index + from_zero);
	return convert_write(job, batch, err);
}

void convert_rows(struct convert_job *job)
{
	/* a feature 0 has a place only where features count from 0 */
	const bool has_zero = (settings.zero_based & ZERO_IN) ||
			      (settings.to == TO_ROWS && settings.zero_based == ZERO_NOWHERE);
	const struct rows_options how = { .keep_text = settings.to == TO_ROWS && !settings.binary,
					  .min_index = !has_zero,
					  .max_index = INT32_MAX - 1 };
	const struct rows_visitor visitor = { .deliver = deliver,
					      .arg = job,
					      .progress = { cli_progress_bytes,
							    &job->run.progress } };
	struct error err = { 0 };

	convert_begin(job);
	cli_run_progress(&job->run, "converting");
	cli_check(rows_scan(job->input, &how, &visitor, (int)settings.common.n_threads, &err),
		  &err);
	cli_progress_end(&job->run.progress);
	cli_close_input(job->input);
}
