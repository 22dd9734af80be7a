/*
 * svm_predict.c - LIBSVM's predictions of one row
 *
 * By the fields of the model as they are at the call, whoever filled or edited them; the model is
 * only read, so that any number of threads may predict.  Decision values are those of svm-eval, and
 * by them predict.h decides.  Where the model or the row cannot be used standard error says why,
 * and the prediction is NAN.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/kernel_tile.h"
#include "model/predict.h"
#include "node_kernel.h"
#include "host.h"
#include "print_string.h"
#include "public_model.h"

/* Add vectors first .. first + n - 1, all of class 'own', to the sums of its pairs. */
static void add_values(const struct svm_model *m, int own, int first, int n, const double *value,
		       double *sums)
{
	for (int other = 0; other < m->nr_class; other++) {
		const double *coef;
		double sum;

		if (other == own)
			continue;
		coef = m->sv_coef[solution_slot(own, other)] + first;
		sum = sums[expansion_pair(m->nr_class, own, other)];
		for (int j = 0; j < n; j++)
			sum += coef[j] * value[j];
		sums[expansion_pair(m->nr_class, own, other)] = sum;
	}
}

/*
 * Decision values of the row: pair (a, b) sums over class a first, then over class b, and is less
 * rho.  A block of vectors may have several classes.
 */
static void sum_pairs(const struct svm_model *m, const struct node_kernel *row, double *sums)
{
	double value[NODE_KERNEL_BLOCK] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));
	const bool classifies = machine_classifies((enum machine_type)m->param.svm_type);
	const int64_t n_pairs = solution_n_pairs(m->nr_class);
	/* without classes all vectors are of the first */
	int class = 0, end = classifies ? m->nSV[0] : m->l;

	for (int64_t p = 0; p < n_pairs; p++)
		sums[p] = 0;
	for (int first = 0, last, n; first < m->l; first = last) {
		last = m->l - first < NODE_KERNEL_BLOCK ? m->l : first + NODE_KERNEL_BLOCK;
		node_kernel_values(row, m->SV + first, last - first, value);
		for (int v = first; v < last; v += n) {
			while (v == end)
				end += m->nSV[++class];
			n = (last < end ? last : end) - v;
			add_values(m, class, v, n, value + (v - first), sums);
		}
	}
	for (int64_t p = 0; p < n_pairs; p++)
		sums[p] -= m->rho[p];
}

/* A prediction: a row, a model, and what is wanted. */
struct prediction {
	const struct svm_model *model;
	const struct svm_node *x;
	double *values;	     /* decision values; NULL: not wanted */
	double *probability; /* probabilities of the classes; NULL: not wanted */
};

/* Doubles of a small model's work, which memory need not be taken for. */
enum { SMALL_WORK = 256 };

/*
 * Doubles for decision values, then votes, and for probabilities of n classes their pairs and what
 * predict.h works in.
 */
static int64_t work_size(int64_t n, bool with_probabilities)
{
	return solution_n_pairs((int)n) + n + (with_probabilities ? n * n + n * (n + 1) : 0);
}

static double decide(const struct prediction *p, const struct node_kernel *row,
		     const struct predictor *by, double *work)
{
	const int64_t n = by->n_class;
	double *votes = work + by->n_values;
	struct predictor_scratch scratch; /* three arrays of it are used */

	scratch.votes = (int *)votes;
	scratch.pairwise = votes + n;
	scratch.work = votes + n + n * n;
	sum_pairs(p->model, row, work);
	if (p->values)
		memcpy(p->values, work, (size_t)by->n_values * sizeof(*work));
	return by->has_probabilities ? predictor_probabilities(by, work, p->probability, &scratch) :
				       predictor_decide(by, work, &scratch);
}

static double predict(const struct prediction *p, struct error *err)
{
	const char *fault = p->model ? public_model_fault(p->model) : "no model";
	double small[SMALL_WORK], *work = small, predicted = NAN;
	struct predictor by;
	struct model view;
	struct node_kernel row;
	int64_t size;

	if (fault) {
		error_set(err, ERR_ARGUMENT, "%s", fault);
		return NAN;
	}
	public_model_view(&view, p->model);
	predictor_of_values(&by, &view);
	by.has_probabilities &= p->probability && by.kind != PREDICTS_VALUE;
	size = work_size(by.n_class, by.has_probabilities);
	if (size > SMALL_WORK)
		work = mem_array(size, sizeof(*work), err);
	if (work && node_kernel_init(&row, &view.kernel, p->x, p->model, err) == 0) {
		predicted = decide(p, &row, &by, work);
		node_kernel_free(&row);
	}
	if (work != small)
		mem_free(work);
	return predicted;
}

/* The prediction; an error is told in the name of the function of LIBSVM. */
static double predict_for(const char *function, struct prediction p)
{
	struct error err; /* only its code is cleared: the text is 1 KB */
	double predicted;

	err.code = ERR_NONE;
	predicted = predict(&p, &err);
	if (err.code != ERR_NONE)
		print_string_error(function, &err);
	return predicted;
}

double svm_predict(const struct svm_model *model, const struct svm_node *x)
{
	FOR_HOST(svm_predict, (model, x));
	return predict_for(__func__, (struct prediction){ model, x, NULL, NULL });
}

double svm_predict_values(const struct svm_model *model, const struct svm_node *x,
			  double *dec_values)
{
	FOR_HOST(svm_predict_values, (model, x, dec_values));
	return predict_for(__func__, (struct prediction){ model, x, dec_values, NULL });
}

double svm_predict_probability(const struct svm_model *model, const struct svm_node *x,
			       double *prob_estimates)
{
	FOR_HOST(svm_predict_probability, (model, x, prob_estimates));
	return predict_for(__func__, (struct prediction){ model, x, NULL, prob_estimates });
}
