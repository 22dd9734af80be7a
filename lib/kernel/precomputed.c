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

#include "base/rng.h"
#include "base/thread.h"
#include "kernel/expansion.h"
#include "matrix/blas.h"

/*
 * Rows of the submatrix whose Cholesky factor is tried: 45 million operations, 10 ms.  Where values
 * are asked for, 33,000 of them: half a minute at a millisecond each.
 */
#define SAMPLE_ROWS 512
#define ASKED_SAMPLE_ROWS 256

/* Rows whose values are asked for as K(x, z) and as K(z, x): 28 pairs show a slip. */
#define TWICE_ASKED_ROWS 8

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
static void check_row(void *arg, int64_t i, int thread UNUSED)
{
	const struct row_check *c = arg;
	const struct csr *x = c->x;
	const int64_t start = x->row_start[i];
	const double *val = x->val + start;
	int64_t *first;

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

/* Are the values of the sample symmetric, but for this share of the diagonal?  Fails with them. */
static int check_symmetry(const struct sample *s, double share, struct error *err)
{
	double scale = 0;
	int64_t i, j;

	for (int64_t k = 0; k < s->m; k++)
		scale += fabs(s->a[k * s->m + k]) / (double)s->m;
	if (is_symmetric(s->a, s->m, share * scale, &i, &j))
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "the kernel is not symmetric: row %" PRId64 " has %g with row %" PRId64
			 ", which has %g with it",
			 s->row[i] + 1, s->a[i * s->m + j], s->row[j] + 1, s->a[j * s->m + i]);
}

/*
 * Ask for the values of the sample; for a few, once, as K(x, z) and as K(z, x).  Where an end is asked
 * for the sample is of the rows so far, and of these few at least.
 */
static int ask_values(struct sample *s, const struct csr *x, struct asked_kernel *asked,
		      const struct interruption *interruption, struct error *err)
{
	const int64_t few = int64_min(s->m, TWICE_ASKED_ROWS), n = asked->is_symmetric ? 0 : few;
	int64_t *object = mem_array(s->m, sizeof(*object), err), m = 0;
	double *a = s->a;

	for (int64_t i = 0; object && i < s->m; i++)
		object[i] = precomputed_object(x, s->row[i]);
	for (; m < s->m && err->code == ERR_NONE; m++) {
		if (m >= few && interruption_requested(interruption))
			break;
		asked_kernel_values(asked,
				    (struct asked_row){ object[m], m + 1, object, NULL, false },
				    a + m * s->m, err);
	}
	/* the lower triangle moves together, and is mirrored */
	for (int64_t i = 0; i < m; i++)
		memmove(a + i * m, a + i * s->m, (size_t)(i + 1) * sizeof(*a));
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < i; j++)
			a[j * m + i] = a[i * m + j];
	for (int64_t i = 0; i < n && err->code == ERR_NONE; i++)
		asked_kernel_values(
			asked,
			(struct asked_row){ object[i], n - i - 1, object + i + 1, NULL, true },
			a + i * (m + 1) + 1, err);
	mem_free(object);
	s->m = m;
	if (err->code == ERR_NONE)
		asked->is_symmetric =
			check_symmetry(s, fmax(LEAST_LOPSIDED, 2 * asked->by.error), err) == 0;
	return err->code == ERR_NONE ? 0 : -1;
}

/* Fill '*s', whose arrays are to be freed after a failure too. */
static int sample_init(struct sample *s, const struct csr *x, struct asked_kernel *asked,
		       const struct interruption *interruption, struct error *err)
{
	const struct rng_place place = { .stream = RNG_KERNEL_ROWS };
	int64_t n = x->n_rows;

	s->m = int64_min(n, asked ? ASKED_SAMPLE_ROWS : SAMPLE_ROWS);
	s->row = mem_array(n, sizeof(*s->row), err);
	s->a = mem_array(s->m * s->m, sizeof(*s->a), err);
	if (!s->row || !s->a)
		return -1;
	count_up(s->row, n);
	if (rng_subset(&place, s->row, n, s->m, err) < 0)
		return -1;
	return asked ? ask_values(s, x, asked, interruption, err) :
		       copy_values(x, s->row, s->m, s->a, err);
}

