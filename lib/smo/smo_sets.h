/*
 * smo_sets.h - the working set: all its members, those being optimised alone, and their kernel rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "smo/row_cache.h"
#include "smo/smo_loops.h"

/*
 * Sides of a machine of nu whose multipliers of either sign have a sum of their own: a pair of
 * multipliers keeps both sums if both have one sign, before and after, and is then on this side.
 * All other machines have the first side alone, for pairs of any signs.
 *
 * nu-SVR's sums are upper limits, and both fall short of them by the same slack.  There a pair may
 * lower a multiplier above 0 and raise one below, which adds to the slack; and one may be raised
 * and the other lowered away from 0, as far as the slack goes.
 *
 * An array of SMO_SIDES extremes is passed by its first element; of those of a set with a single
 * side only that one is used.
 */
enum { SMO_PLUS, SMO_MINUS, SMO_SIDES };

/* A set of members and the arrays for optimising it, by number in the set. */
struct smo_set {
	struct smo_arrays a; /* arrays of the loops, with the offsets of the first side */
	double *minus_up_offset, *minus_down_offset; /* offsets of the second side, or NULL */
	int n_sides;
	bool sums_are_limits;
	/* slack of the sums of all examples: room left below the sums, where these are limits */
	double slack;
	/* number of members in the set; number that the arrays have room for */
	int64_t n, capacity;
	double *beta, *upper, *lower;
	int64_t *member; /* number in the working set of each member of the set */
};

/*
 * Most members whose rows over all of them are kept, in 64 MB as floats.  Above it rows are
 * computed over the core alone, and what its changes do to all members is summed up without storing
 * rows: a kernel value takes about as long to compute as to read from memory, and a tenth of what
 * the system may take to provide the memory.
 */
#define SMO_WHOLE_ROWS 4096

/*
 * struct smo - a working set of the examples of a problem, and the kernel rows kept for it
 *
 * Multipliers of examples outside are constants.  Kernel rows over all members outlive runs and
 * changes of the working set.
 */
struct smo {
	const struct problem_view *p;
	int n_threads;
	struct kernel_rows source; /* source of kernel rows */
	/* cache of the members' rows, used if whole_rows; and the list of members */
	struct row_cache rows;
	/*
	 * rows over all members are kept: there are at most SMO_WHOLE_ROWS members, or steps need
	 * all
	 */
	bool whole_rows;
	/* sets of members: all of them, and the core, which is optimised alone */
	struct smo_set all, core;
	struct row_members core_members;
	void *core_value; /* kernel rows over the core, in the order of their first use */
	/* pointer to each member's row over the core, NULL until it is used */
	const void **core_row;
	int64_t n_core_rows; /* number of rows in core_value */
	/* multipliers at the time when the core was formed, by number in the core */
	double *core_start;
	struct {
		/*
		 * work of pairs since the last Newton step was tried; work of the latest of them,
		 * since it was last asked if Newton steps are due, and by how much these have raised
		 * the dual
		 */
		double work, late_work, late_gain;
		/*
		 * ratio of the work of pairs to the work of a Newton step, at which the next one is
		 * tried
		 */
		double ratio;
	} newton;
	bool eager; /* Newton steps are tried often: multipliers are near the optimum */
	/* work of all runs: members met by steps of pairs, and as much as Newton steps take */
	double work;
	const struct interruption *interruption;
};

/*
 * smo_renew_rows() - drop all cached rows, as the problem's source was replaced
 *
 * Returns 0, or -1 with ERR_MEMORY, and can only be freed then.
 */
int smo_renew_rows(struct smo *s, struct error *err);

/*
 * smo_init() - an empty working set; 'p' and 'interruption' (or NULL) are borrowed
 *
 * Kernel rows take cache_mb at most, or what the system has; but see row_cache_init().
 */
int smo_init(struct smo *s, const struct problem_view *p, double cache_mb, int n_threads,
	     const struct interruption *interruption, struct error *err);

void smo_free(struct smo *s);

/*
 * smo_set_members() - the working set becomes the examples that are marked, by example of the
 * problem; NULL: all
 *
 * Members that stay keep their rows, unless there are more than SMO_WHOLE_ROWS.  O(p->n), and
 * kernel values of new members with cached rows.
 */
