/*
 * test_linear_parts.c - parts of the linear engine by themselves: repair, polish, judge
 *
 *     linear_repair()    any multipliers become feasible: bounds exactly, sums to rounding
 *     linear_polish()    free multipliers change the least that makes w the one asked for
 *     linear_judge()     violation and gap are those of the multipliers it keeps, by plain loops
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "linear/linear_work.h"
#include "plain_problem.h"
#include "random.h"
#include "unit.h"
#include "world.h"

enum { N = 300, D = 5 };

/* A problem made ready for the engine; a zeroed run is one that was not made. */
struct ready {
	struct world w;
	struct linear_options o;
	struct linear_run run;
};

static bool make_ready(struct ready *r, enum machine_type type, double size)
{
	double *full = full_zeros(N, D);
	struct error err = { 0 };

	world_init(&r->w, (struct problem_view){ .type = type,
						 .n = N,
						 .c_plus = 4,
						 .c_minus = type == MACHINE_C_SVC ? 1 : 4,
						 .epsilon = 0.1 });
	for (int64_t i = 0; i < N; i++) {
		double side = i % 3 ? 1 : -1;

		for (int j = 0; j < D; j++)
			full[i * D + j] = size * random_normal();
		full[i * D] += size * side;
		r->w.target[i] = type == MACHINE_C_SVC ?
					 side :
					 full[i * D + 1] / size + 0.3 * random_normal();
	}
	world_rows(&r->w, full, D);
	r->o = (struct linear_options){ .eps = 1e-3, .n_threads = 1 };
	r->run = (struct linear_run){ .task = { .p = &r->w.p, .o = &r->o },
				      .best = { .beta = r->w.beta, .f = r->w.f } };
	return CHECK(linear_run_init(&r->run, &err) == 0, "%s", err.text);
}

static void free_ready(struct ready *r)
{
	linear_run_free(&r->run);
	world_free(&r->w);
}

static double lower(const struct ready *r, int64_t i)
{
	return r->run.task.row.lower[i];
}

static double upper(const struct ready *r, int64_t i)
{
	return r->run.task.row.upper[i];
}

/* Are the trial's multipliers feasible, and those listed as free the ones that are? */
static void check_feasible(const struct ready *r, const char *what)
{
	const struct linear_trial *trial = &r->run.trial;
	int64_t n_free = 0;
	long double sum = 0;

	for (int64_t i = 0; i < N; i++) {
		const double beta = trial->beta[i];
		const bool is_free = beta > lower(r, i) && beta < upper(r, i) && beta != 0;

		CHECK(beta >= lower(r, i) && beta <= upper(r, i), "%s: %g not in [%g, %g]", what,
		      beta, lower(r, i), upper(r, i));
		sum += beta;
		if (is_free && CHECK(n_free < trial->n_free, "%s: too few free ones", what))
			CHECK(trial->free[n_free++] == i, "%s: row %d is free", what, (int)i);
	}
	CHECK(n_free == trial->n_free, "%s: too many free ones", what);
	CHECK(fabsl(sum) <= 1e-13L * N, "%s: the sum is %Lg", what, sum);
}

/* Multipliers from far within the bounds to far beyond, with sums of all sizes. */
static void test_repair_makes_feasible(enum machine_type type)
{
	static const double spread[] = { 1e-9, 0.01, 1, 10, 1e6 };
	struct ready r;

	if (make_ready(&r, type, 1))
		for (int k = 0; k < (int)(sizeof(spread) / sizeof(*spread)); k++)
			for (int mean = -1; mean <= 1; mean++) {
				double *beta = r.run.trial.beta, before[N];

				for (int64_t i = 0; i < N; i++)
					beta[i] = spread[k] * (random_normal() + mean);
				linear_repair(&r.run.task, &r.run.trial);
				check_feasible(&r, "repaired");
				memcpy(before, beta, sizeof(before));
				linear_repair(&r.run.task, &r.run.trial);
				for (int64_t i = 0; i < N; i++)
					CHECK(fabs(beta[i] - before[i]) <= 1e-12, "%g again: %g",
					      before[i], beta[i]);
			}
	free_ready(&r);
}

