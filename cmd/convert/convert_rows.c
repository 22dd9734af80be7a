/*
 * convert_rows.c - rows in SVMlight's form or the binary one, to be written in another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/arithmetic.h"
#include "convert.h"
#include "io/rows.h"

static bool from_zero(void)
{
	return settings.zero_based & ZERO_IN;
}

static int deliver(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct convert_job *job = arg;

	(void)user;
	job->n_read += batch->n_rows;
	job->has_qid |= batch->has_qid;
	/* qid and comments stay, and labels are written as numbers */
	for (int64_t i = 0; batch->has_text && i < batch->n_rows; i++)
		batch->text[i].label = (struct text_span){ 0 };
	if (from_zero())
		for (int64_t k = 0; k < batch->n_entries; k++)
			batch->index[k]++;
	for (int64_t i = 0; settings.no_label && i < batch->n_rows; i++)
		batch->label[i] = 0;
	job->n_columns = int64_max(job->n_columns, batch->max_index + from_zero());
	return convert_write(job, batch, err);
}

void convert_rows(struct convert_job *job)
{
	/* a feature 0 has a place only where features count from 0 */
	const bool has_zero =
		from_zero() || (settings.to == TO_ROWS && settings.zero_based == ZERO_NOWHERE);
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
	convert_end(job);
}
