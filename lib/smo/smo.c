/*
 * smo.c - sequential minimal optimisation on a working set that changes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "matrix/blas.h"
#include "smo/smo_newton.h"

/* Steps between two looks at whether somebody wants an end, and before the first. */
#define INTERRUPTION_STEPS 1024

/*
 * The core, measured on the rows of bench/train: looked for every so many steps; taken where at
 * most this share of the members, and no more than its rows have room for, belong to it; left when
 * this share of the violation is.  The steps differ, not what they come to.
 */
#define CORE_STEPS 128
#define MOST_OF_MEMBERS 0.5
#define MOST_IN_CORE 4096
#define VIOLATION_LEFT 0.2

/*
 * Newton steps are thought of every so many steps of pairs, and tried after these have taken so
 * many times the work; more times when they were worth less than those for their work.
 */
#define NEWTON_STEPS 256
#define FIRST_PATIENCE 8
#define MORE_PATIENCE 4
#define STEP_WORK 64		/* of a pair, besides the members it meets */

static void free_set(struct smo_set *set)
{
	free(set->a.slope);
	free(set->a.up_offset);
	free(set->a.down_offset);
	free(set->a.diagonal);
	free(set->a.wide_diagonal);
	free(set->beta);
	free(set->upper);
	free(set->lower);
	free(set->member);
	*set = (struct smo_set){ 0 };
}

void smo_free(struct smo *s)
{
	row_cache_free(&s->rows);
	free_set(&s->all);
	free_set(&s->core);
	free(s->core_value);
	free(s->core_row);
	free(s->core_start);
	*s = (struct smo){ 0 };
}

int smo_init(struct smo *s, const struct problem_view *p, double cache_mb, int n_threads,
	     const struct interruption *interruption, struct error *err)
{
	blas_single_thread();
	*s = (struct smo){ .p = p, .interruption = interruption };
	return row_cache_init(&s->rows, p, cache_mb, n_threads, err);
}

/* Room for n members; what was there is given up. */
static int reserve(struct smo_set *set, int64_t n, struct error *err)
{
	int64_t capacity = n + n / 2;

	if (n <= set->capacity)
		return 0;
	free_set(set);
	set->a.slope = mem_aligned(capacity, sizeof(double), err);
	set->a.up_offset = mem_aligned(capacity, sizeof(double), err);
	set->a.down_offset = mem_aligned(capacity, sizeof(double), err);
	set->a.diagonal = mem_aligned(capacity, sizeof(float), err);
	set->a.wide_diagonal = mem_aligned(capacity, sizeof(double), err);
	set->beta = mem_array(capacity, sizeof(double), err);
	set->upper = mem_array(capacity, sizeof(double), err);
	set->lower = mem_array(capacity, sizeof(double), err);
	set->member = mem_array(capacity, sizeof(*set->member), err);
	if (err->code != ERR_NONE)
		return -1;
	set->capacity = capacity;
	return 0;
}

static int64_t padded(int64_t n)
{
	return (n + SMO_LANES - 1) / SMO_LANES * SMO_LANES;
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
		row_cache_keep(&s->rows, list, n_kept);
	for (int64_t i = 0; i < n; i++)
		if (is_member[i] && !is_old[i])
			list[n_new++] = i;
	if (n_new > 0 && row_cache_add(&s->rows, list, n_new, err) < 0)
		goto out;
	ret = reserve(&s->all, padded(s->rows.n), err);
	s->all.n = s->rows.n;
	s->all.a.n = padded(s->rows.n);
out:
	free(is_old);
	free(list);
	return (int)ret;
}

/* What raising and lowering beta_i cost besides the slope, now that it is where it is. */
void smo_set_offsets(struct smo_set *set, double epsilon, int64_t i)
{
	double beta = set->beta[i];

	set->a.up_offset[i] = beta >= set->upper[i] ? -INFINITY : beta < 0 ? epsilon : -epsilon;
	set->a.down_offset[i] = beta <= set->lower[i] ? INFINITY : beta > 0 ? -epsilon : epsilon;
}

