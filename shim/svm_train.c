/*
 * svm_train.c - LIBSVM's training and cross validation
 *
 *     svm_problem, svm_parameter --> struct run --> train_calibrated() --> svm_model
 *                                              `--> cross_validate()   --> target
 *
 * Training is randsvm-train's in its mode exact, with its defaults: the same seed, a kernel cache
 * of a quarter of the memory unless cache_size is more, and all cores that the process may use, or
 * OMP_NUM_THREADS of them.  What LIBSVM alone trains there (a single class, a few examples) is
 * trained by the same solvers here: the process has no other LIBSVM.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "evaluate/cross_validation.h"
#include "evaluate/svm_train_lines.h"
#include "kernel/precomputed.h"
#include "model/probability.h"
#include "matrix/node_rows.h"
#include "print_string.h"
#include "public_model.h"
#include "smo/smo.h"

/* A training, and all it is made of; all pointers of 'trainer' point into it. */
struct run {
	struct dataset data;
	struct training training;
	struct class_weight *weight;
	struct classes classes;
	bool classifies;
	int64_t n_pairs;
	struct pair_result *pairs; /* results of the whole training, n_pairs */
	struct randsvm_options options;
	struct solver solver;
	struct trainer trainer;
	struct libsvm_messages messages;
	struct validation_observer observer;
};

static struct training training_of(const struct svm_parameter *param)
{
	return (struct training){ .type = (enum machine_type)param->svm_type,
				  .kernel = { .type = (enum kernel_type)param->kernel_type,
					      .degree = param->degree,
					      .gamma = param->gamma,
					      .coef0 = param->coef0 },
				  .C = param->C,
				  .nu = param->nu,
				  .p = param->p,
				  .cache_mb = param->cache_size,
				  .eps = param->eps,
				  .shrinking = param->shrinking,
				  .probability = param->probability };
}

/* OMP_NUM_THREADS, which LIBSVM compiled for OpenMP goes by; else all cores. */
static int count_threads(void)
{
	const char *wanted = getenv("OMP_NUM_THREADS");
	long n = wanted ? strtol(wanted, NULL, 10) : 0;

	if (n > 0)
		return thread_clamp_count(n < INT_MAX ? (int)n : INT_MAX);
	return thread_default_count();
}

/* ---- the problem ---- */

/* LIBSVM cuts labels to integers. */
static int read_labels(double *to, const struct svm_problem *prob, bool classifies,
		       struct error *err)
{
	for (int i = 0; i < prob->l; i++) {
		to[i] = classifies ? trunc(prob->y[i]) : prob->y[i];
		if (!isfinite(to[i]))
			return error_set(err, ERR_ARGUMENT, "row %d: target %g", i + 1, to[i]);
	}
	return 0;
}

static int read_problem(struct dataset *d, const struct svm_problem *prob,
			const struct svm_parameter *param, struct error *err)
{
	if (!prob || prob->l <= 0 || !prob->y || !prob->x)
		return error_set(err, ERR_ARGUMENT, "no examples");
	d->y = mem_array(prob->l, sizeof(*d->y), err);
	d->labels_capacity = prob->l;
	if (!d->y ||
	    read_labels(d->y, prob, machine_classifies((enum machine_type)param->svm_type), err) <
		    0 ||
	    node_rows_read(&d->x, prob->x, prob->l,
			   param->kernel_type == PRECOMPUTED ? NODES_POSITIONS : NODES_FEATURES,
			   err) < 0)
		return -1;
	d->max_index = d->x.n_cols > 0 ? d->x.n_cols - 1 : 0;
	return 0;
}

static int read_weights(struct run *run, const struct svm_parameter *param, struct error *err)
{
	const int n = param->nr_weight;

	if (n <= 0)
		return 0;
	if (!param->weight_label || !param->weight)
		return error_set(err, ERR_ARGUMENT, "weights are missing");
	run->weight = mem_array(n, sizeof(*run->weight), err);
	if (!run->weight)
		return -1;
	for (int k = 0; k < n; k++) {
		run->weight[k] = (struct class_weight){ param->weight_label[k], param->weight[k] };
		if (!(param->weight[k] >= 0) || !isfinite(param->weight[k]))
			return error_set(err, ERR_ARGUMENT, "weight %g", param->weight[k]);
	}
	run->training.n_weights = n;
	run->training.weight = run->weight;
	return 0;
}

/* Group the examples by class. */
static int find_classes(struct run *run, struct error *err)
{
	if (!run->classifies)
		return 0;
	if (classes_init(&run->classes, &run->data, err) < 0 ||
	    classes_check_number(run->classes.n, err) < 0)
		return -1;
	if (run->training.type == MACHINE_NU_SVC &&
	    !classes_allow_nu(&run->classes, &run->data, run->training.nu))
		return error_set(err, ERR_ARGUMENT, "specified nu is infeasible");
	return 0;
}

