/*
 * eval_check.c - svm-eval --check: all bad rows of a file, or all bad records of a table by a chain
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "eval.h"

#include "common/table_notes.h"

/* Most rows that are listed, as the last line says: files of other formats have nothing but bad ones. */
enum { MOST_LISTED = 5000 };

struct check {
	const struct cli_run *run;
	int64_t n_good, n_bad, n_parted; /* rows, but parted are values */
};

static int count_rows(void *arg, struct row_batch *b, void *user UNUSED, struct error *err UNUSED)
{
	struct check *c = arg;

	c->n_good += b->n_rows;
	c->n_parted += b->n_parted;
	return 0;
}

static int list_row(void *arg, const struct error *fault, struct error *err UNUSED)
{
	struct check *c = arg;

	if (c->n_bad++ < MOST_LISTED)
		cli_tell(c->run, "%s\n", cli_error(fault));
	return 0;
}

int eval_check(struct cli_run *run, char **names, int n)
{
	struct check c = { .run = run };
	const struct rows_visitor visitor = { NULL, count_rows, .refused = list_row, .arg = &c };
	const struct rows_options format = common_rows_options(&settings.common);
	struct chain chain = { 0 };
	struct error err = { 0 };
	struct input *input;

	cli_allow_names(names, n, 1);
	settings.test_name = settings.check;
	settings.model_name = n > 0 ? names[0] : NULL;
	eval_open(run);
	if (n > 0 && chain_read(&chain, names[0], &err) < 0)
		cli_fail_model(names[0], &err);
	input = cli_open_input(settings.test.file[0]);
	input_continue(input, &settings.test);
	if (chain.has_columns)
		csv_rows_scan(&chain.columns, input, 0, &visitor, &err);
	else
		rows_scan(input, &format, &visitor, (int)settings.common.n_threads, &err);
	if (c.n_good + c.n_bad == 0)
		error_set(&err, ERR_FORMAT, "%s: no examples", input_whole_name(input));
	if (err.code != ERR_NONE)
		cli_fail_input(settings.test_name, &err);
	note_table_values(&chain.columns);
	cli_close_input(input);
	chain_free(&chain);
	report_count(run->report, "rows", c.n_good + c.n_bad);
	report_count(run->report, "bad_rows", c.n_bad);
	cli_run_commit(run);
	cli_tell(run, "%" PRId64 " rows read, %" PRId64 " bad%s\n", c.n_good + c.n_bad, c.n_bad,
		 c.n_bad > MOST_LISTED ? FORMATTED(48, "; the first %d are listed", MOST_LISTED) :
					 "");
	if (c.n_parted > 0)
		cli_remark("%" PRId64
			   " values are behind a colon and a blank, which not all programs read",
			   c.n_parted);
	return cli_run_end(run) || c.n_bad > 0;
}
