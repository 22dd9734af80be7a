/*
 * test_api_numbers.c - the public library hands out no infinity and no NaN without an error, but
 * where randsvm.h says so
 *
 * Rows of extreme values pass through every function that gives numbers, and all of these are
 * looked at.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/output.h"
#include "project/feature_map.h"
#include "random.h"
#include "randsvm.h"
#include "unit.h"

enum { N = 12, N_COLS = 4, N_POINTS = 4 };

/* Ways to fill rows with extreme values. */
static const char *const fillings[] = { "signs of 1e308",     "the least doubles",
					"equal columns",      "ranges of 1e-320",
					"all sizes",	      "squares near DBL_MAX",
					"one column of 1e308" };
enum { SQUARES = 5, N_FILLINGS = sizeof(fillings) / sizeof(*fillings) };

static double extreme(int filling, int64_t row, int column)
{
	static const double size[] = { 1e308, 5e-324, 1e154, -1e-160, 1, -1e300, 0 };
	const double sign = random_unit() < 0.5 ? -1 : 1;

	switch (filling) {
	case 0:
		return sign * 1e308;
	case 1:
		return sign * 5e-324;
	case 2:
		return column + 1;
	case 3:
		return 1e-320 * random_unit();
	case 4:
		return size[random_below(sizeof(size) / sizeof(*size))] * random_unit();
	case SQUARES:
		return sign * 1.3e154 * random_unit();
	default:
		return column == 0 ? sign * 1.7e308 : (double)(row % 3);
	}
}

static rsv_rows *extreme_rows(int filling, int64_t n)
{
	double x[N][N_COLS], y[N];

	for (int64_t i = 0; i < n; i++) {
		y[i] = i % 2 ? 1 : -1;
		for (int j = 0; j < N_COLS; j++)
			x[i][j] = extreme(filling, i, j);
	}
	return rsv_rows_dense(n, N_COLS, x[0], N_COLS, y, NULL);
}

/* What is looked at: for messages. */
static char context[200];

/* Numbers of a call that has succeeded; or an error with its reason. */
static bool succeeded(bool done, const struct rsv_error *err)
{
	CHECK(done == (err->code == RSV_OK) && done == !err->text[0], "%s: %d, code %d, '%s'",
	      context, done, err->code, err->text);
	return done;
}

static void check_finite(const char *what, const double *number, int64_t n)
{
	for (int64_t k = 0; number && k < n; k++)
		CHECK(isfinite(number[k]), "%s: %s: number %" PRId64 " is %g", context, what, k,
		      number[k]);
}

static void check_rows(const rsv_rows *rows)
{
	static int64_t start[N + 1];
	static int32_t column[N * 64];
	static double value[N * 64];
	struct rsv_error err = { 0 };

	CHECK(rsv_rows_n_entries(rows) <= N * 64, "%s: too many entries", context);
	if (succeeded(rsv_rows_copy(rows, start, column, value, &err) == 0, &err))
		check_finite("values", value, rsv_rows_n_entries(rows));
	check_finite("labels", rsv_rows_labels(rows), rsv_rows_count(rows));
}

/* ---- maps ---- */

/* A linear model of large weights, folded by the map. */
static void check_folded(const rsv_map *map)
{
	static const char text[] = "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\n"
				   "nr_feature 2\nbias -1\nw\n1.7e308\n1.7e308\n";
	FILE *file = fopen("large", "w");
	struct rsv_error err = { 0 };
	double weight[N_COLS], constant;
	rsv_model *model = NULL, *folded = NULL;

	if (CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "no file"))
		model = rsv_model_read("large", &err);
	if (succeeded(model, &err))
		folded = rsv_map_fold(map, model, N_COLS, &err);
	if (folded &&
	    succeeded(rsv_model_weights(folded, N_COLS, weight, &constant, &err) == 0, &err)) {
		check_finite("weights of a folded model", weight, N_COLS);
		check_finite("constant of a folded model", &constant, 1);
	}
	rsv_model_free(model);
	rsv_model_free(folded);
}

