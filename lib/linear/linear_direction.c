/*
 * linear_direction.c - the Newton direction of the linear engine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_direction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "linear/linear_products.h"
#include "matrix/blas.h"

/* Rows that were in J may come back: room for more than are in it. */
#define MAX_SLOTS (3 * LINEAR_MAX_DUAL / 2)

/* In so many parts the matrix is summed where there are threads; it does not change the bits. */
#define PARTS 4

/* The sum is begun anew when so many times the rows still in it have been: rounding, and work. */
#define REBUILD 4

/* Rows made dense at a time: enough for the matrix product to be fast. */
#define DENSE_ROWS 128

/* Conjugate gradients end there, or when the residual has fallen so far. */
#define MAX_GRADIENTS 400
#define GRADIENT_REDUCTION 1e-8

/* Raised a hundredfold until the Cholesky factorisation succeeds. */
#define FIRST_RIDGE 1e-13
#define MAX_RIDGES 6

void linear_direction_free(struct linear_direction *m)
{
	free(m->outer);
	free(m->factor);
	free(m->rhs);
	free(m->dense);
	free(m->gram);
	free(m->slot_row);
	free(m->row_slot);
	free(m->expanded);
	free(m->factored);
	free(m->slot);
	*m = (struct linear_direction){ 0 };
}

void linear_direction_forget(struct linear_direction *m)
{
	m->outer_is_current = false;
}

/* Room for a matrix of that order and its right hand sides. */
static int get_factor(struct linear_direction *m, int64_t order, struct error *err)
{
	int64_t wanted = order * order;

	if (m->factor_capacity >= wanted)
		return 0;
	free(m->factor);
	free(m->rhs);
	m->factor_capacity = m->n_factored = 0;
	m->factor = mem_aligned(wanted, sizeof(*m->factor), err);
	m->rhs = mem_aligned(4 * order, sizeof(*m->rhs), err);
	if (!m->factor || !m->rhs || blas_reserve(err) < 0)
		return -1;
	m->factor_capacity = wanted;
	return 0;
}

/* ---- primal ---- */

/* Rows to be added to the matrix with their signs. */
struct outer_sum {
	struct linear_direction *m;
	const struct linear_rows *x;
	const int64_t *row;
	const double *sign; /* NULL: all 1 */
	int64_t n, n_parts; /* parts: a power of 2 */
};

/* Row i adds to the matrix's rows of its own columns; this part has every n_parts-th of them. */
static void add_sparse_part(void *arg, int64_t part, int thread)
{
	const struct outer_sum *s = arg;
	int64_t size = s->m->size, d = size - 1;
	double *ones = s->m->outer + d * size;

	(void)thread;
	for (int64_t r = 0; r < s->n; r++) {
		double sign = s->sign ? s->sign[r] : 1;
		int64_t start = s->x->start[s->row[r]], end = s->x->start[s->row[r] + 1];
		const int32_t *col = s->x->col + start;
		const double *val = s->x->val + start;

		for (int64_t a = 0; a < end - start; a++) {
			double *outer = s->m->outer + col[a] * size, c = sign * val[a];

			if ((col[a] & (s->n_parts - 1)) != part)
				continue;
			for (int64_t b = 0; b <= a; b++)
				outer[col[b]] += c * val[b];
		}
		if ((d & (s->n_parts - 1)) != part)
			continue;
		for (int64_t a = 0; a < end - start; a++)
			ones[col[a]] += sign * val[a];
		ones[d] += sign;
	}
}

static void add_sparse(const struct outer_sum *s)
{
	struct outer_sum shared = *s;
	int64_t n_entries = linear_rows_entries(s->x, s->row, s->n);
	double work = (double)n_entries * (double)n_entries / (double)(s->n > 0 ? s->n : 1) / 2;

	shared.n_parts = work >= LINEAR_WORK_FOR_THREADS && s->x->team ? PARTS : 1;
	thread_team_for(s->x->team, shared.n_parts, add_sparse_part, &shared);
}