static int read_all(struct run *run, const struct svm_problem *prob,
		    const struct svm_parameter *param, struct error *err)
{
	const char *fault;

	if (!param)
		return error_set(err, ERR_ARGUMENT, "no parameters");
	run->training = training_of(param);
	fault = training_fault(&run->training);
	if (fault)
		return error_set(err, ERR_ARGUMENT, "%s", fault);
	run->classifies = machine_classifies(run->training.type);
	if (read_problem(&run->data, prob, param, err) < 0 || read_weights(run, param, err) < 0 ||
	    find_classes(run, err) < 0)
		return -1;
	run->n_pairs = run->classifies ? solution_n_pairs(run->classes.n) : 1;
	run->pairs = mem_zeroed(run->n_pairs, sizeof(*run->pairs), err);
	return run->pairs ? 0 : -1;
}

/* ---- messages ---- */

/* Of each training here, in the caller's thread: an observer of pairs may be called by another. */
static void warn_of_pairs(const struct pair_result *pairs, int64_t n_pairs)
{
	for (int64_t q = 0; q < n_pairs; q++) {
		const struct certificate *c = &pairs[q].certificate;

		if (pairs[q].reason == STOP_MAX_ITERATIONS)
			print_string_warning("reaching max number of iterations");
		/* of what is void check_solutions() tells */
		if (c->excess > 0 && !certificate_is_void(c))
			print_string_warning("C times the largest kernel value is %g, too much for "
					     "doubles: rows may violate the optimality conditions",
					     c->excess);
	}
}

static void tell_model(const struct run *run, const struct solution *s,
		       const struct pair_result *pairs)
{
	warn_of_pairs(pairs, run->classifies ? solution_n_pairs(s->n_class) : 1);
	if (certificate_separates_nothing(run->training.type, &pairs->certificate))
		print_string_warning("no plane separates the rows from the origin, and the model "
				     "is nothing");
	if (solution_n_reversed(s) > 0)
		print_string_warning("probabilities contradict decision values: there may be too "
				     "few rows to fit them to");
	svm_train_model_lines(&run->training, s, pairs, &run->messages);
}

static void warn_of_products(const struct run *run, const struct solution *s)
{
	const double error = trainer_far_error(&run->trainer, s, run->pairs, run->n_pairs);

	if (error > 0)
		print_string_warning(
			"rows lie so far from 0 that decision values of this model are "
			"off by some %.2g: scale the features",
			error);
}

static void fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	tell_model(arg, s, pairs);
}

static void sigmoid_fitted(void *arg, enum sigmoid_end end)
{
	svm_train_sigmoid_lines(end, &((const struct run *)arg)->messages);
}

static void scale_fitted(void *arg, double sigma)
{
	svm_train_scale_lines(sigma, &((const struct run *)arg)->messages);
}

static void marks_fitted(void *arg, bool enough)
{
	(void)arg;
	if (!enough)
		print_string_warning("number of positive or negative decision values <%d; too few "
				     "to do a probability estimation.",
				     PROBABILITY_LEAST_VALUES);
}

static void warn_of_weights(const struct run *run)
{
	for (int k = 0; run->classifies && k < run->training.n_weights; k++)
		if (classes_find(&run->classes, run->weight[k].label) < 0)
			print_string_warning("class label %d specified in weight is not found",
					     run->weight[k].label);
}

/* LIBSVM trains on rows that are no kernel's, and so does this, but not without a word. */
static void warn_of_kernel(const struct csr *x)
{
	struct error err = { 0 };

	if (precomputed_check(x, &err) == 0 &&
	    (precomputed_check_numbers(x, &err) < 0 || precomputed_check_symmetry(x, &err) < 0))
		print_string_warning("%s", err.text);
}

/* ---- the run ---- */

/* Fill '*run', which must not move afterwards; run_free() releases it, after a failure too. */
static int run_init(struct run *run, const struct svm_problem *prob,
		    const struct svm_parameter *param, struct error *err)
{
	const double cache_mb = (double)mem_limit() / 4 / MEGABYTE;
	const int n_threads = count_threads();

	*run = (struct run){ .messages = print_string_receiver() };
	if (read_all(run, prob, param, err) < 0)
		return -1;
	run->options = (struct randsvm_options){ .mode = WORKING_SET_EXACT,
						 .seed = 1,
						 .eps = run->training.eps,
						 .n_threads = n_threads };
	run->solver = smo_solver(fmax(cache_mb, param->cache_size), n_threads);
	run->observer = (struct validation_observer){ .fold_trained = fold_trained,
						      .sigmoid_fitted = sigmoid_fitted,
						      .scale_fitted = scale_fitted,
						      .marks_fitted = marks_fitted,
						      .arg = run };
	run->trainer = (struct trainer){ .data = &run->data,
					 .training = &run->training,
					 .options = &run->options,
					 .solver = &run->solver };
	warn_of_weights(run);
	if (run->training.kernel.type == KERNEL_PRECOMPUTED)
		warn_of_kernel(&run->data.x);
	return 0;
}

