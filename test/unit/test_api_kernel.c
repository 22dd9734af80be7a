/*
 * test_api_kernel.c - rows of the public library whose kernel is a function of the caller's
 *
 * The function is that of an rbf kernel of points, which the library has, too, so that models can be
 * compared; it notes which pairs it was asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "matrix/asked_kernel.h"
#include "random.h"
#include "randsvm.h"
#include "unit.h"

enum { N = 2000, N_COLS = 5, N_TEST = 300, ALL = N + N_TEST };

static const double GAMMA = 0.2;

static double point[ALL][N_COLS], label[ALL], target[ALL];

/* What a function is to do, and what it was asked for. */
struct asked {
	double noise;		/* error of each value */
	double sigmoid;		/* other than 0: tanh(sigmoid x.z - 1) in place of rbf */
	double lopsided;	/* added to K(i, j) for i > j */
	int64_t bad_i, bad_j;	/* K(bad_i, bad_j) is NAN, where bad_i > 0 */
	int64_t fails_from;	/* number of values from which on it fails; 0: never */
	const rsv_rows *nested; /* rows to train on within the function; or NULL */
	atomic_int n_inside, most_inside;
	atomic_long n_values, n_twice;
	struct rsv_error nested_error;
};

static atomic_uchar seen[ALL][ALL];

static void make_data(void)
{
	for (int i = 0; i < ALL; i++) {
		label[i] = i % 2 ? 1 : -1;
		for (int j = 0; j < N_COLS; j++)
			point[i][j] = random_normal() + (j == 0 ? 2 * label[i] : 0);
		target[i] = point[i][0] / 6 + random_between(-0.1, 0.1);
	}
}

static double product(int64_t i, int64_t j)
{
	double sum = 0;

	for (int k = 0; k < N_COLS; k++)
		sum += point[i][k] * point[j][k];
	return sum;
}

static double rbf(int64_t i, int64_t j)
{
	return exp(-GAMMA * (product(i, i) + product(j, j) - 2 * product(i, j)));
}

static double value_of(struct asked *a, int64_t i, int64_t j)
{
	const int64_t low = i < j ? i : j, high = i < j ? j : i;

	a->n_values++;
	if (seen[low][high]++)
		a->n_twice++;
	if (a->bad_i > 0 && low == a->bad_j && high == a->bad_i)
		return NAN;
	if (a->sigmoid != 0)
		return tanh(a->sigmoid * product(i, j) - 1);
	/* noise that is a function of the pair */
	return rbf(i, j) + (i > j ? a->lopsided : 0) +
	       a->noise * sin(1e4 * (rbf(i, j) + (double)(low + 3 * high)));
}

static int give_values(void *arg, int64_t i, const int64_t *j, int64_t n, double *value)
{
	struct asked *a = arg;
	int inside = ++a->n_inside, most = a->most_inside;

	while (inside > most && !atomic_compare_exchange_weak(&a->most_inside, &most, inside))
		;
	if (a->nested) {
		struct rsv_training t;

		rsv_training_init(&t);
		t.kernel = RSV_PRECOMPUTED;
		rsv_model_free(rsv_train(a->nested, &t, NULL, &a->nested_error));
	}
	for (int64_t k = 0; k < n; k++)
		value[k] = value_of(a, i, j[k]);
	a->n_inside--;
	return a->fails_from > 0 && a->n_values >= a->fails_from ? 7 : 0;
}

static struct rsv_kernel_function function_of(struct asked *a)
{
	struct rsv_kernel_function f;

	rsv_kernel_function_init(&f);
	f.values = give_values;
	f.arg = a;
	memset(seen, 0, sizeof(seen));
	return f;
}

static rsv_rows *rows_of(struct asked *a, int64_t n, const double *y)
{
	struct rsv_kernel_function f = function_of(a);
	struct rsv_error err = { 0 };
	rsv_rows *rows = rsv_rows_kernel_by(&f, n, y, &err);

	CHECK(rows, "%s", err.text);
	return rows;
}

static struct rsv_training training_of(int machine, int kernel)
{
	struct rsv_training t;

