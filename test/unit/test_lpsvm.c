/*
 * test_lpsvm.c - the linear programming machine: duality, and a plain simplex method
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "matrix/synthetic.h"
#include "select/lpsvm.h"
#include "unit.h"

/* ---- The same program by the simplex method ---- */

/*
 * The dual with slacks: max sum u under A'Du + v = 1, -A'Du + v' = 1, u + t = nu (all >= 0) and
 * y'u <= 0, -y'u <= 0; so 0 with the slacks as a basis is a start.  Bland's rule: no cycles.
 */
static double simplex_optimum(const double *a, const double *y, int64_t n, int64_t d, double nu)
{
	int64_t m = 2 * d + 2 + n, width = n + m + 1;
	double *t = full_zeros(m + 1, width), optimum;
	int64_t *basis = malloc((size_t)m * sizeof(*basis));

	for (int64_t r = 0; r < m; r++) {
		for (int64_t i = 0; i < n; i++)
			t[r * width + i] = r < 2 * d ? (r < d ? 1 : -1) * y[i] * a[i * d + r % d] :
					   r < 2 * d + 2 ? (r == 2 * d ? 1 : -1) * y[i] :
							   r - 2 * d - 2 == i;
		t[r * width + n + r] = 1;
		t[r * width + width - 1] = r < 2 * d ? 1 : r < 2 * d + 2 ? 0 : nu;
		basis[r] = n + r;
	}
	for (int64_t i = 0; i < n; i++)
		t[m * width + i] = -1;
	for (;;) {
		int64_t enter = 0, leave = -1;

		while (enter < width - 1 && t[m * width + enter] >= -1e-10)
			enter++;
		if (enter == width - 1)
			break;
		for (int64_t r = 0; r < m; r++) {
			double ratio = t[r * width + width - 1] / t[r * width + enter], best;

			if (t[r * width + enter] <= 1e-10)
				continue;
			best = leave < 0 ? INFINITY :
					   t[leave * width + width - 1] / t[leave * width + enter];
			if (ratio < best || (ratio == best && basis[r] < basis[leave]))
				leave = r;
		}
		basis[leave] = enter;
		for (int64_t k = width - 1; k >= 0; k--)
			t[leave * width + k] /= k == enter ? 1 : t[leave * width + enter];
		t[leave * width + enter] = 1;
		for (int64_t r = 0; r <= m; r++) {
			double factor = t[r * width + enter];

			for (int64_t k = 0; r != leave && factor != 0 && k < width; k++)
				t[r * width + k] -= factor * t[leave * width + k];
		}
	}
	optimum = t[m * width + width - 1];
	free(t);
	free(basis);
	return optimum;
}

/* ---- What must hold ---- */

static struct lpsvm_options plain = { .nu = 1, .n_threads = 2 };

static void check_result(const struct selection *s, const struct lpsvm_result *r, int64_t n,
			 const char *what)
{
	CHECK(r->converged, "%s: gap %g after %d steps", what, r->gap, r->n_outer);
	CHECK(r->gap <= 1e-6 && r->primal - r->dual <= 1e-6 * r->primal, "%s: gap %g", what,
	      r->gap);
	CHECK(r->dual <= r->primal * (1 + 1e-12), "%s: dual %.17g above %.17g", what, r->dual,
	      r->primal);
	CHECK(s->n <= n, "%s: %" PRId64 " features of %" PRId64 " rows", what, s->n, n);
	for (int64_t k = 0; k < s->n; k++)
		CHECK(s->score[k] > 0 && s->weight[k] == 1 &&
			      (k == 0 || s->score[k] <= s->score[k - 1]),
		      "%s: score %g", what, s->score[k]);
}

static double *random_labels(int64_t n)
{
	double *y = full_zeros(n, 1);

	for (int64_t i = 0; i < n; i++)
		y[i] = i < 2 ? 1 - 2 * (double)i : random_below(2) ? 1 : -1;
	return y;
}