static void run_free(struct run *run)
{
	mem_free(run->pairs);
	mem_free(run->weight);
	classes_free(&run->classes);
	dataset_free(&run->data);
}

static const struct classes *classes_of(const struct run *run)
{
	return run->classifies ? &run->classes : NULL;
}

/* Is there a finite optimum for each pair?  Callers rely on a model of what tells nothing, too. */
static int check_solutions(const struct run *run, struct error *err)
{
	for (int64_t q = 0; q < run->n_pairs; q++) {
		const struct certificate *c = &run->pairs[q].certificate;

		if (certificate_check(c, "", err) == 0)
			continue;
		if (!certificate_is_finite(c))
			return -1;
		print_string_warning("%s", err->text);
		*err = (struct error){ 0 };
	}
	return 0;
}

static struct svm_model *train(struct run *run, const struct svm_problem *prob,
			       const struct svm_parameter *param, struct error *err)
{
	struct solution s = { 0 };
	struct svm_model *model = NULL;

	if (train_calibrated(&run->trainer, classes_of(run), &run->observer, &s, run->pairs, err) <
	    0)
		return NULL;
	if (run->training.type == MACHINE_C_SVC)
		solution_bound_rho(&s);
	tell_model(run, &s, run->pairs);
	warn_of_products(run, &s);
	if (check_solutions(run, err) == 0)
		model = public_model_make(&s, param, err);
	/* the vectors are the caller's rows */
	for (int64_t j = 0; model && j < s.n_sv; j++)
		model->SV[j] = prob->x[s.sv_row[j]];
	solution_free(&s);
	return model;
}

struct svm_model *svm_train(const struct svm_problem *prob, const struct svm_parameter *param)
{
	struct svm_model *model = NULL;
	struct run run;
	struct error err = { 0 };

	if (run_init(&run, prob, param, &err) == 0)
		model = train(&run, prob, param, &err);
	run_free(&run);
	if (!model)
		print_string_error("svm_train", &err);
	return model;
}

void svm_cross_validation(const struct svm_problem *prob, const struct svm_parameter *param,
			  int nr_fold, double *target)
{
	struct run run;
	struct error err = { 0 };

	if (run_init(&run, prob, param, &err) == 0) {
		if (!target || nr_fold < 1)
			error_set(&err, ERR_ARGUMENT, "no %s", target ? "folds" : "target");
		if (nr_fold > prob->l)
			print_string_warning("# folds > # data. Will use # folds = # data instead "
					     "(i.e., leave-one-out cross validation)");
		if (err.code == ERR_NONE)
			cross_validate(&run.trainer, nr_fold, &run.observer, NULL, target, &err);
	}
	run_free(&run);
	if (err.code == ERR_NONE)
		return;
	print_string_error("svm_cross_validation", &err);
	for (int i = 0; prob && target && i < prob->l; i++)
		target[i] = NAN;
}

/* ---- parameters ---- */

/* Is nu possible for the classes of the data?  True where the labels cannot be grouped. */
static bool allows_nu(const struct svm_problem *prob, const struct svm_parameter *param)
{
	struct dataset labels = { .x.n_rows = prob->l };
	struct classes classes;
	struct error err = { 0 };
	bool allowed = true;

	if (prob->l <= 0 || !prob->y)
		return true;
	labels.y = mem_array(prob->l, sizeof(*labels.y), &err);
	if (labels.y && read_labels(labels.y, prob, true, &err) == 0 &&
	    classes_init(&classes, &labels, &err) == 0) {
		allowed = classes_allow_nu(&classes, &labels, param->nu);
		classes_free(&classes);
	}
	mem_free(labels.y);
	return allowed;
}

const char *svm_check_parameter(const struct svm_problem *prob, const struct svm_parameter *param)
{
	struct training training;
	const char *fault;

	if (!param)
		return "no parameters";
	training = training_of(param);
	fault = training_fault(&training);
	if (fault)
		return fault;
	if (!SVM_HAS_DENSITY_MARKS && param->svm_type == ONE_CLASS && param->probability)
		return "one-class SVM probability output not supported yet";
	if (param->svm_type == NU_SVC && prob && !allows_nu(prob, param))
		return "specified nu is infeasible";
	return NULL;
}

void svm_destroy_param(struct svm_parameter *param)
{
	if (!param)
		return;
	free(param->weight_label);
	free(param->weight);
}
