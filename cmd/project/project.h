/*
 * project.h - the parts of rp-project
 *
 *     rp-project.c         options, those of svm-scale too, and what is done in which order
 *     project_options.c    which options belong together
 *     project_map.c        the map, linear, of a kernel, or ranges: drawn, fitted, or restored; saved;
 *                          how rows are read for it, and the memory that projecting takes
 *     project_rows.c       rows are read, mapped and written; the certificate; --report
 *     project_models.c     --fold, which converts models, and --recover, which converts them by the
 *                          rows as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "common/run.h"
#include "io/row_writer.h"
#include "project/feature_map.h"
#include "project/scaling.h"

/* Settings of the command line, written by main() before any other function runs. */
extern struct project_settings {
	struct common_options common;
	struct projection_options map;
	struct scaling_options scaling;
	int method;
	/* numbers of the names of a kernel map's kernel, frequencies and choice of landmarks */
	int kernel, frequencies, landmarks;
	double gamma, coef0;
	int64_t degree;
	int64_t digits, rank;
	double epsilon;
	const char *cw, *range_y, *save, *restore, *fold;
	const char *recover, *sv_indices, *model_name;
	struct training training; /* parameters of the machine that --recover finds constants for */
	struct cli_weights weights;
	bool keep_sv;
	int loss;
	bool certificate, binary;
	bool svm_scale; /* called as svm-scale, whose options, bytes and warnings are wanted */
	const char *data_name, *output_name;
} settings;

/* Files that a run writes, by position in struct cli_run. */
enum { FILE_ROWS, FILE_MAP };

/* Least number of rows of a batch. */
#define PROJECT_LEAST_ROWS 16

/* Inputs, map, outputs and counts of one run. */
struct project_job {
	struct cli_run run;
	int method; /* index of the method in projection_names[] */
	struct feature_map map;
	struct scaling scaling;				 /* ranges of the features, of -m scale */
	struct scaling_unknown unknown;			 /* values that have no range */
	int64_t n_rows, n_entries, n_written, max_index; /* of rows and values so far */
	struct csr kept, projected; /* rows for a certificate, before and after projection */
	double map_seconds, project_seconds; /* processor seconds, without reading and writing */
	struct rows_checksum read, written;  /* checksums of the data and of the output */
	int64_t batch_rows;		     /* rows of a full batch */
	double memory;			     /* memory of the machine, in bytes */
	struct row_writer writer;
	bool has_qid; /* some row has a qid */
};

/* ---- project_options.c ---- */

/* project_check_options() - refuse options that do not fit, and set those that follow */
void project_check_options(void);

/* ---- project_map.c ---- */

/* project_row_format() - how rows of the data are read */
struct rows_options project_row_format(void);

/* project_check_memory() - ERR_ARGUMENT if so many rows need more memory than there is */
int project_check_memory(const struct project_job *job, const struct projection_options *map,
			 int64_t n_columns, int64_t n_rows, struct error *err);

/* project_make_map() - restore, fit or draw the map, for which data may be read; explain it */
void project_make_map(struct project_job *job);

/* project_write_map() - write the map's text; an output_writer of the job */
int project_write_map(const void *job, struct output *to, struct error *err);

/* Choices of --frequencies; their names have the same order. */
enum { FREQUENCIES_ORTHOGONAL, FREQUENCIES_INDEPENDENT };

/* Choices of --landmarks; likewise. */
enum { LANDMARKS_UNIFORM, LANDMARKS_LEVERAGE };

/* ---- project_rows.c ---- */

/* project_data() - read, map and write all rows; certify those that were kept */
void project_data(struct project_job *job);

/* project_batch_rows() - rows of a batch whose values fill some megabytes after they were mapped */
int64_t project_batch_rows(const struct project_job *job);

/* project_limit_features() - limit features to those that the map has, such as fht's 1 .. d */
void project_limit_features(const struct project_job *job, struct rows_options *format);

/* project_report() - the results, for --report */
void project_report(const struct project_job *job);

/* ---- project_models.c ---- */

void project_fold(const struct project_job *job);
void project_recover(struct project_job *job);
