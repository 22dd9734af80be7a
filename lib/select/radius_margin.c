/*
 * radius_margin.c - how much each feature changes the radius-margin bound of linear machines
 *
 * How this works.  Both factors of the bound are maxima over multipliers,
 *
 *     R^2   = max_u  sum_i u_i |x_i|^2 - |sum_i u_i x_i|^2,     u_i >= 0 of sum 1     (1)
 *     |w|^2 = max_a  2 sum_i a_i (1 - xi_i) - |sum_i a_i y_i x_i|^2                   (2)
 *
 * (2) being the machine whose margins are 1 - xi_i with the slacks xi_i of the soft one: its
 * solution is the same w, and its multipliers are those of the soft machine.  The derivative of a
 * maximum is that with the multipliers held, so with values of feature j times sqrt(s_j)
 *
 *     dR^2/ds_j = sum_i u_i x_ij^2 - c_j^2 = V_j,     d|w|^2/ds_j = -w_j^2            (3)
 *
 * A feature adds V_j to R^2 = sum_j V_j, and w_j^2 to |w|^2; the product rule makes the change.
 *
 * The features that change the bound least go first, whichever way they change it, as rfe drops
 * those that change |w|^2 least.  Dropping first what lowers the bound most was tried: it keeps
 * features that are nearly constant, whose change is 0, and drops those that tell the classes apart
 * but make the ball wide.  With 50 of 3289 words (pcmac, three folds) it had errors of 42 %; the
 * size of the change has 14 %, rfe 12 %.
 *
 * Taking out a feature altogether with the multipliers held would add -w_j^2 V_j.  That term is
 * left out: the multipliers held are far from those of the machine without the feature, where it
 * makes most of R^2 and of |w|^2 alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/radius_margin.h"

#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "geometry/ball.h"
#include "matrix/csr.h"

/*
 * Of the radius.  The centre is then within 2e-3 R of its place, and V_j is right to as much of R^2
 * in all; with 1e-4 it would be 2e-2, and choices would differ from the exact ones more often.
 */
#define TOLERANCE 1e-6

/* Sums, for a column, over the rows that form the centre of the ball. */
struct spread {
	double centre;	/* coordinate c_j of the centre */
	double v;	/* spread V_j */
	double left;	/* sum of u_i over the rows without an entry in the column */
	int64_t n_used; /* number of rows with an entry in the column */
};

/* Centre c_j of each column, and the weight of the rows that are 0 in the column. */
static void add_centre(struct spread *s, const struct csr *x, const struct ball_centre *ball)
{
	for (int64_t j = 0; j < x->n_cols; j++)
		/* weights u_i sum to 1; those of rows with an entry are subtracted below */
		s[j] = (struct spread){ .left = 1 };
	for (int64_t i = 0; i < ball->n; i++) {
		const struct csr_row row = csr_row_of(x, ball->row[i]);

		for (int64_t k = 0; k < row.n; k++) {
			struct spread *column = &s[row.col[k]];

			column->centre += ball->weight[i] * row.val[k];
			column->left -= ball->weight[i];
			column->n_used++;
		}
	}
	/* rounding may have made the remaining weight negative */
	for (int64_t j = 0; j < x->n_cols; j++)
		s[j].left = s[j].n_used == ball->n ? 0 : fmax(s[j].left, 0);
}

/* Spread V_j by (3), as sums of squares, which do not cancel for values far from 0; returns R^2. */
static double measure(struct spread *s, const struct csr *x, const struct ball_centre *ball)
{
	double radius2 = 0;

	/* the centre c, and for each column the weight of the rows that are 0 there */
	add_centre(s, x, ball);
	for (int64_t j = 0; j < x->n_cols; j++)
		/* rows that are 0 in column j are at the distance c_j from the centre there */
		s[j].v = s[j].left * s[j].centre * s[j].centre;
	for (int64_t i = 0; i < ball->n; i++) {
		const struct csr_row row = csr_row_of(x, ball->row[i]);

		for (int64_t k = 0; k < row.n; k++) {
			struct spread *column = &s[row.col[k]];
			const double difference = row.val[k] - column->centre;

			column->v += ball->weight[i] * difference * difference;
		}
	}
	for (int64_t j = 0; j < x->n_cols; j++)
		/* R^2 is the weighted mean of squared distances */
		radius2 += s[j].v;
	return radius2;
}

/* Find the ball around the machine's rows, and its V_j and R^2. */
static int enclose(struct spread *s, const struct problem_view *p, const struct csr *x,
		   int n_threads, double *radius2, struct error *err)
{
	const struct ball_options options = { TOLERANCE, n_threads };
	struct ball_centre centre = { 0 };
	struct ball ball;
	struct csr rows = { 0 };
	/* the ball holds the rows of this machine alone, in the columns that are left */
	int ret = csr_gather(&rows, x, p->row, p->n, err);

	if (ret == 0)
		ret = ball_enclose(&ball, &centre, &rows, &options, err);
	if (ret == 0)
		*radius2 = measure(s, &rows, &centre);
	ball_centre_free(&centre);
	csr_free(&rows);
	return ret;
}

int radius_margin_add(void *arg, const struct problem_view *p, const double *w, double *score,
		      struct error *err)
{
	struct radius_margin *r = arg;
	int64_t d = p->x->n_cols;
	double norm2 = squared_norm(w, d), radius2 = 0;
	struct spread *s;
	int ret;

	r->norm2 += norm2;
	/* with w = 0 the bound R^2 |w|^2 is 0, and no feature changes it */
	if (norm2 == 0)
		return 0;
	s = mem_array(d, sizeof(*s), err);
	ret = s ? enclose(s, p, p->x, r->n_threads, &radius2, err) : -1;
	for (int64_t j = 0; j < d && ret == 0; j++)
		/*
		 * (3): the derivative of R^2 |w|^2 is |w|^2 V_j - R^2 w_j^2, of which the size
		 * counts
		 */
		score[j] += fabs(radius2 * w[j] * w[j] - norm2 * s[j].v);
	mem_free(s);
	return ret;
}

int radius_margin_scores(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	const struct rfe_visitor visitor = { radius_margin_add, arg, score };
	struct radius_margin *r = arg;

	memset(score, 0, (size_t)step->x->n_cols * sizeof(*score));
	/* |w|^2 is summed over the machines of this step alone */
	r->norm2 = 0;
	return rfe_machines_train(r->machines, step, &visitor, err);
}