/* Rows of all fillings by the map; it is freed. */
static void check_map(rsv_map *map, const struct rsv_error *made)
{
	if (!succeeded(map, made))
		return;
	check_finite("weights", rsv_map_selected_weights(map), rsv_map_n_selected(map));
	check_finite("scores", rsv_map_selected_scores(map), rsv_map_n_selected(map));
	for (int filling = 0; filling < N_FILLINGS; filling++) {
		struct rsv_error err = { 0 };
		rsv_rows *rows = extreme_rows(filling, N), *mapped;

		mapped = rsv_map_apply(map, rows, NULL, &err);
		if (succeeded(mapped, &err))
			check_rows(mapped);
		else
			CHECK(err.code == RSV_ERR_NUMERIC && strstr(err.text, "row "),
			      "%s, %s: code %d, '%s'", context, fillings[filling], err.code,
			      err.text);
		rsv_rows_free(mapped);
		rsv_rows_free(rows);
	}
	check_folded(map);
	rsv_map_free(map);
}

static void test_projections(void)
{
	static const char *const method[] = { "rs",	     "fht",	 "cw",
					      "countsketch", "gaussian", "uniform",
					      "achlioptas",  "li",	 "osnap" };

	for (size_t m = 0; m < sizeof(method) / sizeof(*method); m++) {
		struct rsv_error err = { 0 };
		struct rsv_projection p;

		rsv_projection_init(&p);
		p.method = method[m];
		p.n_columns = 2;
		p.n_features = N_COLS;
		snprintf(context, sizeof(context), "projection %s", method[m]);
		check_map(rsv_project(&p, &err), &err);
	}
}

/* Write the map as rp-project does, and read it as a public one. */
static void check_stored(struct feature_map *map, const char *name)
{
	struct error why = { 0 };
	struct rsv_error err = { 0 };
	struct output *to = NULL;

	snprintf(context, sizeof(context), "stored map %s", name);
	CHECK(output_open(&to, "map", false, &why) == 0 && feature_map_save(map, to, &why) == 0 &&
		      output_commit(to, &why) == 0,
	      "%s: %s", context, why.text);
	check_map(rsv_map_read("map", &err), &err);
	feature_map_free(map);
}

static void test_stored_maps(void)
{
	const struct kernel cubic = { .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 2 };
	const double landmark[] = { 1, 2, -1, 1 };
	const int64_t start[] = { 0, 2, 4 };
	const int32_t column[] = { 1, 2, 1, 3 };
	struct feature_map map;
	struct csr landmarks = { 0 };
	struct error err = { 0 };

	CHECK(feature_map_fourier(&map,
				  &(struct fourier_options){ .kernel = MAP_KERNEL_RBF,
							     .gamma = 1e3,
							     .seed = 1,
							     .n_columns = 4,
							     .n_features = N_COLS },
				  &err) == 0,
	      "%s", err.text);
	check_stored(&map, "rff");
	CHECK(feature_map_tensor(
		      &map, &(struct tensor_options){ .kernel = cubic, .seed = 1, .n_columns = 4 },
		      N_COLS, &err) == 0,
	      "%s", err.text);
	check_stored(&map, "tensorsketch");
	CHECK(csr_append(&landmarks, 2, start, column, landmark, &err) == 0 &&
		      feature_map_nystrom(&map, &landmarks, &cubic, 1, &err) == 0,
	      "%s", err.text);
	check_stored(&map, "nystrom");
	csr_free(&landmarks);
}

/* The ranges of svm-scale -s, with targets: labels become other numbers too. */
static void test_stored_ranges(void)
{
	FILE *file = fopen("ranges", "w");
	struct rsv_error err = { 0 };

	snprintf(context, sizeof(context), "stored ranges");
	CHECK(file && fputs("y\n-1e308 1e308\n0 1e-300\nx\n-1 1\n1 0 1e-310\n", file) >= 0 &&
		      fclose(file) == 0,
	      "no file");
	check_map(rsv_map_read("ranges", &err), &err);
}

