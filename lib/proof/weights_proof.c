/*
 * weights_proof.c - certificates of weights of a linear kernel that no multipliers in doubles have
 *
 * How this works.  A problem with p->square has that for |w|^2, whatever the multipliers are, and
 * certificate.c and rounding.c make of multipliers of 0 the primal of any w, and its error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/weights_proof.h"

#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "proof/rounding.h"

int weights_primal(const struct problem_view *p, const struct iterate *x, double square,
		   int64_t longest, struct certificate *c, struct error *err)
{
	struct problem_view at = *p;
	struct iterate zero = *x;
	int ret = -1;

	at.square = square;
	zero.beta = mem_zeroed(p->n, sizeof(*zero.beta), err);
	if (zero.beta && certificate_make(&at, &zero, 0, c, err) == 0) {
		c->dual = -INFINITY;
		ret = rounding_bound(&at, &zero, ROUNDING_DOUBLES, longest, c, err);
	}
	mem_free(zero.beta);
	return ret;
}

int weights_certify(const struct problem_view *p, const double *w, struct iterate *x,
		    double tolerance, struct certificate *c, struct error *err)
{
	const double square = inner_product(w, w, p->x->n_cols);
	struct certificate own;
	double b;

	if (rounding_bound(p, x, ROUNDING_DOUBLES, 0, c, err) < 0)
		return -1;
	for (int64_t i = 0; i < p->n; i++)
		x->f[i] = csr_row_dot(p->x, p->row[i], w);
	if (certificate_bias(p, x->f, &b, err) < 0)
		return -1;
	x->rho = -b;
	if (weights_primal(p, x, square, 0, &own, err) < 0)
		return -1;
	/* what bounds P - D of the multipliers bounds it of w, with the difference of both P */
	if (c->row_gaps > 0)
		c->row_gaps += fmax(own.primal - c->primal, 0) + own.rounding + c->rounding;
	c->primal = own.primal;
	c->rounding = fmax(c->rounding, own.rounding);
	c->witness = (struct certificate_witness){ 0 };
	c->n_violators = certificate_count_violators(p, x, tolerance);
	return 0;
}
