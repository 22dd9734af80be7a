/*
 * cross_validation.c - what models say of rows that they were not trained on
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/cross_validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "evaluate/folds.h"
#include "kernel/expansion.h"
#include "model/model.h"
#include "model/predict.h"

/* LIBSVM's number, for probabilities */
enum { INNER_FOLDS = 5 };

/* Rows whose decision values are held at a time. */
enum { BLOCK_ROWS = 8192 };

/* One cross validation. */
struct validation {
	const struct trainer *t; /* on all the rows */
	const struct folds *folds;
	const struct validation_observer *observer;
	struct fold_training fold;
	double *answer; /* for every row; for_probabilities: decision value, else prediction */
};

/* A model of the rows outside a fold, and all that goes into it. */
struct fold_model {
	struct dataset data;
	bool classifies;
	struct classes classes;
	struct pair_result *pairs;
	struct solution solution;
	struct model model;
	struct predictor predictor;
};

static void fold_model_free(struct fold_model *m)
{
	predictor_free(&m->predictor);
	model_free(&m->model);
	solution_free(&m->solution);
	free(m->pairs);
	classes_free(&m->classes);
	dataset_free(&m->data);
}

static int gather_outside(const struct validation *v, int64_t fold, struct fold_model *m,
			  struct error *err)
{
	int64_t *row = mem_array(v->t->data->x.n_rows, sizeof(*row), err);
	int ret = -1;

	m->classifies = machine_classifies(v->t->training->type);
	if (!row)
		return -1;
	if (dataset_gather(&m->data, v->t->data, row, folds_outside(v->folds, fold, row), err) == 0)
		ret = m->classifies && m->data.x.n_rows > 0 ?
			      classes_init(&m->classes, &m->data, err) :
			      0;
	free(row);
	return ret;
}

/* Is there nothing to learn?  Then what is said of every row of the fold. */
static bool is_foregone(const struct validation *v, const struct fold_model *m, double *answer)
{
	if (m->data.x.n_rows == 0)
		*answer = NAN;
	else if (v->fold.for_probabilities && m->classifies && m->classes.n == 1)
		*answer = m->classes.label[0];
	else
		return false;
	return true;
}

static int train_outside(struct validation *v, struct fold_model *m, struct error *err)
{
	const struct validation_observer *observer = v->observer;
	const struct classes *classes = m->classifies ? &m->classes : NULL;
	struct trainer t = *v->t;

	t.data = &m->data;
	v->fold.n = m->data.x.n_rows;
	if (observer && observer->fold_started)
		observer->fold_started(observer->arg, &v->fold);
	m->pairs = mem_zeroed(classes ? solution_n_pairs(classes->n) : 1, sizeof(*m->pairs), err);
	if (!m->pairs || train_calibrated(&t, classes, observer, &m->solution, m->pairs, err) < 0)
		return -1;
	if (interruption_requested(t.solver->interruption))
		return error_set(err, ERR_INTERRUPTED, "interrupted during cross validation");
	if (observer && observer->fold_trained)
		observer->fold_trained(observer->arg, &m->solution, m->pairs);
	if (model_from_solution(&m->model, t.training, &m->solution, &m->data.x, err) < 0)
		return -1;
	return predictor_init(&m->predictor, &m->model, err);
}

/* From the decision values of a row, the constants still in them. */
static double answer_row(const struct validation *v, const struct predictor *p, double *values,
			 double *probability, struct predictor_scratch *scratch)
{
	for (int64_t q = 0; q < p->n_values; q++)
		values[q] -= p->model->solution.rho[q];
	if (v->fold.for_probabilities)
		return values[0]; /* +1 is the first class */
	if (p->kind == PREDICTS_CLASS && p->has_probabilities)
		return predictor_probabilities(p, values, probability, scratch);
	return predictor_decide(p, values, scratch);
}

