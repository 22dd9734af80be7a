/*
 * test_api_calls.c - the public library, called as it should not be: no pointers, no rows, numbers
 * out of range, models of other kinds
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/mem_bound.h"
#include "random.h"
#include "randsvm.h"
#include "unit.h"

enum { N = 60, N_COLS = 4 };

/* Rows of two classes that overlap, and a target. */
static double full[N][N_COLS], label[N], target[N];

static void make_data(void)
{
	for (int i = 0; i < N; i++) {
		label[i] = i % 2 ? 1 : -1;
		for (int j = 0; j < N_COLS; j++)
			full[i][j] = random_between(-1, 1) + (j == 0) * label[i];
		target[i] = full[i][1] + random_between(-0.3, 0.3);
	}
}

static rsv_rows *rows_with(const double *y)
{
	return rsv_rows_dense(N, N_COLS, full[0], N_COLS, y, NULL);
}

static struct rsv_training training_of(int machine, int kernel)
{
	struct rsv_training t;

	rsv_training_init(&t);
	t.machine = machine;
	t.kernel = kernel;
	return t;
}

/* Each must fail, and say why. */
#define REFUSED(call, expected, words)                                             \
	do {                                                                       \
		struct rsv_error err = { 0 };                                      \
		const bool refused = call;                                         \
		CHECK(refused &&err.code == (expected) && strstr(err.text, words), \
		      "code %d, '%s', not '%s'", err.code, err.text, words);       \
	} while (0)

/* ---- groups of rows ---- */

static void test_groups_of_rows(void)
{
	static const double y[] = { 1, 1, -1, -1 }, x[] = { 1, 2, 3, 4 };
	static const int64_t group[] = { 7, 7, 9, 9 };
	rsv_rows *rows = rsv_rows_dense(4, 1, x, 1, y, NULL);
	rsv_rows *grouped = rsv_rows_group(rows, group, NULL);
	int64_t fold[4];

	CHECK(rsv_folds(grouped, 2, 0, NULL, fold, NULL) == 0 && fold[0] == fold[1] &&
		      fold[2] == fold[3] && fold[0] != fold[2],
	      "a group in two folds");
	REFUSED(rsv_folds(grouped, 3, 0, NULL, fold, &err), RSV_ERR_ARGUMENT,
		"2 groups are not enough for 3 folds");
	REFUSED(!rsv_rows_group(NULL, group, &err), RSV_ERR_ARGUMENT, "no rows");
	REFUSED(!rsv_rows_group(rows, NULL, &err), RSV_ERR_ARGUMENT, "no groups");
	REFUSED(!rsv_rows_read_by_qid("nowhere", NULL, &err), RSV_ERR_IO, "nowhere");
	rsv_rows_free(grouped);
	rsv_rows_free(rows);
}

/* ---- weights of rows ---- */

static void test_weights_of_rows(void)
{
	static const double y[] = { 1, 1, -1, -1 }, x[] = { 1, 2, 3, 4 };
	static const double weight[] = { 1, 2, 1, 1 }, none[] = { 1, 0, 1, 1 },
			    nan[] = { NAN, 1, 1, 1 };
	struct rsv_training t = training_of(RSV_ONE_CLASS, RSV_RBF);
	struct rsv_selection s;
	rsv_rows *rows = rsv_rows_dense(4, 1, x, 1, y, NULL), *weighed;

	rsv_selection_init(&s);
	s.n_features = 1;
	weighed = rsv_rows_weigh(rows, weight, NULL);
	CHECK(weighed && rsv_rows_count(weighed) == 4, "no rows with weights");
	REFUSED(!rsv_rows_weigh(NULL, weight, &err), RSV_ERR_ARGUMENT, "no rows");
	REFUSED(!rsv_rows_weigh(rows, NULL, &err), RSV_ERR_ARGUMENT, "no weights");
	REFUSED(!rsv_rows_weigh(rows, none, &err), RSV_ERR_ARGUMENT, "row 2: weight 0");
	REFUSED(!rsv_rows_weigh(rows, nan, &err), RSV_ERR_ARGUMENT, "row 1: weight nan");
	t.probability = 1;
	REFUSED(!rsv_train(weighed, &t, NULL, &err), RSV_ERR_ARGUMENT, "without weights");
	t = training_of(RSV_C_SVC, RSV_RBF);
	REFUSED(!rsv_select(weighed, &s, NULL, &err), RSV_ERR_ARGUMENT,
		"bss takes no weights of rows: it chooses by the space");
	t = training_of(RSV_NU_SVC, RSV_RBF);
	t.budget = 2;
	REFUSED(!rsv_train(rows, &t, NULL, &err), RSV_ERR_ARGUMENT, "a budget is not for nu-SVC");
	t = training_of(RSV_C_SVC, RSV_RBF);
	t.max_rounds = -1;
	REFUSED(!rsv_train(rows, &t, NULL, &err), RSV_ERR_ARGUMENT, "a limit of rounds of -1");
	rsv_rows_free(rows);
	rsv_rows_free(weighed);
}

