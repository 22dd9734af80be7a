/*
 * precomputed.c - kernel values that the data themselves are
 *
 * Rows with all columns lie in the memory of a csr matrix as those of a full one, each with its
 * serial number before it:
 *
 *     val   1  K11 K12 K13   2  K21 K22 K23   3  K31 K32 K33
 *              ^ value of the kernel matrix, whose rows are n + 1 apart
 *
 * Is it positive semidefinite?  A Cholesky factor of all of it would take n^3 / 3 operations, more
 * than the training.  A principal submatrix of a matrix that is has no negative eigenvalue either,
 * and one of m rows at random of a matrix that is not has negative ones of about m / n times the
 * size.  What that misses is small: two solutions of a problem that satisfy the KKT conditions
 * differ in D by at most half the eigenvalue's size times the squared distance of their
 * multipliers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/precomputed.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/thread.h"
#include "matrix/blas.h"

/* Rows of the submatrix whose Cholesky factor is tried: 45 million operations, 10 ms. */
#define SAMPLE_ROWS 512

/*
 * Size of a negative eigenvalue, as a share of the mean of the diagonal, from which on a matrix is
 * indefinite.  Rounding values to six digits makes eigenvalues of 1e-5.
 */
#define LEAST_NEGATIVE 1e-3

/*
 * Largest difference of K(x, z) and K(z, x) that counts as rounding, as a share of the mean size of
 * the diagonal: floats that were summed in two orders differ by less.
 */
#define LEAST_LOPSIDED 1e-5

/* What the rows of a kernel matrix are to be. */
struct row_check {
	const struct csr *x;
	/* the number of the first row, counted from 1, that has each serial number, 0: none; or NULL */
	int64_t *first;
	struct error *err;
};

/* Row i: has it all columns, and, with 'first', the values of others of its serial number? */
static void check_row(void *arg, int64_t i, int thread)
{
	const struct row_check *c = arg;
	const struct csr *x = c->x;
	const int64_t start = x->row_start[i];
	const double *val = x->val + start;
	int64_t *first;

	(void)thread;
	if (c->err->code != ERR_NONE)
		return;
	/* columns ascend, so that a row with n_cols entries has every column */
	if (x->row_start[i + 1] - start != x->n_cols || x->n_cols < 2 ||
	    !(val[0] >= 1 && val[0] < (double)x->n_cols)) {
		error_set(c->err, ERR_ARGUMENT, "row %" PRId64 " is no row of a kernel matrix",
			  i + 1);
		return;
	}
	first = c->first ? &c->first[(int64_t)val[0]] : NULL;
	if (first && *first == 0)
		*first = i + 1;
	else if (first && memcmp(val, x->val + x->row_start[*first - 1],
				 (size_t)x->n_cols * sizeof(*val)) != 0)
		error_set(c->err, ERR_ARGUMENT,
			  "rows %" PRId64 " and %" PRId64
			  " differ, and have the same serial number, %" PRId64
			  ": number j belongs to the row whose values column j has",
			  *first, i + 1, (int64_t)val[0]);
}

/* In order; the loop looks at the bound of memory, as each value looked at makes 64 KB resident. */
static int check_rows(const struct csr *x, int64_t *first, struct error *err)
{
	struct row_check c = { x, first, err };

	thread_parallel_for(1, x->n_rows, check_row, &c);
	return err->code == ERR_NONE ? 0 : -1;
}

int precomputed_check(const struct csr *x, struct error *err)
{
	return check_rows(x, NULL, err);
}

int precomputed_check_numbers(const struct csr *x, struct error *err)
{
	int64_t *first = mem_zeroed(x->n_cols, sizeof(*first), err);
	const int ret = first ? check_rows(x, first, err) : -1;

	mem_free(first);
	return ret;
}

static bool is_numbered_in_order(const struct csr *x)
{
	for (int64_t i = 0; i < x->n_rows; i++)
		if (x->val[x->row_start[i]] != (double)(i + 1))
			return false;
	return true;
}

/*
 * Copy the kernel values among n of the rows into out[n][n]; 'row' NULL: the first n.  Each row is
 * read once, as it may be in a file.
 */
static int copy_values(const struct csr *x, const int64_t *row, int64_t n, double *out,
		       struct error *err)
{
	int64_t *serial = mem_array(n, sizeof(*serial), err);