static void pad(struct smo_set *set)
{
	for (int64_t k = set->n; k < set->a.n; k++) {
		set->a.diagonal[k] = 0;
		set->a.wide_diagonal[k] = 0;
		set->a.slope[k] = 0;
		set->a.up_offset[k] = -INFINITY;
		set->a.down_offset[k] = INFINITY;
	}
}

static void load_members(struct smo *s, double scale, const double *beta, const double *f)
{
	const struct problem_view *p = s->p;
	struct smo_set *set = &s->all;

	set->a.wide = s->rows.wide;
	for (int64_t k = 0; k < set->n; k++) {
		int64_t i = s->rows.example[k];

		set->a.wide_diagonal[k] = problem_diagonal(p, i);
		set->a.diagonal[k] = (float)set->a.wide_diagonal[k];
		set->a.slope[k] = p->target[i] - f[i];
		set->beta[k] = beta[i];
		set->upper[k] = scale * problem_upper(p, i);
		set->lower[k] = scale * problem_lower(p, i);
		set->member[k] = k;
		smo_set_offsets(set, p->epsilon, k);
	}
	pad(set);
}

/* Returns false if a decision value is no number: the kernel overflows. */
static bool store_members(const struct smo *s, double *beta, double *f)
{
	bool finite = true;

	for (int64_t k = 0; k < s->all.n; k++) {
		int64_t i = s->rows.example[k];

		beta[i] = s->all.beta[k];
		f[i] = s->p->target[i] - s->all.a.slope[k];
		finite = finite && isfinite(f[i]);
	}
	return finite;
}

/* A member and how badly it wants to move. */
struct candidate {
	double violation;
	int64_t i;
};

/* Keep the worst ROW_CACHE_AT_ONCE candidates, sorted, the worst first. */
static int insert_candidate(struct candidate *list, int n, struct candidate c)
{
	int at = n;

	if (n == ROW_CACHE_AT_ONCE && c.violation <= list[n - 1].violation)
		return n;
	if (n == ROW_CACHE_AT_ONCE)
		at = n - 1;
	for (; at > 0 && list[at - 1].violation < c.violation; at--)
		list[at] = list[at - 1];
	list[at] = c;
	return n < ROW_CACHE_AT_ONCE ? n + 1 : n;
}

static double violation(const struct smo_set *set, int64_t k, const struct smo_extremes *x)
{
	double up = set->a.slope[k] + set->a.up_offset[k] - x->down;
	double down = x->up - (set->a.slope[k] + set->a.down_offset[k]);

	return up > down ? up : down;
}

/*
 * The row of number i of a set, over all members; if it is not cached, it is computed along
 * with those of the worst violators of the set that are not, which are likely to be wanted next.
 */
static const void *kernel_row(struct smo *s, const struct smo_set *set, int64_t i,
			       const struct smo_extremes *x, struct error *err)
{
	struct candidate worst[ROW_CACHE_AT_ONCE];
	int64_t member[ROW_CACHE_AT_ONCE];
	int n, at_once = row_cache_at_once(&s->rows);

	if (row_cache_cached(&s->rows, set->member[i]))
		return row_cache_get(&s->rows, set->member[i]);
	n = insert_candidate(worst, 0, (struct candidate){ INFINITY, set->member[i] });
	for (int64_t k = 0; at_once > 1 && k < set->n; k++) {
		double v = violation(set, k, x);

		if (v > 0 && k != i && !row_cache_cached(&s->rows, set->member[k]))
			n = insert_candidate(worst, n, (struct candidate){ v, set->member[k] });
	}
	n = n < at_once ? n : at_once;
	for (int c = 0; c < n; c++)
		member[c] = worst[c].i;
	if (row_cache_fetch(&s->rows, member, n, err) < 0)
		return NULL;
	return row_cache_get(&s->rows, set->member[i]);
}

/* What of member's row the core takes. */
static const void *copy_row(struct smo *s, int64_t i, const void *row)
{
	const struct smo_set *core = &s->core;
	int64_t start = s->n_core_rows++ * core->a.n;
	double *doubles = (double *)s->core_value + start;
	float *floats = (float *)s->core_value + start;

	for (int64_t k = 0; core->a.wide && k < core->a.n; k++)
		doubles[k] = k < core->n ? ((const double *)row)[core->member[k]] : 0;
	for (int64_t k = 0; !core->a.wide && k < core->a.n; k++)
		floats[k] = k < core->n ? ((const float *)row)[core->member[k]] : 0;
	s->core_row[i] = core->a.wide ? (void *)doubles : floats;
	return s->core_row[i];
}

