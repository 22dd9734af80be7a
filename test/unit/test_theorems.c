/*
 * test_theorems.c - machines before and after a reduction, as the theorems of the papers say
 *
 * [J] is Jethava and others, arXiv 0909.3609; [P] Paul, Boutsidis, Magdon-Ismail, Drineas 2013 (random
 * projections); [S] Paul, Magdon-Ismail, Drineas 2015 (feature selection).  Statements with a
 * probability are counted at fixed seeds, as chance.h says.  The sizes of [J] are so large that
 * a small part of their columns is enough for data like these; so that the test can fail, each is
 * also shown to fail at a size that is a share of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "evaluate/margin.h"
#include "geometry/reduction.h"
#include "geometry/row_space.h"
#include "projected.h"
#include "select/bss.h"
#include "select/leverage.h"
#include "solved.h"
#include "unit.h"

static const struct row_space_options plain = { .n_threads = 1 };

/* |w| is known to about the root of 1e-6, the objective's error: the share that bounds are widened by. */
#define SLACK 2e-3

/* A C that no multiplier reaches here: with it no row has slack. */
#define HARD 100

/* ---- Data of [J]: rows of length 1, L = 1 ---- */

/* Rows 'along' the first of d features, the rest of their length in a random direction of the others. */
struct data {
	int64_t n, d;
	double *target;
	struct csr x;
};

static void data_free(struct data *s)
{
	csr_free(&s->x);
	free(s->target);
}

static void data_init(struct data *s, int64_t n, int64_t d, const double *along, double *target)
{
	double *a = full_normal(n, d);

	*s = (struct data){ .n = n, .d = d, .target = target };
	for (int64_t i = 0; i < n; i++) {
		double *row = a + i * d, rest = 0;

		for (int64_t j = 1; j < d; j++)
			rest += row[j] * row[j];
		for (int64_t j = 1; j < d; j++)
			row[j] *= sqrt((1 - along[i] * along[i]) / rest);
		row[0] = along[i];
	}
	full_rows(&s->x, a, n, d, 1, 1);
	free(a);
}

/* Two classes, 1.8 apart along the first feature; the labels of the first 'n_wrong' are wrong. */
static void make_classes(struct data *s, int64_t n, int64_t d, int64_t n_wrong)
{
	double *along = full_zeros(n, 1), *target = full_zeros(n, 1);

	for (int64_t i = 0; i < n; i++) {
		target[i] = i % 2 ? 1 : -1;
		along[i] = 0.9 * target[i] * (i < n_wrong ? -1 : 1);
	}
	data_init(s, n, d, along, target);
	free(along);
}

/* Targets 2 x_1, off by up to 0.3; the first 'n_wrong' are off by 8. */
static void make_line(struct data *s, int64_t n, int64_t d, int64_t n_wrong)
{
	double *along = full_zeros(n, 1), *target = full_zeros(n, 1);

	for (int64_t i = 0; i < n; i++) {
		along[i] = random_between(-1, 1);
		target[i] = 2 * along[i] + random_between(-0.3, 0.3) +
			    (i < n_wrong ? 8 - 16 * (double)(i % 2) : 0);
	}
	data_init(s, n, d, along, target);
	free(along);
}

/*
 * The rows without slack, of the machine (w, b): margin 1 or a tube of 'epsilon', to 1e-4.  The proofs
 * of theorems 3 and 6 leave the others out first, and count them as support vectors in the end.
 */
static void keep_without_slack(struct data *kept, const struct data *s, const double *w, double b,
			       double epsilon)
{
	int64_t *row = calloc((size_t)s->n, sizeof(*row));
	struct error err = { 0 };

	*kept = (struct data){ .d = s->d, .target = full_zeros(s->n, 1) };
	for (int64_t i = 0; i < s->n; i++) {
		double f = csr_row_dot(&s->x, i, w) + b;

		if (epsilon > 0 ? fabs(f - s->target[i]) > epsilon + 1e-4 :
				  s->target[i] * f < 1 - 1e-4)
			continue;
		kept->target[kept->n] = s->target[i];
		row[kept->n++] = i;
	}
	CHECK(csr_gather(&kept->x, &s->x, row, kept->n, &err) == 0, "%s", err.text);
	free(row);
}

static struct projection_options map_of(enum projection_method method, uint64_t seed, int64_t k)
{
	return (struct projection_options){ .method = method, .seed = seed, .n_columns = k };
}

/* ---- [J] Theorem 1: the margin of separable classes ---- */

