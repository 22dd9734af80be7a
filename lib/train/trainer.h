/*
 * trainer.h - train on a data set: one problem for each pair of classes, or one regression
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/rng.h"
#include "kernel/shifted_data.h"
#include "problem/classes.h"
#include "problem/solution.h"
#include "problem/training.h"
#include "train/libsvm_adapter.h"
#include "train/solve.h"

/*
 * The result of one pair of classes, or of a regression (its labels are 0)
 *
 * Of 2,000 classes there are two million.
 */
struct pair_result {
	int label_a, label_b;
	int64_t n; /* number of examples of the pair */
	union {
		double c; /* bound C of each example; NAN where examples have different bounds */
		/*
		 * half width of machines of nu trained on working sets: nu-SVC's 1 / C, nu-SVR's
		 * epsilon
		 */
		double half_width;
	};
	double rho;
	/* n_learned and by_budget are not in a checkpoint, as a training that ended early is not */
	struct randsvm_result solved;
	/* number of iterations; 0 if one call of LIBSVM trained all pairs */
	int64_t n_iterations;
	union {
		/* one-class: share of the examples' weight outside, f <= rho; at most nu of it should be */
		double outside;
		/* one-vs-rest: objective of the value -1 for all examples: twice the C of the class's */
		double constant;
	};
};

/*
 * Called once with the plan in words, and at the start and the end of each pair, in the order of
 * the pairs; each may be NULL.  If pairs are trained at the same time both calls come after the
 * training of the pair.
 */
struct trainer_observer {
	void (*planned)(void *arg, const struct plan_line *line, int n_lines);
	void (*pair_started)(void *arg, const struct pair_result *pair);
	void (*pair_finished)(void *arg, const struct pair_result *pair);
	void *arg;
};

/*
 * Some rows of the data as the examples, with labels or targets of their own, and the kernel matrix
 * of all rows of the data, in double precision
 */
struct trainer_subset {
	struct example_list examples;
	struct kernel_matrix *matrix;
};

/* Description of a training: data, parameters, solver.  All pointers are borrowed. */
struct trainer {
	const struct dataset *data;
	const struct training *training;
	const struct randsvm_options *options;
	const struct solver *solver;	       /* solver of the subproblems */
	const struct randsvm_observer *rounds; /* observer of the rounds; or NULL */
	const struct trainer_observer *pairs;  /* observer of the pairs; or NULL */
	/*
	 * receiver of LIBSVM's messages, where it trains all rows at once (evaluate/machine_train.h), and
	 * of its lines on probabilities (evaluate/cross_validation.h); or NULL
	 */
	const struct libsvm_messages *messages;
	/* examples to train on, for trainer_run() alone; NULL: all rows of the data */
	const struct trainer_subset *subset;
	/*
	 * For trainer_run() alone, in mode exact: a solution whose sv_row are rows of the data, or
	 * -1, as the start, see start.h; NULL: all multipliers 0.  Machines of nu take
	 * none
	 */
	const struct solution *start;
	/*
	 * For trainer_run() alone: the rows of the data that are with other processes, which may have
	 * those entries that data->x has not (ranks/rank_rows.h); NULL: all are here
	 */
	struct rank_rows *ranks;
	/*
	 * For trainer_run() alone, on other ranks than 0, which has dealt pairs to 'ranks'
	 * (dealt_pairs.h): those of this rank are written here; there is no solution
	 */
	struct fields *out;
	/*
	 * For trainer_run() alone: where the state is kept, one block for each pair; NULL: nowhere.
	 * What was kept when the program was ended is not trained again, and its rounds are told
	 * again.
	 */
	struct checkpoint *checkpoint;
	/*
	 * Folds, and those of probabilities, are drawn from these in the order of the trainings; NULL:
	 * from the process's rand(), as LIBSVM draws them
	 */
	struct glibc_rand *draws;
	/*
	 * Is the solution of no use unless it is the optimum?  Else, where the solver's interruption says
	 * how many seconds are left, each pair of classes gets its share of them.
	 */
	bool all_or_nothing;
	/*
	 * Does anybody look at primal and dual?  Then their rounding errors are bounded (rounding.h);
	 * else certificates have a rounding of 0, but for nu-SVC, where the bound says if there is a
	 * margin.
	 */
	bool certifies;
};

/*
 * trainer_run() - train each pair of classes by random working sets, with randsvm_solve()
 *
 * Fills the empty '*s', and the results of all pairs with their certificates.  'pairs' has
 * solution_n_pairs(classes->n) elements, or is NULL if the caller does not need them.  For a
 * regression 'classes' is NULL and 'pairs' has one element.  A single class has no pairs, and its
 * solution has no support vectors.
 *
 * Pair number q uses seed + q.  The solution and the order of all observer calls do not depend on
 * n_threads.
 *
 * All pairs share the rows in single precision, and squared norms.  Besides, a pair takes memory
 * for its own examples while it is trained, and for its support vectors afterwards.
 *
 * Probabilities are not computed here: see evaluate/cross_validation.h.
 */
int trainer_run(const struct trainer *t, const struct classes *classes, struct solution *s,
		struct pair_result *pairs, struct error *err);

