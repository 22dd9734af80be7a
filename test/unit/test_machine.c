/*
 * test_machine.c - a machine of what is given: refusals, defaults, weights, and its training
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/machine_train.h"
#include "failing.h"
#include "random.h"
#include "small_training.h"
#include "train/machine.h"
#include "unit.h"

enum { N = 60 };

/* Rows of three classes, or the targets of a regression, and what suits them. */
struct asked {
	struct dataset data;
	double y[N];
	struct machine_given given;
};

static void asked_init(struct asked *a, int n_class)
{
	*a = (struct asked){ 0 };
	small_dataset(&a->data, a->y, n_class, N, 1);
	/* features are numbered from 1 */
	for (int64_t k = 0; k < csr_n_entries(&a->data.x); k++)
		a->data.x.col[k]++;
	a->data.max_index = a->data.x.n_cols++;
	a->given = (struct machine_given){ .training = small_training(n_class > 0, 1e-3),
					   .options = { .seed = 1, .n_threads = 1 },
					   .cache_mb = 10 };
	a->given.training.kernel.gamma = 0;
	a->given.training.nu = 0.5;
}

static void asked_free(struct asked *a)
{
	a->data.y = NULL;
	dataset_free(&a->data);
}

/* ---- Refusals ---- */

static void expect_fault(struct asked *a, enum machine_fault_kind kind, const char *what)
{
	struct machine m;
	struct error err = { 0 };

	CHECK(machine_init(&m, &a->data, &a->given, &err) < 0 && m.fault.kind == kind &&
		      (err.code == ERR_ARGUMENT || err.code == ERR_FORMAT) && *err.text,
	      "%s: fault %d, code %d, '%s'", what, m.fault.kind, err.code, err.text);
	machine_free(&m);
}

/* Each fault by itself, in what is good without it. */
static void test_faults(void)
{
	static const int label = 5;
	static const double below = -1;
	static const struct class_weight endless = { 5, INFINITY };
	static double row_weight[N];

	for (int fault = 0; fault < 15; fault++) {
		static const enum machine_fault_kind kind[] = {
			FAULT_NUMBER, FAULT_NUMBER, FAULT_LOSS,	  FAULT_LOSS,	FAULT_REST,
			FAULT_REST,   FAULT_VALUE,  FAULT_NUMBER, FAULT_NUMBER, FAULT_BALANCE,
			FAULT_NUMBER, FAULT_WEIGHT, FAULT_WEIGHT, FAULT_MARKS,	FAULT_NUMBER
		};
		struct asked a;
		struct machine_given *g = &a.given;
		struct training *t = &g->training;
		char name[24];

		asked_init(&a, 3);
		t->kernel.type =
			fault == 3 || fault == 5 || fault == 8 ? KERNEL_LINEAR : KERNEL_RBF;
		t->C = fault == 0 ? 0 : 1;
		g->options.gap = fault == 1 ? NAN : 0;
		t->squared_loss = fault == 2 || fault == 3 || fault == 8;
		t->type = fault == 3 || fault == 5 || fault == 7 || fault == 9 ? MACHINE_NU_SVC :
			  fault == 13					       ? MACHINE_ONE_CLASS :
										 MACHINE_C_SVC;
		g->one_vs_rest = fault == 4 || fault == 5;
		t->probability = fault == 13;
		g->options.budget = fault == 6 ? 1 : fault == 7 || fault == 8 ? 9 : 0;
		g->balanced = fault == 9;
		g->n_weights = fault == 10 || fault == 11;
		g->label = fault == 11 ? &label : NULL;
		g->factor = fault == 11 ? &below : NULL;
		t->n_weights = fault == 12;
		t->weight = &endless;
		a.data.weight = fault == 13 ? row_weight : NULL;
		if (fault == 14)
			a.data.x.n_rows = 0;
		snprintf(name, sizeof(name), "fault %d", fault);
		expect_fault(&a, kind[fault], name);
		a.data.weight = NULL;
		asked_free(&a);
	}
}

/* Rows that do not suit the parameters. */
static void test_rows(void)
{
	struct asked a;

	asked_init(&a, 3);
	a.y[7] = 0.5;
	expect_fault(&a, FAULT_LABELS, "half a label");
	for (int i = 0; i < N; i++)
		a.y[i] = i == 0 ? 5 : 7;
	a.given.training.type = MACHINE_NU_SVC;
	expect_fault(&a, FAULT_NU, "one row of a class");
	a.given.training.kernel.type = KERNEL_PRECOMPUTED;
	expect_fault(&a, FAULT_KERNEL, "rows of no kernel");
	asked_free(&a);
}

