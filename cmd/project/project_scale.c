/*
 * project_scale.c - rp-project -m scale: the ranges of a file or a pipe, and remarks on scaled rows
 *
 * Ranges depend on all rows, so rows can be scaled only when all have been read: the data are read
 * twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project_scale.h"

#include <inttypes.h>

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

static void scan_data(struct search *search, const struct scale_source *source)
{
	struct rows_visitor visitor = { .work = add_batch,
					.arg = search,
					.progress = source->progress };
	struct input *input = cli_open_pass(source->passes, source->data_name, false);
	void *users[THREAD_MAX];
	struct error err = { 0 };

	if (source->verbose)
		cli_tell_passes(source->data_name, "for the ranges, and to scale it");
	for (int i = 0; i < source->n_threads; i++)
		users[i] = &search->ranges[i];
	visitor.user = users;
	if (rows_scan(input, &source->format, &visitor, source->n_threads, &err) < 0)
		cli_fail_input(source->data_name, &err);
	cli_close_pass(source->passes, input);
}

void scale_find(struct scaling *s, const struct scale_source *source,
		const struct scaling_options *options)
{
	struct search search = { .targets = options->targets };
	struct error err = { 0 };

	scan_data(&search, source);
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
