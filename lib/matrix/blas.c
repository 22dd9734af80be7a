/*
 * blas.c - the BLAS and LAPACK: a library that is loaded when needed, or loops of our own
 *
 * How this works.  Matrices here are by rows, Fortran's are by columns: the numbers in memory that
 * are a by rows are a' by columns.  Nothing is transposed; each call asks for the same thing in
 * terms of a':
 *
 *     product       c = a b           is  c' = b' a': the factors change places              (1)
 *     symmetric     lower triangle    is  upper triangle, "U"                                (2)
 *     Cholesky      a = L L'          is  a = U'U with U = L'                                (3)
 *     triangular    L x = b           is  x'L' = b': "R", from the right                     (4)
 *     QR            a = Q R           is  a' = L Q~ with L = R', Q~ = Q': LQ of the library  (5)
 *     SVD           a = l diag(s) r   is  a' = r' diag(s) l': left and right change places   (6)
 *
 * The library counts in int.  Functions with an 'err' check sizes before they narrow them; those
 * without take sizes that such a function, or the memory of an array, has bounded already.
 *
 * The library is loaded; then come the loops of our own, plain_*(), which small matrices take
 * (is_small()), and all where there is no library; and last the functions of blas.h, which choose.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/blas.h"

#include <assert.h>
#include <semaphore.h>

#include "base/interruption.h"
#include "base/mem_bound.h"
#include "base/shared_library.h"
#include "libraries.h"

extern void ilaver_(int *major, int *minor, int *patch);

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info,
		    size_t uplo_length);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a,
		    const int *lda, double *b, const int *ldb, int *info, size_t uplo_length);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
		   const double *alpha, const double *a, const int *lda, const double *beta,
		   double *c, const int *ldc, size_t uplo_length, size_t trans_length);
extern void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag,
		   const int *m, const int *n, const double *alpha, const double *a, const int *lda,
		   double *b, const int *ldb, size_t side_length, size_t uplo_length,
		   size_t transa_length, size_t diag_length);
extern void dpstrf_(const char *uplo, const int *n, double *a, const int *lda, int *piv, int *rank,
		    const double *tol, double *work, int *info, size_t uplo_length);
extern void dgemv_(const char *trans, const int *m, const int *n, const double *alpha,
		   const double *a, const int *lda, const double *x, const int *incx,
		   const double *beta, double *y, const int *incy, size_t trans_length);
extern void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y,
		   const int *incy);
extern void saxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y,
		   const int *incy);
extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
		   const double *alpha, const double *a, const int *lda, const double *b,
		   const int *ldb, const double *beta, double *c, const int *ldc,
		   size_t transa_length, size_t transb_length);
extern void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
		    double *w, double *work, const int *lwork, int *iwork, const int *liwork,
		    int *info, size_t jobz_length, size_t uplo_length);
extern void dgelqf_(const int *m, const int *n, double *a, const int *lda, double *tau,
		    double *work, const int *lwork, int *info);
extern void dorglq_(const int *m, const int *n, const int *k, double *a, const int *lda,
		    const double *tau, double *work, const int *lwork, int *info);
extern void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda,
		    double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
		    const int *lwork, int *iwork, int *info, size_t jobz_length);

/* Functions of OpenBLAS that other BLAS libraries lack. */
extern char *openblas_get_config(void);
extern void openblas_set_num_threads(int n);
extern int blas_thread_shutdown_(void);
extern void *blas_memory_alloc(int kind);
extern void blas_memory_free(void *buffer);

/* The functions that every BLAS with LAPACK has, and those of OpenBLAS. */
/* clang-format off */
#define FUNCTIONS(F) \
	F(ilaver_) F(dpotrf_) F(dpotrs_) F(dsyrk_) F(dtrsm_) F(dpstrf_) F(dgemv_) F(daxpy_) \
	F(saxpy_) F(dgemm_) F(dsyevd_) F(dgelqf_) F(dorglq_) F(dgesdd_)
#define OF_OPENBLAS(F) \
	F(openblas_get_config) F(openblas_set_num_threads) F(blas_thread_shutdown_) \
	F(blas_memory_alloc) F(blas_memory_free)
/* clang-format on */

/* The functions as found in the library when it is loaded; those of OpenBLAS may be NULL. */
static struct {
	FUNCTIONS(SHARED_POINTER)
	OF_OPENBLAS(SHARED_POINTER)
} blas;

#define NEEDED(name) { #name, &blas.name, false },
#define OPTIONAL(name) { #name, &blas.name, true },

/*
 * The results of OpenBLAS may depend on the number of its threads, and the threads of thread.h call
 * it already.  In this order, and once only: to set the number starts threads after they were
 * stopped.
 */