/* Five kinds of data: noise, separable, sparse, of unequal scale, of few different values. */
static double *family(int kind, int64_t n, int64_t d, const double *y)
{
	double *a = full_normal(n, d);

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < d; j++) {
			double *x = &a[i * d + j];

			if (kind == 1)
				*x += j < 2 ? 4 * y[i] : 0;
			else if (kind == 2)
				*x = random_below(4) ? 0 : *x + y[i];
			else if (kind == 3)
				*x = (*x + y[i] / 2) * pow(10, (double)(j % 4) - 1);
			else if (kind == 4)
				*x = rint(*x) + (j == 0 ? y[i] : 0);
		}
	return a;
}

static void test_simplex(void)
{
	const double nu[] = { 0.02, 1, 30 };

	for (int kind = 0; kind < 5; kind++)
		for (int t = 0; t < 6; t++) {
			int64_t n = t % 2 ? 30 : 12, d = t % 2 ? 6 : 25;
			double *y = random_labels(n), *a = family(kind, n, d, y), optimum;
			struct lpsvm_options o = { .nu = nu[t / 2], .n_threads = 1 };
			struct lpsvm_result r;
			struct csr x = { 0 };
			struct selection s;
			struct error err = { 0 };
			char what[60];

			snprintf(what, sizeof(what), "kind %d, %" PRId64 " x %" PRId64 ", nu %g",
				 kind, n, d, o.nu);
			full_rows(&x, a, n, d, 1, 1);
			optimum = simplex_optimum(a, y, n, d, o.nu);
			if (CHECK(lpsvm_select(&s, &x, y, &o, &r, &err) == 0, "%s", err.text)) {
				check_result(&s, &r, n, what);
				CHECK(fabs(r.primal - optimum) <= 1.1e-6 * optimum &&
					      fabs(r.dual - optimum) <= 1.1e-6 * optimum,
				      "%s: %.10g .. %.10g, the optimum being %.10g", what, r.dual,
				      r.primal, optimum);
				selection_free(&s);
			}
			csr_free(&x);
			free(a);
			free(y);
		}
}

/* P of weights with the sizes of the scores must not be below the dual: some signs attain it. */
static void test_scores(void)
{
	int64_t n = 14, d = 8;
	double *y = random_labels(n), *a = family(0, n, d, y), best = INFINITY;
	struct csr x = { 0 };
	struct selection s;
	struct lpsvm_result r;
	struct error err = { 0 };

	full_rows(&x, a, n, d, 1, 1);
	CHECK(lpsvm_select(&s, &x, y, &plain, &r, &err) == 0, "%s", err.text);
	for (int64_t signs = 0; signs < (int64_t)1 << s.n; signs++) {
		double value = 0;

		for (int64_t k = 0; k < s.n; k++)
			value += s.score[k];
		for (int64_t i = 0; i < n; i++) {
			double f = -r.gamma;

			for (int64_t k = 0; k < s.n; k++)
				f += (signs >> k & 1 ? -1 : 1) * s.score[k] *
				     a[i * d + s.feature[k] - 1];
			value += fmax(0, 1 - y[i] * f);
		}
		best = fmin(best, value);
	}
	CHECK(fabs(best - r.primal) <= 1e-12 * best, "%.17g, not %.17g", best, r.primal);
	selection_free(&s);
	csr_free(&x);
	free(a);
	free(y);
}

/* ---- Data of the published table: few features, and informative ones ---- */