static void add_dense_of_sign(const struct outer_sum *s, double sign)
{
	int64_t size = s->m->size, n_dense = 0;

	for (int64_t r = 0; r < s->n; r++) {
		double *z = s->m->dense + n_dense * size;

		if (s->sign && s->sign[r] != sign)
			continue;
		memset(z, 0, (size_t)size * sizeof(*z));
		linear_rows_axpy(s->x, s->row[r], 1, z);
		z[size - 1] = 1;
		if (++n_dense < DENSE_ROWS)
			continue;
		blas_add_outer(s->m->outer, size, size, sign, s->m->dense, n_dense);
		n_dense = 0;
	}
	blas_add_outer(s->m->outer, size, size, sign, s->m->dense, n_dense);
}

/* Dense rows go through the BLAS, which takes a product in a fraction of the time. */
static void add_outer(struct linear_direction *m, const struct linear_rows *x, const int64_t *row,
		      const double *sign, int64_t n)
{
	struct outer_sum s = { .m = m, .x = x, .row = row, .sign = sign, .n = n };

	if (3 * linear_rows_entries(x, row, n) < n * x->d) {
		add_sparse(&s);
		return;
	}
	add_dense_of_sign(&s, 1);
	if (sign)
		add_dense_of_sign(&s, -1);
}

void linear_direction_change(struct linear_direction *m, const struct linear_rows *x,
			     const int64_t *row, const double *sign, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		m->n_outer += sign[k] > 0 ? 1 : -1;
	m->most_outer = int64_max(m->n_outer, m->most_outer);
	if (m->outer_is_current && REBUILD * m->n_outer < m->most_outer)
		m->outer_is_current = false;
	if (m->outer_is_current)
		add_outer(m, x, row, sign, n);
}

static int get_outer(struct linear_direction *m, const struct linear_rows *x, struct error *err)
{
	int64_t n_dense = int64_min(x->n, DENSE_ROWS);

	if (m->outer)
		return get_factor(m, m->size, err);
	m->size = x->d + 1;
	m->dense = mem_aligned(n_dense * m->size, sizeof(*m->dense), err);
	m->outer = mem_aligned(m->size * m->size, sizeof(*m->outer), err);
	if (!m->dense || !m->outer)
		return -1;
	return get_factor(m, m->size, err);
}

/* The matrix divided by sigma, factored; with a ridge if rounding leaves it not positive. */
static int factor_primal(struct linear_direction *m, double sigma, double tau)
{
	int64_t size = m->size;
	double ridge = 0;

	m->n_factored = 0;
	for (int attempt = 0; attempt < MAX_RIDGES; attempt++) {
		memcpy(m->factor, m->outer, (size_t)(size * size) * sizeof(*m->factor));
		for (int64_t j = 0; j < size; j++)
			m->factor[j * size + j] += (j < size - 1 ? 1 : 1 / tau) / sigma +
						   ridge * m->outer[j * size + j];
		if (blas_cholesky(m->factor, size, size) == 0)
			return 0;
		ridge = ridge > 0 ? 100 * ridge : FIRST_RIDGE;
	}
	return -1;
}

/* Returns 1 if the matrix could not be factored. */
static int primal_step(struct linear_direction *m, const struct linear_rows *x,
		       const int64_t *inside, int64_t n_inside, struct linear_step *step,
		       struct error *err)
{
	int64_t d = x->d;

	if (get_outer(m, x, err) < 0)
		return -1;
	if (!m->outer_is_current) {
		memset(m->outer, 0, (size_t)(m->size * m->size) * sizeof(*m->outer));
		add_outer(m, x, inside, NULL, n_inside);
		m->outer_is_current = true;
		m->n_outer = m->most_outer = n_inside;
	}
	if (factor_primal(m, step->sigma, step->tau) < 0)
		return 1;
	for (int64_t j = 0; j < d; j++)
		m->rhs[j] = -step->gradient_w[j] / step->sigma;
	m->rhs[d] = -step->gradient_b / step->sigma;
	blas_cholesky_solve(m->factor, m->size, m->size, m->rhs);
	memcpy(step->w, m->rhs, (size_t)d * sizeof(*step->w));
	step->b = m->rhs[d];
	m->n_primal++;
	return 0;
}

