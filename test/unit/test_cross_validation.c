/*
 * test_cross_validation.c - folds, what is said of them, and probabilities, against LIBSVM's
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "evaluate/cross_validation.h"
#include "evaluate/folds.h"
#include "failing.h"
#include "problem/classes.h"
#include "random.h"
#include "small_training.h"
#include "smo/smo.h"
#include "tiny_solver.h"
#include "train/libsvm_adapter.h"
#include "unit.h"

enum { MAX_N = 300 };

/* ---- Folds ---- */

/* All rows, each once, cut where it should be. */
static void expect_folds(const struct folds *f, int64_t n_rows, int64_t n_folds)
{
	bool seen[MAX_N] = { false };

	CHECK(f->n == n_folds && f->start[0] == 0 && f->start[n_folds] == n_rows,
	      "%" PRId64 " folds of %" PRId64 " rows", f->n, f->start[f->n]);
	for (int64_t i = 0; i < n_folds; i++)
		CHECK(f->start[i] <= f->start[i + 1], "fold %" PRId64 " ends before it begins", i);
	for (int64_t i = 0; i < n_rows; i++) {
		CHECK(f->row[i] >= 0 && f->row[i] < n_rows && !seen[f->row[i]],
		      "row %" PRId64 " twice or out of range", f->row[i]);
		seen[f->row[i]] = true;
	}
}

static void test_random_folds(void)
{
	struct error err = { 0 };
	struct folds f;

	for (int64_t n_rows = 0; n_rows <= MAX_N; n_rows += 7)
		for (int64_t n_folds = 1; n_folds <= 12; n_folds++) {
			CHECK(folds_random(&f, n_rows, (struct fold_draw){ .n_folds = n_folds },
					   &err) == 0,
			      "%s", err.text);
			expect_folds(&f, n_rows, n_folds);
			for (int64_t i = 0; i < n_folds; i++)
				CHECK(f.start[i] == i * n_rows / n_folds,
				      "fold %" PRId64 " begins at %" PRId64, i, f.start[i]);
			folds_free(&f);
			CHECK(!f.start && !f.row && f.n == 0, "not emptied");
		}
}

/* The one order that these numbers give. */
static void test_shuffle(void)
{
	int64_t row[] = { 0, 1, 2, 3, 4, 5, 6 };
	struct error err = { 0 };
	struct glibc_rand draws;
	struct folds f;

	srand(5);
	for (int64_t i = 0; i < 7; i++) {
		int64_t j = i + rand() % (7 - i), t = row[i];

		row[i] = row[j];
		row[j] = t;
	}
	srand(5);
	CHECK(folds_random(&f, 7, (struct fold_draw){ .n_folds = 2 }, &err) == 0, "%s", err.text);
	CHECK(!memcmp(f.row, row, sizeof(row)), "another order");
	folds_free(&f);
	glibc_rand_seed(&draws, 5);
	CHECK(folds_random(&f, 7, (struct fold_draw){ 2, &draws }, &err) == 0, "%s", err.text);
#ifdef __GLIBC__
	CHECK(!memcmp(f.row, row, sizeof(row)), "another order by a state of one's own");
#endif
	folds_free(&f);
}

/* Labels of three classes, the last one having a single row. */
static void label_rows(struct dataset *d, double *y, int64_t n)
{
	*d = (struct dataset){ .y = y };
	random_rows(&d->x, n, 1, 0);
	for (int64_t i = 0; i < n; i++)
		y[i] = i == n / 2 ? 9 : random_unit() < 0.3 ? 4 : 2;
}

