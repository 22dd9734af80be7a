/*
 * watched_run.h - randsvm_solve() with everything it tells recorded, for tests
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_WATCHED_RUN_H
#define RANDSVM_WATCHED_RUN_H

#include <string.h>

#include "tiny_solver.h"
#include "train/solve.h"

enum { WATCHED_MOST_ROUNDS = 100 };

struct watched_run {
	struct tiny_solver tiny;
	struct randsvm_observer observer; /* of the rounds, where 'tiny' solves */
	int n_solved, n_rounds;		  /* counted by who watches */
	struct randsvm_round round[WATCHED_MOST_ROUNDS];
	struct randsvm_task task;
};

/* Who watches: told of each subproblem and its start, of its solution, and of each round. */
struct watcher {
	void (*before)(void *arg, const struct problem_view *p, double eps, const double *beta);
	void (*after)(void *arg, const struct problem_view *p, const double *beta, double rho);
	void (*round)(void *arg, const struct randsvm_round *round);
	void *arg;
};

/* watched_init() - the task lacks its solver and observer only */
static inline void watched_init(struct watched_run *run, struct watcher w, struct randsvm_task task)
{
	run->tiny = (struct tiny_solver){
		.solver.solve = tiny_solve, .before = w.before, .after = w.after, .arg = w.arg
	};
	run->observer = (struct randsvm_observer){ .round = w.round, .arg = w.arg };
	run->task = task;
}

/* watched_try() - solve run->task, but by 'solver'; rounds are told only where that is run->tiny */
static inline int watched_try(struct watched_run *run, const struct solver *solver,
			      struct error *err)
{
	run->n_solved = run->n_rounds = 0;
	run->task.solver = solver;
	run->task.observer = solver == &run->tiny.solver ? &run->observer : NULL;
	return randsvm_solve(&run->task, err);
}

/* watched_solve() - solve it by run->tiny: each subproblem is a round, and each round is told */
static inline void watched_solve(struct watched_run *run)
{
	struct error err = { 0 };

	CHECK(watched_try(run, &run->tiny.solver, &err) == 0, "%s", err.text);
	CHECK(run->task.result.rounds == run->n_rounds && run->n_solved == run->n_rounds,
	      "%d rounds, %d told of", run->task.result.rounds, run->n_rounds);
}

/* watched_give_up() - solve() of a solver whose answer is always 0, and not the solution */
static inline int watched_give_up(const struct solver *solver, const struct problem_view *p,
				  double eps, struct iterate *x, struct error *err)
{
	(void)solver, (void)eps, (void)err;
	memset(x->beta, 0, (size_t)p->n * sizeof(*x->beta));
	x->rho = 0;
	x->n_iterations++;
	return 1;
}

#endif
