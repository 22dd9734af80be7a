/*
 * test_equal_examples.c - equal examples as one: which are, and is it the same problem?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "problem/equal_examples.h"
#include "proof/certificate.h"
#include "random.h"
#include "unit.h"
#include "world.h"

enum { N = 300, ROWS = 40, COLUMNS = 3 };

/* N examples, several of each row of x, whose rows are few and some of them equal. */
static void make_world(struct world *w, enum machine_type type, bool weighted)
{
	struct error err = { 0 };

	world_init(w, (struct problem_view){ .type = type,
					     .kernel = { .type = KERNEL_RBF, .gamma = 0.3 },
					     .n = N,
					     .c_plus = 0.7,
					     .c_minus = 0.3,
					     .epsilon = 0.1 });
	for (int64_t i = 0; i < ROWS; i++) {
		int64_t start[2] = { 0, 0 };
		int32_t col[COLUMNS];
		double val[COLUMNS];

		for (int c = 0; c < COLUMNS; c++) {
			if (random_below(3) == 0)
				continue;
			col[start[1]] = c + 1;
			val[start[1]++] = (double)random_below(3); /* zeros, too */
		}
		CHECK(csr_append(&w->x, 1, start, col, val, &err) == 0, "%s", err.text);
	}
	for (int64_t i = 0; i < N; i++) {
		w->row[i] = random_below(ROWS);
		w->target[i] = type == MACHINE_C_SVC ? 2.0 * (double)random_below(2) - 1 :
						       0.5 * (double)random_below(3);
	}
	if (weighted)
		world_weigh(w);
	/* over six decades, so that one example of a group may be most of it */
	for (int64_t i = 0; weighted && i < N; i++)
		w->weight[i] = exp(14 * random_unit() - 7);
}

static double weight_of(const struct world *w, int64_t i)
{
	return w->weight ? w->weight[i] : 1;
}

/* By the definition: the same entries, those that are 0 too, and the same target. */
static bool are_equal(const struct world *w, int64_t i, int64_t j)
{
	const int64_t *start = w->x.row_start;
	int64_t a = start[w->row[i]], b = start[w->row[j]], n = start[w->row[i] + 1] - a;
	bool equal = start[w->row[j] + 1] - b == n && w->target[i] == w->target[j];

	for (int64_t k = 0; equal && k < n; k++)
		equal = w->x.col[a + k] == w->x.col[b + k] && w->x.val[a + k] == w->x.val[b + k];
	return equal;
}

static void check_groups(const struct world *w, const struct equal_examples *e)
{
	const struct problem_view *m = &e->merged;
	double sum[N] = { 0 };

	for (int64_t i = 0; i < N; i++) {
		int64_t g = e->group[i];

		sum[g] += weight_of(w, i);
		CHECK(m->target[g] == w->target[i], "example %d has target %g", (int)i,
		      m->target[g]);
		for (int64_t j = 0; j < i; j++)
			CHECK((g == e->group[j]) == are_equal(w, i, j), "%d and %d", (int)i,
			      (int)j);
	}
	for (int64_t g = 0; g < m->n; g++) {
		CHECK(fabs(m->weight[g] - sum[g]) <= 1e-12 * sum[g], "weight %g for %g",
		      m->weight[g], sum[g]);
		CHECK(problem_c(m, g) == m->weight[g] * (m->target[g] > 0 ? 0.7 : w->p.c_minus),
		      "C of %d is %g", (int)g, problem_c(m, g));
		CHECK(problem_upper(m, g) - problem_lower(m, g) ==
			      (w->p.type == MACHINE_C_SVC ? 1 : 2) * problem_c(m, g),
		      "the box of %d", (int)g);
	}
	CHECK(m->n < N / 2, "%d groups", (int)m->n);
}

