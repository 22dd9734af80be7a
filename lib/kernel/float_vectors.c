/*
 * float_vectors.c - training rows in single precision, ready for kernel values
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_vectors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "matrix/column_map.h"

/* Rows with this share of all columns are kept dense. */
#define DENSE_SHARE 0.8

#define LOG2_E 1.4426950408889634

void float_vectors_free(struct float_vectors *v)
{
	free(v->start);
	free(v->col);
	free(v->val);
	free(v->half_norm2);
	*v = (struct float_vectors){ 0 };
}

/* What the choice of form depends on. */
struct extent {
	double max_norm2, max_value; /* the value infinite where one is not finite */
	int64_t max_entries;
};

static struct extent measure(const struct csr *x)
{
	struct extent e = { 0 };

	for (int64_t i = 0; i < x->n_rows; i++) {
		int64_t n = x->row_start[i + 1] - x->row_start[i];

		e.max_norm2 = fmax(e.max_norm2, csr_row_norm2(x, i));
		e.max_entries = int64_max(n, e.max_entries);
	}
	for (int64_t k = 0; k < csr_n_entries(x); k++)
		e.max_value = isfinite(x->val[k]) ? fmax(e.max_value, fabs(x->val[k])) : INFINITY;
	return e;
}

/*
 * The error of a product of two rows, relative to the product of their norms, with what the
 * kernel adds to it.  Measured, a row with itself: 6.4 roundings at most with 1 to 90 random
 * entries; where all entries are equal the roundings of a sum all go the same way, 7.7 with 31
 * entries, about 230 with 20,000.  Most products are within one.
 */
static double product_error(const struct extent *e)
{
	return (6.9 + (double)e->max_entries / 64) * FLT_EPSILON / 2;
}

/* Is the kernel's value of the longest row with itself far from a float's largest? */
static bool fits_float(const struct kernel *kernel, const struct extent *e)
{
	double dot = e->max_norm2;

	if (!(e->max_value < 1e18 && e->max_norm2 < 1e30))
		return false;
	if (kernel->type == KERNEL_POLYNOMIAL)
		return pow(kernel->gamma * dot + fabs(kernel->coef0), kernel->degree) < 1e30;
	return fabs(kernel->coef0) < 1e6;
}

/* Are products exact enough for the kernel? */
static bool products_fit(const struct kernel *kernel, const struct extent *e)
{
	switch (kernel->type) {
	case KERNEL_LINEAR:
		return true;
	case KERNEL_POLYNOMIAL:
		return kernel->gamma >= 0 && kernel->degree >= 0 &&
		       kernel->degree * product_error(e) <= FLOAT_TOLERANCE;
	case KERNEL_RBF:
	case KERNEL_SIGMOID:
		return kernel->gamma >= 0 &&
		       kernel->gamma * e->max_norm2 * product_error(e) <= FLOAT_TOLERANCE;
	default:
		return false;
	}
}

/*
 * A distance by differences keeps only the rounding of the entries: K changes by
 * 2 gamma |x - z| (|x| + |z|) u K <= 0.86 sqrt(gamma) (|x| + |z|) u.
 */
static bool differences_fit(const struct kernel *kernel, const struct extent *e)
{
	return kernel->type == KERNEL_RBF && kernel->gamma >= 0 &&
	       0.86 * 2 * sqrt(kernel->gamma * e->max_norm2) * FLT_EPSILON / 2 <= FLOAT_TOLERANCE;
}

static double scale_of(const struct float_vectors *v)
{
	const struct kernel *k = &v->kernel;

	switch (k->type) {
	case KERNEL_RBF:
		return sqrt((v->difference ? 1 : 2) * k->gamma * LOG2_E);
	case KERNEL_POLYNOMIAL:
	case KERNEL_SIGMOID:
		return sqrt(k->gamma);
	default:
		return 1;
	}
}

/* mean[c] over all rows, absent entries being 0 */
static int column_means(const struct csr *x, const struct column_map *columns, double **mean,
			struct error *err)
{
	*mean = mem_zeroed(columns->n, sizeof(double), err);
	if (!*mean)
		return -1;
	for (int64_t k = 0; k < csr_n_entries(x); k++)
		(*mean)[column_map_find(columns, x->col[k])] += x->val[k] / (double)x->n_rows;
	return 0;
}

/* The largest norm once the means are gone. */
static int centred_extent(const struct csr *x, const struct column_map *columns, const double *mean,
			  struct extent *e)
{
	double mean_norm2 = 0;

	for (int64_t c = 0; c < columns->n; c++)
		mean_norm2 += mean[c] * mean[c];
	e->max_norm2 = 0;
	for (int64_t i = 0; i < x->n_rows; i++) {
		double norm2 = mean_norm2;

		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++) {
			double m = mean[column_map_find(columns, x->col[k])];

			norm2 += (x->val[k] - m) * (x->val[k] - m) - m * m;
		}
		e->max_norm2 = fmax(e->max_norm2, norm2);
	}
	return 0;
}

