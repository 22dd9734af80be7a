/*
 * model_write.c - model files, byte for byte as LIBSVM and LIBLINEAR write them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "io/output.h"
#include "model/model_header.h"

/* ---- Features: `index:value ` ---- */

/* "2147483647:-1.2345678901234567e-300 ", and what decimal_shortest() wants beyond. */
#define FEATURE_SIZE (12 + DECIMAL_SHORTEST_SIZE)

static const int64_t ten[] = { 1,
			       10,
			       100,
			       1000,
			       10000,
			       100000,
			       1000000,
			       10000000,
			       100000000,
			       1000000000,
			       INT64_C(10000000000),
			       INT64_C(100000000000) };

/* 'n' in at least 'width' digits; returns their end. */
static char *put_digits(char *to, int64_t n, int width)
{
	char reversed[20];
	int length = 0;

	for (; n > 0 || length < width; n /= 10)
		reversed[length++] = (char)('0' + n % 10);
	while (length > 0)
		*to++ = reversed[--length];
	return to;
}

/*
 * x 10^decimals rounded to the eight digits that %.8g shows, 'decimals' chosen for that, or
 * 0 if it is not 1e-4 <= x < 1e8, where %g writes no exponent, or too close to call: the
 * product is off by 1e8 2^-53 at most.
 */
static int64_t eight_digits(double x, int *decimals)
{
	double scaled;
	int64_t digits;

	if (!(x >= 1e-4 && x < 1e8))
		return 0;
	*decimals = 0;
	while (*decimals < 11 && x * (double)ten[*decimals] < 1e7)
		++*decimals;
	scaled = x * (double)ten[*decimals];
	digits = (int64_t)scaled;
	scaled -= (double)digits;
	if (fabs(scaled - 0.5) < 1e-6)
		return 0;
	digits += scaled > 0.5;
	return digits < 10000000 || digits > 99999999 ? 0 : digits;
}

/* As printf("%.8g") does, which is several times slower. */
static char *put_value(char *to, double value)
{
	double x = fabs(value);
	int decimals = 0;
	int64_t digits = x < 1e8 && x == floor(x) ? (int64_t)x : eight_digits(x, &decimals);

	if (digits == 0 && (x > 0 || signbit(value) || isnan(x)))
		return to + snprintf(to, FEATURE_SIZE - 12, "%.8g", value);
	for (; decimals > 0 && digits % 10 == 0; decimals--)
		digits /= 10;
	if (signbit(value))
		*to++ = '-';
	to = put_digits(to, digits / ten[decimals], 1);
	if (decimals > 0) {
		*to++ = '.';
		to = put_digits(to, digits % ten[decimals], decimals);
	}
	return to;
}

static int write_feature(const struct model *m, int64_t k, struct output *output, struct error *err)
{
	char text[FEATURE_SIZE], *end = put_digits(text, m->sv.col[k], 1);

	*end++ = ':';
	if (m->kernel.type == KERNEL_PRECOMPUTED)
		end = put_digits(end, (int64_t)m->sv.val[k], 1);
	else if (m->exact)
		end += decimal_shortest(m->sv.val[k], end);
	else
		end = put_value(end, m->sv.val[k]);
	*end++ = ' ';
	return output_write(output, text, end - text, err);
}

/* As "%.17g " does; most multipliers are 0 or C. */
static int write_coefficient(double x, struct output *output, struct error *err)
{
	char text[24], *end = text;

	if (!(fabs(x) < 1e15 && x == floor(x)) || (x == 0 && signbit(x)))
		return output_printf(output, err, "%.17g ", x);
	if (x < 0)
		*end++ = '-';
	end = put_digits(end, (int64_t)fabs(x), 1);
	*end++ = ' ';
	return output_write(output, text, end - text, err);
}

static int write_vector(const struct model *m, int64_t i, struct output *output, struct error *err)
{
	const struct solution *s = &m->solution;

	for (int64_t r = 0; r < s->n_class - 1; r++)
		if (write_coefficient(s->coef[r * s->n_sv + i], output, err) < 0)
			return -1;
	for (int64_t k = m->sv.row_start[i]; k < m->sv.row_start[i + 1]; k++)
		if (write_feature(m, k, output, err) < 0)
			return -1;
	return output_write(output, "\n", 1, err);
}

/* ---- Keys: `key value value ...`, none where there is no array ---- */

static int write_doubles(struct output *output, const char *key, const double *value, int64_t n,
			 struct error *err)
{
	int ret = value ? output_printf(output, err, "%s", key) : 0;

