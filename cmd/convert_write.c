/*
 * convert_write.c - what becomes of all rows, and their output
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common/process.h"
#include "convert.h"

void convert_begin(struct convert_job *job)
{
	struct error err = { 0 };

	job->writer = (struct row_writer){ .to = job->file[FILE_ROWS].output,
					   .binary = settings.binary,
					   .digits = (int)settings.digits };
	if (row_writer_begin(&job->writer, &err) < 0 ||
	    row_batch_reserve(&job->rows, 0, 0, false, &err) < 0)
		convert_fail(&err);
}

int convert_write(struct convert_job *job, struct row_batch *rows, struct error *err)
{
	if (row_writer_format(&job->writer, &job->bytes, rows, err) < 0)
		return -1;
	job->n_written += rows->n_rows;
	if (cli_written(&job->file[FILE_ROWS], row_writer_write(&job->writer, &job->bytes, err),
			err) < 0)
		return -1;
	return row_batch_reserve(rows, 0, 0, false, err);
}

void convert_end(struct convert_job *job)
{
	struct error err = { 0 };

	if ((job->rows.n_rows > 0 && convert_write(job, &job->rows, &err) < 0) ||
	    row_writer_end(&job->writer, &err) < 0)
		convert_fail(&err);
}
