/*
 * float_vectors.c - training rows in single precision, ready for kernel values
 *
 * Floats are half the bytes of doubles and twice as many to a register, if they are exact enough.
 * That depends on kernel and data, and is decided here, once for a training: if the estimated error
 * of the worst kernel value, relative to sqrt(K(x,x) K(z,z)), is above FLOAT_TOLERANCE, the
 * training works in doubles.  With u = FLT_EPSILON / 2, one rounding, and N = max |x|^2:
 *
 *     product x.z           error <= (6.9 + entries / 64) u |x| |z|                             (1)
 *     linear                (1): relative to |x| |z| whatever the values are
 *     polynomial            degree times (1), and some roundings of floats in taking the power
 *     rbf by products, sigmoid   gamma N times (1), the error of the exponent                   (2)
 *     rbf by differences    0.86 sqrt(gamma) 2 sqrt(N) u                                        (3)
 *
 * (1): entries are added up in chunks of 32 (float_tile.c).  With random signs roundings cancel; a
 * sum of equal terms has them all in one direction, and each of the entries / 32 additions of a
 * chunk is one rounding of a sum that is half the last one on average.
 *
 * Products of floats are exact where all values are multiples of one power of two, q, and
 * N <= 2^22 q^2, as with binary features, counts and grey levels: partial sums are at most 2 N, and
 * q^2 / 2 times integers of 24 bits.  (3) is 0 where all values are floats.
 *
 * (2) depends on where the origin is, K itself does not: dense rows of an rbf kernel lose their
 * mean first, which makes N smaller, unless they are exact as they are.  Sparse ones would become
 * dense.  Where (2) is still too large, |x - z|^2 is summed from the differences (3), for dense
 * rows alone, as a sparse vector meets only the columns it has.  Else products are taken in
 * doubles, where u is DBL_EPSILON / 2: the exponent is rounded to a float when its large terms have
 * cancelled. Where these are too coarse too, as for features of 1e6, dense rows have differences of
 * doubles.
 *
 * The factor c that the kernel has for x.z is split: rows are multiplied by the power of two next
 * to sqrt(c), which changes no digit and keeps numbers in the range of floats, and the rest is left
 * to the loops: exp(-gamma |x - z|^2) = 2^(c (x.z - |x|^2/2 - |z|^2/2)) with c = 2 gamma log2 e.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "matrix/column_map.h"

/*
 * Rows with this share of all their columns on average are kept dense: they
 * need no column numbers, and several meet a tile in step, for up to a quarter more
 * multiplications. ijcnn1, 59 % full, trains in 0.69 s of CPU time dense and in 0.59 s sparse.
 */
#define DENSE_SHARE 0.8

/*
 * Largest values, squared norms and kernel values that are taken for floats, whose largest is
 * 3e38: squares of values and sums of a hundred million kernel values stay below it.
 */
#define MOST_VALUE 1e18
#define MOST_NORM2 1e30
#define MOST_KERNEL 1e30

/* Largest |coef0| taken: above it a rounding of coef0 alone is some hundredth. */
#define MOST_COEF0 1e6

/* Squared norms, in squares of the unit, up to which products of floats are exact. */
#define MOST_EXACT 0x1p22

/* Roundings of a product of any length, and further ones for each entry, both as (1) has them. */
#define ROUNDINGS 6.9
#define ENTRIES_A_ROUNDING 64

/* Terms that float_tile.c adds up before their sum joins that of the row; steps after the sum. */
#define CHUNK 32
#define LAST_STEPS 5

/* Largest value of 2 sqrt(gamma) |x - z| K in (3), reached at |x - z| = 1 / sqrt(2 gamma). */
#define STEEPEST 0.86

/*
 * Largest exponent of 2, in size, of an rbf kernel that needs no check: floats go down to 2^-126.
 * Without checks trainings take less time: cadata 8 %, ijcnn1 6 %, cpusmall and twonorm 4 %, a9a 1 %.
 */
#define TAME 120

/* The sign of a double's bits, and the first binary digit, which a normal one does not have. */
#define SIGN_BIT (UINT64_C(1) << 63)
#define HIDDEN_BIT (UINT64_C(1) << (DBL_MANT_DIG - 1))

#define LOG2_E 1.4426950408889634

void float_vectors_free(struct float_vectors *v)
{
	mem_free_all(v->start, v->col, v->val, v->half_norm2);
	*v = (struct float_vectors){ 0 };
}

/* Sizes of the rows, by which their layout is chosen. */
struct extent {
	double max_norm2; /* largest squared norm */
	double max_value; /* largest value; infinite, or none, where one is not finite */
	int64_t max_entries;
	/* unit of floats: the largest power of two of which all are multiples; infinite of zeros */
	double unit;
	bool are_floats; /* values are all floats, without rounding */
};