static void test_stratified_folds(void)
{
	double y[MAX_N];
	struct error err = { 0 };
	struct dataset d;
	struct classes c;
	struct folds f;

	for (int64_t n_folds = 1; n_folds <= 40; n_folds += 3) {
		label_rows(&d, y, 200);
		CHECK(classes_init(&c, &d, &err) == 0 &&
			      folds_stratified(&f, &c, (struct fold_draw){ .n_folds = n_folds },
					       &err) == 0,
		      "%s", err.text);
		expect_folds(&f, 200, n_folds);
		for (int64_t i = 0; i < n_folds; i++)
			for (int k = 0; k < c.n; k++) {
				int64_t m = c.start[k + 1] - c.start[k], n = 0;

				for (int64_t j = f.start[i]; j < f.start[i + 1]; j++)
					n += y[f.row[j]] == c.label[k];
				CHECK(n == (i + 1) * m / n_folds - i * m / n_folds,
				      "%" PRId64 " of %" PRId64 " in fold %" PRId64, n, m, i);
			}
		folds_free(&f);
		classes_free(&c);
		csr_free(&d.x);
	}
}

static void test_outside(void)
{
	int64_t start[] = { 0, 3, 3, 5 }, rows[] = { 4, 0, 2, 1, 3 }, row[5];
	struct folds f = { .n = 3, .start = start, .row = rows };

	CHECK(folds_outside(&f, 0, row) == 2 && row[0] == 1 && row[1] == 3, "%" PRId64, row[0]);
	CHECK(folds_outside(&f, 1, row) == 5 && !memcmp(row, rows, sizeof(rows)), "%" PRId64,
	      row[0]);
	CHECK(folds_outside(&f, 2, row) == 3 && !memcmp(row, rows, 3 * sizeof(row[0])), "%" PRId64,
	      row[0]);
}

/* ---- A training set and all that trains on it ---- */

static const struct tiny_solver tiny = { .solver.solve = tiny_solve };
static double predicted[MAX_N];

static void setting_init(struct setting *s, int n_class, int64_t n)
{
	small_setting(s, n_class, n, 0.7, 1e-5);
	s->trainer.solver = &tiny.solver;
	memset(predicted, 0, sizeof(predicted));
}

/* ---- What is said of the rows, and what has been drawn ---- */

/* Values may be off by what eps allows; labels here are not so near a boundary. */
static void expect_like_libsvm(struct setting *s, int n_folds)
{
	bool classifies = machine_classifies(s->training.type);
	double theirs[MAX_N];
	struct error err = { 0 };
	int next;

	srand(7);
	CHECK(libsvm_cross_validate(&s->d, &s->training, n_folds, NULL, theirs, &err) == 0, "%s",
	      err.text);
	next = rand();
	srand(7);
	CHECK(cross_validate(&s->trainer, false, n_folds, NULL, NULL, predicted, &err) == 0, "%s",
	      err.text);
	CHECK(rand() == next, "other numbers drawn, %d folds", n_folds);
	for (int64_t i = 0; i < s->d.x.n_rows; i++)
		CHECK(fabs(predicted[i] - theirs[i]) <= (classifies ? 0 : 2e-3),
		      "row %" PRId64 ": %g, not %g", i, predicted[i], theirs[i]);
}

static void test_against_libsvm(void)
{
	static struct setting s;

	for (int n_class = 0; n_class <= 4; n_class += n_class ? 1 : 2)
		for (int probability = 0; probability <= 1; probability++) {
			setting_init(&s, n_class, 90);
			s.training.probability = probability;
			expect_like_libsvm(&s, 2);
			expect_like_libsvm(&s, 5);
			setting_free(&s);
		}
	setting_init(&s, 3, 40);
	expect_like_libsvm(&s, 39);
	expect_like_libsvm(&s, 40);
	setting_free(&s);
}

static void setting_of_nu(struct setting *s, enum machine_type type, int n_class, double nu)
{
	setting_init(s, n_class, 200);
	s->training.type = type;
	s->training.nu = nu;
	s->trainer.solver = &s->solver;
}

static void test_machines_of_nu(void)
{
	static struct setting s;

	setting_of_nu(&s, MACHINE_ONE_CLASS, 1, 0.2);
	expect_like_libsvm(&s, 5);
	setting_free(&s);
	for (int probability = 0; probability <= 1; probability++) {
		setting_of_nu(&s, MACHINE_NU_SVC, 2, 0.6);
		s.training.probability = probability;
		expect_like_libsvm(&s, 4);
		setting_free(&s);
	}
}

