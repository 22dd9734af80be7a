/*
 * test_api_caller.c - calls of the public library leave their caller's thread as it was
 *
 * Traps of arithmetic: a caller for whom 0/0, 1/0 and overflow end the program, as those of Fortran
 * do with -ffpe-trap, may call all that computes: training by all machines and kernels, certificates,
 * predictions, reductions, measures, cross validation, searches, maps, choices of features, files.
 * The traps, and the exceptions raised before, are there afterwards.
 *
 * Jumps: after a callback has left a call by longjmp() no later call asks that one's interrupted().
 *
 * Folds: within a callback of a call that draws folds, and after a jump out of one, another such call
 * draws the same; and the process's rand() is left alone.
 *
 * Each case runs in a process of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "random.h"
#include "randsvm.h"
#include "unit.h"

enum { N_COLS = 9, N_WANTED = 3, N_FOLDS = 3, MOST_ROWS = 120 };

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* What a case works with; all have a name for messages. */
struct work {
	char name[100];
	rsv_rows *rows;
	struct rsv_training training;
	struct rsv_selection selection;
	struct rsv_projection projection;
	struct rsv_run run;
};

/* Rows with columns of zeros, of one value and of small integers: their sums of squares can be 0. */
static rsv_rows *make_rows(int n, bool of_targets)
{
	double x[MOST_ROWS][N_COLS] = { { 0 } }, y[MOST_ROWS];

	for (int i = 0; i < n; i++) {
		y[i] = of_targets ? random_normal() : i % 3;
		for (int j = 1; j < N_COLS; j++)
			x[i][j] = j == 1 ? 1 :
				  j == 2 ? (double)random_below(2) :
					   random_normal() + (j == 3) * y[i];
	}
	return rsv_rows_dense(n, N_COLS, x[0], N_COLS, y, NULL);
}

static rsv_rows *make_kernel(int n, bool of_targets)
{
	double value[MOST_ROWS * MOST_ROWS], y[MOST_ROWS];

	for (int i = 0; i < n; i++) {
		y[i] = of_targets ? i : i % 3;
		for (int j = 0; j < n; j++)
			value[i * n + j] = exp(-0.1 * (i % 7 - j % 7) * (i % 7 - j % 7));
	}
	return rsv_rows_kernel(n, n, value, n, y, NULL);
}

/* ---- what is computed; all that a call refuses is fine here ---- */

static void use_model(rsv_model *model, const struct work *w)
{
	double predicted[MOST_ROWS], values[MOST_ROWS * 3], probability[MOST_ROWS * 3];
	int positive[MOST_ROWS];
	const int64_t n = rsv_rows_count(w->rows);
	struct rsv_predictions p;
	struct rsv_measures measures;

	rsv_predictions_init(&p);
	p.predicted = predicted;
	p.values = values;
	p.probability = w->training.probability ? probability : NULL;
	if (rsv_predict(model, w->rows, &p, &w->run, NULL) == 0) {
		rsv_measure(rsv_rows_labels(w->rows), predicted, n, &measures);
		rsv_measure(predicted, predicted, n, &measures);
		for (int64_t i = 0; i < n; i++)
			positive[i] = i % 2;
		rsv_auc(values, positive, n);
	}
	rsv_certify(model, w->rows, &w->training, &w->run, NULL);
	rsv_model_free(
		rsv_model_reduce(model, N_WANTED, NULL, w->rows, &w->training, &w->run, NULL));
	rsv_rows_free(rsv_model_support_vectors(model, NULL));
	rsv_model_weights(model, N_COLS, values, predicted, NULL);
	if (rsv_model_write(model, "model", NULL) == 0)
		rsv_model_free(rsv_model_read("model", NULL));
}

static void train(const struct work *w)
{
	rsv_model *model = rsv_train(w->rows, &w->training, &w->run, NULL);
	struct rsv_model_info info;

	rsv_doubts(w->rows, &w->training);
	rsv_model_info(model, &info);
	if (model)
		use_model(model, w);
	rsv_model_free(model);
}

static void train_folds(const struct work *w)
{
	static const double c[] = { 1e-3, 1e3 };
	double predicted[MOST_ROWS];
	struct rsv_grid grid;
	struct rsv_point point[2];

	rsv_cross_validate(w->rows, &w->training, N_FOLDS, &w->run, predicted, NULL);
	rsv_grid_init(&grid);
	grid.n_c = 2;
	grid.c = c;
	rsv_search(w->rows, &w->training, &grid, &w->run, point, NULL);
}