/* The row of number i of the set, over the set. */
static const void *row_of(struct smo *s, const struct smo_set *set, int64_t i,
			   const struct smo_extremes *x, struct error *err)
{
	const void *row;

	if (set == &s->core && s->core_row[i])
		return s->core_row[i];
	row = kernel_row(s, set, i, x, err);
	return set == &s->core && row ? copy_row(s, i, row) : row;
}

const void *smo_core_row(struct smo *s, int64_t i, struct error *err)
{
	const struct smo_extremes nobody = { .up = -INFINITY, .down = INFINITY };

	return row_of(s, &s->core, i, &nobody, err);
}

static double curvature_of(const struct smo_set *set, int64_t i, int64_t j, const void *row_i)
{
	const struct smo_arrays *a = &set->a;
	double diagonal = a->wide ? a->wide_diagonal[i] + a->wide_diagonal[j] :
				    (double)a->diagonal[i] + a->diagonal[j];

	return fmax(diagonal - 2 * smo_row_value(a, row_i, j), SMO_MIN_CURVATURE);
}

/* Raise beta_i and lower beta_j to the best for the two, or to the first bound or kink. */
static void move_pair(struct smo *s, struct smo_set *set, int64_t i, int64_t j,
		      const void *row_i, const void *row_j, struct smo_extremes *x)
{
	double *beta = set->beta, curvature = curvature_of(set, i, j, row_i), t;
	double gain = x->up - (set->a.slope[j] + set->a.down_offset[j]);
	double goal_i = beta[i] < 0 && set->upper[i] > 0 ? 0 : set->upper[i];
	double goal_j = beta[j] > 0 && set->lower[j] < 0 ? 0 : set->lower[j];
	double room_i = goal_i - beta[i], room_j = beta[j] - goal_j;
	double old_i = beta[i], old_j = beta[j];

	t = fmin(gain / curvature, fmin(room_i, room_j));
	s->newton.gain += t * (gain - t * curvature / 2);
	s->newton.work += STEP_WORK + (double)set->n;
	beta[i] = t >= room_i ? goal_i : beta[i] + t;
	beta[j] = t >= room_j ? goal_j : beta[j] - t;
	smo_set_offsets(set, s->p->epsilon, i);
	smo_set_offsets(set, s->p->epsilon, j);
	smo_step(&set->a, beta[i] - old_i, row_i, beta[j] - old_j, row_j, x);
}

int64_t smo_count_free(const struct smo_set *set)
{
	int64_t n = 0;

	for (int64_t i = 0; i < set->n; i++)
		n += smo_is_free(set, i);
	return n;
}

/*
 * rho = -b: the mean over free multipliers, or the middle of what the others allow,
 * up <= b <= down; where they leave a side open, as little as may be from what it was.
 */
static double find_rho(const struct smo_set *set, const struct smo_extremes *x, double before)
{
	double sum = 0;
	int64_t n_free = 0;

	for (int64_t i = 0; i < set->n; i++) {
		if (!smo_is_free(set, i))
			continue;
		sum += set->a.slope[i] + set->a.up_offset[i];
		n_free++;
	}
	if (n_free > 0)
		return -sum / (double)n_free;
	if (isinf(x->up) || isinf(x->down))
		return fmin(fmax(before, -x->down), -x->up);
	return -(x->up + x->down) / 2;
}

static bool at_end(const struct smo *s, double eps, int64_t limit, int64_t step,
		   const struct smo_extremes *x)
{
	return x->up - x->down <= eps || step >= limit ||
	       (step > 0 && step % INTERRUPTION_STEPS == 0 &&
		interruption_requested(s->interruption));
}

static void find_extremes(const struct smo_set *set, struct smo_extremes *x)
{
	const void *any = set->a.wide ? (const void *)set->a.wide_diagonal : set->a.diagonal;

	smo_step(&set->a, 0, any, 0, any, x);
}

/* One step, or -1. */
static int take_step(struct smo *s, struct smo_set *set, struct smo_extremes *x,
		     struct error *err)
{
	int64_t i = x->up_index, j;
	const void *row_i = row_of(s, set, i, x, err), *row_j;