/* ---- files ---- */

static int refuse_batch(void *arg, const rsv_rows *rows)
{
	struct rsv_error *err = arg;

	if (err) {
		err->code = RSV_ERR_NUMERIC;
		strcpy(err->text, "by the batch");
	}
	return rsv_rows_count(rows) > 0;
}

static int take_batch(void *arg, const rsv_rows *rows)
{
	(void)arg;
	return rsv_rows_count(rows) == 0;
}

/* Whatever fails to be opened or written is named. */
static void test_files(void)
{
	struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	rsv_rows *rows = rows_with(label);
	rsv_model *model = rsv_train(rows, &t, NULL, NULL);
	rsv_map *map = rsv_scale(rows, 0, 1, NULL);

	REFUSED(!rsv_rows_read("no/rows", NULL, &err), RSV_ERR_IO, "no/rows: No such file");
	REFUSED(!rsv_model_read("no/model", &err), RSV_ERR_IO, "no/model: No such file");
	REFUSED(!rsv_map_read("no/map", &err), RSV_ERR_IO, "no/map: No such file");
	REFUSED(rsv_rows_write(rows, "no/rows", &err) < 0, RSV_ERR_IO, "no/rows: No such file");
	REFUSED(rsv_model_write(model, "no/model", &err) < 0, RSV_ERR_IO, "no/model: No such");
	REFUSED(rsv_map_write(map, "no/map", &err) < 0, RSV_ERR_IO, "no/map: No such file");
	REFUSED(rsv_model_write(model, "/dev/full", &err) < 0, RSV_ERR_IO, "/dev/full: No space");
	REFUSED(rsv_model_write_exact(model, "/dev/full", &err) < 0, RSV_ERR_IO, "/dev/full: No");
	REFUSED(rsv_model_export(model, "c", 0, "/dev/full", &err) < 0, RSV_ERR_IO,
		"/dev/full: No");
	REFUSED(rsv_model_export(model, "java", 0, "m", &err) < 0, RSV_ERR_ARGUMENT, "java");
	REFUSED(rsv_model_export(model, "onnx", 1, "m", &err) < 0, RSV_ERR_ARGUMENT,
		"the model has no probabilities");
	REFUSED(rsv_model_export(model, "c", 0, NULL, &err) < 0, RSV_ERR_ARGUMENT, "no file name");
	REFUSED(rsv_model_export(NULL, "c", 0, "m", &err) < 0, RSV_ERR_ARGUMENT, "no model");
	REFUSED(!rsv_map_read("-", &err), RSV_ERR_ARGUMENT, "standard input");
	REFUSED(rsv_rows_write(rows, NULL, &err) < 0, RSV_ERR_ARGUMENT, "no file name");
	rsv_model_free(model);
	rsv_map_free(map);
	rsv_rows_free(rows);
}