static void test_relevant(void)
{
	struct synthetic_options o = {
		.kind = SYNTHETIC_RELEVANT, .seed = 3, .n_features = 1000, .n_relevant = 40
	};
	const double nu[] = { 1, 0.001 };
	const int64_t n[] = { 200, 16 }; /* as many as there are support vectors */
	struct synthetic_data g;
	struct error err = { 0 };
	double *a = full_zeros(200, 1000), y[200];

	CHECK(synthetic_init(&g, &o, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < 200; i++)
		y[i] = synthetic_row(&g, i, a + i * 1000);
	for (int t = 0; t < 2; t++) {
		struct lpsvm_options with = { .nu = nu[t], .n_threads = 2 };
		struct lpsvm_result r;
		struct selection s;
		struct csr x = { 0 };

		full_rows(&x, a, n[t], 1000, 1, 1);
		if (!CHECK(lpsvm_select(&s, &x, y, &with, &r, &err) == 0, "%s", err.text))
			continue;
		check_result(&s, &r, 200, "relevant");
		CHECK(t == 0 ? s.n >= 1 && s.n <= 3 : s.n == 0, "nu %g: %" PRId64 " features",
		      nu[t], s.n);
		for (int64_t k = 0; k < s.n; k++)
			CHECK(s.feature[k] <= 40, "feature %d", s.feature[k]);
		selection_free(&s);
		csr_free(&x);
	}
	synthetic_free(&g);
	free(a);
}

/* The distance of the nearest count among some 60 nu. */
static int64_t nearest_count(const struct csr *x, const double *y, int64_t target)
{
	int64_t nearest = INT64_MAX;

	for (double nu = 0.02; nu < 20; nu *= 1.12) {
		struct lpsvm_options o = { .nu = nu, .n_threads = 1 };
		struct lpsvm_result r;
		struct selection s = { 0 };
		struct error err = { 0 };

		CHECK(lpsvm_select(&s, x, y, &o, &r, &err) == 0, "%s", err.text);
		nearest = llabs(s.n - target) < nearest ? llabs(s.n - target) : nearest;
		selection_free(&s);
	}
	return nearest;
}

static void test_target(void)
{
	int64_t n = 60, d = 30;
	double *y = random_labels(n), *a = family(2, n, d, y);
	struct csr x = { 0 };
	struct error err = { 0 };

	full_rows(&x, a, n, d, 1, 1);
	for (int64_t target = 1; target <= 20; target += 3) {
		struct lpsvm_options o = { .target = target, .n_threads = 1 };
		int64_t nearest = nearest_count(&x, y, target);
		struct lpsvm_result r, again;
		struct selection s, fixed;

		if (!CHECK(lpsvm_select(&s, &x, y, &o, &r, &err) == 0, "%s", err.text))
			continue;
		check_result(&s, &r, n, "target");
		/* counts need not rise with nu everywhere */
		CHECK(llabs(s.n - target) <= nearest + 2,
		      "%" PRId64 " features, not %" PRId64 " within %" PRId64, s.n, target,
		      nearest);
		o = (struct lpsvm_options){ .nu = r.nu, .n_threads = 1 };
		if (CHECK(lpsvm_select(&fixed, &x, y, &o, &again, &err) == 0, "%s", err.text)) {
			CHECK(fixed.n == s.n && fabs(again.primal - r.primal) <= 1e-5 * r.primal,
			      "nu %g: %" PRId64 " features, not %" PRId64, r.nu, fixed.n, s.n);
			selection_free(&fixed);
		}
		selection_free(&s);
	}
	csr_free(&x);
	free(a);
	free(y);
}

/* No column tells more than a little: the first solution has two features, and none is no answer. */
static void test_not_none(void)
{
	const double a[] = { 1, 0, 0, 1, -1, 0, 0, -1 }, y[] = { 1, 1, -1, -1 };
	const struct lpsvm_options o = { .target = 1, .n_threads = 1 };
	struct csr x = { 0 };
	struct selection s;
	struct lpsvm_result r;
	struct error err = { 0 };

	full_rows(&x, a, 4, 2, 1, 1);
	CHECK(lpsvm_select(&s, &x, y, &o, &r, &err) == 0 && s.n == 2, "%" PRId64 " features %s",
	      s.n, err.text);
	selection_free(&s);
	csr_free(&x);
}

/* Each column five times, with either sign: no more features than rows, and the first of each. */
static void test_copies(void)
{
	int64_t n = 20, d = 8;
	double *y = random_labels(n), *a = family(0, n, d, y), *more = full_zeros(n, 5 * d);
	struct lpsvm_options o = { .nu = 1, .n_threads = 1 };
	struct lpsvm_result once, r;
	struct csr x = { 0 }, copies = { 0 };
	struct selection s, t;
	struct error err = { 0 };

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < 5 * d; j++)
			more[i * 5 * d + j] = a[i * d + j % d] * (j / d % 2 ? -1 : 1);
	full_rows(&x, a, n, d, 1, 1);
	full_rows(&copies, more, n, 5 * d, 1, 1);
	CHECK(lpsvm_select(&s, &x, y, &o, &once, &err) == 0, "%s", err.text);
	CHECK(lpsvm_select(&t, &copies, y, &o, &r, &err) == 0, "%s", err.text);
	CHECK(s.n == t.n && r.primal == once.primal, "%" PRId64 " features, not %" PRId64, t.n,
	      s.n);
	for (int64_t k = 0; k < s.n && k < t.n; k++)
		CHECK(s.feature[k] == t.feature[k], "feature %d, not %d", t.feature[k],
		      s.feature[k]);
	selection_free(&s);
	selection_free(&t);
	csr_free(&x);
	csr_free(&copies);
	free(a);
	free(more);
	free(y);
}

