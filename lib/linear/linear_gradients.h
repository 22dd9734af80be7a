/*
 * linear_gradients.h - the Newton direction of the linear engine by conjugate gradients
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_GRADIENTS_H
#define RANDSVM_LINEAR_GRADIENTS_H

#include "base/interruption.h"
#include "linear/linear_pack.h"

/* A Newton step, which linear_direction_find() or linear_gradients_find() computes. */
struct linear_step {
	/* weights of the proximal terms, given; tau keeps the matrix regular when J is empty */
	double sigma, tau;
	const double *gradient_w; /* gradient by w, given: d numbers */
	double gradient_b[2];	  /* gradient by the constants, given */
	/*
	 * reduction of r'M^-1 r that ends conjugate gradients, given; M is the diagonal of the
	 * matrix
	 */
	double reduction;
	double *w, b[2]; /* step, found: d numbers of w and one number for each side */
	/* interruption that ends conjugate gradients early; or NULL */
	const struct interruption *interruption;
};

/* Rows of J, and the threads that compute with them; all pointers are borrowed. */
struct linear_gradients {
	const struct linear_pack *rows;
	struct thread_team *team;
	const double *weight; /* weight of each row; NULL: 1 for all */
	const uint8_t *side;  /* side of each row; NULL: 0 for all */
	int n_sides;
	double *partial; /* partial sums of the threads: LINEAR_MAX_PARTS x d numbers */
};

/*
 * linear_gradients_find() - the step of linear_direction_find(), by passes over the rows
 *
 * Solves (1) of linear_direction.c until r'M^-1 r has fallen to step->reduction of what it was.
 * Returns 0; 1 where that took too long or was interrupted, and the step is a direction of descent
 * all the same; or -1 with ERR_MEMORY.  Up to 400 passes over the entries; the same bits for any
 * number of threads.
 */
int linear_gradients_find(const struct linear_gradients *o, struct linear_step *step,
			  struct error *err);

#endif