/* A failure that a scan finds in the caller's struct is neither the scan's own nor batch()'s. */
static void test_scan(void)
{
	rsv_rows *rows = rows_with(label);
	struct rsv_error err = { RSV_ERR_FORMAT, "an older failure" };

	CHECK(rsv_rows_write(rows, "rows", NULL) == 0, "not written");
	CHECK(rsv_rows_scan("rows", NULL, take_batch, NULL, &err) == 0, "not scanned");
	CHECK(err.code == RSV_ERR_FORMAT && strcmp(err.text, "an older failure") == 0,
	      "%d '%s' by a call that did not fail", err.code, err.text);
	CHECK(rsv_rows_scan("rows", NULL, refuse_batch, NULL, &err) == -1 &&
		      err.code == RSV_ERR_INTERRUPTED && strcmp(err.text, "an older failure") != 0,
	      "%d '%s'", err.code, err.text);
	CHECK(rsv_rows_scan("rows", NULL, refuse_batch, &err, &err) == -1 &&
		      err.code == RSV_ERR_NUMERIC && strcmp(err.text, "by the batch") == 0,
	      "%d '%s'", err.code, err.text);
	REFUSED(rsv_rows_scan("rows", NULL, NULL, NULL, &err) < 0, RSV_ERR_ARGUMENT, "no function");
	rsv_rows_free(rows);
}

static void test_copy(void)
{
	rsv_rows *rows = rows_with(label), *none = rsv_rows_dense(0, 0, NULL, 0, NULL, NULL);
	int64_t start[N + 1];
	int32_t column[N * N_COLS];

	REFUSED(rsv_rows_copy(rows, start, NULL, full[0], &err) < 0, RSV_ERR_ARGUMENT, "columns");
	REFUSED(rsv_rows_copy(rows, start, column, NULL, &err) < 0, RSV_ERR_ARGUMENT, "values");
	start[0] = -1;
	CHECK(rsv_rows_copy(none, start, NULL, NULL, NULL) == 0 && start[0] == 0, "no rows");
	REFUSED(!rsv_rows_part(rows, NULL, 2, &err), RSV_ERR_ARGUMENT, "no numbers of rows");
	REFUSED(!rsv_rows_part(rows, start, -1, &err), RSV_ERR_ARGUMENT, "no numbers of rows");
	rsv_rows_free(rows);
	rsv_rows_free(none);
}

/* ---- what a model does not have ---- */

static void test_no_model(void)
{
	double weight[N_COLS], constant;
	struct rsv_model_info info;

	rsv_model_info(NULL, &info);
	CHECK(info.size == sizeof(info) && info.n_classes == 0 && info.n_values == 0 &&
		      info.n_sv == 0,
	      "%d classes, %" PRId64 " values", info.n_classes, info.n_values);
	CHECK(!rsv_model_labels(NULL) && !rsv_model_rho(NULL) && !rsv_model_coefficients(NULL) &&
		      !rsv_model_prob_a(NULL) && !rsv_model_prob_b(NULL) &&
		      !rsv_model_n_sv_of_classes(NULL) && !rsv_model_sv_rows(NULL) &&
		      rsv_model_n_certificates(NULL) == 0,
	      "arrays of no model");
	CHECK(rsv_rows_count(NULL) == 0 && rsv_rows_n_entries(NULL) == 0 &&
		      rsv_rows_n_features(NULL) == 0 && !rsv_rows_labels(NULL) &&
		      rsv_doubts(NULL, NULL) == 0,
	      "numbers of no rows");
	CHECK(rsv_map_n_features(NULL) == 0 && rsv_map_n_selected(NULL) == 0, "numbers of no map");
	REFUSED(!rsv_model_support_vectors(NULL, &err), RSV_ERR_ARGUMENT, "no model");
	REFUSED(rsv_model_weights(NULL, N_COLS, weight, &constant, &err) < 0, RSV_ERR_ARGUMENT,
		"no model");
	REFUSED(rsv_certify(NULL, NULL, NULL, NULL, &err) < 0, RSV_ERR_ARGUMENT, "no model");
	REFUSED(rsv_model_write(NULL, "none", &err) < 0, RSV_ERR_ARGUMENT, "no model");
}