static void use_map(rsv_map *map, const struct work *w)
{
	if (map && rsv_map_write(map, "map", NULL) == 0)
		rsv_map_free(rsv_map_read("map", NULL));
	rsv_rows_free(rsv_map_apply(map, w->rows, &w->run, NULL));
	rsv_map_free(map);
}

static void choose(const struct work *w)
{
	use_map(rsv_select(w->rows, &w->selection, &w->run, NULL), w);
}

static void project(const struct work *w)
{
	use_map(rsv_project(&w->projection, NULL), w);
}

static void find_components(const struct work *w)
{
	use_map(rsv_components(w->rows, N_WANTED, &w->run, NULL), w);
}

static void scale(const struct work *w)
{
	use_map(rsv_scale(w->rows, -1, 1, NULL), w);
}

static void use_files(const struct work *w)
{
	if (rsv_rows_write(w->rows, "rows", NULL) == 0)
		rsv_rows_free(rsv_rows_read("rows", &w->run, NULL));
}

static void make_again(const struct work *w)
{
	(void)w;
	rsv_rows_free(make_rows(N_FOLDS, true));
}

/* ---- traps ---- */

enum { TRAPS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

static void compute_with_traps(void (*compute)(const struct work *w), const struct work *w)
{
	signal(SIGFPE, SIG_DFL);
	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(FE_INEXACT);
	if (feenableexcept(TRAPS) < 0)
		_exit(0); /* processors have none */
	compute(w);
	_exit(fegetexcept() == TRAPS && fetestexcept(FE_ALL_EXCEPT) == FE_INEXACT ? 0 : 1);
}

static void check_traps(void (*compute)(const struct work *w), const struct work *w)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0)
		compute_with_traps(compute, w);
	waitpid(child, &status, 0);
	CHECK(!WIFSIGNALED(status), "%s, %d rows: signal %d", w->name, (int)rsv_rows_count(w->rows),
	      WTERMSIG(status));
	CHECK(WEXITSTATUS(status) == 0, "%s: other traps or exceptions than before", w->name);
}

static void test_machines(struct work *w, int n, int machine, int kernel)
{
	const bool of_targets = machine >= RSV_EPSILON_SVR;

	w->rows = (kernel == RSV_PRECOMPUTED ? make_kernel : make_rows)(n, of_targets);
	for (int kind = 0; kind < 3; kind++) {
		rsv_training_init(&w->training);
		w->training.machine = machine;
		w->training.kernel = kernel;
		w->training.nu = 0.3;
		w->training.probability = kind == 1;
		if (kind == 2 && kernel == RSV_LINEAR)
			w->training.squared_loss = 1;
		else if (kind == 2)
			w->training.budget = 10;
		snprintf(w->name, sizeof(w->name), "machine %d, kernel %d, kind %d", machine,
			 kernel, kind);
		check_traps(train, w);
		if (kind == 0)
			check_traps(train_folds, w);
	}
	rsv_rows_free(w->rows);
}

static void test_choices(struct work *w, int n)
{
	static const char *const method[] = {
		"bss",	"approx-bss", "leverage", "approx-leverage", "top",
		"rrqr", "rfe",	      "rmb",	  "lpsvm",	     "l1",
		"t",	"f",	      "uniform",  "uniform-b",	     "leverage-b"
	};

	for (size_t m = 0; m < LENGTH(method) * 4; m++) {
		rsv_selection_init(&w->selection);
		w->selection.method = method[m / 4];
		w->selection.n_features = N_WANTED;
		w->selection.unsupervised = m % 2;
		w->selection.regression = m / 2 % 2;
		w->rows = make_rows(n, w->selection.regression);
		snprintf(w->name, sizeof(w->name), "choice by %s, %d%d", method[m / 4],
			 w->selection.unsupervised, w->selection.regression);
		check_traps(choose, w);
		rsv_rows_free(w->rows);
	}
}

static void test_maps(struct work *w, int n)
{
	static const char *const method[] = { "cw",	    "rs",	    "fht", "countsketch",
					      "gaussian",   "uniform",	    "li",  "osnap",
					      "achlioptas", "tensorsketch", "rff" };
	static const struct {
		const char *name;
		void (*compute)(const struct work *w);
	} other[] = { { "components", find_components },
		      { "ranges", scale },
		      { "files", use_files },
		      { "rows", make_again } };

	w->rows = make_rows(n, false);
	for (size_t m = 0; m < LENGTH(method); m++) {
		rsv_projection_init(&w->projection);
		w->projection.method = method[m];
		w->projection.n_columns = N_WANTED;
		snprintf(w->name, sizeof(w->name), "projection by %s", method[m]);
		check_traps(project, w);
	}
	for (size_t k = 0; k < LENGTH(other); k++) {
		snprintf(w->name, sizeof(w->name), "%s", other[k].name);
		check_traps(other[k].compute, w);
	}
	rsv_rows_free(w->rows);
}

