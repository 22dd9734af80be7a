/*
 * search.h - cross validation at all points of a grid of parameters
 *
 * A point is a machine with all its parameters.  Points that differ in C alone are a column:
 *
 *                 gamma 2^3    2^1    2^-1  ...           a column for each gamma, and for each
 *     C  2^-5        .          .       .                 value of -p or -n where these vary
 *        2^-3        .          .       .
 *        ...
 *
 * What is predicted at a point is what svm-train -v predicts there, as far as two solvers within
 * the same tolerance agree: each point has the folds of a new process (folds.h), whole groups where
 * the rows have groups.  Weights of the rows are those of training; folds are drawn as without.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/cv_predictions.h"
#include "evaluate/folds.h"
#include "train/machine.h"

/* A column: the machine with all its parameters but C, and n values of C, ascending. */
struct search_column {
	struct training training; /* training whose C is not read */
	int n;
	const double *c; /* values of C; borrowed */
};

/* What cross validation found at a point.  Borrowed: it lasts until the call returns. */
struct search_answer {
	int column, place; /* number of the column, and of the value of C in it */
	const struct cv_predictions *predictions;
	/* folds not trained to the tolerance: to the limit of steps, or doubles are too coarse */
	int n_unfinished;
	/* reason why no training is possible at the point; NULL: none.  All predictions are NAN */
	const char *failed;
	/* folds left out as gives_up() told; all their predictions are NAN */
	int n_skipped;
	double seconds; /* seconds of processor time that the point took, shared work divided evenly */
};

/* Functions called during a search; each but 'point' may be NULL. */
struct search_observer {
	/*
	 * point() - a point is known: called column by column in their order, and in a column by
	 * ascending C; by one thread at a time.  Returns 0, or -1 with an error that ends the search.
	 */
	int (*point)(void *arg, const struct search_answer *answer, struct error *err);
	/*
	 * gives_up() - are the folds of a point that are left of no use?  Asked after the first
	 * half of the folds, before any later column is begun, so that the answer cannot depend on
	 * the number of threads; without it columns are evaluated side by side.
	 */
	bool (*gives_up)(void *arg, const struct search_answer *so_far);
	/* progress() - share of the work done so far, which grows to 1; by one thread at a time */
	void (*progress)(void *arg, double done);
	void *arg;
};

/* A search.  All pointers are borrowed. */
struct search {
	/*
	 * data with their classes, options of mode exact, and solver of all trainings, by our own
	 * solvers, whose parameters are those of their columns.  Folds are
	 * drawn by the seed of the options: svm-train's is 1.  Its observers are not called
	 */
	const struct machine *machine;
	const struct search_column *column;
	int n_columns;
	int64_t n_folds;  /* number of folds, at least 2; of n rows n folds are made at most */
	bool with_values; /* predictions have decision values, and probabilities with -b 1 */
	const struct search_observer *observer;
};

/*
 * search_folds() - the folds of a search: those of svm-train -v, or by groups
 *
 * Needs no column.  '*f' is empty on failure, ERR_MEMORY or as folds_of_data().
 */
int search_folds(struct folds *f, const struct search *s, struct error *err);

/*
 * search_run() - cross-validate at all points
 *
 * What is told does not depend on the number of threads.  Within a column a point may start from
 * the one before, which changes its answer by no more than the tolerance allows; on other columns
 * it does not depend. Returns 0, or -1 with ERR_INTERRUPTED, ERR_MEMORY or what a training failed
 * with; points told before are right.  A training that fails with ERR_NUMERIC, such as one of
 * nu-SVC without a margin or one that certificate_check() refuses, is told as that of its point and
 * ends nothing.
 *
 * C-SVC and epsilon-SVR with rbf or polynomial kernels share all kernel values where these fit into
 * half of the solver's cache_mb, up to 16,384 rows, and a column has points enough for that memory
 * to pay, two up to 3,200 rows and then mostly four: 8 bytes for each pair of rows, or 16 where
 * these fit and two threads may have a matrix each.  With linear kernels, of up to 16,384 rows with
 * at least as many columns, each point starts from the one before, with the support vectors and
 * their products with each other; memory: a copy of the rows.
 */
int search_run(const struct search *s, struct error *err);
