/*
 * tall_qr.c - Householder QR of matrices far longer than wide, some rows at a time
 *
 * How this works.  Householder's QR of an m x n matrix passes n times over all of it.  For m far
 * above n blocks of rows that fit the cache are better, and threads can share them:
 *
 *     a_i = Q_i R_i               for each block a_i of rows                   (1)
 *     [R_1; ...; R_k] = Q R       the stack of the R_i, by the same method     (2)
 *     a = diag(Q_i) Q R           so Q_i times its n rows of Q is Q of a_i     (3)
 *
 * Each product is one of orthonormal columns, so the result is as orthonormal as Householder's own,
 * whatever the condition of a.  (The Cholesky factor of a'a would be faster, and lose the squares
 * of small singular values.)  A block has TALL_QR_TURNS n rows, so the stack of (2) is a quarter of
 * the matrix: (1) takes 4 m n^2 operations, (3) 2 m n^2, and the stacks of stacks a third more, 8 m
 * n^2 in all.  Taller blocks would make the stack smaller, but leave the cache.
 *
 * Only R wanted: rows are put under the R so far, 3 n at a time, and reduced again (4); no Q is
 * formed, and memory does not depend on m.
 *
 * The blocks depend on m and n alone, not on threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/tall_qr.h"

#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"

/* Least number of rows of a block: narrow matrices then make few calls and few small stacks. */
#define LEAST_ROWS 512

/* Blocks of equal height; the last one has the rows that are left over as well. */
struct blocks {
	double *a;
	int64_t m, n;
	int64_t n_blocks, n_rows; /* rows of a block */
	double *stack;		  /* n_blocks of n x n: the R_i, then the parts of Q of (2) */
	struct error *error;	  /* error of each thread */
};

static int64_t rows_of_block(const struct blocks *b, int64_t i)
{
	return i < b->n_blocks - 1 ? b->n_rows : b->m - i * b->n_rows;
}

/* (1): block i becomes Q_i in place; R_i goes to the stack */
static void decompose_block(void *arg, int64_t i, int thread)
{
	const struct blocks *b = arg;

	blas_qr(b->a + i * b->n_rows * b->n, rows_of_block(b, i), b->n, b->stack + i * b->n * b->n,
		true, &b->error[thread]);
}

/* (3): Q_i <- Q_i times the block of rows of Q that belongs to Q_i */
static void turn_block(void *arg, int64_t i, int thread)
{
	const struct blocks *b = arg;
	int64_t n = b->n, n_rows = rows_of_block(b, i);
	double *q = b->a + i * b->n_rows * n;
	double *turned = mem_array(n_rows * n, sizeof(*turned), &b->error[thread]);

	if (turned && blas_multiply((struct blas_factor){ q, n, BLAS_PLAIN },
				    (struct blas_factor){ b->stack + i * n * n, n, BLAS_PLAIN },
				    n_rows, n, n, 0, turned, n, &b->error[thread]) == 0)
		memcpy(q, turned, (size_t)(n_rows * n) * sizeof(*q));
	mem_free(turned);
}

/* All blocks, on all threads; -1 with the error of the lowest thread that has one. */
static int for_blocks(struct blocks *b, void (*task)(void *arg, int64_t i, int thread),
		      int n_threads, struct error *err)
{
	if (thread_interruptible_for(n_threads, b->n_blocks, task, b, err) < 0)
		return -1;
	for (int i = 0; i < n_threads; i++)
		if (b->error[i].code != ERR_NONE)
			return error_pass(err, &b->error[i]);
	return 0;
}

int tall_qr(double *a, int64_t m, int64_t n, double *r, int n_threads, struct error *err)
{
	int64_t n_rows = int64_max(TALL_QR_TURNS * n, LEAST_ROWS);
	struct blocks b = { .a = a, .m = m, .n = n, .n_blocks = m / n_rows, .n_rows = n_rows };
	int ret = -1;

	if (n == 0 || b.n_blocks < 2) /* the recursion of (2) ends below two blocks */
		return blas_qr(a, m, n, r, true, err);
	n_threads = thread_clamp_count(n_threads);
	b.stack = mem_large(b.n_blocks * n * n, sizeof(double), err);
	b.error = mem_zeroed(n_threads, sizeof(*b.error), err);
	if (b.stack && b.error && for_blocks(&b, decompose_block, n_threads, err) == 0 &&
	    tall_qr(b.stack, b.n_blocks * n, n, r, n_threads, err) == 0)
		ret = for_blocks(&b, turn_block, n_threads, err);
	mem_free_all(b.stack, b.error);
	return ret;
}

int tall_qr_triangle(const struct csr *rows, const double *shift, double *r, struct error *err)
{
	int64_t n = rows->n_cols, room = (TALL_QR_TURNS - 1) * n;
	double *stack = mem_large(TALL_QR_TURNS * n * n, sizeof(*stack), err);
	int ret = stack ? 0 : -1;

	/* (4), from R = 0: QR of n rows of zeros and others below is QR of those others */
	memset(r, 0, (size_t)(n * n) * sizeof(*r));
	for (int64_t i = 0; i < rows->n_rows && ret == 0; i += room) {
		int64_t count = int64_min(rows->n_rows - i, room);

		memcpy(stack, r, (size_t)(n * n) * sizeof(*stack));
		for (int64_t l = 0; l < count; l++)
			csr_fill_row(rows, i + l, stack + (n + l) * n);
		for (int64_t j = 0; shift && j < count * n; j++)
			stack[n * n + j] -= shift[j % n];
		ret = blas_qr(stack, n + count, n, r, false, err);
	}
	mem_free(stack);
	return ret;
}

int triangle_init(struct triangle *t, int64_t m, struct error *err)
{
	*t = (struct triangle){ .m = m,
				.r = mem_zeroed(m * m, sizeof(double), err),
				.left = mem_array(m * m, sizeof(double), err),
				.right = mem_array(m * m, sizeof(double), err),
				.value = mem_array(m, sizeof(double), err) };
	return t->r && t->left && t->right && t->value ? 0 : -1;
}

void triangle_free(struct triangle *t)
{
	mem_free_all(t->r, t->left, t->right, t->value);
}

int triangle_decompose(struct triangle *t, struct error *err)
{
	return blas_svd(t->r, t->m, t->m, t->left, t->value, t->right, err);
}
