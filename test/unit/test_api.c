/*
 * test_api.c - the public library: the same rows by any way, what comes of them, and bad calls
 *
 * That it computes what the programs compute is in test/library.sh.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/mem_bound.h"
#include "chain/chain.h"
#include "matrix/svm_header.h"
#include "random.h"
#include "randsvm.h"
#include "unit.h"

/* Structs grow at their ends only: these places are those of programs that are compiled already. */
#define AT(type, field, place) _Static_assert(offsetof(struct type, field) == (place), #field)
#if defined(__x86_64__) || defined(__aarch64__)
AT(rsv_error, text, 4);
AT(rsv_round, dual, 48);
AT(rsv_run, seed, 24);
AT(rsv_run, arg, 56);
AT(rsv_training, C, 40);
AT(rsv_training, squared_loss, 72);
AT(rsv_training, weight, 96);
AT(rsv_training, gap, 112);
AT(rsv_certificate, primal, 24);
AT(rsv_certificate, rounds, 88);
AT(rsv_certificate, excess, 96);
AT(rsv_certificate, gap, 104);
AT(rsv_model_info, n_values, 56);
AT(rsv_model_info, was_interrupted, 72);
AT(rsv_model_info, sigma, 80);
AT(rsv_model_info, n_reversed, 88);
AT(rsv_model_info, far_error, 96);
AT(rsv_predictions, probability, 24);
AT(rsv_measures, determination, 48);
AT(rsv_point, n_unfinished, 24);
AT(rsv_grid, arg, 48);
AT(rsv_grid, found_values, 64);
AT(rsv_projection, seed, 32);
AT(rsv_projection, by_leverage, 68);
AT(rsv_selection, renumber, 84);
#endif

enum { N = 120, N_COLS = 6, N_CLASS = 3 };

/* Rows of classes that overlap, as a full matrix. */
static double full[N][N_COLS], label[N];

static void make_data(void)
{
	for (int i = 0; i < N; i++) {
		label[i] = i % N_CLASS - 1;
		for (int j = 0; j < N_COLS; j++)
			full[i][j] = random_unit() < 0.3 ?
					     0 :
					     random_between(-1, 1) + (j == i % N_CLASS);
	}
}

static rsv_rows *dense_rows(void)
{
	return rsv_rows_dense(N, N_COLS, full[0], N_COLS, label, NULL);
}

static struct rsv_training rbf(void)
{
	struct rsv_training t;

	rsv_training_init(&t);
	t.C = 3;
	t.gamma = 0.4;
	return t;
}

/* Are the bytes of two files the same, and not none? */
static bool same_files(const char *a, const char *b)
{
	FILE *f = fopen(a, "r"), *g = fopen(b, "r");
	int64_t n = 0;
	int x = 0, y = 0;

	while (f && g && x == y && x != EOF) {
		x = fgetc(f);
		y = fgetc(g);
		n++;
	}
	if (f)
		fclose(f);
	if (g)
		fclose(g);
	return x == y && n > 1;
}

/* ---- rows ---- */

static rsv_rows *sparse_rows(bool backwards)
{
	static int64_t start[N + 1];
	static int32_t column[N * N_COLS];
	static double value[N * N_COLS];
	int64_t n = 0;

	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N_COLS; k++) {
			int j = backwards ? N_COLS - 1 - k : k;

			if (full[i][j] == 0)
				continue;
			column[n] = j;
			value[n++] = full[i][j];
		}
		start[i + 1] = n;
	}
	return rsv_rows_csr(N, start, column, value, label, NULL);
}

static rsv_rows *node_rows(void)
{
	static struct svm_node node[N][N_COLS + 1];
	static const struct svm_node *x[N];

	for (int i = 0; i < N; i++) {
		int n = 0;

		for (int j = 0; j < N_COLS; j++)
			if (full[i][j] != 0)
				node[i][n++] = (struct svm_node){ j + 1, full[i][j] };
		node[i][n].index = -1;
		x[i] = node[i];
	}
	return rsv_rows_nodes(N, x, label, NULL);
}

/* Rows are those of the matrix, to the last bit. */
static void check_rows(rsv_rows *rows, const char *what)
{
	static int64_t start[N + 1];
	static int32_t column[N * N_COLS];
	static double value[N * N_COLS];
	static double seen[N][N_COLS];

	if (!CHECK(rows && rsv_rows_count(rows) == N, "%s: no rows", what))
		return;
	CHECK(rsv_rows_n_features(rows) == N_COLS, "%s: %" PRId64 " features", what,
	      rsv_rows_n_features(rows));
	CHECK(!memcmp(rsv_rows_labels(rows), label, sizeof(label)), "%s: labels", what);
	CHECK(rsv_rows_copy(rows, start, column, value, NULL) == 0, "%s: no copy", what);
	CHECK(start[N] == rsv_rows_n_entries(rows), "%s: entries", what);
	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < N; i++)
		for (int64_t k = start[i]; k < start[i + 1]; k++)
			seen[i][column[k]] = value[k];
	CHECK(!memcmp(seen, full, sizeof(full)), "%s: values", what);
	rsv_rows_free(rows);
}

static int count_rows(void *arg, const rsv_rows *rows)
{
	*(int64_t *)arg += rsv_rows_count(rows);
	return 0;
}

static int end_scan(void *arg, const rsv_rows *rows)
{
	(void)arg;
	return rsv_rows_count(rows) > 0;
}

static void test_rows(void)
{
	rsv_rows *rows = dense_rows(), *part;
	const int64_t some[] = { 5, 0, 5 };
	struct rsv_error err = { 0 };
	int64_t n = 0;

	CHECK(rsv_rows_write(rows, "rows.gz", NULL) == 0, "not written");
	check_rows(dense_rows(), "dense");
	check_rows(sparse_rows(false), "sparse");
	check_rows(sparse_rows(true), "sparse, backwards");
	check_rows(node_rows(), "nodes");
	check_rows(rsv_rows_read("rows.gz", NULL, NULL), "file");
	part = rsv_rows_part(rows, some, 3, NULL);
	CHECK(rsv_rows_count(part) == 3 && rsv_rows_labels(part)[0] == label[5] &&
		      rsv_rows_labels(part)[1] == label[0],
	      "part");
	rsv_rows_free(part);
	rsv_rows_free(rows);
	CHECK(rsv_rows_scan("rows.gz", NULL, count_rows, &n, &err) == 0 && n == N,
	      "%" PRId64 " rows: %s", n, err.text);
	CHECK(rsv_rows_scan("rows.gz", NULL, end_scan, NULL, &err) == -1 &&
		      err.code == RSV_ERR_INTERRUPTED,
	      "%d", err.code);
}

/* ---- training ---- */

