/*
 * predict.c - decision values, predictions and probabilities of examples by a model
 *
 * How this works.  Two kinds of models and three kinds of predictions become one: decision values,
 * then a decision.
 *
 *                      decision values                          class
 *     LIBSVM, k classes   one for each of k (k - 1) / 2 pairs   most votes: value > 0 is a vote for
 *                                                               the first of the pair, else the
 *                                                               second
 *     LIBLINEAR, 2        one                                   value > 0: the first
 *     LIBLINEAR, k        one for each class                    the largest
 *     regression          one                                   the value itself
 *     one-class           one                                   +1 if it is > 0, else -1
 *
 * Ties go to the class that comes first, and a value of exactly 0 against the first of its pair:
 * so svm-predict and liblinear-predict have it, and so do all comparisons here.
 *
 * Probabilities of k classes come from one estimate for each pair,
 *
 *     r_ab = 1 / (1 + exp(A_ab f_ab + B_ab)) = P(a | a or b)                    (1)
 *
 * kept off 0 and 1, which probability.c couples.  Logistic models of LIBLINEAR have the sigmoid
 * of each value itself (2); for more than two classes, trained one against the rest, these do not
 * sum to 1 and are divided by their sum.
 *
 * Other models of each class against the rest may have a sigmoid r_c of each value f_c, with A and B
 * as in (1), which speaks of c and of what is not c.  Were the values independent of each other within
 * and outside of each class, Bayes' rule would make of them, for classes of one size,
 *
 *     p_c = o_c / sum_k o_k,   o_c = r_c / (1 - r_c) = exp(-(A_c f_c + B_c))              (3)
 *
 * Measured on test sets of letter, usps, satimage, dna and 20news, Brier scores are lower by these than
 * by r_c / sum_k r_k, by 3 to 15 %, and calibration errors by 3 to 66 %; there is no case of a sum of 0.
 *
 * A feature that a linear model does not know has no weight.  With other kernels it takes part:
 * the distance of the RBF kernel grows with it, as in svm-predict.
 *
 * Data flow for a batch of n rows, with v values a row:
 *
 *      rows --predictor_values()--> values [n][v] --predictor_decide()---------> label or value
 *                                              `---predictor_probabilities()--> probabilities
 *
 * A predictor is made once for a model and only read afterwards: threads may share it, each with a
 * predictor_scratch of its own (votes, pairwise estimates and the expansion's tile).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/predict.h"

#include "model/probability.h"

void predictor_of_values(struct predictor *p, const struct model *model)
{
	const struct linear_model *linear = &model->linear;
	const struct solution *s = &model->solution;

	*p = (struct predictor){ .model = model };
	if (model->is_linear_model) {
		p->kind = linear->regression ? PREDICTS_VALUE :
			  linear->one_class  ? PREDICTS_SIDE :
					       PREDICTS_CLASS;
		p->n_class = linear->n_class;
		p->label = linear->label;
		p->n_values = linear->n_columns;
		p->has_probabilities = linear->logistic || linear->prob_a;
		return;
	}
	p->n_class = s->n_class;
	p->n_values = solution_n_pairs(s->n_class);
	p->kind = prediction_kind_of(model->type);
	p->label = p->kind == PREDICTS_CLASS ? s->label : NULL;
	p->has_probabilities = p->kind == PREDICTS_CLASS ? s->prob_a && s->prob_b :
			       p->kind == PREDICTS_SIDE	 ? s->density_marks != NULL :
							   s->prob_a != NULL;
}

int predictor_init(struct predictor *p, const struct model *model, struct error *err)
{
	const struct solution *s = &model->solution;

	predictor_of_values(p, model);
	if (model->is_linear_model)
		return 0;
	return expansion_init(&p->expansion, &model->kernel, solution_vectors(s, &model->sv), err);
}

void predictor_free(struct predictor *p)
{
	expansion_free(&p->expansion);
	*p = (struct predictor){ 0 };
}

void predictor_scratch_free(struct predictor_scratch *s)
{
	expansion_scratch_free(&s->expansion);
	mem_free_all(s->votes, s->pairwise, s->work);
	*s = (struct predictor_scratch){ 0 };
}

int predictor_scratch_init(struct predictor_scratch *s, const struct predictor *p,
			   struct error *err)
{
	int64_t n = p->n_class;

	*s = (struct predictor_scratch){ 0 };
	s->votes = mem_array(n, sizeof(*s->votes), err);
	if (p->has_probabilities) {
		s->pairwise = mem_array(n * n, sizeof(double), err);
		s->work = mem_array(n * (n + 1), sizeof(double), err);
	}
	if (err->code == ERR_NONE && !p->model->is_linear_model)
		expansion_scratch_init(&s->expansion, &p->expansion, err);
	if (err->code == ERR_NONE)
		return 0;
	predictor_scratch_free(s); /* some of the allocations succeeded */
	return -1;
}

