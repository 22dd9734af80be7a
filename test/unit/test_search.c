/*
 * test_search.c - cross validation at the points of a grid, against that of each point alone
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/cross_validation.h"
#include "failing.h"
#include "search/search.h"
#include "small_training.h"
#include "unit.h"

enum { MAX_N = 1300, SMALL_N = 240, N_C = 5, MAX_COLUMNS = 3, FOLDS = 4 };

static const double values_of_c[N_C] = { 0.03, 0.5, 4, 64, 1000 };

/* A search, and its answers as they were told. */
struct observed_search {
	struct dataset data;
	double y[MAX_N];
	struct search_column column[MAX_COLUMNS];
	struct machine machine;
	struct search search;
	struct search_observer observer;
	int n_told, n_skipped, n_failed;
	double progress; /* share of the work that was done at the last call of progress() */
	int fails_at;	 /* point at which the observer fails, or -1 */
	int64_t n_values;
	double *value[MAX_COLUMNS][N_C], predicted[MAX_COLUMNS][N_C][MAX_N];
	bool told[MAX_COLUMNS][N_C];
};

static int tell(void *arg, const struct search_answer *a, struct error *err)
{
	struct observed_search *w = arg;
	const struct cv_predictions *p = a->predictions;
	int64_t n = w->data.x.n_rows;
	double **value = &w->value[a->column][a->place];

	CHECK(a->column * N_C + a->place == w->n_told, "point %d of column %d after %d", a->place,
	      a->column, w->n_told);
	CHECK(isfinite(a->seconds) && a->seconds >= 0 && a->n_unfinished == 0, "%g s, %d",
	      a->seconds, a->n_unfinished);
	if (w->n_told++ == w->fails_at)
		return error_set(err, ERR_IO, "full");
	w->n_skipped += a->n_skipped;
	w->n_failed += a->failed != NULL;
	w->n_values = p->n_values;
	w->told[a->column][a->place] = true;
	memcpy(w->predicted[a->column][a->place], p->predicted, (size_t)n * sizeof(double));
	free(*value);
	*value = malloc((size_t)(n * p->n_values + 1) * sizeof(double));
	memcpy(*value, p->value, (size_t)(n * p->n_values) * sizeof(double));
	return 0;
}

static void see_progress(void *arg, double done)
{
	struct observed_search *w = arg;

	CHECK(done > w->progress && done <= 1 + 1e-9, "%g done after %g", done, w->progress);
	w->progress = done;
}

/* Rows of ten entries on average, in twice as many columns as rows: the data of SPARSE. */
static void sparse_dataset(struct dataset *d, double *y, int n_class, int64_t n)
{
	static const double labels[] = { 5, 7, -3 };

	random_rows(&d->x, n, (int32_t)(2 * n), 10.0 / (double)(2 * n));
	d->y = y;
	for (int64_t i = 0; i < n; i++)
		y[i] = n_class ? labels[random_below(n_class)] : random_normal();
}

/* Kernels of the columns: rbf, polynomials, or linear ones of sparse rows, alike in all columns. */
enum { RBF, POLYNOMIALS, SPARSE };

static void find_classes(struct observed_search *w)
{
	struct error err = { 0 };

	classes_free(&w->machine.classes);
	if (machine_classifies(w->machine.training.type))
		CHECK(classes_init(&w->machine.classes, &w->data, &err) == 0, "%s", err.text);
}