int smo_set_members(struct smo *s, const bool *is_member, struct error *err);

/*
 * smo_set_room() - room for n members, a multiple of SMO_LANES, on one or two sides
 *
 * And for growing half as many more, but no more than 'most' where 'most' suffices.  Where there
 * was less room the set becomes empty, its arrays being 0.  Returns 0, or -1 with ERR_MEMORY.
 * smo_set_free() frees it, and makes it empty.
 */
int smo_set_room(struct smo_set *set, int n_sides, int64_t n, int64_t most, struct error *err);
void smo_set_free(struct smo_set *set);

/* smo_is_free() - may beta_i move both ways, with no kink? */
static inline bool smo_is_free(const struct smo_set *set, int64_t i)
{
	double beta = set->beta[i];

	return beta != 0 && beta < set->upper[i] && beta > set->lower[i];
}

/* smo_count_free() - number of members of the set that are free */
int64_t smo_count_free(const struct smo_set *set);

/* smo_side() - the arrays with the offsets of one side */
static inline struct smo_arrays smo_side(const struct smo_set *set, int side)
{
	struct smo_arrays a = set->a;

	if (side == SMO_MINUS) {
		a.up_offset = set->minus_up_offset;
		a.down_offset = set->minus_down_offset;
	}
	return a;
}

/* smo_may_pair() - may a multiplier be raised on one side while another is lowered on the other? */
static inline bool smo_may_pair(const struct smo_set *set, int raised, int lowered)
{
	return raised == lowered ||
	       (set->sums_are_limits && (raised == SMO_MINUS || set->slack > 0));
}

/* The sides that the multipliers of a pair are raised and lowered on. */
struct smo_direction {
	int raised, lowered;
};

/* smo_worst_direction() - the direction in which the worst pair violates most */
static inline struct smo_direction smo_worst_direction(const struct smo_set *set,
						       const struct smo_extremes *x)
{
	struct smo_direction worst = { SMO_PLUS, SMO_PLUS };
	double most = x->up - x->down;

	for (int k = 1; set->n_sides > 1 && k < SMO_SIDES * SMO_SIDES; k++) {
		struct smo_direction d = { k / SMO_SIDES, k % SMO_SIDES };
		double v = x[d.raised].up - x[d.lowered].down;

		if (smo_may_pair(set, d.raised, d.lowered) && (v > most || isnan(most))) {
			worst = d;
			most = v;
		}
	}
	return worst;
}

/* smo_violation() - max up - min down of the worst pair */
static inline double smo_violation(const struct smo_set *set, const struct smo_extremes *x)
{
	struct smo_direction d = smo_worst_direction(set, x);

	return x[d.raised].up - x[d.lowered].down;
}

/* smo_set_offsets() - the offsets of smo_loops.h for beta_i as it is now, of all sides */
void smo_set_offsets(struct smo_set *set, double epsilon, int64_t i);

/*
 * smo_move() - slope_k -= change_i row_i[k] + change_j row_j[k] for all k, and the extremes of all
 * sides after it
 */
void smo_move(const struct smo_set *set, const double change[2], const void *const row[2],
	      struct smo_extremes *x);

/*
 * smo_load_members() - multipliers and slopes from the problem's 'beta' and 'f', by example; bounds
 * are the problem's times 'scale'
 */
void smo_load_members(struct smo *s, double scale, const double *beta, const double *f);

/*
 * smo_store_members() - multipliers and decision values of members to 'beta' and 'f', by example
 *
 * Returns false if a decision value is not finite: the kernel overflows.
 */
bool smo_store_members(const struct smo *s, double *beta, double *f);

/* smo_find_extremes() - the largest up and the smallest down of the set; one pass for each side */
void smo_find_extremes(const struct smo_set *set, struct smo_extremes *x);

/*
 * smo_row_of() - the kernel row of number i of the set, over the set; NULL with ERR_MEMORY
 *
 * If it is not cached, it is computed along with rows of those members of the set that violate most
 * by the extremes 'x'.  A row over all members stays valid during the next call, one over the core
 * as long as the core.
 */
