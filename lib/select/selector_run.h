/*
 * selector_run.h - a choice in the making, shared by selector.c, selector_rows.c and
 * selector_methods.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "geometry/row_space.h"
#include "problem/classes.h"
#include "problem/training.h"
#include "select/selector.h"

struct selector_run {
	/* data set of the caller */
	const struct dataset *data;
	const struct selector_options *options;
	const struct selector_observer *observer;
	struct selector_result *result;

	/* of selector_rows.c */
	struct training training;   /* parameters of the SVM and of the machines of rfe and rmb */
	struct classes classes;	    /* classes of all rows; empty where no label is looked at */
	struct dataset gathered;    /* rows that count, copied; empty where all rows count */
	const struct dataset *part; /* rows that count, all or gathered */

	/* space of the rows that count, up to rank_tol; empty until a method asks for it */
	struct row_space cut;
};

/*
 * selector_find_rows() - the rows that count: run->part, n_rows and row of the result
 *
 * Trains the SVM that the options describe unless all rows count.
 */
int selector_find_rows(struct selector_run *run, struct error *err);

/*
 * selector_find_space() - the space that the rows that count span, into the empty '*space'
 *
 * Singular values up to rank_tol times the largest are cut off.  Tells SELECTOR_SPACE.  Fails as
 * row_space_init() does, or with ERR_ARGUMENT if the rank is 0.
 */
int selector_find_space(struct selector_run *run, double rank_tol, struct row_space *space,
			struct error *err);

/* selector_space() - row space for options->rank_tol, made at the first call; NULL on failure */
const struct row_space *selector_space(struct selector_run *run, struct error *err);

/*
 * selector_settle_size() - set result->n_wanted: n_features, or what epsilon makes of the rank
 *
 * Fails with ERR_ARGUMENT where the rank is 0: there is nothing to choose.
 */
int selector_settle_size(struct selector_run *run, int64_t rank, struct error *err);

/* selector_need_features() - fail with ERR_ARGUMENT if rank is 0: the rows have no entries */
int selector_need_features(int64_t rank, struct error *err);

/* selector_tell() - call the observer with an event, if there is an observer */
void selector_tell(const struct selector_run *run, enum selector_event event);

/* selector_fail() - set result->trouble, and the error to ERR_ARGUMENT with a text; returns -1 */
#define selector_fail(run, why, err, ...) \
	((run)->result->trouble = (why), error_set(err, ERR_ARGUMENT, __VA_ARGS__))
