/*
 * smo_sets.c - the working set: all its members, those being optimised alone, and their kernel rows
 *
 * Three numberings of the same examples:
 *
 *     example   0 .. p->n - 1      of the problem; beta and f of the caller
 *     member    0 .. all.n - 1     of the working set; example rows.example[member]
 *     number    0 .. core.n - 1    in the core; member core.member[number]
 *
 * and for 'all' number and member are the same.  A run is
 *
 *     smo_load_members()   slopes, multipliers and bounds from the caller
 *     ...                  steps among 'all'
 *     smo_load_core()      copies what belongs to the core: arrays without gaps to pass over, and
 *     ...                  steps among 'core'; its rows are copied when they are first used
 *     smo_store_core()     for each multiplier of the core that changed: its beta, its offsets,
 *                          and slope -= change row for all members
 *     smo_store_members()  multipliers and decision values to the caller
 *
 * Between load and store of the core the slopes and multipliers in 'all' are those before it.
 *
 * Kernel rows are cached whole, over all members, and survive changes of the working set; the
 * core's copies live as long as the core.  Rows that miss are computed many at a time, for the
 * worst violators: filling the tiles of rows costs as much for one of them as for all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "matrix/blas.h"

/* The set becomes empty, without room. */
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

/* Room for n members and half as many more, as sets grow; what was there is given up. */
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

/* The arrays' length for n members. */
static int64_t padded(int64_t n)
{
	return int64_round_up(n, SMO_LANES);
}

/* Members that stay keep their order and come first, then the new ones by example. */
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
	/* members that leave go first, so that their slots and numbers are free for new ones */
	if (n_kept < s->rows.n)
		row_cache_keep(&s->rows, list, n_kept);
	for (int64_t i = 0; i < n; i++)
		if (is_member[i] && !is_old[i])
			list[n_new++] = i;
	/* the cached rows are extended by the new members at once */
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

/*
 * Raising beta_i costs epsilon from 0 on, gains it below 0, and is impossible at the upper bound;
 * lowering it mirrors that.
 */
void smo_set_offsets(struct smo_set *set, double epsilon, int64_t i)
{
	double beta = set->beta[i];

	set->a.up_offset[i] = beta >= set->upper[i] ? -INFINITY : beta < 0 ? epsilon : -epsilon;
	set->a.down_offset[i] = beta <= set->lower[i] ? INFINITY : beta > 0 ? -epsilon : epsilon;
}

/* Padding can move neither way, so that it is never an extreme nor a partner. */
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

void smo_load_members(struct smo *s, double scale, const double *beta, const double *f)
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

bool smo_store_members(const struct smo *s, double *beta, double *f)
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

/* A member and by how much it violates. */
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

/* By how much the member violates in a pair with the best partner, raised or lowered. */
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
	/* the row that is wanted comes first in any case */
	n = insert_candidate(worst, 0, (struct candidate){ INFINITY, set->member[i] });
	for (int64_t k = 0; at_once > 1 && k < set->n; k++) {
		double v = violation(set, k, x);

		if (v > 0 && k != i && !row_cache_cached(&s->rows, set->member[k]))
			n = insert_candidate(worst, n, (struct candidate){ v, set->member[k] });
	}
	n = int64_min(n, at_once);
	for (int c = 0; c < n; c++)
		member[c] = worst[c].i;
	if (row_cache_fetch(&s->rows, member, n, err) < 0)
		return NULL;
	return row_cache_get(&s->rows, set->member[i]);
}

/* The core's part of the row of number i, kept until the core changes. */
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

const void *smo_row_of(struct smo *s, const struct smo_set *set, int64_t i,
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
	/* extremes with which no member violates: no other row is computed */
	const struct smo_extremes none = { .up = -INFINITY, .down = INFINITY };

	return smo_row_of(s, &s->core, i, &none, err);
}

int64_t smo_count_free(const struct smo_set *set)
{
	int64_t n = 0;

	for (int64_t i = 0; i < set->n; i++)
		n += smo_is_free(set, i);
	return n;
}

void smo_find_extremes(const struct smo_set *set, struct smo_extremes *x)
{
	smo_step(&set->a, 0, smo_finite_row(&set->a), 0, smo_finite_row(&set->a), x);
}

/* Is the member free, or could it be one of a pair that violates? */
static bool in_core(const struct smo_set *all, int64_t i, const struct smo_extremes *x)
{
	return smo_is_free(all, i) || violation(all, i, x) > 0;
}

int64_t smo_count_core(const struct smo_set *all, const struct smo_extremes *x)
{
	int64_t n = 0;

	for (int64_t i = 0; i < all->n; i++)
		n += in_core(all, i, x);
	return n;
}

int smo_reserve_core(struct smo *s, int64_t n, struct error *err)
{
	int64_t capacity;

	n = padded(n);
	/* core_value is for rows as long as the capacity: both grow together */
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
	s->core_value =
		mem_large(capacity * capacity, s->rows.wide ? sizeof(double) : sizeof(float), err);
	return err->code == ERR_NONE ? 0 : -1;
}

void smo_load_core(struct smo *s, const struct smo_extremes *x)
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

int smo_store_core(struct smo *s, struct smo_extremes *x, struct error *err)
{
	const struct smo_extremes none = { .up = -INFINITY, .down = INFINITY };
	const struct smo_set *core = &s->core;

	for (int64_t k = 0; k < core->n; k++) {
		double change = core->beta[k] - s->core_start[k];
		const void *row;

		if (change == 0)
			continue;
		row = kernel_row(s, core, k, &none, err);
		if (!row)
			return -1;
		s->all.beta[core->member[k]] = core->beta[k];
		smo_set_offsets(&s->all, s->p->epsilon, core->member[k]);
		smo_step(&s->all.a, change, row, 0, row, x);
	}
	smo_find_extremes(&s->all, x);
	return 0;
}
