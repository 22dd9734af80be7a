/*
 * pca.c - the principal components of sparse rows
 *
 * How this works.  The components are the right singular vectors V of the centred rows
 *
 *     X_c = X - 1 mean' = U diag(s) V'                                         (1)
 *
 * where centred_multiply() takes X_c, full as it is, without writing it out: columns with large
 * means have them taken off, the others keep their zeros and have their means in u,
 *
 *     X_c = Y - 1 u'                                                           (2)
 *
 * Which way to (1) depends on the size, m = min(n, d) being the smaller side:
 *
 *  (3) m small: eigenvalues of the m x m matrix X_c X_c' (its eigenvectors are U, V = X_c'U / s)
 *      or X_c'X_c (they are V).  Fast, but eigenvalues are s^2: an s below 1e-4 of the largest
 *      has lost half of its digits, and 1e-8 all of them.
 *  (4) m small, and (3) left such values: QR of X_c and the singular values of R, which loses none.
 *      For n > d R alone is needed, which takes rows as they come; for n <= d X_c' is filled.
 *  (5) m large, or (4) too large: random sketches.  Q, orthonormal, spans (X_c X_c')^4 X_c Omega
 *      for normal numbers Omega; the singular values of Q'X_c are nearly the largest of X_c.  The
 *      power makes large ones stand out of the rest; orthonormal columns in between keep small
 *      ones from drowning in rounding.
 *
 * Both (4) and (5) end with V = Q' left from X_c'Q = Q' R, R = left diag(s) right (6).
 *
 * Products are made in blocks of rows that do not depend on the number of threads, so that neither
 * do the bits.  CPU seconds: reuters-moneyfx 7,770 x 8,315, k = 100, 0.8; 1,000 rows of 20news 0.2;
 * 20news 11,314 x 44,641 by (5), k = 100, 3.4.
 *
 * Source: Halko, Martinsson, Tropp 2011, SIAM Review 53, algorithms 4.4 and 5.1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/interruption.h"
#include "base/rng.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "matrix/columns.h"
#include "matrix/gram.h"
#include "matrix/tall_qr.h"
#include "project/pca.h"

/*
 * (3) settles eigenvalues down to this share of the largest: their rounding error, some DBL_EPSILON
 * of the largest, is then 1e-8 of them, and their vectors are good to 1e-8.
 */
#define CLEAR_SHARE 1e-8

enum {
	/* columns of a sketch beyond the components wanted; 5 to 10 are usual (Halko et al. 4.2) */
	MORE_COLUMNS = 10,
	/*
	 * worst relative error of a singular value on a matrix where they fall slowly: 38 % without
	 * a step, 7 % after one, 4 % after two, 0.4 % after four
	 */
	POWER_STEPS = 4,
	/* rows of a product that a thread takes at a time */
	BLOCK = 16
};

/* ---- Sparse rows less their mean, and products with them ---- */

/*
 * X_c = X - 1 mean' is full where X is sparse, and is never written out:
 *
 *     X_c = Y - 1 u',   X_c B = Y B - 1 (u'B),   X_c'B = Y'B - u (1'B)         (7)
 *
 * Centring all columns by u would lose the digits that a mean and the entries of its column have in
 * common; in a column of few entries the mean is small beside them, so nothing is lost.  So a
 * column has its mean in u where at most half of the rows have entries of it (8), which bounds Y to
 * twice the entries of X, and is centred entry by entry else, and filled (9).
 *
 * The two products, in blocks of BLOCK rows of the result:
 *
 *      X_c B   = Y B  - 1 (u'B)       by_row:     row i of Y selects rows of B; left 1, right u
 *      X_c' C  = Y'C  - u (1'C)       by_column:  row j of Y' likewise;         left u, right 1
 *
 * u'B or 1'C is computed once, by the caller's thread; each block then starts from minus left times
 * it, and adds its entries in their order.
 */

/* X_c of (7), times a power of two that keeps squares in range, and the threads for products. */
struct centred {
	int n_threads;
	int64_t n, d;
	double scale;	      /* scale of X_c, a power of two */
	double squares;	      /* |X|_F^2, of the scaled X */
	struct csr by_row;    /* matrix Y by rows, n x d */
	struct csr by_column; /* transpose Y' by rows, d x n */
	double *u;	      /* means of the columns of Y, d */
	double *one;	      /* vector of n ones */
};