	if (!row_i)
		return -1;
	j = smo_choose_partner(&set->a, i, x->up, row_i);
	if (j < 0)
		j = x->down_index;	/* what promises what is beyond floats */
	row_j = row_of(s, set, j, x, err);
	if (!row_j)
		return -1;
	move_pair(s, set, i, j, row_i, row_j, x);
	return 0;
}

/* ---- the core ---- */

/* Have steps of pairs taken so long that Newton steps may be worth more? */
static bool newton_is_due(const struct smo *s, const struct smo_set *set)
{
	int64_t n_free = smo_count_free(set);

	return n_free >= 2 && n_free <= NEWTON_MOST_FREE &&
	       s->newton.work > s->newton.ratio * smo_newton_work(n_free, set->n);
}

static int take_newton_steps(struct smo *s, struct error *err)
{
	double gain, work;

	if (smo_newton(s, s->newton.work, &work, &gain, err) < 0)
		return -1;
	if (gain * s->newton.work < s->newton.gain * work)
		s->newton.ratio *= MORE_PATIENCE;
	else
		s->newton.ratio = fmax(FIRST_PATIENCE, s->newton.ratio / 2);
	s->newton.work = s->newton.gain = 0;
	return 0;
}

/* Steps of a set, from its extremes; '*step' counts to the limit. */
static int take_steps(struct smo *s, struct smo_set *set, double eps, int64_t limit, int64_t *step,
		      struct smo_extremes *x, struct error *err)
{
	find_extremes(set, x);
	for (; !at_end(s, eps, limit, *step, x); (*step)++) {
		if (take_step(s, set, x, err) < 0)
			return -1;
		if (set == &s->all || *step % NEWTON_STEPS != 0 || !newton_is_due(s, set))
			continue;
		if (take_newton_steps(s, err) < 0)
			return -1;
		find_extremes(set, x);
	}
	return 0;
}

/* Is the member free, or could it be one of a pair that violates? */
static bool in_core(const struct smo_set *all, int64_t i, const struct smo_extremes *x)
{
	return smo_is_free(all, i) || violation(all, i, x) > 0;
}

static int64_t count_core(const struct smo_set *all, const struct smo_extremes *x)
{
	int64_t n = 0;

	for (int64_t i = 0; i < all->n; i++)
		n += in_core(all, i, x);
	return n;
}

static int reserve_core(struct smo *s, int64_t n, struct error *err)
{
	int64_t capacity;

	if (s->core_value && n <= s->core.capacity)
		return 0;
	free(s->core_value);
	free(s->core_row);
	free(s->core_start);
	s->core_value = NULL;
	s->core_row = NULL;
	s->core_start = NULL;
	if (reserve(&s->core, n, err) < 0)
		return -1;
	capacity = s->core.capacity;
	s->core_row = mem_array(capacity, sizeof(*s->core_row), err);
	s->core_start = mem_array(capacity, sizeof(*s->core_start), err);
	s->core_value = mem_large(capacity * capacity,
				  s->rows.wide ? sizeof(double) : sizeof(float), err);
	return err->code == ERR_NONE ? 0 : -1;
}

static void load_core(struct smo *s, const struct smo_extremes *x)
{
	const struct smo_set *all = &s->all;
	struct smo_set *core = &s->core;
	int64_t n = 0;

	for (int64_t i = 0; i < all->n; i++) {
		if (!in_core(all, i, x))
			continue;
		core->member[n] = i;
		core->a.slope[n] = all->a.slope[i];
		core->a.up_offset[n] = all->a.up_offset[i];
		core->a.down_offset[n] = all->a.down_offset[i];
		core->a.diagonal[n] = all->a.diagonal[i];
		core->a.wide_diagonal[n] = all->a.wide_diagonal[i];
		core->beta[n] = s->core_start[n] = all->beta[i];
		core->upper[n] = all->upper[i];
		core->lower[n] = all->lower[i];
		s->core_row[n++] = NULL;
	}
	core->n = n;
	core->a.wide = all->a.wide;
	core->a.n = padded(n);
	s->n_core_rows = 0;
	pad(core);
}