static void marks_fitted(void *arg, bool enough)
{
	int *n = arg;

	*n += enough ? 1 : 100;
}

/* The marks are those of the decision values of the rows trained on; of few there are none. */
static void test_density_marks(void)
{
	static struct setting s;
	struct solution solution = { 0 };
	struct pair_result pair;
	struct error err = { 0 };
	int n_told = 0;
	struct validation_observer observer = { .marks_fitted = marks_fitted, .arg = &n_told };

	setting_of_nu(&s, MACHINE_ONE_CLASS, 1, 0.2);
	s.training.probability = 1;
	CHECK(train_calibrated(&s.trainer, NULL, &observer, &solution, &pair, &err) == 0, "%s",
	      err.text);
	CHECK(n_told == 1 && solution.n_density_marks == 10 && solution.density_marks &&
		      !solution.prob_a,
	      "%d marks", solution.n_density_marks);
	for (int k = 1; k < 10; k++)
		CHECK(solution.density_marks[k - 1] < solution.density_marks[k], "mark %d", k);
	CHECK(solution.density_marks[4] < 0 && solution.density_marks[5] > 0, "0 is elsewhere");
	solution_free(&solution);
	s.d.x.n_rows = 8; /* of these less than five are on one side */
	CHECK(train_calibrated(&s.trainer, NULL, &observer, &solution, &pair, &err) == 0, "%s",
	      err.text);
	CHECK(n_told == 101 && !solution.density_marks, "marks of few values");
	solution_free(&solution);
	setting_free(&s);
}

/* Of a class of one row no model of the others knows. */
static void test_single_row(void)
{
	static struct setting s;

	for (int n_class = 1; n_class <= 3; n_class++) {
		setting_init(&s, n_class, 60);
		s.y[11] = 8;
		for (s.training.probability = 0; s.training.probability <= 1;
		     s.training.probability++) {
			expect_like_libsvm(&s, 4);
			CHECK(predicted[11] != 8, "known all the same");
		}
		setting_free(&s);
	}
}

/* Classes of one row each are all in the last fold: then there is nothing to train on. */
static void test_nothing_left(void)
{
	static struct setting s;
	struct error err = { 0 };

	setting_init(&s, 1, 3);
	for (int i = 0; i < 3; i++)
		s.y[i] = i;
	CHECK(cross_validate(&s.trainer, false, 2, NULL, NULL, predicted, &err) == 0, "%s",
	      err.text);
	for (int i = 0; i < 3; i++)
		CHECK(isnan(predicted[i]), "%g", predicted[i]);
	setting_free(&s);
}

/* ---- Probabilities ---- */

static void expect_constants(struct setting *s)
{
	bool classifies = machine_classifies(s->training.type);
	struct solution ours = { 0 }, theirs = { 0 };
	struct pair_result pairs[6] = { 0 };
	struct classes classes = { 0 };
	struct error err = { 0 };
	int next;

	s->training.probability = 1;
	CHECK(!classifies || classes_init(&classes, &s->d, &err) == 0, "%s", err.text);
	srand(7);
	CHECK(libsvm_train(&s->d, &s->training, NULL, &theirs, &err) == 0, "%s", err.text);
	next = rand();
	srand(7);
	CHECK(train_calibrated(&s->trainer, classifies ? &classes : NULL, NULL, &ours, pairs,
			       &err) == 0,
	      "%s", err.text);
	CHECK(rand() == next, "other numbers drawn");
	CHECK(!ours.prob_b == !classifies, "probB");
	for (int64_t q = 0; q < solution_n_pairs(ours.n_class); q++) {
		CHECK(fabs(ours.prob_a[q] - theirs.prob_a[q]) <= 1e-3 * fabs(theirs.prob_a[q]),
		      "A %g, not %g", ours.prob_a[q], theirs.prob_a[q]);
		CHECK(!classifies || fabs(ours.prob_b[q] - theirs.prob_b[q]) <= 1e-3,
		      "B %g, not %g", ours.prob_b[q], theirs.prob_b[q]);
	}
	classes_free(&classes);
	solution_free(&theirs);
	solution_free(&ours);
}

