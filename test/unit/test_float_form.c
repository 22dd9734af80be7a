/*
 * test_float_form.c - the form of rows in single precision, from pieces of the rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "failing.h"
#include "float_check.h"
#include "kernel/float_form.h"
#include "kernel/float_sums.h"
#include "random.h"
#include "unit.h"

enum { MOST_ROWS = 300, MOST_PIECES = 5 };

/* Rows in pieces, what the pieces have in common, and the rows in floats. */
struct cut {
	int n_pieces;
	int64_t first[MOST_PIECES + 1]; /* rows first[p] .. first[p + 1] - 1 are piece p */
	struct csr piece[MOST_PIECES];
	double norm2[MOST_ROWS];
	struct float_extent all;
	struct float_columns columns;
	struct csr sample;
	struct float_vectors form;
	struct float_vectors floats[MOST_PIECES];
};

static void cut_free(struct cut *c)
{
	for (int p = 0; p < c->n_pieces; p++) {
		csr_free(&c->piece[p]);
		float_vectors_free(&c->floats[p]);
	}
	csr_free(&c->sample);
	float_columns_free(&c->columns);
}

/* Cut at random places; some pieces may be empty. */
static int cut_rows(struct cut *c, const struct csr *x, struct error *err)
{
	int64_t row[MOST_ROWS];

	c->n_pieces = 1 + (int)random_below(MOST_PIECES);
	for (int p = 1; p < c->n_pieces; p++)
		c->first[p] = random_below(x->n_rows + 1);
	c->first[c->n_pieces] = x->n_rows;
	qsort(c->first, (size_t)c->n_pieces + 1, sizeof(*c->first), order_int64s);
	for (int p = 0; p < c->n_pieces; p++) {
		int64_t n = c->first[p + 1] - c->first[p];

		for (int64_t i = 0; i < n; i++)
			row[i] = c->first[p] + i;
		if (csr_gather(&c->piece[p], x, row, n, err) < 0)
			return -1;
	}
	return 0;
}

/* (1) and (2) */
static int join(struct cut *c, struct error *err)
{
	int ret = 0;

	for (int p = 0; p < c->n_pieces && ret == 0; p++) {
		struct float_extent e = float_extent_of(&c->piece[p], c->norm2 + c->first[p]);
		struct column_map map;

		if (p == 0)
			c->all = e;
		else
			float_extent_join(&c->all, &e);
		if (column_map_init(&map, &c->piece[p], err) < 0)
			return -1;
		ret = column_map_list(&map, err);
		for (int64_t k = 0; ret == 0 && k < map.n; k++)
			ret = column_map_add(&c->columns.map, map.list[k], err) < 0 ? -1 : 0;
		column_map_free(&map);
	}
	/* of dense rows, 0.8 full, sums depend on the order */
	if (ret == 0 &&
	    (double)c->all.n_entries >= 0.8 * (double)c->all.n_rows * (double)c->columns.map.n)
		ret = column_map_sort(&c->columns.map, err);
	return ret;
}

/* (3), the pieces from the last to the first */
static int centre(struct cut *c, struct error *err)
{
	int64_t *sum = mem_zeroed(c->columns.map.n, sizeof(*sum), err);
	int ret = -1;

	if (!sum)
		return -1;
	for (int p = c->n_pieces - 1; p >= 0; p--)
		float_columns_add(&c->columns, &c->all, &c->piece[p], sum);
	if (float_columns_set_centre(&c->columns, &c->all, sum, err) == 0)
		ret = 0;
	c->all.max_norm2 = 0;
	for (int p = 0; p < c->n_pieces && ret == 0; p++)
		ret = float_columns_norms(&c->columns, &c->piece[p], c->norm2 + c->first[p],
					  &c->all.max_norm2, err);
	mem_free(sum);
	return ret;
}

/* All steps: 0, 1 if the rows are not for floats, -1 with an error. */
static int make_floats(struct cut *c, const struct csr *x, const struct kernel *k,
		       struct error *err)
{
	int64_t row[FLOAT_SAMPLE];
	int ret, n;

