/*
 * test_time_limits.c - a training ended at any moment, of each machine and of many classes
 *
 * More time, counted in looks at whether the end is wanted, makes no model worse; and none is worse
 * than a plain training of a random sample, than that of the run before, if it is resumed, or than
 * that which is the start.  test_exact.c has two classes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/checkpoint.h"
#include "plain_problem.h"
#include "small_training.h"
#include "unit.h"

/* A clock that goes on when it is looked at. */
struct looks {
	int64_t n, granted;
};

static bool end_requested(void *arg)
{
	struct looks *l = arg;

	return l->n++ >= l->granted;
}

static double looks_left(void *arg)
{
	const struct looks *l = arg;

	return (double)(l->granted - l->n);
}

struct machine {
	const char *name;
	enum machine_type type;
	int n_class; /* 0: targets of a regression, which one-class does not look at */
	double nu, distance;
};

static const struct machine machines[] = {
	{ "one-class", MACHINE_ONE_CLASS, 0, 0.2, 1 },
	{ "nu-SVR", MACHINE_NU_SVR, 0, 0.3, 1 },
	{ "nu-SVC", MACHINE_NU_SVC, 2, 0.4, 1 },
	{ "epsilon-SVR", MACHINE_EPSILON_SVR, 0, 0, 1 },
	{ "five classes", MACHINE_C_SVC, 5, 0, 0.7 },
};

static void make(struct setting *s, const struct machine *m, const struct interruption *end)
{
	small_setting(s, m->n_class, 1000, m->distance, 1e-3);
	s->training.type = m->type;
	s->training.nu = m->nu;
	s->training.n_weights = 0;
	s->options.n_threads = 1;
	s->solver.interruption = end;
}

/* The solution anew; -1 where there is none. */
static int train(struct setting *s, struct error *err)
{
	solution_free(&s->solution);
	*err = (struct error){ 0 };
	return trainer_run(&s->trainer, classes_of(s), &s->solution, s->pairs, err);
}

/* The sum over all pairs; nu-SVC's are divided by r^2, of half of each model's own margin. */
static double primal(const struct setting *s)
{
	double sum = 0;

	for (int64_t q = 0; q < n_pairs_of(s); q++) {
		double r = s->training.type == MACHINE_NU_SVC ? s->pairs[q].half_width : 1;

		sum += r * r * s->pairs[q].solved.certificate.primal;
	}
	return sum;
}

/* Coefficients of the solution, which has one decision function, by row; and its values. */
static void decide(const struct setting *s, double *beta, double *f)
{
	const struct solution *m = &s->solution;
	int64_t n = s->d.x.n_rows;

	memset(beta, 0, (size_t)n * sizeof(*beta));
	for (int64_t j = 0; j < m->n_sv; j++)
		beta[m->sv_row[j]] = m->coef[j];
	for (int64_t i = 0; i < n; i++) {
		f[i] = 0;
		for (int64_t j = 0; j < m->n_sv; j++)
			f[i] += m->coef[j] *
				plain_row_kernel(&s->training.kernel, &s->d.x, m->sv_row[j], i);
	}
}

/*
 * What is told is the primal of what is written, by definition: with the model's own tube; or, of
 * one-class, of the multiple that is best.
 */
static void expect_honest(const struct setting *s, const char *what)
{
	double *beta = full_zeros(s->d.x.n_rows, 1), *f = full_zeros(s->d.x.n_rows, 1);
	double n = (double)s->d.x.n_rows, tube = s->pairs[0].half_width, rho = s->pairs[0].rho;
	double norm2 = 0, rest = 0, plain;

	decide(s, beta, f);
	for (int64_t i = 0; i < s->d.x.n_rows; i++) {
		norm2 += beta[i] * f[i];
		rest += s->training.type == MACHINE_NU_SVR ?
				s->training.C * fmax(0, fabs(s->y[i] - f[i] + rho) - tube) :
				fmax(0, rho - f[i]);
	}
	rest += s->training.type == MACHINE_NU_SVR ? s->training.C * s->training.nu * n * tube :
						     -s->training.nu * n * rho;
	plain = s->training.type == MACHINE_NU_SVR ? norm2 / 2 + rest : -rest * rest / (2 * norm2);
	CHECK(fabs(primal(s) - plain) <= 1e-5 * fabs(plain), "%s: primal %.9g, not %.9g", what,
	      primal(s), plain);
	free(beta);
	free(f);
}

/*
 * A plain training of 45 random examples of each pair, 1.5 times the first sample: mode budget's
 * first, which begins with the same; of nu-SVC there is none.
 */
static double sample_primal(const struct setting *s, const struct machine *m)
{
	struct setting sample;
	struct error err;
	double least = INFINITY;

	if (m->type == MACHINE_NU_SVC)
		return INFINITY;
	memset(&sample, 0, sizeof(sample));
	small_trainer(&sample, m->n_class > 0, 1e-3);
	sample.training = s->training;
	sample.options = s->options;
	sample.options.mode = WORKING_SET_BUDGET;
	sample.options.budget = 45;
	sample.options.max_rounds = 1;
	sample.classes = s->classes;
	sample.trainer.data = &s->d;
	if (CHECK(train(&sample, &err) == 0, "%s: %s", m->name, err.text))
		least = primal(&sample);
	solution_free(&sample.solution);
	return least;
}