static void test_constants(void)
{
	static struct setting s;

	for (int n_class = 0; n_class <= 4; n_class += n_class ? 1 : 2) {
		setting_init(&s, n_class, 150);
		expect_constants(&s);
		setting_free(&s);
	}
	setting_init(&s, 1, 50);
	s.y[20] = 8; /* alone in its class */
	expect_constants(&s);
	setting_free(&s);
	setting_init(&s, 2, 7); /* folds of one row and of none */
	s.y[0] = 5;
	s.y[1] = 7;
	expect_constants(&s);
	setting_free(&s);
}

/* An error that is far out does not count. */
static void test_outliers(void)
{
	static struct setting s;

	setting_init(&s, 0, 150);
	s.y[3] = 300;
	s.y[77] = -300;
	expect_constants(&s);
	setting_free(&s);
}

/* ---- Threads, modes, observers ---- */

static void test_threads(void)
{
	static struct setting s;
	double first[MAX_N];
	struct error err = { 0 };

	for (int n_class = 0; n_class <= 3; n_class += 3) {
		setting_init(&s, n_class, 280);
		for (int n_threads = 1; n_threads <= 5; n_threads += 2) {
			s.options.n_threads = n_threads;
			srand(1);
			CHECK(cross_validate(&s.trainer, false, 3, NULL, NULL, predicted, &err) ==
				      0,
			      "%s", err.text);
			if (n_threads == 1)
				memcpy(first, predicted, sizeof(first));
			CHECK(!memcmp(first, predicted, 280 * sizeof(double)), "%d threads",
			      n_threads);
		}
		setting_free(&s);
	}
}

/* ---- Folds that take their part of one kernel matrix ---- */

enum { SHARED_N = 120, SHARED_FOLDS = 60, SHARED_CLASSES = 4, SHARED_PAIRS = 6 };

/* Of each fold in turn, what its training found. */
struct fold_record {
	int n;
	int64_t n_sv[SHARED_FOLDS];
	double rho[SHARED_FOLDS][SHARED_PAIRS], dual[SHARED_FOLDS][SHARED_PAIRS];
};

static void record_fold(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	struct fold_record *r = arg;

	r->n_sv[r->n] = s->n_sv;
	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++) {
		r->rho[r->n][q] = s->rho[q];
		r->dual[r->n][q] = pairs[q].solved.certificate.dual;
	}
	r->n++;
}

/* The rows outside a fold as a data set, with a kernel matrix of its own: the same bits. */
static void expect_fold_alone(const struct setting *s, const struct folds *folds, int fold,
			      const struct fold_record *record)
{
	bool classifies = s->training.type == MACHINE_C_SVC;
	int64_t row[SHARED_N], n = folds_outside(folds, fold, row);
	struct pair_result pairs[SHARED_PAIRS];
	struct trainer t = s->trainer;
	struct trainer_subset all;
	struct solution solution = { 0 };
	struct classes classes = { 0 };
	struct kernel_matrix matrix;
	struct dataset d = { 0 };
	struct error err = { 0 };

	CHECK(dataset_gather(&d, &s->d, row, n, &err) == 0 &&
		      kernel_matrix_init_doubles(&matrix, &d.x, &s->training.kernel, 1, &err) == 0,
	      "%s", err.text);
	for (int64_t i = 0; i < n; i++)
		row[i] = i;
	all = (struct trainer_subset){ { n, row, d.y }, &matrix };
	t.data = &d;
	t.subset = &all;
	CHECK(!classifies || classes_init_list(&classes, &all.examples, &err) == 0, "%s", err.text);
	CHECK(trainer_run(&t, classifies ? &classes : NULL, &solution, pairs, &err) == 0, "%s",
	      err.text);
	CHECK(solution.n_sv == record->n_sv[fold], "fold %d: %" PRId64 " vectors, not %" PRId64,
	      fold, record->n_sv[fold], solution.n_sv);
	for (int64_t q = 0; q < solution_n_pairs(solution.n_class); q++)
		CHECK(solution.rho[q] == record->rho[fold][q] &&
			      pairs[q].solved.certificate.dual == record->dual[fold][q],
		      "fold %d: rho %.17g, not %.17g", fold, record->rho[fold][q], solution.rho[q]);
	solution_free(&solution);
	classes_free(&classes);
	kernel_matrix_free(&matrix);
	dataset_free(&d);
}

