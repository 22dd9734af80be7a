/*
 * shifted_data.c - rows less what all values of a column have in common
 *
 * How this works.  A column that all rows have is one of those of the first row, which are the only
 * ones looked at: two passes over the rows, each row merged with the first one.
 *
 *     pass 1     low_j, high_j     the smallest and the largest value of column j, an absent one
 *                                  being 0
 *     between    low_j <- c_j      what the column is shifted by; 0 where it is not
 *     pass 2     x_ij - c_j
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/shifted_data.h"

#include "kernel/kernel_lanes.h"

/*
 * Least size of a column's values, in ranges of them, that is worth a shift.  Where gamma c^2 is
 * above 2^28 and the range larger than that, kernel values between its ends are below exp(-2^12).
 */
#define LEAST_SIZE 256

/* What the columns of the first row have in common; arrays by its entries. */
struct common {
	struct csr_row first;
	double *low, *high;
};

/* The position of a column in the row, from k on; where it is absent, of the one behind it. */
static int64_t find_column(struct csr_row row, int64_t k, int32_t column)
{
	while (k < row.n && row.col[k] < column)
		k++;
	return k;
}

/* Pass 1 of the head for one row. */
static void widen(struct common *c, struct csr_row row)
{
	for (int64_t j = 0, k = 0; j < c->first.n; j++) {
		double value = 0;

		k = find_column(row, k, c->first.col[j]);
		if (k < row.n && row.col[k] == c->first.col[j])
			value = row.val[k];
		c->low[j] = fmin(c->low[j], value);
		c->high[j] = fmax(c->high[j], value);
	}
}

/* c_j of all columns, in the place of low_j; false if all are 0. */
static bool choose_shifts(struct common *c)
{
	bool any = false;

	for (int64_t j = 0; j < c->first.n; j++) {
		double low = c->low[j], high = c->high[j];
		double nearest = low > 0 ? low : high < 0 ? high : 0;

		c->low[j] = high - low <= fabs(nearest) / LEAST_SIZE ? nearest : 0;
		any |= c->low[j] != 0;
	}
	return any;
}

/* Pass 2 of the head for one row, whose values are at 'val'. */
static void shift(const struct common *c, struct csr_row row, double *val)
{
	for (int64_t j = 0, k = 0; j < c->first.n; j++) {
		if (c->low[j] == 0)
			continue;
		k = find_column(row, k, c->first.col[j]);
		val[k] -= c->low[j];
	}
}

/* s->val = the values of x, shifted; NULL where no column is. */
static int make_values(struct shifted_data *s, struct common *c, const struct csr *x,
		       struct error *err)
{
	for (int64_t j = 0; j < c->first.n; j++)
		c->low[j] = c->high[j] = c->first.val[j];
	for (int64_t i = 1; i < x->n_rows; i++)
		widen(c, csr_row_of(x, i));
	if (!choose_shifts(c))
		return 0;
	s->val = mem_array(csr_n_entries(x), sizeof(*s->val), err);
	for (int64_t i = 0; s->val && i < x->n_rows; i++) {
		struct csr_row row = csr_row_of(x, i);
		double *val = s->val + x->row_start[i];

		memcpy(val, row.val, (size_t)row.n * sizeof(*val));
		shift(c, row, val);
	}
	return s->val ? 0 : -1;
}

int shifted_data_init(struct shifted_data *s, const struct dataset *d, double gamma,
		      struct error *err)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = gamma };
	struct common c = { 0 };
	int ret = -1;

	*s = (struct shifted_data){ .data = *d };
	if (!kernel_has_far(&rbf, &d->x))
		return 0;
	c.first = csr_row_of(&d->x, 0);
	c.low = mem_array(c.first.n, sizeof(*c.low), err);
	c.high = mem_array(c.first.n, sizeof(*c.high), err);
	if (c.low && c.high)
		ret = make_values(s, &c, &d->x, err);
	mem_free_all(c.low, c.high);
	if (s->val)
		s->data.x.val = s->val;
	if (ret < 0)
		*s = (struct shifted_data){ 0 };
	return ret;
}

void shifted_data_free(struct shifted_data *s)
{
	mem_free(s->val);
	*s = (struct shifted_data){ 0 };
}
