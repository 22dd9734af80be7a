/*
 * test_api_calls.c - the public library, called as it should not be: no pointers, no rows, numbers
 * out of range, models of other kinds
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

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
		      !rsv_model_n_sv_of_classes(NULL) && !rsv_model_sv_rows(NULL) &&
		      rsv_model_n_certificates(NULL) == 0,
	      "arrays of no model");
	CHECK(rsv_rows_count(NULL) == 0 && rsv_rows_n_entries(NULL) == 0 &&
		      rsv_rows_n_features(NULL) == 0 && !rsv_rows_labels(NULL),
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

int main(void)
{
	make_data();
	test_no_model();
	test_weights();
	test_probabilities();
	return unit_report("api calls");
}