/* values[i][v] = x_i'w_v, with the bias, less rho for the one-class machine */
static void linear_values(const struct linear_model *m, const struct row_view *rows, double *values)
{
	int n = m->n_columns;

	memset(values, 0, (size_t)(rows->n_rows * n) * sizeof(double));
	for (int64_t i = 0; i < rows->n_rows; i++, values += n) {
		const int64_t *start = rows->row_start + (rows->row ? rows->row[i] : i);

		for (int64_t k = start[0]; k < start[1]; k++) {
			int64_t feature = rows->col[k];

			if (feature < 1 || feature > m->n_features)
				continue; /* the model has no weight of this feature */
			for (int v = 0; v < n; v++)
				values[v] += m->w[(feature - 1) * n + v] * rows->val[k];
		}
		/* bias after the features, as in liblinear-predict, for equal last digits */
		for (int v = 0; v < n && m->bias >= 0; v++)
			values[v] += m->w[m->n_features * n + v] * m->bias;
		for (int v = 0; v < n && m->one_class; v++)
			values[v] -= m->rho;
	}
}

/* Values of a linear model; of others, the constants off sums that are there and lack only these. */
static void finish_values(const struct predictor *p, const struct row_view *rows, double *values)
{
	const double *rho = p->model->solution.rho;

	if (p->model->is_linear_model) {
		linear_values(&p->model->linear, rows, values);
		return;
	}
	for (int64_t i = 0; i < rows->n_rows; i++, values += p->n_values)
		for (int64_t v = 0; v < p->n_values; v++)
			values[v] -= rho[v];
}

void predictor_values(const struct predictor *p, const struct row_view *rows, double *values,
		      struct predictor_scratch *scratch)
{
	if (!p->model->is_linear_model)
		expansion_evaluate(&p->expansion, rows, values, &scratch->expansion);
	finish_values(p, rows, values);
}

int predictor_values_on(const struct predictor *p, const struct row_view *rows, double *values,
			int n_threads, struct error *err)
{
	if (!p->model->is_linear_model &&
	    expansion_evaluate_rows(&p->expansion, *rows, values, n_threads, err) < 0)
		return -1;
	finish_values(p, rows, values);
	return 0;
}

/* The number of the largest of n values; of equal ones the first, as in svm-predict. */
static int first_largest(const double *x, int n)
{
	int best = 0;

	for (int c = 1; c < n; c++)
		if (x[c] > x[best])
			best = c;
	return best;
}

int predictor_winner(const struct predictor *p, const double *values, int *votes)
{
	int best = 0;

	memset(votes, 0, (size_t)p->n_class * sizeof(*votes));
	for (int a = 0; a < p->n_class; a++)
		for (int b = a + 1; b < p->n_class; b++)
			votes[*values++ > 0 ? a : b]++;
	for (int c = 1; c < p->n_class; c++)
		if (votes[c] > votes[best])
			best = c;
	return best;
}

