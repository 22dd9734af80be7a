/*
 * svm_train.c - LIBSVM's training and cross validation
 *
 *     svm_problem, svm_parameter --> struct run --> machine_train()  --> svm_model
 *                                              `--> cross_validate() --> target
 *
 * Training is randsvm-train's in its mode exact, with its defaults: the same seed, a kernel cache
 * of a quarter of the memory unless cache_size is more, and all cores that the process may use, or
 * OMP_NUM_THREADS of them.  What LIBSVM alone trains there (a single class, a few examples) is
 * trained by the same solvers here: the process has no other LIBSVM.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/clock.h"
#include "base/thread.h"
#include "evaluate/machine_train.h"
#include "evaluate/svm_train_lines.h"
#include "kernel/precomputed.h"
#include "host.h"
#include "matrix/node_rows.h"
#include "public_model.h"
#include "train/rounds.h"
#include "version.h"

/* A training, and all it is made of. */
struct run {
	struct dataset data;
	struct machine machine;
	struct machine_result result;
	struct libsvm_messages messages;
	struct validation_observer observer;
};

/* OMP_NUM_THREADS, which LIBSVM compiled for OpenMP goes by; else all cores. */
static int count_threads(void)
{
	const char *wanted = getenv("OMP_NUM_THREADS");
	long n = wanted ? strtol(wanted, NULL, 10) : 0;

	if (n > 0)
		return thread_clamp_count(n < INT_MAX ? (int)n : INT_MAX);
	return thread_default_count();
}