static void stop_threads(void)
{
	if (blas.openblas_set_num_threads)
		blas.openblas_set_num_threads(1);
	if (blas.openblas_set_num_threads && blas.blas_thread_shutdown_)
		blas.blas_thread_shutdown_();
}

static struct shared_library library = {
	.file = (const char *const[]){ BLAS_FILES, NULL },
	.symbol = (const struct shared_symbol[]){ FUNCTIONS(NEEDED)
							  OF_OPENBLAS(OPTIONAL){ .name = NULL } },
	.room = 64 << 20, /* OpenBLAS 0.3.21 with libgfortran: 47 MB */
	.prepare = stop_threads,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* It was looked for, and loops of our own do all that it would. */
static atomic_bool missing;

int blas_load(struct error *err)
{
	struct error reason = { 0 };

	if (missing || shared_library_load(&library, &reason) == 0)
		return 0;
	missing = reason.code == ERR_LIBRARY;
	return missing ? 0 : error_pass(err, &reason);
}

/* Of a BLAS other than OpenBLAS only the version of LAPACK can be asked for. */
int blas_version(char *buffer, size_t size, struct error *err)
{
	int major, minor, patch;

	if (shared_library_load(&library, err) < 0)
		return -1;
	blas.ilaver_(&major, &minor, &patch);
	snprintf(buffer, size, "%s%sLAPACK %d.%d.%d",
		 blas.openblas_get_config ? blas.openblas_get_config() : "",
		 blas.openblas_get_config ? ", " : "", major, minor, patch);
	return 0;
}

/* ---- By loops of our own ---- */

/*
 * For matrices so small that to load the BLAS would take longer, and for all where it is missing.
 * Each function computes what the one of its name in blas.h does, to the same accuracy, without its
 * checks of sizes.  Products and triangles take two to ten times as long as OpenBLAS's, eigenvalues
 * and singular values some thirty times.
 *
 * How this works.  All loops run along rows, which lie together in memory.  Eigenvalues and singular
 * values come from one-sided rotations, of Jacobi and Hestenes: two rows p, q of a square matrix a are
 * turned in their plane,
 *
 *     p' = c p - s q,  q' = s p + c q,     such that  p'.q' = 0,
 *
 * pair after pair, until all rows are at right angles.  The turns make an orthogonal matrix:
 *
 *     turns a = diag(lengths) directions,     a = turns' diag(lengths) directions
 *
 * which is the singular value decomposition of a.  Of a symmetric matrix without negative eigenvalues
 * the lengths are the eigenvalues, the small ones to as many digits as the large ones, and the turns
 * their vectors.  One that has some gets the largest length added to its diagonal, and is turned anew.
 * Directions of length 0 are completed by plain_qr(), whose Q has orthonormal columns whatever the
 * rank.
 *
 * Source: Golub, Van Loan 2013, Matrix Computations, 4.2.8 (pivoted Cholesky factors), 5.2.2
 * (Householder's reflections), 8.6.3 (one-sided Jacobi).
 */

/* Passes over all pairs of rows: some 10 are needed. */
enum { MOST_SWEEPS = 60 };

/* ---- vectors and Cholesky factors ---- */

static void plain_add_scaled(double *y, int64_t n, double scale, const double *x)
{
	for (int64_t i = 0; i < n; i++)
		y[i] += scale * x[i];
}

/* L row by row: L_ij = (a_ij - sum_{k < j} L_ik L_jk) / L_jj. */
static int plain_cholesky(double *a, int64_t n, int64_t stride)
{
	for (int64_t i = 0; i < n; i++) {
		double *row = a + i * stride, pivot;

		for (int64_t j = 0; j < i; j++) {
			const double *above = a + j * stride;

			row[j] = (row[j] - inner_product(row, above, j)) / above[j];
		}
		pivot = row[i] - inner_product(row, row, i);
		if (!(pivot > 0))
			return -1;
		row[i] = sqrt(pivot);
	}
	return 0;
}

/* L y = x, then L'x = y. */
static void plain_cholesky_solve(const double *l, int64_t n, int64_t stride, double *x)
{
	for (int64_t i = 0; i < n; i++)
		x[i] = (x[i] - inner_product(l + i * stride, x, i)) / l[i * stride + i];
	for (int64_t i = n - 1; i >= 0; i--) {
		const double *row = l + i * stride;

		x[i] /= row[i];
		for (int64_t j = 0; j < i; j++)
			x[j] -= row[j] * x[i];
	}
}

static void swap_rows(double *a, double *b, int64_t n)
{
	for (int64_t j = 0; j < n; j++) {
		const double t = a[j];

		a[j] = b[j];
		b[j] = t;
	}
}

/*
 * Column by column, into 'l'; its diagonal is what is left of a's, in the order of the pivots.  Ends at
 * pivots of at most 'least'; returns the rank.
 */
static int64_t plain_cholesky_pivoted(const double *a, int64_t n, double least, int32_t *pivot,
				      double *l)
{
	for (int64_t i = 0; i < n; i++) {
		pivot[i] = (int32_t)i;
		l[i * n + i] = a[i * n + i];
	}
	for (int64_t k = 0; k < n; k++) {
		double *top = l + k * n;
		int64_t p = k;
		int32_t chosen;

		for (int64_t i = k + 1; i < n; i++)
			p = l[i * n + i] > l[p * n + p] ? i : p;
		if (!(l[p * n + p] > least))
			return k;
		chosen = pivot[p];
		pivot[p] = pivot[k];
		pivot[k] = chosen;
		swap_rows(top, l + p * n, k);
		swap_rows(top + k, &l[p * n + p], 1);
		top[k] = sqrt(top[k]);
		for (int64_t i = k + 1; i < n; i++) {
			const int64_t j = pivot[i];
			double *row = l + i * n;

			row[k] = a[j > chosen ? j * n + chosen : chosen * n + j];
			row[k] = (row[k] - inner_product(row, top, k)) / top[k];
			row[i] -= row[k] * row[k];
		}
	}
	return n;
}

/* ---- products ---- */

/* 'sizes' are m, n and inner */
static void plain_multiply(struct blas_factor a, struct blas_factor b, const int64_t sizes[3],
			   double keep, double *c, int64_t stride)
{
	const int64_t n = sizes[1], inner = sizes[2];
	const int64_t down = a.shape == BLAS_PLAIN ? a.stride : 1;
	const int64_t along = a.shape == BLAS_PLAIN ? 1 : a.stride;

	for (int64_t i = 0; i < sizes[0]; i++, c += stride) {
		const double *row = a.at + i * down;

		for (int64_t j = 0; j < n; j++)
			c[j] = keep == 0 ? 0 : keep * c[j];
		for (int64_t k = 0; k < inner && b.shape == BLAS_PLAIN; k++)
			plain_add_scaled(c, n, row[k * along], b.at + k * b.stride);
		for (int64_t j = 0; j < n && b.shape == BLAS_TRANSPOSED; j++)
			for (int64_t k = 0; k < inner; k++)
				c[j] += row[k * along] * b.at[j * b.stride + k];
	}
}

static void plain_triangular_solve(struct blas_factor l, int64_t n, double *x, int64_t x_stride,
				   int64_t m)
{
	const bool plain = l.shape == BLAS_PLAIN;

	for (int64_t step = 0; step < n; step++) {
		const int64_t i = plain ? step : n - 1 - step;
		double *row = x + i * x_stride;

		for (int64_t k = plain ? 0 : i + 1; k < (plain ? i : n); k++)
			plain_add_scaled(row, m, -l.at[plain ? i * l.stride + k : k * l.stride + i],
					 x + k * x_stride);
		for (int64_t j = 0; j < m; j++)
			row[j] /= l.at[i * l.stride + i];
	}
}

static void plain_multiply_vector(struct blas_factor a, int64_t m, int64_t n, const double *x,
				  double *y)
{
	if (a.shape == BLAS_PLAIN) {
		for (int64_t i = 0; i < m; i++)
			y[i] = inner_product(a.at + i * a.stride, x, n);
		return;
	}
	memset(y, 0, (size_t)m * sizeof(*y));
	for (int64_t k = 0; k < n; k++)
		plain_add_scaled(y, m, x[k], a.at + k * a.stride);
}

/* ---- Q and R ---- */

/* Reflect columns k + 1, ... by I - tau v v', v being 1 at k and column k below; 'sum' has room for n. */
static void reflect(double *a, int64_t m, int64_t n, int64_t k, double tau, double *sum)
{
	const int64_t first = k + 1;

	memcpy(sum, a + k * n, (size_t)n * sizeof(*sum));
	for (int64_t i = first; i < m; i++)
		plain_add_scaled(sum + first, n - first, a[i * n + k], a + i * n + first);
	plain_add_scaled(a + k * n + first, n - first, -tau, sum + first);
	for (int64_t i = first; i < m; i++)
		plain_add_scaled(a + i * n + first, n - first, -tau * a[i * n + k], sum + first);
}

/* The v that makes column k below its diagonal 0, in its place, and the diagonal that remains. */
static double find_reflection(double *a, int64_t m, int64_t n, int64_t k)
{
	const double head = a[k * n + k];
	double largest = 0, squares = 0, end;

	for (int64_t i = k; i < m; i++)
		largest = fmax(largest, fabs(a[i * n + k]));
	if (largest == 0)
		return 0;
	for (int64_t i = k; i < m; i++)
		squares += (a[i * n + k] / largest) * (a[i * n + k] / largest);
	end = head > 0 ? -largest * sqrt(squares) : largest * sqrt(squares);
	for (int64_t i = k + 1; i < m; i++)
		a[i * n + k] /= head - end;
	a[k * n + k] = end;
	return (end - head) / end;
}

static int plain_qr(double *a, int64_t m, int64_t n, double *r, bool form_q, struct error *err)
{
	double *tau = mem_array(n, sizeof(*tau), err), *sum = mem_array(n, sizeof(*sum), err);
	const int ret = tau && sum ? 0 : -1;

	for (int64_t k = 0; k < n && ret == 0; k++) {
		tau[k] = find_reflection(a, m, n, k);
		reflect(a, m, n, k, tau[k], sum);
	}
	for (int64_t i = 0; r && i < n && ret == 0; i++)
		for (int64_t j = 0; j < n; j++)
			r[i * n + j] = j >= i ? a[i * n + j] : 0;
	/* Q is the product of the reflections, by the last of them first */
	for (int64_t k = n - 1; form_q && k >= 0 && ret == 0; k--) {
		for (int64_t j = k + 1; j < n; j++)
			a[k * n + j] = 0;
		reflect(a, m, n, k, tau[k], sum);
		a[k * n + k] = 1 - tau[k];
		for (int64_t i = k + 1; i < m; i++)
			a[i * n + k] *= -tau[k];
	}
	mem_free_all(tau, sum);
	return ret;
}

/* ---- rotations ---- */

static void turn_rows(double *p, double *q, int64_t n, double c, double s)
{
	for (int64_t j = 0; j < n; j++) {
		const double was = p[j];

		p[j] = c * was - s * q[j];
		q[j] = s * was + c * q[j];
	}
}

/*
 * Turn rows p and q of a, whose largest entry is some 1, and those of 'turns', to be at right angles;
 * false: they are, or one is no more than rounding.
 */
static bool turn_pair(double *a, double *turns, int64_t n, int64_t p, int64_t q)
{
	const double least = (double)n * DBL_EPSILON;
	double *x = a + p * n, *y = a + q * n, slope, t, c;
	const double xx = inner_product(x, x, n), yy = inner_product(y, y, n);
	const double xy = inner_product(x, y, n);

	if (fmin(xx, yy) <= least * least ||
	    fabs(xy) <= 2 * DBL_EPSILON * sqrt((double)n) * sqrt(xx * yy))
		return false;
	slope = (yy - xx) / (2 * xy);
	t = copysign(1, slope) / (fabs(slope) + hypot(1, slope));
	c = 1 / sqrt(1 + t * t);
	turn_rows(x, y, n, c, c * t);
	turn_rows(turns + p * n, turns + q * n, n, c, c * t);
	return true;
}

/* Order the rows of a, and those of 'turns', by their lengths, the longest first. */
static void order_rows(double *a, int64_t n, double *turns, double *lengths)
{
	for (int64_t i = 0; i < n; i++)
		lengths[i] = sqrt(inner_product(a + i * n, a + i * n, n));
	for (int64_t i = 0; i < n; i++) {
		int64_t longest = i;

		for (int64_t j = i + 1; j < n; j++)
			longest = lengths[j] > lengths[longest] ? j : longest;
		swap_rows(lengths + i, lengths + longest, 1);
		swap_rows(a + i * n, a + longest * n, n);
		swap_rows(turns + i * n, turns + longest * n, n);
	}
}

/* The rows of a become orthogonal, by 'turns'; their lengths descend. */
static int turn_all(double *a, int64_t n, double *turns, double *lengths, struct error *err)
{
	bool turned = true;

	for (int64_t i = 0; i < n * n; i++)
		turns[i] = i % (n + 1) == 0;
	for (int sweep = 0; turned; sweep++) {
		if (sweep == MOST_SWEEPS)
			return error_set(err, ERR_NUMERIC,
					 "no singular values of a %" PRId64 " x %" PRId64 " matrix",
					 n, n);
		turned = false;
		for (int64_t p = 0; p < n; p++) {
			if (interruption_check(err) < 0)
				return -1;
			for (int64_t q = p + 1; q < n; q++)
				turned |= turn_pair(a, turns, n, p, q);
		}
	}
	order_rows(a, n, turns, lengths);
	return 0;
}

/* Divide the entries by the largest of them, so that no square overflows: returns that, or 1. */
static double scale_down(double *a, int64_t n)
{
	const double largest = largest_of_sizes(a, n);

	for (int64_t i = 0; i < n && largest > 0; i++)
		a[i] /= largest;
	return largest > 0 ? largest : 1;
}

/* Are the lengths of the turned rows of 'b' its eigenvalues, none of which is negative then? */
static bool lengths_are_values(const double *b, const double *turns, const double *lengths,
			       int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		if (lengths[k] > (double)n * DBL_EPSILON * lengths[0] &&
		    inner_product(b + k * n, turns + k * n, n) < lengths[k] / 2)
			return false;
	return true;
}

static int plain_symmetric_eigen(double *a, int64_t n, double *value, bool vectors,
				 struct error *err)
{
	double *turns = mem_array(n * n, sizeof(*turns), err);
	double *b = mem_array(n * n, sizeof(*b), err), *lengths = mem_array(n, sizeof(*b), err);
	double shift = 0, scale = 1;
	int ret = err->code == ERR_NONE ? 0 : -1;

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < i; j++)
			a[j * n + i] = a[i * n + j];
	if (ret == 0)
		scale = scale_down(a, n * n);
	for (bool found = false; ret == 0 && !found;) {
		memcpy(b, a, (size_t)(n * n) * sizeof(*b));
		for (int64_t i = 0; i < n; i++)
			b[i * n + i] += shift;
		ret = turn_all(b, n, turns, lengths, err);
		found = ret < 0 || shift > 0 || lengths_are_values(b, turns, lengths, n);
		shift = found ? shift : lengths[0];
	}
	/* the lengths descend, and eigenvalues ascend */
	for (int64_t k = 0; k < n && ret == 0; k++) {
		value[n - 1 - k] = (lengths[k] - shift) * scale;
		if (vectors)
			memcpy(a + (n - 1 - k) * n, turns + k * n, (size_t)n * sizeof(*a));
	}
	mem_free_all(turns, b, lengths);
	return ret;
}

