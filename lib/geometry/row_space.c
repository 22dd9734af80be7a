/*
 * row_space.c - an orthonormal basis of the rows of a sparse matrix
 *
 * How this works.  The cheap way first.  With eigenvalues l_k and eigenvectors z_k,
 *
 *     n <= d   X X' z_k = l_k z_k,   V = X'T,   T = [z_k / sqrt(l_k)]          (1)
 *     n > d    X'X z_k = l_k z_k,    V = [z_k]                                 (2)
 *
 * of order m = min(n, d), from sparse products.  But l_k = s_k^2 is known to DBL_EPSILON l_1 only,
 * so a singular value below 1e-8 s_1 drowns, and the columns of (1) are orthonormal only to
 * DBL_EPSILON (s_1 / s_k)^2: measured, 2e-11 at a condition of 1e3 and 1e-5 at 1e6.  Eigenvalues
 * are therefore accepted only if they part clearly into large and zero ones (3).  An eigenvalue
 * that looks like 0 may still hide a singular value of up to sqrt(DBL_EPSILON) s_1; |X z_k| tells,
 * as it is known to DBL_EPSILON s_1 (4).  Text and dense measurements pass mostly.
 *
 * Else the sure way: Householder's QR of the full matrix, X' = Q R for n <= d and X = Q R for n > d
 * (of which Q is not needed), and the singular value decomposition of the m x m matrix
 * R = left diag(s) right (5):
 *
 *     n <= d   V = Q left,   T = right' / s                                    (6)
 *     n > d    V = right'                                                      (7)
 *
 * It is orthonormal to 2e-15 at any condition, but takes the full matrix in memory for n <= d, and
 * V is then stored.  The rank is the number of s_k above max(n, d) DBL_EPSILON s_1, the usual bound
 * of what rounding makes of a zero.
 *
 * Columns are scaled by a power of two beforehand (columns_init()) where squares would leave the
 * range of doubles.  At the end the rows of V that belong to equal columns get equal bits (8): ties
 * between such features are then ties, on every machine.
 *
 * Which way, and what is kept of V:
 *
 *                             n <= d                          n > d
 *     eigenvalues settle      T (n x rank), V = X'T           V (d x rank) stored
 *     the rank                made when asked for
 *     else QR                 V stored, and T                 V stored
 *
 * by_gram() returns 1 where the rank is settled and 0 where by_qr() has to settle it; nothing of
 * the first way is left in the struct then.  Memory of the first way is 24 m^2 bytes beside the
 * sparse rows; of the second 32/3 n d for n <= d and 32 d^2 for n > d, and 60 m^2 for factors.
 * Both are compared with max_bytes before anything is taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/row_space.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "geometry/row_space_work.h"
#include "matrix/blas.h"
#include "matrix/gram.h"
#include "matrix/tall_qr.h"

/*
 * Eigenvalues from this share of the largest on count as large: singular values from 1e-4 s_1,
 * whose vectors are orthonormal to some 1e-9 at the worst.
 */
#define CLEAR_SHARE 1e-8

enum {
	PANEL = 256, /* rows of Q multiplied at a time, so that V can take the place of Q */
	BLOCK = 64   /* features whose scores a thread computes at a time */
};

/* n <= d: the products of rows are the smaller ones */
static bool has_few_rows(const struct row_space *s)
{
	return s->n_rows <= s->columns.n;
}

/* m = min(n, d): the order of the smaller products */
static int64_t smaller_side(const struct row_space *s)
{
	return int64_min(s->n_rows, s->columns.n);
}

/* max(n, d), by which errors of sums grow */
static double larger_side(const struct row_space *s)
{
	return (double)int64_max(s->n_rows, s->columns.n);
}

int row_space_begin(struct row_space *s, const struct csr *x, struct error *err)
{
	*s = (struct row_space){ .n_rows = x->n_rows };
	if (columns_init(&s->columns, x, &s->scale, err) == 0)
		return 0;
	row_space_free(s);
	return -1;
}

/* ---- From the products of pairs ---- */

/*
 * (3): returns 1 if the eigenvalues (ascending) settle the rank, 0 if they leave it open.  A
 * rank_tol settles what is zero; what is not must then be large enough for accurate vectors.
 */
static int gram_rank(struct row_space *s, const struct row_space_options *o, const double *value,
		     int64_t m)
{
	/* tenfold, as the eigenvalues of X X' or X'X have the rounding of all products */
	double largest = value[m - 1], zero = 10 * larger_side(s) * DBL_EPSILON * largest;
	double cut = CLEAR_SHARE * largest;
	bool clear = true;

	/* a tolerance of singular values is its square here */
	if (o->rank_tol > 0)
		cut = zero = o->rank_tol * o->rank_tol * largest;
	s->rank = 0;
	/* eigenvalues from the largest down to the level of rounding */
	for (int64_t k = m - 1; k >= 0 && value[k] > zero; k--) {
		clear = clear && value[k] >= CLEAR_SHARE * largest;
		s->rank += value[k] >= cut;
	}
	return clear && s->rank > 0;
}

