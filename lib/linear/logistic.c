/*
 * logistic.c - logistic regression of two classes, all examples at once
 *
 * How this works.  For each w the best constant b(w) is the root of a monotone function of one
 * unknown, found in O(n) (1).  What is left is convex and smooth in w alone,
 *
 *     P(w) = min_b P(w, b),   gradient g = w - sum_i beta_i x_i                               (2)
 *     Hessian  H v = v + X'D (X v - m),   D_ii = C_i s_i (1 - s_i),   m = the D-mean of X v   (3)
 *
 * with s_i = 1 / (1 + exp(y_i (x_i.w + b))).  A Newton step solves H step = -g by conjugate gradients,
 * the more exactly the smaller g is (4), and is halved until P falls enough (5).  At b(w) the
 * multipliers sum to 0, so that 1/2 |g|^2 is the duality gap, and says when to stop (6).
 *
 * Columns that all rows have are centred (linear_rows.h), which changes b alone.  The certificate
 * is of the rows as they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/logistic.h"

#include "linear/linear_rows.h"

enum {
	MOST_STEPS = 200,      /* Newton steps; a9a at C = 1000 takes 12 */
	MOST_PRODUCTS = 1000,  /* conjugate gradients in one */
	MOST_HALVINGS = 40,    /* of a step that does not lower P in doubles */
	MOST_ROOT_STEPS = 100, /* of (1), of which each halves the interval at least */
	SATURATED = 750	       /* exp(-x) is 0 in doubles */
};

/* Gap that is sought where none is asked for: what doubles hold of large sums. */
static const double smallest_gap = 1e-12;

/* Numbers of rows, and of columns, that a run has an array of each for. */
enum { BY_ROW = 6, BY_COLUMN = 6 };

struct logistic {
	const struct problem_view *p;
	struct linear_rows x;
	double *side, *c;     /* y_i and C_i of each row */
	double *z, *change;   /* x_i.w, and how it changes by a step */
	double *beta, *curve; /* multipliers; D_ii of (3) */
	double *w, *gradient, *step, *residual, *direction, *product;
	double b, loss; /* b(w), and the sum of the losses */
	int64_t n_products;
};

/* Multipliers, curvatures and the sum of losses at s->z + b; returns minus the sum of beta. */
static double set_multipliers(struct logistic *s, double b, double *curvature)
{
	double sum = 0;

	s->b = b;
	s->loss = *curvature = 0;
	for (int64_t i = 0; i < s->x.n; i++) {
		/* no argument of exp() is positive: of the sigmoid and 1 - sigmoid none is 1 - small */
		double m = s->side[i] * (s->z[i] + b), e = exp(-fabs(m));
		double small = e / (1 + e), large = 1 / (1 + e);

		s->beta[i] = s->side[i] * s->c[i] * (m > 0 ? small : large);
		s->curve[i] = s->c[i] * small * large;
		s->loss += s->c[i] * (fmax(-m, 0) + log1p(e));
		sum += s->beta[i];
		*curvature += s->curve[i];
	}
	return -sum;
}

/* (1): Newton steps from the b of before, and halves of the interval where they leave it. */
static void find_constant(struct logistic *s)
{
	const double largest = largest_of_sizes(s->z, s->x.n);
	double high = largest + SATURATED, low = -high, b = s->b, slope, curvature;

	for (int k = 0; k < MOST_ROOT_STEPS; k++) {
		const double before = b;

		slope = set_multipliers(s, b, &curvature);
		*(slope > 0 ? &high : &low) = b;
		b -= slope / curvature;
		if (!(b > low && b < high))
			b = low + (high - low) / 2;
		if (fabs(b - before) <= DBL_EPSILON * (largest + fabs(b)))
			break;
	}
}