/* A model of weights has no support vectors, and one without features takes no number of them. */
static void test_weights(void)
{
	struct rsv_training t = training_of(RSV_C_SVC, RSV_LINEAR);
	rsv_rows *rows = rows_with(label), *empty = rsv_rows_dense(N, 0, full[0], 0, label, NULL);
	double weight[N_COLS], constant;
	rsv_model *model;
	rsv_rows *sv;

	model = rsv_train(empty, &t, NULL, NULL);
	CHECK(model && rsv_model_weights(model, 0, weight, &constant, NULL) == 0, "no weights");
	REFUSED(rsv_model_weights(model, -1, weight, &constant, &err) < 0, RSV_ERR_ARGUMENT,
		"-1 features");
	rsv_model_free(model);
	t.one_vs_rest = 1;
	model = rsv_train(rows, &t, NULL, NULL);
	sv = rsv_model_support_vectors(model, NULL);
	CHECK(sv && rsv_rows_count(sv) == 0, "vectors of a model of weights");
	CHECK(!rsv_model_rho(model) && !rsv_model_coefficients(model) &&
		      !rsv_model_sv_rows(model) && rsv_model_labels(model),
	      "arrays of a model of weights");
	rsv_rows_free(sv);
	rsv_model_free(model);
	rsv_rows_free(rows);
	rsv_rows_free(empty);
}

/* ---- probabilities ---- */

/* As many of each row as n_probabilities says, and no more. */
static void check_probabilities(int machine, const double *y, int n_expected)
{
	struct rsv_training t = training_of(machine, RSV_RBF);
	rsv_rows *rows = rows_with(y);
	double probability[N * 2 + 1];
	struct rsv_predictions to = { .size = sizeof(to), .probability = probability };
	struct rsv_model_info info;
	rsv_model *model;

	t.probability = 1;
	t.nu = 0.3;
	model = rsv_train(rows, &t, NULL, NULL);
	rsv_model_info(model, &info);
	CHECK(info.has_probabilities && info.n_probabilities == n_expected,
	      "machine %d: %d probabilities", machine, info.n_probabilities);
	CHECK((info.sigma > 0) == (n_expected == 0), "machine %d: sigma %g", machine, info.sigma);
	probability[N * 2] = -7;
	if (n_expected == 0)
		REFUSED(rsv_predict(model, rows, &to, NULL, &err) < 0, RSV_ERR_ARGUMENT,
			"no probabilities");
	else
		CHECK(rsv_predict(model, rows, &to, NULL, NULL) == 0, "machine %d", machine);
	for (int i = 0; n_expected && i < N; i++)
		CHECK(fabs(probability[2 * i] + probability[2 * i + 1] - 1) < 1e-12,
		      "row %d: %g and %g", i, probability[2 * i], probability[2 * i + 1]);
	CHECK(probability[N * 2] == -7, "machine %d writes past its end", machine);
	rsv_model_free(model);
	rsv_rows_free(rows);
}

static void test_probabilities(void)
{
	check_probabilities(RSV_C_SVC, label, 2);
	check_probabilities(RSV_NU_SVC, label, 2);
	check_probabilities(RSV_ONE_CLASS, label, 2);
	check_probabilities(RSV_EPSILON_SVR, target, 0);
	check_probabilities(RSV_NU_SVR, target, 0);
}

/* ---- numbers out of range ---- */

static void test_numbers(void)
{
	static const struct {
		size_t place;
		const char *name;
	} number[] = { { offsetof(struct rsv_training, gamma), "gamma" },
		       { offsetof(struct rsv_training, coef0), "coef0" },
		       { offsetof(struct rsv_training, C), "C" },
		       { offsetof(struct rsv_training, nu), "nu" },
		       { offsetof(struct rsv_training, p), "p" },
		       { offsetof(struct rsv_training, eps), "eps" },
		       { offsetof(struct rsv_training, gap), "gap" } };
	const double bad[] = { NAN, INFINITY };
	rsv_rows *rows = rows_with(label);
	struct rsv_training t;

	for (size_t k = 0; k < sizeof(number) / sizeof(*number); k++)
		for (int b = 0; b < 2; b++) {
			t = training_of(RSV_C_SVC, RSV_RBF);
			memcpy((char *)&t + number[k].place, &bad[b], sizeof(*bad));
			REFUSED(!rsv_train(rows, &t, NULL, &err), RSV_ERR_ARGUMENT, number[k].name);
		}
	t = training_of(RSV_C_SVC, RSV_RBF);
	t.gap = -0.1;
	REFUSED(!rsv_train(rows, &t, NULL, &err), RSV_ERR_ARGUMENT, "gap < 0");
	rsv_rows_free(rows);
}