static void test_training(void)
{
	const struct rsv_training t = rbf();
	rsv_rows *rows = dense_rows();
	rsv_model *model = rsv_train(rows, &t, NULL, NULL), *again;
	struct rsv_model_info info;
	struct rsv_certificate c, proved;
	static double predicted[N], read_back[N], values[N][N_CLASS], same[N][N_CLASS];
	struct rsv_predictions to = { .size = sizeof(to),
				      .predicted = predicted,
				      .values = values[0] };
	struct rsv_measures m;

	rsv_model_info(model, &info);
	CHECK(info.n_classes == N_CLASS && info.n_values == 3 && info.n_features == N_COLS &&
		      !info.has_probabilities && !info.was_interrupted,
	      "info");
	CHECK(rsv_model_n_certificates(model) == 3, "certificates");
	for (int64_t j = 0; j < info.n_sv; j++)
		CHECK(rsv_model_sv_rows(model)[j] >= 0 && rsv_model_sv_rows(model)[j] < N,
		      "vector %" PRId64, j);
	CHECK(rsv_predict(model, rows, &to, NULL, NULL) == 0, "no predictions");
	rsv_measure(label, predicted, N, &m);
	CHECK(m.n == N && m.accuracy > 70 && m.accuracy <= 100, "accuracy %g", m.accuracy);
	CHECK(rsv_model_write(model, "model", NULL) == 0, "not written");
	again = rsv_model_read("model", NULL);
	to = (struct rsv_predictions){ .size = sizeof(to), .predicted = read_back };
	CHECK(again && rsv_predict(again, rows, &to, NULL, NULL) == 0 &&
		      !memcmp(predicted, read_back, sizeof(predicted)),
	      "other predictions by the file");
	rsv_model_free(again);
	CHECK(rsv_model_write_exact(model, "exact", NULL) == 0, "not written");
	again = rsv_model_read("exact", NULL);
	to = (struct rsv_predictions){ .size = sizeof(to), .values = same[0] };
	CHECK(again && rsv_predict(again, rows, &to, NULL, NULL) == 0 &&
		      !memcmp(values, same, sizeof(values)),
	      "other values by the exact file");
	CHECK(rsv_model_n_certificates(again) == 0, "certificates out of nothing");
	CHECK(rsv_certify(again, rows, &t, NULL, NULL) == 0 && rsv_model_n_certificates(again) == 3,
	      "not certified");
	for (int64_t k = 0; k < 3; k++) {
		rsv_model_certificate(model, k, &c, NULL);
		rsv_model_certificate(again, k, &proved, NULL);
		CHECK(c.relative_gap >= 0 && c.relative_gap < 1e-3, "gap %g", c.relative_gap);
		/* the other one's dual bounds the optimum, too */
		CHECK(c.gap >= c.primal - c.rounding - (proved.primal + proved.rounding) &&
			      c.gap >= 0 && c.gap <= c.primal - c.dual + 2 * c.rounding &&
			      fabs(c.gap - c.relative_gap * c.primal) <= 1e-12 * c.primal,
		      "gap %g of %g .. %g", c.gap, c.dual, c.primal);
		/* two intervals that hold the same optimum overlap */
		CHECK(c.dual - c.rounding <= proved.primal + proved.rounding &&
			      proved.dual - proved.rounding <= c.primal + c.rounding,
		      "%.17g .. %.17g, and %.17g .. %.17g", c.dual, c.primal, proved.dual,
		      proved.primal);
		CHECK(c.label_a == proved.label_a && c.label_b == proved.label_b, "labels");
	}
	CHECK(rsv_model_certificate(model, 3, &c, NULL) == -1, "a fourth certificate");
	rsv_model_free(model);
	rsv_model_free(again);
	rsv_rows_free(rows);
}

/* By any number of threads, and any way the rows came, a training gives the same bytes. */
static void test_same_model(void)
{
	rsv_rows *rows[] = { dense_rows(), sparse_rows(true), node_rows() };
	struct rsv_training t = rbf();
	struct rsv_run run;

	rsv_run_init(&run);
	t.probability = 1;
	for (int k = 0; k < 3; k++) {
		rsv_model *model;

		run.n_threads = k + 1;
		model = rsv_train(rows[k], &t, &run, NULL);
		CHECK(model && rsv_model_write(model, k ? "other" : "first", NULL) == 0,
		      "no model");
		CHECK(k == 0 || same_files("first", "other"), "another model by way %d", k);
		rsv_model_free(model);
		rsv_rows_free(rows[k]);
	}
}

/* Linear machines: weights and constants give the decision values. */
static void test_weights(void)
{
	rsv_rows *rows = dense_rows();
	struct rsv_training t = rbf();
	static double weight[3][N_COLS], constant[3], values[N][3];
	const struct rsv_predictions to = { .size = sizeof(to), .values = values[0] };
	struct rsv_model_info info;

	t.kernel = RSV_LINEAR;
	for (t.one_vs_rest = 0; t.one_vs_rest < 2; t.one_vs_rest++) {
		rsv_model *model = rsv_train(rows, &t, NULL, NULL);

		CHECK(model && rsv_model_weights(model, N_COLS, weight[0], constant, NULL) == 0 &&
			      rsv_predict(model, rows, &to, NULL, NULL) == 0,
		      "no weights");
		rsv_model_info(model, &info);
		CHECK(info.is_linear_model == t.one_vs_rest && info.n_classes == 3 &&
			      info.n_values == 3 && info.n_features == N_COLS,
		      "%d classes, %" PRId64 " values", info.n_classes, info.n_values);
		for (int i = 0; i < N; i++)
			for (int v = 0; v < 3; v++) {
				double sum = constant[v];

				for (int j = 0; j < N_COLS; j++)
					sum += weight[v][j] * full[i][j];
				CHECK(fabs(sum - values[i][v]) < 1e-9, "%g, not %g", sum,
				      values[i][v]);
			}
		CHECK(rsv_model_weights(model, N_COLS - 1, weight[0], constant, NULL) == -1,
		      "a feature without a place");
		rsv_model_free(model);
	}
	rsv_rows_free(rows);
}

/* Rows in threes: folds, also of parts, weighed and mapped rows, keep them together. */
static void test_groups_of_rows(void)
{
	static int64_t group[N], fold[N], row[N];
	static double weight[N], predicted[N];
	rsv_rows *rows = dense_rows(), *of[4];
	struct rsv_training t = rbf();
	struct rsv_error err = { 0 };
	rsv_map *map;

	for (int i = 0; i < N; i++) {
		group[i] = -i / 3;
		row[i] = i;
		weight[i] = 2;
	}
	of[0] = rsv_rows_group(rows, group, NULL);
	of[1] = rsv_rows_part(of[0], row, N, NULL);
	of[2] = rsv_rows_weigh(of[1], weight, NULL);
	map = rsv_scale(rows, 0, 1, NULL);
	of[3] = rsv_map_apply(map, of[2], NULL, NULL);
	for (int k = 0; k < 4; k++) {
		int n_fold[4] = { 0 };

		CHECK(rsv_folds(of[k], 4, 1, NULL, fold, &err) == 0, "%s", err.text);
		for (int i = 0; i < N; i++) {
			n_fold[fold[i]]++;
			CHECK(fold[i] == fold[i / 3 * 3], "row %d is in another fold", i);
		}
		CHECK(n_fold[0] && n_fold[1] && n_fold[2] && n_fold[3], "an empty fold");
		rsv_rows_free(k > 0 ? of[k] : NULL);
	}
	CHECK(rsv_cross_validate(of[0], &t, (N + 2) / 3 + 1, NULL, predicted, &err) == -1 &&
		      err.code == RSV_ERR_ARGUMENT && strstr(err.text, "are not enough for"),
	      "'%s'", err.text);
	CHECK(rsv_cross_validate(of[0], &t, 4, NULL, predicted, &err) == 0, "%s", err.text);
	rsv_rows_free(of[0]);
	rsv_rows_free(rows);
	rsv_map_free(map);
}