/* Predictions with a cache that has no room for a matrix: each fold a data set of its own. */
static void expect_same_predictions(struct setting *s)
{
	struct solver solver = smo_solver(0.1, 1);
	struct trainer t = s->trainer;
	struct error err = { 0 };
	double again[SHARED_N];

	t.solver = &solver;
	CHECK(!trainer_shares_matrix(&t, NULL, 1e6), "no room for a matrix, but it is shared");
	srand(3);
	CHECK(cross_validate(&t, false, SHARED_FOLDS, NULL, NULL, again, &err) == 0, "%s",
	      err.text);
	for (int64_t i = 0; i < SHARED_N; i++)
		CHECK(s->training.type == MACHINE_C_SVC ? again[i] == predicted[i] :
							  fabs(again[i] - predicted[i]) < 1e-4,
		      "row %" PRId64 ": %g, not %g", i, predicted[i], again[i]);
}

/* Other rows, so long that the five folds of a pair have a matrix, with the same labels. */
static void lengthen_rows(struct setting *s)
{
	csr_free(&s->d.x);
	random_rows(&s->d.x, SHARED_N, 500, 0.95);
	for (int64_t i = 0; i < SHARED_N; i++)
		for (int64_t k = s->d.x.row_start[i]; k < s->d.x.row_start[i] + 20; k++)
			s->d.x.val[k] += s->y[i] / 4;
	s->training.kernel.gamma = 0.001;
}

/* The parameters of probabilities, with a matrix and without. */
static void expect_same_probabilities(struct setting *s, const struct classes *classes)
{
	struct solver solver = smo_solver(0.1, 1);
	struct training training;
	struct pair_result pairs[SHARED_PAIRS];
	struct solution with = { 0 }, without = { 0 };
	struct trainer t = s->trainer;
	struct error err = { 0 };

	lengthen_rows(s);
	training = s->training;
	training.probability = 1;
	t.training = &training;
	CHECK(trainer_shares_matrix(&t, classes, 4), "no matrix for the folds of pairs");
	srand(3);
	CHECK(train_calibrated(&t, classes, NULL, &with, pairs, &err) == 0, "%s", err.text);
	t.solver = &solver;
	srand(3);
	CHECK(train_calibrated(&t, classes, NULL, &without, pairs, &err) == 0, "%s", err.text);
	for (int64_t q = 0; q < solution_n_pairs(with.n_class); q++)
		CHECK(fabs(with.prob_a[q] - without.prob_a[q]) < 1e-4 * fabs(with.prob_a[q]) &&
			      (!classes || fabs(with.prob_b[q] - without.prob_b[q]) < 1e-4),
		      "pair %" PRId64 ": A %g, not %g", q, with.prob_a[q], without.prob_a[q]);
	solution_free(&with);
	solution_free(&without);
}