/* Of 'n' seeds, those whose projection has a margin below 'least'; none is to be above 'most'. */
static int64_t margins_below(const struct data *s, enum projection_method method, int64_t k,
			     int64_t n, double least, double most)
{
	struct row_batch out = { 0 };
	int64_t below = 0;

	for (int64_t seed = 1; seed <= n; seed++) {
		const struct projection_options o = map_of(method, (uint64_t)seed, k);
		const struct csr y = project_rows(&out, &s->x, &o);
		struct solved p = solved_machine(&y, s->target, MACHINE_C_SVC, HARD, 0, NULL);
		double margin = p.n_bounded ? 0 : 1 / sqrt(p.norm2);

		below += margin < least * (1 - SLACK);
		CHECK(margin <= most, "%s, seed %" PRId64 ": margin %g above %g",
		      projection_names[method], seed, margin, most);
	}
	row_batch_free(&out);
	return below;
}

static void test_margin_kept(void)
{
	enum { N = 20, D = 1000, TRIALS = 25 };
	const enum projection_method methods[] = { PROJECT_RS, PROJECT_GAUSSIAN, PROJECT_UNIFORM };
	const double gamma = 0.5, delta = 0.1;
	struct data s;
	struct solved full;
	double margin, stretch;
	int64_t k;

	make_classes(&s, N, D, 0);
	full = solved_machine(&s.x, s.target, MACHINE_C_SVC, HARD, 0, NULL);
	margin = 1 / sqrt(full.norm2);
	stretch = 1 + 2 / (2 * margin);
	k = (int64_t)sv_sizes_margin(N, 1, margin, gamma, delta);
	CHECK(full.n_bounded == 0 && margin > 0.9 && margin < 1, "margin %g", margin);
	/* 8 / (1/4) ln(800) = 213.9077... */
	CHECK(k == (int64_t)ceil(213.90773 * stretch * stretch) && k < D, "k is %" PRId64, k);
	for (int m = 0; m < 3; m++) {
		int64_t below = margins_below(&s, methods[m], k, TRIALS, (1 - gamma) * margin,
					      (1 + gamma) * margin);

		CHECK(below <= chance_most(TRIALS, delta), "%s: %" PRId64 " of %d lose more",
		      projection_names[methods[m]], below, TRIALS);
	}
	CHECK(margins_below(&s, PROJECT_GAUSSIAN, 1, TRIALS, (1 - gamma) * margin, INFINITY) >
		      chance_most(TRIALS, delta),
	      "one column is enough");
	data_free(&s);
}

/* ---- [J] Theorem 2 is not true of the margin, as printed ---- */

/*
 * The orthogonal extension w = R w' of the machine of x R has w.x = w'.(x R), so it separates the
 * rows; but its margin is |w'| / |R w'| times the projected one, and the singular values of a normal
 * d x k matrix over sqrt(k) are sqrt(d / k) (1 +- (sqrt(k / d) + t)) but for a chance of
 * 2 exp(-d t^2 / 2): so about sqrt(k / d) of the margin is left, and not 1 - gamma.
 */
static void test_extension(void)
{
	enum { N = 20, D = 1000, K = 64, TRIALS = 20 };
	const double share = sqrt((double)K / D), t = 0.2;
	struct row_batch out = { 0 };
	struct data s;

	make_classes(&s, N, D, 0);
	for (uint64_t seed = 1; seed <= TRIALS; seed++) {
		const struct projection_options o = map_of(PROJECT_GAUSSIAN, seed, K);
		const struct csr y = project_rows(&out, &s.x, &o);
		double w[K + 1], extended[D + 1] = { 0 }, row[K], least = INFINITY, size = 0;
		struct solved p = solved_machine(&y, s.target, MACHINE_C_SVC, HARD, 0, w);
		struct projection map;
		struct error err = { 0 };

		CHECK(projection_init(&map, &o, &err) == 0, "%s", err.text);
		for (int64_t j = 1; j <= D; j++) {
			projection_row(&map, j, row);
			for (int64_t c = 0; c < K; c++)
				extended[j] += row[c] * w[c + 1];
			size += extended[j] * extended[j];
		}
		for (int64_t i = 0; i < N; i++)
			least = fmin(least, s.target[i] * (csr_row_dot(&s.x, i, extended) + p.b));
		least *= sqrt(p.norm2) / sqrt(size); /* over the margin 1 / |w'| */
		CHECK(least >= share / (1 + share + t) && least <= share / (1 - share - t),
		      "seed %" PRIu64 ": %g of the margin, root of k / d %g", seed, least, share);
		if (seed < 4)
			projection_free(&map);
	}
	row_batch_free(&out);
	data_free(&s);
}

