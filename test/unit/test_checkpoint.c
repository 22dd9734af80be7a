/*
 * test_checkpoint.c - trainings that go on from each of their safe points end with the same bits
 *
 * A training is run without a checkpoint; again with one, of which each copy is set aside; and once
 * from each of a dozen of these copies.  All results, and the rounds that are told, must be equal.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "io/checkpoint.h"
#include "io/fields.h"
#include "problem/classes.h"
#include "random.h"
#include "small_training.h"
#include "smo/smo.h"
#include "train/trainer.h"
#include "unit.h"

#define STATE "state"
#define SETTINGS "-c 1\n-g 0.5\n"

enum { MAX_N = 1200, MAX_PAIRS = 10, MAX_COPIES = 400, MAX_ROUNDS = 400 };

enum { MOST_TRIED = UNIT_IS_SANITIZED ? 3 : 12 };

/* ---- fields ---- */

struct numbers {
	int64_t count;
	double value, array[5], mostly_zero[40];
	bool yes[3];
};

static void visit_numbers(void *arg, struct fields *f)
{
	struct numbers *x = arg;

	fields_int64(f, "count", &x->count);
	fields_double(f, "value", &x->value);
	fields_doubles(f, "array", x->array, 5);
	fields_sparse(f, "mostly_zero", x->mostly_zero, 40);
	fields_sparse(f, "dense", x->array, 5);
	fields_bools(f, "yes", x->yes, 3);
}

/* All bits come back, of infinities and minus 0 too. */
static void test_fields(void)
{
	struct numbers x = { .count = INT64_MIN,
			     .value = -0x1.fffffffffffffp-1000,
			     .yes = { 1, 0, 1 } };
	struct numbers y;
	struct byte_buffer bytes = { 0 };
	struct error err = { 0 };
	struct fields f = fields_writer(&bytes, &err);

	x.array[1] = INFINITY;
	x.array[2] = -0.0;
	x.array[3] = 1 / 3.0;
	x.mostly_zero[3] = -0.0;
	x.mostly_zero[39] = 5e-324;
	visit_numbers(&x, &f);
	memset(&y, 0x55, sizeof(y));
	f = fields_reader(bytes.bytes, bytes.size, &err);
	visit_numbers(&y, &f);
	CHECK(err.code == ERR_NONE && f.at == f.end, "%s", err.text);
	CHECK(x.count == y.count && x.value == y.value &&
		      memcmp(x.array, y.array, sizeof(x.array)) == 0 &&
		      memcmp(x.mostly_zero, y.mostly_zero, sizeof(x.mostly_zero)) == 0 &&
		      memcmp(x.yes, y.yes, sizeof(x.yes)) == 0,
	      "other numbers");
	/* cut short anywhere, an error; and nothing is read from beyond the end */
	for (int64_t size = 0; size < bytes.size; size++) {
		char *exact = malloc((size_t)size + 1);

		memcpy(exact, bytes.bytes, (size_t)size);
		err = (struct error){ 0 };
		f = fields_reader(exact, size, &err);
		visit_numbers(&y, &f);
		CHECK(err.code == ERR_FORMAT, "%" PRId64 " of %" PRId64 " bytes", size, bytes.size);
		free(exact);
	}
	free(bytes.bytes);
}

/* A byte that is no bool is refused: to look at it as one would be undefined. */
static void test_no_bool(void)
{
	static const char bytes[] = "yes[3]\n\0\1\2\n";
	bool yes[3];
	struct error err = { 0 };
	struct fields f = fields_reader(bytes, sizeof(bytes) - 1, &err);

	fields_bools(&f, "yes", yes, 3);
	CHECK(err.code == ERR_FORMAT, "code %d", err.code);
}

