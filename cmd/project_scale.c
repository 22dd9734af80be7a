/*
 * project_scale.c - rp-project -m scale: the ranges of a file or a pipe, and remarks on scaled rows
 *
 * Ranges depend on all rows, so rows can be scaled only when all have been read.  A file is
 * therefore read twice, in constant memory; what comes through a pipe is kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project_scale.h"

#include <inttypes.h>

#include "base/arithmetic.h"
#include "base/thread.h"
#include "common/process.h"

/* Ranges, those that each thread finds; and whether they are those of targets. */
struct search {
	struct scaling_ranges ranges[THREAD_MAX];
	bool targets;
};

static int add_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct search *search = arg;

	return scaling_ranges_add(user, batch, search->targets, err);
}

static void scan_file(struct search *search, const struct scale_source *source)
{
	struct rows_visitor visitor = { .work = add_batch,
					.arg = search,
					.progress = source->progress };
	struct input *input = cli_open_pass(source->passes, source->data_name, false);
	void *users[THREAD_MAX];
	struct error err = { 0 };

	if (source->verbose)
		cli_warn("reading %s twice: for the ranges, and to scale it", source->data_name);
	for (int i = 0; i < source->n_threads; i++)
		users[i] = &search->ranges[i];
	visitor.user = users;
	if (rows_scan(input, &source->format, &visitor, source->n_threads, &err) < 0)
		cli_fail_input(source->data_name, &err);
	cli_close_pass(source->passes, input);
}

/* Number of kept rows that make a batch. */
enum { ROWS_AT_ONCE = 4096 };

static void keep_pipe(struct search *search, struct labelled_rows *rows,
		      const struct scale_source *source)
{
	struct input *input = cli_open_input(source->data_name);
	struct row_batch batch = { 0 };
	struct error err = { 0 };
	int ret;

	if (source->verbose)
		cli_warn("keeping the rows of %s in memory until their ranges are known",
			 source->data_name);
	ret = labelled_rows_read(rows, input, &source->format, &source->progress, source->n_threads,
				 &err);
	for (int64_t i = 0; ret == 0 && i < rows->data.x.n_rows; i += batch.n_rows) {
		int64_t n = int64_min(ROWS_AT_ONCE, rows->data.x.n_rows - i);

		ret = labelled_rows_batch(&batch, rows, NULL, i, n, &err);
		if (ret == 0)
			ret = add_batch(search, &batch, &search->ranges[0], &err);
	}
	if (ret < 0)
		cli_fail_input(source->data_name, &err);
	row_batch_free(&batch);
	input_close(input);
}

void scale_find(struct scaling *s, struct labelled_rows *rows, const struct scale_source *source,
		const struct scaling_options *options)
{
	struct search search = { .targets = options->targets };
	struct error err = { 0 };

	if (cli_reads_again(source->data_name))
		scan_file(&search, source);
	else
		keep_pipe(&search, rows, source);
	if (scaling_init(s, options, search.ranges, source->n_threads, &err) < 0)
		cli_fail("%s: %s", source->program, err.text);
	if (search.ranges[0].n_rows == 0)
		cli_fail("%s: %s: no examples, so no ranges", source->program, source->data_name);
	for (int i = 0; i < source->n_threads; i++)
		scaling_ranges_free(&search.ranges[i]);
}

void scale_count(struct scaling_unknown *sum, const struct scaling_unknown *more)
{
	if (more->n > 0 && (sum->n == 0 || more->first < sum->first))
		sum->first = more->first;
	sum->n += more->n;
}

void scale_remark(const struct scaling *s, const struct scale_counts *counts, bool restored)
{
	if (counts->n_written > counts->n_read)
		cli_warn("note: %" PRId64 " values were read and %" PRId64
			 " written, because 0 becomes another number in %" PRId64
			 " features; where no value is negative -l 0 keeps zeros",
			 counts->n_read, counts->n_written, s->n_filled);
	if (s->n_constant > 0)
		cli_warn("note: %" PRId64 " feature%s left out, the first is %" PRId32
			 ", because all rows have the same value there (svm-scale does so, too)",
			 s->n_constant, s->n_constant == 1 ? " is" : "s are", s->first_constant);
	if (restored && counts->unknown.n > 0)
		cli_warn("note: %" PRId64
			 " values are left out: their features, the first is %" PRId32
			 ", are constant in the rows that the ranges were found by, or not there",
			 counts->unknown.n, counts->unknown.first);
}