/* ---- Weights of rows ---- */

/* Every row i as often as its weight says, in the order of the rows; returns how many there are. */
static int64_t repeat_rows(const double *a, const double *y, const double *weight, int64_t n,
			   int64_t d, double *more, double *labels)
{
	int64_t k = 0;

	for (int64_t i = 0; i < n; i++)
		for (int c = 0; c < weight[i]; c++, k++) {
			memcpy(more + k * d, a + i * d, (size_t)d * sizeof(*a));
			labels[k] = y[i];
		}
	return k;
}

/* The choice of 's' and 't' is the same, and their weights to 1e-9. */
static void check_same(const struct selection *s, const struct selection *t, const char *what)
{
	CHECK(s->n == t->n, "%s: %" PRId64 " features, not %" PRId64, what, s->n, t->n);
	for (int64_t k = 0; k < s->n && k < t->n; k++)
		CHECK(s->feature[k] == t->feature[k] &&
			      fabs(s->score[k] - t->score[k]) <= 1e-9 * t->score[k],
		      "%s: feature %d with %.17g, not %d with %.17g", what, s->feature[k],
		      s->score[k], t->feature[k], t->score[k]);
}

/* A weight of k is k copies of the row; and twice the weights are twice nu, to the last bit. */
static void test_weights(void)
{
	for (int t = 0; t < 8; t++) {
		int64_t n = 20, d = t % 2 ? 30 : 6, n_more;
		double *y = random_labels(n), *a = family(t / 2, n, d, y);
		double *more = full_zeros(4 * n, d), labels[80], weight[20], twice[20];
		struct lpsvm_options o = { .nu = 0.4, .gap = 1e-12, .n_threads = 1 };
		struct lpsvm_result r, other;
		struct csr x = { 0 }, copies = { 0 };
		struct selection s, c;
		struct error err = { 0 };

		if (t == 7)
			o.target = 4;
		for (int i = 0; i < n; i++) {
			weight[i] = (int)random_below(4) + 1;
			twice[i] = 2 * weight[i];
		}
		n_more = repeat_rows(a, y, weight, n, d, more, labels);
		full_rows(&x, a, n, d, 1, 1);
		full_rows(&copies, more, n_more, d, 1, 1);
		CHECK(lpsvm_select(&c, &copies, labels, &o, &other, &err) == 0, "%s", err.text);
		o.weight = weight;
		CHECK(lpsvm_select(&s, &x, y, &o, &r, &err) == 0, "%s", err.text);
		CHECK(fabs(r.primal - other.primal) <= 1e-9 * r.primal, "%.17g, not %.17g",
		      r.primal, other.primal);
		check_same(&s, &c, "copies");
		selection_free(&c);
		o.weight = twice;
		o.nu /= 2;
		CHECK(lpsvm_select(&c, &x, y, &o, &other, &err) == 0, "%s", err.text);
		CHECK(o.target || r.primal == other.primal, "%.17g of twice the weights, not %.17g",
		      other.primal, r.primal);
		if (!o.target)
			check_same(&s, &c, "twice");
		selection_free(&s);
		selection_free(&c);
		csr_free(&x);
		csr_free(&copies);
		free(a);
		free(more);
		free(y);
	}
}

/* ---- Odd inputs ---- */