static void test_selection(void)
{
	rsv_rows *rows = rows_with(label);
	struct rsv_selection s;

	rsv_selection_init(&s);
	REFUSED(!rsv_select(rows, &s, NULL, &err), RSV_ERR_ARGUMENT, "number of features");
	s.method = "lpsvm";
	REFUSED(!rsv_select(rows, &s, NULL, &err), RSV_ERR_ARGUMENT, "number of features");
	s.n_features = -1;
	s.nu = 1;
	REFUSED(!rsv_select(rows, &s, NULL, &err), RSV_ERR_ARGUMENT, "number of features");
	s.n_features = 2;
	s.nu = 0;
	s.method = "rfe";
	s.eps = INFINITY;
	REFUSED(!rsv_select(rows, &s, NULL, &err), RSV_ERR_ARGUMENT, "out of range");
	rsv_rows_free(rows);
}

/* ---- cross validation and search ---- */

static void test_folds(void)
{
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	rsv_rows *rows = rows_with(label),
		 *one = rsv_rows_dense(1, N_COLS, full[0], N_COLS, label, NULL);
	double predicted[N];

	REFUSED(rsv_cross_validate(rows, &t, 1, NULL, predicted, &err) < 0, RSV_ERR_ARGUMENT,
		"1 folds of 60 rows");
	REFUSED(rsv_cross_validate(one, &t, 5, NULL, predicted, &err) < 0, RSV_ERR_ARGUMENT,
		"5 folds of 1 rows");
	CHECK(rsv_cross_validate(rows, &t, 10 * N, NULL, predicted, NULL) == 0, "a fold a row");
	for (int i = 0; i < N; i++)
		CHECK(fabs(predicted[i]) == 1, "row %d: %g", i, predicted[i]);
	rsv_rows_free(rows);
	rsv_rows_free(one);
}

/* Is the end wanted?  After the first point. */
static int after_a_point(void *arg)
{
	return *(const int *)arg > 0;
}

static void count_point(void *arg, const struct rsv_point *point, const double *predicted)
{
	CHECK(point->rate > 0 && fabs(predicted[0]) == 1, "rate %g", point->rate);
	++*(int *)arg;
}

/* A search that was interrupted leaves what it has found, and no more. */
static void test_interrupted_search(void)
{
	static const double c[] = { 0.5, 1, 2, 4 }, gamma[] = { 0.1, 0.3, 1, 3 };
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	rsv_rows *rows = rows_with(label);
	struct rsv_point point[16];
	struct rsv_grid grid;
	struct rsv_run run;
	int n_told = 0, n_known = 0;

	rsv_grid_init(&grid);
	rsv_run_init(&run);
	grid.n_c = grid.n_gamma = 4;
	grid.c = c;
	grid.gamma = gamma;
	grid.found = count_point;
	run.interrupted = after_a_point;
	run.n_threads = 1;
	grid.arg = run.arg = &n_told;
	memset(point, -1, sizeof(point));
	REFUSED(rsv_search(rows, &t, &grid, &run, point, &err) < 0, RSV_ERR_INTERRUPTED,
		"interrupted");
	for (int k = 0; k < 16; k++) {
		CHECK(point[k].C == c[k % 4] && point[k].gamma == gamma[k / 4], "point %d", k);
		CHECK(isnan(point[k].rate) || point[k].rate > 0, "point %d: %g", k, point[k].rate);
		CHECK(point[k].n_unfinished == 0, "point %d", k);
		n_known += !isnan(point[k].rate);
	}
	CHECK(n_known == n_told && n_known > 0 && n_known < 16, "%d known, %d told", n_known,
	      n_told);
	grid.n_gamma = 1;
	grid.gamma = (const double[]){ 0 };
	REFUSED(rsv_search(rows, &t, &grid, NULL, point, &err) < 0, RSV_ERR_ARGUMENT,
		"a gamma of 0");
	rsv_rows_free(rows);
}

