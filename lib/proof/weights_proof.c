/*
 * weights_proof.c - certificates of weights of a linear kernel that no multipliers in doubles have
 *
 * How this works.  A problem with p->square has that for |w|^2, whatever the multipliers are, and
 * certificate.c and rounding.c make of multipliers of 0 the primal of any w, and its error.
 *
 * Where classes can be separated the certificate is that of a multiple of w (certificate.c), larger
 * by so much as c->rounding that no error leaves a loss:
 *
 *     s^2 |w|^2 / 2 = primal + rounding
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/weights_proof.h"

#include <math.h>

#include "base/arithmetic.h"
#include "base/long_sum.h"
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

int weights_sum(const struct problem_view *p, const double *beta, double *w, struct error *err)
{
	const int64_t n = p->x->n_cols;
	struct long_sum *sum = mem_zeroed(n, sizeof(*sum), err);

	for (int64_t i = 0; sum && i < p->n; i++) {
		const struct csr_row row = csr_row_of(p->x, p->row[i]);

		for (int64_t k = 0; k < row.n && beta[i] != 0; k++)
			long_sum_add(&sum[row.col[k]], beta[i], row.val[k]);
	}
	for (int64_t j = 0; sum && j < n; j++)
		w[j] = long_sum_value(&sum[j]);
	mem_free(sum);
	return sum ? 0 : -1;
}

/* w times 'scale' */
static void scale_weights(const struct problem_view *p, double *w, struct iterate *x, double scale)
{
	for (int64_t j = 0; j < p->x->n_cols; j++)
		w[j] *= scale;
	for (int64_t i = 0; i < p->n; i++)
		x->f[i] *= scale;
}

int weights_certify(const struct problem_view *p, double *w, struct iterate *x, double tolerance,
		    struct certificate *c, struct error *err)
{
	const double square = inner_product(w, w, p->x->n_cols);
	struct certificate own;
	double b, scale;

	if (rounding_bound(p, x, ROUNDING_DOUBLES, 0, c, err) < 0)
		return -1;
	for (int64_t i = 0; i < p->n; i++)
		x->f[i] = csr_row_dot(p->x, p->row[i], w);
	if (certificate_bias(p, x->f, &b, err) < 0)
		return -1;
	x->rho = -b;
	if (weights_primal(p, x, square, 0, &own, err) < 0)
		return -1;
	if (certificate_separates(p, &own.witness)) {
		scale = sqrt(2 * (own.primal + own.rounding) / square);
		scale_weights(p, w, x, scale);
		x->rho = -own.witness.plus * scale / own.witness.scale;
	}
	c->primal = own.primal;
	c->rounding = fmax(c->rounding, own.rounding);
	c->witness = (struct certificate_witness){ 0 };
	c->n_violators = certificate_count_violators(p, x, tolerance);
	return 0;
}