/* Tell all members what the core has come to. */
static int store_core(struct smo *s, struct smo_extremes *x, struct error *err)
{
	const struct smo_extremes nobody = { .up = -INFINITY, .down = INFINITY };
	const struct smo_set *core = &s->core;

	for (int64_t k = 0; k < core->n; k++) {
		double change = core->beta[k] - s->core_start[k];
		const void *row;

		if (change == 0)
			continue;
		row = kernel_row(s, core, k, &nobody, err);
		if (!row)
			return -1;
		s->all.beta[core->member[k]] = core->beta[k];
		smo_set_offsets(&s->all, s->p->epsilon, core->member[k]);
		smo_step(&s->all.a, change, row, 0, row, x);
	}
	find_extremes(&s->all, x);
	return 0;
}

/* Steps of the core alone, if it is small.  0, or -1. */
static int run_core(struct smo *s, double eps, int64_t limit, int64_t *step,
		    struct smo_extremes *x, struct error *err)
{
	double wanted = fmax(eps, VIOLATION_LEFT * (x->up - x->down));
	int64_t n = count_core(&s->all, x);

	if (n > MOST_IN_CORE || ((double)n > MOST_OF_MEMBERS * (double)s->all.n &&
				 !newton_is_due(s, &s->all)))
		return 0;
	if (reserve_core(s, padded(n), err) < 0)
		return -1;
	load_core(s, x);
	if (take_steps(s, &s->core, wanted, limit, step, x, err) < 0)
		return -1;
	return store_core(s, x, err);
}

int smo_run(struct smo *s, double scale, double eps, int64_t max_iterations, double *beta, double *f,
	    double *rho, int64_t *n_iterations, struct error *err)
{
	struct smo_extremes x;
	int64_t step = 0;

	s->newton.work = s->newton.gain = 0;
	s->newton.ratio = FIRST_PATIENCE;
	load_members(s, scale, beta, f);
	find_extremes(&s->all, &x);
	while (!at_end(s, eps, max_iterations, step, &x)) {
		int64_t limit = step + CORE_STEPS < max_iterations ? step + CORE_STEPS : max_iterations;

		if (take_steps(s, &s->all, eps, limit, &step, &x, err) < 0 ||
		    run_core(s, eps, max_iterations, &step, &x, err) < 0)
			return -1;
	}
	*n_iterations += step;
	*rho = find_rho(&s->all, &x, *rho);
	if (!store_members(s, beta, f))
		*rho = NAN;
	return x.up - x.down > eps;
}

/* Have the row of member i cached, and if it is not those of the next ones with a coefficient too. */
static int cache_row(struct smo *s, int64_t i, const double *coef, struct error *err)
{
	int64_t member[ROW_CACHE_AT_ONCE];
	int n = 0, at_once = row_cache_at_once(&s->rows);

	if (row_cache_cached(&s->rows, i))
		return 0;
	for (; i < s->rows.n && n < at_once; i++)
		if (coef[s->rows.example[i]] != 0 && !row_cache_cached(&s->rows, i))
			member[n++] = i;
	return row_cache_fetch(&s->rows, member, n, err);
}

int smo_sums(struct smo *s, const double *coef, double *f, struct error *err)
{
	const struct smo_arrays *a = &s->all.a;
	const void *row[2] = { a->diagonal, a->diagonal };	/* times 0: anything that is finite */
	double change[2] = { 0, 0 };
	struct smo_extremes ignored;
	int n = 0;

	memset(a->slope, 0, (size_t)a->n * sizeof(*a->slope));
	for (int64_t i = 0; i < s->rows.n; i++) {
		double c = coef[s->rows.example[i]];

		if (c == 0)
			continue;
		if (cache_row(s, i, coef, err) < 0)
			return -1;
		row[n] = row_cache_get(&s->rows, i);
		change[n++] = -c;
		if (n < 2)
			continue;
		smo_step(a, change[0], row[0], change[1], row[1], &ignored);
		n = 0;
	}
	if (n == 1)
		smo_step(a, change[0], row[0], 0, a->diagonal, &ignored);
	for (int64_t i = 0; i < s->rows.n; i++)
		f[s->rows.example[i]] = a->slope[i];
	return 0;
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