/* ---- models and rows that do not belong together ---- */

static void test_kernel_rows(void)
{
	static double gram[N][N];
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_with(label), *kernel_rows, *narrow, *none;
	double predicted[N];
	struct rsv_predictions to = { .size = sizeof(to), .predicted = predicted };
	rsv_model *model;

	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			for (int j = 0; j < N_COLS; j++)
				gram[a][b] += full[a][j] * full[b][j];
	kernel_rows = rsv_rows_kernel(N, N, gram[0], N, label, NULL);
	narrow = rsv_rows_kernel(3, 1, gram[0], N, NULL, NULL);
	none = rsv_rows_kernel(0, 0, NULL, 0, NULL, NULL);
	model = rsv_train(kernel_rows, &t, NULL, NULL);
	CHECK(rsv_predict(model, kernel_rows, &to, NULL, NULL) == 0, "not predicted");
	CHECK(rsv_predict(model, none, &to, NULL, NULL) == 0, "no rows");
	REFUSED(rsv_predict(model, narrow, &to, NULL, &err) < 0, RSV_ERR_ARGUMENT,
		"rows have 1 kernel values");
	REFUSED(rsv_predict(model, rows, &to, NULL, &err) < 0, RSV_ERR_ARGUMENT,
		"rows have 4 kernel values");
	REFUSED(!rsv_train(rows, &t, NULL, &err), RSV_ERR_ARGUMENT, "no row of a kernel matrix");
	rsv_model_free(model);
	rsv_rows_free(rows);
	rsv_rows_free(kernel_rows);
	rsv_rows_free(narrow);
	rsv_rows_free(none);
}

/* A certificate by rsv_certify() has the rows of its pair, as that of training. */
static void test_certify(void)
{
	struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	struct rsv_certificate trained, proved;
	double three[N];
	rsv_rows *rows;
	rsv_model *model;

	for (int i = 0; i < N; i++)
		three[i] = i < 10 ? 5 : label[i];
	rows = rows_with(three);
	model = rsv_train(rows, &t, NULL, NULL);
	for (int64_t k = 0; k < 3; k++) {
		rsv_model_certificate(model, k, &trained, NULL);
		if (k == 0)
			CHECK(rsv_certify(model, rows, &t, NULL, NULL) == 0, "not certified");
		rsv_model_certificate(model, k, &proved, NULL);
		CHECK(trained.n_rows < N && proved.n_rows == trained.n_rows,
		      "%" PRId64 " rows, %" PRId64, proved.n_rows, trained.n_rows);
	}
	REFUSED(rsv_model_certificate_sized(model, 0, NULL, sizeof(trained), &err) < 0,
		RSV_ERR_ARGUMENT, "no room for a certificate");
	for (size_t size = 0; size < sizeof(trained); size++) {
		char room[sizeof(trained) + 1];

		memset(room, 'x', sizeof(room));
		REFUSED(rsv_model_certificate_sized(model, 0, (void *)room, size, &err) < 0,
			RSV_ERR_ARGUMENT, "of no version");
		rsv_model_info_sized(model, (void *)room, size);
		rsv_training_init_sized((void *)room, size);
		CHECK(room[size] == 'x', "a struct of %zu bytes is written beyond its end", size);
	}
	t.kernel = RSV_LINEAR;
	REFUSED(rsv_certify(model, rows, &t, NULL, &err) < 0, RSV_ERR_ARGUMENT, "another machine");
	t = training_of(RSV_EPSILON_SVR, RSV_RBF);
	REFUSED(rsv_certify(model, rows, &t, NULL, &err) < 0, RSV_ERR_ARGUMENT, "another machine");
	rsv_model_free(model);
	rsv_rows_free(rows);
	/* a single class has no decision function to certify */
	rows = rows_with(NULL);
	t = training_of(RSV_C_SVC, RSV_RBF);
	model = rsv_train(rows, &t, NULL, NULL);
	CHECK(rsv_certify(model, rows, &t, NULL, NULL) == 0 && rsv_model_n_certificates(model) == 0,
	      "%" PRId64 " certificates of one class", rsv_model_n_certificates(model));
	rsv_model_free(model);
	rsv_rows_free(rows);
}