/* The sum of the entries of a row */
static double entry_sum(const struct csr *a, int64_t row)
{
	double sum = 0;

	for (int64_t k = a->row_start[row]; k < a->row_start[row + 1]; k++)
		sum += a->val[k];
	return sum;
}

/* A column with all of its n rows, less the mean that was 'taken' from it. */
struct full_column {
	int32_t *row;
	double *value;
	double taken;
};

/*
 * Append column j of X to c->by_column, less its mean if more than half of the rows have it;
 * full->taken is what was subtracted.
 */
static int add_column(struct centred *c, const struct csr *x, int64_t j, struct full_column *full,
		      struct error *err)
{
	const struct csr_row column = csr_row_of(x, j);

	full->taken = 0;
	/* (8): few entries: the column stays sparse, and the column's mean goes to u */
	if (2 * column.n <= c->n)
		return csr_append_row(&c->by_column, column, err);
	/* (9): rows without an entry have minus the mean */
	full->taken = entry_sum(x, j) / (double)c->n;
	for (int64_t i = 0; i < c->n; i++) {
		full->row[i] = (int32_t)i;
		full->value[i] = -full->taken;
	}
	for (int64_t k = 0; k < column.n; k++)
		full->value[column.col[k]] = column.val[k] - full->taken;
	return csr_append_row(&c->by_column, (struct csr_row){ c->n, full->row, full->value }, err);
}

/* (7): Y, u, and the means of X in mean[0 .. d-1], from X by columns */
static int centre(struct centred *c, const struct csr *x, double *mean, struct error *err)
{
	struct full_column full = { .row = mem_array(c->n, sizeof(*full.row), err),
				    .value = mem_array(c->n, sizeof(*full.value), err) };
	int ret = full.row && full.value ? 0 : -1;

	for (int64_t j = 0; j < c->d && ret == 0; j++) {
		c->squares += csr_row_norm2(x, j);
		ret = interruption_check(err) < 0 ? -1 : add_column(c, x, j, &full, err);
		if (ret < 0)
			break;
		/* the mean of the column in Y: all of it, or what rounding left after 'taken' */
		c->u[j] = entry_sum(&c->by_column, j) / (double)c->n;
		mean[j] = (full.taken + c->u[j]) / c->scale;
	}
	c->by_column.n_cols = c->n;
	mem_free_all(full.row, full.value);
	return ret;
}

/*
 * X_c from the columns 'x', of values times c->scale.
 *
 * Their features and means become those of 'p'.  '*c' has its n_threads and scale, and is zero
 * else; the caller frees it, after a failure (ERR_MEMORY) too.
 */
static int centred_init(struct centred *c, struct pca *p, struct columns *x, struct error *err)
{
	c->n = x->n_rows;
	c->d = x->n;
	p->n_features = x->n;
	p->feature = x->feature;
	x->feature = NULL;
	p->mean = mem_array(c->d, sizeof(double), err);
	c->u = mem_array(c->d, sizeof(double), err);
	c->one = mem_array(c->n, sizeof(double), err);
	if (!p->mean || !c->u || !c->one)
		return -1;
	for (int64_t i = 0; i < c->n; i++)
		c->one[i] = 1;
	if (centre(c, &x->by_column, p->mean, err) < 0)
		return -1;
	return csr_transpose(&c->by_row, &c->by_column, err);
}

/* One of the two products of (7): out = A B - left weighted' */
struct product {
	const struct csr *a;	/* the sparse factor: Y or Y' */
	const double *left;	/* left vector of the rank-one term, 1 or u */
	const double *b;	/* right factor B, a->n_cols x width */
	const double *weighted; /* right vector of the rank-one term, u'B or 1'B */
	double *out;		/* product, a->n_rows x width */
	int64_t width;
};

/* Row i of the product */
static void product_row(void *arg, int64_t i, void *room UNUSED)
{
	const struct product *w = arg;
	double *out = w->out + i * w->width;

	for (int64_t t = 0; t < w->width; t++)
		out[t] = -w->left[i] * w->weighted[t];
	for (int64_t k = w->a->row_start[i]; k < w->a->row_start[i + 1]; k++)
		blas_add_scaled(out, w->width, w->a->val[k], w->b + w->a->col[k] * w->width);
}

/*
 * out = X_c b, or with 'transposed' X_c' b.
 *
 * 'b' has 'width' columns, and so has 'out'; both are stored by rows.  O(entries width); the bits
 * do not depend on the number of threads.  Fails with ERR_MEMORY, or where there is no BLAS.
 */
