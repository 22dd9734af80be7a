/*
 * train_model.c - randsvm-train: the model of --start; the model file and the rows of its support vectors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/order.h"
#include "evaluate/sv_index.h"
#include "model/compact.h"
#include "train.h"

/* ---- --start ---- */

/*
 * --start: the multipliers of a model, which training begins with, or
 * with a linear kernel judges: are they the optimum?
 *
 * A model file has each support vector's features and coefficients, and does not say which row of
 * the training data it was.  --start-indices tells; without it rows are compared with vectors
 * (sv_rows_find()).  What is not found is left out: the start is worth a little less, but the
 * optimum, and its certificate, are the same.
 */

void read_start(struct training_job *job)
{
	const struct model *m = &job->start;
	struct error err = { 0 };
	bool classifies;

	if (!settings.start)
		return;
	if (model_read(&job->start, settings.start, &err) < 0)
		cli_fail_model(settings.start, &err);
	/* of another kind of machine: classification or regression? */
	classifies = machine_classifies(m->type);
	if (m->is_linear_model)
		cli_fail("--start: %s has weights of features in place of multipliers",
			 settings.start);
	if (m->type == MACHINE_ONE_CLASS || classifies != (given.svm_type == 0))
		cli_fail("--start: %s is a %s, which has no multipliers of %s", settings.start,
			 m->type == MACHINE_ONE_CLASS ? "one-class SVM" :
			 classifies		      ? "classification" :
							"regression",
			 given.svm_type == 0 ? "a classification" : "a regression");
}

/*
 * Equal parameters, or equal but for what a file of a drop-in of svm-train has lost of them: some
 * builds, as Debian's, read and write them in single precision.
 */
static bool same_parameter(double a, double b)
{
	return (float)a == (float)b;
}

static bool same_kernel(const struct kernel *a, const struct kernel *b)
{
	return a->type == b->type && (a->type != KERNEL_POLYNOMIAL || a->degree == b->degree) &&
	       (a->type == KERNEL_LINEAR || same_parameter(a->gamma, b->gamma)) &&
	       (a->type != KERNEL_POLYNOMIAL || same_parameter(a->coef0, b->coef0));
}

/* Take the row numbers of the file; with classes, rows must have their vectors' labels. */
static void take_indices(const struct training_job *job, int64_t *row)
{
	const struct dataset *d = &job->data;
	const struct solution *s = &job->start.solution;
	struct error err = { 0 };
	int64_t j = 0;

	if (sv_indices_read(settings.start_indices, s->n_sv, job->n_file_rows, row, &err) < 0)
		cli_fail_reading("start indices", settings.start_indices, &err);
	/* numbers of rows of the file become those of rows of the data; -1: it is left out */
	for (int64_t k = 0; job->file_row && k < s->n_sv; k++) {
		const int64_t *found = bsearch(&row[k], job->file_row, (size_t)d->x.n_rows,
					       sizeof(*row), order_int64s);

		row[k] = found ? found - job->file_row : -1;
	}
	for (int c = 0; s->label && c < s->n_class; c++)
		for (int64_t end = j + s->n_sv_of_class[c]; j < end; j++)
			if (row[j] >= 0 && d->y[row[j]] != s->label[c])
				cli_fail("--start-indices: vector %" PRId64
					 " of %s has class %d, and row %" PRId64 " of %s has %g",
					 j + 1, settings.start, s->label[c],
					 row_in_file(job, row[j]), given.data_name, d->y[row[j]]);
}

/* Find the rows that equal vectors; returns the number of vectors found. */
static int64_t match_rows(const struct training_job *job, int64_t *row)
{
	int64_t n_sv = job->start.solution.n_sv;
	struct sv_rows_doubts doubts;
	struct error err = { 0 };

	cli_check(sv_rows_find(&job->start, &job->data, &job->machine.training, row, &doubts, &err),
		  &err);
	if (doubts.n_missing == n_sv)
		cli_fail("--start: no support vector of %s is a row of %s with its label; "
			 "--start-indices tells which rows they are",
			 settings.start, given.data_name);
	if (doubts.n_missing > 0)
		cli_remark("--start: %" PRId64 " of %" PRId64
			   " support vectors of %s are no rows of %s: left out",
			   doubts.n_missing, n_sv, settings.start, given.data_name);
	return n_sv - doubts.n_missing;
}

void find_start(struct training_job *job)
{
	struct model *m = &job->start;
	struct solution *s = &m->solution;
	int64_t n_found = s->n_sv;

	if (!settings.start)
		return;
	if (s->n_sv == 0)
		cli_fail("--start: %s has no support vectors", settings.start);
	s->sv_row = cli_zeroed(s->n_sv, sizeof(*s->sv_row));
	if (settings.start_indices)
		take_indices(job, s->sv_row);
	else
		n_found = match_rows(job, s->sv_row);
	csr_free(&m->sv); /* rows of the data replace the vectors from here on */
	if (!same_kernel(&m->kernel, &job->machine.training.kernel))
		cli_remark("--start: %s has another kernel: its multipliers are a worse start",
			   settings.start);
	report_count(job->run.report, "start_vectors", s->n_sv);
	report_count(job->run.report, "start_rows", n_found);
}

/* ---- the model file ---- */

/* The row of each support vector, from 1, into the file of --sv-indices. */
static void write_sv_indices(const struct training_job *job)
{
	const struct solution *s = &job->result.solution;
	struct error err = { 0 };

	for (int64_t j = 0; j < s->n_sv; j++)
		if (output_printf(job->run.file[FILE_INDICES].output, &err, "%" PRId64 "\n",
				  row_in_file(job, s->sv_row[j])) < 0)
			return; /* a failed write is reported when the output is committed */
}

