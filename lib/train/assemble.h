/*
 * assemble.h - one solution from the multipliers of all pairs of classes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ASSEMBLE_H
#define RANDSVM_ASSEMBLE_H

#include <stdint.h>

#include "base/error.h"
#include "problem/classes.h"
#include "problem/solution.h"

/* What the solution takes from all pairs: the non-zero multipliers, by pair, then by row. */
struct kept_multipliers {
	double *rho;  /* of each pair */
	int64_t *end; /* of each pair: where its multipliers end; the next one's begin */
	int64_t n, rows_capacity, betas_capacity;
	int64_t *row;
	double *beta;
};

/* kept_init() - room for 'n_pairs' pairs, none of them there; kept_free() is due even if it fails */
int kept_init(struct kept_multipliers *kept, int64_t n_pairs, struct error *err);

void kept_free(struct kept_multipliers *kept);

/*
 * kept_add() - append pair number q, all pairs before it being there
 *
 * 'beta' holds the multipliers of p's examples.  Fails with ERR_MEMORY.
 */
int kept_add(struct kept_multipliers *kept, int64_t q, const struct problem *p, const double *beta,
	     double rho, struct error *err);

/*
 * assemble_solution() - fill the empty '*s' from all pairs of 'classes' (NULL: a regression)
 *
 * 'n_rows' is the number of examples of the data set.  Fails with ERR_MEMORY; '*s' is then empty.
 */
int assemble_solution(struct solution *s, const struct kept_multipliers *kept,
		      const struct classes *classes, int64_t n_rows, struct error *err);

#endif