/*
 * trainer_shift() - '*near' = 't' on rows that are shifted_data_init()'s, in '*shifted'
 *
 * Of an rbf kernel the machine is the same, and trainer_run() sees to it itself; who evaluates
 * machines on the rows that they were trained on does so on the shifted ones, which is faster.
 * 'for_predictions': of a linear kernel, too, machines are trained and evaluated on the shifted rows
 * alone, as their constants are of these.  Rows of a subset, whose matrix is made, stay.  'near' may
 * be 't' itself.  shifted_data_free() follows, after a failure too.
 */
int trainer_shift(struct trainer *near, struct shifted_data *shifted, const struct trainer *t,
		  bool for_predictions, struct error *err);

/* trainer_shift_gamma() - shifted_data_init()'s 'gamma' for that; 0: rows stay as they are */
double trainer_shift_gamma(const struct training *t, bool for_predictions);

/*
 * trainer_shares_matrix() - may trainings on subsets of the data use one kernel matrix of all rows?
 *
 * True if a matrix of doubles fits into half of the kernel cache and MOST_SHARED rows, and each of
 * the trainings optimises all its examples at once; and if that is the faster way, where each row
 * takes part in n_trainings.  'classes' is NULL for a regression.
 *
 * trainer_run() on a subset then copies parts of the matrix's rows, and does no work that is
 * proportional to the number of columns.  True for precomputed kernels, whose matrix is the data,
 * or a copy in the order of the rows, which is taken off the cache.  A value of the matrix depends
 * on its two rows alone, so the solution is, bit for bit, that on a data set of these rows with a
 * matrix of its own.  Where 'classes' is of a subset it is made by classes_init_list().
 */
bool trainer_shares_matrix(const struct trainer *t, const struct classes *classes,
			   double n_trainings);

/* trainer_examples() - the examples of a trainer: its subset of the data, or all */
struct example_list trainer_examples(const struct trainer *t);

/* trainer_was_interrupted() - did any of the n trainings end by the caller's interruption? */
bool trainer_was_interrupted(const struct pair_result *pairs, int64_t n);

/*
 * trainer_error_no_margin() - ERR_NUMERIC: nu-SVC has no margin between the classes of these labels,
 * or has none yet, where the training ended 'early'
 */
int trainer_error_no_margin(const struct trainer *t, int label_a, int label_b, bool early,
			    struct error *err);

/*
 * trainer_certify() - certify a solution that LIBSVM found
 *
 * Computes all decision values from the solution, and fills the certificate, labels, C and rho of
 * each element of 'pairs'.  Fails with ERR_NUMERIC if a rho is not
 * finite.  Costs O(n n_sv) kernel values for a pair of n examples and n_sv support vectors, on
 * options->n_threads threads.
 */
int trainer_certify(const struct trainer *t, const struct classes *classes,
		    const struct solution *s, struct pair_result *pairs, struct error *err);

/* pair_problem_init() - the problem of a pair; 'classes' NULL: of a regression or one class */
int pair_problem_init(struct problem *p, const struct trainer *t, const struct classes *classes,
		      struct class_choice pair, struct error *err);

/* pair_problem_describe() - labels, number of examples and C of the problem */
void pair_problem_describe(struct pair_result *result, const struct problem *p,
			   const struct classes *classes, int a, int b);

/* pair_problem_count_outside() - result->outside of a one-class machine, by x->f and x->rho */
void pair_problem_count_outside(struct pair_result *result, const struct problem_view *p,
				const struct iterate *x);

/* ---- direct.c: whether LIBSVM trains on the whole data set, or our solvers on working sets ---- */

/*
 * direct_reason() - why LIBSVM trains on the whole data set; NULL if working sets are used
 *
 * LIBSVM trains data of a single class; and nu-SVC in other modes than exact, nu-SVR and one-class
 * SVM in others than exact and budget, and all three with LIBSVM as the solver.  In mode exact with
 * the native solver it also trains
 *
 *     classes no two of which have more than 4 examples together (linear: 16), and regressions of
 *     so few examples, with C K(x, x) at most 1000 for all x, because above that LIBSVM may stop
 *     far from the optimum
 *
 * (the last condition is dropped where each class is one example).  In all other modes, and with
 * LIBSVM as the solver, it also trains data that leave nothing to sample: those in which the first
 * sample of every pair of classes would be the whole pair.
 *
 * 'classes' is NULL for regression.
 */
const char *direct_reason(const struct trainer *t, const struct classes *classes);

/*
 * direct_check() - is what LIBSVM made of a machine of nu a solution?
 *
 * Of nu-SVC each pair of classes must have a margin.  LIBSVM divides by half of the margin, r.
 * Where nu is so small that the reduced convex hulls of two classes meet r is 0, and what LIBSVM
 * finds is rounding, of either sign.  With the coefficients of the model, beta / r, and classes of
 * n_a and n_b examples
 *
 *     r = nu (n_a + n_b) / 2 / sum of the coefficients of class a
 *
 * must be above t->training->eps.  Of nu-SVR the square of the sum of multipliers, with which the
 * objective grows, must be finite.  Fails with ERR_NUMERIC, naming nu or C.  O(n_sv) for each pair
 * of classes.
 */
int direct_check(const struct trainer *t, const struct classes *classes, const struct solution *s,
		 struct error *err);