	rsv_training_init(&t);
	t.machine = machine;
	t.kernel = kernel;
	t.gamma = GAMMA;
	t.nu = machine == RSV_NU_SVR ? 0.02 : 0.05;
	return t;
}

static struct rsv_certificate certificate_of(const rsv_model *model)
{
	struct rsv_certificate c = { 0 };

	CHECK(rsv_model_certificate(model, 0, &c, NULL) == 0, "no certificate");
	return c;
}

static rsv_model *train(const rsv_rows *rows, const struct rsv_training *t)
{
	struct rsv_error err = { 0 };
	rsv_model *model = rsv_train(rows, t, NULL, &err);

	CHECK(model, "machine %d: %s", t->machine, err.text);
	return model;
}

/* ---- the same optimum, for fewer values ---- */

static void predict(const rsv_model *model, const rsv_rows *rows, double *values)
{
	struct rsv_predictions to;
	struct rsv_error err = { 0 };

	rsv_predictions_init(&to);
	to.values = values;
	CHECK(rsv_predict(model, rows, &to, NULL, &err) == 0, "%s", err.text);
}

/* Decision values of objects that no training has seen, by functions and by features. */
static void compare_predictions(struct asked *a, const rsv_model *own, const rsv_model *built_in,
				double scale)
{
	int64_t object[N_TEST];
	double values[N_TEST], others[N_TEST], worst = 0;
	struct rsv_kernel_function f = function_of(a);
	struct rsv_model_info info;
	rsv_rows *all, *objects, *features;

	for (int i = 0; i < N_TEST; i++)
		object[i] = N + i;
	all = rsv_rows_kernel_by(&f, ALL, NULL, NULL);
	objects = rsv_rows_part(all, object, N_TEST, NULL);
	rsv_rows_free(all);
	features = rsv_rows_dense(N_TEST, N_COLS, point[N], N_COLS, NULL, NULL);
	a->n_values = 0;
	predict(own, objects, values);
	predict(built_in, features, others);
	rsv_model_info(own, &info);
	CHECK(a->n_values == N_TEST * info.n_sv, "%ld values for %d rows and %d vectors",
	      a->n_values, N_TEST, (int)info.n_sv);
	CHECK(rsv_rows_n_kernel_values(objects) == a->n_values, "%ld",
	      (long)rsv_rows_n_kernel_values(objects));
	for (int i = 0; i < N_TEST; i++)
		worst = fmax(worst, fabs(values[i] - others[i]));
	CHECK(worst < 0.02 * scale, "decision values differ by %g", worst);
	rsv_rows_free(objects);
	rsv_rows_free(features);
}

static void test_machine(int machine, double scale)
{
	static const char *const names[] = { "C-SVC", "nu-SVC", "one-class", "SVR", "nu-SVR" };
	const double *y = machine == RSV_EPSILON_SVR || machine == RSV_NU_SVR ? target : label;
	struct asked a = { 0 };
	struct rsv_training own = training_of(machine, RSV_PRECOMPUTED),
			    built_in = training_of(machine, RSV_RBF);
	rsv_rows *rows = rows_of(&a, N, y),
		 *features = rsv_rows_dense(N, N_COLS, point[0], N_COLS, y, NULL);
	rsv_model *m, *other;
	struct rsv_certificate c, d;
	struct rsv_model_info info;
	int64_t least;

	m = train(rows, &own);
	other = train(features, &built_in);
	c = certificate_of(m);
	d = certificate_of(other);
	rsv_model_info(m, &info);
	/* nu-SVC's objective is that of the model scaled to its own margin */
	CHECK(machine == RSV_NU_SVC ? fabs(c.primal - d.primal) < 1e-3 * fabs(d.primal) :
				      c.dual <= d.primal + c.rounding + d.rounding &&
					      d.dual <= c.primal + c.rounding + d.rounding,
	      "%s: optimum in %.9g to %.9g, and in %.9g to %.9g", names[machine], c.dual, c.primal,
	      d.dual, d.primal);
	CHECK(c.gap < 1e-3 * fabs(c.primal), "%s: gap %g of %g", names[machine], c.gap, c.primal);
	/* every row with every support vector is the least for a proof */
	least = info.n_sv * N - info.n_sv * info.n_sv / 2;
	CHECK(a.n_values >= least && (double)a.n_values < (double)least * 1.5 + 256 * 257 / 2. + N,
	      "%s: %ld values, at least %ld", names[machine], a.n_values, (long)least);
	CHECK((double)a.n_values < N * (double)N / 2 / 3, "%s: %ld values, more than a third",
	      names[machine], a.n_values);
	CHECK(a.n_twice == 28, "%s: %ld values asked for twice", names[machine], a.n_twice);
	CHECK(a.most_inside == 1, "%d calls at a time", a.most_inside);
	CHECK(rsv_rows_n_kernel_values(rows) == a.n_values, "%ld counted, not %ld",
	      (long)rsv_rows_n_kernel_values(rows), a.n_values);
	compare_predictions(&a, m, other, scale);
	rsv_model_free(m);
	rsv_model_free(other);
	rsv_rows_free(rows);
	rsv_rows_free(features);
}

