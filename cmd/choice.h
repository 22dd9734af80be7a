/*
 * choice.h - the features that fs-select chooses: by which rows, by which method
 *
 * What fails ends the program with a message; remarks go to standard error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CHOICE_H
#define RANDSVM_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cli.h"
#include "common/report.h"
#include "geometry/row_space.h"
#include "matrix/dataset.h"
#include "problem/classes.h"
#include "problem/training.h"
#include "select/rfe_machine.h"
#include "select/selection.h"

/* How leverage draws, in the order of the names, which NULL ends. */
enum choice_sampling { CHOICE_IID, CHOICE_BERNOULLI };
extern const char *const choice_sampling_names[];

struct choice_settings {
	const char *program;		/* what messages begin with */
	const char *data_name;
	int method;			/* enum select_method */
	int64_t n_features;		/* 0: as epsilon or nu say */
	double epsilon, nu;		/* 0: not given */
	bool unsupervised, regression;
	double C, eps, p;		/* of the machine whose support vectors count */
	int sampling;			/* enum choice_sampling */
	int beyond;			/* enum rrqr_beyond */
	int64_t sketch_rows;
	double fraction;		/* rfe: dropped a step; 0: one feature */
	bool all_features;		/* uniform */
	double rank_tol;
	int64_t max_bytes;		/* for full matrices */
	uint64_t seed;
	int n_threads;
	bool quiet, verbose, progress;
};

/* Zeroed but for the first three; settings and data are borrowed. */
struct choice {
	const struct choice_settings *settings;
	const struct dataset *data;
	struct report *results;		/* or NULL */
	struct classes classes;		/* empty where no label is looked at */
	struct training training;
	int64_t n_rows;			/* that the features are chosen by */
	int64_t *row;			/* their numbers, ascending; NULL: all */
	struct dataset gathered;	/* where not all */
	const struct dataset *part;	/* those rows */
	struct row_space space;		/* of them, as far as rank_tol goes */
	struct row_space whole;		/* all of it, where rank_tol is given */
	bool has_space, has_whole;
	int64_t n_wanted;		/* 0 where nu says */
	struct selection chosen;
	struct rfe_machines machines;	/* while rfe goes on */
	bool has_trained;		/* of them */
	struct cli_progress progress;
};

/* choice_check_values() - nothing can be chosen by values that are not finite */
void choice_check_values(const struct choice *c);

/*
 * choice_find_rows() - all rows, or the support vectors of the linear machine the settings describe
 *
 * C-SVC or epsilon-SVR by the engine of randsvm-train; with several classes the support vectors of
 * all pairs together.
 */
void choice_find_rows(struct choice *c);

/* choice_make() - choose by these rows: c->chosen */
void choice_make(struct choice *c);

/* choice_whole_space() - what the rows span, whatever rank_tol says; computed once */
const struct row_space *choice_whole_space(struct choice *c);

void choice_free(struct choice *c);

#endif