static void transpose(double *a, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < i; j++)
			swap_rows(&a[i * n + j], &a[j * n + i], 1);
}

static int plain_svd(double *a, int64_t n, double *left, double *s, double *right,
		     struct error *err)
{
	const double scale = scale_down(a, n * n);

	if (turn_all(a, n, left, s, err) < 0)
		return -1;
	/* Q of the directions, as columns, is them but for signs; or completes them */
	for (int64_t i = 0; i < n * n; i++)
		right[i] = s[i / n] > 0 ? a[i] / s[i / n] : 0;
	transpose(left, n);
	transpose(right, n);
	if (plain_qr(right, n, n, a, true, err) < 0)
		return -1;
	for (int64_t i = 0; i < n * n; i++)
		right[i] *= a[i % n * (n + 1)] < 0 ? -1 : 1;
	transpose(right, n);
	for (int64_t i = 0; i < n; i++)
		s[i] *= scale;
	return 0;
}

/* ---- Small matrices ---- */

/*
 * To load OpenBLAS takes 2 to 3 ms, more than a small training.  So small matrices do without it:
 * a factor of order 64 takes 30 us here, one of order 128 .2 ms.  The sum of 512 outer products of
 * order 32 takes .25 ms, as by the library, where sizes that small pay more for the call than they
 * gain; of order 64 .7 ms, four times the library's.
 */