/* ---- Defaults and weights ---- */

static void test_defaults(void)
{
	struct asked a;
	struct machine m;
	struct error err = { 0 };

	asked_init(&a, 3);
	a.given.options.budget = N - 1;
	CHECK(machine_init(&m, &a.data, &a.given, &err) == 0, "%s", err.text);
	CHECK(m.training.kernel.gamma == 1 / (double)a.data.max_index, "gamma %g",
	      m.training.kernel.gamma);
	CHECK(m.options.mode == WORKING_SET_BUDGET && m.options.eps == a.given.training.eps,
	      "mode %d, eps %g", m.options.mode, m.options.eps);
	machine_free(&m);
	a.given.options.budget = N;
	a.given.gamma_is_given = true;
	CHECK(machine_init(&m, &a.data, &a.given, &err) == 0, "%s", err.text);
	CHECK(m.training.kernel.gamma == 0 && m.options.mode == WORKING_SET_EXACT,
	      "gamma %g, mode %d", m.training.kernel.gamma, m.options.mode);
	CHECK(machine_n_problems(&m) == 3, "%" PRId64 " problems", machine_n_problems(&m));
	machine_free(&m);
	asked_free(&a);
}

/* With a balance C times the examples is the same for all classes, and its sum what it is without. */
static void test_balance(void)
{
	struct asked a;
	struct machine m;
	struct error err = { 0 };
	double sum = 0, first = 0;

	asked_init(&a, 3);
	for (int i = 0; i < N; i++) /* unlike sizes */
		a.y[i] = i < 5 ? 5 : i < 20 ? 7 : -3;
	a.given.training.n_weights = 0;
	a.given.balanced = true;
	CHECK(machine_init(&m, &a.data, &a.given, &err) == 0, "%s", err.text);
	for (int k = 0; k < m.classes.n; k++) {
		double c = classes_c(&m.training, m.classes.label[k]) *
			   (double)(m.classes.start[k + 1] - m.classes.start[k]);

		first = k == 0 ? c : first;
		CHECK(fabs(c - first) < 1e-12 * first, "class %d: %g, not %g", k, c, first);
		sum += c;
	}
	CHECK(fabs(sum - N * m.training.C) < 1e-12 * sum, "%g in all", sum);
	machine_free(&m);
	asked_free(&a);
}

/* ---- Training ---- */

/* machine_train() is trainer_run(), or one_vs_rest_run(), with the parameters given. */
static void test_training(void)
{
	for (int n_class = 0; n_class <= 3; n_class += 3) {
		struct asked a;
		struct machine m;
		struct machine_result r = { 0 };
		struct solution s = { 0 };
		struct error err = { 0 };

		asked_init(&a, n_class);
		CHECK(machine_init(&m, &a.data, &a.given, &err) == 0 &&
			      machine_train(&m, NULL, &r, &err) == 0 &&
			      trainer_run(&m.trainer, machine_classes(&m), &s, NULL, &err) == 0,
		      "%s", err.text);
		CHECK(r.n_pairs == machine_n_problems(&m) && r.solution.n_sv == s.n_sv &&
			      memcmp(r.solution.coef, s.coef,
				     (size_t)(s.n_sv * (s.n_class - 1)) * sizeof(*s.coef)) == 0,
		      "%" PRId64 " and %" PRId64 " vectors", r.solution.n_sv, s.n_sv);
		solution_free(&s);
		machine_result_free(&r);
		machine_free(&m);
		asked_free(&a);
	}
}

static int train_once(void *arg, struct error *err)
{
	const struct asked *a = arg;
	struct machine m;
	struct machine_result r = { 0 };
	int ret = machine_init(&m, &a->data, &a->given, err);

	if (ret == 0)
		ret = machine_train(&m, NULL, &r, err);
	machine_result_free(&r);
	machine_free(&m);
	return ret;
}

static void test_memory(void)
{
	for (int rest = 0; rest < 2; rest++) {
		struct asked a;

		asked_init(&a, 3);
		a.given.balanced = true;
		a.given.one_vs_rest = rest;
		a.given.training.kernel.type = rest ? KERNEL_LINEAR : KERNEL_RBF;
		fail_each_allocation("machine", train_once, &a);
		asked_free(&a);
	}
}

int main(void)
{
	test_faults();
	test_rows();
	test_defaults();
	test_balance();
	test_training();
	test_memory();
	return unit_report("machine");
}
