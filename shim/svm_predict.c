/*
 * svm_predict.c - LIBSVM's predictions of one row
 *
 * By the fields of the model as they are at the call, whoever filled or edited them; the model is
 * only read, so that any number of threads may predict.  Decision values are those of svm-eval, and
 * by them predict.h decides.  Where the model or the row cannot be used the print function is told
 * why, and the prediction is NAN.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/kernel_tile.h"
#include "model/predict.h"
#include "node_kernel.h"
#include "print_string.h"
#include "public_model.h"

/* Sums of all pairs, class by class: pair (a, b) sums over class a first, then over class b. */
struct pair_sums {
	const struct svm_model *model;
	double *sum; /* decision value of each pair, in the order (0,1), (0,2), ..., (1,2), ... */
};

/* Number of the pair of two classes. */
static int64_t pair_of(int64_t n_class, int64_t a, int64_t b)
{
	return a < b ? a * n_class - a * (a + 1) / 2 + b - a - 1 : pair_of(n_class, b, a);
}

/* Add vectors first .. first + n - 1, all of class 'own', to the sums of its pairs. */
static void add_block(const struct pair_sums *s, int own, int first, int n, const double *value)
{
	const int n_class = s->model->nr_class;

	for (int other = 0; other < n_class; other++) {
		const double *coef;
		double *sum;

		if (other == own)
			continue;
		coef = s->model->sv_coef[solution_slot(own, other)] + first;
		sum = s->sum + pair_of(n_class, own, other);
		for (int j = 0; j < n; j++)
			*sum += coef[j] * value[j];
	}
}

/* Decision values of the row, less rho. */
static void sum_pairs(const struct pair_sums *s, const struct node_kernel *row)
{
	double value[NODE_KERNEL_BLOCK] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));
	const struct svm_model *m = s->model;
	const bool classifies = machine_classifies((enum machine_type)m->param.svm_type);
	const int64_t n_pairs = solution_n_pairs(m->nr_class);
	int first = 0;

	memset(s->sum, 0, (size_t)n_pairs * sizeof(*s->sum));
	for (int c = 0; c < m->nr_class; c++) {
		/* without classes all vectors are of the first */
		int end = first + (classifies ? m->nSV[c] : c == 0 ? m->l : 0);

		for (int n; first < end; first += n) {
			n = end - first < NODE_KERNEL_BLOCK ? end - first : NODE_KERNEL_BLOCK;
			node_kernel_values(row, m->SV + first, n, value);
			add_block(s, c, first, n, value);
		}
	}
	for (int64_t p = 0; p < n_pairs; p++)
		s->sum[p] -= m->rho[p];
}

/* What predict.h decides by; borrows the arrays of the model. */
static struct model view_of(const struct svm_model *m)
{
	return (struct model){ .type = (enum machine_type)m->param.svm_type,
			       .solution = { .n_class = m->nr_class,
					     .label = m->label,
					     .rho = m->rho,
					     .prob_a = m->probA,
					     .prob_b = m->probB,
#if SVM_HAS_DENSITY_MARKS
					     .density_marks = m->prob_density_marks,
					     .n_density_marks = SVM_DENSITY_MARKS
#endif
			       } };
}

/* A prediction: a row, a model, and what is wanted. */
struct prediction {
	const struct svm_model *model;
	const struct svm_node *x;
	double *values;	     /* decision values; NULL: not wanted */
	double *probability; /* probabilities of the classes; NULL: not wanted */
};

static double decide(const struct prediction *p, const double *values, const struct predictor *by,
		     struct error *err)
{
	struct predictor_scratch scratch;
	double predicted = NAN;

	if (predictor_scratch_init(&scratch, by, err) < 0)
		return NAN;
	predicted = by->has_probabilities ?
			    predictor_probabilities(by, values, p->probability, &scratch) :
			    predictor_decide(by, values, &scratch);
	predictor_scratch_free(&scratch);
	return predicted;
}

static double predict(const struct prediction *p, struct error *err)
{
	const char *fault = p->model ? public_model_fault(p->model) : "no model";
	const int64_t n_pairs = fault ? 0 : solution_n_pairs(p->model->nr_class);
	struct pair_sums s = { p->model, p->values };
	struct node_kernel row;
	struct kernel kernel;
	double predicted = NAN;

	if (fault) {
		error_set(err, ERR_ARGUMENT, "%s", fault);
		return NAN;
	}
	kernel = public_model_kernel(&p->model->param);
	if (!s.sum)
		s.sum = mem_array(n_pairs, sizeof(*s.sum), err);
	if (s.sum && node_kernel_init(&row, &kernel, p->x, p->model->l, err) == 0) {
		const struct model view = view_of(p->model);
		struct predictor by;

		sum_pairs(&s, &row);
		predictor_of_values(&by, &view);
		by.has_probabilities &= p->probability != NULL && by.kind != PREDICTS_VALUE;
		predicted = decide(p, s.sum, &by, err);
		node_kernel_free(&row);
	}
	if (s.sum != p->values)
		mem_free(s.sum);
	return predicted;
}

/* The prediction; an error is told in the name of the function of LIBSVM. */
static double predict_for(const char *function, struct prediction p)
{
	struct error err = { 0 };
	double predicted = predict(&p, &err);

	if (err.code != ERR_NONE)
		print_string_error(function, &err);
	return predicted;
}

double svm_predict(const struct svm_model *model, const struct svm_node *x)
{
	return predict_for(__func__, (struct prediction){ model, x, NULL, NULL });
}

double svm_predict_values(const struct svm_model *model, const struct svm_node *x,
			  double *dec_values)
{
	return predict_for(__func__, (struct prediction){ model, x, dec_values, NULL });
}

double svm_predict_probability(const struct svm_model *model, const struct svm_node *x,
			       double *prob_estimates)
{
	return predict_for(__func__, (struct prediction){ model, x, NULL, prob_estimates });
}
