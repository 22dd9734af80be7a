/*
 * train_model.c - randsvm-train: the model file and the rows of its support vectors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "evaluate/sv_index.h"
#include "io/output.h"
#include "model/compact.h"
#include "train.h"

void write_sv_indices(const struct training_job *job)
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
	int ret;

	if (settings.model_format == FORMAT_LIBLINEAR)
		ret = model_to_liblinear(&weights, model, err);
	else
		ret = model_compact(&weights, model, err);
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

	/* the model takes the solution's arrays */
	if (make_model(&model, job, &err) < 0 || check_model(&model, &err) < 0 ||
	    model_write(&model, job->run.file[FILE_MODEL].output, &err) < 0)
		cli_fail_output(&job->run.file[FILE_MODEL], &err);
	warn_of_digits(job, &model);
	if (solution_n_reversed(&model.solution) > 0 && settings.mode != MODE_DIRECT)
		cli_remark("probabilities contradict decision values for %" PRId64 " of %" PRId64
			   " pairs of classes: there are too few rows for -b 1",
			   solution_n_reversed(&model.solution),
			   solution_n_pairs(model.solution.n_class));
	note_large(job, &model);
	model_free(&model);
}
