/*
 * nystrom.c - Nystrom's map: rows whose inner products are kernel values by way of landmarks
 *
 * How this works.  The Cholesky factor of the landmarks' kernel matrix is found with pivoting (1).
 * Pivots that are all rounding would make columns of noise, divided by a square root next to 0;
 * their error is some m DBL_EPSILON times the largest entry, and those up to ten times that are
 * left out with their landmarks (2).
 *
 * A row then takes r kernel values, by the tiles of expansion.h, and their product with the
 * triangle L^-1 (3), for some rows at a time, so that the triangle is read once for all of them.
 * Both are summed in an order that does not depend on the rows around: the linear algebra library
 * is asked for the triangle only, which is kept in the file of the map.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/nystrom.h"

#include "base/thread.h"
#include "kernel/kernel_matrix.h"
#include "matrix/blas.h"
#include "project/family.h"
#include "project/project_loops.h"

/* Rows at a time in (3), which read the matrix once: whole tiles of kernels and of products. */
enum { GROUP_ROWS = 96 };

/* ---- The map ---- */

int nystrom_check_kernel(const struct kernel *kernel, struct error *err)
{
	if ((kernel->type != KERNEL_RBF && kernel->type != KERNEL_POLYNOMIAL) ||
	    !kernel_is_definite(kernel))
		return error_set(err, ERR_ARGUMENT,
				 "the kernel is not rbf, nor polynomial with gamma and coef0 of 0 "
				 "or more");
	return 0;
}

double *nystrom_matrix(const struct csr *x, const struct kernel *kernel, int n_threads,
		       struct error *err)
{
	struct kernel_matrix wide = { 0 };
	double *a = mem_large(x->n_rows * x->n_rows, sizeof(*a), err);
	bool is_finite = true;

