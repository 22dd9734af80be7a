/*
 * test_api_interruption.c - every long call of the public library ends soon after
 * rsv_run.interrupted() says so
 *
 * No clock is read.  Each call first runs to its end, and is to ask at least once in each piece of
 * its work, of which the table below has the number: blocks of rows, steps of a choice.  Then it runs
 * again, and the answer is yes from the first, the middle or the last question on: the call fails
 * with RSV_ERR_INTERRUPTED, after a few questions more at most, and all it was given can be used
 * again.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "random.h"
#include "randsvm.h"
#include "unit.h"

/* of some blocks of 1024 rows at least two */
enum { N = UNIT_IS_SANITIZED ? 1100 : 2500, N_COLS = 24, N_WANTED = 6, N_SV = 20, N_FOLDS = 3 };

static rsv_rows *rows;
static rsv_model *model;
static rsv_map *map;
static struct rsv_training training;
static struct rsv_run run;

/* Questions so far, and the one from which on the answer is yes; 0: none. */
static atomic_long n_asked;
static long end_at;

static int is_end(void *arg)
{
	const long n = atomic_fetch_add(&n_asked, 1) + 1;

	(void)arg;
	return end_at > 0 && n >= end_at;
}

static rsv_rows *make_rows(void)
{
	static double x[N][N_COLS], y[N];

	for (int i = 0; i < N; i++) {
		y[i] = i % 2 ? 1 : -1;
		for (int j = 0; j < N_COLS; j++)
			x[i][j] = random_between(-1, 1) + (j < 3) * 0.3 * y[i];
	}
	return rsv_rows_dense(N, N_COLS, x[0], N_COLS, y, NULL);
}

/* ---- the calls; each returns whether it has succeeded ---- */

static bool read_rows(struct rsv_error *err)
{
	rsv_rows *read = rsv_rows_read("rows", &run, err);

	rsv_rows_free(read);
	return read;
}

static int take_batch(void *arg, const rsv_rows *batch)
{
	(void)arg;
	return rsv_rows_count(batch) == 0;
}

static bool scan_rows(struct rsv_error *err)
{
	return rsv_rows_scan("rows", &run, take_batch, NULL, err) == 0;
}

static bool predict(struct rsv_error *err)
{
	static double predicted[N];
	struct rsv_predictions to;

	rsv_predictions_init(&to);
	to.predicted = predicted;
	return rsv_predict(model, rows, &to, &run, err) == 0;
}

static bool certify(struct rsv_error *err)
{
	return rsv_certify(model, rows, &training, &run, err) == 0;
}

static bool reduce(struct rsv_error *err)
{
	rsv_model *reduced = rsv_model_reduce(model, N_SV, NULL, NULL, NULL, &run, err);

	rsv_model_free(reduced);
	return reduced;
}

static bool retrain(struct rsv_error *err)
{
	rsv_model *reduced = rsv_model_reduce(model, N_SV, NULL, rows, &training, &run, err);

	rsv_model_free(reduced);
	return reduced;
}

static bool cross_validate(struct rsv_error *err)
{
	static double predicted[N];

	return rsv_cross_validate(rows, &training, N_FOLDS, &run, predicted, err) == 0;
}

static bool search(struct rsv_error *err)
{
	static const double c[] = { 0.1, 1 };
	struct rsv_point point[2];
	struct rsv_grid grid;

	rsv_grid_init(&grid);
	grid.n_folds = N_FOLDS;
	grid.n_c = 2;
	grid.c = c;
	return rsv_search(rows, &training, &grid, &run, point, err) >= 0;
}

static bool find_components(struct rsv_error *err)
{
	rsv_map *found = rsv_components(rows, N_WANTED, &run, err);

	rsv_map_free(found);
	return found;
}

static bool apply(struct rsv_error *err)
{
	rsv_rows *mapped = rsv_map_apply(map, rows, &run, err);

	rsv_rows_free(mapped);
	return mapped;
}

static bool select_by(const char *method, int unsupervised, struct rsv_error *err)
{
	struct rsv_selection s;
	rsv_map *chosen;

	rsv_selection_init(&s);
	s.method = method;
	s.n_features = N_WANTED;
	s.unsupervised = unsupervised;
	s.fraction = 0;
	if (strcmp(method, "approx-bss") == 0)
		s.sketch_rows = 4;
	chosen = rsv_select(rows, &s, &run, err);
	rsv_map_free(chosen);
	return chosen;
}

#define SELECT(name, method)                                 \
	static bool name(struct rsv_error *err)              \
	{                                                    \
		return select_by(method, 1, err);            \
	}                                                    \
	static bool name##_of_vectors(struct rsv_error *err) \
	{                                                    \
		return select_by(method, 0, err);            \
	}

SELECT(bss, "bss")
SELECT(approx_bss, "approx-bss")
SELECT(leverage, "leverage")
SELECT(approx_leverage, "approx-leverage")
SELECT(top, "top")
SELECT(rrqr, "rrqr")
SELECT(rfe, "rfe")
SELECT(rmb, "rmb")
SELECT(lpsvm, "lpsvm")
SELECT(l1, "l1")
SELECT(t_test, "t")
SELECT(f_test, "f")
SELECT(uniform, "uniform")

