/*
 * linear_squared.c - C-SVC and epsilon-SVR with squared losses
 *
 * The primal problem,
 *
 *     minimise over w, b   |w|^2 / 2 + sum_i C_i max(0, |t_i - w.x_i - b| - epsilon)^2          (1)
 *
 * (for C-SVC, epsilon = 0, the loss of one side only), is what an outer step of linear_solve.c
 * minimises, with beta = 0, sigma_i = 2 C_i, no bounds and an infinite tau: there
 *
 *     e_i'(r) = prox_i(r) = 2 C_i soft(r, epsilon)                                              (2)
 *
 * is the derivative of the squared loss.  So one outer step is all there is, and the proximal
 * points are the multipliers: sum prox = 0 and w = sum_i prox_i x_i where (1) is least, and
 *
 *   D(beta) = sum_i (t_i beta_i - epsilon |beta_i| - beta_i^2 / (4 C_i)) - |sum_i beta_i x_i|^2 / 2
 *
 * is as large as (1) is small.  Its derivative by beta_i is t_i - w.x_i - beta_i / (2 C_i) -+
 * epsilon, which is b for every row with a multiplier.
 *
 * The steps of linear_solve_squared():
 *
 *     S1  beta = 0, sigma = 2 max C (the weights of the rows make it 2 C_i), tau infinite nearly
 *     S2  centre_b <- b: what the finite tau held back is given up
 *     S3  the Newton method on (1), to the step whose promise is SQUARED_DECREMENT
 *     S4  a feasible copy of the multipliers (2) is judged
 *
 * The Newton method comes to rest after finitely many steps, as (1) has finitely many quadratic
 * pieces; conjugate gradients leave a rest, and a finite tau holds b back a little.  So it is
 * begun again where it ended until the multipliers, made feasible, are within eps and the gap is
 * small.
 *
 * Source: Keerthi, DeCoste 2005, J. Mach. Learn. Res. 6 (the primal, by Newton steps with exact
 * line search); Lin, Weng, Keerthi 2008, J. Mach. Learn. Res. 9 (conjugate gradients).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear_work.h"

/*
 * Factor of tau, as in linear_solve.c: b is as good as free, and the matrix of a Newton step is
 * regular.
 */
#define TAU 1e9

/*
 * Most times that the Newton method is begun again.  Each time the gap falls to the error of the
 * last direction, squared; more than three are taken only where rounding is what is left.
 */
#define MAX_TIMES 4

/*
 * Relative gap, in eps, that a result must have besides a violation within eps; as in
 * linear_solve.c.
 */
#define GAP_PER_EPS 1e-2

int linear_solve_squared(struct linear_run *s, struct error *err)
{
	struct linear_point *at = &s->at;

	/* S1: with beta = 0 the proximal points of an outer step are those of (2) */
	if (!s->resumes) {
		memset(at->beta, 0, (size_t)s->task.n * sizeof(*at->beta));
		at->sigma = 2 * s->task.c_max;
		at->tau = TAU / s->task.c_max;
		/* there is no outer step after this one to make up for a loose direction */
		at->precise = true;
	}
	linear_refresh(s);
	for (; s->n_times < MAX_TIMES; s->n_times++) {
		double violation, before = s->best.gap;

		linear_keep(s, LINEAR_SQUARED);
		/* S2: the term (b - centre_b)^2 / (2 tau) pulls b back to where it was before S3 */
		memcpy(at->centre_b, at->b, sizeof(at->b));
		/* S3: minimise by the semismooth Newton method */
		if (linear_minimise(s, err) < 0)
			return -1;
		if (s->interrupted)
			break;
		/* S4: judge, after the rounding of the steps is gone, which 2 C would enlarge */
		linear_refresh(s);
		if (linear_judge(s, &violation, err) < 0)
			return -1;
		/* the gap is small, or no longer falls: only rounding is left of it */
		if (linear_is_solved(s) &&
		    (s->best.gap <= GAP_PER_EPS * s->task.o->eps || s->best.gap >= before))
			break;
	}
	return 0;
}
