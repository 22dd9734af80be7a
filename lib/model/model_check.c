/*
 * model_check.c - what a model must be, whether it was read or trained
 *
 * A model that is written must be one that is read again: else training would end with a file that
 * no program takes, hours after the fault.  So what the reader refuses in a file is refused before
 * a model is written, by the same functions where both can call them.  The reader checks numbers
 * as they come, with their line; here they are looked at once more, as training, projections or
 * weights may have overflowed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

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
	for (int64_t i = 0; value && i < n; i++)
		if (!isfinite(value[i]))
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

	if (check_finite("bias", &l->bias, 1, err) < 0 || check_finite("rho", &l->rho, 1, err) < 0)
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
