/*
 * float_form.c - in which form single precision is exact enough for the kernel values of rows
 *
 * Floats are half the bytes of doubles and twice as many to a register, if they are exact enough.
 * That depends on kernel and data, and is measured here, once for a training: kernel values between
 * some rows in each form that the rows may have, the cheapest first, until
 * the errors are small enough:
 *
 *     products of floats
 *     differences of floats     of dense rows of an rbf kernel
 *     products of doubles       rounded to floats when their large terms have cancelled; of sparse
 *                               rows by products of floats, where FLOAT_CHUNK of them are exact
 *     differences of doubles    of dense rows, for features of 1e6
 *
 * Where even the last are above FLOAT_TOLERANCE the training works in doubles.
 *
 * Products of floats are exact where all values are multiples of one power of two, q, and
 * max |x|^2 <= 2^22 q^2, as with binary features, counts and grey levels: partial sums are at most
 * 2 max |x|^2, and q^2 / 2 times integers of 24 bits.  Sums of FLOAT_CHUNK products, q^2
 * times integers, are exact where the FLOAT_CHUNK largest are at most 2^24 q^2, and sums of those in
 * doubles always are.
 *
 * The error of an rbf kernel's exponents depends on where the origin is, K itself does not: dense
 * rows lose their mean first, which makes norms smaller, unless they are exact as they are.  Sparse
 * ones would become dense, and have no differences, as a sparse vector meets only the columns it
 * has.
 *
 * The factor c that the kernel has for x.z is split: rows are multiplied by the power of two next
 * to sqrt(c), which changes no digit and keeps numbers in the range of floats, and the rest is left
 * to the loops: exp(-gamma |x - z|^2) = 2^(c (x.z - |x|^2/2 - |z|^2/2)) with c = 2 gamma log2 e.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_form.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/float_sums.h"
#include "kernel/kernel_lanes.h"

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

/* Largest degree: taking a power multiplies the error of a product by it. */
#define MOST_DEGREE 8

/* Squared norms, in squares of the unit, up to which products of floats are exact. */
#define MOST_EXACT 0x1p22
#define MOST_EXACT_CHUNK 0x1p24

/* Steps after the sum. */
#define LAST_STEPS 5

/*
 * The root mean square of a sample's errors times SAFETY is taken for that of all values; errors of
 * a row with itself, and so of near rows, may be larger, as these are few.
 */
#define SAFETY 1.5
#define MOST_OF_SAME 4e-7
#define MOST_BEFORE_DIFFERENCES 1.5e-7

/*
 * Bound of the error of exponents by products: in doubles where a sample has no such values, mostly
 * eight times what is found; and in floats, above which proofs compute too many values in doubles:
 * mnist.part1@5000 with -g 1e-5, a bound of 1e-3 but hardly an error, takes .71 s instead of .59.
 */
#define MOST_BOUND 8e-6
#define MOST_FLOAT_BOUND 5e-5

/* Roundings of a distance by norms and a product of floats, each of a number of up to max |x|^2. */
#define ROUNDINGS 4

/*
 * Largest value of sqrt(t) exp(-t), reached at t = 1/2: so much of of_root rounding of the rows makes
 * of the error of a value, mostly of near rows, which a sample may not have.
 */
#define STEEPEST 0.43

/* Rounding of values between 1/2 and 1, whatever a sample has: the unit over sqrt(12). */
#define LEAST_ERROR 1.7e-8

/*
 * Largest exponent of 2, in size, of an rbf kernel that needs no check: floats go down to 2^-126.
 * Without checks trainings take less time: cadata 8 %, ijcnn1 6 %, cpusmall and twonorm 4 %, a9a 1 %.
 */
#define TAME 120

/* The sign of a double's bits, and the first binary digit, which a normal one does not have. */
#define SIGN_BIT (UINT64_C(1) << 63)
#define HIDDEN_BIT (UINT64_C(1) << (DBL_MANT_DIG - 1))

/*
 * Rows for each row of the sample, and steps of merging rows that it takes: some .2 ms, and 2 % of
 * the training of 270 rows.
 */