/* Maps that are found by extreme rows. */
static void test_maps_of(const rsv_rows *rows, int first_supervision, const char *name)
{
	static const char *const method[] = { "bss",	"approx-bss", "leverage", "approx-leverage",
					      "top",	"rrqr",	      "rfe",	  "rmb",
					      "lpsvm",	"l1",	      "t",	  "f",
					      "uniform" };
	struct rsv_error err = { 0 };

	snprintf(context, sizeof(context), "components of %s", name);
	check_map(rsv_components(rows, 2, NULL, &err), &err);
	err = (struct rsv_error){ 0 };
	snprintf(context, sizeof(context), "ranges of %s", name);
	check_map(rsv_scale(rows, -1, 1, &err), &err);
	err = (struct rsv_error){ 0 };
	check_map(rsv_scale(rows, -1e308, 1e308, &err), &err);
	for (size_t m = 0; m < sizeof(method) / sizeof(*method); m++)
		for (int unsupervised = first_supervision; unsupervised < 2; unsupervised++) {
			struct rsv_selection s;

			rsv_selection_init(&s);
			s.method = method[m];
			s.n_features = 2;
			s.unsupervised = unsupervised;
			s.rescale = 1;
			err = (struct rsv_error){ 0 };
			snprintf(context, sizeof(context), "%s of %s, unsupervised %d", method[m],
				 name, unsupervised);
			check_map(rsv_select(rows, &s, NULL, &err), &err);
		}
}

/* ---- models ---- */

/* All numbers are finite; of rsv_certify() those that the dual has a part in may be not known. */
static void check_certificates(const rsv_model *model, bool dual_is_known)
{
	struct rsv_model_info info;

	rsv_model_info(model, &info);
	for (int64_t k = 0; k < rsv_model_n_certificates(model); k++) {
		struct rsv_certificate c;

		rsv_model_certificate(model, k, &c, NULL);
		check_finite("primal", &c.primal, 1);
		check_finite("rho", &c.rho, 1);
		if (!dual_is_known && isnan(c.dual)) {
			CHECK(!(c.rounding < 0) && isnan(c.relative_gap) && isnan(c.gap),
			      "%s: rounding %g, gap %g without a dual", context, c.rounding,
			      c.relative_gap);
			continue;
		}
		check_finite("rounding", &c.rounding, 1);
		check_finite("dual", &c.dual, 1);
		check_finite("relative gap", &c.relative_gap, 1);
		if (info.kernel == RSV_LINEAR || info.kernel == RSV_RBF)
			check_finite("gap", &c.gap, 1);
		CHECK(info.kernel != RSV_SIGMOID || isnan(c.gap), "a gap of a sigmoid: %g", c.gap);
	}
}

static void check_model(const rsv_model *model)
{
	struct rsv_model_info info;
	double weight[N_COLS * 2], constant[2];
	struct rsv_error err = { 0 };

	rsv_model_info(model, &info);
	check_finite("gamma", &info.gamma, 1);
	check_finite("coef0", &info.coef0, 1);
	check_finite("sigma", &info.sigma, 1);
	check_finite("rho", rsv_model_rho(model), info.is_linear_model ? 0 : info.n_values);
	check_finite("coefficients", rsv_model_coefficients(model), info.n_sv);
	check_certificates(model, true);
	if (info.kernel == RSV_LINEAR &&
	    succeeded(rsv_model_weights(model, N_COLS, weight, constant, &err) == 0, &err)) {
		check_finite("weights", weight, N_COLS * info.n_values);
		check_finite("constants", constant, info.n_values);
	}
}