/* Of rows whose entries are elsewhere, but for their marks, the groups are the same. */
static void check_marks(struct world *w, const struct equal_examples *e)
{
	uint64_t hash[ROWS];
	double norm2[ROWS];
	const struct row_marks marks = { hash, norm2 };
	const struct csr outline = { .n_rows = w->x.n_rows,
				     .n_cols = w->x.n_cols,
				     .row_start = w->x.row_start };
	struct kernel_source far = plain_source;
	struct problem_view p = w->p;
	struct equal_examples marked;
	struct error err = { 0 };

	for (int64_t i = 0; i < ROWS; i++) {
		hash[i] = csr_row_hash(&w->x, i, false);
		norm2[i] = csr_row_norm2(&w->x, i);
	}
	far.elsewhere = &marks;
	p.x = &outline;
	p.source = &far;
	CHECK(equal_examples_init(&marked, &p, 1, &err) == 0, "%s", err.text);
	CHECK(marked.merged.n == e->merged.n && marked.merged.source == &far, "%d groups, not %d",
	      (int)marked.merged.n, (int)e->merged.n);
	CHECK(memcmp(marked.group, e->group, sizeof(*e->group) * N) == 0, "other groups");
	for (int64_t g = 0; g < e->merged.n; g++)
		CHECK(marked.row[g] == e->row[g] && marked.target[g] == e->target[g] &&
			      marked.weight[g] == e->weight[g],
		      "another group %d", (int)g);
	equal_examples_free(&marked);
	/* rows of one hash differ by their norms or the numbers of their entries */
	for (int64_t i = 0; i < ROWS; i++)
		hash[i] = 7;
	CHECK(equal_examples_init(&marked, &p, 1, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < N; i++)
		for (int64_t j = 0; j < i; j++) {
			const int64_t a = w->row[i], b = w->row[j], *start = w->x.row_start;

			CHECK((marked.group[i] == marked.group[j]) ==
				      (w->target[i] == w->target[j] && norm2[a] == norm2[b] &&
				       start[a + 1] - start[a] == start[b + 1] - start[b]),
			      "%d and %d of one hash", (int)i, (int)j);
		}
	equal_examples_free(&marked);
}

/*
 * Rows of one norm, one with 1 in the last bit of a value, the other with it in the column; and equal
 * ones, of 0 and -0.
 */
static void check_hash(void)
{
	int64_t start[] = { 0, 2, 4, 6, 8 };
	int32_t col[] = { 1, 5, 1, 4, 1, 2, 1, 2 };
	double val[] = { 3, 0.3, 3, nextafter(0.3, 1), 0.0, 2, -0.0, 2 };
	const struct csr x = {
		.n_rows = 4, .n_cols = 6, .row_start = start, .col = col, .val = val
	};

	CHECK(csr_rows_are_equal(&x, 2, 3, 1) &&
		      csr_row_hash(&x, 2, false) == csr_row_hash(&x, 3, false),
	      "0 and -0 differ");
	CHECK(csr_row_norm2(&x, 0) == csr_row_norm2(&x, 1), "other norms");
	CHECK(csr_row_hash(&x, 0, false) != csr_row_hash(&x, 1, false), "hash %" PRIx64 " of both",
	      csr_row_hash(&x, 0, false));
}

/* Some multipliers of the merged problem: at 0, at the bound, between. */
static void draw_multipliers(const struct problem_view *m, double *beta, double *f)
{
	for (int64_t g = 0; g < m->n; g++) {
		bool upper = m->type == MACHINE_C_SVC ? m->target[g] > 0 : random_below(2) == 0;
		double bound = upper ? problem_upper(m, g) : problem_lower(m, g);
		int64_t kind = random_below(3);

		beta[g] = kind == 0 ? 0 : kind == 1 ? bound : bound * random_unit();
		f[g] = random_normal();
	}
}

/* Sums, boxes, and how few of a group are not at 0 or at the bound. */
static void check_shares(const struct world *w, const struct equal_examples *e,
			 const double *merged, const struct iterate *x)
{
	double sum[N] = { 0 };
	int n_free[N] = { 0 };

	for (int64_t i = 0; i < N; i++) {
		int64_t g = e->group[i];

		sum[g] += x->beta[i];
		n_free[g] += x->beta[i] != 0 && fabs(x->beta[i]) < problem_c(&w->p, i);
	}
	CHECK(plain_excess(&w->p, x->beta) <= 0, "beyond a bound by %g",
	      plain_excess(&w->p, x->beta));
	for (int64_t g = 0; g < e->merged.n; g++) {
		bool bounded = fabs(merged[g]) == problem_c(&e->merged, g);

		CHECK(fabs(sum[g] - merged[g]) <= 1e-12 * (1 + fabs(merged[g])), "%g for %g",
		      sum[g], merged[g]);
		CHECK(n_free[g] <= (merged[g] != 0 && !bounded), "%d free", n_free[g]);
	}
}

/* P and D of both are the same, and the violators are the groups'. */
static void check_spread(const struct world *w, const struct equal_examples *e)
{
	double beta[N], f[N], all_beta[N], all_f[N];
	struct iterate from = { .beta = beta, .f = f, .rho = 0.3 };
	struct iterate to = { .beta = all_beta, .f = all_f };
	struct certificate small, large;
	struct error err = { 0 };
	int64_t n_violators = 0;

	draw_multipliers(&e->merged, beta, f);
	equal_examples_spread(e, &from, &to);
	check_shares(w, e, beta, &to);
	CHECK(certificate_make(&e->merged, &from, 0.001, &small, &err) == 0, "%s", err.text);
	CHECK(certificate_make(&w->p, &to, 0.001, &large, &err) == 0, "%s", err.text);
	CHECK(fabs(small.primal - large.primal) < 1e-9 * fabs(large.primal), "P %g for %g",
	      small.primal, large.primal);
	CHECK(fabs(small.dual - large.dual) < 1e-9 * (1 + fabs(large.dual)), "D %g for %g",
	      small.dual, large.dual);
	for (int64_t g = 0; g < e->merged.n; g++)
		n_violators += certificate_row_violates(&e->merged, g, beta[g], f[g] - 0.3, 0.001);
	CHECK(n_violators == small.n_violators && large.n_violators >= n_violators,
	      "%d violators for %d", (int)large.n_violators, (int)n_violators);
}

static int try_init(void *arg, struct error *err)
{
	const struct world *w = arg;
	struct equal_examples e;
	int ret = equal_examples_init(&e, &w->p, 1, err);

	equal_examples_free(&e);
	return ret;
}

int main(void)
{
	struct world w;
	struct equal_examples e;
	struct error err = { 0 };

	check_hash();
	for (int kind = 0; kind < 4; kind++) {
		make_world(&w, kind % 2 ? MACHINE_EPSILON_SVR : MACHINE_C_SVC, kind / 2 > 0);
		CHECK(equal_examples_init(&e, &w.p, 1, &err) == 0, "%s", err.text);
		check_groups(&w, &e);
		check_marks(&w, &e);
		check_spread(&w, &e);
		equal_examples_free(&e);
		CHECK(fail_each_allocation("equal_examples_init", try_init, &w) >= 5,
		      "too few allocations");
		world_free(&w);
	}
	return unit_report("equal_examples");
}