static void test_shared_matrix(void)
{
	static const int n_class[] = { 0, 2, SHARED_CLASSES };
	static struct setting s;

	for (int i = 0; i < 3; i += UNIT_IS_SANITIZED ? 2 : 1) {
		struct fold_record record = { 0 };
		struct validation_observer observer = { .fold_trained = record_fold,
							.arg = &record };
		struct solver solver = smo_solver(100, 2);
		struct error err = { 0 };
		struct folds folds;

		setting_init(&s, n_class[i], SHARED_N);
		s.options.sample = SHARED_N;
		s.trainer.solver = &solver;
		CHECK(trainer_shares_matrix(&s.trainer, classes_of(&s), SHARED_FOLDS - 1),
		      "%d classes: no matrix", n_class[i]);
		srand(3);
		CHECK(cross_validate(&s.trainer, false, SHARED_FOLDS, &observer, NULL, predicted,
				     &err) == 0,
		      "%s", err.text);
		srand(3);
		CHECK(folds_of_data(&folds, &s.d, (struct fold_draw){ .n_folds = SHARED_FOLDS },
				    n_class[i] > 0, &err) == 0,
		      "%s", err.text);
		for (int f = 0; f < SHARED_FOLDS; f++)
			expect_fold_alone(&s, &folds, f, &record);
		expect_same_predictions(&s);
		expect_same_probabilities(&s, classes_of(&s));
		folds_free(&folds);
		setting_free(&s);
	}
}

struct watch {
	const struct setting *s;
	int started, started_inside, trained, scales;
};

static void fold_started(void *arg, const struct fold_training *fold)
{
	struct watch *w = arg;

	CHECK(fold->number >= 1 && fold->number <= fold->n_folds && fold->n > 0 &&
		      fold->n < w->s->d.x.n_rows,
	      "fold %" PRId64 " of %" PRId64 ", %" PRId64 " rows", fold->number, fold->n_folds,
	      fold->n);
	CHECK(fold->n_folds == (fold->for_probabilities ? 5 : 3), "%" PRId64 " folds",
	      fold->n_folds);
	CHECK((fold->label_a != fold->label_b) ==
		      (fold->for_probabilities && machine_classifies(w->s->training.type)),
	      "classes %d and %d", fold->label_a, fold->label_b);
	w->started++;
	w->started_inside += fold->for_probabilities;
}

/* Is it the C of some class?  Classes have other labels while probabilities are fitted. */
static bool is_some_c(const struct setting *s, double value)
{
	bool found = value == s->training.C;

	for (int64_t i = 0; i < s->d.x.n_rows; i++)
		found = found || value == classes_c(&s->training, (int)s->d.y[i]);
	return found;
}

/* The numbers that svm-train prints, from what a fold's training has left. */
static void fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	struct watch *w = arg;
	int64_t n_sv = 0, n_bounded = 0;
	double sum = 0;

	w->trained++;
	if (s->n_class > 2)
		return;
	for (int64_t j = 0; j < s->n_sv; j++) {
		n_sv++;
		n_bounded += is_some_c(w->s, fabs(s->coef[j]));
		sum += fabs(s->coef[j]);
	}
	CHECK(pairs[0].solved.certificate.n_sv == n_sv &&
		      pairs[0].solved.certificate.n_bounded_sv == n_bounded &&
		      fabs(pairs[0].solved.certificate.sum_abs_beta - sum) <= 1e-9 * sum &&
		      n_sv > 0,
	      "%" PRId64 " of %" PRId64 " vectors", pairs[0].solved.certificate.n_sv, n_sv);
	CHECK(pairs[0].solved.certificate.dual > 0 && pairs[0].solved.certificate.dual < sum,
	      "dual %g of %g", pairs[0].solved.certificate.dual, sum);
}

/* Of sigmoids that are fitted to the end nothing is said; of a regression's errors their scale. */
static void count_scale(void *arg, const char *text)
{
	struct watch *w = arg;
	const char *sigma = strstr(text, "sigma= ");

	CHECK(sigma && strtod(sigma + 7, NULL) > 0 && strtod(sigma + 7, NULL) < 1, "%s", text);
	w->scales++;
}