/* (2): P, with the multipliers and the gradient at s->w, whose z is known */
static double set_point(struct logistic *s)
{
	const int64_t d = s->x.d;

	find_constant(s);
	memset(s->gradient, 0, (size_t)d * sizeof(*s->gradient));
	linear_rows_add(&s->x, NULL, s->x.n, s->beta, s->gradient);
	for (int64_t j = 0; j < d; j++)
		s->gradient[j] = s->w[j] - s->gradient[j];
	return inner_product(s->w, s->w, d) / 2 + s->loss;
}

/* (3): s->product = H s->direction; s->change is scratch */
static void multiply(struct logistic *s)
{
	double sum = 0, weight = 0, mean;

	linear_rows_times(&s->x, NULL, s->x.n, s->direction, 0, s->change);
	for (int64_t i = 0; i < s->x.n; i++) {
		sum += s->curve[i] * s->change[i];
		weight += s->curve[i];
	}
	mean = weight > 0 ? sum / weight : 0;
	for (int64_t i = 0; i < s->x.n; i++)
		s->change[i] = s->curve[i] * (s->change[i] - mean);
	memcpy(s->product, s->direction, (size_t)s->x.d * sizeof(*s->product));
	linear_rows_add(&s->x, NULL, s->x.n, s->change, s->product);
	s->n_products++;
}

/* (4): s->step, to a residual of a share of |g| that falls with it, as Newton's convergence does */
static void find_step(struct logistic *s, double share, const struct interruption *interruption)
{
	const int64_t d = s->x.d;
	double square = inner_product(s->gradient, s->gradient, d);
	const double goal = share * share * square;

	for (int64_t j = 0; j < d; j++) {
		s->step[j] = 0;
		s->residual[j] = s->direction[j] = -s->gradient[j];
	}
	for (int k = 0; k < MOST_PRODUCTS && square > goal; k++) {
		double length, before = square;

		if (interruption_requested(interruption))
			break;
		multiply(s);
		length = square / inner_product(s->direction, s->product, d);
		for (int64_t j = 0; j < d; j++) {
			s->step[j] += length * s->direction[j];
			s->residual[j] -= length * s->product[j];
		}
		square = inner_product(s->residual, s->residual, d);
		for (int64_t j = 0; j < d; j++)
			s->direction[j] = s->residual[j] + square / before * s->direction[j];
	}
}

/* (5): go along the step; false, with the point as it was, where nothing lowers P in doubles */
static bool go(struct logistic *s, double *primal)
{
	const int64_t n = s->x.n, d = s->x.d;
	const double ww = inner_product(s->w, s->w, d), ws = inner_product(s->w, s->step, d),
		     ss = inner_product(s->step, s->step, d),
		     slope = inner_product(s->gradient, s->step, d);
	double length = 1, reached = 0, before = s->b;

	linear_rows_times(&s->x, NULL, n, s->step, 0, s->change);
	for (int k = 0; k <= MOST_HALVINGS; k++, length /= 2) {
		const double to = k < MOST_HALVINGS ? length : 0;

		for (int64_t i = 0; i < n; i++)
			s->z[i] += (to - reached) * s->change[i];
		reached = to;
		s->b = before;
		find_constant(s);
		if (ww / 2 + to * (ws + to * ss / 2) + s->loss < *primal + 1e-4 * to * slope)
			break;
	}
	for (int64_t j = 0; j < d; j++)
		s->w[j] += reached * s->step[j];
	*primal = set_point(s);
	return reached > 0;
}

/* Newton steps from w = 0 until the gap is reached (6), or nothing is gained in doubles. */
static void minimise(struct logistic *s, const struct logistic_options *o,
		     struct logistic_result *result)
{
	const double wanted = o->gap > 0 ? o->gap : smallest_gap;
	double primal = set_point(s), first = sqrt(inner_product(s->gradient, s->gradient, s->x.d));

	for (int k = 0; k < MOST_STEPS; k++) {
		const double square = inner_product(s->gradient, s->gradient, s->x.d);

		result->enough = square / 2 <= wanted * primal;
		result->interrupted = interruption_requested(o->interruption);
		if (result->enough || result->interrupted)
			return;
		find_step(s, fmin(0.1, sqrt(sqrt(square) / first)), o->interruption);
		if (!go(s, &primal))
			return;
	}
}