/* (1) or (2) from the rows of 'vector' (m x m, eigenvectors, eigenvalues ascending). */
static int keep_vectors(struct row_space *s, const double *value, const double *vector, int64_t m,
			struct error *err)
{
	double *kept = mem_array(m * s->rank, sizeof(*kept), err);

	s->singular_value = mem_array(s->rank, sizeof(*s->singular_value), err);
	/* the vectors become T for n <= d, and V for n > d */
	*(has_few_rows(s) ? &s->coefficient : &s->basis) = kept;
	if (!kept || !s->singular_value)
		return -1;
	/* those of 'scale' X at first, whose products these are: (1) divides by them */
	for (int64_t k = 0; k < s->rank; k++)
		s->singular_value[k] = sqrt(value[m - 1 - k]);
	for (int64_t i = 0; i < m; i++) {
		/* row by row: 'vector' is in memory, 'kept' may be in a file */
		for (int64_t k = 0; k < s->rank; k++) {
			double z = vector[(m - 1 - k) * m + i];

			kept[i * s->rank + k] = has_few_rows(s) ? z / s->singular_value[k] : z;
		}
	}
	for (int64_t k = 0; k < s->rank; k++)
		s->singular_value[k] /= s->scale;
	return 0;
}

int row_space_check_bytes(const struct row_space *s, const struct row_space_options *o,
			  double bytes, enum error_remedy remedy, struct error *err)
{
	int64_t limit = o->max_bytes > 0 ? o->max_bytes : ROW_SPACE_MAX_BYTES;

	/* in double: the product of sizes may be beyond 64 bits */
	if (bytes <= (double)limit)
		return 0;
	return error_set_remedy(err, ERR_ARGUMENT, remedy,
				"the row space of %" PRId64 " rows and %" PRId64
				" features needs %.3g GB of memory, more than %.3g GB",
				s->n_rows, s->columns.n, bytes / 1e9, (double)limit / 1e9);
}

int row_space_of_gram(struct row_space *s, double *g, const struct row_space_options *o,
		      struct error *err)
{
	int64_t m = smaller_side(s);
	double *value = mem_array(m, sizeof(*value), err);
	int ret = -1;

	/* g becomes its eigenvectors, a row each */
	if (value && blas_symmetric_eigen(g, m, value, true, err) == 0) {
		ret = gram_rank(s, o, value, m);
		if (ret == 1)
			ret = keep_vectors(s, value, g, m, err) == 0 ? 1 : -1;
	}
	mem_free(value);
	return ret;
}

/* (4): the singular values of the struct are those of X, 't' is of 'scale' X */
bool row_space_is_short(const struct row_space *s, const struct csr *t, const double *z,
			int64_t n_null)
{
	/* the length of X z that rounding may make of 0 */
	double zero = larger_side(s) * DBL_EPSILON * s->singular_value[0] * s->scale;

	for (int64_t k = 0; k < n_null; k++) {
		double sum = 0;

		for (int64_t j = 0; j < t->n_rows; j++) {
			double product = csr_row_dot(t, j, z + k * t->n_cols);

			sum += product * product;
		}
		/* one such vector is enough: the rank is more than the eigenvalues tell */
		if (sum > zero * zero)
			return true;
	}
	return false;
}

/* The basis by eigenvalues of products, with the return values of row_space_of_gram(). */
static int by_gram(struct row_space *s, const struct csr *rows, const struct row_space_options *o,
		   struct error *err)
{
	const struct csr *columns = &s->columns.by_column;
	/* 'a' has the vectors whose products are wanted as rows, 't' as columns */
	const struct csr *a = has_few_rows(s) ? rows : columns;
	const struct csr *t = has_few_rows(s) ? columns : rows;
	int64_t m = smaller_side(s);
	double *g;
	int ret = -1;

	/* the products, and twice as much for the eigenvectors */
	if (row_space_check_bytes(s, o, 24 * (double)m * (double)m, REMEDY_NONE, err) < 0)
		return -1;
	g = mem_keep(m * m, sizeof(*g), err);
	if (g && gram_rows(a, t, g, o->n_threads, err) == 0)
		ret = row_space_of_gram(s, g, o, err);
	/* (4): do the eigenvectors below the rank, the first rows of g, vanish in X? */
	if (ret == 1 && o->rank_tol == 0 && row_space_is_short(s, t, g, m - s->rank)) {
		row_space_forget(s);
		ret = 0;
	}
	mem_free(g);
	return ret;
}

/* ---- From the full matrix ---- */

/*
 * V = Q left in the place of Q.  V has no more columns than Q, so the rows of V that are written
 * end before the rows of Q that are still needed begin.
 */