/* A row of weight 2 or 3 is two or three rows: the same optimum, and the same values. */
static void test_weights_of_rows(void)
{
	static double weight[N], by_weights[N][3], by_copies[N][3];
	static int64_t row[3 * N];
	rsv_rows *rows = dense_rows(), *weighed, *copies;
	struct rsv_predictions to = { .size = sizeof(to), .values = by_weights[0] };
	struct rsv_training t = rbf();
	struct rsv_certificate c, d;
	rsv_model *model, *other;
	int64_t n = 0;

	for (int i = 0; i < N; i++) {
		weight[i] = 1 + i % 3;
		for (int k = 0; k < 1 + i % 3; k++)
			row[n++] = i;
	}
	t.eps = 1e-9;
	weighed = rsv_rows_weigh(rows, weight, NULL);
	copies = rsv_rows_part(rows, row, n, NULL);
	for (t.balanced = 0; t.balanced < 2; t.balanced++) {
		model = rsv_train(weighed, &t, NULL, NULL);
		other = rsv_train(copies, &t, NULL, NULL);
		to.values = by_weights[0];
		CHECK(model && rsv_predict(model, rows, &to, NULL, NULL) == 0, "no model");
		to.values = by_copies[0];
		CHECK(other && rsv_predict(other, rows, &to, NULL, NULL) == 0, "no model");
		for (int i = 0; i < N; i++)
			for (int v = 0; v < 3; v++)
				CHECK(fabs(by_weights[i][v] - by_copies[i][v]) < 1e-5, "%g, not %g",
				      by_weights[i][v], by_copies[i][v]);
		for (int64_t k = 0; k < 3; k++) {
			rsv_model_certificate(model, k, &c, NULL);
			rsv_model_certificate(other, k, &d, NULL);
			CHECK(fabs(c.primal - d.primal) <= 1e-8 * fabs(d.primal),
			      "%.12g, not %.12g", c.primal, d.primal);
		}
		rsv_model_free(model);
		rsv_model_free(other);
	}
	rsv_rows_free(rows);
	rsv_rows_free(weighed);
	rsv_rows_free(copies);
}

static void test_precomputed(void)
{
	static double k[N][N], by_rbf[N], by_kernel[N];
	rsv_rows *rows = dense_rows(), *kernel_rows;
	struct rsv_training t = rbf();
	rsv_model *model = rsv_train(rows, &t, NULL, NULL), *other;
	struct rsv_predictions to = { .size = sizeof(to), .predicted = by_rbf };

	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++) {
			double sum = 0;

			for (int j = 0; j < N_COLS; j++)
				sum += (full[a][j] - full[b][j]) * (full[a][j] - full[b][j]);
			k[a][b] = exp(-t.gamma * sum);
		}
	kernel_rows = rsv_rows_kernel(N, N, k[0], N, label, NULL);
	rsv_predict(model, rows, &to, NULL, NULL);
	t.kernel = RSV_PRECOMPUTED;
	other = rsv_train(kernel_rows, &t, NULL, NULL);
	to.predicted = by_kernel;
	CHECK(other && rsv_predict(other, kernel_rows, &to, NULL, NULL) == 0 &&
		      !memcmp(by_rbf, by_kernel, sizeof(by_rbf)),
	      "other predictions");
	CHECK(!rsv_train(rows, &t, NULL, NULL), "rows that are none of a kernel");
	rsv_model_free(model);
	rsv_model_free(other);
	rsv_rows_free(rows);
	rsv_rows_free(kernel_rows);
}

/* ---- callbacks ---- */

static int at_once(void *arg)
{
	(void)arg;
	return 1;
}

static void note_round(void *arg, const struct rsv_round *round)
{
	int64_t *told = arg;

	*told += round->number > 0 && round->size == sizeof(*round);
}

static void test_callbacks(void)
{
	rsv_rows *rows = dense_rows();
	const struct rsv_training t = rbf();
	struct rsv_model_info info;
	struct rsv_error err = { 0 };
	struct rsv_run run;
	int64_t told = 0;
	double predicted[N];
	rsv_model *model;

	rsv_run_init(&run);
	run.round = note_round;
	run.arg = &told;
	model = rsv_train(rows, &t, &run, NULL);
	CHECK(model && told >= 3, "%" PRId64 " rounds", told);
	rsv_model_free(model);
	run.interrupted = at_once;
	model = rsv_train(rows, &t, &run, NULL);
	if (CHECK(model, "no model so far")) {
		rsv_model_info(model, &info);
		CHECK(info.was_interrupted, "an end that nobody asked for");
	}
	rsv_model_free(model);
	CHECK(rsv_cross_validate(rows, &t, 5, &run, predicted, &err) == -1 &&
		      err.code == RSV_ERR_INTERRUPTED,
	      "%d", err.code);
	rsv_rows_free(rows);
}

/* ---- folds, cross validation, search ---- */

static void note_point(void *arg, const struct rsv_point *point, const double *predicted)
{
	struct rsv_measures m;

	rsv_measure(label, predicted, N, &m);
	CHECK(m.accuracy == point->rate, "%g, not %g", m.accuracy, point->rate);
	++*(int *)arg;
}

/* Weights of the rows that are 1, 2 or 3. */
static rsv_rows *weighed_rows(const rsv_rows *rows, double *weight)
{
	for (int i = 0; i < N; i++)
		weight[i] = 1 + (i / 3) % 3;
	return rsv_rows_weigh(rows, weight, NULL);
}

/* The share of the weight that cross validation predicts right, and not that of the rows, is the rate. */
static void test_weighed_search(void)
{
	static const double c[] = { 0.02, 1 };
	double weight[N], predicted[N];
	rsv_rows *rows = dense_rows(), *weighed = weighed_rows(rows, weight);
	struct rsv_training t = rbf();
	struct rsv_point point[2];
	struct rsv_grid grid;
	int n_other = 0;

	rsv_grid_init(&grid);
	grid.n_c = 2;
	grid.c = c;
	t.eps = 1e-6;
	CHECK(rsv_search(weighed, &t, &grid, NULL, point, NULL) >= 0, "no search");
	for (int k = 0; k < 2; k++) {
		double right = 0, all = 0;
		struct rsv_measures m;

		t.C = c[k];
		CHECK(rsv_cross_validate(weighed, &t, 5, NULL, predicted, NULL) == 0, "point %d",
		      k);
		for (int i = 0; i < N; i++) {
			right += predicted[i] == label[i] ? weight[i] : 0;
			all += weight[i];
		}
		rsv_measure(label, predicted, N, &m);
		n_other += fabs(m.accuracy - point[k].rate) > 1e-9;
		CHECK(fabs(100 * right / all - point[k].rate) < 1e-9, "%g, not %g", point[k].rate,
		      100 * right / all);
	}
	CHECK(n_other > 0, "weights change no rate");
	rsv_rows_free(rows);
	rsv_rows_free(weighed);
}

/* A weight of k chooses as k copies of the row do. */
static void test_weighed_selection(void)
{
	static const char *const method[] = { "f", "rfe", "rmb" };
	static int64_t row[3 * N];
	double weight[N];
	rsv_rows *rows = dense_rows(), *weighed = weighed_rows(rows, weight), *copies;
	struct rsv_selection s;
	rsv_map *map, *other;
	int64_t n = 0;

	for (int i = 0; i < N; i++)
		for (int k = 0; k < weight[i]; k++)
			row[n++] = i;
	copies = rsv_rows_part(rows, row, n, NULL);
	rsv_selection_init(&s);
	s.n_features = 3;
	s.eps = 1e-9;
	/* which of equal rows are support vectors is not unique */
	s.unsupervised = 1;
	for (int k = 0; k < 3; k++) {
		s.method = method[k];
		map = rsv_select(weighed, &s, NULL, NULL);
		other = rsv_select(copies, &s, NULL, NULL);
		if (!CHECK(map && other && rsv_map_n_selected(map) == 3, "no choice"))
			return;
		for (int j = 0; j < 3; j++)
			CHECK(rsv_map_selected(map)[j] == rsv_map_selected(other)[j] &&
				      fabs(rsv_map_selected_scores(map)[j] -
					   rsv_map_selected_scores(other)[j]) <=
					      1e-5 * rsv_map_selected_scores(other)[j],
			      "%s: feature %d with %.17g, not %d with %.17g", s.method,
			      rsv_map_selected(map)[j], rsv_map_selected_scores(map)[j],
			      rsv_map_selected(other)[j], rsv_map_selected_scores(other)[j]);
		rsv_map_free(map);
		rsv_map_free(other);
	}
	rsv_rows_free(rows);
	rsv_rows_free(weighed);
	rsv_rows_free(copies);
}

