/*
 * fuzz_training.c - tiny problems of all five machines, trained by ours and by LIBSVM
 *
 * The bytes are machine, kernel, parameters and rows.  Both results are certified over all rows, and
 * bound each other's: with a definite kernel no dual is above a primal, whosever it is, but for the
 * rounding that the certificates admit.  Ours is at most as far above LIBSVM's dual as the tolerance
 * lets a solution be.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "matrix/csr.h"
#include "require.h"
#include "smo/smo.h"
#include "train/trainer.h"

enum { MOST_ROWS = 24, N_COLS = 3, MOST_PAIRS = 3, HEAD = 6 };

static const double values[] = {
	0, 1, -1, 0.5, -0.25, 2, 1e-9, 3, -3, 0.1, 1e-3, 10, -0.7, 0, 1, 0
};
static const double costs[] = { 1, 0.01, 100, 10, 1e-6, 1e4, 0.5, 2 };

struct trial {
	struct dataset d;
	double y[MOST_ROWS];
	struct classes classes;
	struct training t;
	struct randsvm_options options;
	struct solver solver;
	struct trainer trainer;
};

static double choose(const double *from, size_t n, uint8_t byte)
{
	return from[byte % n];
}

#define CHOOSE(array, byte) choose(array, sizeof(array) / sizeof(*(array)), byte)

/* Rows of three bytes and one of the label or target. */
static void add_rows(struct trial *s, const uint8_t *data, size_t size)
{
	int64_t n = (int64_t)(size / (N_COLS + 1)), start[MOST_ROWS + 1] = { 0 }, e = 0;
	bool classifies = machine_classifies(s->t.type);
	double value[MOST_ROWS * N_COLS];
	int32_t index[MOST_ROWS * N_COLS];
	struct error err = { 0 };

	n = n < MOST_ROWS ? n : MOST_ROWS;
	for (int64_t i = 0; i < n; i++, data += N_COLS + 1) {
		for (int j = 0; j < N_COLS; j++) {
			value[e] = CHOOSE(values, data[j]);
			index[e] = j + 1;
			e += value[e] != 0;
		}
		start[i + 1] = e;
		s->y[i] = classifies ? data[N_COLS] % 3 : CHOOSE(values, data[N_COLS]);
	}
	REQUIRE(csr_append(&s->d.x, n, start, index, value, &err) == 0);
	s->d.y = s->y;
}

static void set_parameters(struct trial *s, const uint8_t *data)
{
	static const enum kernel_type kernels[] = { KERNEL_LINEAR, KERNEL_POLYNOMIAL, KERNEL_RBF };

	s->t = (struct training){ .type = (enum machine_type)(data[0] % 5),
				  .kernel = { .type = kernels[data[1] % 3],
					      .degree = 1 + data[1] / 3 % 3,
					      .gamma = 0.1 + data[2] % 8,
					      .coef0 = data[2] / 8 % 2 },
				  .C = CHOOSE(costs, data[3]),
				  .nu = (1 + data[4] % 100) / 100.0,
				  .p = data[4] % 10 / 20.0,
				  .cache_mb = 1,
				  .eps = data[5] % 2 ? 1e-3 : 1e-5,
				  .shrinking = data[5] / 2 % 2 };
	s->options = (struct randsvm_options){ .mode = WORKING_SET_EXACT,
					       .seed = data[5],
					       .eps = s->t.eps,
					       .epsilon = 0.2,
					       .delta = 0.9,
					       .sample_factor = 2,
					       .sample = 2 + data[5] % 16,
					       .n_threads = 1 };
	s->solver = smo_solver(1, 1);
	s->trainer = (struct trainer){ .data = &s->d,
				       .training = &s->t,
				       .options = &s->options,
				       .solver = &s->solver,
				       .certifies = true };
}

/*
 * P - D of a solution whose conditions hold to within eps is at most eps sum_i (U_i + L_i), as P - D
 * is a sum over multipliers of a distance to a bound times a violation.
 */
static double allowed(const struct trial *s, const struct pair_result *pair)
{
	bool of_c = s->t.type == MACHINE_C_SVC || machine_is_regression(s->t.type);

	return s->t.eps * 2 * (double)pair->n * (of_c ? s->t.C : 1);
}

static void compare(const struct trial *s, const struct pair_result *ours,
		    const struct pair_result *theirs)
{
	const struct certificate *a = &ours->solved.certificate, *b = &theirs->solved.certificate;
	double slack = a->rounding + b->rounding + 1e-12 * (fabs(a->primal) + fabs(b->primal));

	REQUIRE(isfinite(a->primal) && isfinite(a->dual) && a->dual <= a->primal + slack);
	/* LIBSVM divides nu-SVC's multipliers by an r that it knows to within the tolerance */
	if (s->t.type == MACHINE_NU_SVC)
		return;
	REQUIRE(a->dual <= b->primal + slack);
	if (b->dual > -INFINITY) {
		REQUIRE(b->dual <= a->primal + slack);
		REQUIRE(a->primal - b->dual <= allowed(s, ours) + slack + b->primal - b->dual);
	}
}

static void train_both(struct trial *s, const struct classes *classes)
{
	struct pair_result ours[MOST_PAIRS] = { 0 }, theirs[MOST_PAIRS] = { 0 };
	struct solution a = { 0 }, b = { 0 };
	struct error err = { 0 }, other = { 0 };
	int64_t n_pairs = classes ? solution_n_pairs(classes->n) : 1;

	if (trainer_run(&s->trainer, classes, &a, ours, &err) < 0)
		REQUIRE(err.code == ERR_NUMERIC && *err.text);
	else if (libsvm_train(&s->d, &s->t, NULL, &b, &other) == 0) {
		if (trainer_certify(&s->trainer, classes, &b, theirs, &other) == 0)
			for (int64_t q = 0; q < n_pairs; q++)
				compare(s, &ours[q], &theirs[q]);
	}
	solution_free(&a);
	solution_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct trial s;
	struct error err = { 0 };
	bool good = true;

	if (size < HEAD + 2 * (N_COLS + 1))
		return 0;
	memset(&s, 0, sizeof(s));
	set_parameters(&s, data);
	add_rows(&s, data + HEAD, size - HEAD);
	if (machine_classifies(s.t.type)) {
		REQUIRE(classes_init(&s.classes, &s.d, &err) == 0);
		good = s.classes.n > 1 &&
		       (s.t.type != MACHINE_NU_SVC || classes_allow_nu(&s.classes, &s.d, s.t.nu));
	}
	if (good && !training_fault(&s.t))
		train_both(&s, machine_classifies(s.t.type) ? &s.classes : NULL);
	classes_free(&s.classes);
	csr_free(&s.d.x);
	return 0;
}