static int centred_multiply(const struct centred *c, bool transposed, const double *b,
			    int64_t width, double *out, struct error *err)
{
	const struct csr *a = transposed ? &c->by_column : &c->by_row;
	const double *right = transposed ? c->one : c->u;
	double *weighted = mem_zeroed(width, sizeof(*weighted), err);
	struct product w = { .a = a,
			     .left = transposed ? c->u : c->one,
			     .b = b,
			     .weighted = weighted,
			     .out = out,
			     .width = width };
	int ret;

	if (!weighted || blas_load(err) < 0) {
		mem_free(weighted);
		return -1;
	}
	for (int64_t k = 0; k < a->n_cols; k++)
		blas_add_scaled(weighted, width, right[k], b + k * width);
	ret = thread_each(c->n_threads, a->n_rows, BLOCK, 0, product_row, &w, err);
	mem_free(weighted);
	return ret;
}

/* ---- Of few rows or few features: eigenvalues of products of pairs ---- */

/*
 * g = Y Y', its lower triangle, becomes X_c X_c': g_il + |u|^2 - y_i'u - y_l'u.  That cancels
 * little, since columns with large means have none left in u.
 */
static int centre_rows(const struct centred *c, double *g, struct error *err)
{
	double *share = mem_array(c->n, sizeof(*share), err);
	const double norm2 = squared_norm(c->u, c->d);

	if (!share)
		return -1;
	for (int64_t i = 0; i < c->n; i++)
		share[i] = csr_row_dot(&c->by_row, i, c->u);
	for (int64_t i = 0; i < c->n; i++)
		for (int64_t l = 0; l <= i; l++)
			g[i * c->n + l] += norm2 - share[i] - share[l];
	mem_free(share);
	return 0;
}

/* g = Y'Y, its lower triangle, becomes X_c'X_c: g_jl - n u_j u_l, as 1'Y = n u' */
static int centre_columns(const struct centred *c, double *g, struct error *err UNUSED)
{
	for (int64_t j = 0; j < c->d; j++)
		for (int64_t l = 0; l <= j; l++)
			g[j * c->d + l] -= (double)c->n * c->u[j] * c->u[l];
	return 0;
}

/*
 * A singular value that rounding alone can make: 10 max(n, d) DBL_EPSILON of the largest, or, since
 * the means are rounded as well, of |X|_F
 */
static double noise(const struct centred *c, double largest)
{
	double share = 10 * (double)int64_max(c->n, c->d) * DBL_EPSILON;

	return share * fmax(largest, sqrt(c->squares));
}

/*
 * The number of the m eigenvalues (ascending), n_wanted at most, that are above what rounding can
 * make; '*clear' says whether all of these are large enough for their vectors to be right.
 */
static int64_t count_values(const struct centred *c, const double *value, int64_t m,
			    int64_t n_wanted, bool *clear)
{
	double largest = value[m - 1], small = noise(c, 0);
	double zero =
		fmax(10 * (double)int64_max(c->n, c->d) * DBL_EPSILON * largest, small * small);
	int64_t rank = 0;

	*clear = true;
	for (; rank < m && rank < n_wanted && value[m - 1 - rank] > zero; rank++)
		*clear = *clear && value[m - 1 - rank] >= CLEAR_SHARE * largest;
	return rank;
}

/* b[i][t] = entry i of the t-th last row of g, an eigenvector, over its value if 'divided' */
static void take_vectors(double *b, const double *g, int64_t m, const struct pca *p, bool divided)
{
	for (int64_t t = 0; t < p->n_components; t++) {
		const double *z = g + (m - 1 - t) * m;
		double divisor = divided ? p->singular_value[t] : 1;

		for (int64_t i = 0; i < m; i++)
			b[i * p->n_components + t] = z[i] / divisor;
	}
}

/* V = X_c'(Q / s), for eigenvectors Q of X_c X_c' */
static int vectors_of_rows(struct pca *p, const struct centred *c, const double *g,
			   struct error *err)
{
	int64_t k = p->n_components;
	double *b = mem_array(c->n * k, sizeof(*b), err);
	int ret = -1;

	if (b) {
		take_vectors(b, g, c->n, p, true);
		ret = centred_multiply(c, true, b, k, p->component, err);
	}
	mem_free(b);
	return ret;
}

/* Memory for k components of d features. */
static int make_room(struct pca *p, int64_t d, int64_t k, struct error *err)
{
	p->n_components = k;
	p->singular_value = mem_array(k, sizeof(double), err);
	p->component = mem_array(d * k, sizeof(double), err);
	return p->singular_value && p->component ? 0 : -1;
}

