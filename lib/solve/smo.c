/*
 * smo.c - sequential minimal optimisation on a working set that changes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/smo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Steps between two looks at whether somebody wants an end, and before the first. */
#define INTERRUPTION_STEPS 1024

static void free_arrays(struct smo *s)
{
	free(s->a.slope);
	free(s->a.up_offset);
	free(s->a.down_offset);
	free(s->a.diagonal);
	free(s->beta);
	free(s->upper);
	free(s->lower);
}

void smo_free(struct smo *s)
{
	kernel_rows_free(&s->rows);
	free_arrays(s);
	*s = (struct smo){ 0 };
}

int smo_init(struct smo *s, const struct problem_view *p, double cache_mb, int n_threads,
	     const struct interruption *interruption, struct error *err)
{
	*s = (struct smo){ .p = p, .interruption = interruption };
	return kernel_rows_init(&s->rows, p, cache_mb, n_threads, err);
}

static int reserve(struct smo *s, int64_t n, struct error *err)
{
	if (n <= s->capacity)
		return 0;
	free_arrays(s);
	s->capacity = n + n / 2;
	s->a.slope = mem_aligned(s->capacity, sizeof(double), err);
	s->a.up_offset = mem_aligned(s->capacity, sizeof(double), err);
	s->a.down_offset = mem_aligned(s->capacity, sizeof(double), err);
	s->a.diagonal = mem_aligned(s->capacity, sizeof(float), err);
	s->beta = mem_array(s->capacity, sizeof(double), err);
	s->upper = mem_array(s->capacity, sizeof(double), err);
	s->lower = mem_array(s->capacity, sizeof(double), err);
	if (err->code == ERR_NONE)
		return 0;
	s->capacity = 0;
	return -1;
}

int smo_set_members(struct smo *s, const bool *is_member, struct error *err)
{
	int64_t n = s->p->n, n_kept = 0, n_new = 0, ret = -1;
	bool *is_old = mem_zeroed(n, sizeof(*is_old), err);
	int64_t *list = mem_array(n, sizeof(*list), err);

	if (!is_old || !list)
		goto out;
	for (int64_t i = 0; i < s->rows.n; i++) {
		is_old[s->rows.example[i]] = true;
		if (is_member[s->rows.example[i]])
			list[n_kept++] = i;
	}
	if (n_kept < s->rows.n)
		kernel_rows_keep(&s->rows, list, n_kept);
	for (int64_t i = 0; i < n; i++)
		if (is_member[i] && !is_old[i])
			list[n_new++] = i;
	if (n_new > 0 && kernel_rows_add(&s->rows, list, n_new, err) < 0)
		goto out;
	s->a.n = (s->rows.n + SMO_LANES - 1) / SMO_LANES * SMO_LANES;
	ret = reserve(s, s->a.n, err);
out:
	free(is_old);
	free(list);
	return (int)ret;
}

/* What raising and lowering beta_i cost besides the slope, now that it is where it is. */
static void set_offsets(struct smo *s, int64_t i)
{
	double beta = s->beta[i], epsilon = s->p->epsilon;

	s->a.up_offset[i] = beta >= s->upper[i] ? -INFINITY : beta < 0 ? epsilon : -epsilon;
	s->a.down_offset[i] = beta <= s->lower[i] ? INFINITY : beta > 0 ? -epsilon : epsilon;
}

static void load_members(struct smo *s, double scale, const double *beta, const double *f)
{
	const struct problem_view *p = s->p;

	for (int64_t k = 0; k < s->rows.n; k++) {
		int64_t i = s->rows.example[k];

		s->a.diagonal[k] = (float)problem_diagonal(p, i);
		s->a.slope[k] = p->target[i] - f[i];
		s->beta[k] = beta[i];
		s->upper[k] = scale * problem_upper(p, i);
		s->lower[k] = scale * problem_lower(p, i);
		set_offsets(s, k);
	}
	for (int64_t k = s->rows.n; k < s->a.n; k++) {
		s->a.diagonal[k] = 0;
		s->a.slope[k] = 0;
		s->a.up_offset[k] = -INFINITY;
		s->a.down_offset[k] = INFINITY;
	}
}

/* Returns false if a decision value is no number: the kernel overflows. */
static bool store_members(const struct smo *s, double *beta, double *f)
{
	bool finite = true;

	for (int64_t k = 0; k < s->rows.n; k++) {
		int64_t i = s->rows.example[k];

		beta[i] = s->beta[k];
		f[i] = s->p->target[i] - s->a.slope[k];
		finite = finite && isfinite(f[i]);
	}
	return finite;
}

/* A member and how badly it wants to move. */
struct candidate {
	double violation;
	int64_t i;
};

/* Keep the worst KERNEL_ROWS_AT_ONCE candidates, sorted, the worst first. */
static int insert_candidate(struct candidate *list, int n, struct candidate c)
{
	int at = n;

	if (n == KERNEL_ROWS_AT_ONCE && c.violation <= list[n - 1].violation)
		return n;
	if (n == KERNEL_ROWS_AT_ONCE)
		at = n - 1;
	for (; at > 0 && list[at - 1].violation < c.violation; at--)
		list[at] = list[at - 1];
	list[at] = c;
	return n < KERNEL_ROWS_AT_ONCE ? n + 1 : n;
}

/*
 * The row of member i; if it is not cached, it is computed along with those of the worst
 * violators that are not, which are likely to be wanted next.
 */
static const float *row_of(struct smo *s, int64_t i, const struct smo_extremes *x,
			   struct error *err)
{
	struct candidate worst[KERNEL_ROWS_AT_ONCE];
	int64_t member[KERNEL_ROWS_AT_ONCE];
	int n;

