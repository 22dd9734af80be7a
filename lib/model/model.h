/*
 * model.h - model files, LIBSVM's and LIBLINEAR's
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/input.h"
#include "problem/classes.h"
#include "problem/solution.h"
#include "problem/training.h"
#include "train/one_vs_rest.h"

/* A LIBLINEAR model; owns its arrays. */
struct linear_model {
	char solver_type[32]; /* name of the solver in the file: "L2R_LR", "MCSVM_CS", ... */
	bool regression;      /* regression model: solver_type is one of the ..._SVR */
	bool one_class;	      /* solver_type is ONECLASS_SVM */
	bool logistic;	      /* L2R_LR, L2R_LR_DUAL, L1R_LR: has probabilities */
	int n_class;	      /* number of classes; 2 for regression and one-class */
	int *label;	      /* n_class labels; NULL for regression and one-class */
	int64_t n_features;   /* features, without that of the bias */
	double bias;	      /* value of the extra feature of all examples; < 0: none */
	double rho;	      /* one-class: constant of the decision function */
	int n_columns;	      /* columns of w: 1 if n_class == 2 and not MCSVM_CS, else n_class */
	double *w;	      /* weights [n_features + (bias >= 0)][n_columns]; features from 1 */
	/*
	 * of classes: A and B of odds exp(-(A f + B)) by the value f of each column; NULL: none.
	 * In the file they are behind the weights, where LIBLINEAR's reader has stopped.
	 */
	double *prob_a, *prob_b;
};

/*
 * struct model - one of the two kinds
 *
 * LIBSVM's kind: 'solution' without its sv_row (NULL), and the support vectors as rows of 'sv';
 * with a precomputed kernel a row is column 0, the serial number, and nothing else.
 * LIBLINEAR's kind: 'linear'.  Owns everything; a zeroed struct is empty.  One of model_view() has
 * borrowed rows: 'sv' is the training data, of which vector i is row sv_row[i]; with
 * fetch() the entries of 'sv' may be NULL.
 */
struct model {
	bool is_linear_model; /* LIBLINEAR's kind of model, in 'linear'; else LIBSVM's */
	enum machine_type type;
	/* model was trained by this process with squared losses; files of LIBSVM's kind lack it */
	bool squared_loss;
	struct kernel kernel;
	struct solution solution;
	struct csr sv;
	bool eight_digits; /* model_write() rounds values of 'sv' to 8 digits, as svm-train does */
	struct linear_model linear;
	/*
	 * of model_view(), where the entries of 'sv' are not here: model_write() has it copy the first
	 * of n rows to the empty '*out', as many as it likes, but one at least; 0, or -1 with an error
	 */
	int (*fetch)(void *arg, const int64_t *row, int64_t n, struct csr *out, struct error *err);
	void *fetch_arg;
};

void model_free(struct model *m);

/*
 * model_read() - read the model file 'path' ("-": standard input), plain or gzipped
 *
 * Takes what svm-train 3.0 to 3.37, its drop-ins, and liblinear-train write: header keys in
 * any order, but nr_class before the keys whose number of values it determines; numbers in any
 * notation that strtod() takes; additional blanks and blank lines.  Refused with ERR_FORMAT (text:
 * `path:line: reason`) are unknown, missing, repeated or misplaced keys, a number of values or of
 * classes that is not the one due, labels given twice, nr_sv that does not add up to total_sv,
 * non-finite numbers, indices that do not ascend, a body shorter or longer than the header
 * promises, and a last line without its end, which may have been cut anywhere.  Constants that
 * the kernel does not have are read and dropped.  No allocation is sized by a number of the header
 * before the bytes it promises are there.  On failure '*m' is empty.
 *
 * A single class (nr_class 1, for data all of one label) has no support vectors, no
 * pairs, and 'rho', 'prob_a', 'prob_b' of no entries.
 */
int model_read(struct model *m, const char *path, struct error *err);

/* model_read_input() - likewise, an input_reader of a struct model */
int model_read_input(void *m, struct input *from, struct error *err);

/*
 * model_from_solution() - a model of the empty '*m' from what training found on 'x'
 *
 * Copies the support vectors, and moves the solution's arrays: '*s' is empty afterwards.
 * Fails with ERR_MEMORY, or with ERR_ARGUMENT if a support vector of a precomputed
 * kernel has no column 0; '*m' is then empty and '*s' as it was.
 */