enum {
	SMALL_ORDER = 128,
	SMALL_SUM = 256,	/* outer products of that order, fewer than */
	SMALL_ORDER_OF_SUM = 32 /* order of a small sum of any number of outer products */
};

static bool is_small(int64_t n, int64_t n_vectors)
{
	return n <= SMALL_ORDER_OF_SUM || (n <= SMALL_ORDER && n_vectors < SMALL_SUM);
}

/* ---- The buffers of OpenBLAS ---- */

/*
 * Each call works in a buffer, which OpenBLAS keeps for later calls; threads that call it at the
 * same time need one each.  Where there is no memory for another, OpenBLAS tries again for ever.
 * So the buffers are counted here: a call takes one that is idle (1), or a new one if there is
 * memory for it (2), or waits until another thread puts one back (3).  It fails only if there is
 * no buffer at all.
 */
#define BUFFER_SIZE ((128 << 20) + 4096.) /* bytes that OpenBLAS 0.3 asks for on x86-64 */

static sem_t idle_buffers;
static atomic_int n_buffers;

/* No buffer is idle at first. */
static void count_no_buffers(void)
{
	sem_init(&idle_buffers, 0, 0);
}

/*
 * (2).  OpenBLAS makes the first one at once, a later one in the call that follows: there has to
 * be room for two of these, as other threads may ask for memory meanwhile.
 */
