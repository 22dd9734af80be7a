/*
 * eval_check.c - svm-eval --check: all bad rows of a file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "common/read_rows.h"
#include "eval.h"

/* Most bad rows that are listed: nobody reads more, and a file of another format has nothing else. */
enum { MOST_LISTED = 5000 };

struct check {
	FILE *to; /* NULL: quiet */
	int64_t n_rows, n_bad;
};

static int count_rows(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct check *c = arg;

	(void)user;
	(void)err;
	c->n_rows += b->n_rows;
	return 0;
}

static int list_row(void *arg, const struct error *fault, struct error *err)
{
	struct check *c = arg;
	const char *text = cli_error(fault);
	char line[2 * sizeof(fault->text)];

	(void)err;
	c->n_rows++;
	if (c->n_bad++ < MOST_LISTED && c->to)
		fprintf(c->to, "%s\n", error_quote(line, sizeof(line), text, strlen(text)));
	return 0;
}

int eval_check(struct cli_run *run, char **names, int n)
{
	struct check c = { 0 };
	const struct rows_visitor visitor = { .deliver = count_rows,
					      .refused = list_row,
					      .arg = &c };
	const struct rows_options format = common_rows_options(&settings.common);
	struct error err = { 0 };
	struct input *input;
	int status;

	cli_allow_names(names, n, 0);
	settings.test_name = settings.check;
	eval_open(run);
	c.to = settings.common.quiet ? NULL : run->info;
	input = cli_open_input(settings.test.file[0]);
	input_continue(input, &settings.test);
	if (rows_scan(input, &format, &visitor, (int)settings.common.n_threads, &err) < 0)
		cli_fail_input(settings.test_name, &err);
	cli_close_input(input);
	cli_run_phase(run, "read");
	report_count(run->report, "rows", c.n_rows);
	report_count(run->report, "bad_rows", c.n_bad);
	cli_run_commit(run);
	if (c.to && c.n_bad > MOST_LISTED)
		fprintf(c.to, "... and %" PRId64 " more\n", c.n_bad - MOST_LISTED);
	if (c.to)
		fprintf(c.to, "%" PRId64 " rows read, %" PRId64 " bad\n", c.n_rows, c.n_bad);
	status = cli_run_end(run);
	return c.n_bad > 0 ? 1 : status;
}