/* w by column of the data, the multipliers by example, and what they prove of the rows as they are */
static int certify(struct logistic *s, double *beta, struct logistic_result *result,
		   struct error *err)
{
	const struct problem_view *p = s->p;
	struct certificate *c = &result->certificate;
	double *w = mem_zeroed(p->x->n_cols, sizeof(*w), err), *sum, norm, gap = 0, rounding;

	result->w = w;
	sum = mem_zeroed(p->x->n_cols, sizeof(*sum), err);
	if (!w || !sum) {
		mem_free(sum);
		return -1;
	}
	for (int64_t i = 0; i < s->x.n; i++) {
		const int32_t *col = p->x->col + p->x->row_start[p->row[s->x.order[i]]];

		for (int64_t k = s->x.start[i]; k < s->x.start[i + 1]; k++)
			w[*col++] = s->w[s->x.col[k]];
	}
	for (int64_t i = 0; i < s->x.n; i++)
		s->z[i] = csr_row_dot(p->x, p->row[s->x.order[i]], w);
	find_constant(s);
	for (int64_t i = 0; i < s->x.n; i++) {
		beta[s->x.order[i]] = s->beta[i];
		csr_add_row(p->x, p->row[s->x.order[i]], s->beta[i], sum);
		c->n_sv += s->beta[i] != 0;
		c->sum_abs_beta += fabs(s->beta[i]);
	}
	for (int64_t j = 0; j < p->x->n_cols; j++)
		gap += (w[j] - sum[j]) * (w[j] - sum[j]);
	norm = sqrt(inner_product(w, w, p->x->n_cols));
	/* of sums over the rows some 16 units of the sum of the terms' sizes are rounding */
	rounding = 16 * DBL_EPSILON * certificate_lengths(p, beta);
	c->primal = norm * norm / 2 + s->loss;
	c->dual = c->primal - gap / 2;
	c->rounding = 16 * DBL_EPSILON * c->primal + rounding * norm;
	c->row_gaps = pow(sqrt(gap) + rounding, 2) / 2;
	result->rho = -s->b;
	mem_free(sum);
	return 0;
}

int logistic_solve(const struct problem_view *p, const struct logistic_options *o, double *beta,
		   struct logistic_result *result, struct error *err)
{
	struct logistic s = { .p = p, .x = *p->linear_rows };
	double **array[BY_ROW + BY_COLUMN] = { &s.side, &s.c,	     &s.z,	   &s.change,
					       &s.beta, &s.curve,    &s.w,	   &s.gradient,
					       &s.step, &s.residual, &s.direction, &s.product };
	int ret = -1;

	*result = (struct logistic_result){ 0 };
	/* the other arrays of the rows are shared, but two problems must not use one 'partial' at once */
	s.x.partial = mem_array(LINEAR_LISTS * s.x.d, sizeof(double), err);
	if (s.x.start[s.x.n] >= LINEAR_ENTRIES_FOR_THREADS)
		s.x.team = thread_team_start(o->n_threads, err);
	for (int k = 0; k < BY_ROW + BY_COLUMN; k++)
		*array[k] = mem_zeroed(k < BY_ROW ? s.x.n : s.x.d, sizeof(double), err);
	if (err->code == ERR_NONE) {
		for (int64_t i = 0; i < s.x.n; i++) {
			s.side[i] = p->target[s.x.order[i]] > 0 ? 1 : -1;
			s.c[i] = problem_c(p, s.x.order[i]);
		}
		minimise(&s, o, result);
		result->n_iterations = s.n_products;
		ret = certify(&s, beta, result, err);
	}
	for (int k = 0; k < BY_ROW + BY_COLUMN; k++)
		mem_free(*array[k]);
	thread_team_stop(s.x.team);
	mem_free(s.x.partial);
	if (ret < 0)
		mem_free(result->w);
	return ret;
}