static int add_buffer(struct error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int ret;

	pthread_mutex_lock(&lock);
	ret = mem_check_room(n_buffers > 0 ? 2 * BUFFER_SIZE : BUFFER_SIZE, err);
	if (ret == 0 && n_buffers++ == 0)
		blas.blas_memory_free(blas.blas_memory_alloc(0));
	pthread_mutex_unlock(&lock);
	return ret;
}

static int find_buffer(struct error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct error reason = { 0 };

	if (!blas.blas_memory_alloc || !blas.blas_memory_free)
		return 0; /* BLAS without OpenBLAS's buffers */
	pthread_once(&once, count_no_buffers);
	if (sem_trywait(&idle_buffers) == 0 || add_buffer(&reason) == 0) /* (1), (2) */
		return 0;
	if (n_buffers == 0)
		return error_pass(err, &reason);
	while (sem_wait(&idle_buffers) < 0) /* (3); a signal may come */
		;
	return 0;
}

/*
 * Have a buffer for one call of the library, or some calls, which put_back() ends: 1.  0: the library
 * is missing.
 */
static int take_buffer(struct error *err)
{
	if (blas_load(err) < 0)
		return -1;
	if (missing)
		return 0;
	if (find_buffer(err) < 0)
		return -1;
	shared_library_enter(&library);
	return 1;
}

