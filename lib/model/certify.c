/*
 * certify.c - how near a model is to the optimum of its training problem, whoever trained it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/certify_linear.h"
#include "model/margin.h"
#include "model/predict.h"
#include "model/sv_rows.h"
#include "solve/classes.h"
#include "solve/decision.h"

/* Nearer to a bound, in C, a multiplier is at it: files are written with 16 digits or more. */
#define AT_BOUND 1e-9

/* A violation of more than so many eps is not what training leaves. */
#define BEYOND 10

struct work {
	struct model_certificate *c;
	const struct model *m;
	const struct dataset *d;
	const struct training *t;
	int n_threads;
	struct classes classes;
	int64_t *sv_row;	/* n_sv */
	int64_t *sv_start;	/* n_class + 1 */
	int64_t *position;	/* of each row in the pair's problem */
	double *value;		/* [n_rows][n_pairs] from the model itself; where vectors are missing */
	double *norm2;		/* n_pairs; likewise */
};

void model_certificate_free(struct model_certificate *c)
{
	free(c->pair);
	*c = (struct model_certificate){ 0 };
}

bool certify_feasible(const struct pair_certificate *p)
{
	return p->excess <= CERTIFY_ROUNDING && p->imbalance <= CERTIFY_ROUNDING;
}

bool certify_optimal(const struct pair_certificate *p, double eps)
{
	double gap = certificate_relative_gap(&p->certificate);

	if (isnan(p->kkt_violation))
		return gap <= CERTIFY_LINEAR_GAP;
	return (gap <= CERTIFY_GAP || p->kkt_violation <= BEYOND * eps) && p->n_showing_p == 0;
}

/* The coefficients of class 'own' against 'other' go to the rows of its vectors. */
static void take_coefficients(const struct work *w, int own, int other, double *beta)
{
	const struct solution *s = &w->m->solution;
	const double *coef = s->coef + (other < own ? other : other - 1) * s->n_sv;

	for (int64_t j = w->sv_start[own]; j < w->sv_start[own + 1]; j++)
		beta[w->position[w->sv_row[j]]] = coef[j];
}

static double snapped(const struct problem_view *p, int64_t i, double beta)
{
	double near = AT_BOUND * problem_c(p, i);

	if (fabs(beta - problem_upper(p, i)) <= near)
		return problem_upper(p, i);
	return fabs(beta - problem_lower(p, i)) <= near ? problem_lower(p, i) : beta;
}

/* Bring multipliers to the bounds they are next to, and note how far they keep the constraints. */
static void examine(const struct problem_view *p, double *beta, struct pair_certificate *c)
{
	double sum = 0, sum_abs = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double share = fabs(beta[i]) / problem_c(p, i), excess;

		beta[i] = snapped(p, i, beta[i]);
		excess = fmax(beta[i] - problem_upper(p, i), problem_lower(p, i) - beta[i]);
		c->excess = fmax(c->excess, excess / problem_c(p, i));
		sum += beta[i];
		sum_abs += fabs(beta[i]);
		if (share > c->largest_share * (1 + AT_BOUND)) {
			c->largest_share = share;
			c->n_at_largest = 0;
		}
		c->n_at_largest += share > 0 && share >= c->largest_share * (1 - AT_BOUND);
	}
	c->imbalance = sum_abs > 0 ? fabs(sum) / sum_abs : 0;
}

static double row_violation(const struct problem_view *p, int64_t i, double beta, double f_plus_b)
{
	double g = p->target[i] - f_plus_b, violation = 0;

	/* by how much the objective would grow on the side that beta may move to */
	if (beta < problem_upper(p, i))
		violation = fmax(violation, beta < 0 ? g + p->epsilon : g - p->epsilon);
	if (beta > problem_lower(p, i))
		violation = fmax(violation, beta > 0 ? p->epsilon - g : -g - p->epsilon);
	return violation;
}