double predictor_decide(const struct predictor *p, const double *values,
			struct predictor_scratch *scratch)
{
	if (p->kind == PREDICTS_VALUE)
		return values[0];
	if (p->kind == PREDICTS_SIDE)
		return values[0] > 0 ? 1 : -1;
	if (!p->model->is_linear_model)
		return p->label[predictor_winner(p, values, scratch->votes)];
	if (p->n_values < p->n_class)
		return p->label[values[0] > 0 ? 0 : 1];
	return p->label[first_largest(values, p->n_class)];
}

/* (2): the sigmoid of each value; two classes share one value, more are made to sum to 1 */
static void logistic_probabilities(const struct predictor *p, const double *values,
				   double *probability)
{
	double sum = 0;

	for (int64_t v = 0; v < p->n_values; v++)
		sum += probability[v] = probability_sigmoid(values[v], -1, 0);
	if (p->n_values < p->n_class)
		probability[1] = 1 - probability[0];
	for (int64_t v = 0; v < p->n_values && p->n_values == p->n_class; v++)
		probability[v] /= sum;
}

/* (3); of two classes that share a value the second has odds of 1, which makes p that of (1) */
static void rest_probabilities(const struct predictor *p, const double *values, double *probability)
{
	const struct linear_model *l = &p->model->linear;
	double largest = -INFINITY, sum = 0;

	if (p->n_values < p->n_class)
		probability[1] = 0;
	for (int64_t v = 0; v < p->n_values; v++)
		probability[v] = -(values[v] * l->prob_a[v] + l->prob_b[v]);
	for (int c = 0; c < p->n_class; c++)
		largest = fmax(largest, probability[c]);
	for (int c = 0; c < p->n_class; c++)
		sum += probability[c] = exp(probability[c] - largest);
	for (int c = 0; c < p->n_class; c++)
		probability[c] /= sum;
}

/* (1) of all pairs, coupled */
static void coupled_probabilities(const struct predictor *p, const double *values,
				  double *probability, struct predictor_scratch *scratch)
{
	const struct solution *s = &p->model->solution;
	int n = p->n_class;
	int64_t v = 0;

	for (int a = 0; a < n; a++)
		for (int b = a + 1; b < n; b++, v++) {
			double r = probability_clip(
				probability_sigmoid(values[v], s->prob_a[v], s->prob_b[v]));

			scratch->pairwise[a * n + b] = r;
			scratch->pairwise[b * n + a] = 1 - r;
		}
	probability_couple(n, scratch->pairwise, probability, scratch->work);
}

double predictor_probabilities(const struct predictor *p, const double *values, double *probability,
			       struct predictor_scratch *scratch)
{
	const struct solution *s = &p->model->solution;

	if (p->kind == PREDICTS_SIDE) {
		probability[0] =
			probability_density(s->density_marks, s->n_density_marks, values[0]);
		probability[1] = 1 - probability[0];
		return predictor_decide(p, values, scratch);
	}
	if (p->model->is_linear_model && p->model->linear.logistic) {
		logistic_probabilities(p, values, probability);
		return predictor_decide(p, values, scratch);
	}
	if (p->model->is_linear_model)
		rest_probabilities(p, values, probability);
	else
		coupled_probabilities(p, values, probability, scratch);
	/* not by votes: svm-predict -b 1 goes by probability */
	return p->label[first_largest(probability, p->n_class)];
}

void prediction_scores(const struct predictor *p, bool by_class, const double *values,
		       double *score)
{
	const int n = p->n_class;
	const bool pairs = !by_class || p->n_values == 1;

	for (int c = 0; c < n; c++)
		score[c] = pairs ? NAN : values[c] - (n == 2 ? values[1 - c] : 0);
	for (int a = 0; a < n && pairs; a++) {
		for (int b = a + 1; b < n; b++, values++) {
			if (isnan(*values))
				continue;
			score[a] = (isnan(score[a]) ? 0 : score[a]) + *values;
			score[b] = (isnan(score[b]) ? 0 : score[b]) - *values;
		}
	}
}