static void put_back(void)
{
	shared_library_leave();
	if (blas.blas_memory_alloc && blas.blas_memory_free)
		sem_post(&idle_buffers);
}

int blas_reserve(int64_t order, int64_t n_vectors, struct error *err)
{
	int got = is_small(order, n_vectors) ? 0 : take_buffer(err);

	if (got > 0)
		put_back();
	return got < 0 ? -1 : 0;
}

/*
 * For functions that cannot fail.  Their caller has called blas_reserve(), so there is a buffer at
 * least, and to wait for it is the worst that can happen.  False: the library is missing.
 */
static bool take_reserved(void)
{
	int ret = take_buffer(&(struct error){ 0 });

	assert(ret >= 0);
	return ret > 0;
}

/* ---- Vectors, Cholesky factors, symmetric products ---- */

/* (2), (3): the lower triangle by rows is the upper one of a'; U' = L by rows */
int blas_cholesky(double *a, int64_t n, int64_t stride)
{
	int order = (int)n, lda = (int)stride, info;

	if (n > INT_MAX || stride > INT_MAX) /* too large for the BLAS */
		return -1;
	if (is_small(n, 0) || !take_reserved())
		return plain_cholesky(a, n, stride);
	blas.dpotrf_("U", &order, a, &lda, &info, 1);
	put_back();
	return info == 0 ? 0 : -1;
}

void blas_cholesky_solve(const double *l, int64_t n, int64_t stride, double *x)
{
	int order = (int)n, lda = (int)stride, one = 1, info;

	if (is_small(n, 0) || !take_reserved()) {
		plain_cholesky_solve(l, n, stride, x);
		return;
	}
	blas.dpotrs_("U", &order, &one, l, &lda, x, &order, &info, 1);
	put_back();
}

/* (2): the rows of x are columns for Fortran, so its "N" adds sum_k x_k x_k'. */
void blas_add_outer(double *a, int64_t n, int64_t stride, double scale, const double *x,
		    int64_t n_vectors)
{
	int order = (int)n, lda = (int)stride, count = (int)n_vectors;
	double one = 1;

	if (n == 0 || n_vectors == 0)
		return;
	if (is_small(n, n_vectors) || !take_reserved()) {
		for (int64_t k = 0; k < n_vectors; k++, x += n)
			for (int64_t i = 0; i < n; i++)
				plain_add_scaled(a + i * stride, i + 1, scale * x[i], x);
		return;
	}
	blas.dsyrk_("U", "N", &order, &count, &scale, x, &order, &one, a, &lda, 1, 1);
	put_back();
}

/* "T": products of the rows of x with each other. */
void blas_add_products(double *a, int64_t n, int64_t stride, double scale, const double *x,
		       int64_t inner)
{
	int order = (int)n, lda = (int)stride, depth = (int)inner;
	double one = 1;

	if (n == 0 || inner == 0)
		return;
	if (!take_reserved()) {
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j <= i; j++)
				a[i * stride + j] +=
					scale * inner_product(x + i * inner, x + j * inner, inner);
		return;
	}
	blas.dsyrk_("U", "T", &order, &depth, &scale, x, &depth, &one, a, &lda, 1, 1);
	put_back();
}

/* Vector sums need no buffer of OpenBLAS. */
void blas_add_scaled(double *y, int64_t n, double scale, const double *x)
{
	int count = (int)n, one = 1;

	if (n == 0)
		return;
	assert(library.loaded || missing);
	if (missing)
		plain_add_scaled(y, n, scale, x);
	else
		blas.daxpy_(&count, &scale, x, &one, y, &one);
}