int precomputed_check_symmetry(const struct csr *x, struct error *err)
{
	struct sample s;
	int ret = sample_init(&s, x, NULL, NULL, err);

	if (ret == 0)
		ret = check_symmetry(&s, LEAST_LOPSIDED, err);
	mem_free_all(s.row, s.a);
	return ret;
}

/* Is the kernel matrix of the rows indefinite? */
static int judge(const struct dataset *d, const struct interruption *interruption, bool *indefinite,
		 struct error *err)
{
	struct sample s = { 0 };
	double scale = 0;
	int64_t i, j;
	int ret = -1;

	if ((!d->asked && precomputed_check(&d->x, err) < 0) ||
	    sample_init(&s, &d->x, d->asked, interruption, err) < 0 ||
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
	mem_free_all(s.row, s.a);
	return ret;
}

/* The values of all rows, in place or copied; or, where they are asked for, the objects. */
static int take_values(struct kernel_matrix *m, const struct dataset *d, struct error *err)
{
	if (d->asked) {
		m->asked = d->asked;
		m->object = mem_array(m->n, sizeof(*m->object), err);
		for (int64_t i = 0; m->object && i < m->n; i++)
			m->object[i] = precomputed_object(&d->x, i);
		return m->object ? 0 : -1;
	}
	if (is_numbered_in_order(&d->x)) {
		m->stride = d->x.n_cols;
		m->double_value = d->x.val + 1;
		return 0;
	}
	m->double_value = m->wide_own = mem_large(m->n * m->n, sizeof(*m->wide_own), err);
	return m->wide_own ? copy_values(&d->x, NULL, m->n, m->wide_own, err) : -1;
}

int precomputed_matrix_init(struct kernel_matrix *m, const struct dataset *d,
			    const struct interruption *interruption, struct error *err)
{
	*m = (struct kernel_matrix){ .n = d->x.n_rows, .stride = d->x.n_rows };
	if (judge(d, interruption, &m->indefinite, err) < 0)
		return -1;
	/* the diagonal is asked for often, and its elements lie in as many pages of the matrix */
	m->diagonal = mem_array(m->n, sizeof(*m->diagonal), err);
	if (m->diagonal && take_values(m, d, err) == 0)
		for (int64_t i = 0; i < m->n && err->code == ERR_NONE; i++)
			kernel_matrix_values(m, i, &i, 1, &m->diagonal[i], err);
	if (err->code == ERR_NONE)
		return 0;
	kernel_matrix_free(m);
	return -1;
}

/* ---- rows to predict ---- */

int precomputed_of_objects(struct csr *x, struct asked_kernel *asked, const struct row_view *rows,
			   const struct csr *vectors, bool keeps, struct error *err)
{
	struct column_map serials = { 0 };
	int64_t *object = mem_array(vectors->n_rows, sizeof(*object), err), n;
	int32_t *col = mem_zeroed(vectors->n_rows + 1, sizeof(*col), err);
	double *val = mem_array(vectors->n_rows + 1, sizeof(*val), err);

	for (int64_t j = 0; j < vectors->n_rows && err->code == ERR_NONE; j++)
		column_map_add(&serials, (int32_t)precomputed_object(vectors, j) + 1, err);
	n = err->code == ERR_NONE && column_map_sort(&serials, err) == 0 ? serials.n : 0;
	for (int64_t j = 0; j < n; j++) {
		col[j + 1] = serials.list[j];
		object[j] = serials.list[j] - 1;
	}
	for (int64_t k = 0; k < rows->n_rows && err->code == ERR_NONE; k++) {
		val[0] = rows->val[rows->row_start[rows->row ? rows->row[k] : k]];
		if (interruption_check(err) == 0 &&
		    asked_kernel_values(
			    asked,
			    (struct asked_row){ (int64_t)val[0] - 1, n, object, NULL, !keeps },
			    val + 1, err) == 0)
			csr_append_row(x, (struct csr_row){ n + 1, col, val }, err);
	}
	column_map_free(&serials);
	mem_free_all(object, col, val);
	return err->code == ERR_NONE ? 0 : -1;
}
