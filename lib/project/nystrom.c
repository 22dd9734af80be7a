/*
 * nystrom.c - Nystrom's map: rows whose inner products are kernel values by way of landmarks
 *
 * How this works.  The eigenvectors of the landmarks' kernel matrix are found once (1).  Eigenvalues
 * that are all rounding would make columns of noise, divided by a square root next to 0; their
 * error is some m DBL_EPSILON times the largest, and those up to ten times that are left out (2).
 *
 * A row then takes m kernel values, by the tiles of expansion.h, and their product with the matrix
 * (3), for some rows at a time, so that the matrix is read once for all of them.  Both are summed
 * in an order that does not depend on the rows around: the linear algebra library is asked for the
 * eigenvectors only, which are kept in the file of the map.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/nystrom.h"

#include <float.h>
#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "kernel/kernel_matrix.h"
#include "matrix/blas.h"
#include "project/family.h"
#include "project/fourier_loops.h"

/* Rows at a time in (3), which read the matrix once: whole tiles of kernels and of products. */
enum { GROUP_ROWS = 96 };

/* ---- The map ---- */

static int check_fit(const struct csr *landmarks, const struct kernel *kernel, struct error *err)
{
	if (landmarks->n_rows < 1)
		return error_set(err, ERR_ARGUMENT, "there is no landmark");
	if ((kernel->type != KERNEL_RBF && kernel->type != KERNEL_POLYNOMIAL) ||
	    !kernel_is_definite(kernel))
		return error_set(err, ERR_ARGUMENT,
				 "the kernel is not rbf, nor polynomial with gamma and coef0 of 0 "
				 "or more");
	return 0;
}

/* The kernel matrix of the landmarks, m x m without gaps; NULL on failure. */
static double *landmark_matrix(const struct csr *x, const struct kernel *kernel, int n_threads,
			       struct error *err)
{
	struct kernel_matrix wide = { 0 };
	double *a = mem_large(x->n_rows * x->n_rows, sizeof(*a), err);
	bool is_finite = true;

	if (a && kernel_matrix_init_wide(&wide, x, kernel, n_threads, err) == 0) {
		for (int64_t i = 0; i < x->n_rows; i++)
			for (int64_t j = 0; j < x->n_rows; j++) {
				a[i * x->n_rows + j] = wide.wide_value[i * wide.stride + j];
				is_finite &= isfinite(a[i * x->n_rows + j]) != 0;
			}
		if (!is_finite)
			error_set(err, ERR_NUMERIC, "a kernel value of two landmarks is too large");
	}
	kernel_matrix_free(&wide);
	if (err->code == ERR_NONE)
		return a;
	mem_free(a);
	return NULL;
}

/* The sign that makes the largest of the m entries positive. */
static double sign_of(const double *u, int64_t m)
{
	int64_t largest = 0;

	for (int64_t j = 1; j < m; j++)
		if (fabs(u[j]) > fabs(u[largest]))
			largest = j;
	return u[largest] < 0 ? -1 : 1;
}

/* (2): n->root from the eigenvalues, ascending, and the eigenvectors, which are rows of 'u' */
static int make_root(struct nystrom *n, const double *u, const double *value, struct error *err)
{
	const int64_t m = n->landmarks.n_rows;
	const double least = 10 * (double)m * DBL_EPSILON * value[m - 1];

	if (!(value[m - 1] > 0))
		return error_set(err, ERR_NUMERIC, "all kernel values of the landmarks are 0");
	while (n->n_columns < m && value[m - 1 - n->n_columns] > least)
		n->n_columns++;
	n->root = mem_large(m * n->n_columns, sizeof(*n->root), err);
	if (!n->root)
		return -1;
	for (int64_t t = 0; t < n->n_columns; t++) {
		const double *vector = u + (m - 1 - t) * m;
		double factor = sign_of(vector, m) / sqrt(value[m - 1 - t]);

		for (int64_t j = 0; j < m; j++)
			n->root[j * n->n_columns + t] = factor * vector[j];
	}
	return 0;
}

