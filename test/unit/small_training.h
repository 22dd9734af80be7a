/*
 * small_training.h - a small training set and how to train on it, for tests
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SMALL_TRAINING_H
#define RANDSVM_SMALL_TRAINING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "matrix/csr.h"
#include "matrix/dataset.h"
#include "problem/classes.h"
#include "problem/training.h"
#include "random.h"
#include "smo/smo.h"
#include "train/rounds.h"
#include "train/trainer.h"
#include "unit.h"

/*
 * small_dataset() - n rows: clouds about n_class corners of a square, or a wave where it is 0
 *
 * The corners are 2 'distance' apart; at most five classes.  Adds to the empty d->x; the targets are
 * in 'y', which d->y becomes.
 */
static inline void small_dataset(struct dataset *d, double *y, int n_class, int64_t n,
				 double distance)
{
	static const int labels[] = { 5, 7, -3, 0, 2 };

	random_rows(&d->x, n, 4, 0.95);
	d->y = y;
	for (int64_t i = 0; i < n; i++) {
		int64_t k = random_below(n_class ? n_class : 1), start = d->x.row_start[i];

		y[i] = n_class ? labels[k] : sin(csr_row_norm2(&d->x, i)) + random_normal() / 4;
		for (int64_t c = 0; n_class && c < 2 && start + c < d->x.row_start[i + 1]; c++)
			d->x.val[start + c] += k >> c & 1 ? distance : -distance;
	}
}

/* small_training() - how to train on that: two of the classes have weights */
static inline struct training small_training(bool classifies, double eps)
{
	static const struct class_weight weights[] = { { 7, 2 }, { 5, 0.5 } };

	return (struct training){ .type = classifies ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
				  .C = 3,
				  .p = 0.1,
				  .eps = eps,
				  .kernel = { .type = KERNEL_RBF, .gamma = 0.3 },
				  .cache_mb = 10,
				  .shrinking = 1,
				  .n_weights = classifies ? 2 : 0,
				  .weight = weights };
}

/* small_problem() - of classes a and b, or of all rows of a regression, where 'classes' is NULL */
static inline void small_problem(struct problem *p, const struct dataset *d,
				 const struct training *training, const struct classes *classes,
				 int a, int b)
{
	const struct class_choice pair = { a, b, false };
	struct error err = { 0 };
	int ret = classes_pair_problem(p, classes, pair, d, training, &err);

	CHECK(ret == 0, "%s", err.text);
}

/* small_options() - mode exact; the first sample is 30 examples */
static inline struct randsvm_options small_options(double eps)
{
	return (struct randsvm_options){ .mode = WORKING_SET_EXACT,
					 .seed = 3,
					 .eps = eps,
					 .epsilon = 0.2,
					 .delta = 0.9,
					 .sample_factor = 2,
					 .sample = 30,
					 .n_threads = 2 };
}

/* ---- A training set and all that trains on it ---- */

enum { SMALL_MOST_ROWS = 1200, SMALL_MOST_PAIRS = 10 };

/* It stays where it was made: the trainer has its address. */
struct setting {
	struct dataset d;
	double y[SMALL_MOST_ROWS];
	struct classes classes; /* empty of a regression */
	struct training training;
	struct randsvm_options options;
	struct solver solver; /* the native one, on one thread at first */
	struct trainer trainer;
	struct solution solution; /* the caller's to train; empty at first */
	struct pair_result pairs[SMALL_MOST_PAIRS];
};

/* small_trainer() - all of a setting but its data, which are left; by the native solver */
static inline void small_trainer(struct setting *s, bool classifies, double eps)
{
	s->training = small_training(classifies, eps);
	s->options = small_options(eps);
	s->solver = smo_solver(10, 1);
	s->trainer = (struct trainer){ .data = &s->d,
				       .training = &s->training,
				       .options = &s->options,
				       .solver = &s->solver };
}

/* small_setting() - of the data of small_dataset() */
static inline void small_setting(struct setting *s, int n_class, int64_t n, double distance,
				 double eps)
{
	struct error err = { 0 };

	memset(s, 0, sizeof(*s));
	small_dataset(&s->d, s->y, n_class, n, distance);
	small_trainer(s, n_class > 0, eps);
	CHECK(!n_class || classes_init(&s->classes, &s->d, &err) == 0, "%s", err.text);
}

static inline void setting_free(struct setting *s)
{
	solution_free(&s->solution);
	classes_free(&s->classes);
	csr_free(&s->d.x);
}

/* classes_of() - NULL where the machine has none */
static inline const struct classes *classes_of(const struct setting *s)
{
	return machine_classifies(s->training.type) ? &s->classes : NULL;
}

static inline int64_t n_pairs_of(const struct setting *s)
{
	return classes_of(s) ? solution_n_pairs(s->classes.n) : 1;
}

#endif