	if (a && kernel_matrix_init_doubles(&wide, x, kernel, n_threads, err) == 0) {
		for (int64_t i = 0; i < x->n_rows; i++)
			for (int64_t j = 0; j < x->n_rows; j++) {
				a[i * x->n_rows + j] = wide.double_value[i * wide.stride + j];
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

/* (2): the landmarks of the first n->n_columns pivots, which n->origin becomes, in their order */
static int keep_pivots(struct nystrom *n, const int32_t *pivot, struct error *err)
{
	int64_t *row = mem_array(n->n_columns, sizeof(*row), err);
	struct csr kept = { 0 };
	int ret = -1;

	n->origin = mem_array(n->n_columns, sizeof(*n->origin), err);
	if (row && n->origin) {
		for (int64_t t = 0; t < n->n_columns; t++)
			row[t] = n->origin[t] = pivot[t];
		ret = csr_gather(&kept, &n->landmarks, row, n->n_columns, err);
		csr_free(&n->landmarks);
		n->landmarks = kept;
	}
	mem_free(row);
	return ret;
}

/* n->inverse from the factor L, whose rows are 'stride' apart */
static int invert(struct nystrom *n, const double *l, int64_t stride, struct error *err)
{
	const int64_t r = n->n_columns;
	double *x = mem_large(r * r, sizeof(*x), err);

	n->inverse = mem_large(r * (r + 1) / 2, sizeof(*n->inverse), err);
	if (x && n->inverse) {
		for (int64_t e = 0; e < r * r; e++)
			x[e] = e % (r + 1) == 0;
		blas_triangular_solve((struct blas_factor){ l, stride, BLAS_PLAIN }, r, x, r, r);
		for (int64_t t = 0; t < r; t++)
			memcpy(nystrom_row(n, t), x + t * r, (size_t)(t + 1) * sizeof(*x));
	}
	mem_free(x);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Landmarks and triangle from the kernel matrix 'a' of all landmarks, which is overwritten */
static int factor(struct nystrom *n, double *a, struct error *err)
{
	const int64_t m = n->landmarks.n_rows;
	const double tolerance = 10 * (double)m * DBL_EPSILON;
	int32_t *pivot = mem_array(m, sizeof(*pivot), err);
	int ret = -1;

	/* (1) */
	if (pivot && blas_cholesky_pivoted(a, m, tolerance, pivot, &n->n_columns, err) == 0) {
		if (n->n_columns == 0)
			error_set(err, ERR_NUMERIC, "all kernel values of the landmarks are 0");
		else if (keep_pivots(n, pivot, err) == 0)
			ret = invert(n, a, m, err);
	}
	mem_free(pivot);
	return ret;
}

int nystrom_fit(struct nystrom *n, struct csr *landmarks, const struct kernel *kernel,
		const double *ridge, int n_threads, struct error *err)
{
	const int64_t m = landmarks->n_rows;
	double *a = NULL;

	*n = (struct nystrom){ .kernel = *kernel, .landmarks = *landmarks };
	*landmarks = (struct csr){ 0 };
	if (m < 1)
		error_set(err, ERR_ARGUMENT, "there is no landmark");
	else if (nystrom_check_kernel(kernel, err) == 0)
		a = nystrom_matrix(&n->landmarks, kernel, n_threads, err);
	for (int64_t i = 0; a && ridge && i < m; i++)
		a[i * (m + 1)] += ridge[i];
	if (a && factor(n, a, err) == 0)
		nystrom_prepare(n, err);
	mem_free(a);
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
		ret = expansion_init(&n->expansion, &n->kernel,
				     (struct support_vectors){ &n->landmarks, 2, n_of_class, coef },
				     err);
	mem_free(coef);
	return ret;
}

/*
 * The panel of columns 16 p to 16 p + 15 ends with the landmark of its last column; where it begins
 * in n->panel
 */
static int64_t panel_start(int64_t p)
{
	return PANEL_COLUMNS * PANEL_COLUMNS * p * (p + 1) / 2;
}

int nystrom_prepare(struct nystrom *n, struct error *err)
{
	const int64_t r = n->n_columns, n_panels = (r - 1) / PANEL_COLUMNS + 1;
	const int64_t size = panel_start(n_panels);

	n->form = (struct projection){ .options.n_columns = r, .scale = 1 };
	n->panel = mem_aligned(size, sizeof(*n->panel), err);
	if (!n->panel || prepare_expansion(n, err) < 0)
		return -1;
	memset(n->panel, 0, (size_t)size * sizeof(*n->panel));
	for (int64_t t = 0; t < r; t++)
		for (int64_t j = 0; j <= t; j++)
			n->panel[panel_start(t / PANEL_COLUMNS) + j * PANEL_COLUMNS +
				 t % PANEL_COLUMNS] = nystrom_row(n, t)[j];
	return 0;
}

void nystrom_free(struct nystrom *n)
{
	expansion_free(&n->expansion);
	csr_free(&n->landmarks);
	mem_free_all(n->inverse, n->origin, n->panel);
	*n = (struct nystrom){ 0 };
}

/* ---- Rows ---- */

/* (3) for rows.n <= GROUP_ROWS rows */
static int apply_group(const struct nystrom *n, struct row_range rows, double *values, double *sums,
		       struct row_batch *out, struct expansion_scratch *scratch, struct error *err)
{
	const int64_t r = n->n_columns, stride = int64_round_up(r, PANEL_COLUMNS);
	const struct row_view view = { rows.n, NULL, rows.in->row_start + rows.first,
				       rows.in->index, rows.in->value };

	expansion_values(&n->expansion, &view, values, r, scratch);
	/* sums = L^-1 times the kernel values of each row */
	for (int64_t t = 0; t < r; t += PANEL_COLUMNS)
		multiply_panels(values, r, rows.n, n->panel + panel_start(t / PANEL_COLUMNS),
				int64_min(t + PANEL_COLUMNS, r), PANEL_COLUMNS, sums + t, stride);
	for (int64_t i = 0; i < rows.n; i++) {
		const struct summed_row row = { rows.in, rows.first + i, sums + i * stride };

		if (append_sums(&n->form, row, out, err) < 0)
			return -1;
	}
	return 0;
}

int nystrom_apply(const struct nystrom *n, struct row_range rows, struct row_batch *out,
		  struct map_room *room, struct error *err)
{
	const int64_t stride = int64_round_up(n->n_columns, PANEL_COLUMNS);
	double *values = room_reserve(&room->work, GROUP_ROWS * n->n_columns, sizeof(*values), err);
	double *sums = room_reserve(&room->sums, GROUP_ROWS * stride, sizeof(*sums), err);
	int ret = values && sums ? row_batch_reserve(out, rows.n, 0, rows.in->has_text, err) : -1;

	if (ret == 0 && !room->has_scratch)
		ret = expansion_scratch_init(&room->scratch, &n->expansion, err);
	room->has_scratch |= ret == 0;
	for (int64_t i = 0; ret == 0 && i < rows.n; i += GROUP_ROWS) {
		const struct row_range group = { rows.in, rows.first + i,
						 int64_min(GROUP_ROWS, rows.n - i) };

		ret = apply_group(n, group, values, sums, out, &room->scratch, err);
	}
	return ret;
}

/* What nystrom_map_rows() was given, and what a thread maps rows in. */
struct mapping {
	const struct nystrom *n;
	int (*keep)(void *arg, const struct row_batch *z, struct error *err);
	void *arg;
};

struct mapper {
	struct map_room room;
	struct row_batch out;
};

static int map_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct mapping *mapping = arg;
	struct mapper *mapper = user;

	return nystrom_apply(mapping->n, (struct row_range){ batch, 0, batch->n_rows },
			     &mapper->out, &mapper->room, err);
}

static int keep_batch(void *arg, struct row_batch *batch UNUSED, void *user, struct error *err)
{
	const struct mapping *mapping = arg;

	return mapping->keep(mapping->arg, &((struct mapper *)user)->out, err);
}

int nystrom_map_rows(const struct nystrom *n, struct dataset *from, int n_threads,
		     int (*keep)(void *arg, const struct row_batch *z, struct error *err),
		     void *arg, struct error *err)
{
	struct mapper mapper[THREAD_MAX] = { 0 };
	struct mapping mapping = { n, keep, arg };
	const struct rows_visitor visitor = { .work = map_batch,
					      .deliver = keep_batch,
					      .arg = &mapping,
					      .users = { mapper, sizeof(*mapper) } };
	int ret = dataset_scan(from, &visitor, n_threads, err);

	for (int i = 0; i < THREAD_MAX; i++) {
		map_room_free(&mapper[i].room);
		row_batch_free(&mapper[i].out);
	}
	return ret;
}