static void search_init(struct observed_search *w, struct training t, int kind, int n_class,
			int64_t n)
{
	*w = (struct observed_search){ .fails_at = -1 };
	if (kind == SPARSE)
		sparse_dataset(&w->data, w->y, n_class, n);
	else
		small_dataset(&w->data, w->y, n_class, n, 0.7);
	for (int k = 0; k < MAX_COLUMNS; k++) {
		if (kind == SPARSE)
			t.kernel.type = KERNEL_LINEAR;
		else if (kind == POLYNOMIALS)
			t.kernel = (struct kernel){ KERNEL_POLYNOMIAL, 2, 0.1 * (k + 1), 1 };
		else
			t.kernel.gamma = 0.02 * pow(8, k);
		w->column[k] = (struct search_column){ t, N_C, values_of_c };
	}
	w->machine = (struct machine){ .training = t,
				       .options = { .mode = WORKING_SET_EXACT,
						    .seed = 1,
						    .eps = t.eps,
						    .sample_factor = 2,
						    .n_threads = 1 },
				       .solver = smo_solver(10, 1),
				       .trainer = { .data = &w->data,
						    .options = &w->machine.options,
						    .solver = &w->machine.solver } };
	find_classes(w);
	w->observer = (struct search_observer){ .point = tell, .progress = see_progress, .arg = w };
	w->search = (struct search){ .machine = &w->machine,
				     .column = w->column,
				     .n_columns = MAX_COLUMNS,
				     .n_folds = FOLDS,
				     .with_values = true,
				     .observer = &w->observer };
}

static void search_end(struct observed_search *w)
{
	for (int k = 0; k < MAX_COLUMNS; k++)
		for (int i = 0; i < N_C; i++)
			free(w->value[k][i]);
	w->data.y = NULL;
	dataset_free(&w->data);
	classes_free(&w->machine.classes);
}

static void run(struct observed_search *w)
{
	struct error err = { 0 };

	w->n_told = w->n_skipped = w->n_failed = 0;
	w->progress = 0;
	CHECK(search_run(&w->search, &err) == 0, "%s", err.text);
	CHECK(fabs(w->progress - 1) < 1e-9, "%g done at the end", w->progress);
	CHECK(w->n_told == w->search.n_columns * N_C, "%d points told", w->n_told);
}

/* What cross_validate() finds at one point, and how far the search's values are from it. */
static double distance_of_point(struct observed_search *w, int column, int place)
{
	struct training training = w->column[column].training;
	const struct trainer t = { .data = &w->data,
				   .training = &training,
				   .options = &w->machine.options,
				   .solver = &w->machine.solver };
	struct cv_predictions found;
	const struct validation_observer observer = { .row_predicted = cv_predictions_set,
						      .table = &found };
	const struct prediction_columns columns = { .n_class = w->machine.classes.n,
						    .label = w->machine.classes.label,
						    .with_values = true };
	struct error err = { 0 };
	double most = 0;

	training.C = values_of_c[place];
	CHECK(cv_predictions_init(&found, &columns, w->data.x.n_rows, &err) == 0, "%s", err.text);
	srand(1);
	CHECK(cross_validate(&t, false, FOLDS, &observer, NULL, found.predicted, &err) == 0, "%s",
	      err.text);
	CHECK(found.n_values == w->n_values, "%" PRId64 " values", w->n_values);
	for (int64_t i = 0; i < w->data.x.n_rows * found.n_values; i++)
		most = fmax(most, fabs(found.value[i] - w->value[column][place][i]));
	cv_predictions_free(&found);
	return most;
}

/*
 * Two solutions to within eps have values as far apart as the dual is flat: f differs by |w - w'|,
 * whose square is at most twice the sum of both gaps, and these are at most eps times sum |beta|.
 */
static void expect_like_points(struct observed_search *w, const char *what)
{
	for (int k = 0; k < w->search.n_columns; k++)
		for (int i = 0; i < N_C; i++) {
			double n_c = (double)w->data.x.n_rows * values_of_c[i] * 2;
			double room = sqrt(4 * w->machine.options.eps * n_c),
			       d = distance_of_point(w, k, i);

			CHECK(d <= room, "%s: column %d, C %g: %g apart, room %g", what, k,
			      values_of_c[i], d, room);
		}
}

