/*
 * reduction.c - what a linear reduction of the features does to a support vector machine
 *
 * How this works.  All bounds follow from the extreme eigenvalues of M = V'RR'V, a matrix of order
 * rho.  The matrix R is not needed: B = R'V comes from the rows before and after, X~ = X R, and
 * M = B'B is added up over the rows of B, PANEL columns of R at a time.  With the singular value
 * decomposition X = U S V',
 *
 *     n <= d   V = X'T, T = U S^-1         so  B = X~'T                        (1)
 *     n > d    V = X'X V S^-2              so  B = X~'X V S^-2                 (2)
 *     n > d    X = Q L, L = left S V'      so  B = (X~'Q) left S^-1            (3)
 *
 * (1) and (3) lose as many digits as the condition kappa of X has, (2) its square: X'X does.  (2)
 * is cheap and is used where the basis came from the eigenvalues of X'X, which are accepted only
 * down to 1e-8 of the largest: kappa is 1e4 at most then.  Where the basis came from QR the
 * decomposition (3) is made again, this time with X~ beside X: each block of rows turns what is
 * known of Q'X~ as it turns R.
 *
 * Features that are kept: R has their weights on a diagonal, and M = sum_k w_k^2 v_k v_k' of the
 * vectors of the features (4).
 *
 * What rounding may have done to the eigenvalues is estimated (5) as 10 sqrt(n + d) DBL_EPSILON
 * times kappa or its square, as a share of lambda_max.  A lambda_min that is not above that cannot
 * be told from 0, and then bounds that need it are left open.
 *
 * What struct row_space holds is of 'scale' X, which has the same V and M as X.  Only S changes,
 * and the factors of 'scale' below make up for that.
 *
 * Cost, for r columns of R, rho the rank:
 *
 *     (1)    O(n r rho)                       one product of each panel with T
 *     (2)    O(entries r + d r rho)           the cheapest where rows are many
 *     (3)    O(n d (d + r))                   QR again, blocks of 3 d rows
 *     (4)    O(k rho^2)                       k features kept
 *
 * Memory is that of a panel, PANEL columns of n or d numbers, beside M; (3) has y, r x d, and the
 * blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/reduction.h"

#include "base/mem.h"
#include "matrix/blas.h"
#include "matrix/tall_qr.h"

/* Columns of R at a time: full products for the BLAS, and little memory beside the matrix. */
#define PANEL 256

/* ---- From the eigenvalues of M to the bounds reported ---- */

/*
 * The certificate from M, 'm' (rank x rank), which is destroyed.  'rounding': how far the
 * eigenvalues may be off, as a share of lambda_max.
 */
static int conclude(struct reduction_certificate *c, double *m, double rounding, struct error *err)
{
	double *value;

	/* rank 0: there is no direction to change, and all eigenvalues count as 1 */
	c->rounding = rounding;
	c->lambda_min = c->lambda_max = c->kappa = 1;
	c->error = 0;
	if (c->rank == 0)
		return 0;
	/* an entry that is not finite shows on the diagonal, a sum of its squares */
	for (int64_t i = 0; i < c->rank; i++)
		if (!isfinite(m[i * c->rank + i]))
			return error_set(err, ERR_NUMERIC, "the reduction is not finite");
	value = mem_array(c->rank, sizeof(*value), err);
	if (!value || blas_symmetric_eigen(m, c->rank, value, false, err) < 0) {
		mem_free(value);
		return -1;
	}
	c->lambda_min = value[0];
	c->lambda_max = value[c->rank - 1];
	mem_free(value);
	/* fewer columns than rank: some direction is lost, whatever rounding says of lambda_min */
	if (c->n_columns < c->rank || c->lambda_min <= rounding * c->lambda_max)
		c->lambda_min = 0;
	/* error of squared norms: the larger of the greatest relative loss and gain */
	c->error = fmax(fabs(1 - c->lambda_min), fabs(c->lambda_max - 1));
	/* lambda_min = 0 makes kappa infinite: no bound follows */
	c->kappa = fmax(c->lambda_max, 1 / c->lambda_min);
	return 0;
}

/* ---- Features kept ---- */

/* (4): M as a sum over the features kept. */
int reduction_certify_features(struct reduction_certificate *c, const struct row_space *s,
			       const int32_t *feature, const double *weight, int64_t n,
			       struct error *err)
{
	double *m = mem_zeroed(s->rank * s->rank, sizeof(*m), err);
	double *panel = mem_zeroed(PANEL * s->rank, sizeof(*panel), err);
	/* features are collected until a panel is full, or the last has come */
	int64_t n_panel = 0;
	int ret = -1;