/* Three folds, in each as many pairs of five folds. */
static void test_observer(void)
{
	static struct setting s;

	for (int n_class = 0; n_class <= 3; n_class += n_class ? 1 : 2) {
		int n_pairs = n_class == 3 ? 3 : 1;
		struct watch w = { .s = &s };
		struct validation_observer observer = { .fold_started = fold_started,
							.fold_trained = fold_trained,
							.arg = &w };
		const struct libsvm_messages messages = { count_scale, &w };
		struct error err = { 0 };

		setting_init(&s, n_class, 80);
		s.training.probability = 1;
		s.trainer.messages = &messages;
		CHECK(cross_validate(&s.trainer, false, 3, &observer, NULL, predicted, &err) == 0,
		      "%s", err.text);
		CHECK(w.started_inside == 15 * n_pairs && w.started == 3 + 15 * n_pairs &&
			      w.trained == w.started,
		      "%d folds started, %d within, %d trained", w.started, w.started_inside,
		      w.trained);
		CHECK(w.scales == (n_class ? 0 : 3), "%d scales", w.scales);
		setting_free(&s);
	}
}

/* ---- Memory ---- */

static int cross_validate_once(void *arg, struct error *err)
{
	struct setting *s = arg;

	return cross_validate(&s->trainer, false, 2, NULL, NULL, predicted, err);
}

static int calibrate_once(void *arg, struct error *err)
{
	static const struct solution empty;
	struct setting *s = arg;
	struct classes classes = { 0 };
	struct pair_result pairs[3] = { 0 };
	struct solution solution = { 0 };
	bool classifies = machine_classifies(s->training.type);
	int ret = classifies ? classes_init(&classes, &s->d, err) : 0;

	if (ret == 0)
		ret = train_calibrated(&s->trainer, classifies ? &classes : NULL, NULL, &solution,
				       pairs, err);
	CHECK((ret == 0) == !!memcmp(&solution, &empty, sizeof(empty)),
	      "%" PRId64 " vectors after %d", solution.n_sv, ret);
	solution_free(&solution);
	classes_free(&classes);
	return ret;
}

static int gather_once(void *arg, struct error *err)
{
	static const int64_t row[] = { 3, 0, 3 };
	static const struct dataset empty;
	const struct setting *s = arg;
	struct dataset part;
	int ret = dataset_gather(&part, &s->d, row, 3, err);

	CHECK(ret == 0 ? part.x.n_rows == 3 && part.y[0] == s->y[3] && part.y[1] == s->y[0] &&
				 part.y[2] == s->y[3] :
			 !memcmp(&part, &empty, sizeof(empty)),
	      "%" PRId64 " rows after %d", part.x.n_rows, ret);
	dataset_free(&part);
	return ret;
}

static void test_memory(void)
{
	static struct setting s;

	for (int n_class = 0; n_class <= 2; n_class += 2) {
		setting_init(&s, n_class, 24);
		s.options.sample = 12;
		s.options.n_threads = 1;
		s.training.eps = s.options.eps = 1e-2;
		fail_each_allocation("dataset_gather", gather_once, &s);
		fail_each_allocation("cross_validate", cross_validate_once, &s);
		s.training.probability = 1;
		fail_each_allocation("train_calibrated", calibrate_once, &s);
		fail_each_allocation("cross_validate -b 1", cross_validate_once, &s);
		setting_free(&s);
	}
}

/* ---- Interruption ---- */

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void test_interruption(void)
{
	static const struct interruption interruption = { .requested = always };
	static struct setting s;

	for (int probability = 0; probability <= 1; probability++) {
		struct tiny_solver interrupted = tiny;
		struct error err = { 0 };

		setting_init(&s, 2, 60);
		interrupted.solver.interruption = &interruption;
		s.trainer.solver = &interrupted.solver;
		s.training.probability = probability;
		CHECK((probability ? calibrate_once : cross_validate_once)(&s, &err) == -1 &&
			      err.code == ERR_INTERRUPTED,
		      "code %d: %s", err.code, err.text);
		setting_free(&s);
	}
}

int main(void)
{
	test_random_folds();
	test_shuffle();
	test_stratified_folds();
	test_outside();
	test_against_libsvm();
	test_machines_of_nu();
	test_density_marks();
	test_single_row();
	test_nothing_left();
	test_constants();
	test_outliers();
	test_threads();
	test_shared_matrix();
	test_observer();
	if (!UNIT_FINDS_RACES)
		test_memory();
	test_interruption();
	return unit_report("cross_validation");
}