static int allocate(struct float_vectors *v, int64_t n, int64_t n_values, struct error *err)
{
	v->val = mem_array(n_values, sizeof(float), err);
	if (!v->dense) {
		v->start = mem_array(n + 1, sizeof(int64_t), err);
		v->col = mem_array(n_values, sizeof(int32_t), err);
		if (v->start)
			v->start[0] = 0;
	}
	if (v->kernel.type == KERNEL_RBF && !v->difference)
		v->half_norm2 = mem_array(n, sizeof(float), err);
	return err->code == ERR_NONE ? 0 : -1;
}

static void convert_sparse(struct float_vectors *v, const struct csr *x,
			   const struct column_map *columns)
{
	double scale = scale_of(v);

	memcpy(v->start, x->row_start, (size_t)(v->n + 1) * sizeof(int64_t));
	for (int64_t k = 0; k < csr_n_entries(x); k++) {
		v->col[k] = column_map_find(columns, x->col[k]);
		v->val[k] = (float)(scale * x->val[k]);
	}
}

static void convert_dense(struct float_vectors *v, const struct csr *x,
			  const struct column_map *columns, const double *mean)
{
	double scale = scale_of(v);
	float *row = v->val;

	for (int64_t i = 0; i < v->n; i++, row += v->n_cols) {
		for (int64_t c = 0; c < v->n_cols; c++)
			row[c] = mean ? (float)(-scale * mean[c]) : 0;
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++) {
			int32_t c = column_map_find(columns, x->col[k]);

			row[c] = (float)(scale * (x->val[k] - (mean ? mean[c] : 0)));
		}
	}
}

static const float *row_values(const struct float_vectors *v, int64_t i, int64_t *n)
{
	*n = v->dense ? v->n_cols : v->start[i + 1] - v->start[i];
	return v->val + (v->dense ? i * v->n_cols : v->start[i]);
}

/* Of the values as they were rounded, so that K(x, x) is 1 to a rounding error. */
static void set_norms(struct float_vectors *v)
{
	for (int64_t i = 0; v->half_norm2 && i < v->n; i++) {
		int64_t n;
		const float *val = row_values(v, i, &n);
		double sum = 0;

		for (int64_t k = 0; k < n; k++)
			sum += (double)val[k] * val[k];
		v->half_norm2[i] = (float)(sum / 2);
	}
}

static int convert(struct float_vectors *v, const struct csr *x, const struct column_map *columns,
		   const double *mean, struct error *err)
{
	v->n = x->n_rows;
	v->n_cols = columns->n;
	if (allocate(v, v->n, v->dense ? v->n * v->n_cols : csr_n_entries(x), err) < 0)
		return -1;
	if (v->dense)
		convert_dense(v, x, columns, mean);
	else
		convert_sparse(v, x, columns);
	set_norms(v);
	return 0;
}

int float_vectors_init(struct float_vectors *v, const struct csr *x, const struct kernel *kernel,
		       struct error *err)
{
	struct extent e = measure(x);
	struct column_map columns;
	double *mean = NULL;
	int ret = -1;

	*v = (struct float_vectors){ .kernel = *kernel };
	if (x->n_rows == 0 || !fits_float(kernel, &e))
		return 1;
	if (column_map_init(&columns, x, err) < 0)
		return -1;
	v->dense = (double)csr_n_entries(x) >= DENSE_SHARE * (double)x->n_rows * (double)columns.n;
	if (v->dense && kernel->type == KERNEL_RBF &&
	    (column_means(x, &columns, &mean, err) < 0 ||
	     centred_extent(x, &columns, mean, &e) < 0))
		goto out;
	v->difference = v->dense && !products_fit(kernel, &e) && differences_fit(kernel, &e);
	/* |x - z|^2 <= 4 max |x|^2; and some for rounding */
	v->tame = 4 * kernel->gamma * e.max_norm2 * LOG2_E < 120;
	ret = 1;
	if (v->difference || products_fit(kernel, &e))
		ret = convert(v, x, &columns, mean, err);
out:
	free(mean);
	column_map_free(&columns);
	if (ret != 0)
		float_vectors_free(v);
	return ret;
}

int float_vectors_gather(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err)
{
	int64_t n_values = 0, width;

	*v = (struct float_vectors){ .kernel = all->kernel,
				     .difference = all->difference,
				     .tame = all->tame,
				     .dense = all->dense,
				     .n = n,
				     .n_cols = all->n_cols };
	for (int64_t i = 0; i < n; i++) {
		row_values(all, row[i], &width);
		n_values += width;
	}
	if (allocate(v, n, n_values, err) < 0) {
		float_vectors_free(v);
		return -1;
	}
	n_values = 0;
	for (int64_t i = 0; i < n; i++) {
		const float *val = row_values(all, row[i], &width);

		memcpy(v->val + n_values, val, (size_t)width * sizeof(float));
		if (!v->dense)
			memcpy(v->col + n_values, all->col + all->start[row[i]],
			       (size_t)width * sizeof(int32_t));
		n_values += width;
		if (!v->dense)
			v->start[i + 1] = n_values;
		if (v->half_norm2)
			v->half_norm2[i] = all->half_norm2[row[i]];
	}
	return 0;
}