	*c = (struct reduction_certificate){ .rank = s->rank, .n_columns = n };
	if (!m || !panel || blas_reserve(INT64_MAX, 0, err) < 0)
		goto out;
	for (int64_t k = 0; k < n; k++) {
		int64_t j = column_map_find(&s->columns.map, feature[k]);
		double *v = panel + n_panel * s->rank;

		/* a feature that does not occur has v = 0 */
		if (j >= 0) {
			row_space_vector(s, j, v);
			for (int64_t l = 0; weight && l < s->rank; l++)
				v[l] *= weight[k];
			n_panel++;
		}
		/* a product of matrices for each panel, not of vectors */
		if (n_panel == PANEL || k == n - 1) {
			blas_add_outer(m, s->rank, s->rank, 1, panel, n_panel);
			n_panel = 0;
		}
	}
	ret = conclude(c, m, 10 * (double)(s->rank + 1) * DBL_EPSILON, err);
out:
	mem_free_all(m, panel);
	return ret;
}

/* ---- Rows before and after ---- */

/* (3): the QR of X again, with y = X~'Q beside it. */
struct decomposition {
	struct csr rows, reduced; /* X and X~ by rows */
	double *stack;		  /* TALL_QR_TURNS d x d: L, and rows of X below it; then Q */
	double *y, *next;	  /* columns of X~ by d */
	double *full;		  /* rows of X~, PANEL at a time */
	struct triangle l;	  /* L, d x d, and its singular vectors and values */
};

/* The work on reduction_certify_rows(). */
struct comparison {
	const struct row_space *s;
	struct columns reduced; /* columns of the reduced data X~ */
	double *m;		/* matrix M, rank x rank */
	double *full;		/* X~ some columns at a time, n x PANEL */
	double *product;	/* n > d: X'X~ of the panel's columns, d x PANEL */
	double *b;		/* panel of the product with V, PANEL x rank */
	struct decomposition q; /* (3) */
};

/* w->full: columns first .. first + count - 1 of X~ with their zeros, by rows of 'count'. */
static void fill_columns(const struct comparison *w, int64_t first, int64_t count)
{
	const struct csr *x = &w->reduced.by_column;

	memset(w->full, 0, (size_t)(w->s->n_rows * count) * sizeof(*w->full));
	for (int64_t j = first; j < first + count; j++)
		for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
			w->full[x->col[k] * count + j - first] = x->val[k];
}

/* w->product = X'X~ for 'count' columns of X~ in w->full, X being scaled */
static void multiply_columns(const struct comparison *w, int64_t count)
{
	const struct csr *x = &w->s->columns.by_column;

	for (int64_t j = 0; j < x->n_rows; j++) {
		double *row = w->product + j * count;

		memset(row, 0, (size_t)count * sizeof(*row));
		for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
			blas_add_scaled(row, count, x->val[k], w->full + x->col[k] * count);
	}
}

/* w->b = rows first .. first + count - 1 of B, by (1) or (2) */
static int make_b(const struct comparison *w, int64_t first, int64_t count, struct error *err)
{
	const struct row_space *s = w->s;
	const bool of_rows = s->coefficient;
	/* (1): B = X~'T; (2): X'X~ of the panel, then the product with V */
	struct blas_factor panel = { of_rows ? w->full : w->product, count, BLAS_TRANSPOSED };
	struct blas_factor factor = { of_rows ? s->coefficient : s->basis, s->rank, BLAS_PLAIN };

	fill_columns(w, first, count);
	if (!of_rows)
		multiply_columns(w, count);
	if (blas_multiply(panel, factor, count, s->rank, of_rows ? s->n_rows : s->columns.n, 0,
			  w->b, s->rank, err) < 0)
		return -1;
	for (int64_t k = 0; k < count * s->rank; k++) {
		double value = s->singular_value[k % s->rank];

		/*
		 * T of the scaled matrix is 1 / scale times that of X; with V column k of B is divided
		 * twice by the k-th singular value of X, whose square might overflow
		 */
		w->b[k] = of_rows ? w->b[k] * s->scale : w->b[k] / (value * s->scale) / value;
	}
	return 0;
}