	if (kernel_rows_cached(&s->rows, i))
		return kernel_rows_get(&s->rows, i);
	n = insert_candidate(worst, 0, (struct candidate){ INFINITY, i });
	for (int64_t k = 0; k < s->rows.n; k++) {
		double up = s->a.slope[k] + s->a.up_offset[k] - x->down;
		double down = x->up - (s->a.slope[k] + s->a.down_offset[k]);
		double violation = up > down ? up : down;

		if (violation > 0 && k != i && !kernel_rows_cached(&s->rows, k))
			n = insert_candidate(worst, n, (struct candidate){ violation, k });
	}
	for (int c = 0; c < n; c++)
		member[c] = worst[c].i;
	if (kernel_rows_fetch(&s->rows, member, n, err) < 0)
		return NULL;
	return kernel_rows_get(&s->rows, i);
}

/* Raise beta_i and lower beta_j to the best for the two, or to the first bound or kink. */
static void move_pair(struct smo *s, int64_t i, int64_t j, const float *row_i, const float *row_j,
		      struct smo_extremes *x)
{
	double *beta = s->beta, curvature, t;
	double gain = x->up - (s->a.slope[j] + s->a.down_offset[j]);
	double goal_i = beta[i] < 0 && s->upper[i] > 0 ? 0 : s->upper[i];
	double goal_j = beta[j] > 0 && s->lower[j] < 0 ? 0 : s->lower[j];
	double room_i = goal_i - beta[i], room_j = beta[j] - goal_j;
	double old_i = beta[i], old_j = beta[j];

	curvature = (double)s->a.diagonal[i] + s->a.diagonal[j] - 2.0 * row_i[j];
	t = gain / fmax(curvature, SMO_MIN_CURVATURE);
	t = fmin(t, fmin(room_i, room_j));
	beta[i] = t >= room_i ? goal_i : beta[i] + t;
	beta[j] = t >= room_j ? goal_j : beta[j] - t;
	set_offsets(s, i);
	set_offsets(s, j);
	smo_step(&s->a, beta[i] - old_i, row_i, beta[j] - old_j, row_j, x);
}

/*
 * rho = -b: the mean over free multipliers, or the middle of what the others allow,
 * up <= b <= down; where they leave a side open, as little as may be from what it was.
 */
static double find_rho(const struct smo *s, const struct smo_extremes *x, double before)
{
	double sum = 0;
	int64_t n_free = 0;

	for (int64_t i = 0; i < s->rows.n; i++) {
		double beta = s->beta[i];

		if (beta == 0 || beta >= s->upper[i] || beta <= s->lower[i])
			continue;
		sum += s->a.slope[i] + s->a.up_offset[i];
		n_free++;
	}
	if (n_free > 0)
		return -sum / (double)n_free;
	if (isinf(x->up) || isinf(x->down))
		return fmin(fmax(before, -x->down), -x->up);
	return -(x->up + x->down) / 2;
}

static bool wanted_elsewhere(const struct smo *s, int64_t step)
{
	return step > 0 && step % INTERRUPTION_STEPS == 0 &&
	       interruption_requested(s->interruption);
}

/* One step, or -1. */
static int take_step(struct smo *s, struct smo_extremes *x, struct error *err)
{
	int64_t i = x->up_index, j;
	const float *row_i = row_of(s, i, x, err), *row_j;

	if (!row_i)
		return -1;
	j = smo_choose_partner(&s->a, i, x->up, row_i);
	if (j < 0)
		j = x->down_index;	/* what promises what is beyond floats */
	row_j = row_of(s, j, x, err);
	if (!row_j)
		return -1;
	move_pair(s, i, j, row_i, row_j, x);
	return 0;
}

int smo_run(struct smo *s, double scale, double eps, int64_t max_iterations, double *beta, double *f,
	    double *rho, int64_t *n_iterations, struct error *err)
{
	struct smo_extremes x;
	int64_t step = 0;

	load_members(s, scale, beta, f);
	smo_step(&s->a, 0, s->a.diagonal, 0, s->a.diagonal, &x);
	while (x.up - x.down > eps && step < max_iterations && !wanted_elsewhere(s, step)) {
		if (take_step(s, &x, err) < 0)
			return -1;
		step++;
	}
	*n_iterations += step;
	*rho = find_rho(s, &x, *rho);
	if (!store_members(s, beta, f))
		*rho = NAN;
	return x.up - x.down > eps;
}

static int solve_with_smo(const struct solver *solver, const struct problem_view *p, double eps,
			  double *beta, double *f, double *rho, int64_t *n_iterations,
			  struct error *err)
{
	bool *everyone = mem_array(p->n, sizeof(*everyone), err);
	struct smo s;
	int ret = -1;

	if (!everyone)
		return -1;
	memset(everyone, true, (size_t)p->n * sizeof(*everyone));
	*n_iterations = 0;
	*rho = 0;
	if (smo_init(&s, p, solver->cache_mb, solver->n_threads, solver->interruption, err) == 0 &&
	    smo_set_members(&s, everyone, err) == 0)
		ret = smo_run(&s, 1, eps, solver_max_iterations(p->n), beta, f, rho, n_iterations,
			      err);
	smo_free(&s);
	free(everyone);
	return ret;
}

struct solver smo_solver(double cache_mb, int n_threads)
{
	return (struct solver){ .solve = solve_with_smo, .cache_mb = cache_mb,
				.n_threads = n_threads, .warm_start = true };
}