void blas_add_scaled_single(float *y, int64_t n, float scale, const float *x)
{
	int count = (int)n, one = 1;

	if (n == 0)
		return;
	assert(library.loaded || missing);
	for (int64_t i = 0; i < n && missing; i++)
		y[i] += scale * x[i];
	if (!missing)
		blas.saxpy_(&count, &scale, x, &one, y, &one);
}

/* ---- Products and decompositions: sizes are checked ---- */

static int check_size(int64_t size, struct error *err)
{
	if (size > BLAS_MAX_SIZE)
		return error_set(err, ERR_ARGUMENT,
				 "a matrix of size %" PRId64 " is too large for the BLAS", size);
	return 0;
}

/* take_buffer() for a decomposition, which may take seconds and cannot be ended then. */
static int take_for_long(struct error *err)
{
	return interruption_check(err) < 0 ? -1 : take_buffer(err);
}

/* (1): b and a change places, as do the numbers of rows and columns */
int blas_multiply(struct blas_factor a, struct blas_factor b, int64_t m, int64_t n, int64_t inner,
		  double keep, double *c, int64_t stride, struct error *err)
{
	int rows = (int)m, columns = (int)n, depth = (int)inner;
	int lda = (int)a.stride, ldb = (int)b.stride, ldc = (int)stride;
	double one = 1;
	int got;

	if (check_size(m, err) < 0 || check_size(n, err) < 0 || check_size(inner, err) < 0 ||
	    check_size(a.stride, err) < 0 || check_size(b.stride, err) < 0 ||
	    check_size(stride, err) < 0)
		return -1;
	if (m == 0 || n == 0)
		return 0;
	got = take_buffer(err);
	if (got == 0)
		plain_multiply(a, b, (const int64_t[]){ m, n, inner }, keep, c, stride);
	if (got <= 0)
		return got;
	blas.dgemm_(b.shape == BLAS_PLAIN ? "N" : "T", a.shape == BLAS_PLAIN ? "N" : "T", &columns,
		    &rows, &depth, &one, b.at, &ldb, a.at, &lda, &keep, c, &ldc, 1, 1);
	put_back();
	return 0;
}

/* (4), with L' as the upper triangle */
void blas_triangular_solve(struct blas_factor l, int64_t n, double *x, int64_t x_stride, int64_t m)
{
	int order = (int)n, ldl = (int)l.stride, count = (int)m, ldx = (int)x_stride;
	double one = 1;

	if (n == 0 || m == 0)
		return;
	if (!take_reserved()) {
		plain_triangular_solve(l, n, x, x_stride, m);
		return;
	}
	blas.dtrsm_("R", "U", l.shape == BLAS_PLAIN ? "N" : "T", "N", &count, &order, &one, l.at,
		    &ldl, x, &ldx, 1, 1, 1, 1);
	put_back();
}

/* A matrix by rows is transposed for the library, so BLAS_PLAIN is its "T". */
void blas_multiply_vector(struct blas_factor a, int64_t m, int64_t n, const double *x, double *y)
{
	bool plain = a.shape == BLAS_PLAIN;
	int rows = (int)(plain ? n : m), columns = (int)(plain ? m : n), lda = (int)a.stride;
	int step = 1;
	double one = 1, none = 0;

	if (m == 0 || n == 0)
		return;
	if (!take_reserved()) {
		plain_multiply_vector(a, m, n, x, y);
		return;
	}
	blas.dgemv_(plain ? "T" : "N", &rows, &columns, &one, a.at, &lda, x, &step, &none, y, &step,
		    1);
	put_back();
}

/* (3), with exchanges.  dpstrf stops where the largest entry left is at most 'least'. */
int blas_cholesky_pivoted(double *a, int64_t n, double tolerance, int32_t *pivot, int64_t *rank,
			  struct error *err)
{
	int order = (int)n, found = 0, info = 0, got;
	double largest = 0, least, *work = NULL;