const void *smo_row_of(struct smo *s, const struct smo_set *set, int64_t i,
		       const struct smo_extremes *x, struct error *err);

/*
 * smo_core_rows() - row[k] = the row of number[k] of the core, over the core, for n numbers
 *
 * Rows not used before are computed together. -1 with ERR_MEMORY.
 */
int smo_core_rows(struct smo *s, const int64_t *number, int64_t n, const void **row,
		  struct error *err);

/*
 * smo_count_core() - how many members are free, or violate by the extremes 'x' in some pair
 * smo_load_core() - these members become the core; or, if they are more than 'most', the worst
 *                   violators among them: half of 'most' to be raised, and half to be lowered
 * smo_store_core() - multipliers of the core, and the slopes that follow from them, to all members;
 *                    '*x' gets the extremes.
 *
 * Return -1 with ERR_MEMORY; smo_store_core() with ERR_NUMERIC where a kernel value overflows.
 */
int64_t smo_count_core(const struct smo_set *all, const struct smo_extremes *x);
int smo_load_core(struct smo *s, const struct smo_extremes *x, int64_t most, struct error *err);
int smo_store_core(struct smo *s, struct smo_extremes *x, struct error *err);

/*
 * Other ways to the optimum than those of smo.c: Newton steps, and all of LIBSVM's.
 *
 * Where the kernel matrix is badly conditioned, steps of pairs approach the optimum of the free
 * multipliers by very many very short steps; a Newton step on all of them takes one factor.
 */

/* Most free members that Newton steps are tried for: their matrix then takes 32 MB. */
#define NEWTON_MOST_FREE 2048

/*
 * smo_newton_work() - the work of one Newton step on m free members of a set of n
 *
 * In units of a member met by a step of a pair, for comparison.
 */
double smo_newton_work(int64_t m, int64_t n);

/*
 * smo_newton() - go to the optimum of the free members of the core, or until 'budget' is spent
 *
 * Solves K_FF d = u - nu 1, sum d = 0 for the free members F, u being their slopes with offsets, by
 * Cholesky's method, with the least ridge on the diagonal for which it succeeds.  Goes from beta to
 * the point of the box that is nearest to beta + s d, for the first s = 1, 1/4, 1/16, ... for which
 * the dual rises by at least a quarter of what its slope promises, but s is never shorter than to
 * the first bound.  Repeats that with the members that are still free (neither at a bound nor at
 * zero, where |beta| has its kink), until a step meets no bound.  So the dual never falls but by
 * rounding, and sum beta stays.  A matrix that is not positive definite with any ridge ends it.
 *
 * s->core is changed; its extremes have to be found again.  '*spent' is the work that was done, in
 * the unit of 'budget', '*gained' by how much the dual rose.  O(|F|^3 / 3 + |F| n) for each step.
 * Returns 0, or -1 with ERR_MEMORY.
 *
 * Source: the projected Newton method, Bertsekas 1982, SIAM J. Control Optim. 20.
 */
int smo_newton(struct smo *s, double budget, double *spent, double *gained, struct error *err);

/*
 * smo_stepwise() - optimise all examples from beta = 0 by the steps that LIBSVM takes
 *
 * For a problem_is_stepwise() whose examples are all members, each in its place.  What at->beta and
 * at->f hold before does not matter; both become those of the solution.  '*n_steps' becomes the
 * number of steps, at most 'limit'.  s->all is not used.
 *
 * The steps, the examples that are left aside meanwhile and the rounding of each number are those
 * of LIBSVM with -h 1, so that the optimum is its optimum.  Only its tanh may differ, in the last
 * bit.  An interruption ends it, after 1024 steps at the earliest, or fewer where these are long.
 * Deterministic for any number of threads.  Returns 0, or -1 with ERR_MEMORY.
 *
 * Sources: Fan, Chen, Lin 2005, J. Mach. Learn. Res. 6; Chang, Lin 2011, ACM Trans. Intell. Syst.
 * Technol. 2:27, sections 4 and 5 (shrinking, and what the gradient is rebuilt from).
 */
int smo_stepwise(struct smo *s, double eps, int64_t limit, struct iterate *at, int64_t *n_steps,
		 struct error *err);