static void test_machines(void)
{
	test_machine(RSV_C_SVC, 1);
	test_machine(RSV_NU_SVC, 1);
	test_machine(RSV_ONE_CLASS, 1);
	test_machine(RSV_EPSILON_SVR, 1);
	test_machine(RSV_NU_SVR, 1);
}

/* ---- what is kept ---- */

static void test_kept_values(void)
{
	struct asked a = { 0 };
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_of(&a, 400, label), *part;
	int64_t row[200];
	double weight[400], predicted[400];
	long n;

	rsv_model_free(train(rows, &t));
	n = a.n_values;
	rsv_model_free(train(rows, &t));
	CHECK(a.n_values == n, "the same training asks for %ld values more", a.n_values - n);
	t.C = 10;
	rsv_model_free(train(rows, &t));
	/* parts, weights, folds, probabilities: all of the same objects */
	for (int i = 0; i < 200; i++)
		row[i] = i / 2;
	for (int i = 0; i < 400; i++)
		weight[i] = 1 + i % 3;
	part = rsv_rows_part(rows, row, 200, NULL);
	rsv_model_free(train(part, &t));
	rsv_rows_free(part);
	part = rsv_rows_weigh(rows, weight, NULL);
	rsv_model_free(train(part, &t));
	CHECK(rsv_cross_validate(rows, &t, 3, NULL, predicted, NULL) == 0, "no cross validation");
	t.probability = 1;
	rsv_model_free(train(rows, &t));
	CHECK(a.n_twice == 28, "%ld values asked for twice", a.n_twice);
	CHECK(a.n_values <= 400 * 401 / 2 + 28, "%ld values of 400 objects", a.n_values);
	rsv_rows_free(rows);
	CHECK(rsv_rows_n_kernel_values(part) == a.n_values, "a part has another count");
	rsv_rows_free(part);
}

/* Where memory is short values are asked for again, and are the same. */
static void test_little_memory(void)
{
	enum { FEW = 40 };
	struct asked a = { 0 };
	struct rsv_kernel_function f = function_of(&a);
	struct error err = { 0 };
	struct asked_kernel *k = asked_kernel_new(
		&(struct kernel_function){ .values = f.values, .arg = &a }, FEW, &err);
	int64_t all[FEW];
	double value[FEW];

	for (int64_t j = 0; j < FEW; j++)
		all[j] = j;
	k->most_rows = 3;
	for (int round = 0; round < 2; round++)
		for (int64_t i = 0; i < FEW; i++) {
			CHECK(asked_kernel_values(k,
						  (struct asked_row){ .i = i, .n = FEW, .j = all },
						  value, &err) == 0,
			      "%s", err.text);
			for (int64_t j = 0; j < FEW; j++)
				CHECK(value[j] == rbf(i, j) || value[j] == rbf(j, i),
				      "K(%d, %d) = %g, not %g", (int)i, (int)j, value[j],
				      rbf(i, j));
			CHECK(k->n_rows <= 3, "%d rows are kept", (int)k->n_rows);
		}
	CHECK(a.n_values == k->n_asked && a.n_values > FEW * FEW && a.n_values < 2 * FEW * FEW,
	      "%ld values", a.n_values);
	asked_kernel_free(k);
}