	*rank = 0;
	if (check_size(n, err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++)
		largest = a[i * n + i] > largest ? a[i * n + i] : largest;
	least = tolerance * largest;
	got = take_for_long(err);
	if (got >= 0)
		work = mem_array(got ? 2 * n : n * n, sizeof(*work), err);
	/* of a matrix of zeros dpstrf would leave the pivots undefined; its rank is 0 */
	if (work && got > 0 && largest > 0) {
		blas.dpstrf_("U", &order, a, &order, pivot, &found, &least, work, &info, 1);
		for (int64_t i = 0; i < n; i++)
			pivot[i]--; /* Fortran counts from 1 */
		*rank = found;
	} else if (work && largest > 0) {
		*rank = plain_cholesky_pivoted(a, n, least, pivot, work);
		memcpy(a, work, (size_t)(n * n) * sizeof(*a));
	}
	if (got > 0)
		put_back();
	mem_free(work);
	return work ? 0 : -1;
}

/*
 * (2).  Eigenvectors are columns for Fortran, so rows here.  Work space of the sizes dsyevd wants.
 */
int blas_symmetric_eigen(double *a, int64_t n, double *value, bool vectors, struct error *err)
{
	int64_t n_work = vectors ? 1 + 6 * n + 2 * n * n : 1 + 2 * n;
	int order = (int)n, work_size = (int)n_work, int_work_size = (int)(3 + 5 * n), info = 0;
	double *work;
	int *int_work, got;

	if (n == 0)
		return 0;
	if (check_size(n, err) < 0 || check_size(n_work, err) < 0)
		return -1;
	got = take_for_long(err);
	if (got <= 0)
		return got < 0 ? -1 : plain_symmetric_eigen(a, n, value, vectors, err);
	work = mem_array(n_work, sizeof(*work), err);
	int_work = mem_array(3 + 5 * n, sizeof(*int_work), err);
	if (work && int_work)
		blas.dsyevd_(vectors ? "V" : "N", "U", &order, a, &order, value, work, &work_size,
			     int_work, &int_work_size, &info, 1, 1);
	put_back();
	/* memory that failed is in 'err' already; info is 0 then */
	if (info != 0)
		error_set(err, ERR_NUMERIC, "no eigenvalues of a %" PRId64 " x %" PRId64 " matrix",
			  n, n);
	mem_free_all(work, int_work);
	return work && int_work && info == 0 ? 0 : -1;
}

/* (5).  R is read from the upper triangle (by rows) before dorglq puts Q in its place. */
int blas_qr(double *a, int64_t m, int64_t n, double *r, bool form_q, struct error *err)
{
	int64_t n_work = 64 * n; /* blocks of 64 vectors: more than LAPACK takes */
	int length = (int)m, count = (int)n, work_size = (int)n_work, info = 0;
	double *tau, *work;
	int got;

	if (n == 0)
		return 0;
	if (check_size(m, err) < 0 || check_size(n_work, err) < 0)
		return -1;
	got = take_for_long(err);
	if (got <= 0)
		return got < 0 ? -1 : plain_qr(a, m, n, r, form_q, err);
	tau = mem_array(n, sizeof(*tau), err);
	work = mem_array(n_work, sizeof(*work), err);
	if (tau && work) {
		blas.dgelqf_(&count, &length, a, &count, tau, work, &work_size, &info);
		for (int64_t i = 0; r && i < n; i++)
			for (int64_t j = 0; j < n; j++)
				r[i * n + j] = j >= i ? a[i * n + j] : 0;
		if (form_q)
			blas.dorglq_(&count, &length, &count, a, &count, tau, work, &work_size,
				     &info);
	}
	put_back();
	mem_free_all(tau, work);
	return tau && work ? 0 : -1;
}

/* (6).  The first call of dgesdd only says how much work space would be best. */
int blas_svd(double *a, int64_t m, int64_t n, double *left, double *s, double *right,
	     struct error *err)
{
	int64_t k = int64_min(m, n);
	int rows = (int)n, columns = (int)m, order = (int)k, work_size = -1, info = 0, got;
	double best = 0, *work = NULL;
	int *int_work;

	if (k == 0)
		return 0;
	if (check_size(m, err) < 0 || check_size(n, err) < 0)
		return -1;
	got = take_for_long(err);
	if (got <= 0 && m != n)
		return got < 0 ? -1 : shared_library_load(&library, err);
	if (got <= 0)
		return got < 0 ? -1 : plain_svd(a, n, left, s, right, err);
	int_work = mem_array(8 * k, sizeof(*int_work), err);
	if (int_work)
		blas.dgesdd_("S", &rows, &columns, a, &rows, s, right, &rows, left, &order, &best,
			     &work_size, int_work, &info, 1);
	work_size = (int)best;
	if (int_work && check_size((int64_t)best, err) == 0)
		work = mem_array(work_size, sizeof(*work), err);
	if (work)
		blas.dgesdd_("S", &rows, &columns, a, &rows, s, right, &rows, left, &order, work,
			     &work_size, int_work, &info, 1);
	put_back();
	if (info != 0)
		error_set(err, ERR_NUMERIC,
			  "no singular values of a %" PRId64 " x %" PRId64 " matrix", m, n);
	mem_free_all(work, int_work);
	return work && info == 0 ? 0 : -1;
}
