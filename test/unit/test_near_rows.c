/*
 * test_near_rows.c - rows ordered by neighbourhood, and sums that leave out what is far
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "full.h"
#include "kernel/float_form.h"
#include "kernel/float_sums.h"
#include "kernel/near_rows.h"
#include "plain_problem.h"
#include "random.h"
#include "unit.h"

enum { N = 6000, COLUMNS = 3 };

struct rows {
	struct csr x;
	double dense[N][COLUMNS];
	struct float_vectors single;
};

/* Points of a cube of this side, all of them distinct, with a column missing here and there. */
static void make_rows(struct rows *r, double side, double gamma)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = gamma };
	struct error err = { 0 };

	memset(r, 0, sizeof(*r));
	for (int64_t i = 0; i < N; i++)
		for (int c = 0; c < COLUMNS; c++)
			if (random_below(30))
				r->dense[i][c] = random_between(0, side);
	full_rows(&r->x, r->dense[0], N, COLUMNS, 0, 1);
	CHECK(float_vectors_init(&r->single, &r->x, &rbf, &err) == 0, "unfit");
}

static void free_rows(struct rows *r)
{
	float_vectors_free(&r->single);
	csr_free(&r->x);
}

static double plain_value(const struct rows *r, int64_t i, int64_t j)
{
	return plain_kernel(&r->single.kernel, r->dense[i], r->dense[j], COLUMNS);
}

/* Rows in the order; false where the places are not 0 .. N - 1. */
static bool find_order(const int64_t *place, int64_t *row)
{
	for (int64_t k = 0; k < N; k++)
		row[k] = -1;
	for (int64_t i = 0; i < N; i++)
		if (!CHECK(place[i] >= 0 && place[i] < N && row[place[i]] < 0, "place %d",
			   (int)place[i]))
			return false;
		else
			row[place[i]] = i;
	return true;
}

/* No pair of rows in balls that are called far has a kernel value, and many are called so. */
static void check_balls(const struct rows *r, const int64_t *row)
{
	struct float_vectors some;
	struct near_balls balls;
	struct error err = { 0 };
	int64_t n_far = 0;

	if (!CHECK(float_vectors_gather(&some, &r->single, row, N, &err) == 0 &&
			   near_balls_init(&balls, &some, NULL, N, NEAR_BALL_ROWS, &err) == 0,
		   "%s", err.text))
		return;
	for (int trial = 0; trial < 4000; trial++) {
		int64_t a = random_below(balls.n), b = random_below(balls.n);
		double most = 0;

		if (!near_balls_are_far(&balls.ball[a], &balls.ball[b], &some))
			continue;
		n_far++;
		for (int64_t i = a * NEAR_BALL_ROWS; i < (a + 1) * NEAR_BALL_ROWS && i < N; i++)
			for (int64_t j = b * NEAR_BALL_ROWS; j < (b + 1) * NEAR_BALL_ROWS && j < N;
			     j++)
				most = fmax(most, plain_value(r, row[i], row[j]));
		CHECK(most < 1.01 * 0x1p-40, "a value of %g is left out", most);
	}
	CHECK(n_far > 1000, "only %d of 4000 balls are far", (int)n_far);
	near_balls_free(&balls);
	float_vectors_free(&some);
}

/* Sums of vectors in the order, by rows in the order: those of plain loops, for any threads. */
static void check_sums(struct rows *r, const int64_t *row)
{
	static double coef[N], sum[2][N];
	struct float_vectors some;
	struct error err = { 0 };

	for (int64_t j = 0; j < N; j++)
		coef[j] = random_between(-1, 1);
	r->single.near = true;
	if (!CHECK(float_vectors_gather(&some, &r->single, row, N, &err) == 0, "%s", err.text))
		return;
	for (int t = 0; t < 2; t++)
		CHECK(float_vectors_sums((struct float_rows){ &r->single, row, N }, &some, coef,
					 sum[t], 1 + 2 * t, &err) == 0,
		      "%s", err.text);
	CHECK(memcmp(sum[0], sum[1], sizeof(sum[0])) == 0, "three threads differ from one");
	for (int64_t k = 0; k < N; k += 7) {
		double wanted = 0;

		for (int64_t j = 0; j < N; j++)
			wanted += coef[j] * plain_value(r, row[k], row[j]);
		CHECK(fabs(sum[0][k] - wanted) < 1e-5, "%g, not %g", sum[0][k], wanted);
	}
	float_vectors_free(&some);
}

/* What the pairs alone tell: of wide kernels that nothing is far, and of few rows nothing at all. */
static void check_pairs(const struct rows *r, bool expected)
{
	int64_t row[2 * NEAR_ROWS_PAIRS];
	int n = near_rows_list_pairs(&r->single, N, row);
	struct float_vectors pairs;
	struct error err = { 0 };
	bool are_far = !expected;

	CHECK(n == 2 * NEAR_ROWS_PAIRS, "%d rows", n);
	for (int k = 0; k < n; k++)
		CHECK(row[k] >= 0 && row[k] < N && row[k] != row[k ^ 1], "row %d", (int)row[k]);
	if (!CHECK(float_vectors_gather(&pairs, &r->single, row, n, &err) == 0 &&
			   near_rows_are_far(&pairs, &are_far, &err) == 0,
		   "%s", err.text))
		return;
	CHECK(are_far == expected, "pairs are far: %d", are_far);
	CHECK(near_rows_list_pairs(&pairs, pairs.n, row) == 0, "few rows are listed");
	float_vectors_free(&pairs);
}

int main(void)
{
	static const struct {
		double side, gamma;
		bool helps;
	} cases[] = {
		{ 100, 1, true }, /* a hundred neighbourhoods along each side */
		{ 1e4, 1e-4, true },
		{ 1, 1, false }, /* all are near */
	};
	static struct rows r;
	static int64_t place[N], row[N];

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct error err = { 0 };
		bool helps;

		make_rows(&r, cases[k].side, cases[k].gamma);
		CHECK(near_rows_order(&r.single, place, &helps, &err) == 0, "%s", err.text);
		CHECK(helps == cases[k].helps, "case %d: %d", (int)k, helps);
		check_pairs(&r, cases[k].helps);
		if (find_order(place, row) && helps) {
			check_balls(&r, row);
			check_sums(&r, row);
		}
		free_rows(&r);
	}
	return unit_report("near_rows");
}
