/*
 * centred.c - sparse rows less their mean, and products with them
 *
 * How this works.  See (1) of centred.h.  Centring all columns by u would lose the digits that a
 * mean and the entries of its column have in common; in a column of few entries the mean is small
 * beside them, so nothing is lost.  So a column has its mean in u where at most half of the rows
 * have entries of it (2), which bounds Y to twice the entries of X, and is filled else (3).
 *
 * Products are made in blocks of rows that do not depend on the number of threads, so that neither
 * do the bits.
 *
 * The two products, in blocks of BLOCK rows of the result:
 *
 *      X_c B   = Y B  - 1 (u'B)       by_row:     row i of Y selects rows of B; left 1, right u
 *      X_c' C  = Y'C  - u (1'C)       by_column:  row j of Y' likewise;         left u, right 1
 *
 * u'B or 1'C is computed once, by the caller's thread; each block then starts from minus left times
 * it, and adds its entries in their order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/centred.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"

enum { BLOCK = 16 /* rows of a product that a thread takes at a time */ };

void centred_free(struct centred *c)
{
	csr_free(&c->by_row);
	csr_free(&c->by_column);
	mem_free_all(c->u, c->one);
}

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
	/* (2): few entries: the column stays sparse, and the column's mean goes to u */
	if (2 * column.n <= c->n)
		return csr_append_row(&c->by_column, column, err);
	/* (3): rows without an entry have minus the mean */
	full->taken = entry_sum(x, j) / (double)c->n;
	for (int64_t i = 0; i < c->n; i++) {
		full->row[i] = (int32_t)i;
		full->value[i] = -full->taken;
	}
	for (int64_t k = 0; k < column.n; k++)
		full->value[column.col[k]] = column.val[k] - full->taken;
	return csr_append_row(&c->by_column, (struct csr_row){ c->n, full->row, full->value }, err);
}

/* (1): Y, u, and the means of X in mean[0 .. d-1], from X by columns */
static int centre(struct centred *c, const struct csr *x, double *mean, struct error *err)
{
	struct full_column full = { .row = mem_array(c->n, sizeof(*full.row), err),
				    .value = mem_array(c->n, sizeof(*full.value), err) };
	int ret = full.row && full.value ? 0 : -1;

	for (int64_t j = 0; j < c->d && ret == 0; j++) {
		c->squares += csr_row_norm2(x, j);
		if (interruption_check(err) < 0 || add_column(c, x, j, &full, err) < 0) {
			ret = -1;
			break;
		}
		/* the mean of the column in Y: all of it, or what rounding left after 'taken' */
		c->u[j] = entry_sum(&c->by_column, j) / (double)c->n;
		mean[j] = (full.taken + c->u[j]) / c->scale;
	}
	c->by_column.n_cols = c->n;
	mem_free_all(full.row, full.value);
	return ret;
}

int centred_init(struct centred *c, struct pca *p, struct columns *x, struct error *err)
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

/* ---- Products with X_c and its transpose ---- */

/* One of the two products of (1): out = A B - left weighted' */
struct product {
	const struct csr *a;	/* the sparse factor: Y or Y' */
	const double *left;	/* left vector of the rank-one term, 1 or u */
	const double *b;	/* right factor B, a->n_cols x width */
	const double *weighted; /* right vector of the rank-one term, u'B or 1'B */
	double *out;		/* product, a->n_rows x width */
	int64_t width;
};

/* Row i of the product */
static void product_row(void *arg, int64_t i, void *room)
{
	const struct product *w = arg;
	double *out = w->out + i * w->width;

	(void)room;
	for (int64_t t = 0; t < w->width; t++)
		out[t] = -w->left[i] * w->weighted[t];
	for (int64_t k = w->a->row_start[i]; k < w->a->row_start[i + 1]; k++)
		blas_add_scaled(out, w->width, w->a->val[k], w->b + w->a->col[k] * w->width);
}

int centred_multiply(const struct centred *c, bool transposed, const double *b, int64_t width,
		     double *out, struct error *err)
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
