/*
 * read_rows.c - files of data, all of their rows, and files with a line for each row: weights, groups
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "read_rows.h"

#include <sys/stat.h>
#include <unistd.h>

#include "names.h"

/* ---- files ---- */

/* Add the files of a list, from its folder on; their names last until the program ends. */
static void add_list(struct cli_run *run, struct data_files *data, const char *list)
{
	const char *slash = strrchr(list, '/');
	struct feature_names lines;

	cli_read_lines(&lines, "list of files", list);
	cli_run_reads(run, list);
	for (int64_t i = 1; i <= lines.n; i++) {
		const struct text_span line = feature_names_line(&lines, i);
		const bool relative = slash && line.length > 0 && *line.start != '/';
		char *path;

		if (line.length == 0 || *line.start == '#')
			continue;
		if (asprintf(&path, "%.*s%.*s", relative ? (int)(slash + 1 - list) : 0, list,
			     (int)line.length, line.start) < 0)
			cli_fail("out of memory");
		cli_add_file(data, path);
	}
	feature_names_free(&lines);
}

const char *cli_name_data(struct cli_run *run, struct data_files *data, const char *const *names,
			  int n)
{
	struct stat s = { 0 };

	if (!names[0])
		return NULL;
	for (int k = 0; k < n; k++) {
		const bool is_list = names[k][0] == '@' && access(names[k], F_OK) < 0;

		data->name = n > 1 ? "the training set" : names[k] + is_list;
		if (is_list)
			add_list(run, data, names[k] + 1);
		else
			cli_add_file(data, names[k]);
	}
	if (data->n == 0)
		cli_fail("%s: no names of files", data->name);
	for (int64_t i = 0; i < data->n; i++) {
		cli_run_reads(run, data->file[i]);
		/* a file alone, which may be standard input, is looked for when it is opened */
		if (data->file[i] != data->name && stat(data->file[i], &s) < 0)
			cli_fail("can't open input file %s: %s", data->file[i], strerror(errno));
		data->bytes = S_ISREG(s.st_mode) && data->bytes >= 0 ? data->bytes + s.st_size : -1;
	}
	return data->name;
}

/* ---- rows ---- */

void cli_read_rows(struct cli_run *run, struct dataset *d, const struct data_files *data)
{
	const struct rows_options format = common_rows_options(run->common);
	const struct progress_observer observer = { cli_progress_bytes, &run->progress };
	struct input *input = cli_open_input(data->file[0]);
	struct error err = { 0 };

	input_continue(input, data);
	cli_run_progress(run, "reading");
	dataset_read(d, input, &format, &observer, (int)run->common->n_threads, &err);
	cli_progress_end(&run->progress);
	if (err.code != ERR_NONE)
		cli_fail_input(data->name, &err);
	cli_close_input(input);
}

/* ---- weights ---- */

struct row_weights cli_read_weights(const char *name)
{
	struct input *input;
	struct row_weights w;
	struct error err = { 0 };

	if (input_open(&input, name, &err) < 0 || row_weights_read(&w, input, &err) < 0)
		cli_fail_reading("weights file", name, &err);
	input_close(input);
	return w;
}

int64_t *cli_weigh_rows(struct dataset *d, struct dataset *left, const char *name, const char *data)
{
	const int64_t n_rows = d->x.n_rows;
	struct row_weights w = cli_read_weights(name);
	struct error err = { 0 };
	int64_t *row;

	cli_check(row_weights_check(&w, n_rows, name, data, &err), &err);
	cli_check(dataset_weigh(d, left, &w, &row, &err), &err);
	if (row)
		cli_remark("%" PRId64 " of %" PRId64 " rows have weight 0 and are left out",
			   n_rows - (left ? left : d)->x.n_rows, n_rows);
	return row;
}

/* ---- groups ---- */

void cli_check_lines(const char *name, const char *what, int64_t n, int64_t n_rows,
		     const char *data)
{
	if (name && n != n_rows)
		cli_fail("%s:%" PRId64 ": %s %s than the %" PRId64 " rows of %s", name,
			 int64_min(n, n_rows) + 1, n < n_rows ? "fewer" : "more", what, n_rows,
			 data);
}

struct row_groups cli_read_groups(const char *name)
{
	struct feature_names lines;
	struct row_groups groups = { 0 };
	struct error err = { 0 };

	cli_read_lines(&lines, "groups file", name);
	for (int64_t i = 1; i <= lines.n && err.code == ERR_NONE; i++) {
		const struct text_span group = feature_names_line(&lines, i);

		if (group.length == 0)
			cli_fail("%s:%" PRId64 ": expected the name of a group, got an empty line",
				 name, i);
		row_groups_add(&groups, group.start, group.length, &err);
	}
	cli_check(err.code == ERR_NONE ? 0 : -1, &err);
	feature_names_free(&lines);
	return groups;
}

void cli_warn_divided(const struct row_groups *groups, const int64_t *qid_group, const char *name,
		      const char *data)
{
	struct error err = { 0 };

	if (row_groups_divide(groups, qid_group, &err))
		cli_warn("warning: %s divides rows of one group of %s", name, data);
	cli_check(err.code == ERR_NONE ? 0 : -1, &err);
}

void cli_group_rows(struct dataset *d, const struct common_options *c, const char *data)
{
	struct row_groups groups;

	if (!c->groups) {
		if (d->has_qid && !c->by_qid)
			cli_warn_qids(data);
		return;
	}
	groups = cli_read_groups(c->groups);
	cli_check_lines(c->groups, "groups", groups.n, d->x.n_rows, data);
	if (d->group)
		cli_warn_divided(&groups, d->group, c->groups, data);
	row_groups_give(&groups, d);
}

int64_t cli_count_groups(const struct dataset *d, const int64_t *row, int64_t n)
{
	struct error err = { 0 };
	int64_t n_groups = row_groups_count(d->group, row, n, &err);

	cli_check(n_groups, &err);
	return n_groups;
}

void cli_warn_qids(const char *data)
{
	cli_warn(
		"warning: %s: rows have qid, and those of one qid are not kept together; with --by-qid "
		"they are",
		data);
}

void cli_note_lost_qids(const char *data)
{
	cli_remark(
		"%s: rows have qid, which only the output as rows in text has: groups are left out",
		data);
}