static void test_odd(void)
{
	const double same[] = { 1, 1, 1, 1, 1, 1 }, both[] = { 1, -1, 1, -1, -1, 1 };
	const struct lpsvm_options cheap = { .nu = 1e-9, .n_threads = 1 };
	struct csr x = { 0 }, empty = { 0 }, none = { 0 };
	double *zeros = full_zeros(6, 3), *a = full_normal(6, 4);
	struct error err = { 0 };
	struct lpsvm_result r;
	struct selection s;

	for (int64_t i = 0; i < 6; i++) {
		a[i * 4 + 1] = a[i * 4] = both[i] + a[i * 4] / 8;
		a[i * 4 + 2] = 0;
	}
	full_rows(&x, a, 6, 4, 1, 1);
	full_rows(&empty, zeros, 6, 3, 1, 1);
	CHECK(lpsvm_select(&s, &x, same, &plain, &r, &err) == 0 && s.n == 0 && r.converged &&
		      r.gamma == -1 && r.primal == 0,
	      "one class: %" PRId64 " '%s'", s.n, err.text);
	selection_free(&s);
	CHECK(lpsvm_select(&s, &none, same, &plain, &r, &err) == 0 && s.n == 0, "no rows");
	selection_free(&s);
	CHECK(lpsvm_select(&s, &empty, both, &plain, &r, &err) == 0 && s.n == 0 &&
		      fabs(r.primal - 6) < 1e-5,
	      "no columns: %" PRId64 ", %g '%s'", s.n, r.primal, err.text);
	selection_free(&s);
	CHECK(lpsvm_select(&s, &x, both, &plain, &r, &err) == 0, "%s", err.text);
	check_result(&s, &r, 6, "equal columns");
	for (int64_t k = 0; k < s.n; k++)
		CHECK(s.feature[k] != 3 && s.feature[k] != 2, "the column of zeros, or the copy");
	selection_free(&s);
	CHECK(lpsvm_select(&s, &x, both, &cheap, &r, &err) == 0 && s.n == 0 && r.converged &&
		      r.gap <= 1e-15 && fabs(r.primal - 6e-9) <= 1e-20,
	      "errors for nothing: %g, %g", r.primal, r.gap);
	selection_free(&s);
	x.val[0] = INFINITY;
	CHECK(lpsvm_select(&s, &x, both, &plain, &r, &err) < 0 && err.code == ERR_NUMERIC &&
		      !s.feature,
	      "infinite: '%s'", err.text);
	csr_free(&x);
	csr_free(&empty);
	free(zeros);
	free(a);
}

static void test_threads(void)
{
	int64_t n = 300, d = 500;
	double *y = random_labels(n), *a = family(2, n, d, y);
	struct csr x = { 0 };
	struct selection one = { 0 };
	struct lpsvm_result first, r;
	struct error err = { 0 };

	full_rows(&x, a, n, d, 1, 1);
	for (int n_threads = 1; n_threads <= 3; n_threads++) {
		struct lpsvm_options o = { .nu = 0.1, .n_threads = n_threads };
		struct selection s;

		CHECK(lpsvm_select(&s, &x, y, &o, &r, &err) == 0, "%s", err.text);
		if (n_threads == 1) {
			one = s;
			first = r;
			continue;
		}
		CHECK(s.n == one.n && !memcmp(s.score, one.score, (size_t)s.n * sizeof(*s.score)) &&
			      r.primal == first.primal,
		      "%d threads: otherwise", n_threads);
		selection_free(&s);
	}
	selection_free(&one);
	csr_free(&x);
	free(a);
	free(y);
}

struct failing {
	struct csr x;
	double *y;
	int64_t target;
};

static int run_lpsvm(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct lpsvm_options o = { .nu = 1, .target = f->target, .n_threads = 2 };
	struct lpsvm_result r;
	struct selection s;

	if (lpsvm_select(&s, &f->x, f->y, &o, &r, err) < 0)
		return -1;
	selection_free(&s);
	return 0;
}

static void test_memory(void)
{
	for (int t = 0; t < 2; t++) {
		struct failing f = { .y = random_labels(12), .target = t ? 3 : 0 };
		double *a = family(1, 12, t ? 4 : 30, f.y);

		full_rows(&f.x, a, 12, t ? 4 : 30, 1, 1);
		fail_each_allocation("lpsvm", run_lpsvm, &f);
		csr_free(&f.x);
		free(f.y);
		free(a);
	}
}

int main(void)
{
	test_simplex();
	test_scores();
	test_relevant();
	test_target();
	test_not_none();
	test_copies();
	test_weights();
	test_odd();
	test_threads();
	test_memory();
	return unit_report("lpsvm");
}