static int answer_rows(const struct validation *v, const struct predictor *p, const int64_t *row,
		       int64_t n, struct error *err)
{
	int64_t block = int64_min(n, BLOCK_ROWS);
	struct predictor_scratch scratch = { 0 };
	double *values = mem_array(block * p->n_values, sizeof(*values), err);
	double *probability = mem_array(p->n_class, sizeof(*probability), err);
	int ret = -1;

	if (!values || !probability || predictor_scratch_init(&scratch, p, err) < 0)
		goto out;
	for (; n > 0; row += block, n -= block) {
		block = int64_min(n, BLOCK_ROWS);
		if (expansion_evaluate_rows(&p->expansion, &v->t->data->x, row, block, values,
					    v->t->options->n_threads, err) < 0)
			goto out;
		for (int64_t i = 0; i < block; i++)
			v->answer[row[i]] =
				answer_row(v, p, values + i * p->n_values, probability, &scratch);
	}
	ret = 0;
out:
	predictor_scratch_free(&scratch);
	free(probability);
	free(values);
	return ret;
}

static int validate_fold(struct validation *v, int64_t fold, struct error *err)
{
	const int64_t *row = v->folds->row + v->folds->start[fold];
	int64_t n = v->folds->start[fold + 1] - v->folds->start[fold];
	struct fold_model m = { 0 };
	double answer;
	int ret = -1;

	v->fold.number = fold + 1;
	if (gather_outside(v, fold, &m, err) < 0)
		goto out;
	if (is_foregone(v, &m, &answer))
		for (int64_t i = 0; i < n; i++)
			v->answer[row[i]] = answer;
	else if (train_outside(v, &m, err) < 0 || answer_rows(v, &m.predictor, row, n, err) < 0)
		goto out;
	ret = 0;
out:
	fold_model_free(&m);
	return ret;
}

/* All folds; releases them. */
static int validate(struct validation *v, struct folds *folds, struct error *err)
{
	int ret = 0;

	v->folds = folds;
	v->fold.n_folds = folds->n;
	for (int64_t i = 0; i < folds->n && ret == 0; i++)
		ret = validate_fold(v, i, err);
	folds_free(folds);
	return ret;
}

/* A trainer for the folds within a training. */
struct inner_trainer {
	struct trainer t;
	struct training training;
	struct trainer_observer pairs;
};

static void inner_trainer_init(struct inner_trainer *inner, const struct trainer *t)
{
	inner->t = *t;
	inner->training = *t->training;
	inner->training.probability = 0;
	inner->t.training = &inner->training;
	if (t->pairs) {
		inner->pairs = *t->pairs;
		inner->pairs.pair_started = NULL; /* fold_started() tells more */
		inner->t.pairs = &inner->pairs;
	}
}

/* Classes a and b as a data set, first all of a, with +1, then all of b, with -1. */
static int gather_pair(struct dataset *pair, const struct dataset *d, const struct classes *c,
		       int a, int b, struct error *err)
{
	int64_t n_a = c->start[a + 1] - c->start[a], n_b = c->start[b + 1] - c->start[b];
	int64_t *row = mem_array(n_a + n_b, sizeof(*row), err);
	int ret = -1;

	if (!row)
		return -1;
	memcpy(row, c->row + c->start[a], (size_t)n_a * sizeof(*row));
	memcpy(row + n_a, c->row + c->start[b], (size_t)n_b * sizeof(*row));
	if (dataset_gather(pair, d, row, n_a + n_b, err) == 0) {
		for (int64_t i = 0; i < n_a + n_b; i++)
			pair->y[i] = i < n_a ? 1 : -1;
		ret = 0;
	}
	free(row);
	return ret;
}

static int calibrate_pair(const struct trainer *t, const struct classes *c, int a, int b,
			  const struct validation_observer *observer, struct sigmoid *s,
			  struct error *err)
{
	const struct class_weight weight[] = { { 1, classes_c(t->training, c->label[a]) },
					       { -1, classes_c(t->training, c->label[b]) } };
	struct inner_trainer inner = { 0 };
	struct validation v = { .t = &inner.t,
				.observer = observer,
				.fold = { .for_probabilities = true,
					  .label_a = c->label[a],
					  .label_b = c->label[b] } };
	struct dataset pair = { 0 };
	struct folds folds;
	enum sigmoid_end end;
	int ret = -1;