/* Refuse NaN and infinity in a model; svm-train and --mode direct write both without a warning. */
static int check_model(const struct model *model, struct error *err)
{
	struct error reason = { 0 };

	if (model_check(model, &reason) == 0)
		return 0;
	if (settings.mode != MODE_DIRECT || reason.code == ERR_MEMORY)
		return error_set(err, reason.code, "%s", reason.text);
	if (given.common.verbose)
		cli_warn("%s: svm-eval refuses this model", reason.text);
	return 0;
}

/* Make weights of the support vectors, for --compact and --model-format liblinear. */
static int compact_model(struct model *model, struct error *err)
{
	struct model weights = { 0 };
	int64_t n_before = model_n_numbers(model), n;
	const int ret = settings.model_format == FORMAT_LIBLINEAR ?
				model_to_liblinear(&weights, model, err) :
				model_compact(&weights, model, err);

	model_free(model);
	*model = weights;
	n = ret == 0 ? model_n_numbers(model) : 0;
	/* larger, as of many pairs of classes with few rows each */
	if (settings.compact && n > n_before && settings.mode != MODE_DIRECT)
		cli_remark("--compact: %" PRId64 " numbers in place of %" PRId64
			   ": without it the model is smaller",
			   n, n_before);
	return ret;
}

/* Do support vectors of a linear kernel not hold the decision values?  A note says so. */
static bool needs_weights(const struct training_job *job)
{
	const double error = job->result.solution.far_error;

	if (error == 0 || settings.mode == MODE_DIRECT)
		return false;
	cli_remark("the model is written as with --compact: rows lie so far from 0 that decision "
		   "values by support vectors would be off by some %.2g",
		   error);
	return true;
}

static int make_model(struct model *model, struct training_job *job, struct error *err)
{
	const bool weights =
		settings.compact || settings.model_format == FORMAT_LIBLINEAR || needs_weights(job);

	if (is_one_vs_rest())
		return one_vs_rest_model(model, &job->result.machines, &job->machine.classes, err);
	if (!weights && given.kernel_type != KERNEL_PRECOMPUTED) {
		model_view(model, &job->machine.training, &job->result.solution, &job->data.x);
		model->eight_digits = settings.mode == MODE_DIRECT;
		train_ranks_view(model);
		return 0;
	}
	train_ranks_bring();
	if (model_from_solution(model, &job->machine.training, &job->result.solution, &job->data.x,
				err) < 0)
		return -1;
	return weights ? compact_model(model, err) : 0;
}

/*
 * Warn where 8 digits, which --mode direct writes as svm-train does, make another model of the one
 * that was trained: decision values are off by more than -e, to which it was trained.
 */
static void warn_of_digits(const struct training_job *job, const struct model *m)
{
	const struct solution *s = &m->solution;
	struct csr sv = { 0 }, filed = { 0 };
	double change = 0;
	struct error err = { 0 };

	if (!m->eight_digits || csr_gather(&sv, &m->sv, s->sv_row, s->n_sv, &err) < 0 ||
	    csr_gather(&filed, &m->sv, s->sv_row, s->n_sv, &err) < 0)
		goto out;
	vectors_round(&filed);
	if (vectors_change(&m->kernel, s, &sv, &filed, 1, &change, &err) == 0 &&
	    change > job->machine.training.eps)
		cli_warn("warning: --mode direct writes support vectors in 8 digits, as "
			 "svm-train does: decision values of this file are off by up to %.3g; "
			 "without --mode direct it has all digits",
			 change);
out:
	csr_free(&sv);
	csr_free(&filed);
}

/* Bytes of a model from which on a note says that weights would take less. */
#define LARGE_MODEL 10000000

/*
 * Note a large model of a linear kernel where --compact would write fewer numbers by far: a weight
 * for each feature and pair of classes at most.
 */
static void note_large(const struct training_job *job, const struct model *m)
{
	const int64_t size = output_size(job->run.file[FILE_MODEL].output);
	const double n =
		(double)job->data.max_index * (double)solution_n_pairs(m->solution.n_class);

	if (m->is_linear_model || m->kernel.type != KERNEL_LINEAR || settings.compact ||
	    size < LARGE_MODEL || n > (double)m->solution.n_sv || given.common.quiet ||
	    settings.mode == MODE_DIRECT)
		return;
	cli_note("the model has %.3g MB of support vectors: --compact writes %.0f weights in their "
		 "place, which decide the same",
		 1e-6 * (double)size, n);
}

void write_model(struct training_job *job)
{
	struct model model = { 0 };
	struct error err = { 0 };

	if (settings.sv_indices)
		write_sv_indices(job);
	/* the model takes the solution's arrays */
	if (make_model(&model, job, &err) < 0 || check_model(&model, &err) < 0 ||
	    model_write(&model, job->run.file[FILE_MODEL].output, &err) < 0)
		cli_fail_output(&job->run.file[FILE_MODEL], &err);
	warn_of_digits(job, &model);
	if (model_n_reversed(&model) > 0 && settings.mode != MODE_DIRECT)
		cli_remark("probabilities contradict decision values for %" PRId64 " of %" PRId64
			   " %s: there are too few rows for -b 1",
			   model_n_reversed(&model), job->result.n_pairs,
			   is_one_vs_rest() ? "classes" : "pairs of classes");
	note_large(job, &model);
	model_free(&model);
}