/* ---- [J] Theorem 3: classes of which a few rows are on the wrong side ---- */

/*
 * Maps to k columns after which the margin of the rows is not above 'least', or some rows have
 * slack; '*most' is the largest number of support vectors on the margin.
 */
static int64_t count_narrow(const struct data *s, int64_t k, int64_t trials, double least,
			    int64_t *most)
{
	struct row_batch out = { 0 };
	int64_t narrow = 0;

	*most = 0;
	for (int64_t seed = 1; seed <= trials; seed++) {
		const struct projection_options o = map_of(PROJECT_RS, (uint64_t)seed, k);
		const struct csr y = project_rows(&out, &s->x, &o);
		struct solved p = solved_machine(&y, s->target, MACHINE_C_SVC, HARD, 0, NULL);

		narrow += !(1 / sqrt(p.norm2) > least) || p.n_bounded > 0;
		*most = p.n_free > *most ? p.n_free : *most;
	}
	row_batch_free(&out);
	return narrow;
}

/*
 * With k columns the rows without slack keep more than 1 - gamma of the margin, and at most k + 1
 * support vectors lie on it, as in general position there are no more in k dimensions.  With all
 * features the same rows have more support vectors on their margin than that, and with a few
 * columns they do not keep the share of it.
 */
static void test_support_vectors(void)
{
	enum { N = 700, D = 900, WRONG = 6, TRIALS = 8, FEW = 2 };
	const double gamma = 0.95, delta = 0.1, c = 0.02;
	double *w = full_zeros(D + 1, 1), least;
	struct data s, kept;
	struct solved full, whole;
	int64_t k, most;

	make_classes(&s, N, D, WRONG);
	full = solved_machine(&s.x, s.target, MACHINE_C_SVC, c, 0, w);
	least = (1 - gamma) / sqrt(full.norm2) * (1 - SLACK);
	keep_without_slack(&kept, &s, w, full.b, 0);
	k = (int64_t)sv_sizes_margin(N, 1, 1 / sqrt(full.norm2), gamma, delta);
	whole = solved_machine(&kept.x, kept.target, MACHINE_C_SVC, HARD, 0, NULL);
	CHECK(kept.n <= N - WRONG && kept.n >= N - 2 * WRONG, "%" PRId64 " rows without slack",
	      kept.n);
	CHECK(full.n_free > k + 1 && whole.n_free > k + 1 && whole.n_bounded == 0,
	      "%" PRId64 " on the margin, %" PRId64 " of the rows without slack, k is %" PRId64,
	      full.n_free, whole.n_free, k);
	CHECK(count_narrow(&kept, k, TRIALS, least, &most) <= chance_most(TRIALS, delta),
	      "more than %" PRId64 " of %d", chance_most(TRIALS, delta), TRIALS);
	CHECK(most <= k + 1, "%" PRId64 " on the margin in %" PRId64 " dimensions", most, k);
	CHECK(count_narrow(&kept, FEW, TRIALS, least, &most) > chance_most(TRIALS, delta),
	      "%d columns are enough", FEW);
	free(w);
	data_free(&s);
	data_free(&kept);
}

/* ---- [J] Theorems 4 to 6: the tube of a regression ---- */

/* Does the machine (w, b), projected, leave a row outside of so wide a tube? */
static bool leaves_tube(const struct data *s, const double *w, double b, uint64_t seed, int64_t k,
			double tube)
{
	const struct projection_options o = map_of(PROJECT_GAUSSIAN, seed, k);
	struct row_batch out = { 0 };
	double *projected = full_zeros(k + 1, 1), most = 0;
	struct csr both = { 0 }, y;
	struct error err = { 0 };

	/* the last row is w */
	CHECK(csr_append(&both, s->n, s->x.row_start, s->x.col, s->x.val, &err) == 0, "%s",
	      err.text);
	full_rows(&both, w + 1, 1, s->d, 1, 1);
	y = project_rows(&out, &both, &o);
	csr_fill_row(&y, s->n, projected);
	for (int64_t i = 0; i < s->n; i++)
		most = fmax(most, fabs(csr_row_dot(&y, i, projected) + b - s->target[i]));
	csr_free(&both);
	row_batch_free(&out);
	free(projected);
	return most > tube;
}

/* Seeds of which the machine does so, of 'n' */
static int64_t count_leaving(const struct data *s, const double *w, double b, int64_t k, int64_t n,
			     double tube)
{
	int64_t leaving = 0;

	for (int64_t seed = 1; seed <= n; seed++)
		leaving += leaves_tube(s, w, b, (uint64_t)seed, k, tube);
	return leaving;
}