	for (int64_t j = 0; serial && j < n; j++)
		serial[j] = (int64_t)x->val[x->row_start[row ? row[j] : j]];
	for (int64_t i = 0; serial && i < n; i++) {
		const double *values = x->val + x->row_start[row ? row[i] : i];

		for (int64_t j = 0; j < n; j++)
			out[i * n + j] = values[serial[j]];
	}
	mem_free(serial);
	return serial ? 0 : -1;
}

/* Are they symmetric within a tolerance?  Else i > j are the first that are not. */
static bool is_symmetric(const double *a, int64_t m, double tolerance, int64_t *i, int64_t *j)
{
	for (*i = 0; *i < m; ++*i)
		for (*j = 0; *j < *i; ++*j)
			if (!(fabs(a[*i * m + *j] - a[*j * m + *i]) <= tolerance))
				return false;
	return true;
}

/* The kernel values a[m][m] among row[0 .. m - 1], all rows or some at random. */
struct sample {
	int64_t m, *row;
	double *a;
};

static void sample_free(struct sample *s)
{
	mem_free_all(s->row, s->a);
}

/* Fill '*s'; sample_free() follows, after a failure too. */
static int sample_init(struct sample *s, const struct csr *x, struct error *err)
{
	const struct rng_place place = { .stream = RNG_KERNEL_ROWS };
	int64_t n = x->n_rows;

	s->m = int64_min(n, SAMPLE_ROWS);
	s->row = mem_array(n, sizeof(*s->row), err);
	s->a = mem_array(s->m * s->m, sizeof(*s->a), err);
	for (int64_t i = 0; s->row && i < n; i++)
		s->row[i] = i;
	if (!s->row || !s->a || rng_subset(&place, s->row, n, s->m, err) < 0)
		return -1;
	return copy_values(x, s->row, s->m, s->a, err);
}

int precomputed_check_symmetry(const struct csr *x, struct error *err)
{
	struct sample s;
	double scale = 0;
	int64_t i, j;
	int ret = sample_init(&s, x, err);

	for (int64_t k = 0; ret == 0 && k < s.m; k++)
		scale += fabs(s.a[k * s.m + k]) / (double)s.m;
	if (ret == 0 && !is_symmetric(s.a, s.m, LEAST_LOPSIDED * scale, &i, &j))
		ret = error_set(err, ERR_ARGUMENT,
				"the kernel is not symmetric: row %" PRId64
				" has %g with row %" PRId64 ", which has %g with it",
				s.row[i] + 1, s.a[i * s.m + j], s.row[j] + 1, s.a[j * s.m + i]);
	sample_free(&s);
	return ret;
}

/* Is the kernel matrix of the rows indefinite? */
static int judge(const struct csr *x, bool *indefinite, struct error *err)
{
	struct sample s = { 0 };
	double scale = 0;
	int64_t i, j;
	int ret = -1;

	if (precomputed_check(x, err) < 0 || sample_init(&s, x, err) < 0 ||
	    blas_reserve(s.m, 0, err) < 0)
		goto out;
	for (int64_t k = 0; k < s.m; k++)
		scale += s.a[k * s.m + k] / (double)s.m;
	*indefinite = !is_symmetric(s.a, s.m, LEAST_NEGATIVE * scale, &i, &j);
	for (int64_t k = 0; k < s.m && !*indefinite; k++)
		s.a[k * s.m + k] += LEAST_NEGATIVE * scale;
	*indefinite = *indefinite || blas_cholesky(s.a, s.m, s.m) < 0;
	ret = 0;
out:
	sample_free(&s);
	return ret;
}

int precomputed_matrix_init(struct kernel_matrix *m, const struct csr *x, struct error *err)
{
	*m = (struct kernel_matrix){ .n = x->n_rows, .stride = x->n_rows };
	if (judge(x, &m->indefinite, err) < 0)
		return -1;
	if (is_numbered_in_order(x)) {
		m->stride = x->n_cols;
		m->double_value = x->val + 1;
	} else {
		m->double_value = m->wide_own = mem_large(m->n * m->n, sizeof(*m->wide_own), err);
		if (!m->wide_own || copy_values(x, NULL, m->n, m->wide_own, err) < 0)
			goto fail;
	}
	/* the diagonal is asked for often, and its elements lie in as many pages of the matrix */
	m->diagonal = mem_array(m->n, sizeof(*m->diagonal), err);
	for (int64_t i = 0; m->diagonal && i < m->n; i++)
		m->diagonal[i] = m->double_value[i * (m->stride + 1)];
	if (m->diagonal)
		return 0;
fail:
	kernel_matrix_free(m);
	return -1;
}