int row_space_turn_basis(const struct row_space *s, double *q, const double *left, int64_t stride,
			 struct error *err)
{
	int64_t n = s->n_rows, d = s->columns.n;
	double *panel = mem_array(PANEL * s->rank, sizeof(*panel), err);
	int ret = panel ? 0 : -1;

	for (int64_t j = 0; j < d && ret == 0; j += PANEL) {
		int64_t count = int64_min(d - j, PANEL);

		ret = blas_multiply((struct blas_factor){ q + j * n, n, BLAS_PLAIN },
				    (struct blas_factor){ left, stride, BLAS_PLAIN }, count,
				    s->rank, n, 0, panel, s->rank, err);
		memcpy(q + j * s->rank, panel, (size_t)(count * s->rank) * sizeof(*q));
	}
	mem_free(panel);
	return ret;
}

/* (6); '*q' is Q and becomes V */
static int keep_few(struct row_space *s, double **q, const struct triangle *f, struct error *err)
{
	int64_t n = s->n_rows;

	s->coefficient = mem_array(n * s->rank, sizeof(double), err);
	if (!s->coefficient || row_space_turn_basis(s, *q, f->left, n, err) < 0)
		return -1;
	for (int64_t k = 0; k < s->rank; k++)
		for (int64_t i = 0; i < n; i++)
			/* row k of 'right' is the k-th right singular vector */
			s->coefficient[i * s->rank + k] = f->right[k * n + i] / f->value[k];
	/* Q has become V in place, and the struct owns it */
	s->basis = *q;
	*q = NULL;
	return 0;
}

/* (7): V = right', the first 'rank' columns of it */
static int keep_many(struct row_space *s, const struct triangle *f, struct error *err)
{
	int64_t d = s->columns.n;

	s->basis = mem_array(d * s->rank, sizeof(double), err);
	if (!s->basis)
		return -1;
	for (int64_t j = 0; j < d; j++)
		for (int64_t k = 0; k < s->rank; k++)
			s->basis[j * s->rank + k] = f->right[k * d + j];
	return 0;
}

/* Memory for QR: the full matrix and its blocks, or 4 d rows of it, and the factors. */
static int check_full(const struct row_space *s, const struct row_space_options *o,
		      struct error *err)
{
	double m = (double)smaller_side(s);
	/* the blocks of tall_qr() take a third more than Q; a triangle takes 4 d rows in turn */
	double full = 8 * m * (has_few_rows(s) ? 4. / 3 * larger_side(s) : 4 * m);

	return row_space_check_bytes(s, o, full + 60 * m * m, REMEDY_RANK_TOLERANCE, err);
}

double *row_space_full_matrix(const struct row_space *s, const struct row_space_options *o,
			      struct error *err)
{
	struct error memory = { 0 };
	double *q;

	if (check_full(s, o, err) < 0)
		return NULL;
	q = mem_large(s->n_rows * s->columns.n, sizeof(*q), &memory);
	if (!q)
		/* a larger tolerance lets the eigenvalues settle the rank, without this matrix */
		error_set_remedy(err, ERR_MEMORY, REMEDY_RANK_TOLERANCE, "%s", memory.text);
	return q;
}

/* Rank, singular values and basis from R = f->r; for n <= d '*q' is Q. */
static int keep_factors(struct row_space *s, double **q, struct triangle *f,
			const struct row_space_options *o, struct error *err)
{
	const int64_t m = smaller_side(s);
	/* the usual bound of a computed singular value whose exact value is zero */
	const double cut = o->rank_tol > 0 ? o->rank_tol : larger_side(s) * DBL_EPSILON;

	if (triangle_decompose(f, err) < 0)
		return -1;
	for (s->rank = 0; s->rank < m && f->value[s->rank] > cut * f->value[0]; s->rank++)
		;
	s->by_qr = true;
	s->singular_value = mem_array(s->rank, sizeof(*s->singular_value), err);
	if (!s->singular_value)
		return -1;
	for (int64_t k = 0; k < s->rank; k++)
		s->singular_value[k] = f->value[k] / s->scale;
	return has_few_rows(s) ? keep_few(s, q, f, err) : keep_many(s, f, err);
}

int row_space_factorise(struct row_space *s, double **q, const struct csr *rows,
			const struct row_space_options *o, struct error *err)
{
	const int64_t m = smaller_side(s);
	struct triangle f; /* (5) */
	int ret = triangle_init(&f, m, err);

	/* tall_qr() leaves Q in the place of the matrix, and R in f.r */
	if (ret == 0)
		ret = q ? tall_qr(*q, s->columns.n, m, f.r, o->n_threads, err) :
			  tall_qr_triangle(rows, NULL, f.r, err);
	if (ret == 0)
		ret = keep_factors(s, q, &f, o, err);
	triangle_free(&f);
	return ret;
}

