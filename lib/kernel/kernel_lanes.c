/*
 * kernel_lanes.c - the rows in the lanes of a tile, and their kernel values, in double precision
 *
 * kernel_tile.c has |x - z|^2 from |x|^2 + |z|^2 - 2 x.z.  Terms of 1e40 leave nothing of a
 * distance of 1, and terms that overflow leave infinity less infinity, no number; data have such
 * values: a time in seconds since 1970, or the largest double in place of what is missing.  So
 * after the loops have gone over all lanes, each pair with a row that kernel_is_far() gets the
 * value of
 *
 *     sum_c (x_c - z_c)^2                                                       (1)
 *
 * which costs a merge of two sparse rows, some twenty times as much, or some four times where columns
 * have their own numbers and are few: then the tile has all coordinates.  Where no row is far it costs
 * a look at two numbers for each block.  An infinite sum has the kernel value 0, equal rows have 1.
 *
 * Far rows are mostly far from one another, and their values 0 by the loops as by (1): those are left
 * as they are, where they can be nothing else.
 *
 * exp() of (1) is that of the loops, whose bits do not depend on the machine: they meet a vector
 * without entries, whose distance from a lane is the lane's |x|^2, for which (1) is put.
 *
 * Invariants: is_far[lane] says of the row in the lane, and n_far is the number of lanes for which
 * it is true; a lane without a row has norm 0 and is not far.  So whether anything has to be mended
 * is one comparison for a tile and one for a set of vectors, and data without far rows pay for
 * nothing else.
 *
 * Both rows of a merge have their columns in ascending order, so one pass over both finds the columns
 * that they share, in O(entries of both) time and without memory.  expansion.c takes this way where
 * rows have so many columns that a tile would be larger than all the vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/kernel_lanes.h"

#include "base/mem.h"

/* Columns of a tile, for each entry of a vector, up to which (1) goes over all of them. */
#define MOST_COLUMNS 2

/* Most that rounding may move the exponent of a value that is taken for 0: exp(-500) is 1e-217. */
#define MOST_OFF 200

int kernel_lanes_init(struct kernel_lanes *l, int64_t n_cols, struct error *err)
{
	*l = (struct kernel_lanes){ .element = mem_aligned(n_cols * KERNEL_TILE_ROWS,
							   sizeof(double), err),
				    .norm2 = mem_aligned(KERNEL_TILE_ROWS, sizeof(double), err) };
	if (l->element && l->norm2)
		return 0;
	kernel_lanes_free(l);
	return -1;
}

void kernel_lanes_free(struct kernel_lanes *l)
{
	mem_free_all(l->element, l->norm2);
	*l = (struct kernel_lanes){ 0 };
}

void kernel_lanes_set(struct kernel_lanes *l, const struct kernel *kernel, int lane,
		      struct csr_row row, double norm2, bool clear)
{
	bool is_far = !clear && kernel_is_far(kernel, norm2);

	l->row[lane] = clear ? (struct csr_row){ 0 } : row;
	l->norm2[lane] = clear ? 0 : norm2;
	l->n_far += is_far - l->is_far[lane];
	l->is_far[lane] = is_far;
}

void kernel_lanes_fill(struct kernel_lanes *l, const struct kernel *kernel,
		       const struct column_map *columns, const struct row_view *rows, int64_t first,
		       int64_t n, bool clear)
{
	for (int lane = 0; lane < n; lane++) {
		const struct csr_row row = row_view_at(rows, first + lane);
		double norm2 = 0;

		for (int64_t k = 0; k < row.n; k++) {
			int64_t column = column_map_find(columns, row.col[k]);

			norm2 += row.val[k] * row.val[k];
			if (column >= 0)
				l->element[column * KERNEL_TILE_ROWS + lane] =
					clear ? 0 : row.val[k];
		}
		kernel_lanes_set(l, kernel, lane, row, norm2, clear);
	}
}

bool kernel_has_far(const struct kernel *kernel, const struct csr *x)
{
	const bool may = kernel->type == KERNEL_RBF && kernel->gamma > 0 && x->val;

	for (int64_t i = 0; may && i < x->n_rows; i++)
		if (kernel_is_far(kernel, csr_row_norm2(x, i)))
			return true;
	return false;
}

/* x^2, with x computed once where it is an expression */
static double square(double x)
{
	return x * x;
}

double kernel_distance2(struct csr_row x, const int32_t *column, struct csr_row z, double enough)
{
	double sum = 0;
	int64_t j = 0, k = 0;

	while (j < x.n && k < z.n && sum <= enough) {
		int32_t c = column ? column[x.col[j]] : x.col[j];

		if (c == z.col[k])
			sum += square(x.val[j++] - z.val[k++]);
		else if (c < z.col[k])
			sum += square(x.val[j++]);
		else
			sum += square(z.val[k++]);
	}
	while (j < x.n && sum <= enough)
		sum += square(x.val[j++]);
	while (k < z.n && sum <= enough)
		sum += square(z.val[k++]);
	return sum;
}

