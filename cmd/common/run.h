/*
 * run.h - what the run of every program has: inputs, outputs, report, phases, progress, and its end
 *
 *     cli_run_begin(&run, &program, &settings.common, argv);
 *     cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
 *     ...                                               what the options must not say
 *     cli_run_bound(&run, settings.output_name);
 *     cli_run_reads(&run, settings.data_name);
 *     cli_run_writes(&run, FILE_ROWS, settings.output_name, "output file", FILE_IS_ROWS);
 *     cli_run_open(&run);                               from here on run.report may be added to
 *     ...
 *     cli_run_commit(&run);                             all of the files appear, or none
 *     return cli_run_end(&run);
 *
 * All of these end the program with a message when they fail.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "common_options.h"
#include "files.h"
#include "io/rows.h"
#include "options.h"
#include "process.h"
#include "progress.h"
#include "problem/classes.h"
#include "report.h"

struct cli_run {
	const struct cli_option *options; /* those of the program, for the report */
	const struct common_options *common;
	bool saves;		  /* messages on files are svm-train's: see struct cli_output */
	double started;		  /* time (cli_seconds()) when the program began */
	struct data_files inputs; /* all files that are read, whatever for */
	struct cli_output file[CLI_MAX_OUTPUTS]; /* files to write; the report is behind them */
	int n_files;
	FILE *info;		  /* stream for lines of results: cli_results_stream() */
	struct cli_passes passes; /* passes over the data */
	struct cli_progress progress;
	struct report *report;	 /* NULL: not wanted */
	struct report *settings; /* its object "settings" */
	struct report_phases phases;
};

/*
 * cli_run_begin() - the first call of main(): cli_set_up() and the defaults of common options
 *
 * The run is zeroed but for 'saves' and, where something came before, 'started'.
 */
void cli_run_begin(struct cli_run *run, const struct cli_program *program,
		   struct common_options *common, char *const *argv);

/* cli_run_bound() - common_bound_memory() for a run that writes 'output', and room for buffers */
void cli_run_bound(const struct cli_run *run, const char *output);

/* cli_add_file() - add a name, borrowed, to those of other files */
void cli_add_file(struct data_files *files, const char *name);

/* cli_run_reads() - name the files that the run reads, which no output may replace; NULL: none */
#define cli_run_reads(run, ...)                                      \
	cli_run_read_list(run, (const char *const[]){ __VA_ARGS__ }, \
			  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
void cli_run_read_list(struct cli_run *run, const char *const *name, size_t n);

/*
 * cli_run_writes() - name output number i; NULL: not wanted.  Further fields may be set
 *
 * Number 0 is the main one, which -z compresses.
 */
struct cli_output *cli_run_writes(struct cli_run *run, int i, const char *name, const char *what,
				  enum file_kind kind);

/*
 * cli_run_name() - keep the files apart, with that of --report, and find run->info
 *
 * cli_run_open() does this, opens all outputs, and begins the report.
 */
void cli_run_name(struct cli_run *run);
void cli_run_open(struct cli_run *run);

/* cli_run_report() - open the file of the report, if it is wanted, and add the settings to it */
void cli_run_report(struct cli_run *run);

/* cli_run_progress() - cli_progress_start() of run->progress by the options */
void cli_run_progress(struct cli_run *run, const char *what);

/* A pass over all rows of a file. */
struct cli_scan {
	const char *name, *what; /* the file, and the work that progress shows */
	bool is_last;		 /* as for cli_open_pass() */
	struct rows_options format;
};

/* cli_run_scan() - rows_scan() with progress, in as many threads as --threads says */
void cli_run_scan(struct cli_run *run, const struct cli_scan *scan,
		  const struct rows_visitor *visitor);

/* cli_run_try_scan() - the same; a failure, which may be that of the visitor, is in '*err' */
int cli_run_try_scan(struct cli_run *run, const struct cli_scan *scan,
		     const struct rows_visitor *visitor, struct error *err);

/* cli_tell_weights() - print and report the weight of each class, for -w auto */
void cli_tell_weights(struct cli_run *run, const struct training *t, const struct classes *c);

/* cli_run_phase() - end a phase of the report, and begin the next one */
void cli_run_phase(struct cli_run *run, const char *name);

/* cli_run_commit() - finish the report, and make all outputs appear together */
void cli_run_commit(struct cli_run *run);

/* cli_run_end() - release the run; returns the result of cli_finish() */
int cli_run_end(struct cli_run *run);
