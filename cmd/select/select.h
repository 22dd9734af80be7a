/*
 * select.h - the parts of fs-select
 *
 *     fs-select.c         options, and what is done in which order
 *     select_rows.c       the features, chosen or restored; their rows, a list and a model of them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "common/names.h"
#include "common/run.h"
#include "io/row_writer.h"
#include "matrix/labelled_rows.h"
#include "select/selector.h"

enum { ROWS_ALL, ROWS_SV };

/* Settings of the command line, written by main() before any other function runs. */
extern struct select_settings {
	struct common_options common;
	struct selector_options how;
	int rows;
	int64_t digits, fold_features;
	const char *save, *restore, *names, *fold;
	const char *row_weights; /* file of -W; or NULL */
	const char *why_method;	 /* name of the method and the reason for it, if -m was not given */
	bool supervised, one, rescale, no_rescale, renumber, list, binary;
	const char *data_name, *output_name;
} settings;

/* Files that a run writes, by position in struct cli_run. */
enum { FILE_ROWS, FILE_CHOICE };

/* Inputs, selection and outputs of one run. */
struct select_job {
	struct cli_run run;
	struct labelled_rows rows; /* rows as they were read, and are written */
	/* rows with weights above 0 and their numbers among 'rows', where some have weight 0 */
	struct dataset weighed;
	int64_t *weighed_row;
	struct selector_result choice;
	struct selection_map map; /* features that were chosen, or restored */
	struct feature_names names;
	struct row_writer writer;
	int64_t n_written;
	bool has_qid; /* some row has a qid */
	/* marks of the chosen features that some row has a value of, and their number; only with -r */
	bool *seen;
	int64_t n_seen;
	/* checksums for a report: of rows read, and of rows written */
	struct rows_checksum read, written;
};

/* ---- select_rows.c ---- */

/* select_run() - choose features or restore a choice, write what is wanted, and commit it */
void select_run(struct select_job *job);
