/*
 * model.c - models in memory
 *
 * A model owns copies of its support vectors, so that it outlives the data it was trained on; all
 * other arrays of a solution move into it, since training has no more use for them.  A model of a
 * precomputed kernel keeps of each vector the serial number, which is what a file of it has:
 * kernel values with new rows come from the rows to predict.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model.h"

#include "base/order.h"

void model_free(struct model *m)
{
	if (!m->solution.sv_row) /* else the arrays are borrowed */
		csr_free(&m->sv);
	solution_free(&m->solution);
	mem_free_all(m->linear.label, m->linear.w, m->linear.prob_a, m->linear.prob_b);
	*m = (struct model){ 0 };
}

int64_t model_n_reversed(const struct model *m)
{
	const struct linear_model *l = &m->linear;
	int64_t n = 0;

	if (!m->is_linear_model)
		return solution_n_reversed(&m->solution);
	for (int v = 0; l->prob_a && v < l->n_columns; v++)
		n += l->prob_a[v] > 0;
	return n;
}

int64_t model_n_features(const struct model *m)
{
	if (m->is_linear_model)
		return m->linear.n_features;
	return m->kernel.type == KERNEL_PRECOMPUTED || m->sv.n_cols == 0 ? 0 : m->sv.n_cols - 1;
}

int64_t model_n_numbers(const struct model *m)
{
	const struct linear_model *l = &m->linear;

	if (m->is_linear_model)
		return (l->n_features + (l->bias >= 0)) * l->n_columns;
	return csr_n_entries(&m->sv) + (m->solution.n_class - 1) * m->solution.n_sv;
}

/* The serial numbers, column 0, of rows of a precomputed kernel. */
static int gather_serials(struct csr *sv, const struct csr *x, const int64_t *row, int64_t n,
			  struct error *err)
{
	for (int64_t i = 0; i < n; i++) {
		struct csr_row e = csr_row_of(x, row[i]);

		if (e.n == 0 || e.col[0] != 0)
			return error_set(err, ERR_ARGUMENT, "row %" PRId64 " has no serial number",
					 row[i]);
		e.n = 1;
		if (csr_append_row(sv, e, err) < 0)
			return -1;
	}
	csr_shrink(sv);
	return 0;
}

int model_from_solution(struct model *m, const struct training *t, struct solution *s,
			const struct csr *x, struct error *err)
{
	struct csr sv = { 0 };
	int ret;

	*m = (struct model){ 0 };
	if (t->kernel.type == KERNEL_PRECOMPUTED)
		ret = gather_serials(&sv, x, s->sv_row, s->n_sv, err);
	else
		ret = csr_gather(&sv, x, s->sv_row, s->n_sv, err);
	if (ret < 0) {
		csr_free(&sv);
		return -1;
	}
	model_view(m, t, s, &sv);
	m->squared_loss = t->squared_loss;
	/* rows of training data that a model does not know: its vectors are its own */
	mem_free(m->solution.sv_row);
	m->solution.sv_row = NULL;
	return 0;
}

void model_view(struct model *m, const struct training *t, struct solution *s, const struct csr *x)
{
	*m = (struct model){ .type = t->type, .kernel = t->kernel, .solution = *s, .sv = *x };
	*s = (struct solution){ 0 };
}

/* ---- Machines of each class against the rest ---- */

/*
 * How this works.  Machines of each class against the rest have weights [feature][machine], which
 * is the layout of LIBLINEAR's models: they move into the model without being copied.  The biases
 * are the last row, of a bias feature of 1; labels are copied, since the classes keep theirs.
 */

int one_vs_rest_model(struct model *m, struct one_vs_rest *from, const struct classes *classes,
		      struct error *err)
{
	int *label = mem_copy(classes->label, classes->n, sizeof(*label), err);

	*m = (struct model){ 0 };
	if (!label)
		return -1;
	m->is_linear_model = true;
	m->linear = (struct linear_model){ .n_class = classes->n,
					   .label = label,
					   .n_features = from->n_features,
					   .bias = 1,
					   .n_columns = from->n_machines,
					   .w = from->w,
					   .prob_a = from->prob_a,
					   .prob_b = from->prob_b };
	m->linear.logistic = from->logistic_loss;
	strcpy(m->linear.solver_type, from->logistic_loss ? "L2R_LR" :
				      from->squared_loss  ? "L2R_L2LOSS_SVC" :
							    "L2R_L1LOSS_SVC_DUAL");
	*from = (struct one_vs_rest){ 0 };
	return 0;
}

/* ---- What a model must be ---- */

/*
 * A model that is written must be one that is read again: else training would end with a file that
 * no program takes, hours after the fault.  So what the reader refuses in a file is refused before
 * a model is written, by the same functions where both can call them.  The reader checks numbers
 * as they come, with their line; here they are looked at once more, as training, projections or
 * weights may have overflowed.
 */

/* ---- Fields that must agree ---- */

