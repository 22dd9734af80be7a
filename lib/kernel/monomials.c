/*
 * monomials.c - the features of a polynomial kernel
 *
 * Monomials of degree k are those of degree k - 1 times a column.  In the order of their first
 * columns, those of degree k - 1 that have no column before j are the last of their list.  So
 *
 *     level k, column j:   x_j times the tail of level k - 1 from the first monomial of j on    (1)
 *
 * has each monomial once, with ascending columns, and is a product of a number and a vector.  The
 * squares of the factors follow by the same recursion: a monomial that begins with e times column j
 * has the factor 1 / e! in it, and was made of one that begins with e - 1 times j,
 *
 *     share(m) = share(rest of m) / e                                                           (2)
 *     factor(m) = sqrt(degree! / (degree - k)! share(m) gamma^k coef0^(degree - k))             (3)
 *
 * With two columns and degree 3, lists of the levels and where those of each column begin:
 *
 *      level 1     x1 | x2                        first[1] = 0, 1, 2
 *      level 2     x1x1 x1x2 | x2x2               x1 times all of level 1, x2 times its tail
 *      level 3     x1x1x1 x1x1x2 x1x2x2 | x2x2x2
 *
 * All levels lie in one array, so a row's values are made by products of a number and a contiguous
 * part of the array with nothing else in the loop: one multiplication for each monomial, whatever
 * its degree.  Factors are made once, rows one after the other in a dense scratch row.
 *
 * The number of monomials of n columns up to degree d is (n + d over d); it is computed in floating
 * point and given up once it exceeds what the caller can use (4), so no product overflows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/monomials.h"

#include "base/mem.h"
#include "matrix/column_map.h"

/* The monomials of a kernel and n_columns columns; levels 0 .. degree, level 0 is the constant. */
struct monomials {
	int degree;
	int64_t n_columns, n; /* number of columns; number of monomials of all levels but 0 */
	/* number of each level's first monomial, level 0 beginning at 0; degree + 2 numbers */
	int64_t *start;
	/*
	 * number of column j's first monomial in its level, (degree + 1) x (n_columns + 1) numbers
	 */
	int64_t *first;
	double *factor; /* factors of the monomials, n + 1 numbers */
	double *value;	/* products m(x) of the columns of a row x, n + 1 numbers */
};

/* Does the kernel have real features: a polynomial without negative coefficients? */
static bool has_features(const struct kernel *k)
{
	return k->type == KERNEL_POLYNOMIAL && k->degree > 0 && k->gamma > 0 && k->coef0 >= 0;
}

/*
 * (4): binomial coefficient of n + k over k, or a number above 'most'
 *
 * After step i 'count' is the binomial coefficient of n + i over i, to within rounding.
 */
static double count_to_degree(int64_t n, int k, int64_t most)
{
	double count = 1;

	for (int i = 1; i <= k && count <= (double)most + 1; i++)
		count = count * (double)(n + i) / i;
	return count;
}

int64_t monomials_count(const struct kernel *k, int64_t n_columns, int64_t most)
{
	double count;

	if (!has_features(k) || n_columns == 0)
		return has_features(k) ? 0 : most + 1;
	/*
	 * coef0 = 0 leaves only the monomials of degree d: as many as one column less has of
	 * degrees 0 to d, the last column taking the rest of the degree
	 */
	count = k->coef0 > 0 ? count_to_degree(n_columns, k->degree, most) - 1 :
			       count_to_degree(n_columns - 1, k->degree, most);
	return count > (double)most ? most + 1 : (int64_t)count;
}

/* Set the factors of (3) from the shares, which m->factor holds so far. */
static void set_factors(struct monomials *m, const struct kernel *k)
{
	/* degree! / (degree - level)! gamma^level, one factor more with each level */
	double falling = 1;

	for (int level = 0; level <= m->degree; level++) {
		double c = falling * pow(k->coef0, m->degree - level);

		for (int64_t i = m->start[level]; i < m->start[level + 1]; i++)
			m->factor[i] = sqrt(c * m->factor[i]);
		falling *= (m->degree - level) * k->gamma;
	}
}

/*
 * Set where levels and columns begin, and the shares, in the place of the factors, (2)
 *
 * 'lead', one for each monomial, becomes e, the exponent of its first column.  Monomials i of the
 * level before, from <= i < own, begin with column j already: the product has one j more.
 */
static void list_levels(struct monomials *m, int *lead)
{
	m->start[0] = 0;
	m->start[1] = 1;
	m->factor[0] = 1;
	for (int level = 1; level <= m->degree; level++) {
		const int64_t *before = m->first + (level - 1) * (m->n_columns + 1);
		int64_t *first = m->first + level * (m->n_columns + 1), end = m->start[level];

		for (int64_t j = 0; j < m->n_columns; j++) {
			/* the constant, alone in its level, follows every column */
			int64_t from = m->start[level - 1] + (level > 1 ? before[j] : 0);
			int64_t own = level > 1 ? m->start[level - 1] + before[j + 1] : from;

			first[j] = end - m->start[level];
			for (int64_t i = from; i < m->start[level]; i++, end++) {
				lead[end] = i < own ? lead[i] + 1 : 1;
				m->factor[end] = m->factor[i] / lead[end];
			}
		}
		first[m->n_columns] = end - m->start[level];
		m->start[level + 1] = end;
	}
}

static int monomials_init(struct monomials *m, const struct kernel *k, int64_t n_columns,
			  struct error *err)
{
	/* levels below the highest have to be made even where their factors are 0 */
	struct kernel all = *k;
	int64_t n;
	int *lead;

