/*
 * linear_sample.h - problems for the linear engine, for tests
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_SAMPLE_H
#define RANDSVM_LINEAR_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "linear/linear.h"
#include "linear/linear_rows.h"
#include "matrix/csr.h"
#include "problem/problem.h"
#include "random.h"
#include "unit.h"

/* A problem with its arrays, and the solution; owns them. */
struct linear_sample {
	struct problem_view view;
	struct csr x;
	int64_t *row;
	double *target, *beta, *f;
	struct linear_result result;
};

static inline void linear_sample_free(struct linear_sample *s)
{
	csr_free(&s->x);
	free(s->row);
	free(s->target);
	free(s->beta);
	free(s->f);
}

/*
 * linear_sample_finish() - a problem of rows already in s->x: C is 1, the tube of epsilon-SVR 0.3
 *
 * Targets are by a random plane and 'noise'; of two classes both are there.  One-class has the
 * target 1.  The sums that nu gives are left to the caller.
 */
static inline void linear_sample_finish(struct linear_sample *s, enum machine_type type,
					double noise)
{
	bool is_value = type == MACHINE_EPSILON_SVR || type == MACHINE_NU_SVR;
	int64_t n = s->x.n_rows;
	double *plane = malloc((size_t)s->x.n_cols * sizeof(*plane));

	s->row = malloc((size_t)n * sizeof(*s->row));
	s->target = malloc((size_t)n * sizeof(*s->target));
	s->beta = malloc((size_t)n * sizeof(*s->beta));
	s->f = malloc((size_t)n * sizeof(*s->f));
	for (int64_t j = 0; j < s->x.n_cols; j++)
		plane[j] = random_normal();
	for (int64_t i = 0; i < n; i++) {
		double y = csr_row_dot(&s->x, i, plane) + noise * random_normal();

		s->row[i] = i;
		s->target[i] = is_value ? y : type == MACHINE_ONE_CLASS ? 1 : y > 0.5 ? 1 : -1;
	}
	if ((type == MACHINE_C_SVC || type == MACHINE_NU_SVC) && n > 1) {
		s->target[0] = 1;
		s->target[1] = -1;
	}
	s->view = (struct problem_view){ .type = type,
					 .kernel = { KERNEL_LINEAR, 3, 1, 0 },
					 .x = &s->x,
					 .row = s->row,
					 .target = s->target,
					 .n = n,
					 .c_plus = 1,
					 .c_minus = 1,
					 .epsilon = type == MACHINE_EPSILON_SVR ? 0.3 : 0 };
	free(plane);
}

/* linear_sample_solve() - by the linear engine; what linear_solve() returns, which is no failure */
static inline int linear_sample_solve(struct linear_sample *s, double eps, int n_threads)
{
	struct linear_options o = { .eps = eps, .n_threads = n_threads, .seed = 1 };
	struct error err = { 0 };
	int ret = linear_solve(&s->view, &o, s->beta, s->f, &s->result, &err);

	CHECK(ret >= 0, "%s", err.text);
	return ret;
}

/* linear_sample_solve_again() - for fail_each_allocation(); 'arg' is a struct linear_sample */
static inline int linear_sample_solve_again(void *arg, struct error *err)
{
	struct linear_sample *s = arg;
	struct linear_options o = { .eps = 1e-4, .n_threads = 2, .seed = 3 };
	int ret = linear_solve(&s->view, &o, s->beta, s->f, &s->result, err);

	return ret < 0 ? -1 : 0;
}

/* stop_at_third() - for 'interrupted': true when asked for the third time; 'arg' is an int, 0 */
static inline bool stop_at_third(void *arg)
{
	return ++*(int *)arg == 3;
}

/*
 * for_each_direction() - call 'check' for rows that take each way to a direction of Newton's
 *
 * 'n_inside' of the rows count; the way is the one 'wanted': "primal", "dual" or "conjugate".
 */
static inline void for_each_direction(void (*check)(const struct linear_rows *x, int64_t n_inside,
						    const char *wanted))
{
	static const struct {
		int64_t n;
		int32_t n_cols;
		double density;
		int64_t n_inside;
		const char *wanted;
	} shapes[] = {
		{ 500, 20, 0.5, 300, "primal" },
		{ 500, 20, 1, 300, "primal" },
		{ 200, 1500, 0.02, 90, "dual" },
		{ 2500, 1500, 0.004, 2000, "conjugate" },
	};

	for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
		struct csr a = { 0 };
		struct linear_rows x;
		struct error err = { 0 };
		int64_t *row = malloc((size_t)shapes[k].n * sizeof(*row));

		random_rows(&a, shapes[k].n, shapes[k].n_cols + 1, shapes[k].density);
		for (int64_t i = 0; i < shapes[k].n; i++)
			row[i] = i;
		CHECK(linear_rows_init(&x, &a, row, shapes[k].n, NULL, &err) == 0, "%s", err.text);
		check(&x, shapes[k].n_inside, shapes[k].wanted);
		linear_rows_free(&x);
		csr_free(&a);
		free(row);
	}
}

#endif