	for (int64_t i = 0; value && i < n && ret == 0; i++)
		ret = output_printf(output, err, " %.17g", value[i]);
	return value && ret == 0 ? output_write(output, "\n", 1, err) : ret;
}

static int write_labels(struct output *output, const int *label, int n, struct error *err)
{
	int ret = label ? output_printf(output, err, "label") : 0;

	for (int i = 0; label && i < n && ret == 0; i++)
		ret = output_printf(output, err, " %d", label[i]);
	return label && ret == 0 ? output_write(output, "\n", 1, err) : ret;
}

static int write_vector_counts(struct output *output, const int64_t *count, int n,
			       struct error *err)
{
	int ret = output_printf(output, err, "nr_sv");

	for (int i = 0; i < n && ret == 0; i++)
		ret = output_printf(output, err, " %" PRId64, count[i]);
	return ret == 0 ? output_write(output, "\n", 1, err) : ret;
}

static int write_kernel(const struct kernel *k, struct output *output, struct error *err)
{
	bool polynomial = k->type == KERNEL_POLYNOMIAL, sigmoid = k->type == KERNEL_SIGMOID;

	if (output_printf(output, err, "kernel_type %s\n", model_kernel_name[k->type]) < 0)
		return -1;
	if (polynomial && output_printf(output, err, "degree %d\n", k->degree) < 0)
		return -1;
	if ((polynomial || sigmoid || k->type == KERNEL_RBF) &&
	    output_printf(output, err, "gamma %.17g\n", k->gamma) < 0)
		return -1;
	if ((polynomial || sigmoid) && output_printf(output, err, "coef0 %.17g\n", k->coef0) < 0)
		return -1;
	return 0;
}

/* ---- The two kinds ---- */

static int write_libsvm(const struct model *m, struct output *output, struct error *err)
{
	const struct solution *s = &m->solution;
	int64_t n_pairs = solution_n_pairs(s->n_class);

	if (output_printf(output, err, "svm_type %s\n", model_machine_name[m->type]) < 0 ||
	    write_kernel(&m->kernel, output, err) < 0 ||
	    output_printf(output, err, "nr_class %d\ntotal_sv %" PRId64 "\n", s->n_class, s->n_sv) <
		    0 ||
	    write_doubles(output, "rho", s->rho, n_pairs, err) < 0 ||
	    write_labels(output, s->label, s->n_class, err) < 0 ||
	    write_doubles(output, "probA", s->prob_a, n_pairs, err) < 0 ||
	    write_doubles(output, "probB", s->prob_b, n_pairs, err) < 0 ||
	    write_doubles(output, "prob_density_marks", s->density_marks, s->n_density_marks, err) <
		    0)
		return -1;
	if (machine_classifies(m->type) &&
	    write_vector_counts(output, s->n_sv_of_class, s->n_class, err) < 0)
		return -1;
	if (output_printf(output, err, "SV\n") < 0)
		return -1;
	for (int64_t i = 0; i < s->n_sv; i++)
		if (write_vector(m, i, output, err) < 0)
			return -1;
	return 0;
}

static int write_weights(const struct linear_model *l, struct output *output, struct error *err)
{
	int64_t n_rows = l->n_features + (l->bias >= 0);

	for (int64_t i = 0; i < n_rows; i++) {
		for (int j = 0; j < l->n_columns; j++)
			if (output_printf(output, err, "%.17g ", l->w[i * l->n_columns + j]) < 0)
				return -1;
		if (output_write(output, "\n", 1, err) < 0)
			return -1;
	}
	return 0;
}

static int write_liblinear(const struct model *m, struct output *output, struct error *err)
{
	const struct linear_model *l = &m->linear;

	if (output_printf(output, err, "solver_type %s\nnr_class %d\n", l->solver_type,
			  l->n_class) < 0 ||
	    write_labels(output, l->label, l->n_class, err) < 0 ||
	    output_printf(output, err, "nr_feature %" PRId64 "\nbias %.17g\n", l->n_features,
			  l->bias) < 0 ||
	    write_doubles(output, "rho", l->one_class ? &l->rho : NULL, 1, err) < 0 ||
	    output_printf(output, err, "w\n") < 0)
		return -1;
	return write_weights(l, output, err);
}

int model_write(const struct model *m, struct output *output, struct error *err)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
	int ret;

	if (!c)
		return error_memory(err, sizeof(struct lconv));
	before = uselocale(c); /* this thread's: a decimal comma is no part of a model */
	ret = m->is_linear_model ? write_liblinear(m, output, err) : write_libsvm(m, output, err);
	uselocale(before);
	freelocale(c);
	return ret;
}
