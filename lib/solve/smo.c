/*
 * smo.c - sequential minimal optimisation from a warm start: the native subproblem solver
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/smo.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "solve/kernel_rows.h"
#include "solve/smo_loops.h"

/* One solving. */
struct smo {
	const struct problem_view *p;
	double *beta;
	struct smo_arrays a;
	struct kernel_rows rows;
};

static void smo_free(struct smo *s)
{
	kernel_rows_free(&s->rows);
	free(s->a.slope);
	free(s->a.up_offset);
	free(s->a.down_offset);
	free(s->a.diagonal);
}

/* What raising and lowering beta_i cost besides the slope, now that it is where it is. */
static void set_offsets(struct smo *s, int64_t i)
{
	double beta = s->beta[i], epsilon = s->p->epsilon;

	s->a.up_offset[i] = beta >= problem_upper(s->p, i) ? -INFINITY :
			    beta < 0			   ? epsilon :
							     -epsilon;
	s->a.down_offset[i] = beta <= problem_lower(s->p, i) ? INFINITY :
			      beta > 0			     ? -epsilon :
							       epsilon;
}

static int smo_init(struct smo *s, const double *f, double cache_mb, int n_threads,
		    struct error *err)
{
	int64_t n = s->p->n;

	if (kernel_rows_init(&s->rows, s->p, cache_mb, SMO_LANES, n_threads, err) < 0)
		return -1;
	s->a.n = s->rows.n_padded;
	s->a.slope = mem_aligned(s->a.n, sizeof(double), err);
	s->a.up_offset = mem_aligned(s->a.n, sizeof(double), err);
	s->a.down_offset = mem_aligned(s->a.n, sizeof(double), err);
	s->a.diagonal = mem_aligned(s->a.n, sizeof(double), err);
	if (err->code != ERR_NONE)
		return -1;
	kernel_rows_diagonal(&s->rows, s->a.diagonal);
	for (int64_t i = 0; i < n; i++) {
		s->a.slope[i] = s->p->target[i] - f[i];
		set_offsets(s, i);
	}
	for (int64_t i = n; i < s->a.n; i++) {
		s->a.up_offset[i] = -INFINITY;
		s->a.down_offset[i] = INFINITY;
	}
	return 0;
}

/* An example and how badly it wants to move. */
struct candidate {
	double violation;
	int64_t i;
};

/* Keep the worst KERNEL_TILE_ROWS candidates, sorted, the worst first. */
static int insert_candidate(struct candidate *list, int n, struct candidate c)
{
	int at = n;

	if (n == KERNEL_TILE_ROWS && c.violation <= list[n - 1].violation)
		return n;
	if (n == KERNEL_TILE_ROWS)
		at = n - 1;
	for (; at > 0 && list[at - 1].violation < c.violation; at--)
		list[at] = list[at - 1];
	list[at] = c;
	return n < KERNEL_TILE_ROWS ? n + 1 : n;
}

/*
 * The row of example i; if it is not cached, it is computed along with those of the worst
 * violators that are not, which are likely to be wanted next.
 */
static const float *row_of(struct smo *s, int64_t i, const struct smo_extremes *x)
{
	struct candidate worst[KERNEL_TILE_ROWS];
	int64_t example[KERNEL_TILE_ROWS];
	int n;

	if (kernel_rows_cached(&s->rows, i))
		return kernel_rows_get(&s->rows, i);
	n = insert_candidate(worst, 0, (struct candidate){ INFINITY, i });
	for (int64_t k = 0; k < s->p->n; k++) {
		double up = s->a.slope[k] + s->a.up_offset[k] - x->down;
		double down = x->up - (s->a.slope[k] + s->a.down_offset[k]);
		double violation = up > down ? up : down;

		if (violation > 0 && k != i && !kernel_rows_cached(&s->rows, k))
			n = insert_candidate(worst, n, (struct candidate){ violation, k });
	}
	for (int c = 0; c < n; c++)
		example[c] = worst[c].i;
	kernel_rows_fetch(&s->rows, example, n);
	return kernel_rows_get(&s->rows, i);
}

/* Raise beta_i and lower beta_j to the best for the two, or to the first bound or kink. */
static void move_pair(struct smo *s, int64_t i, int64_t j, double gain, const float *row_i,
		      const float *row_j)
{
	double *beta = s->beta, curvature, t;
	double goal_i = beta[i] < 0 ? 0 : problem_upper(s->p, i);
	double goal_j = beta[j] > 0 ? 0 : problem_lower(s->p, j);
	double room_i = goal_i - beta[i], room_j = beta[j] - goal_j;
	double old_i = beta[i], old_j = beta[j];

	curvature = s->a.diagonal[i] + s->a.diagonal[j] - 2.0 * row_i[j];
	t = gain / fmax(curvature, SMO_MIN_CURVATURE);
	t = fmin(t, fmin(room_i, room_j));
	beta[i] = t >= room_i ? goal_i : beta[i] + t;
	beta[j] = t >= room_j ? goal_j : beta[j] - t;
	set_offsets(s, i);
	set_offsets(s, j);
	smo_step(&s->a, beta[i] - old_i, row_i, beta[j] - old_j, row_j);
}

/* rho = -b: the mean over free multipliers, or the middle of what the others allow. */
static double find_rho(const struct smo *s, const struct smo_extremes *x)
{
	double sum = 0;
	int64_t n_free = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double beta = s->beta[i];

		if (beta == 0 || beta >= problem_upper(s->p, i) || beta <= problem_lower(s->p, i))
			continue;
		sum += s->a.slope[i] + s->a.up_offset[i];
		n_free++;
	}
	return n_free > 0 ? -sum / (double)n_free : -(x->up + x->down) / 2;
}

static int solve_with_smo(const struct solver *solver, const struct problem_view *p, double eps,
			  double *beta, double *f, double *rho, int64_t *n_iterations,
			  struct error *err)
{
	struct smo s = { .p = p, .beta = beta };
	struct smo_extremes x;
	int64_t limit = solver_max_iterations(p->n);
	int ret = -1;

	if (smo_init(&s, f, solver->cache_mb, solver->n_threads, err) < 0)
		goto out;
	*n_iterations = 0;
	smo_find_extremes(&s.a, &x);
	while (x.up - x.down > eps && *n_iterations < limit) {
		int64_t i = x.up_index, j;
		const float *row_i = row_of(&s, i, &x), *row_j;

		j = smo_choose_partner(&s.a, i, x.up, row_i);
		if (j < 0)
			break;	/* the kernel overflows: no step can be told from another */
		row_j = row_of(&s, j, &x);
		move_pair(&s, i, j, x.up - (s.a.slope[j] + s.a.down_offset[j]), row_i, row_j);
		++*n_iterations;
		smo_find_extremes(&s.a, &x);
	}
	*rho = find_rho(&s, &x);
	ret = x.up - x.down > eps && *n_iterations >= limit;
out:
	smo_free(&s);
	return ret;
}

struct solver smo_solver(double cache_mb, int n_threads)
{
	return (struct solver){ .solve = solve_with_smo, .cache_mb = cache_mb,
				.n_threads = n_threads };
}