/*
 * Sizes of the rows as given, an infinite max_value or one that is no number telling of such an
 * entry.  Values are looked at by their bits: without the sign these are in the order of the
 * sizes, infinities above all numbers.  (With frexp(), ldexp() and fmax() this took 7 % of all
 * instructions of training on a1a.)
 */
static struct extent measure(const struct csr *x)
{
	struct extent e = { .are_floats = true };
	uint64_t largest = 0;
	int unit = DBL_MAX_EXP;

	for (int64_t i = 0; i < x->n_rows; i++) {
		int64_t n = x->row_start[i + 1] - x->row_start[i];

		e.max_norm2 = fmax(e.max_norm2, csr_row_norm2(x, i));
		e.max_entries = int64_max(n, e.max_entries);
	}
	for (int64_t k = 0; k < csr_n_entries(x); k++) {
		uint64_t bits;

		memcpy(&bits, &x->val[k], sizeof(bits));
		bits &= ~SIGN_BIT;
		largest = bits > largest ? bits : largest;
		e.are_floats = e.are_floats && (double)(float)x->val[k] == x->val[k];
		/* floats are normal doubles; other values would make the unit too small to matter */
		if (e.are_floats && bits > 0) {
			int lowest = __builtin_ctzll(bits | HIDDEN_BIT);

			unit = (int)int64_min(unit, (int)(bits >> 52) - 1075 + lowest);
		}
	}
	memcpy(&e.max_value, &largest, sizeof(e.max_value));
	e.unit = ldexp(1, unit);
	return e;
}

/*
 * Error of a product in units of |x| |z|, (1), with what the kernel adds to it, where numbers have
 * the given epsilon.  Measured for floats, a row with itself: 6.4 roundings at most with 1 to 90
 * random entries; with equal entries 7.7 where they are 31, and about 230 where they are 20,000.
 * Most products are within one.
 */
static double product_error(const struct extent *e, double epsilon)
{
	if (e->are_floats && e->max_norm2 <= MOST_EXACT * e->unit * e->unit)
		return 0;
	return (ROUNDINGS + (double)e->max_entries / ENTRIES_A_ROUNDING) * epsilon / 2;
}

/* Is the kernel's value of the longest row with itself far below the largest float? */
static bool fits_float(const struct kernel *kernel, const struct extent *e)
{
	double dot = e->max_norm2;

	if (!(e->max_value < MOST_VALUE && e->max_norm2 < MOST_NORM2))
		return false;
	if (kernel->type == KERNEL_POLYNOMIAL)
		return pow(kernel->gamma * dot + fabs(kernel->coef0), kernel->degree) < MOST_KERNEL;
	if (kernel->type != KERNEL_LINEAR && !(kernel->gamma * dot < MOST_NORM2))
		return false;
	return fabs(kernel->coef0) < MOST_COEF0;
}

/* Are products exact enough for the kernel, where doubles or floats have this epsilon: (1), (2)? */
static bool products_fit(const struct kernel *kernel, const struct extent *e, double epsilon)
{
	switch (kernel->type) {
	case KERNEL_LINEAR:
		return true;
	case KERNEL_POLYNOMIAL:
		return kernel->gamma >= 0 && kernel->degree >= 0 &&
		       kernel->degree * product_error(e, epsilon) <= FLOAT_TOLERANCE &&
		       kernel->degree * (double)FLT_EPSILON <= FLOAT_TOLERANCE;
	case KERNEL_RBF:
	case KERNEL_SIGMOID:
		return kernel->gamma >= 0 &&
		       kernel->gamma * e->max_norm2 * product_error(e, epsilon) <= FLOAT_TOLERANCE;
	case KERNEL_PRECOMPUTED:
		break;
	}
	return false;
}

/*
 * Are distances by differences exact enough, (3)? These keep only the rounding of the entries: K
 * changes by 2 gamma |x - z| (|x| + |z|) u K <= STEEPEST sqrt(gamma) (|x| + |z|) u.
 */
static bool differences_fit(const struct kernel *kernel, const struct extent *e, double epsilon)
{
	return kernel->type == KERNEL_RBF && kernel->gamma >= 0 &&
	       (e->are_floats ||
		STEEPEST * 2 * sqrt(kernel->gamma * e->max_norm2) * epsilon / 2 <= FLOAT_TOLERANCE);
}

/*
 * Factor that rows are multiplied by, so that the kernel is a function of their products or squared
 * distances times v->factor: a power of two, or all of the factor's root where rows are doubles.
 */