#define ROWS_A_SAMPLED 16
#define MOST_STEPS (1 << 17)
#define LEAST_SAMPLE 8

/* Parts of which one has its longest row in the sample, in place of one that is drawn. */
#define PARTS_A_LONGEST 8

#define LOG2_E 1.4426950408889634

/*
 * Values are looked at by their bits: without the sign these are in the order of the sizes,
 * infinities above all numbers.  (With frexp(), ldexp() and fmax() this took 7 % of all
 * instructions of training on a1a.)
 */
struct float_extent float_extent_of(const struct csr *x, double *norm2)
{
	struct float_extent e = { .n_rows = x->n_rows,
				  .n_entries = csr_n_entries(x),
				  .are_floats = true };
	uint64_t largest = 0;
	int unit = DBL_MAX_EXP;

	for (int64_t i = 0; i < x->n_rows; i++) {
		int64_t n = x->row_start[i + 1] - x->row_start[i];

		norm2[i] = csr_row_norm2(x, i);
		e.max_norm2 = fmax(e.max_norm2, norm2[i]);
		e.longest = int64_max(n, e.longest);
	}
	for (int64_t k = 0; k < e.n_entries; k++) {
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
	e.max_value = isnan(e.max_value) ? INFINITY : e.max_value;
	e.unit = ldexp(1, unit);
	return e;
}

void float_extent_join(struct float_extent *e, const struct float_extent *piece)
{
	e->n_rows += piece->n_rows;
	e->n_entries += piece->n_entries;
	e->longest = int64_max(e->longest, piece->longest);
	e->max_norm2 = fmax(e->max_norm2, piece->max_norm2);
	e->max_value = fmax(e->max_value, piece->max_value);
	e->unit = fmin(e->unit, piece->unit);
	e->are_floats = e->are_floats && piece->are_floats;
}

/* Are products of floats exact?  See the head. */
static bool products_are_exact(const struct float_extent *e)
{
	return e->are_floats && e->max_norm2 <= MOST_EXACT * e->unit * e->unit;
}

/* Are sums of FLOAT_CHUNK products of floats exact?  See the head. */
static bool chunks_are_exact(const struct float_extent *e)
{
	return e->are_floats && fmin(e->max_norm2, FLOAT_CHUNK * e->max_value * e->max_value) <=
					MOST_EXACT_CHUNK * e->unit * e->unit;
}

bool float_form_fits(const struct kernel *kernel, const struct float_extent *e)
{
	double dot = e->max_norm2;

	if (e->n_rows == 0 || !(e->max_value < MOST_VALUE && e->max_norm2 < MOST_NORM2) ||
	    kernel->type == KERNEL_PRECOMPUTED)
		return false;
	if (kernel->type != KERNEL_LINEAR && !(kernel->gamma >= 0))
		return false;
	if (kernel->type == KERNEL_POLYNOMIAL)
		return kernel->degree >= 0 && kernel->degree <= MOST_DEGREE &&
		       pow(kernel->gamma * dot + fabs(kernel->coef0), kernel->degree) < MOST_KERNEL;
	if (kernel->type != KERNEL_LINEAR && !(kernel->gamma * dot < MOST_NORM2))
		return false;
	return fabs(kernel->coef0) < MOST_COEF0;
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

static bool is_dense(const struct float_extent *e, int64_t n_columns)
{
	return (double)e->n_entries >= DENSE_SHARE * (double)e->n_rows * (double)n_columns;
}

bool float_form_is_centred(const struct kernel *kernel, const struct float_extent *e,
			   int64_t n_columns)
{
	return kernel->type == KERNEL_RBF && is_dense(e, n_columns) && !e->are_floats;
}

/* The power of two of which sums of columns are multiples: they are below 2^63 times it. */
static double quantum(const struct float_extent *e)
{
	int of_value, of_rows;

	frexp(e->max_value, &of_value);
	frexp((double)e->n_rows, &of_rows);
	return fmax(ldexp(1, of_value + of_rows - 63), DBL_MIN);
}

void float_columns_add(const struct float_columns *c, const struct float_extent *e,
		       const struct csr *x, int64_t *sum)
{
	const int64_t n_entries = csr_n_entries(x);
	const double scale = 1 / quantum(e);

	for (int64_t k = 0; k < n_entries; k++)
		sum[column_map_find(&c->map, x->col[k])] += (int64_t)(x->val[k] * scale);
}

int float_columns_set_centre(struct float_columns *c, const struct float_extent *e,
			     const int64_t *sum, struct error *err)
{
	c->centre = mem_array(c->map.n, sizeof(*c->centre), err);
	for (int64_t j = 0; c->centre && j < c->map.n; j++)
		c->centre[j] = (double)sum[j] * quantum(e) / (double)e->n_rows;
	return c->centre ? 0 : -1;
}

/*
 * An absent entry is -centre.  Squares of differences alone are added: far from 0 a difference of
 * squares leaves nothing of them.
 */
int float_columns_norms(const struct float_columns *c, const struct csr *x, double *norm2,
			double *max_norm2, struct error *err)
{
	double *row = mem_array(c->map.n, sizeof(*row), err);

	for (int64_t i = 0; row && i < x->n_rows; i++) {
		memcpy(row, c->centre, (size_t)c->map.n * sizeof(*row));
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			row[column_map_find(&c->map, x->col[k])] -= x->val[k];
		norm2[i] = squared_norm(row, c->map.n);
		*max_norm2 = fmax(*max_norm2, norm2[i]);
	}
	mem_free(row);
	return row ? 0 : -1;
}

void float_columns_free(struct float_columns *c)
{
	column_map_free(&c->map);
	mem_free(c->centre);
	*c = (struct float_columns){ 0 };
}

/* Copy sparse rows, with columns numbered and values scaled. */
static void convert_sparse(struct float_vectors *v, const struct csr *x,
			   const struct float_columns *columns)
{
	double scale = split_factor(v);

	for (int64_t k = 0; k < csr_n_entries(x); k++) {
		v->col[k] = column_map_find(&columns->map, x->col[k]);
		float_vectors_set(v->in_doubles, v->val, k, scale * x->val[k]);
	}
	for (int64_t i = 0; i < x->n_rows; i++)
		v->start[i + 1] = x->row_start[i + 1];
}

/* Copy rows as dense ones, scaled; where there is a centre it is taken off before scaling. */
static void convert_dense(struct float_vectors *v, const struct csr *x,
			  const struct float_columns *columns)
{
	const double *centre = columns->centre;
	double scale = split_factor(v);

	for (int64_t i = 0, row = 0; i < v->n; i++, row += v->n_cols) {
		const struct csr_row from = csr_row_of(x, i);

		/* absent entries, but a row that has all columns writes each element below */
		for (int64_t c = 0; from.n < v->n_cols && c < v->n_cols; c++)
			float_vectors_set(v->in_doubles, v->val, row + c,
					  centre ? -scale * centre[c] : 0);
		for (int64_t k = 0; k < from.n; k++) {
			int32_t c = column_map_find(&columns->map, from.col[k]);

			float_vectors_set(v->in_doubles, v->val, row + c,
					  scale * (from.val[k] - (centre ? centre[c] : 0)));
		}
	}
}

/* Set norms of the values as rounded, so that K(x, x) is 1 to a rounding error. */
static void set_norms(struct float_vectors *v)
{
	for (int64_t i = 0; v->half_norm2 && i < v->n; i++) {
		int64_t n, first = float_vectors_extent(v, i, &n);
		double sum = 0;

		for (int64_t k = first; k < first + n; k++)
			sum += float_vectors_value(v, k) * float_vectors_value(v, k);
		float_vectors_set(v->wide_sums, v->half_norm2, i, sum / 2);
	}
}

int float_form_convert(struct float_vectors *v, const struct float_vectors *form,
		       const struct csr *x, const struct float_columns *columns, struct error *err)
{
	const int64_t n_values = form->dense ? x->n_rows * form->n_cols : csr_n_entries(x);

	if (float_vectors_make_room(v, form, x->n_rows, n_values, err) < 0)
		return -1;
	if (v->dense)
		convert_dense(v, x, columns);
	else
		convert_sparse(v, x, columns);
	set_norms(v);
	return 0;
}

/*
 * Errors of exponents in the form that was chosen.  Sums of n terms are added up in chunks: k
 * roundings.  Rows that are rounded to floats, or scaled in doubles, are other points, u |x| away.
 * Norms are rounded, and |x|^2 / 2 and |z|^2 / 2 are subtracted one after the other; the last steps
 * are in floats, and so is what is left of doubles.
 */
static struct float_exponent exponent_error(const struct float_vectors *v,
					    const struct float_extent *e)
{
	const bool in_chunks = v->wide_sums && !v->in_doubles;
	const double u = (v->in_doubles ? DBL_EPSILON : FLT_EPSILON) / 2;
	const double reach = v->kernel.gamma * e->max_norm2;
	const double n = (double)(v->dense ? v->n_cols : e->longest);
	const double k = fmin(n, FLOAT_CHUNK) + n / FLOAT_CHUNK + LAST_STEPS;
	struct float_exponent error = { .relative = LAST_STEPS * (double)FLT_EPSILON / 2 };

	if (v->difference)
		error.relative += k * u;
	else if (!products_are_exact(e) && !in_chunks)
		error.absolute = 2 * k * u * reach;
	if (v->in_doubles || !e->are_floats)
		error.of_root = 4 * u * sqrt(reach);
	return error;
}

/* ---- a sample of the rows ---- */

int float_sample_rows(int64_t row[FLOAT_SAMPLE], int64_t n_rows, int64_t n_entries,
		      const double *norm2)
{
	double entries = (double)n_entries / (double)n_rows + 1;
	double most = fmin((double)(n_rows / ROWS_A_SAMPLED), sqrt(MOST_STEPS / entries));
	int n = (int)fmin(fmin(fmax(most, LEAST_SAMPLE), FLOAT_SAMPLE), (double)n_rows);

	for (int k = 0; k < n; k++) {
		int64_t first = k * n_rows / n, end = (k + 1) * n_rows / n;
		uint64_t draw = rng_first64(rng_draw(0, RNG_MEASURED_ROWS, (uint64_t)k, 0));

		row[k] = first + (int64_t)(draw % (uint64_t)(end - first));
		if (k % PARTS_A_LONGEST < PARTS_A_LONGEST - 1)
			continue;
		/* of the last parts the longest row */
		row[k] = (k / PARTS_A_LONGEST * PARTS_A_LONGEST) * n_rows / n;
		for (int64_t i = row[k]; i < end; i++)
			row[k] = norm2[i] > norm2[row[k]] ? i : row[k];
	}
	return n;
}

/*
 * All kernel values between the rows of a sample, in doubles
 *
 * value[i][j] is that of rows i and j <= i; size[i] the root of row i's with itself, with |coef0| in
 * place of coef0.
 */
struct float_sample {
	int n;
	double size[FLOAT_SAMPLE];
	double value[FLOAT_SAMPLE][FLOAT_SAMPLE];
};

/* The values of the rows of a sample; some hundred thousand operations. */
static void set_values(struct float_sample *sample, const struct csr *rows,
		       const struct kernel *kernel)
{
	struct kernel sizes = *kernel;

	sizes.coef0 = fabs(sizes.coef0);
	sample->n = (int)rows->n_rows;
	for (int i = 0; i < sample->n; i++) {
		const struct csr_row row = csr_row_of(rows, i);

		sample->size[i] = sqrt(fabs(kernel_merged_value(&sizes, row, row)));
		for (int j = 0; j <= i; j++)
			sample->value[i][j] = kernel_merged_value(kernel, row, csr_row_of(rows, j));
	}
}

/* Errors of kernel values of a sample, relative to the sizes of both rows. */
struct float_errors {
	double rms; /* root mean square of values, one of FLOAT_SAMPLE of which is a row's with itself */
	double of_same; /* the same of a row with itself alone: near duplicates have such errors */
	double largest;
};

static void compare(const struct float_sample *sample, float (*value)[FLOAT_SAMPLE],
		    struct float_errors *errors)
{
	double squares = 0, of_same = 0, n = sample->n;
	double n_pairs = fmax(n * (n - 1) / 2, 1);

	*errors = (struct float_errors){ 0 };
	for (int i = 0; i < sample->n; i++)
		for (int j = 0; j <= i; j++) {
			double size = sample->size[i] * sample->size[j];
			double error = size > 0 ? (value[i][j] - sample->value[i][j]) / size : 0;

			*(i == j ? &of_same : &squares) += error * error;
			/* an error that is not a number counts as the largest there is */
			errors->largest =
				fmax(errors->largest, isnan(error) ? INFINITY : fabs(error));
		}
	errors->of_same = sqrt(of_same / n);
	errors->rms = sqrt(squares / n_pairs + of_same / n / FLOAT_SAMPLE);
}

/*
 * Errors of the sample's values in the form of 'v'; 'rows' are those of the sample.  The same for any
 * threads; by the copy of float_tile.c that sums take, so that last digits, and near a limit
 * decisions, may differ with the instruction set.
 */
static int measure_errors(const struct float_vectors *v, const struct float_sample *sample,
			  const struct csr *rows, const struct float_columns *columns,
			  struct float_errors *errors, struct error *err)
{
	float value[FLOAT_SAMPLE][FLOAT_SAMPLE] __attribute__((aligned(64)));
	float *out[FLOAT_SAMPLE];
	struct float_vectors some;
	struct float_tile tile = { 0 };
	int ret = float_form_convert(&some, v, rows, columns, err);

	for (int i = 0; i < sample->n; i++)
		out[i] = value[i];
	if (ret == 0)
		ret = float_tile_init(&tile, &some, err);
	if (ret == 0) {
		float_tile_fill(&tile, &some, NULL, 0, sample->n);
		float_tile_values(&some, 0, sample->n, &tile, out);
		compare(sample, value, errors);
	}
	float_tile_free(&tile);
	float_vectors_free(&some);
	return ret;
}

/* ---- choice ---- */

/* Are bounds of errors small, in the form of 'v'?  A sample may have none of the steep values. */
static bool is_bounded(const struct float_vectors *v)
{
	const struct float_exponent *e = &v->exponent;

	if (v->kernel.type == KERNEL_SIGMOID)
		return e->absolute <= MOST_BOUND;
	return v->kernel.type != KERNEL_RBF ||
	       (e->absolute <= (v->wide_sums ? MOST_BOUND : MOST_FLOAT_BOUND) &&
		STEEPEST * e->of_root <= FLOAT_TOLERANCE);
}

/*
 * Are the errors measured small enough?  Of doubles FLOAT_TOLERANCE alone counts: there is nothing
 * better.  Where there are differences, which cost little more, products are to have small errors
 * of near rows, too.  A power multiplies the roundings of factor and coef0, which are floats in
 * either form, by its degree: a9a, -t 1 -r 1, has errors of 1.14e-7, and of 1.07e-7 with doubles.
 */
static bool are_small(const struct float_vectors *v, const struct float_errors *e,
		      bool has_differences)
{
	double of_same = has_differences ? MOST_BEFORE_DIFFERENCES : MOST_OF_SAME;
	int degree = v->kernel.type == KERNEL_POLYNOMIAL ? v->kernel.degree : 0;
	double rms = fmax(degree * sqrt(2. / 12) * (double)FLT_EPSILON, FLOAT_ERROR);

	return e->largest <= FLOAT_TOLERANCE &&
	       (v->wide_sums || (e->rms <= rms && e->of_same <= of_same));
}

/* Choose the cheapest form that is exact enough; 1 if none is, -1 with an error. */
static int choose_products(struct float_vectors *v, const struct float_extent *e,
			   const struct float_columns *columns, const struct csr *rows,
			   struct error *err)
{
	const bool has_differences = v->dense && v->kernel.type == KERNEL_RBF;
	const double rounding =
		ROUNDINGS * (double)FLT_EPSILON / 2 * v->kernel.gamma * e->max_norm2;
	/* few rows of few columns may have none of these errors by chance */
	const bool is_far = v->kernel.type == KERNEL_RBF && !products_are_exact(e) &&
			    !(rounding <= FLOAT_TOLERANCE);
	struct float_sample *sample = mem_array(1, sizeof(*sample), err);
	int ret = sample ? 1 : -1;

	if (sample)
		set_values(sample, rows, &v->kernel);
	for (int form = 0; form < 4 && ret == 1; form++) {
		struct float_errors errors = { 0 };

		v->wide_sums = form >= 2;
		v->difference = form % 2;
		/* (products in chunks are for sparse rows of an rbf kernel alone) */
		v->in_doubles = v->wide_sums &&
				(v->dense || v->kernel.type != KERNEL_RBF || !chunks_are_exact(e));
		v->exponent = exponent_error(v, e);
		if ((v->difference && !has_differences) || (form == 0 && is_far) || !is_bounded(v))
			continue;
		ret = measure_errors(v, sample, rows, columns, &errors, err);
		if (ret == 0)
			ret = !are_small(v, &errors, has_differences);
		v->error = fmin(fmax(SAFETY * errors.rms, LEAST_ERROR), FLOAT_ERROR);
		v->error_of_same = fmin(fmax(errors.of_same, v->error), FLOAT_ERROR);
	}
	mem_free(sample);
	return ret;
}

int float_form_choose(struct float_vectors *v, const struct kernel *kernel,
		      const struct float_extent *e, const struct float_columns *columns,
		      const struct csr *sample, struct error *err)
{
	int ret = 0;

	*v = (struct float_vectors){
		.kernel = *kernel,
		.dense = is_dense(e, columns->map.n),
		.n_cols = columns->map.n,
		.longest = e->longest,
		.error = FLOAT_ERROR,
		.error_of_same = FLOAT_ERROR,
		/* |x - z|^2 <= 4 max |x|^2, so no exponent of the kernel is larger in size */
		.tame = 4 * kernel->gamma * e->max_norm2 * LOG2_E < TAME,
	};
	/* of a linear kernel floats are always exact enough */
	if (kernel->type != KERNEL_LINEAR)
		ret = choose_products(v, e, columns, sample, err);
	split_factor(v);
	return ret;
}

/* Centre rows that need it, with their norms; the steps are in the header. */
static int centre(struct float_columns *columns, const struct kernel *kernel, const struct csr *x,
		  struct float_extent *e, double *norm2, struct error *err)
{
	int64_t *sum;
	int ret = -1;

	if (!float_form_is_centred(kernel, e, columns->map.n))
		return 0;
	sum = mem_zeroed(columns->map.n, sizeof(*sum), err);
	if (sum) {
		float_columns_add(columns, e, x, sum);
		e->max_norm2 = 0;
		if (float_columns_set_centre(columns, e, sum, err) == 0)
			ret = float_columns_norms(columns, x, norm2, &e->max_norm2, err);
	}
	mem_free(sum);
	return ret;
}

int float_vectors_init(struct float_vectors *v, const struct csr *x, const struct kernel *kernel,
		       struct error *err)
{
	double *norm2 = mem_array(x->n_rows, sizeof(*norm2), err);
	struct float_columns columns = { 0 };
	struct float_vectors form;
	struct float_extent e;
	struct csr sample = { 0 };
	int64_t row[FLOAT_SAMPLE];
	int ret = -1;

	*v = (struct float_vectors){ 0 };
	if (!norm2)
		return -1;
	e = float_extent_of(x, norm2);
	if (!float_form_fits(kernel, &e)) {
		ret = 1;
	} else if (column_map_init(&columns.map, x, err) == 0 &&
		   (!is_dense(&e, columns.map.n) || column_map_sort(&columns.map, err) == 0) &&
		   centre(&columns, kernel, x, &e, norm2, err) == 0) {
		int n = float_sample_rows(row, e.n_rows, e.n_entries, norm2);

		if (csr_gather(&sample, x, row, n, err) == 0)
			ret = float_form_choose(&form, kernel, &e, &columns, &sample, err);
	}
	if (ret == 0)
		ret = float_form_convert(v, &form, x, &columns, err);
	csr_free(&sample);
	float_columns_free(&columns);
	mem_free(norm2);
	return ret;
}
