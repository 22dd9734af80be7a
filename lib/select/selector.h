/*
 * selector.h - choose features by any of the methods of this folder: all that fs-select does
 * between reading its rows and writing them
 *
 *     data set --> the rows that count --> what they span --> how many --> which features
 *                  all, or the support     a row_space, if    n_features,  struct selection
 *                  vectors of a linear     the method or      or as
 *                  SVM                     the size needs it  epsilon says
 *
 * selector_run() does all of it.  It prints nothing: what it finds out is in the result, and an
 * observer is called as soon as a part of the result is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "geometry/row_space.h"
#include "select/bss.h"
#include "select/l1.h"
#include "select/lpsvm.h"
#include "select/selection.h"
#include "select/selection_map.h"
#include "train/rounds.h"

/* Ways in which leverage draws: selector_sampling_names has the same order, ended by NULL. */
enum selector_sampling { SELECTOR_IID, SELECTOR_BERNOULLI };
extern const char *const selector_sampling_names[];

/* Parameters that some methods alone have, as bits of a set. */
enum selector_parameter {
	/* C, p and eps of the SVM whose support vectors are the rows that count */
	SELECTOR_SVM = 1,
	SELECTOR_REGRESSION = 2,
	SELECTOR_SKETCH_ROWS = 4,
	SELECTOR_SAMPLING = 8,
	SELECTOR_BEYOND = 16,
	SELECTOR_FRACTION = 32,
	SELECTOR_NU = 64,
	SELECTOR_LOSS = 128,
	SELECTOR_ALL_FEATURES = 256,
	SELECTOR_RANK_TOL = 512
};

struct selector_options {
	/* which method, and how many features: one of the three is not 0 */
	int method; /* method, an enum select_method */
	int64_t n_features;
	/* error epsilon of squared lengths that fixes the number of features; needs the rank */
	double epsilon;
	double nu; /* weight of errors: nu of lpsvm, C of l1 */

	/* the rows that count: all, or the support vectors of a linear C-SVC or epsilon-SVR */
	bool unsupervised; /* choice among all rows, not only support vectors */
	bool regression;   /* regression: labels are targets, and machines are epsilon-SVR */
	/* parameters of the SVM and of the machines of rfe and rmb, as svm-train's -c, -p and -e */
	double C, p, eps;

	/* for some methods only */
	int64_t sketch_rows; /* rows of the sketch; 0: ROW_SKETCH_ROWS: approx-bss */
	/* way of drawing, an enum selector_sampling: leverage, approx-leverage */
	int sampling;
	int beyond;	   /* rule for features beyond the rank, an enum rrqr_beyond: rrqr */
	double fraction;   /* share of the features that a step drops; 0: one feature: rfe, rmb */
	int loss;	   /* loss, an enum liblinear_loss: l1 */
	double l1_eps;	   /* tolerance of LIBLINEAR; 0: L1_EPS: l1 */
	bool all_features; /* candidates are also features without values: uniform */
	/* relative size of singular values that count as 0: rank_tol times the largest or less */
	double rank_tol;

	bool whole_space;  /* request for result->space, for a certificate */
	int64_t max_bytes; /* bytes that full matrices may take; 0: ROW_SPACE_MAX_BYTES */
	uint64_t seed;
	int n_threads;
};

/* Failures that a caller may want to explain; the text of the error is complete without it. */
enum selector_trouble {
	SELECTOR_OTHER_TROUBLE,
	SELECTOR_LABELS_NO_CLASSES, /* trouble: a label is no integer, and this is no regression */
	SELECTOR_TARGETS,	    /* trouble: more different labels than can be trained */
	SELECTOR_ONE_CLASS,	    /* trouble: one class only, which has no support vectors */
	SELECTOR_MORE_CLASSES,	    /* trouble: more classes than the method can tell apart */
	SELECTOR_NO_SUPPORT_VECTORS,
	SELECTOR_SPACE_TOO_LARGE, /* trouble: full matrices would take more than max_bytes */
	/* trouble: the sketch has as many rows as features wanted (approx-bss) */
	SELECTOR_SKETCH_TOO_LARGE
};

/*
 * struct selector_result - the choice, and how it came about
 *
 * Owns its arrays; a zeroed one is empty.  Fields are filled from top to bottom, those of other
 * methods stay 0.
 */
struct selector_result {
	enum selector_trouble trouble; /* trouble in which selector_run() failed */