/* ---- dual ---- */

static int get_gram(struct linear_direction *m, const struct linear_rows *x, struct error *err)
{
	int64_t n_inside = int64_min(x->n, LINEAR_MAX_DUAL);

	if (m->gram)
		return 0;
	m->max_slots = int64_min(x->n, MAX_SLOTS);
	m->slot_row = mem_array(m->max_slots, sizeof(*m->slot_row), err);
	m->row_slot = mem_array(x->n, sizeof(*m->row_slot), err);
	m->expanded = mem_zeroed(x->d, sizeof(*m->expanded), err);
	m->factored = mem_array(n_inside, sizeof(*m->factored), err);
	m->slot = mem_array(n_inside, sizeof(*m->slot), err);
	m->gram = mem_large(m->max_slots * m->max_slots, sizeof(*m->gram), err);
	if (!m->slot_row || !m->row_slot || !m->expanded || !m->factored || !m->slot || !m->gram)
		return -1;
	memset(m->row_slot, 0xff, (size_t)x->n * sizeof(*m->row_slot));
	return 0;
}

static void forget_slots(struct linear_direction *m)
{
	for (int64_t slot = 0; slot < m->n_slots; slot++)
		m->row_slot[m->slot_row[slot]] = -1;
	m->n_slots = 0;
}

/* Inner products of row i with all that have a slot, itself included. */
static void add_slot(struct linear_direction *m, const struct linear_rows *x, int64_t i)
{
	int64_t slot = m->n_slots++;

	m->slot_row[slot] = i;
	m->row_slot[i] = (int32_t)slot;
	linear_rows_axpy(x, i, 1, m->expanded);
	for (int64_t other = 0; other <= slot; other++)
		m->gram[slot * m->max_slots + other] =
			linear_rows_dot(x, m->slot_row[other], m->expanded);
	for (int64_t k = x->start[i]; k < x->start[i + 1]; k++)
		m->expanded[x->col[k]] = 0;
}

static void cover_rows(struct linear_direction *m, const struct linear_rows *x,
		       const int64_t *inside, int64_t n_inside)
{
	int64_t n_new = 0;

	for (int64_t k = 0; k < n_inside; k++)
		n_new += m->row_slot[inside[k]] < 0;
	if (m->n_slots + n_new > m->max_slots)
		forget_slots(m);
	for (int64_t k = 0; k < n_inside; k++)
		if (m->row_slot[inside[k]] < 0)
			add_slot(m, x, inside[k]);
}

/* Is the factor that of these rows and this sigma?  Near the end it often is. */
static bool is_factored(const struct linear_direction *m, const int64_t *inside, int64_t n_inside,
			double sigma)
{
	return m->n_factored == n_inside && m->factored_sigma == sigma &&
	       memcmp(m->factored, inside, (size_t)n_inside * sizeof(*inside)) == 0;
}

/* Row a of the Gram matrix of the rows of J, to the diagonal. */
static void copy_gram_row(const struct linear_direction *m, int64_t a, double *row)
{
	int64_t slot = m->slot[a];

	for (int64_t b = 0; b <= a; b++) {
		int64_t other = m->slot[b];

		row[b] = slot > other ? m->gram[slot * m->max_slots + other] :
					m->gram[other * m->max_slots + slot];
	}
}