/* ---- memory ---- */

static struct rsv_run one_thread;
static rsv_rows *some_rows;
static rsv_model *some_model;

/* Calls that give true where they do not fail. */
static bool read_rows(struct rsv_error *err)
{
	rsv_rows *rows = rsv_rows_read("rows", &one_thread, err);

	rsv_rows_free(rows);
	return rows;
}

static bool copy_rows(struct rsv_error *err)
{
	static const int64_t start[] = { 0, 2, 3 }, row[] = { 1, 0, 1 };
	static const int32_t column[] = { 5, 2, 0 };
	rsv_rows *rows = rsv_rows_csr(2, start, column, full[0], label, err);
	rsv_rows *part = rows ? rsv_rows_part(rows, row, 3, err) : NULL;

	rsv_rows_free(rows);
	rsv_rows_free(part);
	return part;
}

static bool write_files(struct rsv_error *err)
{
	return rsv_rows_write(some_rows, "rows", err) == 0 &&
	       rsv_model_write(some_model, "model", err) == 0;
}

static bool read_model(struct rsv_error *err)
{
	rsv_model *model = rsv_model_read("model", err);

	rsv_model_free(model);
	return model;
}

static bool predict_rows(struct rsv_error *err)
{
	double predicted[N];
	struct rsv_predictions to = { .size = sizeof(to), .predicted = predicted };

	return rsv_predict(some_model, some_rows, &to, &one_thread, err) == 0;
}

static bool certify(struct rsv_error *err)
{
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_LINEAR);

	return rsv_certify(some_model, some_rows, &t, &one_thread, err) == 0;
}

static bool explain(struct rsv_error *err)
{
	const int64_t n = rsv_rows_count(some_rows), n_features = rsv_rows_n_features(some_rows);
	double *value = calloc((size_t)(n * n_features), sizeof(*value));
	const bool done = rsv_explain(some_model, some_rows, some_rows, n_features, value, NULL,
				      &one_thread, err) == 0;

	free(value);
	return done;
}

static bool reduce(struct rsv_error *err)
{
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	rsv_model *model = rsv_train(some_rows, &t, &one_thread, err), *reduced = NULL;

	if (model)
		reduced = rsv_model_reduce(model, 4, NULL, some_rows, &t, &one_thread, err);
	rsv_model_free(model);
	rsv_model_free(reduced);
	return reduced;
}

static bool cross_validate(struct rsv_error *err)
{
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	double predicted[N];

	return rsv_cross_validate(some_rows, &t, 2, &one_thread, predicted, err) == 0;
}

static bool search(struct rsv_error *err)
{
	static const double c[] = { 1, 2 };
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	struct rsv_point point[2];
	struct rsv_grid grid;

	rsv_grid_init(&grid);
	grid.n_folds = 2;
	grid.n_c = 2;
	grid.c = c;
	return rsv_search(some_rows, &t, &grid, &one_thread, point, err) >= 0;
}

static bool give_folds(struct rsv_error *err)
{
	int64_t fold[N];

	return rsv_folds(some_rows, 3, 1, &one_thread, fold, err) == 0;
}