/*
 * Free multipliers that suffice for the sum: all that stay free have moved by the same, those at
 * bounds and at 0 not at all.
 */
static void test_repair_shifts(void)
{
	double before[N], shift = NAN;
	struct ready r;

	if (!make_ready(&r, MACHINE_EPSILON_SVR, 1)) {
		free_ready(&r);
		return;
	}
	for (int64_t i = 0; i < N; i++)
		before[i] = i % 4 == 0 ? upper(&r, i) :
			    i % 4 == 1 ? lower(&r, i) :
			    i % 4 == 2 ? 0 :
					 random_between(lower(&r, i) / 2, upper(&r, i) / 2);
	memcpy(r.run.trial.beta, before, sizeof(before));
	linear_repair(&r.run.task, &r.run.trial);
	check_feasible(&r, "shifted");
	for (int64_t i = 0; i < N; i++) {
		double change = r.run.trial.beta[i] - before[i];

		if (i % 4 < 3) {
			CHECK(change == 0, "row %d moved by %g", (int)i, change);
			continue;
		}
		shift = isnan(shift) ? change : shift;
		CHECK(fabs(change - shift) <= 1e-10, "row %d moved by %g, others by %g", (int)i,
		      change, shift);
	}
	free_ready(&r);
}

/* w of the trial's multipliers, by the rows that the engine has */
static void weights_of(const struct ready *r, const double *beta, double *w)
{
	struct error err = { 0 };

	CHECK(linear_sum(&r->run.task, beta, w, &err) == 0, "%s", err.text);
}

/*
 * Of feasible multipliers some are disturbed: polished, they have the first ones' w and sum again,
 * and have moved no further than back to these, which is one way to get there.
 */
static void test_polish(double size, bool few)
{
	double wanted[N], disturbed[N], w[D], found[D], way = 0, moved = 0, scale = 0;
	const int64_t share = few ? N / D : 2; /* with few free ones there are fewer than columns */
	struct error err = { 0 };
	struct ready r;

	if (!make_ready(&r, MACHINE_EPSILON_SVR, size)) {
		free_ready(&r);
		return;
	}
	for (int64_t i = 0; i < N; i++)
		r.run.trial.beta[i] = i % share == 0 ? random_between(-1, 1) :
						       upper(&r, i) * (i % 4 - 1.5 > 0 ? 1 : -1);
	linear_repair(&r.run.task, &r.run.trial);
	memcpy(wanted, r.run.trial.beta, sizeof(wanted));
	weights_of(&r, wanted, w);
	for (int64_t i = 0; i < N; i++)
		if (wanted[i] != lower(&r, i) && wanted[i] != upper(&r, i) && wanted[i] != 0)
			r.run.trial.beta[i] += 1e-3 * random_normal();
	memcpy(disturbed, r.run.trial.beta, sizeof(disturbed));
	CHECK(linear_polish(&r.run.task, w, &r.run.trial, &err) == 0, "%s", err.text);
	weights_of(&r, r.run.trial.beta, found);
	for (int j = 0; j < D; j++)
		scale = fmax(scale, fabs(w[j]));
	for (int j = 0; j < D; j++)
		CHECK(fabs(found[j] - w[j]) <= 1e-9 * scale, "w[%d] is %g, not %g", j, found[j],
		      w[j]);
	CHECK(fabs(linear_sum_error(&r.run.task, r.run.trial.beta, 0)) <= 1e-9, "sum %g",
	      linear_sum_error(&r.run.task, r.run.trial.beta, 0));
	for (int64_t i = 0; i < N; i++) {
		way += (wanted[i] - disturbed[i]) * (wanted[i] - disturbed[i]);
		moved +=
			(r.run.trial.beta[i] - disturbed[i]) * (r.run.trial.beta[i] - disturbed[i]);
	}
	CHECK(moved <= way * (1 + 1e-6), "moved by %g, %g would do", sqrt(moved), sqrt(way));
	free_ready(&r);
}