/* (3).  Returns 1 with the components, 0 if some eigenvalues are too small for it, or -1. */
static int fit_by_products(struct pca *p, const struct centred *c, const struct pca_options *o,
			   struct error *err)
{
	bool few_rows = c->n <= c->d, clear;
	const struct csr *a = few_rows ? &c->by_row : &c->by_column;
	const struct csr *t = few_rows ? &c->by_column : &c->by_row;
	int64_t m = a->n_rows, k;
	double *g = mem_keep(m * m, sizeof(*g), err), *value = mem_array(m, sizeof(*value), err);
	int ret = -1;

	/* Y Y' or Y'Y becomes X_c X_c' or X_c'X_c: sparse products, and a correction by u */
	if (!g || !value || gram_rows(a, t, g, c->n_threads, err) < 0 ||
	    (few_rows ? centre_rows : centre_columns)(c, g, err) < 0 ||
	    blas_symmetric_eigen(g, m, value, true, err) < 0)
		goto out;
	/* where eigenvalues are not clear, (4) or (5) follows */
	k = count_values(c, value, m, o->n_components, &clear);
	ret = clear ? make_room(p, c->d, k, err) : 0;
	if (!clear || ret < 0)
		goto out;
	/* s^2 ascend; V = X_c'U / s, or the eigenvectors themselves */
	for (int64_t l = 0; l < k; l++)
		p->singular_value[l] = sqrt(value[m - 1 - l]);
	if (few_rows)
		ret = vectors_of_rows(p, c, g, err);
	else
		take_vectors(p->component, g, m, p, false);
	ret = ret < 0 ? -1 : 1;
out:
	mem_free_all(g, value);
	return ret;
}

/* ---- Components of many features: sketches ---- */

/* (5) and (6): the matrices of l columns that come out of products, and the small ones of (6) */
struct pca_sketch {
	int64_t width;		    /* width l of the sketch */
	double *by_row, *by_column; /* matrices of l columns: n x l, d x l */
	struct triangle small;	    /* factors of the small problem, l x l */
};

/* Arguments of the tasks that draw Omega, a row each. */
struct start {
	const struct pca *p;
	struct pca_sketch *s;
	uint64_t seed;
};

/* Row j of Omega: normal numbers drawn for its feature, whatever other features there are */
static void start_row(void *arg, int64_t j, int thread UNUSED)
{
	const struct start *w = arg;
	uint32_t id = (uint32_t)w->p->feature[j] - 1;
	double *row = w->s->by_column + j * w->s->width;

	for (int64_t t = 0; t < w->s->width; t += 2) {
		double z[2];

		rng_normals(rng_draw(w->seed, RNG_SVD_START, id, (uint32_t)(t / 2)), z);
		row[t] = z[0];
		if (t + 1 < w->s->width)
			row[t + 1] = z[1];
	}
}

/*
 * (5), from s->by_column = Omega to s->by_column = X_c'Q.  Each step multiplies by X_c, makes the
 * columns orthonormal, and multiplies by X_c'; the first has nothing to make orthonormal before.
 */
static int power_steps(struct pca_sketch *s, const struct centred *c, struct error *err)
{
	int64_t l = s->width;

	/* without orthonormal columns all would turn to the largest singular vector */
	for (int step = 0; step <= POWER_STEPS; step++)
		if ((step > 0 && tall_qr(s->by_column, c->d, l, NULL, c->n_threads, err) < 0) ||
		    centred_multiply(c, false, s->by_column, l, s->by_row, err) < 0 ||
		    tall_qr(s->by_row, c->n, l, NULL, c->n_threads, err) < 0 ||
		    centred_multiply(c, true, s->by_row, l, s->by_column, err) < 0)
			return -1;
	return 0;
}

/*
 * Of n singular values (descending) keep those that are wanted and more than rounding, and get
 * memory for their components.
 */
static int keep_values(struct pca *p, const struct centred *c, const struct pca_options *o,
		       const double *value, int64_t n, struct error *err)
{
	int64_t k = 0;

	while (k < n && k < o->n_components && value[k] > noise(c, value[0]))
		k++;
	if (make_room(p, c->d, k, err) < 0)
		return -1;
	memcpy(p->singular_value, value, (size_t)k * sizeof(*value));
	return 0;
}

