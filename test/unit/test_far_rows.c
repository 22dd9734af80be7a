/*
 * test_far_rows.c - rbf kernel values of rows far from 0, where |x|^2 + |z|^2 - 2 x.z is of no use
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "kernel/expansion.h"
#include "kernel/kernel_matrix.h"
#include "kernel/shifted_data.h"
#include "plain_problem.h"
#include "random.h"
#include "problem/problem.h"
#include "unit.h"
#include "world.h"

#define LENGTH(a) ((int)(sizeof(a) / sizeof(*(a))))

enum { MOST_ROWS = 80, COLUMNS = 14 };

static const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.3 };

/* Entries that make a row far; the last one's sums with others are infinite. */
static const double large[] = { 1e9, -1e20, 1e100, 1e160, -1e200, DBL_MAX };

/*
 * Rows in pairs, the second one being the first, moved a little; of every other pair an entry is
 * large.  At 1e9 a row is told from its neighbour by that entry too.
 */
static void make_rows(struct csr *x, double density, double value)
{
	struct csr base = { 0 };
	int64_t row[MOST_ROWS];
	struct error err = { 0 };

	*x = (struct csr){ 0 };
	random_rows(&base, MOST_ROWS / 2, COLUMNS, density);
	for (int64_t i = 0; i < MOST_ROWS; i++)
		row[i] = i / 2;
	CHECK(csr_gather(x, &base, row, MOST_ROWS, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < MOST_ROWS; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++) {
			x->val[k] += i % 2 ? 0.25 * random_normal() : 0;
			if (i % 4 >= 2 && x->col[k] % 5 == 3)
				x->val[k] = value + (value == 1e9 ? 0.5 * (double)(i % 2) : 0);
		}
	csr_free(&base);
}

/* Far rows' values are exact; of the others |x|^2 is small. */
static bool is_right(double got, double exact)
{
	return fabs(got - exact) <= 1e-12 * exact + 1e-300;
}

static void expect_values(const struct csr *x, int64_t i, const double *value, const char *what)
{
	for (int64_t j = 0; j < x->n_rows; j++) {
		double exact = plain_row_kernel(&rbf, x, i, j);

		CHECK(is_right(value[j], exact) && (i != j || value[j] == 1),
		      "%s: K(%" PRId64 ", %" PRId64 ") = %.17g, not %.17g", what, i, j, value[j],
		      exact);
	}
}

static void check_matrix(const struct csr *x)
{
	struct kernel_matrix m;
	struct error err = { 0 };

	if (!CHECK(kernel_matrix_init_doubles(&m, x, &rbf, 2, &err) == 0, "%s", err.text))
		return;
	for (int64_t i = 0; i < m.n; i++)
		expect_values(x, i, m.double_value + i * m.stride, "matrix");
	kernel_matrix_free(&m);
}

/* Rows over all examples, some at a time. */
static void check_kernel_rows(const struct csr *x)
{
	enum { AT_ONCE = 7 };
	static double value[AT_ONCE][MOST_ROWS] __attribute__((aligned(64)));
	int64_t wanted[AT_ONCE];
	void *out[AT_ONCE];
	struct world w;
	struct row_members over;
	struct kernel_rows r;
	struct error err = { 0 };

	world_init(&w, (struct problem_view){ .type = MACHINE_C_SVC,
					      .kernel = rbf,
					      .x = x,
					      .n = MOST_ROWS,
					      .c_plus = 1 });
	for (int64_t i = 0; i < MOST_ROWS; i++)
		w.target[i] = i % 3 ? 1 : -1;
	over = (struct row_members){
		.n = MOST_ROWS, .example = w.row, .row = w.row, .in_place = true
	};
	if (!CHECK(kernel_rows_init(&r, &w.p, 2, &err) == 0 && r.in_doubles, "%s", err.text))
		return;
	for (int64_t first = 0; first < MOST_ROWS; first += AT_ONCE) {
		int n = (int)int64_min(AT_ONCE, MOST_ROWS - first);

		for (int k = 0; k < n; k++) {
			wanted[k] = first + k;
			out[k] = value[k];
		}
		CHECK(kernel_rows_fetch(&r, (struct row_request){ &over, 0, wanted, n, out },
					&err) == 0,
		      "%s", err.text);
		for (int k = 0; k < n; k++)
			expect_values(x, wanted[k], value[k], "rows");
	}
	kernel_rows_free(&r);
	world_free(&w);
}

/* Each row in turn is the only vector: near or far from 0, it meets rows that are either. */
static void check_expansion(const struct csr *x)
{
	const int64_t n_of_class[2] = { 1, 0 };
	const double one = 1;
	double out[MOST_ROWS];
	struct error err = { 0 };

	for (int64_t i = 0; i < x->n_rows; i++) {
		struct csr sv = { 0 };
		struct expansion e = { 0 };

		if (CHECK(csr_gather(&sv, x, &i, 1, &err) == 0 &&
				  expansion_init(
					  &e, &rbf,
					  (struct support_vectors){ &sv, 2, n_of_class, &one },
					  &err) == 0 &&
				  expansion_evaluate_rows(&e, csr_view(x, NULL, x->n_rows), out, 2,
							  &err) == 0,
			  "%s", err.text))
			expect_values(x, i, out, "expansion");
		expansion_free(&e);
		csr_free(&sv);
	}
}

/* An infinite entry is infinitely far; one that is no number has no value, as in svm-predict. */
static void test_nonfinite(void)
{
	const double value[] = { INFINITY, NAN, 1 };
	int64_t start[] = { 0, 1, 2, 3 };
	int32_t col[] = { 1, 2, 1 };
	struct csr x = { 0 };
	struct kernel_matrix m;
	struct error err = { 0 };

	if (!CHECK(csr_append(&x, 3, start, col, value, &err) == 0 &&
			   kernel_matrix_init_doubles(&m, &x, &rbf, 1, &err) == 0,
		   "%s", err.text))
		return;
	CHECK(m.double_value[2] == 0, "infinity: %g", m.double_value[2]);
	CHECK(isnan(m.double_value[m.stride + 2]), "no number: %g", m.double_value[m.stride + 2]);
	CHECK(m.double_value[2 * m.stride + 2] == 1, "%g", m.double_value[2 * m.stride + 2]);
	kernel_matrix_free(&m);
	csr_free(&x);
}

/*
 * Columns 1 and 2 are 'offset' from 0 and -offset from 0, in steps of 'unit'; the others are next to
 * 0.  Column 2 is missing from the last row where 'gap' says so.
 */
static void make_offset_rows(struct dataset *d, double offset, double unit, bool gap)
{
	struct csr base = { 0 };
	struct error err = { 0 };

	*d = (struct dataset){ 0 };
	random_rows(&base, MOST_ROWS, COLUMNS, 0.3);
	for (int64_t i = 0; i < MOST_ROWS; i++) {
		struct csr_row part = csr_row_of(&base, i);
		int32_t col[COLUMNS + 2] = { 1, 2 };
		double val[COLUMNS + 2] = { offset + unit * (double)random_below(50),
					    -offset - unit * (double)random_below(50) };
		int64_t n = gap && i == MOST_ROWS - 1 ? 1 : 2;

		for (int64_t k = 0; k < part.n; k++) {
			col[n] = part.col[k] + 3;
			val[n++] = part.val[k];
		}
		CHECK(csr_append_row(&d->x, (struct csr_row){ n, col, val }, &err) == 0, "%s",
		      err.text);
	}
	csr_free(&base);
}

/* Distances are the same bits, column by column; what is shifted is no longer far, unless a row gaps. */
static void check_shift(double offset, double unit, bool gap)
{
	struct dataset d;
	struct shifted_data s;
	struct error err = { 0 };

	make_offset_rows(&d, offset, unit, gap);
	if (!CHECK(shifted_data_init(&s, &d, rbf.gamma, &err) == 0, "%s", err.text))
		return;
	CHECK(s.val && s.data.x.val == s.val && s.data.x.col == d.x.col, "%g: no shift", offset);
	CHECK(kernel_has_far(&rbf, &s.data.x) == gap, "%g: far still", offset);
	for (int64_t k = 0, first = -1; k < csr_n_entries(&d.x); k++) {
		if (d.x.col[k] > 2) {
			CHECK(s.val[k] == d.x.val[k], "%g: another column", offset);
			continue;
		}
		if (d.x.col[k] == 1 && first < 0)
			first = k;
		if (d.x.col[k] == 1)
			CHECK(s.val[k] - s.val[first] == d.x.val[k] - d.x.val[first],
			      "%g: a difference is %.17g, not %.17g", offset,
			      s.val[k] - s.val[first], d.x.val[k] - d.x.val[first]);
		CHECK(!gap || d.x.col[k] == 1 || s.val[k] == d.x.val[k], "%g: gap", offset);
	}
	shifted_data_free(&s);
	csr_free(&d.x);
}

/* Rows next to 0, rows of gamma 0 and columns that differ as much as they are large stay. */
static void check_no_shift(double offset, double unit, double gamma)
{
	struct dataset d;
	struct shifted_data s;
	struct error err = { 0 };

	make_offset_rows(&d, offset, unit, false);
	CHECK(shifted_data_init(&s, &d, gamma, &err) == 0 && !s.val && s.data.x.val == d.x.val,
	      "%g, %g: shifted", offset, unit);
	shifted_data_free(&s);
	csr_free(&d.x);
}

static void test_shift(void)
{
	const double offset[] = { 1e6, 4e9, 1.7e12, 1e15 };

	for (int k = 0; k < LENGTH(offset); k++) {
		check_shift(offset[k], 1, false);
		check_shift(offset[k], 0.125, true);
		check_no_shift(offset[k], offset[k], rbf.gamma);
		check_no_shift(offset[k], 1, 0);
	}
	check_no_shift(1000, 0.01, rbf.gamma);
}

int main(void)
{
	static const double density[] = { 0.4, 1 };

	for (int d = 0; d < LENGTH(density); d++)
		for (int v = 0; v < LENGTH(large); v++) {
			struct csr x;

			make_rows(&x, density[d], large[v]);
			check_matrix(&x);
			check_kernel_rows(&x);
			check_expansion(&x);
			csr_free(&x);
		}
	test_nonfinite();
	test_shift();
	return unit_report("far rows");
}