static void test_search(void)
{
	static const double c[] = { 0.25, 1, 8 }, gamma[] = { 0.1, 0.4 };
	rsv_rows *rows = dense_rows();
	struct rsv_training t = rbf();
	struct rsv_point point[6];
	struct rsv_grid grid;
	struct rsv_measures m;
	double predicted[N];
	int64_t best;
	int n_told = 0;

	rsv_grid_init(&grid);
	grid.n_c = 3;
	grid.c = c;
	grid.n_gamma = 2;
	grid.gamma = gamma;
	grid.found = note_point;
	grid.arg = &n_told;
	best = rsv_search(rows, &t, &grid, NULL, point, NULL);
	CHECK(best >= 0 && best < 6 && n_told == 6, "best %" PRId64 ", %d told", best, n_told);
	for (int k = 0; k < 6; k++) {
		CHECK(point[k].C == c[k % 3] && point[k].gamma == gamma[k / 3], "point %d", k);
		CHECK(point[k].rate <= point[best].rate, "point %d is better", k);
		t.C = point[k].C;
		t.gamma = point[k].gamma;
		CHECK(rsv_cross_validate(rows, &t, 5, NULL, predicted, NULL) == 0, "point %d", k);
		rsv_measure(label, predicted, N, &m);
		/* a row whose values are within the tolerance may go either way */
		CHECK(fabs(m.accuracy - point[k].rate) < 100.5 / N, "%g, not %g", point[k].rate,
		      m.accuracy);
	}
	rsv_rows_free(rows);
}

/* ---- folds that are given ---- */

enum { GIVEN_FOLDS = 3, MOST_PAIRS = N_CLASS * (N_CLASS - 1) / 2 };

/* What a search with given folds has found at its point. */
struct given_search {
	double predicted[N], value[N][MOST_PAIRS];
	int64_t n_values;
};

static void keep_values(void *arg, const struct rsv_point *point, const double *predicted,
			const double *values, int64_t n_values)
{
	struct given_search *g = arg;

	(void)point;
	g->n_values = n_values;
	memcpy(g->predicted, predicted, sizeof(g->predicted));
	for (int i = 0; i < N; i++)
		memcpy(g->value[i], values + i * n_values, (size_t)n_values * sizeof(*values));
}

/* The value for pair (a, b) of labels among those of a model's pairs, positive for a. */
static double value_of_pair(const double *values, const int *labels, int a, int b)
{
	for (int i = 0, q = 0; i < N_CLASS; i++)
		for (int j = i + 1; j < N_CLASS; j++, q++)
			if ((labels[i] == a && labels[j] == b) ||
			    (labels[i] == b && labels[j] == a))
				return labels[i] == a ? values[q] : -values[q];
	return NAN;
}

/* Compare a fold with a model trained on the rows outside, in their order. */
static void compare_fold(const rsv_rows *rows, const struct rsv_training *t, const int64_t *fold,
			 int64_t k, const struct given_search *g)
{
	int64_t outside[N], n = 0, n_values = g->n_values;
	struct rsv_predictions p;
	double predicted[N], value[N * MOST_PAIRS];
	rsv_rows *part;
	rsv_model *model;

	for (int i = 0; i < N; i++)
		if (fold[i] != k)
			outside[n++] = i;
	part = rsv_rows_part(rows, outside, n, NULL);
	model = rsv_train(part, t, NULL, NULL);
	rsv_predictions_init(&p);
	p.predicted = predicted;
	p.values = value;
	CHECK(rsv_predict(model, rows, &p, NULL, NULL) == 0, "no predictions");
	for (int i = 0; i < N; i++) {
		const double *own = g->value[i], *other = value + i * n_values;
		const int *labels = rsv_model_labels(model);
		int q = 0;

		if (fold[i] != k)
			continue;
		CHECK(t->machine == RSV_EPSILON_SVR ? fabs(predicted[i] - g->predicted[i]) < 1e-4 :
						      predicted[i] == g->predicted[i],
		      "row %d: %g, not %g", i, g->predicted[i], predicted[i]);
		if (!labels)
			CHECK(fabs(own[0] - other[0]) < 1e-4, "row %d: %g", i, own[0]);
		/* classes are -1, 0, 1 in the order of the rows */
		for (int a = -1; labels && a < 2; a++)
			for (int b = a + 1; b < 2; b++, q++)
				CHECK(fabs(own[q] - value_of_pair(other, labels, a, b)) < 1e-4,
				      "row %d, pair %d", i, q);
	}
	rsv_model_free(model);
	rsv_rows_free(part);
}

/* Folds of any sizes, and rows that are in none. */
static void test_given_folds(void)
{
	static const int machine[] = { RSV_C_SVC, RSV_NU_SVC, RSV_EPSILON_SVR, RSV_C_SVC };
	static const int kernel[] = { RSV_RBF, RSV_RBF, RSV_RBF, RSV_LINEAR };
	rsv_rows *rows = dense_rows();
	struct rsv_training t = rbf();
	struct rsv_error err = { 0 };
	struct given_search g;
	struct rsv_point point;
	struct rsv_grid grid;
	int64_t fold[N];

	rsv_grid_init(&grid);
	grid.fold = fold;
	grid.found_values = keep_values;
	grid.arg = &g;
	for (int k = 0; k < 4; k++) {
		int64_t n_right = 0, n_in = 0;

		t.machine = machine[k];
		t.kernel = kernel[k];
		t.nu = 0.3;
		t.eps = 1e-7;
		grid.n_folds = 1 + k % GIVEN_FOLDS;
		for (int i = 0; i < N; i++)
			fold[i] = (int64_t)(random_unit() * (double)(grid.n_folds + 1)) - 1;
		CHECK(rsv_search(rows, &t, &grid, NULL, &point, NULL) == 0, "machine %d", k);
		for (int64_t f = 0; f < grid.n_folds; f++)
			compare_fold(rows, &t, fold, f, &g);
		for (int i = 0; i < N; i++) {
			CHECK(isnan(g.predicted[i]) == (fold[i] < 0), "row %d of no fold", i);
			n_in += fold[i] >= 0;
			n_right += g.predicted[i] == label[i];
		}
		if (t.machine != RSV_EPSILON_SVR)
			CHECK(fabs(point.rate - 100.0 * (double)n_right / (double)n_in) < 1e-9,
			      "a rate of %g", point.rate);
	}
	fold[7] = grid.n_folds;
	CHECK(rsv_search(rows, &t, &grid, NULL, &point, &err) < 0 && err.code == RSV_ERR_ARGUMENT &&
		      strstr(err.text, "row 7 is in fold"),
	      "a fold too many: %s", err.text);
	fold[7] = 0;
	grid.n_folds = INT32_MAX;
	err.code = 0;
	CHECK(rsv_search(rows, &t, &grid, NULL, &point, &err) < 0 && err.code == RSV_ERR_ARGUMENT,
	      "more folds than rows");
	rsv_rows_free(rows);
}

