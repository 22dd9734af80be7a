/*
 * weights_proof.h - certificates of weights of a linear kernel that no multipliers in doubles have
 *
 *     P(w, b) = |w|^2 / 2 + sum_i C_i loss_i(w.x_i + b)
 *
 * Any w and b bound the optimum from above, as any multipliers do from below.  Multipliers have a
 * relative error of 2^-53 each, which columns of 1e9 make one of thousands in a decision value; but a
 * weight of such a column is small, and its product with it exact to 16 digits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"
#include "proof/certificate.h"

/*
 * weights_primal() - '*c' of decision values x->f = w.x_i, without a dual, 'square' being |w|^2
 *
 * As certificate_make() and rounding_bound() do for x->beta of 0; rows have at most 'longest'
 * entries.  c->dual is -INFINITY, and c->rounding the error of the primal.  Cost and errors are
 * theirs.
 */
int weights_primal(const struct problem_view *p, const struct iterate *x, double square,
		   int64_t longest, struct certificate *c, struct error *err);

/*
 * weights_certify() - make '*c', certificate_make()'s of x, one of 'w', by column of p->x
 *
 * C-SVC and epsilon-SVR.  x->f become w.x_i, and -x->rho the best constant.  Primal and violators
 * are those of w, the dual stays, and c->rounding is the larger error of the two.  O(entries +
 * columns); ERR_MEMORY only.
 */
int weights_certify(const struct problem_view *p, const double *w, struct iterate *x,
		    double tolerance, struct certificate *c, struct error *err);
