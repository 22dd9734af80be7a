/*
 * read_rows.h - files of data, all of their rows, and files with a line for each row: weights, groups
 *
 * Functions end the program with a message when anything fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/row_groups.h"
#include "matrix/row_weights.h"
#include "run.h"

/*
 * cli_name_data() - the files that n names of data on the command line mean, into the empty '*data'
 *
 * "@LIST" means the files that LIST names, one a line, from its folder on unless they are absolute;
 * empty lines and those that begin with # are skipped.  But a file of that name is itself.  Several
 * files are looked for here, so that a missing one costs no work, and the run reads all of them
 * (cli_run_reads()).  Returns data->name, which for a list is its name.  A first name of NULL is none.
 */
const char *cli_name_data(struct cli_run *run, struct data_files *data, const char *const *names,
			  int n);

/* cli_read_rows() - the rows of the files into the empty '*d', by the options of the run */
void cli_read_rows(struct cli_run *run, struct dataset *d, const struct data_files *data);

/* ---- weights ---- */

/* Option -W of every program that weighs rows; 'does' says what for, and ends without a stop. */
#define COMMON_ROW_WEIGHTS(to, does, ...)                                                       \
	CLI_TEXT('W', "row-weights", to, "FILE",                                                \
		 does ": a number of 0 or more for each row of the data, one a line; a row of " \
		      "weight 0 counts as if it were not there",                                \
		 __VA_ARGS__)

/* cli_read_weights() - the weights in the file 'name' */
struct row_weights cli_read_weights(const char *name);

/*
 * cli_weigh_rows() - give the rows of 'd', read from 'data', the weights in the file 'name'
 *
 * As dataset_weigh(), with 'left' where rows of weight 0 are still needed; returns its array of former
 * row numbers, or NULL.  Notes how many rows are left out.
 */
int64_t *cli_weigh_rows(struct dataset *d, struct dataset *left, const char *name,
			const char *data);

/* ---- groups ---- */

/* Options of every program that makes folds; 'others' are options that groups do not go with. */
#define COMMON_GROUPS(c, others)                                                             \
	CLI_TEXT(0, "groups", &(c).groups, "FILE",                                           \
		 "keep rows of a group in one fold: FILE has a line for each row, the name " \
		 "of its group",                                                             \
		 .not_with = "--by-qid" others),                                             \
		CLI_FLAG(0, "by-qid", &(c).by_qid, "keep rows of the same qid in one fold",  \
			 .not_with = others)

/* cli_read_groups() - the groups in the file 'name' */
struct row_groups cli_read_groups(const char *name);

/*
 * cli_check_lines() - end the program if file 'name', unless it is NULL, has n lines, and 'data' other
 * numbers of rows; 'what' are the lines
 */
void cli_check_lines(const char *name, const char *what, int64_t n, int64_t n_rows,
		     const char *data);

/* cli_warn_divided() - warn if the groups of file 'name' divide rows of a qid of 'data', whose groups are 'qid_group' */
void cli_warn_divided(const struct row_groups *groups, const int64_t *qid_group, const char *name,
		      const char *data);

/*
 * cli_group_rows() - give the rows of 'd', read from 'data', the groups that the options in 'c' say
 *
 * With --by-qid the rows have been read with them (common_rows_options()).  Without either option
 * rows that have qid are noted, unless c->quiet.
 */
void cli_group_rows(struct dataset *d, const struct common_options *c, const char *data);

/* cli_count_groups() - row_groups_count() of rows of 'd' */
int64_t cli_count_groups(const struct dataset *d, const int64_t *row, int64_t n);

/* cli_warn_qids() - warn that rows of 'data' have qid, which folds do not look at */
void cli_warn_qids(const char *data);

/* cli_note_lost_qids() - the note that rows of 'data' have qid, and the form of the output has none */
void cli_note_lost_qids(const char *data);