static struct machine_given given_of(const struct svm_parameter *param)
{
	return (struct machine_given){
		.training = { .type = (enum machine_type)param->svm_type,
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
			      .probability = param->probability },
		.options = { .seed = 1, .n_threads = count_threads() },
		.n_weights = param->nr_weight > 0 ? param->nr_weight : 0,
		.label = param->weight_label,
		.factor = param->weight,
		.gamma_is_given = true,
		.any_kernel = true,
		.cache_mb = fmax(machine_usual_cache_mb(), param->cache_size)
	};
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

/* ---- messages ---- */

/* Of each training here, in the caller's thread: an observer of pairs may be called by another. */
static void warn_of_pairs(const struct pair_result *pairs, int64_t n_pairs)
{
	for (int64_t q = 0; q < n_pairs; q++) {
		const struct certificate *c = &pairs[q].solved.certificate;

		if (pairs[q].solved.reason == STOP_MAX_ITERATIONS)
			print_string_warning("reaching max number of iterations");
		/* of what is void check_solutions() tells */
		if (c->excess > 0 && !certificate_is_void(c))
			print_string_warning("C times the largest kernel value is %g, too much for "
					     "doubles: rows may violate the optimality conditions",
					     c->excess);
	}
}

/* Of the whole model, and as an observer of the models of folds; 'arg' is the run. */
static void tell_model(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	const struct run *run = arg;

	warn_of_pairs(pairs, solution_n_pairs(s->n_class));
	if (certificate_separates_nothing(run->machine.training.type, &pairs->solved.certificate))
		print_string_warning("no plane separates the rows from the origin, and the model "
				     "is nothing");
	if (solution_n_reversed(s) > 0)
		print_string_warning("probabilities contradict decision values: there may be too "
				     "few rows to fit them to");
	svm_train_model_lines(&run->machine.training, s, pairs, &run->messages);
}

static void marks_fitted(void *arg UNUSED, bool enough)
{
	if (!enough)
		print_string_warning("number of positive or negative decision values <%d; too few "
				     "to do a probability estimation.",
				     PROBABILITY_LEAST_VALUES);
}

static void warn_of_weights(const struct machine *m)
{
	const struct classes *classes = machine_classes(m);

	for (int k = 0; classes && k < m->training.n_weights; k++)
		if (classes_find(classes, m->weight[k].label) < 0)
			print_string_warning("class label %d specified in weight is not found",
					     m->weight[k].label);
}

/* LIBSVM trains on rows that are no kernel's, and so does this, but not without a word. */
static void warn_of_kernel(const struct csr *x)
{
	struct error err = { 0 };

	if (precomputed_check(x, &err) == 0 &&
	    (precomputed_check_numbers(x, &err) < 0 || precomputed_check_symmetry(x, &err) < 0))
		print_string_warning("%s", err.text);
}

/* ---- a line of JSON for each training: programs that know nothing of proofs leave them ---- */

static void report_arguments(struct report *r)
{
	struct report *words = report_array(r, "argv");
	FILE *file = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t size = 0;

	while (file && getdelim(&word, &size, '\0', file) > 0)
		report_text(words, NULL, word);
	free(word);
	if (file)
		fclose(file);
}

static void report_parameters(struct report *r, const struct training *t)
{
	report_count(r, "svm_type", t->type);
	report_count(r, "kernel_type", t->kernel.type);
	report_count(r, "degree", t->kernel.degree);
	report_number(r, "gamma", t->kernel.gamma);
	report_number(r, "coef0", t->kernel.coef0);
	report_number(r, "C", t->C);
	report_number(r, "nu", t->nu);
	report_number(r, "p", t->p);
	report_number(r, "eps", t->eps);
	report_count(r, "probability", t->probability ? 1 : 0);
}

static void report_training(struct report *r, const struct machine *m,
			    const struct machine_result *result, double seconds)
{
	const struct dataset *d = m->trainer.data;
	const struct classes *classes = machine_classes(m);
	struct report *data;

	report_count(r, "schema_version", 1);
	report_text(r, "tool", "libsvm.so");
	report_text(r, "version", RANDSVM_VERSION);
	report_arguments(r);
	report_count(r, "process", getpid());
	report_parameters(report_object(r, "settings"), &m->training);
	report_number(report_object(r, "seconds_per_phase"), "train", seconds);
	data = report_object(r, "data");
	report_count(data, "rows", d->x.n_rows);
	report_count(data, "entries", csr_n_entries(&d->x));
	report_count(data, "max_index", d->max_index);
	report_count(data, "classes", classes ? classes->n : 0);
	report_number(data, "gamma", m->training.kernel.gamma);
	machine_result_report(result, stop_reason_text, r);
}

/* Append in one write; 0, or the reason in errno. */
static int append(const char *path, const struct byte_buffer *text)
{
	const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	ssize_t written;
	int reason;

	if (file < 0)
		return -1;
	do
		written = write(file, text->bytes, (size_t)text->size);
	while (written < 0 && errno == EINTR);
	reason = written < 0 ? errno : ENOSPC;
	if (close(file) == 0 && written == text->size)
		return 0;
	errno = reason;
	return -1;
}

/* The file that RANDSVM_CERTIFICATES names; NULL: none. */
static const char *certificates_file(void)
{
	const char *name = secure_getenv("RANDSVM_CERTIFICATES");

	return name && *name ? name : NULL;
}

/*
 * Append a line on what was trained to that file, if there is one
 *
 * Keys are those of randsvm-formats(5).  A line is one write(), so that those of several threads and
 * processes do not mix.  What cannot be written is a warning.
 */
static void append_certificate(const struct machine *m, const struct machine_result *result,
			       double seconds)
{
	const char *path = certificates_file();
	struct byte_buffer text = { 0 };
	struct error err = { 0 };
	struct report *line = path ? report_root(&err) : NULL;

	if (!path)
		return;
	report_training(line, m, result, seconds);
	if (report_end(line, false, &text) < 0 || append(path, &text) < 0)
		print_string_warning("RANDSVM_CERTIFICATES: cannot write '%s': %s", path,
				     err.code != ERR_NONE ? err.text : strerror(errno));
	byte_buffer_free(&text);
}

/* ---- the run ---- */

/* Fill '*run', which must not move afterwards; run_free() releases it, after a failure too. */
static int run_init(struct run *run, const struct svm_problem *prob,
		    const struct svm_parameter *param, struct error *err)
{
	struct machine_given given;

	*run = (struct run){ .messages = { print_string_message, NULL } };
	if (!param)
		return error_set(err, ERR_ARGUMENT, "no parameters");
	given = given_of(param);
	if (read_problem(&run->data, prob, param, err) < 0 ||
	    machine_init(&run->machine, &run->data, &given, err) < 0)
		return -1;
	run->machine.trainer.draws =
		NULL; /* programs seed the process's rand() for LIBSVM's folds */
	run->machine.trainer.messages = &run->messages;
	run->observer = (struct validation_observer){ .fold_trained = tell_model,
						      .marks_fitted = marks_fitted,
						      .arg = run };
	warn_of_weights(&run->machine);
	if (given.training.kernel.type == KERNEL_PRECOMPUTED)
		warn_of_kernel(&run->data.x);
	return 0;
}

static void run_free(struct run *run)
{
	machine_result_free(&run->result);
	machine_free(&run->machine);
	dataset_free(&run->data);
}

/* Is there a finite optimum for each pair?  Callers rely on a model of what tells nothing, too. */
static int check_solutions(const struct run *run, struct error *err)
{
	for (int64_t q = 0; q < run->result.n_pairs; q++) {
		const struct certificate *c = &run->result.pairs[q].solved.certificate;

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
	const struct solution *s = &run->result.solution;
	const double start = clock_seconds(CLOCK_MONOTONIC);
	struct svm_model *model = NULL;
	double seconds;

	run->machine.trainer.certifies = certificates_file() != NULL;
	if (machine_train(&run->machine, &run->observer, &run->result, err) < 0)
		return NULL;
	seconds = clock_seconds(CLOCK_MONOTONIC) - start;
	tell_model(run, s, run->result.pairs);
	if (s->far_error > 0)
		print_string_warning(
			"rows lie so far from 0 that decision values of this model are "
			"off by some %.2g: scale the features",
			s->far_error);
	if (check_solutions(run, err) == 0)
		model = public_model_make(s, param, err);
	/* the vectors are the caller's rows */
	for (int64_t j = 0; model && j < s->n_sv; j++)
		model->SV[j] = prob->x[s->sv_row[j]];
	if (model)
		append_certificate(&run->machine, &run->result, seconds);
	return model;
}

struct svm_model *svm_train(const struct svm_problem *prob, const struct svm_parameter *param)
{
	FOR_HOST(svm_train, (prob, param));
	FROM_CALLER;
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
	FOR_HOST(svm_cross_validation, (prob, param, nr_fold, target));
	FROM_CALLER;
	struct run run;
	struct error err = { 0 };

	if (run_init(&run, prob, param, &err) == 0) {
		if (!target || nr_fold < 1)
			error_set(&err, ERR_ARGUMENT, "no %s", target ? "folds" : "target");
		if (nr_fold > prob->l)
			print_string_warning("# folds > # data. Will use # folds = # data instead "
					     "(i.e., leave-one-out cross validation)");
		if (err.code == ERR_NONE)
			cross_validate(&run.machine.trainer, false, nr_fold, &run.observer, NULL,
				       target, &err);
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
	FOR_HOST(svm_check_parameter, (prob, param));
	FROM_CALLER;
	struct machine_given given;
	const char *fault;

	if (!param)
		return "no parameters";
	given = given_of(param);
	fault = training_fault(&given.training);
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
	mem_free_all(param->weight_label, param->weight);
}