/*
 * Theorem 4: w R and b leave no row outside of a tube 1 + gamma times as wide; so a machine of the
 * projected rows with that tube exists.  Theorem 5: it has at most k + 1 support vectors on the tube.
 * Theorem 6, with 'n_wrong' rows far off: so it is for the rows without slack.
 */
static void test_tube(int64_t n_wrong)
{
	enum { N = 200, D = 300, TRIALS = 50, SOLVED = 10 };
	const double gamma = 0.9, delta = 0.1, epsilon = 1, tube = epsilon * (1 + gamma);
	double *w = full_zeros(D + 1, 1);
	struct row_batch out = { 0 };
	struct data s, kept;
	struct solved full;
	int64_t k, slack = 0;

	make_line(&s, N, D, n_wrong);
	full = solved_machine(&s.x, s.target, MACHINE_EPSILON_SVR, n_wrong ? 0.2 : HARD, epsilon,
			      w);
	keep_without_slack(&kept, &s, w, full.b, epsilon);
	k = (int64_t)sv_sizes_tube(N, 1, 1 / sqrt(full.norm2), epsilon, gamma, delta);
	/* 2 / 0.81 ln(8000) = 22.190609 */
	CHECK(k == (int64_t)ceil(22.190609 * 4 * full.norm2) && k < N, "k is %" PRId64, k);
	CHECK(n_wrong ? kept.n <= N - n_wrong && kept.n >= N - 3 * n_wrong : kept.n == N,
	      "%" PRId64 " rows without slack", kept.n);
	CHECK(count_leaving(&kept, w, full.b, k, TRIALS, tube) <= chance_most(TRIALS, delta),
	      "more than %" PRId64 " of %d leave the tube", chance_most(TRIALS, delta), TRIALS);
	CHECK(count_leaving(&kept, w, full.b, 3, TRIALS, tube) > chance_most(TRIALS, delta),
	      "three columns are enough");
	for (uint64_t seed = 1; seed <= SOLVED; seed++) {
		const struct projection_options o = map_of(PROJECT_RS, seed, k);
		const struct csr y = project_rows(&out, &kept.x, &o);
		struct solved p =
			solved_machine(&y, kept.target, MACHINE_EPSILON_SVR, HARD, tube, NULL);

		slack += p.n_bounded > 0;
		CHECK(p.n_free <= k + 1, "%" PRId64 " on the tube in %" PRId64 " dimensions",
		      p.n_free, k);
	}
	CHECK(slack <= chance_most(SOLVED, delta), "%" PRId64 " of %d", slack, SOLVED);
	free(w);
	row_batch_free(&out);
	data_free(&s);
	data_free(&kept);
}

/* ---- [P] Theorems 1.1, 3.4, 3.5 and [S] Theorems 3 to 5: B^2 / gamma^2 without slack ---- */

/* Rows with a margin, and what is known of them before any reduction. */
struct geometry {
	struct csr x;
	double *target;
	struct row_space space;
	double margin2, radius2;
};

static double radius2_of(const struct csr *x)
{
	double *a = full_of_rows(x), radius2 = solved_ball(a, x->n_rows, x->n_cols);

	free(a);
	return radius2;
}

static double margin2_of(const struct csr *x, const double *target)
{
	struct solved s = solved_machine(x, target, MACHINE_C_SVC, HARD, 0, NULL);

	CHECK(s.n_bounded == 0, "%" PRId64 " rows have slack", s.n_bounded);
	return 1 / s.norm2;
}

static void geometry_init(struct geometry *g, int64_t n, int32_t d)
{
	struct error err = { 0 };

	*g = (struct geometry){ .target = full_zeros(n, 1) };
	random_rows(&g->x, n, d + 1, 0.5);
	for (int64_t i = 0; i < n; i++)
		g->target[i] = i % 2 ? 1 : -1;
	CHECK(row_space_init(&g->space, &g->x, &plain, &err) == 0 && g->space.rank == n, "%s",
	      err.text);
	g->margin2 = margin2_of(&g->x, g->target);
	g->radius2 = radius2_of(&g->x);
}

static void geometry_free(struct geometry *g)
{
	row_space_free(&g->space);
	csr_free(&g->x);
	free(g->target);
}