	int n_classes;	      /* number of classes; 0 where no label is read */
	int64_t n_rows_given; /* number of rows of the data set */
	int64_t n_rows;	      /* number of rows from which features are chosen */
	int64_t *row;	      /* row numbers in the data set, ascending, n_rows; NULL: all rows */

	/* row space of these rows, whatever rank_tol is; empty unless asked for */
	struct row_space space;

	/* rank of the row space found last: result->space, or the space that the method works in */
	int64_t rank;
	int64_t n_columns; /* number of features with values in the rows that count */
	bool by_qr;
	/* sketch was used: random combinations (approx-bss), or estimates (approx-leverage) */
	bool sketched;

	int64_t n_wanted;      /* number of features wanted; 0 where nu determines it */
	int64_t n_scored;      /* number of features with a score: leverage, approx-leverage, top */
	struct bss_report bss; /* figures of spectral sparsification: bss, approx-bss */
	int64_t n_empty;       /* number of chosen features without values: rrqr beyond as LAPACK */
	bool weightless;       /* all weights of the machines trained are 0: rfe, rmb */
	struct lpsvm_result lpsvm;
	struct l1_result l1;

	struct selection chosen;
};

/* Events of a selection; the result's fields named after an event are filled by then. */
enum selector_event {
	SELECTOR_TRAINING, /* the SVM is about to be trained: n_classes */
	SELECTOR_TRAINED,  /* the SVM has been trained: n_rows, row */
	SELECTOR_ROWS,	   /* the rows that count are known, support vectors or all: n_rows, row */
	SELECTOR_SPACE,	   /* a row space is found: rank, n_columns, by_qr */
	SELECTOR_CHOOSING, /* the method is about to begin */
	SELECTOR_SIZED,	   /* n_wanted was made of epsilon and 'rank' */
	SELECTOR_SKETCHED, /* approx-bss: sketched, rank */
	SELECTOR_SCORED,   /* leverage, approx-leverage, top: n_scored, rank, sketched */
	SELECTOR_CHOSEN,   /* the choice is complete: all fields */
	SELECTOR_N_EVENTS
};

/* Functions called with progress, by the thread that called selector_run(); NULL: not called. */
struct selector_observer {
	void (*event)(void *arg, enum selector_event event, const struct selector_result *so_far);
	void (*round)(void *arg,
		      /* function called after each round of the SVM's training */
		      const struct randsvm_round *round);
	/*
	 * bss: 'done' of 'total' features are chosen; l1: after a training 'done' features have
	 * weights, 'total' being wanted, or 0 where C is given; rfe, rmb: 'done' features are left,
	 * total = 0
	 */
	void (*progress)(void *arg, int64_t done, int64_t total);
	void *arg;
};

/*
 * selector_run() - choose features of 'data' into the empty '*result'
 *
 * 'observer' may be NULL.  Where there are several classes the rows that count are the support
 * vectors of all pairs of them together.  LIBLINEAR, which trains for l1, calls srand(), and trains
 * for one thread at a time.
 *
 * Fails with ERR_FORMAT (labels that are no classes), ERR_ARGUMENT (nothing can be chosen by these
 * data, weights or options), ERR_NUMERIC, ERR_MEMORY, or as the method does; '*result' is then
 * empty but for 'trouble'.
 */
int selector_run(struct selector_result *result, const struct dataset *data,
		 const struct selector_options *options, const struct selector_observer *observer,
		 struct error *err);

void selector_result_free(struct selector_result *result);

struct selector_run;

/* A method of choosing, with its requirements. */
struct selector_method {
	int (*choose)(struct selector_run *run, struct error *err);
	int takes;			 /* parameters, a set of enum selector_parameter */
	bool labels;			 /* labels are needed, whichever rows count */
	bool all_rows;			 /* all rows count, and no SVM is trained */
	bool pairs;			 /* machines of all pairs of classes are trained */
	int least_classes, most_classes; /* least and largest number of classes; 0: any number */
	/* rank for epsilon is that of the method's own approximation */
	bool own_rank;
	/*
	 * the guarantee is one for features times the weights that the selection gives them,
	 * rather than for the features as they are
	 */
	bool weighs;
	/*
	 * reason why the method takes no weights of rows, without its subject, the method; NULL: it
	 * takes them.  Methods that train machines by the labels, or test features, count row i
	 * with its weight: a weight of k is k equal rows.
	 */
	const char *no_row_weights;
};

/* selector_methods - an entry for each enum select_method, in its order */
extern const struct selector_method selector_methods[];
