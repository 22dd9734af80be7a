/*
 * working_set.h - draw working sets, and solve the subproblem of a working set
 *
 * Examples are numbered by their position within the whole problem, 0 .. p->n - 1.  A set of
 * examples is an array of p->n bools, true for its members.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/rng.h"
#include "train/rounds.h"

/*
 * working_set_class() - list the examples with target > 0 if 'plus', else those with target <= 0
 *
 * Returns their number.
 */
int64_t working_set_class(const struct problem_view *p, bool plus, int64_t *list);

/*
 * working_set_draw() - mark m of the n candidates as members, chosen uniformly; all if m >= n
 *
 * The choice depends on seed, stream, b and the candidates alone.  rng_subset() draws it, and
 * reorders 'candidate'.
 */
int working_set_draw(bool *is_member, const struct rng_place *place, int64_t *candidate, int64_t n,
		     int64_t m, struct error *err);

/*
 * working_set_add_missing_classes() - draw members of a class that has none
 *
 * Their number is size / 10, rounded up, or the whole class if it is smaller.  A C-SVC
 * subproblem needs examples of both classes.  Does nothing for regressions.  'list' has room for
 * p->n examples.
 */
int working_set_add_missing_classes(const struct problem_view *p, bool *is_member, uint64_t seed,
				    int64_t size, int64_t *list, struct error *err);

/* The problem of a working set, and its multipliers before and after solving.  Owns its arrays. */
struct subproblem {
	int64_t n, capacity;
	int64_t *example; /* numbers of the members, n, ascending */
	int64_t *row;	  /* row of the data for each member */
	double *target;	  /* target of each member */
	double *weight;	  /* weight of each member, where the problem has weights */
	struct iterate x; /* solution, by member; n_iterations is the sum over all solutions */
	/* of a machine of nu: members have their share of the sums, and the problem's bounds */
	bool shares_sums;
};

/* subproblem_init() - an empty working set with room for 'capacity' members */
int subproblem_init(struct subproblem *s, int64_t capacity, struct error *err);

void subproblem_free(struct subproblem *s);

/*
 * subproblem_solve() - optimise the multipliers of the members, with all other multipliers 0
 *
 * The task's solver starts from 'start' (by example), or from 0 if 'start' is NULL; s->x becomes
 * the solution.  The tolerance is eps / 2, because examples outside the working set need the other
 * half of the task's eps; it is eps if all examples are members.  Returns the value of
 * solver->solve(); also -1 with ERR_NUMERIC if there is no finite solution.
 *
 * Of a machine of nu m members have bounds n / m times the problem's, or with weights the sum of all
 * weights over that of the members'; sums are the problem's,
 * and 'start' is not used: members chosen uniformly then predict w and thresholds of the whole
 * problem.  The tolerance of one-class grows as the bounds do: it is that of the members' own
 * problem, whose sums are as many times less.  With s->shares_sums it is that problem which is
 * solved: bounds are the whole problem's, and sums as many times less.
 */
int subproblem_solve(struct subproblem *s, const struct randsvm_task *task, const bool *is_member,
		     const struct iterate *start, struct error *err);

/* subproblem_store() - beta of all p->n examples: the members' multipliers, 0 for all others */
void subproblem_store(const struct subproblem *s, const struct problem_view *p, double *beta);

/* error_no_finite_solution() - set ERR_NUMERIC with the likely cause as text; returns -1 */
int error_no_finite_solution(const struct problem_view *p, struct error *err);
