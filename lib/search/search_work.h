/*
 * search_work.h - what the files of lib/search/ share; others include search.h
 *
 *     search.c            who evaluates which columns; a column by cross_validate()
 *     search_columns.c    columns whose points share kernel matrices, and these: threads, order, answers
 *     search_machine.c    one machine, for one value of C after another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel_matrix.h"
#include "search/search.h"
#include "source/matrix_source.h"
#include "source/product_source.h"

/* A search that runs. */
struct search_run {
	const struct search *s;
	const struct machine *machine; /* that of the search, on its rows or on shifted ones */
	struct folds folds;
	bool classifies;
};

/* ---- The answers of a column, search_columns.c ---- */

/* What is known of a point, and the answer that points to it. */
struct search_point {
	struct search_answer answer;
	struct cv_predictions found;
	struct error failed; /* why no training is possible there */
	bool given_up;	     /* its further folds are of no use */
};

/* The points of a column, which must not move. */
struct search_answers {
	int n_points;
	struct search_point *point;
};

/* search_answers_init() - nothing is known yet: all predictions are NAN; fails with ERR_MEMORY */
int search_answers_init(struct search_answers *a, const struct search_run *run, int column,
			struct error *err);
void search_answers_free(struct search_answers *a);

/* search_fail() - no training is possible at the point, for this reason */
void search_fail(struct search_point *p, const struct error *reason);

/* search_ask_to_give_up() - ask the observer of each point, whose folds are not all done */
void search_ask_to_give_up(const struct search *s, struct search_answers *a);

/* search_half() - the number of folds after which points may be given up; all, without gives_up() */
int64_t search_half(const struct search_run *run);

/* Values of a kernel between the rows: all of them in a matrix, or 'sparse', borrowed. */
struct search_kernel {
	struct kernel_matrix matrix;
	const struct product_rows *sparse; /* NULL: none, there is a matrix */
};

/* ---- search_machine.c ---- */

/* What the machines of a fold have in common. */
struct search_machine_options {
	const struct search_kernel *kernel;
	const struct solver *solver; /* size of the kernel cache, and interruption */
	double eps;
	const double *c; /* values of C, ascending; n_c of them */
	int n_c;
	int64_t first, n_out; /* rows left out, first .. first + n_out - 1 of the search's */
};

/* Of a value of C what its machines in a fold took, and what became of them. */
struct search_figures {
	bool given_up;	     /* set by the caller: nothing is trained */
	double seconds;	     /* added to */
	bool is_unfinished;  /* set where the tolerance was not reached, for what is known */
	struct error failed; /* set where there is no solution, by certificate_check() */
};

/*
 * search_machine_run() - train the problem for all values of C, one after the other
 *
 * Finds value[n_c][n_out], decision values of the rows left out, but for points given up, and sums
 * up figures[n_c].  'p' has c_plus and c_minus for C = 1, and its source is set here.  Fails with
 * ERR_INTERRUPTED, ERR_MEMORY, or ERR_NUMERIC where kernel values overflow.
 */
int search_machine_run(struct problem_view *p, const struct search_machine_options *o,
		       double *value, struct search_figures *figures, struct error *err);

/* ---- search_columns.c ---- */

/* search_may_share() - can the column's points share kernel values? */
bool search_may_share(const struct search_run *run, int column);

/* search_columns_run() - the columns first .. end - 1, all of which may share */
int search_columns_run(const struct search_run *run, int first, int end, struct error *err);
