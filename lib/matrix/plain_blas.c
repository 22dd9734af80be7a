/*
 * plain_blas.c - products and decompositions by loops of our own
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
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/plain_blas.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/interruption.h"
#include "base/mem.h"

/* Passes over all pairs of rows: some 10 are needed. */
enum { MOST_SWEEPS = 60 };

/* ---- vectors and Cholesky factors ---- */

void plain_add_scaled(double *y, int64_t n, double scale, const double *x)
{
	for (int64_t i = 0; i < n; i++)
		y[i] += scale * x[i];
}

/* L row by row: L_ij = (a_ij - sum_{k < j} L_ik L_jk) / L_jj. */
int plain_cholesky(double *a, int64_t n, int64_t stride)
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
void plain_cholesky_solve(const double *l, int64_t n, int64_t stride, double *x)
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

/* Column by column; the diagonal of 'l' is what is left of a's, in the order of the pivots. */
int64_t plain_cholesky_pivoted(const double *a, int64_t n, double least, int32_t *pivot, double *l)
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

void plain_add_outer(double *a, int64_t n, int64_t stride, double scale, const double *x,
		     int64_t n_vectors)
{
	for (int64_t k = 0; k < n_vectors; k++, x += n)
		for (int64_t i = 0; i < n; i++)
			plain_add_scaled(a + i * stride, i + 1, scale * x[i], x);
}

void plain_add_products(double *a, int64_t n, int64_t stride, double scale, const double *x,
			int64_t inner)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j <= i; j++)
			a[i * stride + j] +=
				scale * inner_product(x + i * inner, x + j * inner, inner);
}

void plain_multiply(struct blas_factor a, struct blas_factor b, const int64_t sizes[3], double keep,
		    double *c, int64_t stride)
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

void plain_triangular_solve(struct blas_factor l, int64_t n, double *x, int64_t x_stride, int64_t m)
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

void plain_multiply_vector(struct blas_factor a, int64_t m, int64_t n, const double *x, double *y)
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

int plain_qr(double *a, int64_t m, int64_t n, double *r, bool form_q, struct error *err)
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
	if (turns)
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
		if (turns)
			swap_rows(turns + i * n, turns + longest * n, n);
	}
}

/* The rows of a become orthogonal, by 'turns', which may be NULL; their lengths descend. */
static int turn_all(double *a, int64_t n, double *turns, double *lengths, struct error *err)
{
	bool turned = true;

	for (int64_t i = 0; turns && i < n * n; i++)
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

int plain_symmetric_eigen(double *a, int64_t n, double *value, bool vectors, struct error *err)
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

int plain_svd(double *a, int64_t n, double *left, double *s, double *right, struct error *err)
{
	const double scale = scale_down(a, n * n);

	if (turn_all(a, n, left, s, err) < 0)
		return -1;
	/* Q of the directions, as columns, is them but for signs; or completes them */
	for (int64_t i = 0; i < n * n && left; i++)
		right[i] = s[i / n] > 0 ? a[i] / s[i / n] : 0;
	if (left) {
		transpose(left, n);
		transpose(right, n);
		if (plain_qr(right, n, n, a, true, err) < 0)
			return -1;
		for (int64_t i = 0; i < n * n; i++)
			right[i] *= a[i % n * (n + 1)] < 0 ? -1 : 1;
		transpose(right, n);
	}
	for (int64_t i = 0; i < n; i++)
		s[i] *= scale;
	return 0;
}