/* Memory for the panels of (1) or (2) */
static int prepare_panels(struct comparison *w, struct error *err)
{
	const struct row_space *s = w->s;

	w->full = mem_large(s->n_rows * PANEL, sizeof(double), err);
	/* (2) has d x PANEL numbers in between */
	if (!s->coefficient)
		w->product = mem_large(s->columns.n * PANEL, sizeof(double), err);
	return err->code == ERR_NONE ? blas_reserve(INT64_MAX, 0, err) : -1;
}

/* Memory for (3), and both matrices by rows; R and y begin as zeros. */
static int prepare_decomposition(struct comparison *w, struct error *err)
{
	struct decomposition *q = &w->q;
	int64_t d = w->s->columns.n, r = w->reduced.n;

	/* both matrices by rows, as QR takes blocks of rows */
	if (csr_transpose(&q->rows, &w->s->columns.by_column, err) < 0 ||
	    csr_transpose(&q->reduced, &w->reduced.by_column, err) < 0)
		return -1;
	q->stack = mem_large(TALL_QR_TURNS * d * d, sizeof(double), err);
	q->y = mem_zeroed(r * d, sizeof(double), err);
	q->next = mem_array(r * d, sizeof(double), err);
	q->full = mem_array(PANEL * r, sizeof(double), err);
	return err->code == ERR_NONE ? triangle_init(&q->l, d, err) : -1;
}

/* Rows first .. first + count - 1 of 'a' with their zeros, n_cols numbers each. */
static void fill_rows(const struct csr *a, int64_t first, int64_t count, double *full)
{
	for (int64_t i = 0; i < count; i++)
		csr_fill_row(a, first + i, full + i * a->n_cols);
}

/*
 * y <- [y, X~'] Q with the rows first .. first + count - 1 of X~: Q is that of the last block,
 * whose upper d rows turn what came before, and whose lower rows belong to the rows of this block.
 */
static int carry_along(struct decomposition *q, int64_t first, int64_t count, struct error *err)
{
	int64_t d = q->rows.n_cols, r = q->reduced.n_cols;
	struct blas_factor y = { q->y, d, BLAS_PLAIN }, full = { q->full, r, BLAS_TRANSPOSED };
	/* y and next change places at the end */
	double *swap = q->next;

	/* the product of the earlier blocks, turned by the upper d rows of Q */
	if (blas_multiply(y, (struct blas_factor){ q->stack, d, BLAS_PLAIN }, r, d, d, 0, q->next,
			  d, err) < 0)
		return -1;
	/* and the rows of this block, by the rows of Q below */
	for (int64_t i = 0; i < count; i += PANEL) {
		int64_t n = int64_min(count - i, PANEL);
		struct blas_factor below = { q->stack + (d + i) * d, d, BLAS_PLAIN };

		fill_rows(&q->reduced, first + i, n, q->full);
		if (blas_multiply(full, below, r, d, n, 1, q->next, d, err) < 0)
			return -1;
	}
	q->next = q->y;
	q->y = swap;
	return 0;
}

/* L, its singular values and y, 3 d rows at a time. */
static int decompose(struct decomposition *q, struct error *err)
{
	int64_t d = q->rows.n_cols, room = (TALL_QR_TURNS - 1) * d;

	/* R of the rows so far is on top of the next rows: QR of both is R of all */
	for (int64_t i = 0; i < q->rows.n_rows; i += room) {
		int64_t count = int64_min(q->rows.n_rows - i, room);

		memcpy(q->stack, q->l.r, (size_t)(d * d) * sizeof(double));
		fill_rows(&q->rows, i, count, q->stack + d * d);
		if (blas_qr(q->stack, d + count, d, q->l.r, true, err) < 0 ||
		    carry_along(q, i, count, err) < 0)
			return -1;
	}
	return triangle_decompose(&q->l, err);
}

/*
 * w->b = rows first .. first + count - 1 of B, by (3).  The basis is that of this decomposition,
 * not of 's': M differs by a rotation, which leaves its eigenvalues as they are.
 */
static int make_b_again(const struct comparison *w, int64_t first, int64_t count, struct error *err)
{
	int64_t rank = w->s->rank, d = w->s->columns.n;
	struct blas_factor y = { w->q.y + first * d, d, BLAS_PLAIN };
	struct blas_factor left = { w->q.l.left, d, BLAS_PLAIN };

	if (blas_multiply(y, left, count, rank, d, 0, w->b, rank, err) < 0)
		return -1;
	for (int64_t k = 0; k < count * rank; k++)
		/* (3): times 1 / value, the singular values being those of 'scale' X */
		w->b[k] = w->b[k] / w->q.l.value[k % rank] * w->s->scale;
	return 0;
}

