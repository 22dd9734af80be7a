/*
 * read_groups.h - options --groups and --by-qid: rows that folds keep together
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_READ_GROUPS_H
#define RANDSVM_READ_GROUPS_H

#include "common_options.h"
#include "matrix/dataset.h"
#include "matrix/row_groups.h"

/* Options of every program that makes folds; 'others' are options that groups do not go with. */
#define COMMON_GROUPS(c, others)                                                             \
	CLI_TEXT(0, "groups", &(c).groups, "FILE",                                           \
		 "keep rows of a group in one fold: FILE has a line for each row, the name " \
		 "of its group",                                                             \
		 .not_with = "--by-qid" others),                                             \
		CLI_FLAG(0, "by-qid", &(c).by_qid, "keep rows of the same qid in one fold",  \
			 .not_with = others)

/*
 * cli_read_groups() - the groups in the file 'name'
 *
 * Ends the program with a message when anything fails.
 */
struct row_groups cli_read_groups(const char *name);

/*
 * cli_group_rows() - give the rows of 'd', read from 'data', the groups that the options in 'c' say
 *
 * With --by-qid the rows have been read with them (common_rows_options()).  Without either option
 * rows that have qid are noted, unless c->quiet.  Ends the program with a message when anything
 * fails.
 */
void cli_group_rows(struct dataset *d, const struct common_options *c, const char *data);

/*
 * cli_count_groups() - row_groups_count() of rows of 'd'; ends the program where memory is out
 */
int64_t cli_count_groups(const struct dataset *d, const int64_t *row, int64_t n);

/* cli_warn_qids() - warn that rows of 'data' have qid, which folds do not look at */
void cli_warn_qids(const char *data);

/* cli_note_lost_qids() - the note that rows of 'data' have qid, and the form of the output has none */
void cli_note_lost_qids(const char *data);

#endif