/* ---- the values of others ---- */

/* Predictions of cross validations and searches by functions and by all values. */
static void test_folds(void)
{
	enum { FEW = 200 };
	static double matrix[FEW][FEW], own[FEW], others[FEW];
	const double c[] = { 0.1, 1, 10 };
	struct asked a = { 0 };
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_of(&a, FEW, label), *full;
	struct rsv_point point_own[3], point_others[3];
	struct rsv_grid grid;
	struct rsv_error err = { 0 };

	for (int i = 0; i < FEW; i++)
		for (int j = 0; j < FEW; j++)
			matrix[i][j] = rbf(i, j);
	full = rsv_rows_kernel(FEW, FEW, matrix[0], FEW, label, NULL);
	for (t.probability = 0; t.probability <= 1; t.probability++) {
		CHECK(rsv_cross_validate(rows, &t, 5, NULL, own, &err) == 0, "%s", err.text);
		CHECK(rsv_cross_validate(full, &t, 5, NULL, others, &err) == 0, "%s", err.text);
		for (int i = 0; i < FEW; i++)
			CHECK(own[i] == others[i], "row %d: %g, not %g", i, own[i], others[i]);
	}
	t.probability = 0;
	rsv_grid_init(&grid);
	grid.n_c = 3;
	grid.c = c;
	CHECK(rsv_search(rows, &t, &grid, NULL, point_own, &err) ==
		      rsv_search(full, &t, &grid, NULL, point_others, &err),
	      "another point is best: %s", err.text);
	for (int k = 0; k < 3; k++)
		CHECK(point_own[k].rate == point_others[k].rate, "C = %g: %g, not %g", c[k],
		      point_own[k].rate, point_others[k].rate);
	rsv_rows_free(rows);
	rsv_rows_free(full);
}

/* ---- errors of values ---- */

/* The primal of a model's coefficients by exact values of the kernel. */
static double exact_primal(const rsv_model *m, int n, double c)
{
	const double *coef = rsv_model_coefficients(m), rho = rsv_model_rho(m)[0];
	const int64_t *row = rsv_model_sv_rows(m);
	const int sign = rsv_model_labels(m)[0];
	double square = 0, loss = 0;
	struct rsv_model_info info;

	rsv_model_info(m, &info);
	for (int i = 0; i < n; i++) {
		double f = 0;

		for (int64_t k = 0; k < info.n_sv; k++)
			f += coef[k] * rbf(row[k], i);
		for (int64_t k = 0; k < info.n_sv; k++)
			square += row[k] == i ? coef[k] * f : 0;
		loss += fmax(0, 1 - label[i] * sign * (f - rho));
	}
	return square / 2 + c * loss;
}

static void test_errors(void)
{
	enum { FEW = 600 };
	struct asked a = { .noise = 1e-6 };
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	struct rsv_kernel_function f = function_of(&a);
	struct rsv_certificate c, built_in;
	struct rsv_error err = { 0 };
	rsv_rows *features = rsv_rows_dense(FEW, N_COLS, point[0], N_COLS, label, NULL), *rows;
	rsv_model *m, *other;
	struct rsv_training rbf_training = training_of(RSV_C_SVC, RSV_RBF);

	t.eps = rbf_training.eps = 1e-5;
	other = train(features, &rbf_training);
	built_in = certificate_of(other);
	/* the noise is given, with the diagonal's own */
	f.error = 1.1e-6;
	rows = rsv_rows_kernel_by(&f, FEW, label, &err);
	m = train(rows, &t);
	c = certificate_of(m);
	CHECK(exact_primal(m, FEW, 1) - built_in.dual <= c.gap + built_in.rounding,
	      "%.9g is above %.9g by more than %g", exact_primal(m, FEW, 1), built_in.dual, c.gap);
	CHECK(fabs(exact_primal(m, FEW, 1) - c.primal) <= c.rounding, "%.9g is not %.9g +- %g",
	      exact_primal(m, FEW, 1), c.primal, c.rounding);
	/* without it rounding alone is counted, which is far less */
	CHECK(c.rounding > 1e-6, "rounding %g", c.rounding);
	rsv_rows_free(rows);
	rsv_model_free(m);
	f.error = 0;
	rows = rsv_rows_kernel_by(&f, FEW, label, &err);
	m = train(rows, &t);
	CHECK(certificate_of(m).rounding < 1e-8, "rounding %g", certificate_of(m).rounding);
	rsv_rows_free(rows);
	rsv_rows_free(features);
	rsv_model_free(m);
	rsv_model_free(other);
}

