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
 * row_sketch_space() finds the row space of a few random combinations of the rows in the same ways:
 * (10) to (12) below.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/row_space.h"

#include "base/mem_bound.h"
#include "base/rng_fill.h"
#include "base/thread.h"
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
	BLOCK = 64   /* features, or rows of G', that a thread takes at a time */
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

/* Release the singular values, coefficients and basis, but not the columns. */
static void row_space_forget(struct row_space *s)
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

/*
 * rank, singular values and coefficient (n_rows > columns: basis)
 *
 * 'g' has the products of the rows (n_rows > columns: of the columns), m x m; it becomes the
 * eigenvectors as rows, eigenvalues ascending.  Returns 1; 0 if the eigenvalues leave the rank
 * open; or -1 with ERR_MEMORY or ERR_NUMERIC.
 */
static int row_space_of_gram(struct row_space *s, double *g, const struct row_space_options *o,
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

/*
 * (4): is the rank larger than the eigenvalues say?  The singular values of the struct are of X.
 *
 * The n_null rows of 'z' are eigenvectors whose eigenvalue counts as 0; 't' is the matrix, or for
 * n_rows <= columns its transpose, of 'scale' X.  True if the matrix has a length above
 * max(n, d) DBL_EPSILON s_1 along one of them.
 */
static bool row_space_is_short(const struct row_space *s, const struct csr *t, const double *z,
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
 *
 * Q is columns x n_rows, 'left' n_rows x rank, its rows 'stride' apart; those of Q have no gaps.
 */
static int row_space_turn_basis(const struct row_space *s, double *q, const double *left,
				int64_t stride, struct error *err)
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

/* room for row_space_factorise(); errors as row_space_check_bytes() */
static double *row_space_full_matrix(const struct row_space *s, const struct row_space_options *o,
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

/*
 * rank, singular values, coefficient and basis, by QR
 *
 * For n_rows <= columns *q is the transposed matrix, columns x n_rows; on success it becomes the
 * basis, and is set to NULL.  For more rows q is NULL, and R alone is made, of 'rows'.
 */
static int row_space_factorise(struct row_space *s, double **q, const struct csr *rows,
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

/* ---- The first way, or the second ---- */

/*
 * (8): give rows of V that belong to equal columns the same bits, if V is stored
 *
 * Also the rows of a column and its negative, up to the sign, that of the first entries.  Fails with
 * ERR_MEMORY only.
 */
static int row_space_equate(struct row_space *s, struct error *err)
{
	const struct csr *x = &s->columns.by_column;
	int32_t *twin;

	if (!s->basis)
		/* V that is made from X has equal bits already, as it sums the same entries */
		return 0;
	twin = columns_twins(&s->columns, err);
	if (!twin)
		return -1;
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
 * A struct row_space is made once and only read afterwards, so that threads may share it; what a
 * thread makes of it goes to room of its own.
 */

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

/* ---- The row space of a few random combinations of the rows ---- */

/*
 * How this works.  X^ = G X has t rows, where X has n.  Its basis is found as that of X is, from the
 * t x t matrix X^X^' or, where that leaves the rank open, from QR.  What differs is how X^ is made
 * and kept; each entry x_ij adds x_ij g_i to row j of X^' (10), g_i being the t numbers of row i:
 *
 *     n <= d   G' is kept (n x t); X^' is made COMBINED_FEATURES at a time, only to add its products
 *              to X^X^'.  V = X^'T = X'(G'T), so G'T (n x rank) takes the place of T in struct
 *              row_space, and V is made from the sparse columns when asked for          (11)
 *     n > d    X^' is kept (d x t); G' is drawn some rows at a time and forgotten.  V = X^'T takes
 *              the place of X^'                                                         (12)
 *
 * so the larger of n and d never multiplies t in memory, but where QR needs X^' whole.
 *
 * g_i is drawn from (seed, i) alone, in pairs; 'stride' makes t even so that a row of G' is whole
 * pairs.  Each task owns features (10) or rows of G', and an entry's place in its sum depends on its
 * row, so the bits depend neither on threads nor on how many rows are drawn at a time.
 *
 * In both ways settle_rank() has the return values of row_space_of_gram(): 1 where the eigenvalues
 * of X^X^' settle the rank and their vectors T are in the struct, 0 where QR of X^ has to.  In the
 * end s->coefficient or s->basis are of X, not of X^: the caller of row_sketch_space() cannot tell
 * them from those of a struct made by row_space_init().
 *
 * Memory, beside the sparse columns: 8 t min(n, d) for G' or X^', and 8 t^2 for the products; and
 * where the rank is below t, for the proof of it (settle_rank()), 8 n (t - rank).
 */

enum {
	/* features combined at a time where X^ is not kept: 2 MB for t = 256 */
	COMBINED_FEATURES = 1024,
	/* most rows of x combined at a time where X^' is kept: 8 MB for t = 256 */
	COMBINED_ROWS = 4096
};

/* Share of the bound of memory for these rows of G', all of which are read for each feature. */
#define ROWS_SHARE 0.1

/*
 * The work: rows first_row .. first_row + n_rows - 1 of G' have been drawn, and are combined for
 * the features first .. first + n - 1.
 */
struct combining {
	const struct columns *columns;
	const struct row_sketch_options *o;
	int64_t t, stride; /* sketch rows t; stride: t rounded up to even */
	int64_t n_all;	   /* rows of x */
	int64_t first_row, n_rows, first;
	double *g;    /* random matrix G', n_rows x stride */
	double *sum;  /* rows of X^', n x t */
	double *gram; /* Gram matrix X^X^', t x t, later its eigenvectors as rows */
};

/* Row i of those of G' that are drawn */
static void draw_row(void *arg, int64_t i, void *room UNUSED)
{
	const struct combining *w = arg;
	/* by the row's number in the data: the same numbers however many are drawn at a time */
	struct rng_place place = { .seed = w->o->seed,
				   .stream = RNG_SKETCH_ROWS,
				   .i = (uint64_t)(w->first_row + i) };

	rng_fill_normals(&place, w->stride / 2, w->g + i * w->stride);
}

/* g = rows first_row .. first_row + n_rows - 1 of G' */
static int draw(struct combining *w, int64_t first_row, int64_t n_rows, struct error *err)
{
	w->first_row = first_row;
	w->n_rows = n_rows;
	return thread_each(w->o->space.n_threads, n_rows, BLOCK, 0, draw_row, w, err);
}

/* The first entry of column j in row 'row' or a later one, by halving. */
static int64_t entry_from(const struct csr *columns, int64_t j, int64_t row)
{
	int64_t low = columns->row_start[j], high = columns->row_start[j + 1];

	while (low < high) {
		/* entries of a column are by ascending row */
		int64_t middle = low + (high - low) / 2;

		if (columns->col[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* (10), for feature first + j and the rows that have been drawn */
static void combine_column(void *arg, int64_t j, void *room UNUSED)
{
	const struct combining *w = arg;
	const struct csr *x = &w->columns->by_column;
	const int64_t end_row = w->first_row + w->n_rows;
	/* the first entry of this column in a row that has been drawn */
	int64_t k = entry_from(x, w->first + j, w->first_row);

	for (; k < x->row_start[w->first + j + 1] && x->col[k] < end_row; k++)
		blas_add_scaled(w->sum + j * w->t, w->t, x->val[k],
				w->g + (x->col[k] - w->first_row) * w->stride);
}

/* sum += product of the rows of G' drawn so far with features first .. first + n - 1. */
static int combine(struct combining *w, int64_t first, int64_t n, double *sum, struct error *err)
{
	w->first = first;
	w->sum = sum;
	return thread_each(w->o->space.n_threads, n, BLOCK, 0, combine_column, w, err);
}

/* Rows of x that are combined at a time */
static int64_t rows_at_once(const struct combining *w)
{
	double share = ROWS_SHARE * (double)mem_bound() / (double)(w->stride * 8);

	return mem_bound() == 0 ? COMBINED_ROWS : int64_clamp((int64_t)share, BLOCK, COMBINED_ROWS);
}

/*
 * combine() of all rows of G', which is kept, some at a time: these stay in memory while each
 * feature reads them
 */
static int combine_kept(struct combining *w, int64_t first, int64_t n, double *sum,
			struct error *err)
{
	const int64_t at_once = rows_at_once(w);
	double *g = w->g;
	int ret = 0;

	for (int64_t i = 0; i < w->n_all && ret == 0; i += at_once) {
		w->g = g + i * w->stride;
		w->first_row = i;
		w->n_rows = int64_min(w->n_all - i, at_once);
		ret = combine(w, first, n, sum, err);
	}
	w->g = g;
	w->first_row = 0;
	w->n_rows = w->n_all;
	return ret;
}

/*
 * Rank and coefficients from X^X^', with the return values of row_space_of_gram().  That may take a
 * direction of X^ for 0, so the combinations z of its rows that should be 0 are made from X:
 * z'X^ = (z'G)X, with 'room' of the n rows of G' drawn at a time.  Where G' is kept, room = n draws
 * it again as it was.
 */
static int settle_rank(struct row_space *s, struct combining *w, int64_t room, struct error *err)
{
	int ret = row_space_of_gram(s, w->gram, &w->o->space, err);
	int64_t n = w->n_all, n_null = w->t - s->rank;
	struct blas_factor z = { w->gram, w->t, BLAS_PLAIN };
	struct blas_factor g = { w->g, w->stride, BLAS_TRANSPOSED };
	double *combined;

	/* no proof is needed: the caller gave a tolerance, the rank is open, or it is full */
	if (ret != 1 || n_null == 0 || w->o->space.rank_tol > 0)
		return ret;
	combined = mem_large(n_null * n, sizeof(*combined), err);
	/* z'G: a combination of the n rows of X for each such eigenvector */
	ret = combined ? 1 : -1;
	for (int64_t i = 0; i < n && ret == 1; i += room) {
		/* 'room' rows of G' at a time; draw() makes equal rows for any 'room' */
		int64_t count = int64_min(n - i, room);

		if (draw(w, i, count, err) < 0 ||
		    blas_multiply(z, g, n_null, count, w->t, 0, combined + i, n, err) < 0)
			ret = -1;
	}
	/* X is longer along such a combination than rounding explains */
	if (ret == 1 && row_space_is_short(s, &w->columns->by_column, combined, n_null)) {
		row_space_forget(s);
		ret = 0;
	}
	mem_free(combined);
	return ret;
}

/* ---- n <= d: G is kept, X^ made by panels ---- */

/* gram = X^X^', COMBINED_FEATURES at a time */
static int add_panels(struct combining *w, struct error *err)
{
	double *panel = mem_array(COMBINED_FEATURES * w->t, sizeof(*panel), err);
	int ret = 0;

	if (!panel || blas_reserve(INT64_MAX, 0, err) < 0) {
		mem_free(panel);
		return -1;
	}
	for (int64_t j = 0; j < w->columns->n && ret == 0; j += COMBINED_FEATURES) {
		int64_t n = int64_min(w->columns->n - j, COMBINED_FEATURES);

		/* the panel is summed up from zeros */
		memset(panel, 0, (size_t)(n * w->t) * sizeof(*panel));
		ret = combine_kept(w, j, n, panel, err);
		/* add the products of the panel's rows, then reuse the panel */
		blas_add_outer(w->gram, w->t, w->t, 1, panel, n);
	}
	mem_free(panel);
	return ret;
}

/* (11): G'T in the place of T */
static int turn_rows(struct row_space *s, const struct combining *w, struct error *err)
{
	double *turned = mem_array(w->n_rows * s->rank, sizeof(*turned), err);
	int ret = -1;

	/* T (t x rank) becomes n x rank */
	if (turned)
		ret = blas_multiply((struct blas_factor){ w->g, w->stride, BLAS_PLAIN },
				    (struct blas_factor){ s->coefficient, s->rank, BLAS_PLAIN },
				    w->n_rows, s->rank, w->t, 0, turned, s->rank, err);
	mem_free(s->coefficient);
	s->coefficient = turned;
	return ret;
}

/*
 * All of X^' at once, where only QR of it can tell the rank.  The basis is then stored; what T says
 * of the rows of X^, not of X, is dropped.
 */
static int by_full(struct row_space *s, struct combining *w, struct error *err)
{
	double *q = row_space_full_matrix(s, &w->o->space, err);
	int ret = -1;

	if (q) {
		/* room for X^' came from row_space_full_matrix(), which has asked max_bytes */
		memset(q, 0, (size_t)(w->columns->n * w->t) * sizeof(*q));
		ret = combine_kept(w, 0, w->columns->n, q, err);
		if (ret == 0)
			ret = row_space_factorise(s, &q, NULL, &w->o->space, err);
		mem_free(s->coefficient);
		s->coefficient = NULL;
	}
	mem_free(q);
	return ret;
}

/* n <= d: the basis from X^X^', or from X^' if that leaves the rank open. */
static int by_panels(struct row_space *s, struct combining *w, struct error *err)
{
	int ret = 0;

	/* G' whole, as (11) turns all of it */
	w->g = mem_large(w->n_all * w->stride, sizeof(*w->g), err);
	/* G' is drawn once for all panels */
	if (!w->g || draw(w, 0, w->n_all, err) < 0)
		return -1;
	if (!w->o->space.qr) {
		if (add_panels(w, err) < 0)
			return -1;
		ret = settle_rank(s, w, w->n_all, err);
	}
	if (ret > 0)
		return turn_rows(s, w, err);
	return ret < 0 ? -1 : by_full(s, w, err);
}

/* ---- n > d: X^ is kept, G drawn some rows at a time ---- */

/* n > d: the same, X^' being stored whole from the start. */
static int by_columns(struct row_space *s, struct combining *w, struct error *err)
{
	const int64_t at_once = rows_at_once(w);
	double *q = mem_large(w->columns->n * w->t, sizeof(*q), err);
	int ret = -1;

	/* only some rows of G' at a time */
	w->g = mem_reserve(at_once * w->stride, sizeof(*w->g), err);
	if (!q || !w->g || blas_reserve(INT64_MAX, 0, err) < 0)
		goto out;
	mem_use(w->g, (size_t)(at_once * w->stride) * sizeof(*w->g));
	memset(q, 0, (size_t)(w->columns->n * w->t) * sizeof(*q));
	/* each block of rows adds to the sums of all features */
	for (int64_t i = 0; i < w->n_all; i += at_once)
		if (draw(w, i, int64_min(w->n_all - i, at_once), err) < 0 ||
		    combine(w, 0, w->columns->n, q, err) < 0)
			goto out;
	ret = 0;
	if (!w->o->space.qr) {
		/* X^' is there as a whole, and so are its products */
		blas_add_outer(w->gram, w->t, w->t, 1, q, w->columns->n);
		ret = settle_rank(s, w, at_once, err);
	}
	if (ret > 0) {
		/* (12): V = X^'T in the place of X^', d x rank numbers of d x t */
		ret = row_space_turn_basis(s, q, s->coefficient, s->rank, err);
		s->basis = q;
		q = NULL;
	} else if (ret == 0) {
		/* QR of X^' where the rank is open */
		ret = row_space_factorise(s, &q, NULL, &w->o->space, err);
	}
	mem_free(s->coefficient);
	s->coefficient = NULL;
out:
	mem_free(q);
	return ret;
}

/* ---- Either way of a sketch ---- */

/* The basis of X^ with t rows, whose columns are those of X in s->columns. */
static int find_basis(struct row_space *s, const struct row_sketch_options *o, struct error *err)
{
	int64_t n = s->n_rows, d = s->columns.n, t = o->n_rows;
	struct combining w = {
		.columns = &s->columns, .o = o, .t = t, .stride = t + t % 2, .n_all = n
	};
	int ret = -1;

	s->n_rows = t; /* X^ is the matrix whose basis is sought; n again at the end */
	/* memory of the array that is kept: G' for n <= d, else X^' */
	if (row_space_check_bytes(s, &o->space, 8 * (double)w.stride * (double)int64_min(n, d),
				  REMEDY_SMALLER_SKETCH, err) < 0)
		return -1;
	/* what has to be in memory comes first, so that it has the room and a refusal is early */
	if (!o->space.qr)
		w.gram = mem_keep(w.t * w.t, sizeof(*w.gram), err);
	if (w.gram) /* X^X^' of zeros, to be added up */
		memset(w.gram, 0, (size_t)(w.t * w.t) * sizeof(*w.gram));
	if (o->space.qr || w.gram)
		/* the two ways of the head: by panels for n <= d, else by columns */
		ret = (n <= d ? by_panels : by_columns)(s, &w, err);
	s->n_rows = n;
	mem_free_all(w.gram, w.g);
	return ret;
}

int row_sketch_space(struct row_space *s, const struct csr *x, const struct row_sketch_options *o,
		     bool *sketched, struct error *err)
{
	*sketched = false;
	/* with no more than t rows or features a sketch would cost more than X itself */
	if (x->n_rows > o->n_rows) {
		if (row_space_begin(s, x, err) < 0)
			return -1;
		/* the number of features counts those that occur */
		*sketched = s->columns.n > o->n_rows;
		if (*sketched && find_basis(s, o, err) == 0 && row_space_equate(s, err) == 0)
			return 0;
		row_space_free(s);
		if (*sketched)
			return -1;
	}
	return row_space_init(s, x, &o->space, err);
}