/* The basis by QR, which settles every rank. */
static int by_qr(struct row_space *s, const struct csr *rows, const struct row_space_options *o,
		 struct error *err)
{
	double *q;
	int ret = -1;

	if (!has_few_rows(s))
		return check_full(s, o, err) < 0 ? -1 : row_space_factorise(s, NULL, rows, o, err);
	q = row_space_full_matrix(s, o, err);
	if (q) {
		/* row j of the full matrix X' is column j of the data */
		for (int64_t j = 0; j < s->columns.n; j++)
			csr_fill_row(&s->columns.by_column, j, q + j * s->n_rows);
		ret = row_space_factorise(s, &q, NULL, o, err);
	}
	mem_free(q);
	return ret;
}

/* ---- Both ---- */

/* (8): equal bits up to the sign, that of the first entries */
int row_space_equate(struct row_space *s, struct error *err)
{
	const struct csr *x = &s->columns.by_column;
	int32_t *twin;

	if (!s->basis)
		/* V that is made from X has equal bits already, as it sums the same entries */
		return 0;
	twin = mem_array(s->columns.n, sizeof(*twin), err);
	if (!twin || columns_twins(&s->columns, twin, err) < 0) {
		mem_free(twin);
		return -1;
	}
	for (int64_t j = 0; j < s->columns.n; j++) {
		int32_t first = twin[j];
		double *v = s->basis + j * s->rank, *from = s->basis + first * s->rank;
		/* columns that are equal up to the sign are twins */
		double sign = x->val[x->row_start[j]] == x->val[x->row_start[first]] ? 1 : -1;

		for (int64_t k = 0; k < s->rank; k++)
			v[k] = sign * from[k];
	}
	mem_free(twin);
	return 0;
}

int row_space_init(struct row_space *s, const struct csr *x,
		   const struct row_space_options *options, struct error *err)
{
	struct csr rows = { 0 };
	int ret;

	if (row_space_begin(s, x, err) < 0)
		return -1;
	/* a matrix of zeros has rank 0 and no basis */
	if (s->columns.n == 0)
		return 0;
	ret = csr_transpose(&rows, &s->columns.by_column, err);
	/* 0 from here on: the rank is open */
	if (ret == 0 && !options->qr)
		ret = by_gram(s, &rows, options, err);
	if (ret == 0)
		ret = by_qr(s, &rows, options, err);
	csr_free(&rows);
	/* (8): equal columns get equal rows of V, whichever way found V */
	if (ret >= 0)
		ret = row_space_equate(s, err);
	if (ret < 0)
		row_space_free(s);
	return ret < 0 ? -1 : 0;
}

/* ---- Once found ---- */

/*
 * How this works.  For n <= d the basis is V = X'T, of which only T (n x rank) is kept: the vector
 * of feature j is v_j = sum_i x_ij T_i over the entries of column j (9).  That costs entries times
 * rank for each look, where d x rank numbers might not fit in memory.  Features with the same
 * entries get the same bits, as the sum is taken in the order of the rows.  Where V is stored (n >
 * d, or QR) v_j is a copy of its row.
 *
 * A struct row_space is made once (here or in row_sketch.c) and only read afterwards, so that
 * threads may share it; what a thread makes of it goes to room of its own.
 */

void row_space_forget(struct row_space *s)
{
	mem_free_all(s->singular_value, s->coefficient, s->basis);
	s->singular_value = s->coefficient = s->basis = NULL;
}

void row_space_free(struct row_space *s)
{
	columns_free(&s->columns);
	row_space_forget(s);
	*s = (struct row_space){ 0 };
}

void row_space_vector(const struct row_space *s, int64_t j, double *v)
{
	const struct csr *x = &s->columns.by_column;

	/* V is stored, and v_j is row j of V */
	if (s->basis) {
		memcpy(v, s->basis + j * s->rank, (size_t)s->rank * sizeof(*v));
		return;
	}
	memset(v, 0, (size_t)s->rank * sizeof(*v));
	/* (9): v_j from the entries of column j, in the order of the rows */
	for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
		blas_add_scaled(v, s->rank, x->val[k], s->coefficient + x->col[k] * s->rank);
}

struct scoring {
	const struct row_space *s;
	double *score;
};

/* |v_j|^2; 'v' is overwritten */
static void score_feature(void *arg, int64_t j, void *v)
{
	const struct scoring *w = arg;

	row_space_vector(w->s, j, v);
	w->score[j] = squared_norm(v, w->s->rank);
}

int row_space_leverage(const struct row_space *s, double *score, int n_threads, struct error *err)
{
	struct scoring w = { s, score };

	return thread_each(n_threads, s->columns.n, BLOCK, (size_t)s->rank * sizeof(double),
			   score_feature, &w, err);
}