static void test_points(void)
{
	static const struct {
		const char *what;
		int kind, n_class;
		int64_t n;
	} cases[] = { { "two classes", RBF, 2, SMALL_N },
		      { "five classes", RBF, 5, 200 },
		      { "polynomials", POLYNOMIALS, 3, 150 },
		      { "regression", RBF, 0, 160 },
		      { "few rows", RBF, 2, 9 },
		      { "sparse rows", SPARSE, 2, SMALL_N },
		      { "of three classes", SPARSE, 3, 200 },
		      { "of a regression", SPARSE, 0, 160 },
		      { "more than first members", SPARSE, 2, MAX_N } };
	struct observed_search w;

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		search_init(&w, small_training(cases[c].n_class > 0, 1e-9), cases[c].kind,
			    cases[c].n_class, cases[c].n);
		run(&w);
		expect_like_points(&w, cases[c].what);
		search_end(&w);
	}
}

/* Machines that share nothing are those of cross_validate(), to the bit where they have no start. */
static void test_plain(void)
{
	struct training t = small_training(true, 1e-4);
	struct observed_search w;

	t.type = MACHINE_NU_SVC;
	t.nu = 0.3;
	search_init(&w, t, RBF, 3, 120);
	run(&w);
	for (int k = 0; k < MAX_COLUMNS; k++)
		CHECK(distance_of_point(&w, k, 1) == 0, "nu-SVC: column %d", k);
	search_end(&w);
	t = small_training(false, 1e-7);
	t.kernel.type = KERNEL_LINEAR;
	search_init(&w, t, RBF, 0, 100);
	w.search.n_columns = 1;
	run(&w);
	CHECK(distance_of_point(&w, 0, 2) == 0, "linear regression");
	search_end(&w);
}

/* nu-SVC without a margin: told as such, and nothing ends. */
static void test_failed_point(void)
{
	struct training t = small_training(true, 1e-3);
	struct observed_search w;

	t.type = MACHINE_NU_SVC;
	t.nu = 1e-4;
	search_init(&w, t, POLYNOMIALS, 2, 60);
	for (int64_t i = 0; i < 60; i++)
		w.y[i] = i % 2 ? 1 : 2;
	find_classes(&w);
	run(&w);
	CHECK(w.n_failed > 0, "mixed classes have a margin");
	search_end(&w);
}

static bool same_answers(const struct observed_search *a, const struct observed_search *b)
{
	size_t n = (size_t)a->data.x.n_rows;
	bool same = true;

	for (int k = 0; k < MAX_COLUMNS; k++)
		for (int i = 0; i < N_C; i++)
			same = same &&
			       !memcmp(a->predicted[k][i], b->predicted[k][i],
				       n * sizeof(double)) &&
			       !memcmp(a->value[k][i], b->value[k][i],
				       n * (size_t)a->n_values * sizeof(double));
	return same;
}

static void test_threads(void)
{
	for (int c = 0; c < 4; c++) {
		int n_class = c % 2 ? 3 : 0;
		struct observed_search w, other;

		search_init(&w, small_training(n_class > 0, 1e-3), c < 2 ? RBF : SPARSE, n_class,
			    150);
		run(&w);
		other = w;
		memset(other.value, 0, sizeof(other.value));
		other.machine.trainer.options = &other.machine.options;
		other.search.machine = &other.machine;
		other.search.observer = &other.observer;
		other.observer.arg = &other;
		for (int n_threads = 2; n_threads <= 7; n_threads += 5) {
			other.machine.options.n_threads = n_threads;
			run(&other);
			CHECK(same_answers(&w, &other), "%d threads, %d classes", n_threads,
			      n_class);
		}
		for (int k = 0; k < MAX_COLUMNS; k++)
			for (int i = 0; i < N_C; i++)
				free(other.value[k][i]);
		search_end(&w);
	}
}

static bool gives_up(void *arg, const struct search_answer *so_far)
{
	(void)arg;
	return so_far->place % 2 == 1;
}