/* ---- kernels that are none ---- */

static void expect_refusal(struct asked *a, int code, const char *words)
{
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_of(a, 300, label);
	struct rsv_error err = { 0 };
	rsv_model *model = rsv_train(rows, &t, NULL, &err);

	CHECK(!model && err.code == code && strstr(err.text, words), "code %d, '%s', not '%s'",
	      err.code, err.text, words);
	/* nothing is taken for known that was not given: the training works when its function does */
	a->bad_i = a->fails_from = 0;
	if (a->lopsided == 0)
		rsv_model_free(train(rows, &t));
	rsv_rows_free(rows);
}

static void test_refusals(void)
{
	expect_refusal(&(struct asked){ .lopsided = 0.1 }, RSV_ERR_ARGUMENT, "not symmetric");
	expect_refusal(&(struct asked){ .bad_i = 17, .bad_j = 3 }, RSV_ERR_NUMERIC, "nan");
	expect_refusal(&(struct asked){ .fails_from = 1 }, RSV_ERR_ARGUMENT, "has failed: 7");
	expect_refusal(&(struct asked){ .fails_from = 33300 }, RSV_ERR_ARGUMENT, "has failed: 7");
}

/* Indefinite: LIBSVM's steps, as of a matrix of all values, and no proof. */
static void test_indefinite(void)
{
	enum { FEW = 300 };
	static double matrix[FEW][FEW];
	struct asked a = { .sigmoid = 0.5 };
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_of(&a, FEW, label), *full;
	rsv_model *m = train(rows, &t), *other;
	struct rsv_certificate c = certificate_of(m), d;

	for (int i = 0; i < FEW; i++)
		for (int j = 0; j < FEW; j++)
			matrix[i][j] = tanh(0.5 * product(i, j) - 1);
	full = rsv_rows_kernel(FEW, FEW, matrix[0], FEW, label, NULL);
	other = train(full, &t);
	d = certificate_of(other);
	CHECK(isnan(c.gap) && isnan(d.gap), "a gap of %g and %g is proved", c.gap, d.gap);
	CHECK(c.primal == d.primal, "%.17g, not %.17g", c.primal, d.primal);
	rsv_model_free(m);
	rsv_model_free(other);
	rsv_rows_free(rows);
	rsv_rows_free(full);
}

/* ---- calls ---- */

static void test_nested_call(void)
{
	struct asked a = { 0 };
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_of(&a, 100, label);
	rsv_model *model;

	a.nested = rows;
	model = train(rows, &t);
	CHECK(a.nested_error.code == RSV_ERR_ARGUMENT &&
		      strstr(a.nested_error.text, "must not ask"),
	      "code %d, '%s'", a.nested_error.code, a.nested_error.text);
	rsv_model_free(model);
	rsv_rows_free(rows);
}

static void *train_on(void *arg)
{
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);

	rsv_model_free(train(arg, &t));
	return NULL;
}

/* Threads that train on the same rows wait for each other's values. */
static void test_shared_rows(void)
{
	struct asked a = { 0 };
	rsv_rows *rows = rows_of(&a, 300, label);
	pthread_t thread[3];

	for (int k = 0; k < 3; k++)
		pthread_create(&thread[k], NULL, train_on, rows);
	for (int k = 0; k < 3; k++)
		pthread_join(thread[k], NULL);
	CHECK(a.most_inside == 1 && a.n_twice <= 3 * 28, "%d calls at a time, %ld values twice",
	      a.most_inside, a.n_twice);
	rsv_rows_free(rows);
}