/* M by (3) if 'again', else by (1) or (2) */
static int add_panels(struct comparison *w, bool again, struct error *err)
{
	int64_t rank = w->s->rank;

	w->m = mem_zeroed(rank * rank, sizeof(double), err);
	w->b = mem_array(PANEL * rank, sizeof(double), err);
	if (!w->m || !w->b ||
	    (again ? prepare_decomposition(w, err) < 0 || decompose(&w->q, err) < 0 :
		     prepare_panels(w, err) < 0))
		return -1;
	for (int64_t j = 0; j < w->reduced.n; j += PANEL) {
		int64_t count = int64_min(w->reduced.n - j, PANEL);

		if ((again ? make_b_again : make_b)(w, j, count, err) < 0)
			return -1;
		/* rows of B one after the other: M needs only their sum */
		blas_add_outer(w->m, rank, rank, 1, w->b, count);
	}
	return 0;
}

/* (5): 'lost' is the factor by which the way to B multiplies rounding. */
int reduction_certify_rows(struct reduction_certificate *c, const struct row_space *s,
			   const struct csr *reduced, struct error *err)
{
	/* (3) where the basis came from QR and rows are more than columns */
	bool again = s->by_qr && !s->coefficient;
	/* digits lost: kappa by (1) and (3), its square by (2) */
	double kappa = s->rank > 0 ? s->singular_value[0] / s->singular_value[s->rank - 1] : 1;
	double lost = s->coefficient || again ? kappa : kappa * kappa;
	double size = (double)(s->n_rows + s->columns.n);
	struct comparison w = { .s = s };
	int ret = -1;

	*c = (struct reduction_certificate){ .rank = s->rank };
	if (reduced->n_rows != s->n_rows)
		return error_set(err, ERR_ARGUMENT, "%" PRId64 " rows and %" PRId64 " reduced ones",
				 s->n_rows, reduced->n_rows);
	if (columns_init(&w.reduced, reduced, NULL, err) < 0)
		return -1;
	c->n_columns = w.reduced.n;
	if (add_panels(&w, again, err) == 0)
		ret = conclude(c, w.m, 10 * sqrt(size) * DBL_EPSILON * lost, err);
	columns_free(&w.reduced);
	csr_free(&w.q.rows);
	csr_free(&w.q.reduced);
	mem_free_all(w.m, w.full, w.product, w.b, w.q.stack, w.q.y, w.q.next, w.q.full);
	triangle_free(&w.q.l);
	return ret;
}

/* ---- Sizes of reductions ---- */

/*
 * How this works.  Formulas for the number r of columns that keep the error of a space of dimension
 * rho, or of a squared margin in it (2, 3), within epsilon:
 *
 *     bss     r = rho / (sqrt(1 + epsilon) - 1)^2,  more than rho in any case                   (a)
 *     paper   r = 36 rho / epsilon^2                                                            (b)
 *     margin  r = rho / (1 - sqrt(1 - epsilon))^2                                               (c)
 *
 * All are rounded up, and cut at the largest 64-bit number.
 */

static int64_t rounded_up(double size)
{
	/* a size beyond 2^62 is as good as infinite */
	return size < 0x1p62 ? (int64_t)ceil(size) : INT64_MAX;
}

int64_t sizes_for_error(int64_t rank, double epsilon)
{
	/* sqrt(1 + epsilon) - 1 without the cancellation for a small epsilon */
	double excess = epsilon / (sqrt(1 + epsilon) + 1);

	/* (a): with no more columns than dimensions a direction would be lost */
	return int64_max(rounded_up((double)rank / (excess * excess)), rank + 1);
}

int64_t sizes_of_paper(int64_t rank, double epsilon)
{
	/* (b): the bound that the paper states */
	return rounded_up(36 * (double)rank / (epsilon * epsilon));
}

int64_t sizes_for_margin(int64_t rank, double epsilon)
{
	/* 1 - sqrt(1 - epsilon) without the cancellation for a small epsilon */
	double excess = epsilon / (sqrt(1 - epsilon) + 1);

	return int64_max(rounded_up((double)rank / (excess * excess)), rank + 1); /* (c) */
}