/* (6), from s->by_column = X_c'Q */
static int keep_sketch(struct pca *p, struct pca_sketch *s, const struct centred *c,
		       const struct pca_options *o, struct error *err)
{
	int64_t l = s->width;
	int ret = -1;

	/*
	 * X_c'Q = Q' R in place, then R = left diag(s) right; V = Q' left, of its columns those
	 * that are wanted
	 */
	if (tall_qr(s->by_column, c->d, l, s->small.r, c->n_threads, err) == 0 &&
	    triangle_decompose(&s->small, err) == 0 &&
	    keep_values(p, c, o, s->small.value, l, err) == 0)
		ret = blas_multiply((struct blas_factor){ s->by_column, l, BLAS_PLAIN },
				    (struct blas_factor){ s->small.left, l, BLAS_PLAIN }, c->d,
				    p->n_components, l, 0, p->component, p->n_components, err);
	return ret;
}

/* (4) for n <= d: Q of a sketch as wide as the matrix has rows is the identity */
static int whole_sketch(struct pca_sketch *s, const struct centred *c, struct error *err)
{
	memset(s->by_row, 0, (size_t)(c->n * c->n) * sizeof(double));
	for (int64_t i = 0; i < c->n; i++)
		s->by_row[i * c->n + i] = 1;
	return centred_multiply(c, true, s->by_row, c->n, s->by_column, err);
}

/*
 * (5); a sketch has no more columns than the matrix has rows or columns.  A whole one is exact, and
 * for n <= d.
 */
static int fit_sketch(struct pca *p, const struct centred *c, const struct pca_options *o,
		      bool whole, struct error *err)
{
	int64_t most = int64_min(c->n, c->d),
		width = int64_min(most, o->n_components + MORE_COLUMNS);
	struct pca_sketch s = { .width = whole ? c->n : width };
	struct start start = { p, &s, o->seed };
	int ret = -1;

	s.by_row = mem_large(c->n * s.width, sizeof(double), err);
	s.by_column = mem_large(c->d * s.width, sizeof(double), err);
	if (s.by_row && s.by_column)
		ret = triangle_init(&s.small, s.width, err);
	if (ret == 0 && whole)
		ret = whole_sketch(&s, c, err);
	else if (ret == 0)
		ret = thread_interruptible_for(c->n_threads, c->d, start_row, &start, err) == 0 ?
			      power_steps(&s, c, err) :
			      -1;
	if (ret == 0)
		ret = keep_sketch(p, &s, c, o, err);
	mem_free_all(s.by_row, s.by_column);
	triangle_free(&s.small);
	return ret;
}

/* ---- Exact components by QR ---- */

/* (4) for n > d: X_c = Q R, R = left diag(s) right, V = right'; Q is not needed */
static int fit_many_rows(struct pca *p, const struct centred *c, const struct pca_options *o,
			 struct error *err)
{
	int64_t d = c->d;
	struct triangle r;
	int ret = -1;

	if (triangle_init(&r, d, err) == 0 && tall_qr_triangle(&c->by_row, c->u, r.r, err) == 0 &&
	    triangle_decompose(&r, err) == 0)
		ret = keep_values(p, c, o, r.value, d, err);
	for (int64_t j = 0; j < d && ret == 0; j++)
		for (int64_t t = 0; t < p->n_components; t++)
			p->component[j * p->n_components + t] = r.right[t * d + j];
	triangle_free(&r);
	return ret;
}

/* (3) if it settles the components; else (4), or (5) if the filled matrices take too much memory */
static int fit_small(struct pca *p, const struct centred *c, const struct pca_options *o,
		     struct error *err)
{
	int ret = fit_by_products(p, c, o, err);

	if (ret != 0)
		return ret < 0 ? -1 : 0;
	if (c->n > c->d)
		return fit_many_rows(p, c, o, err);
	/* bytes for X_c' filled (8), what tall_qr() takes (3) and V (8), an entry */
	return fit_sketch(p, c, o, 19. * (double)c->n * (double)c->d <= (double)PCA_MAX_BYTES, err);
}

/* ---- All ways ---- */

/* Each component's entry of largest size becomes positive: signs of an SVD are arbitrary. */
static int set_signs(struct pca *p, struct error *err)
{
	int64_t k = p->n_components;
	double *largest = mem_zeroed(k, sizeof(*largest), err);

	if (!largest)
		return -1;
	for (int64_t e = 0; e < p->n_features * k; e++)
		if (fabs(p->component[e]) > fabs(largest[e % k]))
			largest[e % k] = p->component[e];
	for (int64_t e = 0; e < p->n_features * k; e++)
		if (largest[e % k] < 0)
			p->component[e] = -p->component[e];
	mem_free(largest);
	return 0;
}