/* An end that is wanted after so many values. */
static long most_values;

static int is_enough(void *arg)
{
	return ((struct asked *)arg)->n_values > most_values;
}

static void test_interruption(long most)
{
	struct asked a = { 0 };
	struct rsv_training t = training_of(RSV_C_SVC, RSV_PRECOMPUTED);
	rsv_rows *rows = rows_of(&a, N, label);
	struct rsv_run run;
	struct rsv_error err = { 0 };
	rsv_model *model;
	struct rsv_model_info info = { 0 };

	rsv_run_init(&run);
	most_values = most;
	run.interrupted = is_enough;
	run.arg = &a;
	model = rsv_train(rows, &t, &run, &err);
	CHECK(model, "%s", err.text);
	rsv_model_info(model, &info);
	CHECK(info.was_interrupted, "the training was not interrupted");
	/* a certificate takes some more: a fifth of all at most */
	CHECK(a.n_values < 400000, "%ld values", a.n_values);
	CHECK(certificate_of(model).gap > 0, "no certificate");
	rsv_model_free(model);
	rsv_rows_free(rows);
}

/* Each must fail, and say why. */
#define REFUSED(call, words)                                                             \
	do {                                                                             \
		struct rsv_error err = { 0 };                                            \
		const bool refused = call;                                               \
		CHECK(refused &&err.code == RSV_ERR_ARGUMENT && strstr(err.text, words), \
		      "code %d, '%s', not '%s'", err.code, err.text, words);             \
	} while (0)

static void test_calls(void)
{
	struct asked a = { 0 };
	struct rsv_kernel_function f = function_of(&a);
	struct rsv_training t = training_of(RSV_C_SVC, RSV_RBF);
	struct rsv_selection selection;
	rsv_rows *rows = rows_of(&a, 50, label), *features, *few;
	struct rsv_predictions to;
	rsv_model *m;
	double predicted[50];

	rsv_selection_init(&selection);
	selection.n_features = 1;
	REFUSED(!rsv_train(rows, &t, NULL, &err), "kernel of their own");
	REFUSED(!rsv_scale(rows, 0, 1, &err), "no features");
	REFUSED(!rsv_components(rows, 1, NULL, &err), "no features");
	REFUSED(!rsv_select(rows, &selection, NULL, &err), "no features");
	REFUSED(rsv_rows_write(rows, "rows", &err) < 0, "no features");
	REFUSED(!rsv_rows_kernel_by(NULL, 1, label, &err), "no kernel");
	REFUSED(!rsv_rows_kernel_by(&f, -1, label, &err), "-1 rows");
	f.error = -1;
	REFUSED(!rsv_rows_kernel_by(&f, 1, label, &err), "an error of kernel values of -1");
	f.error = 0;
	f.values = NULL;
	REFUSED(!rsv_rows_kernel_by(&f, 1, label, &err), "no function");
	t.kernel = RSV_PRECOMPUTED;
	m = train(rows, &t);
	REFUSED(rsv_certify(m, rows, &t, NULL, &err) < 0, "no features");
	rsv_predictions_init(&to);
	to.predicted = predicted;
	few = rows_of(&a, 2, label);
	REFUSED(rsv_predict(m, few, &to, NULL, &err) < 0, "rows have 2 kernel values");
	rsv_model_free(m);
	features = rsv_rows_dense(50, N_COLS, point[0], N_COLS, label, NULL);
	t.kernel = RSV_RBF;
	m = train(features, &t);
	REFUSED(rsv_predict(m, rows, &to, NULL, &err) < 0, "not that of the caller's objects");
	rsv_model_free(m);
	rsv_rows_free(features);
	rsv_rows_free(few);
	rsv_rows_free(rows);
}

int main(void)
{
	make_data();
	test_machines();
	test_kept_values();
	test_little_memory();
	test_folds();
	test_errors();
	test_refusals();
	test_indefinite();
	test_nested_call();
	test_shared_rows();
	test_interruption(100000);
	test_interruption(1000);
	test_calls();
	return unit_report("api kernel");
}