	all.coef0 = 1;
	n = monomials_count(&all, n_columns, INT32_MAX - 1);
	*m = (struct monomials){ .degree = k->degree, .n_columns = n_columns, .n = n };
	lead = mem_array(n + 1, sizeof(*lead), err);
	m->start = mem_array(k->degree + 2, sizeof(*m->start), err);
	m->first = mem_array((k->degree + 1) * (n_columns + 1), sizeof(*m->first), err);
	m->factor = mem_array(n + 1, sizeof(double), err);
	m->value = mem_array(n + 1, sizeof(double), err);
	if (err->code == ERR_NONE) {
		list_levels(m, lead);
		set_factors(m, k);
	}
	mem_free(lead);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Multiply out (1): the products of the columns of x, which has n_columns values. */
static void multiply_out(struct monomials *m, const double *x)
{
	double *value = m->value;

	value[0] = 1;
	for (int level = 1; level <= m->degree; level++) {
		const int64_t *before = m->first + (level - 1) * (m->n_columns + 1);
		int64_t end = m->start[level];

		for (int64_t j = 0; j < m->n_columns; j++) {
			int64_t from = m->start[level - 1] + (level > 1 ? before[j] : 0);

			for (int64_t i = from; i < m->start[level]; i++)
				value[end++] = x[j] * value[i];
		}
	}
}

/*
 * Store the values of a row as entries of row r of phi; false if one overflows
 *
 * Monomials with a factor of 0 have no column, so columns are counted separately; a value of 0 has
 * a column, but takes no entry.
 */
static bool append_row(struct csr *phi, int64_t r, const struct monomials *m)
{
	int64_t k = phi->row_start[r];
	int32_t column = 0;

	for (int64_t i = 1; i <= m->n; i++) {
		double value = m->factor[i] * m->value[i];

		if (m->factor[i] == 0)
			continue;
		if (!isfinite(value))
			return false;
		phi->col[k] = column++;
		phi->val[k] = value;
		k += value != 0;
	}
	phi->row_start[r + 1] = k;
	return true;
}

/* Gathered rows, and consecutive numbers for the columns that occur in them. */
struct numbered_rows {
	struct csr x;
	struct column_map map;
};

static void numbered_rows_free(struct numbered_rows *r)
{
	column_map_free(&r->map);
	csr_free(&r->x);
}

static int number_columns(struct numbered_rows *r, const struct csr *x, const int64_t *row,
			  int64_t n, struct error *err)
{
	*r = (struct numbered_rows){ 0 };
	if (csr_gather(&r->x, x, row, n, err) == 0 && column_map_init(&r->map, &r->x, err) == 0)
		return 0;
	numbered_rows_free(r);
	return -1;
}

/* Rows of phi from numbered rows; phi is made empty where a value overflows. */
static int fill(struct csr *phi, struct monomials *m, const struct numbered_rows *r,
		struct error *err)
{
	const struct csr *x = &r->x;
	double *dense = mem_zeroed(m->n_columns, sizeof(*dense), err);
	bool finite = true;

	for (int64_t i = 0; dense && finite && i < x->n_rows; i++) {
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			dense[column_map_find(&r->map, x->col[k])] = x->val[k];
		/*
		 * only the row's entries are written to 'dense', and cleared afterwards: O(entries)
		 */
		multiply_out(m, dense);
		finite = append_row(phi, i, m);
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			dense[column_map_find(&r->map, x->col[k])] = 0;
	}
	mem_free(dense);
	if (!finite)
		csr_free(phi);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Room for n rows of n_cols values each, as if no value were 0. */
static int reserve(struct csr *phi, int64_t n, int64_t n_cols, struct error *err)
{
	*phi = (struct csr){ .n_rows = n, .n_cols = n_cols };
	phi->row_start = mem_zeroed(n + 1, sizeof(*phi->row_start), err);
	phi->col = mem_large(n * n_cols, sizeof(*phi->col), err);
	phi->val = mem_large(n * n_cols, sizeof(*phi->val), err);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Entries of the longest row; '*full' is set if it has all columns that any row can have. */
static int64_t longest_row(const struct csr *x, const int64_t *row, int64_t n, bool *full)
{
	bool has_first = false; /* does column 0 occur, then the first of its row? */
	int64_t longest = 0;

	for (int64_t i = 0; i < n; i++) {
		int64_t start = x->row_start[row[i]], end = x->row_start[row[i] + 1];

		longest = int64_max(longest, end - start);
		has_first = has_first || (start < end && x->col[start] == 0);
	}
	*full = longest == x->n_cols - !has_first;
	return longest;
}

int64_t monomials_of_rows(const struct kernel *k, const struct csr *x, const int64_t *row,
			  int64_t n, int64_t most, struct error *err)
{
	bool full;
	int64_t n_columns = longest_row(x, row, n, &full), count;
	struct numbered_rows r;

	/* the rows have at least the columns of the longest: if these are all, or have too many
	 * monomials already, the other rows need not be looked at */
	count = monomials_count(k, n_columns, most);
	if (full || count > most)
		return count;
	if (number_columns(&r, x, row, n, err) < 0)
		return -1;
	count = monomials_count(k, r.map.n, most);
	numbered_rows_free(&r);
	return count;
}

int monomials_make(struct csr *phi, const struct kernel *k, const struct csr *x, const int64_t *row,
		   int64_t n, struct error *err)
{
	struct numbered_rows r;
	struct monomials m = { 0 };
	int ret = -1;

	*phi = (struct csr){ 0 };
	if (number_columns(&r, x, row, n, err) < 0)
		return -1;
	if (monomials_init(&m, k, r.map.n, err) == 0 &&
	    reserve(phi, n, monomials_count(k, r.map.n, m.n), err) == 0)
		ret = fill(phi, &m, &r, err);
	if (ret < 0)
		csr_free(phi);
	mem_free_all(m.start, m.first, m.factor, m.value);
	numbered_rows_free(&r);
	return ret;
}
