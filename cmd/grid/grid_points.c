/*
 * grid_points.c - randsvm-grid: points that are known, and the choice of one of them
 *
 * Rates have six digits, as svm-train prints them: so the choice is the same whether a rate was
 * computed in this run or read from a file, and rates that differ by rounding are equal.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem.h"
#include "grid.h"

/* Two logarithms are of the same value of a parameter if they differ by less than this. */
#define SAME 1e-6

void grid_points_add(struct grid_points *p, const struct grid_point *point)
{
	struct error err = { 0 };

	cli_check(mem_grow(&p->point, &p->capacity, p->n + 1, sizeof(*p->point), &err), &err);
	p->point[p->n++] = *point;
}

static bool same_value(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) < SAME;
}

const struct grid_point *grid_points_find(const struct grid_points *p, const double *at)
{
	for (int64_t i = 0; i < p->n; i++) {
		const double *other = p->point[i].at;

		if (same_value(other[0], at[0]) && same_value(other[1], at[1]) &&
		    same_value(other[2], at[2]))
			return &p->point[i];
	}
	return NULL;
}

/* Order of two points by C, gamma and the third parameter, whose sign is given. */
static int compare_places(const double *a, const double *b, int third_sign)
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(a[k]) && !same_value(a[k], b[k]))
			return (a[k] < b[k] ? -1 : 1) * (k == AXIS_THIRD ? third_sign : 1);
	return 0;
}

const struct grid_point *grid_points_best(const struct grid_points *p)
{
	const struct grid_point *best = NULL;

	for (int64_t i = 0; i < p->n; i++) {
		const struct grid_point *point = &p->point[i];

		if (point->outcome == GRID_RATED && !isnan(point->rate) &&
		    (!best || grid_is_better(point->rate, best->rate) ||
		     (point->rate == best->rate && compare_places(point->at, best->at, 1) < 0)))
			best = point;
	}
	return best;
}

const struct grid_point *grid_points_choice(const struct grid_points *p)
{
	const struct grid_point *best = grid_points_best(p), *choice = best;

	if (!grid.one_se || !best || isnan(best->error))
		return best;
	for (int64_t i = 0; i < p->n; i++) {
		const struct grid_point *point = &p->point[i];

		if (point->outcome == GRID_RATED && fabs(point->rate - best->rate) <= best->error &&
		    compare_places(point->at, choice->at, -1) < 0)
			choice = point;
	}
	return choice;
}

int64_t grid_points_sort(struct grid_points *p, const struct grid_axes *a)
{
	struct grid_points sorted = { 0 };
	struct grid_place *place;
	int n = grid_columns(a, &place);
	int64_t n_on_axes;

	for (int k = 0; k < n; k++)
		for (int i = 0; i < a->axis[AXIS_C].n; i++) {
			const struct grid_point *point;
			double at[N_AXES];

			grid_axes_at(a, place[k], i, at);
			point = grid_points_find(p, at);
			if (point)
				grid_points_add(&sorted, point);
		}
	n_on_axes = sorted.n;
	for (int64_t i = 0; i < p->n; i++)
		if (!grid_points_find(&sorted, p->point[i].at))
			grid_points_add(&sorted, &p->point[i]);
	mem_free(place);
	grid_points_free(p);
	*p = sorted;
	return n_on_axes;
}

void grid_points_free(struct grid_points *p)
{
	mem_free(p->point);
	*p = (struct grid_points){ 0 };
}