	inner_trainer_init(&inner, t);
	inner.t.data = &pair;
	inner.training.C = 1;
	inner.training.n_weights = 2;
	inner.training.weight = weight;
	if (gather_pair(&pair, t->data, c, a, b, err) < 0)
		goto out;
	v.answer = mem_array(pair.x.n_rows, sizeof(*v.answer), err);
	if (!v.answer || folds_random(&folds, pair.x.n_rows, INNER_FOLDS, err) < 0 ||
	    validate(&v, &folds, err) < 0)
		goto out;
	end = sigmoid_fit(v.answer, pair.y, pair.x.n_rows, s);
	if (observer && observer->sigmoid_fitted)
		observer->sigmoid_fitted(observer->arg, end);
	ret = 0;
out:
	free(v.answer);
	dataset_free(&pair);
	return ret;
}

static int calibrate_classes(const struct trainer *t, const struct classes *c,
			     const struct validation_observer *observer, double *prob_a,
			     double *prob_b, struct error *err)
{
	for (int a = 0; a < c->n; a++)
		for (int b = a + 1; b < c->n; b++) {
			struct sigmoid s;

			if (calibrate_pair(t, c, a, b, observer, &s, err) < 0)
				return -1;
			*prob_a++ = s.a;
			*prob_b++ = s.b;
		}
	return 0;
}

/* The mean of |y - predicted|, of those up to 'limit'. */
static double mean_error(const double *y, const double *predicted, int64_t n, double limit)
{
	int64_t n_within = 0;
	double sum = 0;

	for (int64_t i = 0; i < n; i++) {
		double distance = fabs(y[i] - predicted[i]);

		if (distance > limit)
			continue;
		sum += distance;
		n_within++;
	}
	return sum / (double)n_within;
}

static int calibrate_regression(const struct trainer *t, const struct validation_observer *observer,
				double *sigma, struct error *err)
{
	int64_t n = t->data->x.n_rows;
	struct inner_trainer inner = { 0 };
	struct validation v = { .t = &inner.t,
				.observer = observer,
				.fold = { .for_probabilities = true } };
	struct folds folds;
	int ret = -1;

	inner_trainer_init(&inner, t);
	v.answer = mem_array(n, sizeof(*v.answer), err);
	if (!v.answer || folds_random(&folds, n, int64_min(n, INNER_FOLDS), err) < 0 ||
	    validate(&v, &folds, err) < 0)
		goto out;
	/* of a Laplace distribution sqrt(2) sigma is the standard deviation */
	*sigma = mean_error(t->data->y, v.answer, n, INFINITY);
	*sigma = mean_error(t->data->y, v.answer, n, 5 * sqrt(2) * *sigma);
	if (observer && observer->scale_fitted)
		observer->scale_fitted(observer->arg, *sigma);
	ret = 0;
out:
	free(v.answer);
	return ret;
}

/* Before the machine itself is trained, as svm-train has it. */
static int calibrate(const struct trainer *t, const struct classes *classes,
		     const struct validation_observer *observer, double **prob_a, double **prob_b,
		     struct error *err)
{
	*prob_a = mem_array(classes ? solution_n_pairs(classes->n) : 1, sizeof(double), err);
	if (!*prob_a)
		return -1;
	if (!classes)
		return calibrate_regression(t, observer, *prob_a, err);
	*prob_b = mem_array(solution_n_pairs(classes->n), sizeof(double), err);
	return *prob_b ? calibrate_classes(t, classes, observer, *prob_a, *prob_b, err) : -1;
}

int train_calibrated(const struct trainer *t, const struct classes *classes,
		     const struct validation_observer *observer, struct solution *s,
		     struct pair_result *pairs, struct error *err)
{
	double *prob_a = NULL, *prob_b = NULL;

	if ((t->training->probability &&
	     calibrate(t, classes, observer, &prob_a, &prob_b, err) < 0) ||
	    trainer_run(t, classes, s, pairs, err) < 0) {
		free(prob_a);
		free(prob_b);
		return -1;
	}
	s->prob_a = prob_a;
	s->prob_b = prob_b;
	return 0;
}

int cross_validate(const struct trainer *t, int64_t n_folds,
		   const struct validation_observer *observer, double *predicted, struct error *err)
{
	struct validation v = { .t = t, .observer = observer, .answer = predicted };
	int64_t n = t->data->x.n_rows;
	struct folds folds;

	if (folds_of_svm_train(&folds, t->data, int64_min(n_folds, n),
			       machine_classifies(t->training->type), err) < 0)
		return -1;
	return validate(&v, &folds, err);
}