/* Apply the map, fold the model by it, write and read it; and free it. */
static bool use_map(rsv_map *map, struct rsv_error *err)
{
	rsv_rows *mapped = map ? rsv_map_apply(map, some_rows, &one_thread, err) : NULL;
	rsv_model *folded = mapped ? rsv_map_fold(map, some_model, N_COLS, err) : NULL;
	rsv_map *read = NULL;

	if (folded && rsv_map_write(map, "map", err) == 0)
		read = rsv_map_read("map", err);
	rsv_map_free(map);
	rsv_map_free(read);
	rsv_rows_free(mapped);
	rsv_model_free(folded);
	return read;
}

static bool project(struct rsv_error *err)
{
	struct rsv_projection p;

	rsv_projection_init(&p);
	p.method = "rs";
	p.n_columns = N_COLS;
	return use_map(rsv_project(&p, err), err);
}

static bool map_kernels(struct rsv_error *err)
{
	rsv_map *nystrom, *drawn;
	rsv_rows *mapped = NULL;
	struct rsv_projection p;

	rsv_projection_init(&p);
	p.method = "rff";
	p.n_columns = N_COLS;
	p.n_features = N_COLS;
	drawn = rsv_project(&p, err);
	p.by_leverage = 1;
	nystrom = drawn ? rsv_nystrom(some_rows, &p, &one_thread, err) : NULL;
	if (nystrom)
		mapped = rsv_map_apply(nystrom, some_rows, &one_thread, err);
	rsv_map_free(drawn);
	rsv_map_free(nystrom);
	rsv_rows_free(mapped);
	return mapped;
}

static bool find_components(struct rsv_error *err)
{
	return use_map(rsv_components(some_rows, N_COLS, &one_thread, err), err);
}

static bool select_features(struct rsv_error *err)
{
	struct rsv_selection s;

	rsv_selection_init(&s);
	s.method = "f";
	s.n_features = N_COLS;
	return use_map(rsv_select(some_rows, &s, &one_thread, err), err);
}

static bool scale(struct rsv_error *err)
{
	rsv_map *map = rsv_scale(some_rows, 0, 1, err);

	rsv_map_free(map);
	return map;
}

/* An allocation that fails ends every call with RSV_ERR_MEMORY, whichever it is. */
static void test_memory(void)
{
	static const struct {
		const char *name;
		bool (*call)(struct rsv_error *err);
	} all[] = { { "write", write_files },
		    { "read", read_rows },
		    { "copy", copy_rows },
		    { "model", read_model },
		    { "predict", predict_rows },
		    { "certify", certify },
		    { "explain", explain },
		    { "reduce", reduce },
		    { "validate", cross_validate },
		    { "search", search },
		    { "folds", give_folds },
		    { "project", project },
		    { "components", find_components },
		    { "select", select_features },
		    { "scale", scale },
		    { "kernels", map_kernels } };
	const struct rsv_training t = training_of(RSV_C_SVC, RSV_LINEAR);

	rsv_run_init(&one_thread);
	one_thread.n_threads = 1;
	some_rows = rows_with(label);
	some_model = rsv_train(some_rows, &t, &one_thread, NULL);
	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
		int64_t n = 0;

		for (bool done = false; !done && n < 5000; n += UNIT_IS_SANITIZED ? 3 : 1) {
			struct rsv_error err = { 0 };

			mem_fail_after(n);
			done = all[k].call(&err);
			mem_fail_after(-1);
			CHECK(done || err.code == RSV_ERR_MEMORY,
			      "%s, allocation %" PRId64 ": %d %s", all[k].name, n, err.code,
			      err.text);
			CHECK(!done || err.code == RSV_OK, "%s: %s", all[k].name, err.text);
		}
		CHECK(n > 1 && n < 5000, "%s: %" PRId64 " allocations", all[k].name, n);
	}
	rsv_model_free(some_model);
	rsv_rows_free(some_rows);
}

int main(void)
{
	test_groups_of_rows();
	test_weights_of_rows();
	make_data();
	test_files();
	test_scan();
	test_copy();
	test_no_model();
	test_weights();
	test_probabilities();
	test_numbers();
	test_selection();
	test_folds();
	test_interrupted_search();
	test_kernel_rows();
	test_certify();
	test_memory();
	return unit_report("api calls");
}
