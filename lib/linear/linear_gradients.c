/*
 * linear_gradients.c - the Newton direction of the linear engine by conjugate gradients
 *
 * Each step is a pass over the rows of J, on several threads.
 *
 * How this works.  Wanted is the step with
 *
 *     (diag(1, .., 1, 1/tau) + sigma sum_J weight z z') step = -gradient,   z = (x, 1)          (1)
 *
 * whose matrix is never made: a product with it is one pass over the rows of J
 * (linear_pack_square()), two multiplications an entry.  Preconditioned conjugate gradients need
 * one product a step,
 *
 *     length = r'M^-1 r / p'A p,    step += length p,    r -= length A p                        (2)
 *     p <- M^-1 r + (r'M^-1 r / r'M^-1 r before) p                                              (3)
 *
 * M being the diagonal of A: columns of text occur in 1 row or in all, and their diagonal elements
 * differ as much.  It ends when r'M^-1 r has fallen by the factor that the caller wants, after
 * MAX_GRADIENTS, or with an interruption; the step found until then is a direction of descent if it
 * is not 0, as A is positive definite.
 *
 * Five vectors of d + n_sides numbers; the rows are single precision (linear_pack.h), sums double.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_direction.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"

/*
 * Limit of steps, above the number that linear_direction.c expects, so that conjugate gradients
 * that have nearly converged may end.
 */
#define MAX_GRADIENTS 400

/* State of the iteration; vectors have d + n_sides numbers, the last n_sides of them for b. */
struct gradients {
	const struct linear_pack *rows; /* rows of J side by side; floats are exact enough */
	const struct linear_rows *x;	/* lends threads, and room for their partial sums */
	double *weight;			/* weight of each row of J; NULL: 1 for all */
	uint8_t *side;			/* side of each row of J; NULL: 0 for all */
	int n_sides;
	const struct linear_step *wanted;
	double *inverse, *step, *rest, *along, *image;
};

/* image = (diag(1, .., 1, 1/tau) + sigma sum_J z z') along */
static void apply_matrix(const struct gradients *g)
{
	int64_t d = g->rows->d;
	struct linear_square product = {
		.v = g->along, .factor = g->wanted->sigma, .weight = g->weight, .side = g->side
	};
	double sum[2];

	/* the constant of side s counts for the rows of that side */
	for (int s = 0; s < g->n_sides; s++)
		product.b[s] = g->along[d + s];
	/* the first term of (1) is 1 at each of the d columns, which copies 'along' to 'image' */
	memcpy(g->image, g->along, (size_t)d * sizeof(*g->image));
	linear_pack_square(g->rows, g->x->team, &product, g->image, sum, g->x->partial);
	/* row d + s of A: 1 / tau of its first term, and the sum of c over rows of side s */
	for (int s = 0; s < g->n_sides; s++)
		g->image[d + s] = g->along[d + s] / g->wanted->tau + sum[s];
}

/* Set the preconditioner: the inverse of M, M being the diagonal of the matrix of the step. */
static void set_preconditioner(const struct gradients *g)
{
	const struct linear_pack *rows = g->rows;
	double unit2 = rows->unit * rows->unit;
	int64_t size = rows->d + g->n_sides;

	/* 'inverse' begins as the diagonal without rows, and is inverted at the end */
	for (int64_t j = 0; j < size; j++)
		g->inverse[j] = j < rows->d ? 1 : 1 / g->wanted->tau;
	for (int64_t k = 0; k < rows->n; k++) {
		double factor = g->wanted->sigma * (g->weight ? g->weight[k] : 1);

		/* the entry of z for the constant is 1, and its square adds 'factor' alone */
		g->inverse[rows->d + (g->side ? g->side[k] : 0)] += factor;
		/*
		 * the pack's entries are x / unit, so that their squares are multiplied by unit^2
		 */
		factor *= unit2;
		for (int64_t e = rows->start[k]; e < rows->start[k + 1]; e++) {
			double val = (double)rows->entry[e].val;

			g->inverse[rows->entry[e].col] += factor * (val * val);
		}
	}
	for (int64_t j = 0; j < size; j++)
		g->inverse[j] = 1 / g->inverse[j];
}