/* Features that an elimination drops one by one. */
enum { N_DROPPED = N_COLS - N_WANTED };

static const struct {
	const char *name;
	bool (*call)(struct rsv_error *err);
	long n_pieces; /* pieces of the work, in each of which there is a question */
} calls[] = {
	{ "read", read_rows, N *N_COLS * 10 / (1 << 17) }, /* pieces of 128 kB */
	{ "scan", scan_rows, N *N_COLS * 10 / (1 << 17) },
	{ "predict", predict, N / 256 },
	{ "certify", certify, N / 1024 },
	{ "reduce", reduce, N_SV },
	{ "retrain", retrain, N_SV + N / 1024 },
	{ "cross_validate", cross_validate, N_FOLDS },
	{ "search", search, N_FOLDS },
	{ "components", find_components, N_COLS },
	{ "map_apply", apply, N / 1024 },
	{ "bss", bss, N_WANTED },
	{ "bss of vectors", bss_of_vectors, N_WANTED },
	{ "approx-bss", approx_bss, N_WANTED },
	{ "approx-bss of vectors", approx_bss_of_vectors, N_WANTED },
	{ "leverage", leverage, 3 },
	{ "leverage of vectors", leverage_of_vectors, 3 },
	{ "approx-leverage", approx_leverage, 3 },
	{ "approx-leverage of vectors", approx_leverage_of_vectors, 3 },
	{ "top", top, 3 },
	{ "top of vectors", top_of_vectors, 3 },
	{ "rrqr", rrqr, N_WANTED },
	{ "rrqr of vectors", rrqr_of_vectors, N_WANTED },
	{ "rfe", rfe, N_DROPPED },
	{ "rfe of vectors", rfe_of_vectors, N_DROPPED },
	{ "rmb", rmb, N_DROPPED },
	{ "rmb of vectors", rmb_of_vectors, N_DROPPED },
	{ "lpsvm", lpsvm, N_WANTED },
	{ "lpsvm of vectors", lpsvm_of_vectors, N_WANTED },
	{ "l1", l1, 2 },
	{ "l1 of vectors", l1_of_vectors, 2 },
	{ "t", t_test, 2 },
	{ "t of vectors", t_test_of_vectors, 2 },
	{ "f", f_test, 2 },
	{ "f of vectors", f_test_of_vectors, 2 },
	{ "uniform", uniform, 1 },
	{ "uniform of vectors", uniform_of_vectors, 1 },
};

/* Questions of a call that may end, by the answer at 'at'. */
static long ask(size_t k, long at, bool *done, struct rsv_error *err)
{
	end_at = at;
	n_asked = 0;
	*err = (struct rsv_error){ 0 };
	*done = calls[k].call(err);
	return n_asked;
}

static void test_call(size_t k, int n_threads)
{
	const char *name = calls[k].name;
	struct rsv_error err;
	bool done;
	long n;

	run.n_threads = n_threads;
	n = ask(k, 0, &done, &err);
	CHECK(done, "%s: %s", name, err.text);
	CHECK(n >= calls[k].n_pieces, "%s: %ld questions in %ld pieces of work", name, n,
	      calls[k].n_pieces);
	for (int part = 0; part < 3; part++) {
		const long at = part == 0 ? 1 : part == 1 ? (n + 1) / 2 : n;
		const long more = ask(k, at, &done, &err) - at;

		CHECK(!done && err.code == RSV_ERR_INTERRUPTED,
		      "%s, question %ld of %ld, %d threads: code %d, '%s'", name, at, n, n_threads,
		      err.code, err.text);
		CHECK(more <= 16L * n_threads, "%s: %ld questions after the end was wanted", name,
		      more);
	}
	end_at = 0;
	CHECK(calls[k].call(&(struct rsv_error){ 0 }), "%s fails afterwards", name);
}

int main(void)
{
	struct rsv_projection projection;

	rows = make_rows();
	rsv_training_init(&training);
	training.C = 0.1;
	rsv_run_init(&run);
	run.interrupted = is_end;
	model = rsv_train(rows, &training, NULL, NULL);
	rsv_projection_init(&projection);
	projection.method = "gaussian";
	projection.n_columns = N_WANTED;
	map = rsv_project(&projection, NULL);
	CHECK(model && map && rsv_rows_write(rows, "rows", NULL) == 0, "nothing to work with");
	/* each other one is for a single thread, which has no races; nor has lpsvm, of so few columns */
	for (size_t k = 0; k < sizeof(calls) / sizeof(*calls); k++)
		if (!UNIT_FINDS_RACES || (k % 2 == 0 && calls[k].call != lpsvm))
			test_call(k, k % 2 ? 1 : 3);
	rsv_map_free(map);
	rsv_model_free(model);
	rsv_rows_free(rows);
	return unit_report("api interruption");
}