static void test_folds(void)
{
	rsv_rows *rows = dense_rows();
	int64_t fold[N], other[N], count[4] = { 0 };
	struct rsv_run run;

	rsv_run_init(&run);
	CHECK(rsv_folds(rows, 4, 1, &run, fold, NULL) == 0, "no folds");
	for (int i = 0; i < N; i++)
		if (CHECK(fold[i] >= 0 && fold[i] < 4, "fold %" PRId64, fold[i]))
			count[fold[i]]++;
	for (int k = 0; k < 4; k++)
		CHECK(count[k] == N / 4, "%" PRId64 " rows in fold %d", count[k], k);
	CHECK(rsv_folds(rows, 4, 1, &run, other, NULL) == 0 && !memcmp(fold, other, sizeof(fold)),
	      "other folds by the same seed");
	run.seed = 2;
	CHECK(rsv_folds(rows, 4, 1, &run, other, NULL) == 0 && memcmp(fold, other, sizeof(fold)),
	      "the same folds by another seed");
	CHECK(rsv_folds(rows, N + 1, 1, &run, other, NULL) == -1, "more folds than rows");
	rsv_rows_free(rows);
}

/* ---- models of fewer support vectors ---- */

static double objective(rsv_model *model, const rsv_rows *rows, const struct rsv_training *t)
{
	double sum = 0;

	CHECK(rsv_certify(model, rows, t, NULL, NULL) == 0, "no certificates");
	for (int64_t k = 0; k < rsv_model_n_certificates(model); k++) {
		struct rsv_certificate c;

		rsv_model_certificate(model, k, &c, NULL);
		sum += c.primal;
	}
	return sum;
}