/* r' M^-1 r for the residual 'rest'; 'image' becomes M^-1 r. */
static double weighted_norm2(const struct gradients *g)
{
	int64_t size = g->rows->d + g->n_sides;

	for (int64_t j = 0; j < size; j++)
		g->image[j] = g->rest[j] * g->inverse[j];
	return inner_product(g->rest, g->image, size);
}

/*
 * Conjugate gradients by Hestenes and Stiefel with a diagonal preconditioner.  'rest' is -gradient
 * and 'step' zero at first.  False if it ends before the goal; 'step' is then what was reached.
 */
static bool run_gradients(const struct gradients *g)
{
	int64_t size = g->rows->d + g->n_sides;
	/* the goal of the iteration: a share of r'M^-1 r at step 0 */
	double norm2 = weighted_norm2(g), goal = norm2 * g->wanted->reduction;

	memcpy(g->along, g->image, (size_t)size * sizeof(*g->along));
	for (int i = 0; i < MAX_GRADIENTS && norm2 > goal; i++) {
		double curvature, length, previous = norm2;

		/* the first step is made in any case: without it there is no direction to return */
		if (i > 0 && interruption_requested(g->wanted->interruption))
			break;
		apply_matrix(g);
		curvature = inner_product(g->along, g->image, size);
		/* curvature of 0 or not a number: the products have underflowed or overflowed */
		if (!(curvature > 0))
			break;
		/* length of the step, (2): to where the quadratic is least along p */
		length = norm2 / curvature;
		for (int64_t j = 0; j < size; j++) {
			g->step[j] += length * g->along[j];
			g->rest[j] -= length * g->image[j];
		}
		/* new residual and its norm, (3): 'image' is M^-1 r from here on */
		norm2 = weighted_norm2(g);
		for (int64_t j = 0; j < size; j++)
			g->along[j] = g->image[j] + norm2 / previous * g->along[j];
	}
	return norm2 <= goal;
}

int linear_direction_conjugate(struct linear_direction *m, const struct linear_rows *x,
			       const int64_t *inside, int64_t n_inside, struct linear_step *step,
			       struct error *err)
{
	struct gradients g = {
		.rows = &m->pack, .x = x, .n_sides = linear_direction_sides(m), .wanted = step
	};
	int64_t d = x->d, size = d + g.n_sides;
	int ret = -1;

	/* the five vectors lie in one array, which is freed as a whole */
	g.inverse = mem_zeroed(5 * size, sizeof(double), err);
	g.weight = m->weight ? mem_array(n_inside, sizeof(*g.weight), err) : NULL;
	g.side = m->lower ? mem_array(n_inside, sizeof(*g.side), err) : NULL;
	if (err->code != ERR_NONE || linear_pack_fill(&m->pack, x, inside, n_inside, err) < 0)
		goto out;
	g.step = g.inverse + size;
	g.rest = g.step + size;
	g.along = g.rest + size;
	g.image = g.along + size;
	for (int64_t k = 0; k < n_inside && g.weight; k++)
		g.weight[k] = m->weight[inside[k]];
	for (int64_t k = 0; k < n_inside && g.side; k++)
		g.side[k] = (uint8_t)linear_direction_side(m, inside[k]);
	/* the first step is 0, so that the first residual is -gradient */
	for (int64_t j = 0; j < size; j++)
		g.rest[j] = j < d ? -step->gradient_w[j] : -step->gradient_b[j - d];
	set_preconditioner(&g);
	ret = run_gradients(&g) ? 0 : 1;
	memcpy(step->w, g.step, (size_t)d * sizeof(*step->w));
	memcpy(step->b, g.step + d, (size_t)g.n_sides * sizeof(*step->b));
	m->n_conjugate++;
out:
	mem_free_all(g.inverse, g.weight, g.side);
	return ret;
}