int nystrom_fit(struct nystrom *n, struct csr *landmarks, const struct kernel *kernel,
		int n_threads, struct error *err)
{
	double *a = NULL, *value = NULL;

	*n = (struct nystrom){ .kernel = *kernel, .landmarks = *landmarks };
	*landmarks = (struct csr){ 0 };
	if (check_fit(&n->landmarks, kernel, err) == 0) {
		value = mem_array(n->landmarks.n_rows, sizeof(*value), err);
		a = landmark_matrix(&n->landmarks, kernel, n_threads, err);
	}
	if (a && value &&
	    blas_symmetric_eigen(a, n->landmarks.n_rows, value, true, err) == 0 && /* (1) */
	    make_root(n, a, value, err) == 0)
		nystrom_prepare(n, err);
	mem_free(a);
	mem_free(value);
	if (err->code == ERR_NONE)
		return 0;
	nystrom_free(n);
	return -1;
}

/* An expansion of which only the kernel values are asked for: its coefficients do not matter. */
static int prepare_expansion(struct nystrom *n, struct error *err)
{
	const int64_t m = n->landmarks.n_rows, n_of_class[2] = { m, 0 };
	double *coef = mem_zeroed(m, sizeof(*coef), err);
	int ret = -1;

	if (coef)
		ret = expansion_init(
			&n->expansion, &n->kernel,
			&(struct support_vectors){ &n->landmarks, 2, n_of_class, coef }, err);
	mem_free(coef);
	return ret;
}

int nystrom_prepare(struct nystrom *n, struct error *err)
{
	const int64_t m = n->landmarks.n_rows, r = n->n_columns;

	n->form = (struct projection){ .options.n_columns = r, .scale = 1 };
	n->panel = mem_aligned(int64_round_up(r, PANEL_COLUMNS) * m, sizeof(*n->panel), err);
	if (!n->panel || prepare_expansion(n, err) < 0)
		return -1;
	for (int64_t t = 0; t < r; t++)
		for (int64_t j = 0; j < m; j++)
			n->panel[(t / PANEL_COLUMNS * m + j) * PANEL_COLUMNS + t % PANEL_COLUMNS] =
				n->root[j * r + t];
	return 0;
}

void nystrom_free(struct nystrom *n)
{
	expansion_free(&n->expansion);
	csr_free(&n->landmarks);
	mem_free(n->root);
	mem_free(n->panel);
	*n = (struct nystrom){ 0 };
}

/* ---- Rows ---- */

void nystrom_room_free(struct nystrom_room *room)
{
	expansion_scratch_free(&room->scratch);
	mem_free(room->values.memory);
	mem_free(room->sums.memory);
	*room = (struct nystrom_room){ 0 };
}

/* (3) for rows.n <= GROUP_ROWS rows */
static int apply_group(const struct nystrom *n, struct row_range rows, double *values, double *sums,
		       struct row_batch *out, struct expansion_scratch *scratch, struct error *err)
{
	const int64_t m = n->landmarks.n_rows;
	const int64_t stride = int64_round_up(n->n_columns, PANEL_COLUMNS);
	const struct row_view view = { .n_rows = rows.n,
				       .row_start = rows.in->row_start + rows.first,
				       .col = rows.in->index,
				       .val = rows.in->value };

	expansion_values(&n->expansion, &view, values, m, scratch);
	multiply_panels(values, m, rows.n, n->panel, m, n->n_columns, sums, stride);
	for (int64_t i = 0; i < rows.n; i++) {
		const struct summed_row row = { rows.in, rows.first + i, sums + i * stride };

		if (append_sums(&n->form, row, out, err) < 0)
			return -1;
	}
	return 0;
}

int nystrom_apply(const struct nystrom *n, struct row_range rows, struct row_batch *out,
		  struct nystrom_room *room, struct error *err)
{
	const int64_t stride = int64_round_up(n->n_columns, PANEL_COLUMNS);
	double *values =
		room_reserve(&room->values, GROUP_ROWS * n->landmarks.n_rows, sizeof(*values), err);
	double *sums = room_reserve(&room->sums, GROUP_ROWS * stride, sizeof(*sums), err);
	int ret = values && sums ? row_batch_reserve(out, rows.n, 0, rows.in->has_text, err) : -1;

	if (ret == 0 && !room->is_ready)
		ret = expansion_scratch_init(&room->scratch, &n->expansion, err);
	room->is_ready |= ret == 0;
	for (int64_t i = 0; ret == 0 && i < rows.n; i += GROUP_ROWS) {
		const struct row_range group = { rows.in, rows.first + i,
						 int64_min(GROUP_ROWS, rows.n - i) };

		ret = apply_group(n, group, values, sums, out, &room->scratch, err);
	}
	if (ret < 0)
		out->n_rows = out->n_entries = out->n_lines = out->max_index = 0;
	return ret;
}