double kernel_merged_value(const struct kernel *kernel, struct csr_row x, struct csr_row z)
{
	double dot = 0;

	if (kernel->type == KERNEL_RBF)
		return exp(-kernel->gamma * kernel_distance2(x, NULL, z, INFINITY));
	for (int64_t j = 0, k = 0; kernel_merged_find(x, z, &j, &k); j++, k++)
		dot += x.val[j] * z.val[k];
	if (kernel->type == KERNEL_POLYNOMIAL)
		return double_power(kernel->gamma * dot + kernel->coef0, kernel->degree);
	return kernel->type == KERNEL_SIGMOID ? tanh(kernel->gamma * dot + kernel->coef0) : dot;
}

/* (1) of all lanes, by the tile's elements in n_cols columns. */
static void distances_of_elements(struct csr_row x, const double *element, int64_t n_cols,
				  double *distance2)
{
	double sum[KERNEL_TILE_ROWS] = { 0 };

	for (int64_t c = 0, k = 0; c < n_cols; c++, element += KERNEL_TILE_ROWS) {
		double value = k < x.n && x.col[k] == c ? x.val[k++] : 0;

		for (int lane = 0; lane < KERNEL_TILE_ROWS; lane++)
			sum[lane] += square(value - element[lane]);
	}
	memcpy(distance2, sum, sizeof(sum));
}

/*
 * Compute the values of vector v again, by (1), with each lane where one of the two rows is far
 * from 0.
 */
static void mend_values(const struct kernel *kernel, const struct kernel_vectors *vectors,
			int64_t v, const struct kernel_lanes *l, double *values)
{
	double distance2[KERNEL_TILE_ROWS] __attribute__((aligned(KERNEL_TILE_ALIGNMENT))) = { 0 };
	double value[KERNEL_TILE_ROWS] __attribute__((aligned(KERNEL_TILE_ALIGNMENT))) = { 0 };
	bool is_far = kernel_is_far(kernel, vectors->norm2[v]);
	struct csr_row x = csr_row_of(&vectors->x, v);
	/* columns of the tile are their own numbers, and so few that all are looked at */
	bool full = !vectors->column && vectors->x.n_cols <= MOST_COLUMNS * x.n;

	if (full)
		distances_of_elements(x, l->element, vectors->x.n_cols, distance2);
	for (int lane = 0; lane < KERNEL_TILE_ROWS; lane++) {
		struct csr_row z = l->row[lane];
		/* a row that is evaluated may have columns that the tile has not */
		bool has_all = full && (z.n == 0 || z.col[z.n - 1] < vectors->x.n_cols);

		if ((is_far || l->is_far[lane]) && !has_all)
			distance2[lane] = kernel_distance2(x, vectors->column, z, INFINITY);
	}
	/* value[lane] = exp(-gamma distance2[lane]): as of rows of that |z|^2 and of the vector 0 */
	kernel_tile_of_dots(kernel, &(double){ 0 }, 1, distance2, value);
	for (int lane = 0; lane < KERNEL_TILE_ROWS; lane++)
		if (is_far || l->is_far[lane])
			values[lane] = value[lane];
}

/*
 * Kernel values by the loops for all lanes, then by (1) for pairs whose distance the loops may have
 * wrong.
 */
void kernel_lanes_values(const struct kernel *kernel, const struct kernel_vectors *vectors,
			 int64_t first, int64_t last, const struct kernel_lanes *l, double *values)
{
	/* the largest |x|^2 whose values the loops may take for 0: rounding moves exponents by MOST_OFF */
	double certain =
		MOST_OFF / (kernel->gamma * (double)(vectors->x.n_cols + 4) * (4 * DBL_EPSILON));

	kernel_tile_values(kernel, vectors, first, last, l->element, l->norm2, values);
	if (!vectors->has_far && l->n_far == 0)
		return;
	for (int lane = 0; lane < KERNEL_TILE_ROWS; lane++)
		certain = l->norm2[lane] < certain ? certain : 0;
	/*
	 * the loops take for 0 what has an exponent below -708, and (1), where that is right within
	 * MOST_OFF, would have 0 too, or next to nothing
	 */
	for (int64_t v = first; v < last; v++, values += KERNEL_TILE_ROWS)
		if ((l->n_far > 0 || kernel_is_far(kernel, vectors->norm2[v])) &&
		    !(vectors->norm2[v] < certain && are_zeros(values, KERNEL_TILE_ROWS)))
			mend_values(kernel, vectors, v, l, values);
}