static double split_factor(struct float_vectors *v)
{
	const struct kernel *k = &v->kernel;
	double c = 1, scale;

	if (k->type == KERNEL_RBF)
		c = (v->difference ? 1 : 2) * k->gamma * LOG2_E;
	else if (k->type != KERNEL_LINEAR)
		c = k->gamma;
	scale = v->in_doubles ? sqrt(c) : c > 0 ? exp2(round(log2(c) / 2)) : 1;
	v->factor = v->in_doubles ? 1 : c / scale / scale;
	return scale;
}

/* mean[c] = mean of column c over all rows, absent entries being 0 */
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

/*
 * Set e->max_norm2 to that of the rows less the means, an absent entry being -mean then.  Squares of
 * differences alone are added: far from 0 a difference of squares leaves nothing of them.
 */
static int centred_extent(const struct csr *x, const struct column_map *columns, const double *mean,
			  struct extent *e, struct error *err)
{
	double *row = mem_array(columns->n, sizeof(*row), err);

	e->max_norm2 = 0;
	for (int64_t i = 0; row && i < x->n_rows; i++) {
		double norm2 = 0;

		memcpy(row, mean, (size_t)columns->n * sizeof(*row));
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			row[column_map_find(columns, x->col[k])] -= x->val[k];
		for (int64_t c = 0; c < columns->n; c++)
			norm2 += row[c] * row[c];
		e->max_norm2 = fmax(e->max_norm2, norm2);
	}
	mem_free(row);
	return row ? 0 : -1;
}

/* Room for n rows in the layout that 'v' has, with n_values entries or elements in all. */
static int allocate(struct float_vectors *v, int64_t n, int64_t n_values, struct error *err)
{
	const size_t size = (size_t)float_vectors_size(v);

	v->val = mem_array(n_values, size, err);
	if (!v->dense) {
		v->start = mem_array(n + 1, sizeof(int64_t), err);
		v->col = mem_array(n_values, sizeof(int32_t), err);
		if (v->start)
			v->start[0] = 0;
	}
	if (v->kernel.type == KERNEL_RBF && !v->difference)
		v->half_norm2 = mem_array(n, size, err);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Store number k in the precision of the rows; floats are rounded here and nowhere else. */
static void set_number(const struct float_vectors *v, void *array, int64_t k, double value)
{
	if (v->in_doubles)
		((double *)array)[k] = value;
	else
		((float *)array)[k] = (float)value;
}

/* Copy sparse rows, with columns numbered and values scaled. */
static void convert_sparse(struct float_vectors *v, const struct csr *x,
			   const struct column_map *columns)
{
	double scale = split_factor(v);

	memcpy(v->start, x->row_start, (size_t)(v->n + 1) * sizeof(int64_t));
	for (int64_t k = 0; k < csr_n_entries(x); k++) {
		v->col[k] = column_map_find(columns, x->col[k]);
		set_number(v, v->val, k, scale * x->val[k]);
	}
}

/* Copy rows as dense ones, scaled; where there are means these are taken off before scaling. */
static void convert_dense(struct float_vectors *v, const struct csr *x,
			  const struct column_map *columns, const double *mean)
{
	double scale = split_factor(v);

	for (int64_t i = 0, row = 0; i < v->n; i++, row += v->n_cols) {
		for (int64_t c = 0; c < v->n_cols; c++)
			set_number(v, v->val, row + c, mean ? -scale * mean[c] : 0);
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++) {
			int32_t c = column_map_find(columns, x->col[k]);

			set_number(v, v->val, row + c, scale * (x->val[k] - (mean ? mean[c] : 0)));
		}
	}
}

/* Position of the first value of row i, and the number of its values. */
static int64_t row_extent(const struct float_vectors *v, int64_t i, int64_t *n)
{
	*n = v->dense ? v->n_cols : v->start[i + 1] - v->start[i];
	return v->dense ? i * v->n_cols : v->start[i];
}

/* Set norms of the values as rounded, so that K(x, x) is 1 to a rounding error. */
static void set_norms(struct float_vectors *v)
{
	for (int64_t i = 0; v->half_norm2 && i < v->n; i++) {
		int64_t n, first = row_extent(v, i, &n);
		double sum = 0;

		for (int64_t k = first; k < first + n; k++)
			sum += float_vectors_value(v, k) * float_vectors_value(v, k);
		set_number(v, v->half_norm2, i, sum / 2);
	}
}

/* Convert the rows to the layout that was chosen, with norms where the kernel needs them. */
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

/*
 * Choose the cheapest layout that is exact enough, of dense rows or sparse ones; false if none is.
 */