static int factor_dual(struct linear_direction *m, const struct linear_rows *x,
		       const int64_t *inside, int64_t n_inside, double sigma)
{
	double ridge = FIRST_RIDGE;

	if (is_factored(m, inside, n_inside, sigma))
		return 0;
	m->n_factored = 0;
	for (int64_t a = 0; a < n_inside; a++)
		m->slot[a] = m->row_slot[inside[a]];
	for (int attempt = 0; attempt < MAX_RIDGES; attempt++) {
		for (int64_t a = 0; a < n_inside; a++) {
			double *row = m->factor + a * n_inside;

			copy_gram_row(m, a, row);
			row[a] += 1 / sigma + ridge * x->norm2[inside[a]];
		}
		if (blas_cholesky(m->factor, n_inside, n_inside) == 0) {
			memcpy(m->factored, inside, (size_t)n_inside * sizeof(*inside));
			m->n_factored = n_inside;
			m->factored_sigma = sigma;
			return 0;
		}
		ridge *= 100;
	}
	return -1;
}

static double sum_of(const double *x, int64_t n)
{
	double sum = 0;

	for (int64_t k = 0; k < n; k++)
		sum += x[k];
	return sum;
}

/*
 * K = X_J X_J' + 1/sigma,  q = K^-1 1,  h = K^-1 X_J g_w:
 * step_b = (sum h - g_b) / (1/tau + sum q),  step_w = -g_w + X_J'(h - q step_b)
 */
static int dual_step(struct linear_direction *m, const struct linear_rows *x, const int64_t *inside,
		     int64_t n_inside, struct linear_step *step, struct error *err)
{
	double *q, *h;

	if (get_gram(m, x, err) < 0 || get_factor(m, n_inside, err) < 0)
		return -1;
	cover_rows(m, x, inside, n_inside);
	if (factor_dual(m, x, inside, n_inside, step->sigma) < 0)
		return 1;
	q = m->rhs;
	h = m->rhs + n_inside;
	for (int64_t k = 0; k < n_inside; k++)
		q[k] = 1;
	linear_rows_times(x, inside, n_inside, step->gradient_w, 0, h);
	blas_cholesky_solve(m->factor, n_inside, n_inside, q);
	blas_cholesky_solve(m->factor, n_inside, n_inside, h);
	step->b = (sum_of(h, n_inside) - step->gradient_b) / (1 / step->tau + sum_of(q, n_inside));
	for (int64_t k = 0; k < n_inside; k++)
		h[k] -= q[k] * step->b;
	for (int64_t j = 0; j < x->d; j++)
		step->w[j] = -step->gradient_w[j];
	linear_rows_add(x, inside, n_inside, h, step->w);
	m->n_dual++;
	return 0;
}

/* ---- conjugate gradients ---- */

/* Vectors of d + 1, the last entry being that of b. */
struct gradients {
	const struct linear_rows *x;
	const int64_t *inside;
	int64_t n_inside;
	double sigma, tau;
	double *diagonal, *step, *rest, *along, *image;
	double *values; /* n_inside */
};

/* image = (diag(1, .., 1, 1/tau) + sigma sum_J z z') along */
static void apply_matrix(const struct gradients *g)
{
	int64_t d = g->x->d;
	double sum = 0;

	linear_rows_times(g->x, g->inside, g->n_inside, g->along, g->along[d], g->values);
	memcpy(g->image, g->along, (size_t)d * sizeof(*g->image));
	for (int64_t k = 0; k < g->n_inside; k++) {
		g->values[k] *= g->sigma;
		sum += g->values[k];
	}
	linear_rows_add(g->x, g->inside, g->n_inside, g->values, g->image);
	g->image[d] = g->along[d] / g->tau + sum;
}

static void set_diagonal(const struct gradients *g)
{
	int64_t d = g->x->d;

	for (int64_t j = 0; j < d; j++)
		g->diagonal[j] = 1;
	for (int64_t r = 0; r < g->n_inside; r++)
		for (int64_t k = g->x->start[g->inside[r]]; k < g->x->start[g->inside[r] + 1]; k++)
			g->diagonal[g->x->col[k]] += g->sigma * g->x->val[k] * g->x->val[k];
	g->diagonal[d] = 1 / g->tau + g->sigma * (double)g->n_inside;
}

