/*
 * world.h - a problem with its arrays and its multipliers, for tests
 *
 *     struct world w;
 *
 *     world_init(&w, (struct problem_view){ .type = MACHINE_C_SVC, .n = 50, .c_plus = 1, ... });
 *     random_rows(&w.x, 50, 5, 0.8);
 *     ... w.target[i] = ...
 *     CHECK(world_solve(&w, smo_solver(10, 1), 1e-3, &err) == 0, "%s", err.text);
 *     world_free(&w);
 *
 * plain_problem.h says what must then hold.  A world stays where it was made: p has its address.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_WORLD_H
#define RANDSVM_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "full.h"
#include "kernel/float_form.h"
#include "kernel/kernel_matrix.h"
#include "matrix/csr.h"
#include "problem/problem.h"
#include "problem/solver.h"
#include "source/float_source.h"
#include "source/matrix_source.h"
#include "unit.h"

/* Owns all that is not in 'p'. */
struct world {
	struct problem_view p; /* of the rows and targets below */
	struct csr x;	       /* empty at first */
	int64_t *row;	       /* example i is row i at first */
	double *target;	       /* 0 at first */
	double *weight;	       /* NULL: examples have none */
	double *beta, *f;      /* multipliers and decision values, 0 at first */
	struct iterate at;     /* of these, and what a solver has found besides */
	struct float_vectors single;
	struct kernel_source by_single;
	struct kernel_matrix matrix;
	struct matrix_source by_matrix;
};

/*
 * world_init() - a problem like 'p', whose n examples have no targets yet
 *
 * Their rows are p.x, borrowed; if that is NULL, those that w->x will have.  C-SVC's epsilon
 * becomes 0; c_minus of a regression, or where it is 0, becomes c_plus.
 */
static inline void world_init(struct world *w, struct problem_view p)
{
	*w = (struct world){ .p = p,
			     .row = calloc((size_t)p.n, sizeof(*w->row)),
			     .target = full_zeros(p.n, 1),
			     .beta = full_zeros(p.n, 1),
			     .f = full_zeros(p.n, 1) };
	for (int64_t i = 0; i < p.n; i++)
		w->row[i] = i;
	w->at = (struct iterate){ .beta = w->beta, .f = w->f };
	if (!p.x)
		w->p.x = &w->x;
	w->p.row = w->row;
	w->p.target = w->target;
	if (p.type == MACHINE_C_SVC)
		w->p.epsilon = 0;
	if (machine_is_regression(p.type) || p.c_minus == 0)
		w->p.c_minus = p.c_plus;
}

/* world_weigh() - weights of the examples, which are 1 at first */
static inline void world_weigh(struct world *w)
{
	w->weight = full_zeros(w->p.n, 1);
	for (int64_t i = 0; i < w->p.n; i++)
		w->weight[i] = 1;
	w->p.weight = w->weight;
}

/* world_free() - harmless on a zeroed struct */
static inline void world_free(struct world *w)
{
	kernel_matrix_free(&w->matrix);
	float_vectors_free(&w->single);
	csr_free(&w->x);
	free(w->row);
	free(w->target);
	free(w->weight);
	free(w->beta);
	free(w->f);
}

/* world_copy() - with rows, targets and multipliers of its own; borrows floats and kernel matrix */
static inline void world_copy(struct world *to, const struct world *from)
{
	size_t size = (size_t)from->p.n * sizeof(double);
	struct problem_view p = from->p;
	struct error err = { 0 };

	p.x = NULL;
	world_init(to, p);
	CHECK(csr_gather(&to->x, from->p.x, to->row, from->p.n, &err) == 0, "%s", err.text);
	memcpy(to->target, from->target, size);
	memcpy(to->beta, from->beta, size);
	memcpy(to->f, from->f, size);
}

/* world_rows() - the examples' rows: 'full' has d values of each, and is freed */
static inline void world_rows(struct world *w, double *full, int d)
{
	full_rows(&w->x, full, w->p.n, d, 0, 1);
	free(full);
}

/* ---- How kernel values are found ---- */

/* world_use_single() - rows in single precision from now on; make them first */
static inline bool world_use_single(struct world *w)
{
	struct error err = { 0 };
	int ret = float_vectors_init(&w->single, &w->x, &w->p.kernel, &err);

	w->by_single = float_source_make(&w->single, &plain_source);
	w->p.source = ret == 0 ? &w->by_single : NULL;
	return CHECK(ret == 0, "not in single precision: %s", err.text);
}

static inline bool world_uses_single(const struct world *w)
{
	return problem_source(&w->p)->x_float != NULL;
}

/* world_use_matrix() - the matrix in double precision from now on */
static inline bool world_use_matrix(struct world *w)
{
	struct error err = { 0 };
	int ret = kernel_matrix_init_doubles(&w->matrix, &w->x, &w->p.kernel, 2, &err);

	w->by_matrix = matrix_source_of_doubles(&w->matrix, NULL, false);
	w->p.source = ret == 0 ? &w->by_matrix.base : NULL;
	return CHECK(ret == 0, "%s", err.text);
}

/* ---- Solving ---- */

/* world_start_cold() - multipliers and decision values of 0 */
static inline void world_start_cold(struct world *w)
{
	memset(w->beta, 0, (size_t)w->p.n * sizeof(*w->beta));
	memset(w->f, 0, (size_t)w->p.n * sizeof(*w->f));
}

/*
 * world_solve() - from the present multipliers and decision values; what the solver returns
 *
 * 'solver' is copied, so not one that is found from its address (tiny_solver.h).
 */
static inline int world_solve(struct world *w, struct solver solver, double eps, struct error *err)
{
	w->at = (struct iterate){ .beta = w->beta, .f = w->f };
	return solver.solve(&solver, &w->p, eps, &w->at, err);
}

#endif