static bool choose_form(struct float_vectors *v, const struct kernel *kernel,
			const struct extent *e)
{
	if (products_fit(kernel, e, FLT_EPSILON))
		return true;
	v->difference = v->dense && differences_fit(kernel, e, FLT_EPSILON);
	if (v->difference)
		return true;
	v->in_doubles = true;
	if (products_fit(kernel, e, DBL_EPSILON))
		return true;
	v->difference = v->dense && differences_fit(kernel, e, DBL_EPSILON);
	return v->difference;
}

/*
 * Errors of exponents in the form that was chosen.  Sums of n terms are added up in chunks: k
 * roundings.  Rows that are rounded to floats, or scaled in doubles, are other points, u |x| away.
 * Norms are rounded, and |x|^2 / 2 and |z|^2 / 2 are subtracted one after the other; the last steps
 * are in floats, and so is what is left of doubles.
 */
static struct float_exponent exponent_error(const struct float_vectors *v, const struct extent *e)
{
	const double u = (v->in_doubles ? DBL_EPSILON : FLT_EPSILON) / 2;
	const double reach = v->kernel.gamma * e->max_norm2;
	const double n = (double)(v->dense ? v->n_cols : e->max_entries);
	const double k = fmin(n, CHUNK) + n / CHUNK + LAST_STEPS;
	struct float_exponent error = { .relative = LAST_STEPS * (double)FLT_EPSILON / 2 };

	if (v->difference)
		error.relative += k * u;
	else if (product_error(e, 2 * u) > 0)
		error.absolute = 2 * k * u * reach;
	if (v->in_doubles || !e->are_floats)
		error.of_root = 4 * u * sqrt(reach);
	return error;
}

int float_vectors_init(struct float_vectors *v, const struct csr *x, const struct kernel *kernel,
		       struct error *err)
{
	struct extent e = measure(x);
	struct column_map columns;
	double *mean = NULL;
	int ret = -1;
	bool fits;

	*v = (struct float_vectors){ .kernel = *kernel };
	if (x->n_rows == 0 || !fits_float(kernel, &e))
		return 1;
	if (column_map_init(&columns, x, err) < 0)
		return -1;
	v->dense = (double)csr_n_entries(x) >= DENSE_SHARE * (double)x->n_rows * (double)columns.n;
	if (v->dense && kernel->type == KERNEL_RBF && !e.are_floats &&
	    (column_means(x, &columns, &mean, err) < 0 ||
	     centred_extent(x, &columns, mean, &e, err) < 0))
		goto out;
	/* the means, if any, are gone from e.max_norm2: (2) then tests the error of centred rows */
	fits = choose_form(v, kernel, &e);
	/* |x - z|^2 <= 4 max |x|^2, so no exponent of the kernel is larger in size than this one */
	v->tame = 4 * kernel->gamma * e.max_norm2 * LOG2_E < TAME;
	v->n_cols = columns.n;
	v->exponent = exponent_error(v, &e);
	ret = 1;
	if (fits)
		ret = convert(v, x, &columns, mean, err);
out:
	mem_free(mean);
	column_map_free(&columns);
	if (ret != 0)
		float_vectors_free(v);
	return ret;
}

int float_vectors_make_room(struct float_vectors *v, const struct float_vectors *form, int64_t n,
			    int64_t n_values, struct error *err)
{
	*v = (struct float_vectors){ .kernel = form->kernel,
				     .factor = form->factor,
				     .exponent = form->exponent,
				     .near = form->near,
				     .difference = form->difference,
				     .tame = form->tame,
				     .dense = form->dense,
				     .in_doubles = form->in_doubles,
				     .n = n,
				     .n_cols = form->n_cols };
	if (allocate(v, n, n_values, err) == 0)
		return 0;
	float_vectors_free(v);
	return -1;
}

int float_vectors_gather(struct float_vectors *v, const struct float_vectors *all,
			 const int64_t *row, int64_t n, struct error *err)
{
	const int64_t size = float_vectors_size(all);
	int64_t n_values = 0, width;

	for (int64_t i = 0; i < n; i++) {
		row_extent(all, row[i], &width);
		n_values += width;
	}
	if (float_vectors_make_room(v, all, n, n_values, err) < 0)
		return -1;
	/* entries are counted first, so that memory is taken once; the copies follow */
	n_values = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t first = row_extent(all, row[i], &width);

		memcpy((char *)v->val + n_values * size, (const char *)all->val + first * size,
		       (size_t)(width * size));
		if (!v->dense)
			memcpy(v->col + n_values, all->col + all->start[row[i]],
			       (size_t)width * sizeof(int32_t));
		n_values += width;
		if (!v->dense)
			v->start[i + 1] = n_values;
		if (v->half_norm2)
			memcpy((char *)v->half_norm2 + i * size,
			       (const char *)all->half_norm2 + row[i] * size, (size_t)size);
	}
	return 0;
}