/* What is kept is feasible; its violation, gap, dual and values are those by plain loops. */
static void test_judge(enum machine_type type)
{
	double f[N], violation;
	struct error err = { 0 };
	struct ready r;

	if (!make_ready(&r, type, 1)) {
		free_ready(&r);
		return;
	}
	r.run.best.gap = r.run.best.violation = INFINITY;
	r.run.best.dual = -INFINITY;
	for (int64_t i = 0; i < N; i++)
		r.run.at.prox[i] = random_between(-3, 5);
	CHECK(linear_judge_plain(&r.run, &violation, &err) == 0, "%s", err.text);
	plain_values(&r.w.p, r.w.beta, f);
	CHECK(plain_excess(&r.w.p, r.w.beta) <= 0, "beyond a bound");
	CHECK(fabs(plain_sum(r.w.beta, N)) <= 1e-10, "sum %g", plain_sum(r.w.beta, N));
	for (int64_t i = 0; i < N; i++)
		CHECK(fabs(r.w.f[i] - f[i]) <= 1e-9 * (1 + fabs(f[i])), "f %.17g, not %.17g",
		      r.w.f[i], f[i]);
	CHECK(fabs(violation - plain_violation(&r.w.p, r.w.beta, f)) <= 1e-8 * (1 + violation) &&
		      violation == r.run.best.violation,
	      "violation %.12g, not %.12g", violation, plain_violation(&r.w.p, r.w.beta, f));
	CHECK(fabs(r.run.best.dual - plain_dual(&r.w.p, r.w.beta, f)) <=
		      1e-10 * (1 + fabs(r.run.best.dual)),
	      "dual %.12g, not %.12g", r.run.best.dual, plain_dual(&r.w.p, r.w.beta, f));
	{
		double primal = plain_primal(&r.w.p, r.w.beta, f, -r.run.best.rho);
		double gap = (primal - plain_dual(&r.w.p, r.w.beta, f)) / primal;

		CHECK(fabs(r.run.best.gap - gap) <= 1e-8 * (1 + fabs(gap)), "gap %.12g, not %.12g",
		      r.run.best.gap, gap);
	}
	free_ready(&r);
}

/* A worse trial does not take the place of a better one. */
static void test_judge_keeps_the_best(void)
{
	double violation, kept[N];
	struct error err = { 0 };
	struct ready r;

	if (make_ready(&r, MACHINE_C_SVC, 1)) {
		struct linear_result result;

		CHECK(linear_solve(&r.w.p, &r.o, r.w.beta, r.w.f, &result, &err) == 0, "%s",
		      err.text);
		memcpy(kept, r.w.beta, sizeof(kept));
		CHECK(linear_judge_start(&r.run, kept, &err) == 0, "%s", err.text);
		CHECK(r.run.best.violation <= r.o.eps * (1 + 1e-6), "violation %g",
		      r.run.best.violation);
		memcpy(kept, r.w.beta, sizeof(kept));
		for (int64_t i = 0; i < N; i++)
			r.run.at.prox[i] = random_between(-3, 5);
		CHECK(linear_judge_plain(&r.run, &violation, &err) == 0 &&
			      violation > r.run.best.violation,
		      "violation %g: %s", violation, err.text);
		CHECK(memcmp(kept, r.w.beta, sizeof(kept)) == 0, "the best was lost");
	}
	free_ready(&r);
}

int main(void)
{
	test_repair_makes_feasible(MACHINE_C_SVC);
	test_repair_makes_feasible(MACHINE_EPSILON_SVR);
	test_repair_shifts();
	test_polish(1, false);
	test_polish(1, true);
	test_polish(3000, false);
	test_judge(MACHINE_C_SVC);
	test_judge(MACHINE_EPSILON_SVR);
	test_judge_keeps_the_best();
	return unit_report("linear_parts");
}