/* Ends a training sooner and later; returns how often it was ended. */
static int expect_no_rise(struct setting *s, const struct machine *m, struct looks *looks)
{
	double room = 1e-9, optimum, least;
	struct error err;
	int n = 0;

	looks->granted = INT64_MAX;
	CHECK(train(s, &err) == 0, "%s: %s", m->name, err.text);
	optimum = primal(s);
	least = sample_primal(s, m);
	for (looks->granted = 0; n < 1000; looks->granted += 1 + looks->granted / 8) {
		looks->n = 0;
		if (train(s, &err) < 0) {
			/* no margin yet: later there is one, and stays */
			CHECK(m->type == MACHINE_NU_SVC && least == INFINITY, "%s: %s", m->name,
			      err.text);
			continue;
		}
		CHECK(primal(s) <= least + room * fabs(least) &&
			      primal(s) >= optimum - 1e-3 * fabs(optimum),
		      "%s, after %" PRId64 " looks: primal %.9g, sooner %.9g, optimum %.9g",
		      m->name, looks->granted, primal(s), least, optimum);
		least = fmin(least, primal(s));
		if (m->type == MACHINE_ONE_CLASS || m->type == MACHINE_NU_SVR)
			expect_honest(s, m->name);
		if (!trainer_was_interrupted(s->pairs, n_pairs_of(s)))
			break;
		n++;
	}
	CHECK(least <= optimum + 1e-3 * fabs(optimum), "%s: %.9g, not %.9g", m->name, least,
	      optimum);
	return n;
}

/* ---- from a checkpoint ---- */

#define STATE "state"

enum { MAX_COPIES = 40 };

/* Each state is set aside in a file of its own, with the looks at which it was kept. */
struct copies {
	struct checkpoint *c;
	const struct looks *looks;
	int n;
	int64_t at[MAX_COPIES];
};

static void name_copy(char name[32], int copy)
{
	snprintf(name, 32, "copy%d", copy);
}

static void set_aside(void *arg)
{
	struct copies *copies = arg;
	struct error err = { 0 };
	char name[32];

	name_copy(name, copies->n);
	CHECK(checkpoint_write(copies->c, &err) == 0, "%s", err.text);
	if (copies->n < MAX_COPIES && rename(STATE, name) == 0)
		copies->at[copies->n++] = copies->looks->n;
}

static struct checkpoint *open_state(const struct setting *s)
{
	struct checkpoint *c;
	struct error err = { 0 };

	if (!CHECK(checkpoint_open(&c, STATE, &err) == 0 &&
			   checkpoint_begin(c, "-c 1\n", n_pairs_of(s), NULL, &err) == 0,
		   "%s", err.text))
		exit(1);
	return c;
}

/* The primal from now on, with so many looks; INFINITY where there is no model. */
static double limited_primal(struct setting *s, struct looks *looks, int64_t granted)
{
	struct error err;

	*looks = (struct looks){ .granted = granted };
	return train(s, &err) == 0 ? primal(s) : INFINITY;
}

/* Ended where the state was kept, and from that state with no time at all. */
static void expect_resumed(struct setting *s, const char *name, struct looks *looks)
{
	struct copies copies = { .c = open_state(s), .looks = looks };

	checkpoint_notify(copies.c, set_aside, &copies);
	s->trainer.checkpoint = copies.c;
	limited_primal(s, looks, INT64_MAX);
	checkpoint_free(copies.c);
	CHECK(copies.n > 1, "%s: %d copies", name, copies.n);
	for (int k = 0; k < copies.n; k++) {
		double before, after;
		char file[32];

		s->trainer.checkpoint = NULL;
		before = limited_primal(s, looks, copies.at[k]);
		name_copy(file, k);
		CHECK(rename(file, STATE) == 0, "no %s", file);
		s->trainer.checkpoint = open_state(s);
		after = limited_primal(s, looks, 0);
		checkpoint_free(s->trainer.checkpoint);
		unlink(STATE);
		CHECK(after <= before || after - before <= 1e-9 * fabs(before),
		      "%s, kept after %" PRId64 " looks: primal %.9g, before %.9g", name,
		      copies.at[k], after, before);
	}
	s->trainer.checkpoint = NULL;
}

/* ---- from a model ---- */

/* Whatever of a training was ended how soon, one that starts with its model is not above it. */
static void expect_no_worse_than_start(struct setting *s, const char *name, struct looks *looks)
{
	for (int64_t k = 0; k < 100; k += 1 + k / 2) {
		double before = limited_primal(s, looks, k);
		struct solution start = s->solution;

		s->solution = (struct solution){ 0 };
		s->trainer.start = &start;
		for (int64_t l = 0; l < 100; l += 1 + 2 * l) {
			double after = limited_primal(s, looks, l);

			CHECK(after - before <= 1e-6 * before,
			      "%s, after %" PRId64 " looks: primal %.9g, and %.9g after %" PRId64
			      " more",
			      name, k, before, after, l);
		}
		s->trainer.start = NULL;
		solution_free(&start);
	}
}