static void check_training(const rsv_rows *rows, const struct rsv_training *t)
{
	struct rsv_error err = { 0 };
	rsv_model *model = rsv_train(rows, t, NULL, &err), *reduced;
	double change = 0, predicted[N];
	const double c[] = { 1e-3, 1e3 }, gamma[] = { 1e-300, 1e300 };
	struct rsv_grid grid;
	struct rsv_point point[N_POINTS];

	if (succeeded(model, &err)) {
		struct rsv_model_info info;

		check_model(model);
		rsv_model_info(model, &info);
		err = (struct rsv_error){ 0 };
		if (succeeded(rsv_certify(model, rows, t, NULL, &err) == 0, &err))
			check_certificates(model, false);
		err = (struct rsv_error){ 0 };
		reduced = rsv_model_reduce(model, 2, &change, NULL, NULL, NULL, &err);
		if (succeeded(reduced, &err)) {
			check_finite("change", &change, 1);
			check_model(reduced);
		}
		rsv_model_free(reduced);
		err = (struct rsv_error){ 0 };
		reduced = rsv_model_reduce(model, 2, &change, rows, t, NULL, &err);
		if (succeeded(reduced, &err))
			check_model(reduced);
		rsv_model_free(reduced);
	}
	rsv_model_free(model);
	err = (struct rsv_error){ 0 };
	if (succeeded(rsv_cross_validate(rows, t, 3, NULL, predicted, &err) == 0, &err))
		check_finite("predictions of folds", predicted, rsv_rows_count(rows));
	rsv_grid_init(&grid);
	grid.n_c = grid.n_gamma = 2;
	grid.c = c;
	grid.gamma = gamma;
	err = (struct rsv_error){ 0 };
	if (succeeded(rsv_search(rows, t, &grid, NULL, point, &err) >= 0, &err))
		for (int k = 0; k < N_POINTS; k++)
			CHECK(!isinf(point[k].rate), "%s: a rate is infinite", context);
}

static void test_models_of(const rsv_rows *rows, const char *name)
{
	for (int machine = RSV_C_SVC; machine <= RSV_NU_SVR; machine++)
		for (int kernel = RSV_LINEAR; kernel <= RSV_SIGMOID; kernel++) {
			struct rsv_training t;

			rsv_training_init(&t);
			t.machine = machine;
			t.kernel = kernel;
			t.probability = machine != RSV_ONE_CLASS;
			snprintf(context, sizeof(context), "machine %d, kernel %d of %s", machine,
				 kernel, name);
			check_training(rows, &t);
		}
}

/* A model of two vectors that a file may have, of large numbers: of one class each. */
static rsv_model *model_of(const char *kernel, const char *coefficient, const char *value)
{
	FILE *file = fopen("model", "w");

	CHECK(file &&
		      fprintf(file,
			      "svm_type c_svc\nkernel_type %s\nnr_class 2\ntotal_sv 2\nrho 0\n"
			      "label 1 -1\nnr_sv 1 1\nSV\n%s 1:%s 2:1\n-%s 1:-%s 2:.5\n",
			      kernel, coefficient, value, coefficient, value) > 0 &&
		      fclose(file) == 0,
	      "no file");
	return rsv_model_read("model", NULL);
}

/* Certificates and smaller models of models of large numbers; of these the dual is not known. */
static void test_large_models(void)
{
	static const char *const kernel[] = { "linear", "polynomial\ndegree 3\ngamma 1\ncoef0 0",
					      "rbf\ngamma 1" };
	static const char *const number[] = { "0", "1", "1e155", "1e300", "1.7e308" };
	const double x[] = { 1, -1, 1e200, 2 }, y[] = { 1, -1, 1, -1 };
	rsv_rows *rows = rsv_rows_dense(4, 1, x, 1, y, NULL);

	for (int k = 0; k < 3 * 5 * 5; k++) {
		const int type = k / 25;
		const char *coefficient = number[k / 5 % 5], *value = number[k % 5];
		rsv_model *model = model_of(kernel[type], coefficient, value), *reduced;
		struct rsv_training t;
		struct rsv_error err = { 0 };
		double change = 0;

		rsv_training_init(&t);
		t.kernel = type;
		snprintf(context, sizeof(context), "model of kernel %d, %s times %s", type,
			 coefficient, value);
		if (succeeded(rsv_certify(model, rows, &t, NULL, &err) == 0, &err))
			check_certificates(model, false);
		err = (struct rsv_error){ 0 };
		reduced = rsv_model_reduce(model, 1, &change, NULL, NULL, NULL, &err);
		if (succeeded(reduced, &err))
			check_finite("change", &change, 1);
		rsv_model_free(reduced);
		rsv_model_free(model);
	}
	rsv_rows_free(rows);
}