/* A checkpoint without settings is of no training. */
static void test_no_settings(void)
{
	struct error err = { 0 };
	struct checkpoint *c;
	FILE *file = fopen(STATE, "w");

	fprintf(file, "randsvm checkpoint 3 %s-endian\nsettings 0 00000000\nend\n",
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little");
	fclose(file);
	if (CHECK(checkpoint_open(&c, STATE, &err) == 0, "%s", err.text))
		CHECK(checkpoint_begin(c, SETTINGS, 1, NULL, &err) < 0 && err.code == ERR_FORMAT,
		      "code %d", err.code);
	checkpoint_free(c);
	unlink(STATE);
}

/* An array of no elements whose bytes end with its line: its line feed is missing. */
static void test_cut_short(void)
{
	static const char line[] = "empty[0]\n";
	char *bytes = malloc(sizeof(line) - 1);
	bool none[1];
	struct error err = { 0 };
	struct fields f;

	memcpy(bytes, line, sizeof(line) - 1);
	f = fields_reader(bytes, sizeof(line) - 1, &err);
	fields_bools(&f, "empty", none, 0);
	CHECK(err.code == ERR_FORMAT, "code %d", err.code);
	free(bytes);
}

/* ---- trainings ---- */

/* What a training comes to. */
struct outcome {
	struct solution solution;
	struct pair_result pairs[MAX_PAIRS];
	struct randsvm_round round[MAX_ROUNDS];
	int n_rounds;
};

/* n_class = 0: a regression */
static void setting_init(struct setting *s, int n_class, int64_t n)
{
	small_setting(s, n_class, n, 0.7, 1e-4);
	s->options.n_threads = 1;
}

static void note_round(void *arg, const struct randsvm_round *round)
{
	struct outcome *o = arg;

	if (CHECK(o->n_rounds < MAX_ROUNDS, "too many rounds"))
		o->round[o->n_rounds++] = *round;
}

static void train(struct setting *s, struct checkpoint *c, struct outcome *o)
{
	struct randsvm_observer observer = { note_round, o };
	struct trainer t = s->trainer;
	struct error err = { 0 };

	memset(o, 0, sizeof(*o));
	t.rounds = &observer;
	t.checkpoint = c;
	CHECK(trainer_run(&t, classes_of(s), &o->solution, o->pairs, &err) == 0, "%s", err.text);
}

static bool same_doubles(const double *a, const double *b, int64_t n)
{
	return memcmp(a, b, (size_t)n * sizeof(*a)) == 0;
}

static bool same_rounds(const struct outcome *a, const struct outcome *b)
{
	if (a->n_rounds != b->n_rounds)
		return false;
	for (int r = 0; r < a->n_rounds; r++)
		if (a->round[r].number != b->round[r].number ||
		    a->round[r].working_set != b->round[r].working_set ||
		    a->round[r].n_sv != b->round[r].n_sv ||
		    a->round[r].n_violators != b->round[r].n_violators ||
		    !same_doubles(&a->round[r].primal, &b->round[r].primal, 4) ||
		    a->round[r].kept != b->round[r].kept)
			return false;
	return true;
}

static bool same_pairs(const struct outcome *a, const struct outcome *b, int64_t n)
{
	for (int64_t q = 0; q < n; q++) {
		const struct pair_result *x = &a->pairs[q], *y = &b->pairs[q];

		if (x->rho != y->rho ||
		    memcmp(&x->half_width, &y->half_width, sizeof(double)) != 0 ||
		    x->n_iterations != y->n_iterations || x->solved.rounds != y->solved.rounds ||
		    x->solved.reason != y->solved.reason ||
		    memcmp(&x->solved.certificate, &y->solved.certificate,
			   sizeof(x->solved.certificate)) != 0)
			return false;
	}
	return true;
}

static void expect_same(const struct setting *s, const struct outcome *a, const struct outcome *b,
			const char *name, int copy)
{
	int64_t n = a->solution.n_sv;

	CHECK(n == b->solution.n_sv &&
		      memcmp(a->solution.sv_row, b->solution.sv_row, (size_t)n * sizeof(int64_t)) ==
			      0 &&
		      same_doubles(a->solution.coef, b->solution.coef,
				   (a->solution.n_class - 1) * n) &&
		      same_doubles(a->solution.rho, b->solution.rho, n_pairs_of(s)),
	      "%s: another solution from copy %d", name, copy);
	CHECK(same_pairs(a, b, n_pairs_of(s)), "%s: other results from copy %d", name, copy);
	CHECK(same_rounds(a, b), "%s: other rounds from copy %d: %d, not %d", name, copy,
	      b->n_rounds, a->n_rounds);
}

/* ---- copies ---- */

struct copies {
	pthread_mutex_t lock;
	struct checkpoint *c;
	int n;
};

static void name_copy(char name[32], int copy)
{
	snprintf(name, 32, "copy%d", copy);
}

/* Each state is set aside in a file of its own. */
static void set_aside(void *arg)
{
	struct copies *copies = arg;
	struct error err = { 0 };
	char name[32];

	pthread_mutex_lock(&copies->lock);
	name_copy(name, copies->n);
	CHECK(checkpoint_write(copies->c, &err) == 0, "%s", err.text);
	/* another thread may have written this one's copy with its own */
	if (copies->n < MAX_COPIES && rename(STATE, name) == 0)
		copies->n++;
	pthread_mutex_unlock(&copies->lock);
}

static struct checkpoint *open_state(const struct setting *s)
{
	struct checkpoint *c;
	struct error err = { 0 };

	if (!CHECK(checkpoint_open(&c, STATE, &err) == 0 &&
			   checkpoint_begin(c, SETTINGS, n_pairs_of(s), NULL, &err) == 0,
		   "%s", err.text))
		exit(1);
	return c;
}

/* Without a checkpoint, with one, and from its copies; at least so many must there be. */
static void expect_no_difference(struct setting *s, const char *name, int least)
{
	static struct outcome plain, kept, resumed;
	struct copies copies = { PTHREAD_MUTEX_INITIALIZER, open_state(s), 0 };
	int step;

	train(s, NULL, &plain);
	checkpoint_notify(copies.c, set_aside, &copies);
	train(s, copies.c, &kept);
	checkpoint_free(copies.c);
	expect_same(s, &plain, &kept, name, -1);
	CHECK(copies.n >= least, "%s: %d copies, not %d", name, copies.n, least);
	step = copies.n / MOST_TRIED + 1;
	for (int k = 0; k < copies.n; k += step) {
		struct checkpoint *c;
		char file[32];

		name_copy(file, k);
		CHECK(rename(file, STATE) == 0, "no %s", file);
		c = open_state(s);
		train(s, c, &resumed);
		expect_same(s, &plain, &resumed, name, k);
		solution_free(&resumed.solution);
		checkpoint_free(c);
		unlink(STATE);
	}
	solution_free(&plain.solution);
	solution_free(&kept.solution);
}

/* ---- which ---- */

static void test_kernels(void)
{
	static struct setting s;

	setting_init(&s, 2, 900);
	expect_no_difference(&s, "C-SVC", 8);
	s.training.kernel.gamma = 20;
	expect_no_difference(&s, "a narrow kernel", 4);
	s.training.kernel =
		(struct kernel){ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.2, .coef0 = 1 };
	expect_no_difference(&s, "polynomial", 3);
	s.training.kernel = (struct kernel){ .type = KERNEL_SIGMOID, .gamma = 0.1 };
	expect_no_difference(&s, "sigmoid", 1);
	s.training.kernel = (struct kernel){ .type = KERNEL_RBF, .gamma = 0.3 };
	s.training.C = 3000;
	expect_no_difference(&s, "doubles", 8);
	s.training.C = 3;
	s.options.sample = 0;
	expect_no_difference(&s, "all at once", 2);
	setting_free(&s);
}

static void test_machines(void)
{
	static struct setting s;

	setting_init(&s, 0, 900);
	expect_no_difference(&s, "epsilon-SVR", 8);
	s.training.type = MACHINE_NU_SVR;
	s.training.nu = 0.3;
	expect_no_difference(&s, "nu-SVR", 8);
	s.training.type = MACHINE_ONE_CLASS;
	s.training.nu = 0.1;
	expect_no_difference(&s, "one-class", 8);
	setting_free(&s);
	setting_init(&s, 2, 900);
	s.training.type = MACHINE_NU_SVC;
	s.training.nu = 0.6;
	expect_no_difference(&s, "nu-SVC", 8);
	setting_free(&s);
}

static void test_pairs(void)
{
	static struct setting s;

	setting_init(&s, 4, 900);
	expect_no_difference(&s, "six pairs", 20);
	s.training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	expect_no_difference(&s, "six linear pairs", 6);
	setting_free(&s);
}

/* Equal examples are one, and runs follow one another. */
static void test_equal_rows(void)
{
	static struct setting s;

	setting_init(&s, 2, 600);
	for (int64_t i = 0; i < s.d.x.row_start[600]; i++)
		s.d.x.val[i] = (double)(s.d.x.val[i] > 0);
	expect_no_difference(&s, "equal rows", 2);
	setting_free(&s);
}

static void test_linear(void)
{
	static struct setting s;

	setting_init(&s, 2, 1000);
	s.training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	expect_no_difference(&s, "linear", 1);
	s.training.C = 1e4;
	expect_no_difference(&s, "linear, a large C", 2);
	s.training.squared_loss = true;
	expect_no_difference(&s, "squared losses", 1);
	setting_free(&s);
}

/* Many columns: coordinate descent, and both ways to the Newton direction. */
static void test_descent(void)
{
	static const double c[] = { 0.1, 10, 1000 };
	static struct setting s;

	setting_init(&s, 2, 10);
	csr_free(&s.d.x);
	classes_free(&s.classes);
	random_rows(&s.d.x, 1000, 1500, 0.02);
	for (int64_t i = 0; i < 1000; i++)
		s.y[i] = csr_row_norm2(&s.d.x, i) + 2 * random_normal() > 30 ? 5 : 7;
	CHECK(classes_init(&s.classes, &s.d, &(struct error){ 0 }) == 0, "no classes");
	s.training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	for (int k = 0; k < 3; k++) {
		s.training.C = c[k];
		expect_no_difference(&s, "descent", 2);
	}
	setting_free(&s);
}

static void test_budget(void)
{
	static struct setting s;

	setting_init(&s, 2, 900);
	s.options.mode = WORKING_SET_BUDGET;
	s.options.budget = 60;
	s.options.n_models = 3;
	expect_no_difference(&s, "budget", 6);
	s.training.type = MACHINE_ONE_CLASS;
	s.training.nu = 0.2;
	expect_no_difference(&s, "budget, one-class", 3);
	setting_free(&s);
}

/* Several pairs at once: each copy has what each thread had come to. */
static void test_threads(void)
{
	static struct setting s;

	setting_init(&s, 4, 600);
	s.options.n_threads = s.solver.n_threads = 3;
	expect_no_difference(&s, "threads", 6);
	setting_free(&s);
}

int main(void)
{
	test_fields();
	test_cut_short();
	test_no_bool();
	test_no_settings();
	if (!UNIT_FINDS_RACES) {
		test_kernels();
		test_machines();
	}
	test_pairs();
	test_equal_rows();
	test_linear();
	if (!UNIT_FINDS_RACES) {
		test_descent();
		test_budget();
	}
	test_threads();
	return unit_report("checkpoint");
}