/* Points given up have predictions of the first half of the folds; others are as without. */
static void test_giving_up(void)
{
	struct observed_search w;

	for (int type = 0; type < 2; type++) {
		struct training t = small_training(true, 1e-7);

		/* a sigmoid kernel shares nothing */
		if (type == 1)
			t.kernel = (struct kernel){ KERNEL_SIGMOID, 0, 0.1, 0 };
		search_init(&w, t, RBF, 2, 120);
		w.observer.gives_up = gives_up;
		run(&w);
		CHECK(w.n_skipped == MAX_COLUMNS * 2 * FOLDS / 2, "%d folds skipped", w.n_skipped);
		for (int k = 0; k < MAX_COLUMNS; k++)
			for (int i = 0; i < N_C; i++) {
				int64_t n_nan = 0;

				for (int64_t r = 0; r < 120; r++)
					n_nan += isnan(w.predicted[k][i][r]);
				if (i % 2)
					CHECK(n_nan > 40 && n_nan < 80, "%" PRId64 " rows", n_nan);
				else
					CHECK(n_nan == 0 &&
						      distance_of_point(&w, k, i) <
							      sqrt(4e-7 * 240 * values_of_c[i]),
					      "column %d, C %g", k, values_of_c[i]);
			}
		search_end(&w);
	}
}

/* Columns that share a matrix, and between them one that does not: progress is of all. */
static void test_mixed_columns(void)
{
	struct observed_search w;

	search_init(&w, small_training(true, 1e-3), POLYNOMIALS, 2, 60);
	w.column[1].training.kernel = (struct kernel){ KERNEL_SIGMOID, 0, 0.1, 0 };
	run(&w);
	w.observer.gives_up = gives_up;
	run(&w);
	search_end(&w);
}

/* An error of the observer ends the search, and is its error. */
static void test_observer_fails(void)
{
	struct observed_search w;

	for (int threads = 1; threads <= 3; threads += 2)
		for (int at = 0; at < 12; at += 7) {
			struct error err = { 0 };

			search_init(&w, small_training(true, 1e-3), RBF, 2, 60);
			w.machine.options.n_threads = threads;
			w.fails_at = at;
			CHECK(search_run(&w.search, &err) < 0 && err.code == ERR_IO,
			      "%d threads, point %d: code %d", threads, at, err.code);
			CHECK(w.n_told == at + 1, "%d points told", w.n_told);
			search_end(&w);
		}
}

static bool is_requested(void *arg)
{
	return --*(int *)arg < 0;
}

static void test_interruption(void)
{
	int left = 20;
	const struct interruption interruption = { .requested = is_requested, .arg = &left };
	struct error err = { 0 };
	struct observed_search w;

	search_init(&w, small_training(true, 1e-3), RBF, 2, 60);
	w.machine.solver.interruption = &interruption;
	CHECK(search_run(&w.search, &err) < 0 && err.code == ERR_INTERRUPTED, "%d", err.code);
	CHECK(w.n_told < MAX_COLUMNS * N_C, "%d points told", w.n_told);
	search_end(&w);
}

static int run_failing(void *arg, struct error *err)
{
	struct observed_search *w = arg;

	w->n_told = 0;
	w->progress = 0;
	return search_run(&w->search, err);
}

static void test_no_memory(void)
{
	for (int type = 0; type < 3; type += UNIT_IS_SANITIZED ? 2 : 1) {
		struct training t = small_training(true, 1e-2);
		struct observed_search w;

		if (type == 1)
			t.kernel = (struct kernel){ KERNEL_SIGMOID, 0, 0.1, 0 };
		search_init(&w, t, type == 2 ? SPARSE : RBF, 2, 12);
		w.search.n_columns = 1;
		CHECK(fail_each_allocation("search", run_failing, &w) > 20, "few allocations");
		search_end(&w);
	}
}

int main(void)
{
	if (!UNIT_FINDS_RACES) {
		test_points();
		test_plain();
	}
	test_failed_point();
	test_threads();
	test_giving_up();
	test_mixed_columns();
	test_observer_fails();
	test_interruption();
	if (!UNIT_FINDS_RACES)
		test_no_memory();
	return unit_report("search");
}