/* ---- jumps ---- */

static jmp_buf out;
static bool has_left;

static int leave(void *arg)
{
	(void)arg;
	if (has_left)
		_exit(2);
	has_left = true;
	longjmp(out, 1);
}

/* By one thread, whose stack is the one jumped out of, and without what is locked in a callback. */
static void compute_after_jump(void (*compute)(const struct work *w), struct work *w)
{
	w->run.n_threads = 1;
	w->run.interrupted = leave;
	if (setjmp(out) == 0)
		compute(w);
	rsv_run_init(&w->run);
	compute(w);
	scale(w);
	use_files(w);
	_exit(has_left ? 0 : 1);
}

static void test_jump(void (*compute)(const struct work *w), struct work *w)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0)
		compute_after_jump(compute, w);
	waitpid(child, &status, 0);
	CHECK(status == 0, "%s: signal %d, status %d", w->name,
	      WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status));
}

/* ---- calls within calls, and the caller's random numbers ---- */

/* A callback's call, by any thread, and what it found. */
struct inner {
	const rsv_rows *rows;
	int n;
	bool jumps;
	int64_t fold[MOST_ROWS];
};

static int call_within(void *arg)
{
	struct inner *inner = arg;

	if (inner->n++ == 0) {
		rsv_folds(inner->rows, N_FOLDS, 0, NULL, inner->fold, NULL);
		if (inner->jumps)
			longjmp(out, 1);
	}
	return 0;
}

/* A callback draws folds: they are the same, and those of the call it is in, which goes on. */
static void test_calls_within(const struct work *w)
{
	static struct inner inner;
	double predicted[MOST_ROWS], alone[MOST_ROWS];
	int64_t fold[MOST_ROWS];
	struct rsv_run run = w->run;
	int status = -1, next;
	pid_t child;

	srand(3);
	rand();
	next = rand();
	srand(3);
	rand();
	CHECK(rsv_folds(w->rows, N_FOLDS, 0, NULL, fold, NULL) == 0 &&
		      rsv_cross_validate(w->rows, &w->training, N_FOLDS, NULL, alone, NULL) == 0,
	      "fails");
	CHECK(rand() == next, "the process's rand() is not where it was");
	inner.rows = w->rows;
	run.n_threads = 1;
	run.interrupted = call_within;
	run.arg = &inner;
	CHECK(rsv_cross_validate(w->rows, &w->training, N_FOLDS, &run, predicted, NULL) == 0 &&
		      inner.n > 0 && memcmp(inner.fold, fold, sizeof(fold)) == 0,
	      "%d calls: other folds within", inner.n);
	CHECK(memcmp(predicted, alone, sizeof(alone)) == 0, "a callback's call changes the folds");
	inner = (struct inner){ .rows = w->rows, .jumps = true };
	child = fork();
	if (child == 0) {
		if (setjmp(out) == 0)
			rsv_cross_validate(w->rows, &w->training, N_FOLDS, &run, predicted, NULL);
		_exit(rsv_folds(w->rows, N_FOLDS, 0, NULL, inner.fold, NULL) == 0 &&
				      memcmp(inner.fold, fold, sizeof(fold)) == 0 ?
			      0 :
			      1);
	}
	waitpid(child, &status, 0);
	CHECK(status == 0, "folds after a jump");
}

int main(void)
{
	struct work w;

	rsv_run_init(&w.run);
	w.run.n_threads = 2;
	for (int n = 8; n <= MOST_ROWS; n *= 5) {
		for (int machine = RSV_C_SVC; machine <= RSV_NU_SVR; machine++)
			for (int kernel = RSV_LINEAR; kernel <= RSV_PRECOMPUTED; kernel++)
				test_machines(&w, n, machine, kernel);
		test_choices(&w, n);
		test_maps(&w, n);
	}
	w.rows = make_rows(MOST_ROWS, false);
	rsv_training_init(&w.training);
	snprintf(w.name, sizeof(w.name), "a training that is left");
	test_jump(train, &w);
	snprintf(w.name, sizeof(w.name), "components that are left");
	test_jump(find_components, &w);
	test_calls_within(&w);
	rsv_rows_free(w.rows);
	return unit_report("api caller");
}
