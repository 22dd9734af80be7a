/*
 * svm_predict.c - LIBSVM's predictions of one row
 *
 * Each function prepares the model at its first call (prepared.h), has the row's decision values
 * computed as svm-eval does, and decides by them.  Where the model or the row cannot be used the
 * print function is told why, and the prediction is NAN.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "prepared.h"
#include "print_string.h"

/* One prediction: what is wanted, and what it is made by. */
struct prediction {
	const struct predictor *predictor;
	struct predictor_scratch *scratch;
	const double *values; /* decision values of the row */
	double *wanted;	      /* array of the caller for decision values or probabilities */
};

static double decide(const struct prediction *p)
{
	return predictor_decide(p->predictor, p->values, p->scratch);
}

static double give_values(const struct prediction *p)
{
	if (p->predictor->n_values > 0)
		memcpy(p->wanted, p->values, (size_t)p->predictor->n_values * sizeof(*p->wanted));
	return decide(p);
}

static double give_probabilities(const struct prediction *p)
{
	if (!p->predictor->has_probabilities || p->predictor->kind == PREDICTS_VALUE)
		return decide(p);
	return predictor_probabilities(p->predictor, p->values, p->wanted, p->scratch);
}

/* Decision values of a row, and what 'finish' makes of them. */
static double predict(const char *function, const struct svm_model *model, const struct svm_node *x,
		      double (*finish)(const struct prediction *p), double *wanted)
{
	struct prediction_scratch *s = NULL;
	struct prepared *p = NULL;
	struct error err = { 0 };
	double predicted = NAN;

	if (!model)
		error_set(&err, ERR_ARGUMENT, "no model");
	else
		p = prepared_take(model, &s, &err);
	if (p && node_row_read(&s->row, x, p->form, &err) == 0) {
		const struct csr_row row = s->row.row;
		const int64_t row_start[] = { 0, row.n };
		const struct row_view view = { 1, NULL, row_start, row.col, row.val };

		predictor_values(&p->predictor, &view, s->values, &s->predictor);
		predicted = finish(
			&(struct prediction){ &p->predictor, &s->predictor, s->values, wanted });
	}
	if (p)
		prepared_give(p, s);
	if (err.code != ERR_NONE)
		print_string_error(function, &err);
	return predicted;
}

double svm_predict(const struct svm_model *model, const struct svm_node *x)
{
	return predict("svm_predict", model, x, decide, NULL);
}

double svm_predict_values(const struct svm_model *model, const struct svm_node *x,
			  double *dec_values)
{
	return predict("svm_predict_values", model, x, dec_values ? give_values : decide,
		       dec_values);
}

double svm_predict_probability(const struct svm_model *model, const struct svm_node *x,
			       double *prob_estimates)
{
	return predict("svm_predict_probability", model, x,
		       prob_estimates ? give_probabilities : decide, prob_estimates);
}