int pca_fit(struct pca *p, const struct csr *x, const struct pca_options *options,
	    struct error *err)
{
	int64_t max_exact = options->max_exact > 0 ? options->max_exact : PCA_MAX_EXACT;
	struct columns columns = { 0 };
	struct centred c = { .n_threads = options->n_threads };
	int ret = -1;

	*p = (struct pca){ 0 };
	if (x->n_rows == 0)
		return error_set(err, ERR_ARGUMENT, "no rows to find components of");
	if (columns_init(&columns, x, &c.scale, err) < 0 || centred_init(&c, p, &columns, err) < 0)
		goto out;
	columns_free(&columns);
	if (c.d == 0)
		ret = 0;
	else if (c.n <= max_exact || c.d <= max_exact)
		ret = fit_small(p, &c, options, err);
	else
		ret = fit_sketch(p, &c, options, false, err);
	if (ret < 0)
		goto out;
	/* X was scaled to keep squares in range; V does not change with the scale */
	for (int64_t t = 0; t < p->n_components; t++)
		p->singular_value[t] /= c.scale;
	ret = -1;
	if (p->n_components > 0 && !isfinite(p->singular_value[0]))
		error_set(err, ERR_NUMERIC, "values are too large for principal components");
	else if (set_signs(p, err) == 0)
		ret = pca_prepare(p, err);
out:
	columns_free(&columns);
	csr_free(&c.by_row);
	csr_free(&c.by_column);
	mem_free_all(c.u, c.one);
	if (ret < 0)
		pca_free(p);
	return ret;
}

/* ---- Rows turned to their principal components ---- */

/*
 * z = (x - mean) V = x V - mean V: a row is not centred, which would fill it; its entries select
 * rows of V, and the offset mean V, the same for all rows, is computed once.  With means far from 0
 * that loses the digits that x V and mean V have in common, which centring first would keep.
 *
 * Layout: feature[j] is the j-th feature that occurred in training, mean[j] its mean, and row j of
 * component, k numbers, its entries in the k components; the map finds j from a feature.  A row
 * then costs k additions for each of its entries.  Features that did not occur in training have no
 * row of V: their values are left out.
 *
 * A pca is only read by pca_apply(): threads may share it.
 */

void pca_free(struct pca *p)
{
	mem_free_all(p->feature, p->mean, p->component, p->singular_value, p->offset);
	column_map_free(&p->map);
	*p = (struct pca){ 0 };
}

int pca_prepare(struct pca *p, struct error *err)
{
	int64_t row_start[] = { 0, p->n_features }, k = p->n_components;
	struct csr all = { .n_rows = 1, .row_start = row_start, .col = p->feature };

	/* column_map_init() numbers features as they occur: in one row with all, in order */
	if (column_map_init(&p->map, &all, err) < 0)
		return -1;
	p->offset = mem_zeroed(k, sizeof(*p->offset), err);
	if (!p->offset || blas_load(err) < 0)
		return -1;
	for (int64_t j = 0; j < p->n_features; j++)
		blas_add_scaled(p->offset, k, p->mean[j], p->component + j * k);
	return 0;
}

int pca_apply(const struct pca *p, struct row_range rows, struct row_batch *out, struct error *err)
{
	const struct row_batch *in = rows.in;
	int64_t k = p->n_components;
	double *z = mem_array(k, sizeof(*z), err);

	int ret = row_batch_reserve(out, rows.n, rows.n * k, in->has_text, err);

	if (!z)
		ret = -1;
	for (int64_t i = rows.first; ret == 0 && i < rows.first + rows.n; i++) {
		for (int64_t t = 0; t < k; t++)
			z[t] = -p->offset[t];
		for (int64_t e = in->row_start[i]; e < in->row_start[i + 1]; e++) {
			int64_t j = column_map_find(&p->map, in->index[e]);

			if (j >= 0)
				blas_add_scaled(z, k, in->value[e], p->component + j * k);
		}
		for (int64_t t = 0; t < k; t++)
			if (z[t] != 0)
				row_batch_put(out, (int32_t)(t + 1), z[t]);
		row_batch_end_mapped(out, in, i);
	}
	mem_free(z);
	return ret;
}