	if (cut_rows(c, x, err) < 0 || join(c, err) < 0)
		return -1;
	if (!float_form_fits(k, &c->all))
		return 1;
	if (float_form_is_centred(k, &c->all, c->columns.map.n) && centre(c, err) < 0)
		return -1;
	n = float_sample_rows(row, c->all.n_rows, c->all.n_entries, c->norm2);
	if (csr_gather(&c->sample, x, row, n, err) < 0)
		return -1;
	ret = float_form_choose(&c->form, k, &c->all, &c->columns, &c->sample, err);
	for (int p = 0; p < c->n_pieces && ret == 0; p++)
		ret = float_form_convert(&c->floats[p], &c->form, &c->piece[p], &c->columns, err);
	return ret;
}

enum kind { SPARSE, TEXT, DENSE, FAR, INTEGERS, NEARLY_DENSE, SPARSE_INTEGERS, TINY, KINDS };

static void make_rows(struct csr *x, enum kind kind)
{
	static const double density[KINDS] = { 0.2, 0.005, 1, 1, 1, 0.9, 0.3, 1 };
	const int n_columns = kind == TEXT	      ? 5000 :
			      kind == SPARSE_INTEGERS ? 800 :
							3 + (int)random_below(30);

	random_rows(x, 1 + random_below(MOST_ROWS), n_columns, density[kind]);
	for (int64_t k = 0; k < csr_n_entries(x); k++) {
		double *value = &x->val[k];

		if (kind == FAR)
			*value = 1e5 + *value;
		else if (kind == INTEGERS)
			*value = rint(100 * *value);
		else if (kind == SPARSE_INTEGERS) /* whose products are exact in chunks alone */
			*value = fmin(fmax(rint(200 * *value), -724), 724);
		else if (kind == TINY)
			*value *= 1e-307;
	}
}

static struct kernel random_kernel(const struct csr *x)
{
	static const double reach[] = { 0.5, 50, 1e5, 1e12, 1e17 };
	double norm2 = csr_row_norm2(x, 0) + 1e-300;
	struct kernel k = { .degree = 3, .coef0 = 1 };

	k.type = random_below(3) ? KERNEL_RBF : (enum kernel_type)random_below(4);
	k.gamma = reach[k.type == KERNEL_RBF ? random_below(5) : 0] / norm2;
	return k;
}

/* Of any cut the form and the rows are those of all rows at once. */
static void test_pieces(void)
{
	int n_forms[4] = { 0 }, n_dense = 0, n_unfit = 0;

	for (int trial = 0; trial < 100 * KINDS; trial++) {
		struct cut c = { 0 };
		struct csr x = { 0 };
		struct error err = { 0 };
		struct float_vectors v;
		struct kernel k;
		int ret;

		make_rows(&x, trial % KINDS);
		k = random_kernel(&x);
		ret = float_vectors_init(&v, &x, &k, &err);
		CHECK(make_floats(&c, &x, &k, &err) == ret && err.code == ERR_NONE,
		      "trial %d: not %d: %s", trial, ret, err.text);
		CHECK(ret != 0 || same_form(&c.form, &v), "trial %d: another form", trial);
		for (int p = 0; p < c.n_pieces && ret == 0; p++)
			CHECK(same_form(&c.floats[p], &v) &&
				      c.floats[p].n == c.first[p + 1] - c.first[p] &&
				      same_rows(&c.floats[p], &v, c.first[p]),
			      "trial %d: other rows in piece %d of %d", trial, p, c.n_pieces);
		n_unfit += ret != 0;
		n_dense += v.dense && c.columns.centre;
		n_forms[2 * v.wide_sums + v.in_doubles]++;
		cut_free(&c);
		float_vectors_free(&v);
		csr_free(&x);
	}
	CHECK(n_forms[0] > 50 && n_forms[2] > 5 && n_forms[3] > 50 && n_dense > 50 && n_unfit > 20,
	      "%d floats, %d chunks, %d doubles, %d centred, %d in no form", n_forms[0], n_forms[2],
	      n_forms[3], n_dense, n_unfit);
}

