/*
 * smo_core.h - the working set: all its members, those being optimised alone, and their kernel rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SMO_CORE_H
#define RANDSVM_SMO_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "problem/solver.h"
#include "smo/row_cache.h"
#include "smo/smo_loops.h"

/* A set of members and what optimising it takes; number i of the set is member[i]. */
struct smo_set {
	struct smo_arrays a;
	int64_t n, capacity;
	double *beta, *upper, *lower;
	int64_t *member;
};

/*
 * struct smo - a working set of the examples of a problem, and the kernel rows kept for it
 *
 * Multipliers of examples outside are constants.  Kernel rows outlive runs and changes of
 * the working set.
 */
struct smo {
	const struct problem_view *p;
	struct row_cache rows;	  /* member i is example rows.example[i] */
	struct smo_set all, core; /* all members; those being optimised alone */
	void *core_value;	  /* rows of the core, as they are first used */
	const void **core_row;	  /* by number of the core, or NULL */
	int64_t n_core_rows;
	double *core_start; /* its beta before */
	struct {
		double work, gain; /* of steps since the last time, and the rise of the dual */
		double ratio;	   /* of that to Newton's work, when it is tried again */
	} newton;
	const struct interruption *interruption;
};

/*
 * smo_init() - no members yet; 'p' and 'interruption' (or NULL) are borrowed
 *
 * Kernel rows take cache_mb at most, or what the system has; but see row_cache_init().
 */
int smo_init(struct smo *s, const struct problem_view *p, double cache_mb, int n_threads,
	     const struct interruption *interruption, struct error *err);

void smo_free(struct smo *s);

/*
 * smo_set_members() - the working set becomes what is marked, by example of the problem
 *
 * Members that stay keep their rows.  O(p->n), and kernel values of new members with cached rows.
 */
int smo_set_members(struct smo *s, const bool *is_member, struct error *err);

/* smo_is_free() - may beta_i move both ways, with no kink? */
static inline bool smo_is_free(const struct smo_set *set, int64_t i)
{
	double beta = set->beta[i];

	return beta != 0 && beta < set->upper[i] && beta > set->lower[i];
}

/* smo_count_free() - how many are */
int64_t smo_count_free(const struct smo_set *set);

/*
 * smo_set_offsets() - what raising and lowering beta_i cost besides the slope, now that it is where
 * it is
 */
void smo_set_offsets(struct smo_set *set, double epsilon, int64_t i);

/* smo_load_members(), smo_store_members() - from and to the problem's 'beta' and 'f', by example */
void smo_load_members(struct smo *s, double scale, const double *beta, const double *f);

/* false if a decision value is no number: the kernel overflows */
bool smo_store_members(const struct smo *s, double *beta, double *f);

/* smo_find_extremes() - the member that gains most by going up, and by going down */
void smo_find_extremes(const struct smo_set *set, struct smo_extremes *x);

/*
 * smo_row_of() - the row of number i of the set, over the set; NULL with an error
 *
 * If it is not cached, it is computed along with those of the worst violators of 'x'.
 */
const void *smo_row_of(struct smo *s, const struct smo_set *set, int64_t i,
		       const struct smo_extremes *x, struct error *err);

/* smo_core_row() - the row of number i of the core, and of no other */
const void *smo_core_row(struct smo *s, int64_t i, struct error *err);

/*
 * smo_count_core() - how many members are free, or could be one of a pair that violates
 * smo_reserve_core() - room for so many
 * smo_load_core() - they become the core
 * smo_store_core() - all members are told what the core has come to
 */
int64_t smo_count_core(const struct smo_set *all, const struct smo_extremes *x);
int smo_reserve_core(struct smo *s, int64_t n, struct error *err);
void smo_load_core(struct smo *s, const struct smo_extremes *x);
int smo_store_core(struct smo *s, struct smo_extremes *x, struct error *err);

#endif
