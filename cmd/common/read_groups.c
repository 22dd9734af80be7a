/*
 * read_groups.c - options --groups and --by-qid: rows that folds keep together
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "read_groups.h"

#include <inttypes.h>

#include "base/arithmetic.h"
#include "files.h"
#include "process.h"
#include "select/selection_map.h"

struct row_groups cli_read_groups(const char *name)
{
	struct feature_names lines = { 0 };
	struct row_groups groups = { 0 };
	struct error err = { 0 };

	if (feature_names_read(&lines, name, &err) < 0)
		cli_fail_reading("groups file", name, &err);
	for (int64_t i = 1; i <= lines.n && err.code == ERR_NONE; i++) {
		const struct text_span group = feature_names_line(&lines, i);

		if (group.length == 0)
			cli_fail("%s: %s:%" PRId64
				 ": expected the name of a group, got an empty line",
				 cli_program_name(), name, i);
		row_groups_add(&groups, group.start, group.length, &err);
	}
	if (err.code != ERR_NONE)
		cli_fail("%s: %s", cli_program_name(), err.text);
	feature_names_free(&lines);
	return groups;
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
	if (groups.n != d->x.n_rows)
		cli_fail("%s: %s:%" PRId64 ": %s groups than the %" PRId64 " rows of %s",
			 cli_program_name(), c->groups, int64_min(groups.n, d->x.n_rows) + 1,
			 groups.n < d->x.n_rows ? "fewer" : "more", d->x.n_rows, data);
	row_groups_give(&groups, d);
}

int64_t cli_count_groups(const struct dataset *d, const int64_t *row, int64_t n)
{
	struct error err = { 0 };
	int64_t n_groups = row_groups_count(d->group, row, n, &err);

	if (n_groups < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	return n_groups;
}

void cli_warn_qids(const char *data)
{
	cli_warn(
		"warning: %s: rows have qid, and folds do not keep those of one qid together; with --by-qid "
		"they do",
		data);
}

void cli_note_lost_qids(const char *data)
{
	cli_note(
		"%s: rows have qid, which only the output as rows in text has: groups are left out",
		data);
}
