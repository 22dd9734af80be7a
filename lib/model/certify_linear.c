/*
 * certify_linear.c - LIBLINEAR's part of certify.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/certify_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solve/classes.h"

static const struct {
	const char *name;
	bool squared;
} losses[] = {
	{ "L2R_L1LOSS_SVC_DUAL", false }, { "L2R_L2LOSS_SVC_DUAL", true }, { "L2R_L2LOSS_SVC", true },
	{ "L2R_L1LOSS_SVR_DUAL", false }, { "L2R_L2LOSS_SVR_DUAL", true }, { "L2R_L2LOSS_SVR", true },
};

/* One column of w. */
struct linear_work {
	const struct linear_model *m;
	const struct dataset *d;
	int column;
	bool squared;
	double epsilon;
	double c_plus, c_minus;
	int positive;		/* this label is +1, all others -1 */
	double *sum;		/* sum_i beta_i x_i; n_features + 1, the last for the constant */
};

static double weight(const struct linear_work *w, int64_t j)
{
	return w->m->w[j * w->m->n_columns + w->column];
}

/* Files count features from 1; those that the model does not know, and 0, have no weight. */
static bool is_known(const struct linear_work *w, int32_t feature)
{
	return feature >= 1 && feature <= w->m->n_features;
}

static double decision(const struct linear_work *w, int64_t i)
{
	const struct csr *x = &w->d->x;
	double f = w->m->bias >= 0 ? w->m->bias * weight(w, w->m->n_features) : 0;

	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
		if (is_known(w, x->col[k]))
			f += x->val[k] * weight(w, x->col[k] - 1);
	return f;
}

static double target_of(const struct linear_work *w, int64_t i)
{
	if (w->m->regression)
		return w->d->y[i];
	return w->d->y[i] == w->positive ? 1 : -1;
}

/* How far the example is beyond what costs nothing, with the sign of its multiplier. */
static double signed_loss(const struct linear_work *w, double target, double f)
{
	double residual = target - f;

	if (w->m->regression)
		return copysign(fmax(0, fabs(residual) - w->epsilon), residual);
	return target * fmax(0, 1 - target * f);
}

static void add_row(struct linear_work *w, int64_t i, double beta)
{
	const struct csr *x = &w->d->x;

	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
		if (is_known(w, x->col[k]))
			w->sum[x->col[k] - 1] += beta * x->val[k];
	if (w->m->bias >= 0)
		w->sum[w->m->n_features] += beta * w->m->bias;
}

/*
 * LIBLINEAR counts the features of its training data: with more of them these are other data, and
 * |sum| would be larger.
 */
static int check_features(const struct linear_work *w, struct error *err)
{
	if (w->d->max_index > w->m->n_features)
		return error_set(err, ERR_ARGUMENT,
				 "the examples have feature %lld, the model only %lld features",
				 (long long)w->d->max_index, (long long)w->m->n_features);
	return 0;
}

static double sum_of_squares(const double *v, int64_t n)
{
	double sum = 0;

	for (int64_t j = 0; j < n; j++)
		sum += v[j] * v[j];
	return sum;
}

static void certify_column(struct linear_work *w, struct pair_certificate *c)
{
	int64_t n_weights = w->m->n_features + (w->m->bias >= 0);
	double primal = 0, linear = 0, quadratic = 0;

	memset(w->sum, 0, (size_t)(w->m->n_features + 1) * sizeof(double));
	for (int64_t j = 0; j < n_weights; j++)
		primal += weight(w, j) * weight(w, j) / 2;
	for (int64_t i = 0; i < w->d->x.n_rows; i++) {
		double target = target_of(w, i), loss = signed_loss(w, target, decision(w, i));
		double bound = w->m->regression || target > 0 ? w->c_plus : w->c_minus;
		double beta = 2 * bound * loss;

		primal += bound * (w->squared ? loss * loss : fabs(loss));
		linear += target * beta - w->epsilon * fabs(beta);
		quadratic += beta * beta / (2 * bound);
		if (w->squared && beta != 0)
			add_row(w, i, beta);
	}
	quadratic += sum_of_squares(w->sum, w->m->n_features + 1);
	c->certificate.primal = primal;
	/* the best multiple of beta: D(s beta) = s linear - s^2 / 2 quadratic */
	c->certificate.dual = !w->squared ? NAN :
			      quadratic > 0 && linear > 0 ? linear * linear / (2 * quadratic) : 0;
	c->kkt_violation = NAN;
}

static int check_labels(const struct linear_model *m, const struct dataset *d, struct error *err)
{
	for (int64_t i = 0; i < d->x.n_rows && !m->regression; i++) {
		int c = 0;

		while (c < m->n_class && m->label[c] != d->y[i])
			c++;
		if (c == m->n_class)
			return error_set(err, ERR_ARGUMENT, "the model has no class %g", d->y[i]);
	}
	return 0;
}

/* One column tells the first of two classes from the second; else each its class from the rest. */
static void choose_sides(struct linear_work *w, int column, const struct training *t,
			 struct pair_certificate *c)
{
	const struct linear_model *m = w->m;

	w->column = column;
	w->c_plus = w->c_minus = t->C;
	if (m->regression)
		return;
	w->positive = c->label_a = c->label_b = m->label[column];
	w->c_plus = classes_c(t, m->label[column]);
	if (m->n_columns == 1) {
		c->label_b = m->label[1];
		w->c_minus = classes_c(t, m->label[1]);
	}
}

int certify_linear_model(struct model_certificate *c, const struct linear_model *m,
			 const struct dataset *d, const struct training *t, struct error *err)
{
	struct linear_work w = { .m = m, .d = d, .epsilon = m->regression ? t->p : 0 };
	size_t kind = 0;

	while (kind < sizeof(losses) / sizeof(*losses) &&
	       strcmp(m->solver_type, losses[kind].name) != 0)
		kind++;
	if (kind == sizeof(losses) / sizeof(*losses))
		return error_set(err, ERR_ARGUMENT,
				 "models of %s cannot be certified, only LIBLINEAR's -s 1, 2, 3, 11, 12 "
				 "and 13", m->solver_type);
	w.squared = losses[kind].squared;
	if (check_features(&w, err) < 0 || check_labels(m, d, err) < 0)
		return -1;
	c->n_pairs = m->n_columns;
	c->pair = mem_zeroed(c->n_pairs, sizeof(*c->pair), err);
	w.sum = mem_array(m->n_features + 1, sizeof(double), err);
	for (int v = 0; v < m->n_columns && c->pair && w.sum; v++) {
		choose_sides(&w, v, t, &c->pair[v]);
		certify_column(&w, &c->pair[v]);
	}
	free(w.sum);
	return c->pair && err->code == ERR_NONE ? 0 : -1;
}