/* The largest difference of values on the vectors of 'reduced', of the pairs that their classes are in. */
static double difference(const rsv_model *model, const rsv_model *reduced, int64_t n)
{
	static const int pair[N_CLASS][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	static double before[N][N_CLASS], after[N][N_CLASS];
	rsv_rows *vectors = rsv_model_support_vectors(reduced, NULL);
	struct rsv_predictions to = { .size = sizeof(to), .values = before[0] };
	double largest = 0;
	int64_t i = 0;

	CHECK(rsv_predict(model, vectors, &to, NULL, NULL) == 0, "no values");
	to.values = after[0];
	CHECK(rsv_predict(reduced, vectors, &to, NULL, NULL) == 0, "no values");
	for (int c = 0; c < N_CLASS; c++)
		for (int64_t end = i + rsv_model_n_sv_of_classes(reduced)[c]; i < end; i++)
			for (int k = 0; k < 2; k++)
				largest = fmax(largest,
					       fabs(before[i][pair[c][k]] - after[i][pair[c][k]]));
	CHECK(i == n, "%" PRId64 " vectors", i);
	rsv_rows_free(vectors);
	return largest;
}

/* Fewer vectors: on them the values are the model's; trained, the objective is nearer to the optimum. */
static void check_reduced(const rsv_model *model, const rsv_rows *rows, int64_t n, double *change)
{
	const struct rsv_training t = rbf();
	rsv_model *reduced = rsv_model_reduce(model, n, change, NULL, NULL, NULL, NULL);
	rsv_model *trained = rsv_model_reduce(model, n, NULL, rows, &t, NULL, NULL);
	struct rsv_model_info info;

	rsv_model_info(trained, &info);
	CHECK(info.n_sv == n, "%" PRId64 " support vectors", info.n_sv);
	CHECK(difference(model, reduced, n) < 1e-9, "%g", difference(model, reduced, n));
	CHECK(objective(trained, rows, &t) < objective(reduced, rows, &t),
	      "%g after training, %g before", objective(trained, rows, &t),
	      objective(reduced, rows, &t));
	rsv_model_free(reduced);
	rsv_model_free(trained);
}

/* Base and values make the decision value; threads change nothing; a background of zeros is the default. */
static void test_explain(void)
{
	struct rsv_training t = rbf(), sigmoid = rbf();
	rsv_rows *rows = dense_rows(), *some = rsv_rows_part(rows, (int64_t[]){ 0, 5, 9 }, 3, NULL);
	rsv_model *model = rsv_train(rows, &t, NULL, NULL), *of_sigmoid;
	const int64_t n = rsv_rows_count(rows);
	double *value = calloc((size_t)(2 * n * N_COLS), sizeof(*value)),
	       *again = value + n * N_COLS;
	double(*sums)[RSV_EXPLAINED] = calloc((size_t)n, sizeof(*sums));
	struct rsv_run one = { 0 };
	struct rsv_error err = { 0 };

	rsv_run_init(&one);
	one.n_threads = 1;
	CHECK(rsv_explain(model, rows, some, N_COLS, value, sums, NULL, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < n; i++) {
		double sum = sums[i][1];

		for (int j = 0; j < N_COLS; j++)
			sum += value[i * N_COLS + j];
		CHECK(fabs(sum - sums[i][0]) <= N_COLS * sums[i][2] && sums[i][2] < 1e-8,
		      "%g, not %g; bound %g", sum, sums[i][0], sums[i][2]);
	}
	CHECK(rsv_explain(model, rows, some, N_COLS, again, NULL, &one, NULL) == 0 &&
		      memcmp(value, again, (size_t)(n * N_COLS) * sizeof(*value)) == 0,
	      "other bytes by one thread");
	CHECK(rsv_explain(model, rows, some, 1, again, NULL, NULL, NULL) == 0 &&
		      again[1] == value[N_COLS],
	      "%g, not %g", again[1], value[N_COLS]);
	CHECK(rsv_explain(model, rows, NULL, N_COLS, value, NULL, NULL, &err) == 0, "%s", err.text);
	sigmoid.kernel = RSV_SIGMOID;
	of_sigmoid = rsv_train(rows, &sigmoid, NULL, NULL);
	CHECK(rsv_explain(of_sigmoid, rows, NULL, N_COLS, value, NULL, NULL, &err) < 0 &&
		      err.code == RSV_ERR_ARGUMENT && strstr(err.text, "exact Shapley values"),
	      "%s", err.text);
	rsv_model_free(of_sigmoid);
	rsv_model_free(model);
	rsv_rows_free(some);
	rsv_rows_free(rows);
	free(value);
	free(sums);
}

static void refuse_reduction(const rsv_model *model, int64_t n, const rsv_rows *rows,
			     const struct rsv_training *t, const char *text)
{
	struct rsv_error err = { 0 };
	rsv_model *reduced = rsv_model_reduce(model, n, NULL, rows, t, NULL, &err);

	CHECK(!reduced && err.code == RSV_ERR_ARGUMENT && strstr(err.text, text), "%s: %d %s", text,
	      err.code, err.text);
	rsv_model_free(reduced);
}

static void test_reduce(void)
{
	struct rsv_training t = rbf(), linear = rbf();
	rsv_rows *rows = dense_rows(), *two = rsv_rows_part(rows, (int64_t[]){ 0, 1 }, 2, NULL);
	rsv_model *model = rsv_train(rows, &t, NULL, NULL), *of_linear;
	struct rsv_model_info info;
	double few[N_CLASS], more[N_CLASS], all[N_CLASS];

	rsv_model_info(model, &info);
	check_reduced(model, rows, 6, few);
	check_reduced(model, rows, 20, more);
	rsv_model_free(rsv_model_reduce(model, info.n_sv, all, NULL, NULL, NULL, NULL));
	for (int v = 0; v < N_CLASS; v++)
		CHECK(few[v] < 1 && more[v] < few[v] && all[v] < 1e-6 && all[v] >= 0,
		      "changes of %g, %g and %g", few[v], more[v], all[v]);
	linear.kernel = RSV_LINEAR;
	of_linear = rsv_train(rows, &linear, NULL, NULL);
	refuse_reduction(NULL, 5, NULL, NULL, "model");
	refuse_reduction(model, 0, NULL, NULL, "0 support vectors");
	refuse_reduction(of_linear, 5, NULL, NULL, "kernel");
	refuse_reduction(model, 5, rows, &linear, "another machine or kernel");
	refuse_reduction(model, 5, two, &t, "no row has the label 1");
	refuse_reduction(model, 5, rows, NULL, "parameters");
	refuse_reduction(model, 5, NULL, &t, "rows");
	rsv_model_free(of_linear);
	rsv_model_free(model);
	rsv_rows_free(two);
	rsv_rows_free(rows);
}

/* ---- maps ---- */

static void check_map(rsv_map *map, const rsv_rows *rows, int64_t n_features, const char *what)
{
	rsv_rows *mapped = rsv_map_apply(map, rows, NULL, NULL), *again;
	rsv_map *read;

	if (!CHECK(map && mapped && rsv_rows_count(mapped) == N, "%s: no map", what))
		return;
	CHECK(!memcmp(rsv_rows_labels(mapped), label, sizeof(label)), "%s: labels", what);
	CHECK(rsv_map_n_features(map) == n_features, "%s: %" PRId64 " features", what,
	      rsv_map_n_features(map));
	rsv_map_write(map, "map", NULL);
	read = rsv_map_read("map", NULL);
	again = rsv_map_apply(read, rows, NULL, NULL);
	rsv_rows_write(mapped, "mapped", NULL);
	rsv_rows_write(again, "mapped again", NULL);
	CHECK(same_files("mapped", "mapped again"), "%s: other rows by the file", what);
	rsv_map_free(read);
	rsv_rows_free(mapped);
	rsv_rows_free(again);
}

/* A model of mapped rows, folded, decides on the rows themselves as it does on mapped ones. */
static void check_fold(const rsv_map *map, const rsv_rows *rows)
{
	static double on_mapped[N][3], on_rows[N][3], weight[3][N_COLS], constant[3];
	rsv_rows *mapped = rsv_map_apply(map, rows, NULL, NULL);
	struct rsv_predictions to = { .size = sizeof(to), .values = on_mapped[0] };
	struct rsv_training t = rbf();
	rsv_model *model, *folded;

	t.kernel = RSV_LINEAR;
	model = rsv_train(mapped, &t, NULL, NULL);
	folded = rsv_map_fold(map, model, N_COLS, NULL);
	CHECK(rsv_predict(model, mapped, &to, NULL, NULL) == 0, "no values");
	to.values = on_rows[0];
	CHECK(folded && rsv_predict(folded, rows, &to, NULL, NULL) == 0 &&
		      rsv_model_weights(folded, N_COLS, weight[0], constant, NULL) == 0,
	      "no values");
	for (int i = 0; i < N; i++)
		for (int v = 0; v < 3; v++) {
			double sum = constant[v];

			CHECK(fabs(on_mapped[i][v] - on_rows[i][v]) < 1e-9, "%g, not %g",
			      on_rows[i][v], on_mapped[i][v]);
			for (int j = 0; j < N_COLS; j++)
				sum += weight[v][j] * full[i][j];
			CHECK(fabs(sum - on_rows[i][v]) < 1e-9, "%g, not %g", sum, on_rows[i][v]);
		}
	rsv_model_free(model);
	rsv_model_free(folded);
	rsv_rows_free(mapped);
}

/* The largest error of kernel values as products of mapped rows, relative to the largest value. */
static double kernel_error(const rsv_map *map, const rsv_rows *rows,
			   double (*kernel)(const double *x, const double *y))
{
	enum { MOST_ENTRIES = N * 600 };
	static double value[MOST_ENTRIES], z[N][600];
	static int column[MOST_ENTRIES];
	rsv_rows *mapped = rsv_map_apply(map, rows, NULL, NULL);
	int64_t start[N + 1];
	double error = 0, largest = 0;

	memset(z, 0, sizeof(z));
	if (!CHECK(mapped && rsv_rows_n_entries(mapped) <= MOST_ENTRIES, "no rows") ||
	    !CHECK(rsv_rows_copy(mapped, start, column, value, NULL) == 0, "no copy"))
		return INFINITY;
	for (int i = 0; i < N; i++)
		for (int64_t k = start[i]; k < start[i + 1]; k++)
			z[i][column[k]] = value[k];
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0, exact = kernel(full[i], full[j]);

			for (int k = 0; k < 600; k++)
				sum += z[i][k] * z[j][k];
			error = fmax(error, fabs(sum - exact));
			largest = fmax(largest, fabs(exact));
		}
	rsv_rows_free(mapped);
	return error / largest;
}

static double rbf_of(const double *x, const double *y)
{
	double sum = 0;

	for (int j = 0; j < N_COLS; j++)
		sum += (x[j] - y[j]) * (x[j] - y[j]);
	return exp(-0.4 * sum);
}

static double polynomial_of(const double *x, const double *y)
{
	double sum = 0;

	for (int j = 0; j < N_COLS; j++)
		sum += x[j] * y[j];
	return (0.3 * sum + 1) * (0.3 * sum + 1);
}

/* Maps of kernels: products are kernel values, those of Nystrom's with all rows exactly. */
static void test_kernel_maps(void)
{
	rsv_rows *rows = dense_rows();
	struct rsv_projection p;
	struct rsv_error err = { 0 };
	rsv_map *map;

	rsv_projection_init(&p);
	CHECK(p.degree == 3, "degree %d", p.degree);
	p.method = "rff";
	p.n_columns = 600;
	CHECK(!rsv_project(&p, &err) && strstr(err.text, "neither gamma nor"), "%s", err.text);
	p.gamma = 0.4;
	map = rsv_project(&p, NULL);
	/* (1) of fourier.h: one of 10^9 pairs of rows is off by 0.38 */
	CHECK(kernel_error(map, rows, rbf_of) < 0.38, "rff");
	CHECK(!rsv_map_fold(map, NULL, N_COLS, NULL), "a map of a kernel was folded");
	rsv_map_free(map);
	p.n_columns = N;
	for (p.by_leverage = 0; p.by_leverage < 2; p.by_leverage++) {
		p.kernel = "rbf";
		p.gamma = 0.4;
		map = rsv_nystrom(rows, &p, NULL, NULL);
		CHECK(kernel_error(map, rows, rbf_of) < 1e-6, "nystrom, rbf");
		rsv_map_free(map);
		p.kernel = "polynomial";
		p.gamma = 0.3;
		p.coef0 = 1;
		p.degree = 2;
		map = rsv_nystrom(rows, &p, NULL, NULL);
		CHECK(kernel_error(map, rows, polynomial_of) < 1e-6, "nystrom, polynomial");
		CHECK(rsv_map_n_features(map) == (N_COLS + 1) * (N_COLS + 2) / 2,
		      "a rank of %" PRId64, rsv_map_n_features(map));
		rsv_map_free(map);
	}
	p.method = "tensorsketch";
	p.n_columns = 512;
	map = rsv_project(&p, NULL);
	/* (2) of tensor_sketch.h: the standard deviation is below 0.125 */
	CHECK(kernel_error(map, rows, polynomial_of) < 0.75, "tensorsketch");
	rsv_map_free(map);
	p.kernel = "rbf";
	CHECK(!rsv_project(&p, &err) && strstr(err.text, "tensorsketch has no map of kernel rbf"),
	      "%s", err.text);
	p.kernel = "cubic";
	CHECK(!rsv_nystrom(rows, &p, NULL, &err) && strstr(err.text, "cubic"), "%s", err.text);
	p.kernel = NULL;
	p.gamma = -1;
	CHECK(!rsv_nystrom(rows, &p, NULL, &err) && strstr(err.text, "gamma -1"), "%s", err.text);
	p.gamma = NAN;
	CHECK(!rsv_nystrom(rows, &p, NULL, NULL), "a gamma of NAN");
	p.gamma = 1;
	p.degree = 0;
	CHECK(!rsv_nystrom(rows, &p, NULL, &err) && strstr(err.text, "degree 0"), "%s", err.text);
	p.degree = 1;
	p.n_columns = 0;
	CHECK(!rsv_nystrom(rows, &p, NULL, &err) && strstr(err.text, "0 landmarks"), "%s",
	      err.text);
	p.method = "nystrom";
	CHECK(!rsv_project(&p, &err) && strstr(err.text, "rsv_nystrom()"), "%s", err.text);
	CHECK(!rsv_nystrom(NULL, &p, NULL, NULL) && !rsv_nystrom(rows, NULL, NULL, NULL),
	      "no rows");
	rsv_rows_free(rows);
}

static void test_maps(void)
{
	rsv_rows *rows = dense_rows();
	struct rsv_projection projection;
	struct rsv_selection selection;
	rsv_map *map;

	rsv_projection_init(&projection);
	projection.method = "rs";
	projection.n_columns = 5;
	map = rsv_project(&projection, NULL);
	check_map(map, rows, 5, "rs");
	check_fold(map, rows);
	rsv_map_free(map);
	map = rsv_components(rows, 3, NULL, NULL);
	check_map(map, rows, 3, "components");
	check_fold(map, rows);
	rsv_map_free(map);
	map = rsv_scale(rows, -1, 1, NULL);
	check_map(map, rows, 0, "scaling");
	CHECK(!rsv_map_fold(map, NULL, N_COLS, NULL), "a scaling was folded");
	rsv_map_free(map);
	rsv_selection_init(&selection);
	selection.method = "f";
	selection.n_features = 4;
	map = rsv_select(rows, &selection, NULL, NULL);
	check_map(map, rows, 0, "selection");
	check_fold(map, rows);
	CHECK(rsv_map_n_selected(map) == 4, "%" PRId64 " features", rsv_map_n_selected(map));
	for (int k = 1; k < 4; k++)
		CHECK(rsv_map_selected_scores(map)[k] <= rsv_map_selected_scores(map)[k - 1],
		      "scores");
	rsv_map_free(map);
	selection.renumber = 1;
	map = rsv_select(rows, &selection, NULL, NULL);
	check_map(map, rows, 4, "selection, renumbered");
	rsv_map_free(map);
	rsv_rows_free(rows);
}

/* ---- chains ---- */

/* Each must fail, and say why. */
#define REFUSED(call, words)                                                   \
	do {                                                                   \
		struct rsv_error err = { 0 };                                  \
		const bool refused = call;                                     \
		CHECK(refused &&err.code != RSV_OK && strstr(err.text, words), \
		      "code %d, '%s', not '%s'", err.code, err.text, words);   \
	} while (0)

static void refuse_chain(rsv_model *chain, const rsv_rows *rows, const struct rsv_training *t)
{
	static const char why[] = "a chain is for predictions";
	double weight[N_COLS * N_CLASS], constant[N_CLASS];
	rsv_map *map = rsv_components(rows, 3, NULL, NULL);

	REFUSED(rsv_model_write(chain, "chain", &err) < 0, why);
	REFUSED(!rsv_model_support_vectors(chain, &err), why);
	REFUSED(rsv_model_weights(chain, N_COLS, weight, constant, &err) < 0, why);
	REFUSED(rsv_certify(chain, rows, t, NULL, &err) < 0, why);
	REFUSED(!rsv_model_reduce(chain, 2, NULL, NULL, NULL, NULL, &err), why);
	REFUSED(!rsv_map_fold(map, chain, N_COLS, &err), why);
	REFUSED(rsv_explain(chain, rows, NULL, N_COLS, weight, NULL, NULL, &err) < 0, why);
	REFUSED(rsv_model_export(chain, "c", 0, "chain.c", &err) < 0, "are exported, not pca");
	REFUSED(rsv_predict(chain, NULL, NULL, NULL, &err) < 0, "no rows");
	rsv_map_free(map);
}

/* A chain decides on rows as its model does on what its maps make of them, one after the other. */
static void test_chain(void)
{
	static const char *const files[] = { "ranges", "components", "model" };
	static double by_parts[N][3], by_chain[N][3], predicted[N];
	rsv_rows *rows = dense_rows(), *scaled, *mapped,
		 *narrow = rsv_rows_dense(1, 1, full[0], 1, label, NULL);
	rsv_map *ranges = rsv_scale(rows, -1, 1, NULL), *components;
	struct rsv_predictions to = { .size = sizeof(to), .values = by_parts[0] };
	struct rsv_training t = rbf();
	struct output *output;
	struct error err = { 0 };
	rsv_model *model, *chain;

	scaled = rsv_map_apply(ranges, rows, NULL, NULL);
	components = rsv_components(scaled, 3, NULL, NULL);
	mapped = rsv_map_apply(components, scaled, NULL, NULL);
	model = rsv_train(mapped, &t, NULL, NULL);
	rsv_map_write(ranges, files[0], NULL);
	rsv_map_write(components, files[1], NULL);
	rsv_model_write(model, files[2], NULL);
	CHECK(output_open(&output, "chain", false, &err) == 0 &&
		      chain_make(files, 3, output, &err) == 0 && output_commit(output, &err) == 0,
	      "%s", err.text);
	chain = rsv_model_read("chain", NULL);
	rsv_predict(model, mapped, &to, NULL, NULL);
	to.values = by_chain[0];
	to.predicted = predicted;
	CHECK(chain && rsv_predict(chain, rows, &to, NULL, NULL) == 0, "no values");
	for (int i = 0; i < N; i++)
		for (int v = 0; v < 3; v++)
			CHECK(by_chain[i][v] == by_parts[i][v], "row %d: %g, not %g", i,
			      by_chain[i][v], by_parts[i][v]);
	CHECK(!memcmp(rsv_model_labels(chain), rsv_model_labels(model), N_CLASS * sizeof(int)),
	      "labels");
	CHECK(rsv_predict(chain, narrow, &to, NULL, NULL) == 0, "a row of fewer features");
	if (chain)
		refuse_chain(chain, rows, &t);
	rsv_model_free(chain);
	rsv_model_free(model);
	rsv_map_free(ranges);
	rsv_map_free(components);
	rsv_rows_free(narrow);
	rsv_rows_free(mapped);
	rsv_rows_free(scaled);
	rsv_rows_free(rows);
}

/* ---- bad calls ---- */

static void test_bad_rows(void)
{
	static const double nan_value[] = { 1, NAN }, ones[] = { 1, 1 };
	static const int64_t back[] = { 0, 2, 1 }, plain[] = { 0, 2 };
	static const int32_t twice[] = { 3, 3 }, below[] = { 0, -1 };

	REFUSED(!rsv_rows_read("nowhere", NULL, &err), "nowhere: No such file");
	REFUSED(!rsv_rows_read(NULL, NULL, &err), "no file name");
	REFUSED(!rsv_rows_dense(1, 2, nan_value, 2, NULL, &err), "row 1, column 2");
	REFUSED(!rsv_rows_dense(2, 1, ones, 1, nan_value, &err), "row 2: the label");
	REFUSED(!rsv_rows_dense(1, 2, ones, 1, NULL, &err), "1 apart");
	REFUSED(!rsv_rows_dense(1, 2, NULL, 2, NULL, &err), "no values");
	REFUSED(!rsv_rows_csr(2, back, twice, ones, NULL, &err), "do not ascend");
	REFUSED(!rsv_rows_csr(1, plain, twice, ones, NULL, &err), "column 3 is there twice");
	REFUSED(!rsv_rows_csr(1, plain, below, ones, NULL, &err), "column -1");
	REFUSED(!rsv_rows_csr(1, NULL, below, ones, NULL, &err), "no starts");
	REFUSED(!rsv_rows_part(NULL, plain, 1, &err), "no rows");
	REFUSED(!rsv_map_read("nowhere", &err), "No such file");
	REFUSED(!rsv_model_read("nowhere", &err), "No such file");
}

static void test_bad_training(void)
{
	rsv_rows *rows = dense_rows(), *empty = rsv_rows_dense(0, 0, NULL, 0, NULL, NULL);
	const struct rsv_training good = rbf();
	struct rsv_training t = good;
	struct {
		struct rsv_training t;
		int64_t later;
	} newer = { good, 0 };

	REFUSED(!rsv_train(NULL, &t, NULL, &err), "no rows");
	REFUSED(!rsv_train(rows, NULL, NULL, &err), "no parameters");
	REFUSED(!rsv_train(empty, &t, NULL, &err), "no examples");
	t.C = 0;
	REFUSED(!rsv_train(rows, &t, NULL, &err), "C <= 0");
	t = good;
	t.machine = 7;
	REFUSED(!rsv_train(rows, &t, NULL, &err), "svm type");
	t = good;
	t.one_vs_rest = 1;
	REFUSED(!rsv_train(rows, &t, NULL, &err), "linear kernel");
	t = good;
	t.size = 0;
	REFUSED(!rsv_train(rows, &t, NULL, &err), "not initialised");
	newer.t.size = sizeof(newer);
	rsv_model_free(rsv_train(rows, &newer.t, NULL, NULL));
	newer.later = 1;
	REFUSED(!rsv_train(rows, &newer.t, NULL, &err), "later version");
	/* sizes of no version, which may cut a field in two */
	t = good;
	for (t.size = 1; t.size < sizeof(t); t.size++)
		REFUSED(!rsv_train(rows, &t, NULL, &err),
			t.size < sizeof(size_t) ? "not initialised" : "of no version");
	t = good;
	{
		struct rsv_run run;

		rsv_run_init(&run);
		run.size = offsetof(struct rsv_run, interrupted) + 5;
		REFUSED(!rsv_train(rows, &t, &run, &err), "of no version");
	}
	rsv_rows_free(rows);
	rsv_rows_free(empty);
	rsv_rows_free(NULL);
	rsv_model_free(NULL);
	rsv_map_free(NULL);
}

/*
 * A primal below the dual, of values that are no kernel's, proves nothing: after a training, and as
 * often as rsv_certify() is asked besides.
 */
static void check_unproved(const double *kernel, int machine, int n_certified)
{
	const double label[] = { 1, 1, -1, -1 };
	rsv_rows *rows = rsv_rows_kernel(4, 4, kernel, 4, label, NULL);
	struct rsv_training t;
	struct rsv_certificate c;
	rsv_model *model;

	rsv_training_init(&t);
	t.kernel = RSV_PRECOMPUTED;
	t.eps = 1e-6;
	t.machine = machine;
	model = rsv_train(rows, &t, NULL, NULL);
	for (int again = 0; again <= n_certified; again++) {
		CHECK(again == 0 || rsv_certify(model, rows, &t, NULL, NULL) == 0,
		      "no certificate");
		CHECK(rsv_model_certificate(model, 0, &c, NULL) == 0 && c.primal < c.dual &&
			      isnan(c.relative_gap) && isnan(c.gap),
		      "certified %d times: %g below %g, %g", again, c.primal, c.dual,
		      c.relative_gap);
	}
	rsv_model_free(model);
	rsv_rows_free(rows);
}

static void test_indefinite(void)
{
	const double kernel[] = { 2, 2, 3, -2, -3, 1, -2, 3, 2, 2, 0, -2, -3, -3, 1, 0 };

	check_unproved(kernel, RSV_C_SVC, 0);
}

/* Minus the identity, symmetric. */
static void test_negative(void)
{
	const double negative[] = { -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1 };

	check_unproved(negative, RSV_ONE_CLASS, 1);
}

/* An allocation that fails ends a training with RSV_ERR_MEMORY, whichever it is. */
static void test_memory(void)
{
	rsv_rows *rows = dense_rows();
	const struct rsv_training t = rbf();
	struct rsv_error err;
	struct rsv_run run;
	rsv_model *model = NULL;
	int64_t n = 0;

	rsv_run_init(&run);
	run.n_threads = 1;
	for (; !model && n < 5000; n += UNIT_IS_SANITIZED ? 7 : 1) {
		err.code = RSV_OK;
		mem_fail_after(n);
		model = rsv_train(rows, &t, &run, &err);
		mem_fail_after(-1);
		CHECK(model || err.code == RSV_ERR_MEMORY, "allocation %" PRId64 ": %d %s", n,
		      err.code, err.text);
	}
	CHECK(model && n > 10, "%" PRId64 " allocations", n);
	rsv_model_free(model);
	rsv_rows_free(rows);
}

/* ---- threads ---- */

static void *use_all(void *arg)
{
	const struct rsv_training t = rbf();
	double predicted[N];
	rsv_model *model = rsv_train(arg, &t, NULL, NULL);
	struct rsv_predictions to = { .size = sizeof(to), .predicted = predicted };

	CHECK(model && rsv_predict(model, arg, &to, NULL, NULL) == 0, "in a thread");
	CHECK(rsv_cross_validate(arg, &t, 3, NULL, predicted, NULL) == 0, "in a thread");
	rsv_model_free(model);
	return NULL;
}

static void test_threads(void)
{
	rsv_rows *rows = dense_rows();
	pthread_t thread[4];

	for (int k = 0; k < 4; k++)
		pthread_create(&thread[k], NULL, use_all, rows);
	for (int k = 0; k < 4; k++)
		pthread_join(thread[k], NULL);
	rsv_rows_free(rows);
}

int main(void)
{
	make_data();
	test_rows();
	test_training();
	test_same_model();
	test_weights();
	test_groups_of_rows();
	test_weights_of_rows();
	test_weighed_search();
	test_weighed_selection();
	test_precomputed();
	test_callbacks();
	test_search();
	test_given_folds();
	test_folds();
	test_reduce();
	test_explain();
	test_maps();
	test_kernel_maps();
	test_chain();
	test_bad_rows();
	test_bad_training();
	if (!UNIT_IS_SANITIZED) /* four rows, one thread, steps without end */
		test_indefinite();
	test_negative();
	test_memory();
	test_threads();
	return unit_report("api");
}
