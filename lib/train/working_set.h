/*
 * working_set.h - some examples of a problem: drawing them, solving them as a problem of its own
 *
 * Examples are positions within the whole problem, 0 .. p->n - 1; a set of them is marked in
 * an array of p->n bools.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_WORKING_SET_H
#define RANDSVM_WORKING_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "train/rounds.h"

/* working_set_class() - list the examples with target > 0 if 'plus', else those without; their number */
int64_t working_set_class(const struct problem_view *p, bool plus, int64_t *list);

/*
 * working_set_draw() - mark a uniform choice of 'm', or all, of the n candidates
 *
 * As rng_subset(), which reorders 'candidate'.
 */
int working_set_draw(bool *is_member, uint64_t seed, enum rng_stream stream, uint32_t b,
		     int64_t *candidate, int64_t n, int64_t m, struct error *err);

/*
 * working_set_add_missing_classes() - a class without members gets size / 10 of them, rounded up
 *
 * Only for C-SVC.  'list' has room for p->n examples.
 */
int working_set_add_missing_classes(const struct problem_view *p, bool *is_member, uint64_t seed,
				    int64_t size, int64_t *list, struct error *err);

/* A working set with what it starts from, and what came of it.  Owns its arrays. */
struct subproblem {
	int64_t n, capacity;
	int64_t *example; /* n, ascending */
	int64_t *row;
	double *target;	  /* by member */
	struct iterate x; /* by member; counts the iterations of all solutions */
};

/* subproblem_init() - empty, with room for 'capacity' members */
int subproblem_init(struct subproblem *s, int64_t capacity, struct error *err);

void subproblem_free(struct subproblem *s);

/*
 * subproblem_solve() - solve for the members' multipliers, all others being 0
 *
 * By the task's solver, from 'start' (by example), or from zero where it is NULL; s->x becomes the
 * solution.  To within the task's eps; members that are not all examples get half of it, and the
 * examples outside need the other half.  Returns what solver->solve() does; -1 with ERR_NUMERIC
 * also where there is no finite solution.
 */
int subproblem_solve(struct subproblem *s, const struct randsvm_task *task, const bool *is_member,
		     const struct iterate *start, struct error *err);

/* subproblem_store() - the multipliers of all p->n examples */
void subproblem_store(const struct subproblem *s, const struct problem_view *p, double *beta);

/* error_no_finite_solution() - sets ERR_NUMERIC, saying why; returns -1 */
int error_no_finite_solution(const struct problem_view *p, struct error *err);

#endif