/* With E = e < 1: margin, radius, and their quotient. */
static void check_quotient(const struct geometry *g, const struct csr *y, double e,
			   const char *what)
{
	double margin = margin2_of(y, g->target) / g->margin2;
	double radius = radius2_of(y) / g->radius2;

	CHECK(margin >= (1 - e) * (1 - SLACK), "%s: margin %g, E %g", what, margin, e);
	CHECK(radius <= (1 + e) * (1 + 2e-6), "%s: radius %g, E %g", what, radius, e);
	CHECK(radius / margin <= (1 + e) / (1 - e) * (1 + SLACK), "%s: %g, E %g", what,
	      radius / margin, e);
}

static void test_projected_quotient(void)
{
	enum { N = 16, D = 200, R = 190, TRIALS = 12 };
	const enum projection_method methods[] = { PROJECT_FHT, PROJECT_CW, PROJECT_RS };
	struct row_batch out = { 0 };
	struct geometry g;
	int64_t n = 0;

	geometry_init(&g, N, D);
	for (int m = 0; m < 3; m++)
		for (uint64_t seed = 1; seed <= TRIALS; seed++) {
			struct projection_options o = map_of(methods[m], seed, R);
			struct reduction_certificate c;
			struct error err = { 0 };
			struct csr y;

			o.n_features = m == 0 ? D : 0;
			y = project_rows(&out, &g.x, &o);
			CHECK(reduction_certify_rows(&c, &g.space, &y, &err) == 0, "%s", err.text);
			n += c.error < 1;
			if (c.error < 1)
				check_quotient(&g, &y, c.error, projection_names[methods[m]]);
		}
	CHECK(n >= 30, "E is below 1 in %" PRId64 " cases", n);
	row_batch_free(&out);
	geometry_free(&g);
}

/* The features chosen, times their weights. */
static struct csr chosen_rows(const struct csr *x, const struct selection *s)
{
	double *a = full_of_rows(x), *kept = full_zeros(x->n_rows, s->n);
	struct csr y = { 0 };

	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = 0; k < s->n; k++)
			kept[i * s->n + k] = s->weight[k] * a[i * x->n_cols + s->feature[k]];
	full_rows(&y, kept, x->n_rows, s->n, 1, 1);
	free(a);
	free(kept);
	return y;
}

/* E <= epsilon with sizes_for_error() features, and epsilon / 2 with the paper's size. */
static void check_selection(const struct geometry *g, const struct selection *s, double epsilon,
			    const char *what)
{
	struct reduction_certificate c;
	struct error err = { 0 };
	struct csr y = chosen_rows(&g->x, s);

	CHECK(reduction_certify_features(&c, &g->space, s->feature, s->weight, s->n, &err) == 0,
	      "%s", err.text);
	CHECK(c.error <= epsilon, "%s: E %g of %" PRId64 " features, not %g", what, c.error, s->n,
	      epsilon);
	check_quotient(g, &y, c.error, what);
	csr_free(&y);
}

static void test_chosen_quotient(void)
{
	enum { N = 8, D = 1500 };
	const double epsilon = 0.5;
	const int64_t size[] = { sizes_for_error(N, epsilon), sizes_of_paper(N, epsilon) },
		      draws = (int64_t)ceil(2 * (N - 1) * (1 + epsilon / 3) / (epsilon * epsilon) *
					    log(2 * N / CHANCE_OF_FAILURE));
	struct geometry g;
	struct leverage scores;
	struct error err = { 0 };

	geometry_init(&g, N, D);
	CHECK(size[1] < D && draws < D, "%" PRId64 " and %" PRId64 " of %d features", size[1],
	      draws, D);
	for (int k = 0; k < 2; k++) {
		const struct bss_options o = { .n_features = size[k], .n_threads = 1 };
		struct bss_report report;
		struct selection s;

		CHECK(bss_select(&s, &g.space, &o, &report, &err) == 0, "%s", err.text);
		check_selection(&g, &s, k ? epsilon / 2 : epsilon, "bss");
		selection_free(&s);
	}
	/* so many draws have E <= epsilon but for a chance of 1e-6 each: see test_tails.c */
	CHECK(leverage_exact(&scores, &g.space, 1, &err) == 0, "%s", err.text);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct selection s;

		CHECK(leverage_select(&s, &scores, draws, LEVERAGE_IID, seed, &err) == 0, "%s",
		      err.text);
		check_selection(&g, &s, epsilon, "leverage");
		selection_free(&s);
	}
	leverage_free(&scores);
	geometry_free(&g);
}

int main(void)
{
	test_margin_kept();
	test_extension();
	test_support_vectors();
	test_tube(0);
	test_tube(5);
	test_projected_quotient();
	test_chosen_quotient();
	return unit_report("theorems");
}