/* The primal of the solution, of C-SVC or epsilon-SVR with one decision function, by definition. */
static double defined_primal(const struct setting *s)
{
	double *beta = full_zeros(s->d.x.n_rows, 1), *f = full_zeros(s->d.x.n_rows, 1);
	const bool classifies = machine_classifies(s->training.type);
	double sum = 0;

	decide(s, beta, f);
	for (int64_t i = 0; i < s->d.x.n_rows; i++) {
		const double value = f[i] - s->pairs[0].rho;
		const double sign = classifies && s->y[i] != s->solution.label[0] ? -1 : 1;

		sum += beta[i] * f[i] / 2 +
		       s->training.C * fmax(0, classifies ? 1 - sign * value :
							    fabs(s->y[i] - value) - s->training.p);
	}
	free(beta);
	free(f);
	return sum;
}

/* A linear machine whose start has multipliers above its C: it is cut, and yet none is worse. */
static void expect_linear_start(int n_class)
{
	static struct setting s;
	struct looks looks = { .granted = INT64_MAX };
	struct interruption end = { .requested = end_requested, .arg = &looks };
	const struct machine machine = { .type = n_class ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
					 .n_class = n_class,
					 .distance = 0.3 };
	struct solution start;
	struct error err;
	double before;

	make(&s, &machine, &end);
	s.training.kernel.type = KERNEL_LINEAR;
	s.training.C = 30;
	CHECK(train(&s, &err) == 0, "%s", err.text);
	s.training.C = 0.01;
	before = defined_primal(&s);
	start = s.solution;
	s.solution = (struct solution){ 0 };
	s.trainer.start = &start;
	for (int64_t granted = 0; granted < 100; granted += 1 + granted / 2) {
		double after = limited_primal(&s, &looks, granted);

		CHECK(after - before <= 1e-6 * before && defined_primal(&s) <= before * (1 + 1e-6),
		      "linear, %d classes: primal %.9g, by definition %.9g, and %.9g after %" PRId64
		      " looks",
		      n_class, before, defined_primal(&s), after, granted);
	}
	solution_free(&start);
	setting_free(&s);
}

/*
 * Linear machines of pairs with a limit each, of columns that are centred: a solution that was ended
 * is a model, whose decision values are computed after that, or has no margin yet.
 */
static void expect_linear_models(enum machine_type type)
{
	static struct setting s;
	struct looks looks = { .granted = INT64_MAX };
	struct interruption end = { .requested = end_requested,
				    .seconds_left = looks_left,
				    .arg = &looks };
	const struct machine machine = { .type = type, .n_class = 3, .nu = 0.9, .distance = 4 };
	int64_t n_all, n_models = 0;
	struct error err;

	make(&s, &machine, &end);
	s.training.kernel.type = KERNEL_LINEAR;
	s.training.C = 100;
	s.options.eps = 1e-6;
	for (int64_t k = 0; k < s.d.x.row_start[s.d.x.n_rows]; k++)
		s.d.x.val[k] += 100;
	CHECK(train(&s, &err) == 0, "%s", err.text);
	n_all = looks.n;
	for (int64_t k = 0; k <= 40; k++) {
		int ret;

		looks = (struct looks){ .granted = n_all * k / 40 };
		ret = train(&s, &err);
		n_models += ret == 0;
		CHECK(ret == 0 || (type == MACHINE_NU_SVC && err.code == ERR_NUMERIC),
		      "machine %d after %" PRId64 " of %" PRId64 " looks: %s", (int)type,
		      looks.granted, n_all, err.text);
	}
	CHECK(n_models > 3, "machine %d: %" PRId64 " models", (int)type, n_models);
	setting_free(&s);
}

int main(void)
{
	for (int k = 0; k < (int)(sizeof(machines) / sizeof(machines[0])); k++)
		for (int limited = 0; limited <= 1; limited++) {
			static struct setting s;
			struct looks looks = { 0 };
			struct interruption end = { .requested = end_requested, .arg = &looks };
			int n;

			end.seconds_left = limited ? looks_left : NULL;
			make(&s, &machines[k], &end);
			n = expect_no_rise(&s, &machines[k], &looks);
			CHECK(n >= 3, "%s was ended %d times", machines[k].name, n);
			if (!limited)
				expect_resumed(&s, machines[k].name, &looks);
			if (!machine_fixes_sums(machines[k].type))
				expect_no_worse_than_start(&s, machines[k].name, &looks);
			setting_free(&s);
		}
	expect_linear_start(0);
	expect_linear_start(2);
	expect_linear_models(MACHINE_C_SVC);
	expect_linear_models(MACHINE_NU_SVC);
	return unit_report("time_limits");
}
