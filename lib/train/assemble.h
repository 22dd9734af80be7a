/*
 * assemble.h - build the solution of all classes from the multipliers of each pair
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ASSEMBLE_H
#define RANDSVM_ASSEMBLE_H

#include <stdint.h>

#include "base/error.h"
#include "problem/classes.h"
#include "problem/solution.h"

/* The multipliers of all pairs that are not 0: by pair, and within a pair by example. */
struct kept_multipliers {
	double *rho;  /* of each pair */
	int64_t *end; /* of each pair: the end of its multipliers, which is the next pair's start */
	int64_t n, rows_capacity, betas_capacity;
	int64_t *row;
	double *beta;
};

/* kept_init() - room for 'n_pairs' pairs, none added yet; call kept_free() even if it fails */
int kept_init(struct kept_multipliers *kept, int64_t n_pairs, struct error *err);

void kept_free(struct kept_multipliers *kept);

/*
 * kept_add() - append the multipliers and rho of pair number q, after those of pairs 0 .. q - 1
 *
 * 'beta' holds the multipliers of all examples of 'p'.  Fails with ERR_MEMORY only.
 */
int kept_add(struct kept_multipliers *kept, int64_t q, const struct problem *p, const double *beta,
	     double rho, struct error *err);

/*
 * assemble_solution() - fill the empty '*s' from the multipliers kept of all pairs
 *
 * 'classes' is NULL for a regression.  Support vectors are in the order of the examples, for
 * several classes within each class.  'n_rows' is the number of rows of the data set.
 * O(n_rows + classes times support vectors).  Fails with ERR_MEMORY only; '*s' is then empty.
 */
int assemble_solution(struct solution *s, const struct kept_multipliers *kept,
		      const struct classes *classes, const struct example_list *examples,
		      int64_t n_rows, struct error *err);

#endif
