/*
 * project_scale.h - rp-project -m scale: the ranges of a file or a pipe, and remarks on scaled rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROJECT_SCALE_H
#define RANDSVM_PROJECT_SCALE_H

#include "common/files.h"
#include "io/rows.h"
#include "project/scaling.h"

/* Rows from which ranges are found, and the way of reading them. */
struct scale_source {
	const char *program, *data_name;
	struct rows_options format;
	struct cli_passes *passes; /* passes over the data */
	int n_threads;
	bool verbose;
	struct progress_observer progress; /* observer of the number of bytes read */
};

/*
 * scale_find() - find the scaling of all rows, or end the program with a message
 *
 * The data are read once, and are to be read again for their rows.
 */
void scale_find(struct scaling *s, const struct scale_source *source,
		const struct scaling_options *options);

/* Numbers of values read and written, for scale_remark(). */
struct scale_counts {
	int64_t n_read, n_written; /* number of values read, and of values written */
	struct scaling_unknown unknown;
};

/* scale_count() - add the numbers of unknown values of another thread or batch */
void scale_count(struct scaling_unknown *sum, const struct scaling_unknown *more);

/*
 * scale_remark() - notes on standard error: zeros that became other numbers, features that are
 * constant, and those without a range, if the ranges came from a file
 */
void scale_remark(const struct scaling *s, const struct scale_counts *counts, bool restored);

#endif