/* Squared errors that are too large for doubles are no rate. */
static void test_large_targets(void)
{
	double x[N], y[N];
	const double c[] = { 1, 2 };
	struct rsv_training t;
	struct rsv_grid grid;
	struct rsv_point point[2];
	struct rsv_error err = { 0 };
	rsv_rows *rows;

	for (int i = 0; i < N; i++) {
		x[i] = random_unit();
		y[i] = 1e200 * random_unit();
	}
	rows = rsv_rows_dense(N, 1, x, 1, y, NULL);
	rsv_training_init(&t);
	t.machine = RSV_EPSILON_SVR;
	rsv_grid_init(&grid);
	grid.n_c = 2;
	grid.c = c;
	CHECK(rsv_search(rows, &t, &grid, NULL, point, &err) < 0 && err.code == RSV_ERR_NUMERIC &&
		      isnan(point[0].rate) && isnan(point[1].rate),
	      "rates %g and %g, code %d", point[0].rate, point[1].rate, err.code);
	rsv_rows_free(rows);
}

/* Predictions are as randsvm.h says: not finite, and a class all the same. */
static void test_predictions(void)
{
	const double x[] = { 1, -1, 2, -2 }, y[] = { 1, -1, 1, -1 }, large = 1e308;
	rsv_rows *rows = rsv_rows_dense(4, 1, x, 1, y, NULL);
	rsv_rows *far = rsv_rows_dense(1, 1, &large, 1, NULL, NULL);
	double predicted, value;
	struct rsv_predictions to;

	rsv_predictions_init(&to);
	to.predicted = &predicted;
	to.values = &value;
	for (int machine = RSV_C_SVC; machine <= RSV_NU_SVR; machine++) {
		struct rsv_training t;
		struct rsv_error err = { 0 };
		rsv_model *model;

		rsv_training_init(&t);
		t.machine = machine;
		t.kernel = RSV_POLYNOMIAL;
		snprintf(context, sizeof(context), "predictions of machine %d", machine);
		model = rsv_train(rows, &t, NULL, &err);
		CHECK(model && rsv_predict(model, far, &to, NULL, &err) == 0, "%s: %s", context,
		      err.text);
		CHECK(!isfinite(value), "%s: the value is %g", context, value);
		CHECK(machine >= RSV_EPSILON_SVR ? !isfinite(predicted) : fabs(predicted) == 1,
		      "%s: %g", context, predicted);
		rsv_model_free(model);
	}
	rsv_rows_free(far);
	rsv_rows_free(rows);
}

int main(void)
{
	test_projections();
	test_stored_maps();
	test_stored_ranges();
	test_predictions();
	test_large_models();
	test_large_targets();
	for (int filling = 0; filling < N_FILLINGS; filling++)
		for (int64_t n = N; n >= 1; n -= N - 1) {
			rsv_rows *rows = extreme_rows(filling, n);
			char name[80];

			snprintf(name, sizeof(name), "%" PRId64 " rows: %s", n, fillings[filling]);
			/* a machine of such squares takes a second to find that there is none */
			test_maps_of(rows, filling == SQUARES, name);
			test_models_of(rows, name);
			rsv_rows_free(rows);
		}
	return unit_report("api numbers");
}