/* Of epsilon-SVR: where the free vectors are all together, but not where t->p wants them. */
static void look_for_p(const struct problem_view *p, const double *beta, const double *f, double rho,
		       double eps, struct pair_certificate *c)
{
	double sum = 0, least = INFINITY, most = -INFINITY, off;
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] != 0 && fabs(beta[i]) < problem_c(p, i)) {
			double at = copysign(1, beta[i]) * (p->target[i] - f[i] + rho);

			sum += at;
			least = fmin(least, at);
			most = fmax(most, at);
			n++;
		}
	off = n > 1 ? fabs(sum / (double)n - p->epsilon) : 0;
	if (off > BEYOND * eps && most - least < off / 2) {
		c->n_showing_p = n;
		c->shown_p = fmax(0, sum / (double)n);
	}
}

static int certify_multipliers(const struct work *w, const struct problem_view *p, double *beta,
			       double rho, struct pair_certificate *c, struct error *err)
{
	double *f = mem_array(p->n, sizeof(*f), err);
	int ret = -1;

	examine(p, beta, c);
	if (!f || decision_values(p, beta, 0, f, w->n_threads, err) < 0 ||
	    gap_certify(p, beta, f, rho, w->t->eps, &c->certificate, err) < 0)
		goto out;
	for (int64_t i = 0; i < p->n; i++)
		c->kkt_violation = fmax(c->kkt_violation,
					row_violation(p, i, beta[i], f[i] - rho));
	if (p->type == MACHINE_EPSILON_SVR)
		look_for_p(p, beta, f, rho, w->t->eps, c);
	if (!certify_feasible(c)) {
		c->certificate.dual = NAN;
		c->kkt_violation = NAN;
	}
	ret = 0;
out:
	free(f);
	return ret;
}

/* From the model's own decision values: multipliers of 0 leave gap_certify() the losses alone. */
static int certify_values(const struct work *w, const struct problem_view *p, int64_t v,
			  double *zero, struct pair_certificate *c, struct error *err)
{
	double *f = mem_array(p->n, sizeof(*f), err);
	int ret = -1;

	if (!f)
		return -1;
	for (int64_t i = 0; i < p->n; i++)
		f[i] = w->value[p->row[i] * w->c->n_pairs + v];
	ret = gap_certify(p, zero, f, w->m->solution.rho[v], w->t->eps, &c->certificate, err);
	c->certificate.primal += w->norm2[v] / 2;
	c->certificate.dual = c->kkt_violation = c->excess = c->imbalance = NAN;
	free(f);
	return ret;
}

static int certify_problem(struct work *w, const struct problem_view *p, int a, int b, int64_t v,
			   struct error *err)
{
	double *beta = mem_zeroed(p->n, sizeof(*beta), err);
	struct pair_certificate *c = &w->c->pair[v];
	int ret;

	if (!beta)
		return -1;
	if (w->c->n_missing > 0) {
		ret = certify_values(w, p, v, beta, c, err);
	} else {
		for (int64_t i = 0; i < p->n; i++)
			w->position[p->row[i]] = i;
		take_coefficients(w, a, b, beta);
		take_coefficients(w, b, a, beta);
		ret = certify_multipliers(w, p, beta, w->m->solution.rho[v], c, err);
	}
	free(beta);
	return ret;
}

/* The number in 'classes' of the model's class c. */
static int class_in_data(const struct work *w, int c, struct error *err)
{
	for (int k = 0; k < w->classes.n; k++)
		if (w->classes.label[k] == w->m->solution.label[c])
			return k;
	return error_set(err, ERR_ARGUMENT, "no example has class %d of the model",
			 w->m->solution.label[c]);
}

static int certify_classes(struct work *w, struct error *err)
{
	int n = w->m->solution.n_class;
	int64_t v = 0;

	if (w->classes.n > n)
		return error_set(err, ERR_ARGUMENT, "the examples have %d classes, the model %d",
				 w->classes.n, n);
	for (int a = 0; a < n; a++)
		for (int b = a + 1; b < n; b++, v++) {
			int x = class_in_data(w, a, err), y = class_in_data(w, b, err), ret;
			struct problem p = { 0 };

			if (x < 0 || y < 0 ||
			    classes_pair_problem(&p, &w->classes, x, y, false, w->d, w->t, err) < 0)
				return -1;
			w->c->pair[v].label_a = w->m->solution.label[a];
			w->c->pair[v].label_b = w->m->solution.label[b];
			ret = certify_problem(w, &p.view, a, b, v, err);
			problem_free(&p);
			if (ret < 0)
				return -1;
		}
	return 0;
}