static double weighted_norm2(const struct gradients *g)
{
	double sum = 0;

	for (int64_t j = 0; j <= g->x->d; j++)
		sum += g->rest[j] * g->rest[j] / g->diagonal[j];
	return sum;
}

/* 'rest' is -gradient and 'step' zero at first.  False if it takes too long. */
static bool run_gradients(const struct gradients *g)
{
	int64_t size = g->x->d + 1;
	double norm2 = weighted_norm2(g), goal = norm2 * GRADIENT_REDUCTION;

	for (int64_t j = 0; j < size; j++)
		g->along[j] = g->rest[j] / g->diagonal[j];
	for (int i = 0; i < MAX_GRADIENTS && norm2 > goal; i++) {
		double curvature = 0, length, previous = norm2;

		apply_matrix(g);
		for (int64_t j = 0; j < size; j++)
			curvature += g->along[j] * g->image[j];
		if (!(curvature > 0))
			break;
		length = norm2 / curvature;
		for (int64_t j = 0; j < size; j++) {
			g->step[j] += length * g->along[j];
			g->rest[j] -= length * g->image[j];
		}
		norm2 = weighted_norm2(g);
		for (int64_t j = 0; j < size; j++)
			g->along[j] = g->rest[j] / g->diagonal[j] + norm2 / previous * g->along[j];
	}
	return norm2 <= goal;
}

/* Returns 1 if it took too long, the step being as good as it came. */
static int conjugate_step(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *inside, int64_t n_inside, struct linear_step *step,
			  struct error *err)
{
	int64_t d = x->d, size = d + 1;
	double *room = mem_zeroed(5 * size + n_inside, sizeof(*room), err);
	bool converged;
	struct gradients g = { .x = x,
			       .inside = inside,
			       .n_inside = n_inside,
			       .sigma = step->sigma,
			       .tau = step->tau,
			       .diagonal = room };

	if (!room)
		return -1;
	g.step = room + size;
	g.rest = room + 2 * size;
	g.along = room + 3 * size;
	g.image = room + 4 * size;
	g.values = room + 5 * size;
	for (int64_t j = 0; j < d; j++)
		g.rest[j] = -step->gradient_w[j];
	g.rest[d] = -step->gradient_b;
	set_diagonal(&g);
	converged = run_gradients(&g);
	memcpy(step->w, g.step, (size_t)d * sizeof(*step->w));
	step->b = g.step[d];
	free(room);
	m->n_conjugate++;
	return converged ? 0 : 1;
}

/* ---- choice ---- */

/* A cube of the BLAS is so many times faster than an entry of a sparse row. */
#define CUBE_SPEED 100.0

/* What conjugate gradients need where they are slow. */
#define EXPECTED_GRADIENTS 300

int linear_direction_find(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *inside, int64_t n_inside, struct linear_step *step,
			  struct error *err)
{
	double size = (double)x->d + 1, free_rows = (double)n_inside;
	double primal = x->d <= LINEAR_MAX_PRIMAL ? size * size * size / CUBE_SPEED : INFINITY;
	double dual =
		n_inside <= LINEAR_MAX_DUAL && n_inside < x->d ?
			free_rows * free_rows * free_rows / CUBE_SPEED + 2 * free_rows * free_rows :
			INFINITY;
	double conjugate = 2.0 * EXPECTED_GRADIENTS *
			   ((double)linear_rows_entries(x, inside, n_inside) + 4 * size);
	int ret = 1;

	if (conjugate < dual && conjugate < primal)
		ret = conjugate_step(m, x, inside, n_inside, step, err);
	if (ret == 1 && dual <= primal && dual < INFINITY)
		ret = dual_step(m, x, inside, n_inside, step, err);
	else if (ret == 1 && primal < INFINITY)
		ret = primal_step(m, x, inside, n_inside, step, err);
	if (ret == 1 && conjugate >= fmin(dual, primal))
		ret = conjugate_step(m, x, inside, n_inside, step, err);
	return ret < 0 ? -1 : 0;
}