/* A value that is not finite is found in any piece. */
static void test_not_finite(void)
{
	static const double bad[] = { NAN, -NAN, INFINITY, -INFINITY };
	const struct kernel linear = { .type = KERNEL_LINEAR };

	for (int trial = 0; trial < 200; trial++) {
		struct cut c = { 0 };
		struct csr x = { 0 };
		struct error err = { 0 };

		random_rows(&x, 50, 20, 0.5);
		x.val[random_below(csr_n_entries(&x))] = bad[trial % 4];
		CHECK(make_floats(&c, &x, &linear, &err) == 1, "trial %d: %s", trial, err.text);
		cut_free(&c);
		csr_free(&x);
	}
}

/* Centres are within a digit of the means, and cost no digits of the norms. */
static void test_centre(void)
{
	for (int trial = 0; trial < 20; trial++) {
		const struct kernel k = { .type = KERNEL_RBF, .gamma = 1 };
		struct cut c = { 0 };
		struct csr x = { 0 };
		struct error err = { 0 };

		make_rows(&x, FAR);
		CHECK(make_floats(&c, &x, &k, &err) >= 0 && c.columns.centre, "%s", err.text);
		for (int64_t j = 0; j < c.columns.map.n; j++) {
			double mean = 0;

			for (int64_t i = 0; i < x.n_rows; i++)
				mean += csr_row_of(&x, i).val[j] / (double)x.n_rows;
			CHECK(fabs(c.columns.centre[j] - mean) <= 1e-12 * mean, "%.17g, not %.17g",
			      c.columns.centre[j], mean);
		}
		cut_free(&c);
		csr_free(&x);
	}
}

static int floats_once(void *arg, struct error *err)
{
	const struct kernel k = { .type = KERNEL_RBF, .gamma = 0.01 };
	struct cut c = { 0 };
	int ret = make_floats(&c, arg, &k, err);

	cut_free(&c);
	return ret;
}

static void test_memory(void)
{
	struct csr x = { 0 };

	random_rows(&x, 30, 10, 1);
	CHECK(fail_each_allocation("form of pieces", floats_once, &x) > 10, "few allocations");
	csr_free(&x);
}

/* Sums over vectors in blocks are those over all vectors at once. */
static void test_blocks(void)
{
	for (int trial = 0; trial < 40 * KINDS; trial++) {
		double coef[MOST_ROWS], sum[MOST_ROWS], all[MOST_ROWS] = { 0 };
		int64_t block = FLOAT_FLUSH * (1 + random_below(5)), row[MOST_ROWS];
		struct csr x = { 0 };
		struct error err = { 0 };
		struct float_vectors v, some;
		struct kernel k;

		make_rows(&x, trial % KINDS);
		k = random_kernel(&x);
		if (float_vectors_init(&v, &x, &k, &err) == 0) {
			v.exact_sums = random_below(2);
			for (int64_t j = 0; j < v.n; j++) {
				row[j] = j;
				coef[j] = random_normal();
				sum[j] = 0;
			}
			float_vectors_sums((struct float_rows){ &v, NULL, v.n }, &v, coef, all, 2,
					   &err);
			for (int64_t j = 0; j < v.n; j += block) {
				int64_t n = v.n - j < block ? v.n - j : block;

				float_vectors_gather(&some, &v, row + j, n, &err);
				float_vectors_add_sums((struct float_rows){ &v, NULL, v.n }, &some,
						       coef + j, sum, 1 + trial % 2, &err);
				float_vectors_free(&some);
			}
			CHECK(err.code == ERR_NONE &&
				      memcmp(sum, all, (size_t)v.n * sizeof(*sum)) == 0,
			      "trial %d: other sums in blocks of %" PRId64 ": %s", trial, block,
			      err.text);
		}
		float_vectors_free(&v);
		csr_free(&x);
	}
}

int main(void)
{
	test_pieces();
	test_not_finite();
	test_centre();
	test_memory();
	test_blocks();
	return unit_report("float_form");
}