static int certify_regression(struct work *w, struct error *err)
{
	struct problem p = { 0 };
	int ret;

	if (regression_problem(&p, w->d, w->t, err) < 0)
		return -1;
	ret = certify_problem(w, &p.view, 0, 1, 0, err);
	problem_free(&p);
	return ret;
}

/* For models whose multipliers cannot be had: all decision values, and the norms. */
static int evaluate_model(struct work *w, struct error *err)
{
	struct predictor p = { 0 };
	int ret = -1;

	w->value = mem_array(w->d->x.n_rows * w->c->n_pairs, sizeof(double), err);
	w->norm2 = mem_array(w->c->n_pairs, sizeof(double), err);
	if (!w->value || !w->norm2 || predictor_init(&p, w->m, err) < 0)
		return -1;
	if (margin_norms(&p, w->norm2, w->n_threads, err) == 0 &&
	    expansion_evaluate_rows(&p.expansion, &w->d->x, NULL, w->d->x.n_rows, w->value,
				    w->n_threads, err) == 0)
		ret = 0;
	predictor_free(&p);
	return ret;
}

static int prepare(struct work *w, struct error *err)
{
	const struct solution *s = &w->m->solution;

	w->c->n_sv = s->n_sv;
	w->c->n_pairs = solution_n_pairs(s->n_class);
	w->c->has_multipliers = true;
	w->c->pair = mem_zeroed(w->c->n_pairs, sizeof(*w->c->pair), err);
	w->sv_row = mem_array(s->n_sv, sizeof(*w->sv_row), err);
	w->sv_start = mem_zeroed(s->n_class + 1, sizeof(*w->sv_start), err);
	w->position = mem_array(w->d->x.n_rows, sizeof(*w->position), err);
	if (!w->c->pair || !w->sv_row || !w->sv_start || !w->position)
		return -1;
	for (int c = 0; c < s->n_class; c++)
		w->sv_start[c + 1] = w->sv_start[c] + s->n_sv_of_class[c];
	if (w->m->type == MACHINE_C_SVC && classes_init(&w->classes, w->d, err) < 0)
		return -1;
	if (sv_rows_find(w->m, w->d, w->sv_row, &w->c->n_missing, err) < 0)
		return -1;
	return w->c->n_missing > 0 ? evaluate_model(w, err) : 0;
}

static int certify_expansion(struct work *w, struct error *err)
{
	int ret = prepare(w, err);

	if (ret == 0)
		ret = w->m->type == MACHINE_C_SVC ? certify_classes(w, err) :
						    certify_regression(w, err);
	classes_free(&w->classes);
	free(w->sv_row);
	free(w->sv_start);
	free(w->position);
	free(w->value);
	free(w->norm2);
	return ret;
}

int certify_model(struct model_certificate *c, const struct model *m, const struct dataset *d,
		  const struct training *t, int n_threads, struct error *err)
{
	struct training training = *t;
	struct work w = { .c = c, .m = m, .d = d, .t = &training, .n_threads = n_threads };
	int ret;

	*c = (struct model_certificate){ 0 };
	training.type = m->type;
	training.kernel = m->kernel;
	if (m->is_linear_model)
		ret = certify_linear_model(c, &m->linear, d, t, err);
	else if (m->type != MACHINE_C_SVC && m->type != MACHINE_EPSILON_SVR)
		ret = error_set(err, ERR_ARGUMENT,
				"only models of C-SVC and epsilon-SVR can be certified");
	else
		ret = certify_expansion(&w, err);
	if (ret < 0)
		model_certificate_free(c);
	return ret;
}
