/*
 * project_recover.h - rp-project --recover: a model of projected rows, for the rows as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROJECT_RECOVER_H
#define RANDSVM_PROJECT_RECOVER_H

#include <stdbool.h>

#include "common/progress.h"
#include "io/row_batch.h"
#include "io/rows_checksum.h"
#include "model/model.h"
#include "problem/training.h"
#include "project/feature_map.h"

/* Names and options from the command line, for recovering weights; borrowed. */
struct recover_source {
	const char *data_name, *model_name;
	const char *indices_name; /* name of the file of --sv-indices; NULL: none */
	struct rows_options format;
	const struct training *training; /* training parameters, of which weights and p are read */
	/* balance: weights are multiplied by those that balance the classes */
	bool balance;
	/* support vectors stay in the result, in place of weights */
	bool keeps_vectors;
	int n_threads;
	bool quiet, verbose, progress;
};

/*
 * recover_model() - read the model and recover it (evaluate/recover.h), or end the program with a
 * message
 *
 * '*recovered' is empty before, and the rows of the data are counted in '*read'.  The data are
 * read twice.
 */
void recover_model(struct model *recovered, const struct feature_map *map,
		   const struct recover_source *source, struct rows_checksum *read);

#endif