/* Refuse equal labels, which are neighbours after sorting; O(n log n). */
static int check_labels(const int *label, int n, struct error *err)
{
	int *sorted = mem_copy(label, n, sizeof(*sorted), err), ret = 0;

	if (!sorted)
		return -1;
	qsort(sorted, (size_t)n, sizeof(*sorted), order_int32s);
	for (int i = 1; i < n && ret == 0; i++)
		if (sorted[i] == sorted[i - 1])
			ret = error_set(err, ERR_FORMAT, "label %d stands for two classes",
					sorted[i]);
	mem_free(sorted);
	return ret;
}

int model_check_classes(const struct solution *s, const char *kind, struct error *err)
{
	if (s->label)
		return check_labels(s->label, s->n_class, err);
	/* without labels, of regressions and one-class: both sides of the only pair */
	if (s->n_class != 2)
		return error_set(err, ERR_FORMAT, "nr_class is %d; a model of type %s has 2",
				 s->n_class, kind);
	return 0;
}

int model_check_vector_counts(const struct solution *s, struct error *err)
{
	int64_t sum = 0;

	/* counts of a file may be anything up to 2^63 - 1 */
	for (int c = 0; c < s->n_class; c++)
		if (__builtin_add_overflow(sum, s->n_sv_of_class[c], &sum))
			return error_set(err, ERR_FORMAT, "nr_sv adds up to more than total_sv");
	if (sum != s->n_sv)
		return error_set(err, ERR_FORMAT,
				 "nr_sv adds up to %" PRId64 ", total_sv is %" PRId64, sum,
				 s->n_sv);
	/* one class has no pair, so no decision function that a vector could be in */
	if (s->n_class == 1 && s->n_sv > 0)
		return error_set(err, ERR_FORMAT,
				 "a single class has no support vectors, total_sv is %" PRId64,
				 s->n_sv);
	return 0;
}

/* ---- Numbers ---- */

/* Refuse numbers that are not finite; NULL, an array that the model does not have, passes. */
static int check_finite(const char *what, const double *value, int64_t n, struct error *err)
{
	if (value && !are_finite(value, n))
		return error_set(err, ERR_NUMERIC, "%s is not finite", what);
	return 0;
}

int model_check_kernel(const struct kernel *k, struct error *err)
{
	if (k->type == KERNEL_POLYNOMIAL && k->degree < 0)
		return error_set(err, ERR_FORMAT, "degree is %d", k->degree);
	if (k->type == KERNEL_RBF && k->gamma < 0)
		return error_set(err, ERR_FORMAT, "gamma is %g", k->gamma);
	if (kernel_has_gamma(k->type) && check_finite("gamma", &k->gamma, 1, err) < 0)
		return -1;
	return kernel_has_coef0(k->type) ? check_finite("coef0", &k->coef0, 1, err) : 0;
}

/* A model of LIBLINEAR's kind: are bias, rho and all weights finite? */
static int check_linear(const struct linear_model *l, struct error *err)
{
	int64_t n_weights = (l->n_features + (l->bias >= 0)) * l->n_columns;

	if (check_finite("bias", &l->bias, 1, err) < 0 ||
	    check_finite("rho", &l->rho, 1, err) < 0 ||
	    check_finite("probA", l->prob_a, l->n_columns, err) < 0 ||
	    check_finite("probB", l->prob_b, l->n_columns, err) < 0)
		return -1;
	return check_finite("a weight", l->w, n_weights, err);
}

/* Counts first: the loops over coefficients and values rely on valid counts. */
int model_check(const struct model *m, struct error *err)
{
	const struct solution *s = &m->solution;
	int64_t n_pairs = solution_n_pairs(s->n_class);

	if (m->is_linear_model)
		return check_linear(&m->linear, err);
	if (model_check_kernel(&m->kernel, err) < 0 ||
	    model_check_classes(s, "regression or one-class", err) < 0 ||
	    model_check_vector_counts(s, err) < 0 ||
	    check_finite("rho", s->rho, n_pairs, err) < 0 ||
	    check_finite("probA", s->prob_a, n_pairs, err) < 0 ||
	    check_finite("probB", s->prob_b, n_pairs, err) < 0 ||
	    check_finite("a density mark", s->density_marks, s->n_density_marks, err) < 0 ||
	    check_finite("a coefficient", s->coef, (s->n_class - 1) * s->n_sv, err) < 0)
		return -1;
	/* serial numbers are written as whole numbers of 32 bits */
	for (int64_t i = 0; m->kernel.type == KERNEL_PRECOMPUTED && i < csr_n_entries(&m->sv); i++)
		if (!(m->sv.val[i] >= 1 && m->sv.val[i] < 0x1p31))
			return error_set(err, ERR_FORMAT, "serial number %g", m->sv.val[i]);
	return check_finite("a value of a support vector", m->sv.val, csr_n_entries(&m->sv), err);
}