int model_from_solution(struct model *m, const struct training *t, struct solution *s,
			const struct csr *x, struct error *err);

/*
 * model_view() - the same without a copy of the support vectors, to be checked and written only
 *
 * 'x' must outlive it, and the kernel must not be precomputed.  model_free() leaves 'x' alone.
 * m->fetch may be set afterwards.
 */
void model_view(struct model *m, const struct training *t, struct solution *s, const struct csr *x);

/*
 * model_n_reversed() - of how many decision functions do probabilities contradict the values?
 *
 * As solution_n_reversed(), of both kinds of models.
 */
int64_t model_n_reversed(const struct model *m);

/* model_n_features() - highest feature of the model; 0 of a precomputed kernel */
int64_t model_n_features(const struct model *m);

/* model_n_numbers() - values of support vectors and coefficients, or weights of a linear model */
int64_t model_n_numbers(const struct model *m);

/*
 * sv_indices_read() - row[j], from 0, of vector j < n_sv among the n_rows of the data
 *
 * From the file that randsvm-train --sv-indices writes: a number for each support vector, from 1,
 * in the order of the model, each on a line of its own.
 * Reads 'path' ("-": standard input), plain or gzipped; where n_rows is not known it is INT64_MAX.
 * Refused with ERR_FORMAT (text: `path:line: reason`) are words that are no number of 1 .. n_rows,
 * rows given twice, and fewer or more numbers than vectors; also ERR_IO, ERR_MEMORY.
 */
int sv_indices_read(const char *path, int64_t n_sv, int64_t n_rows, int64_t *row,
		    struct error *err);

/*
 * model_check() - would model_read() take what model_write() makes of the model?
 *
 * Fails with ERR_NUMERIC where a number is not finite (text: such as `rho is not finite`), with
 * ERR_FORMAT where counts or labels contradict each other, with ERR_MEMORY.
 */
int model_check(const struct model *m, struct error *err);

/*
 * model_write() - a file from which model_read() makes the same model, to the last bit; an
 * output_writer of a struct model
 *
 * The bytes that LIBSVM, or LIBLINEAR, would write, but for features of more than 8 digits:
 * constants, coefficients and weights as %.17g; features as %.8g where that is read back as the
 * same double or m->eight_digits is set, else as the shortest decimal that is; vectors of a
 * precomputed kernel as `0:serial`.
 * The locale has no influence.  'output' stays open.  Fails with ERR_MEMORY, or as output_write()
 * does.
 */
struct output;
int model_write(const void *model, struct output *output, struct error *err);

/* ---- Machines of each class against the rest ---- */

/*
 * one_vs_rest_model() - the empty '*m' from the machines; moves the weights, so that 'from' is
 * empty
 *
 * L2R_L1LOSS_SVC_DUAL, L2R_L2LOSS_SVC or L2R_LR, LIBLINEAR's names of the same losses, with a bias
 * of 1 whose weights are the constants, and their probabilities.  Fails with ERR_MEMORY; '*m' is
 * then empty and 'from' as it was.
 */
int one_vs_rest_model(struct model *m, struct one_vs_rest *from, const struct classes *classes,
		      struct error *err);

/* ---- Parts of model_check() ---- */

/* These are the parts of model_check() that model_read() calls itself, to name the line. */

/*
 * model_check_kernel() - refuse constants that no training makes, with ERR_FORMAT, and those that
 * are not finite, with ERR_NUMERIC; a file omits the constants of other kernels
 */
int model_check_kernel(const struct kernel *k, struct error *err);

/*
 * model_check_classes() - refuse labels that are not all different, with ERR_FORMAT
 *
 * Without labels there must be two classes, as models of regression and one-class have it; 'kind'
 * is the name of such a model for the message.
 */
int model_check_classes(const struct solution *s, const char *kind, struct error *err);

/*
 * model_check_vector_counts() - refuse n_sv_of_class that does not add up to n_sv, and support
 * vectors of a single class, with ERR_FORMAT
 */
int model_check_vector_counts(const struct solution *s, struct error *err);
