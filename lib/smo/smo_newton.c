/*
 * smo_newton.c - Newton steps on the free multipliers of a working set
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "matrix/blas.h"

/* Added to the diagonal, relative: the first try is what rounding of the rows may be worth. */
#define RIDGE 1e-7
#define WIDE_RIDGE 1e-13
#define RIDGE_STEP 100
#define MOST_RIDGE 1e-2

#define SHORTER 0.25	   /* the next length to try */
#define LONGER 64	   /* than the last, at most */
#define MOST_CURVATURE 1.5 /* relative to the slope: at 2 the dual would stay */
#define HALVINGS 200	   /* of an interval of doubles, at most */
#define LOST 1e-12	   /* of what sum beta is, relative to C */

/* The free members of the core, and what is known by position among them. */
struct face {
	struct smo_set *set;
	int64_t n;
	int64_t *number;    /* in the core */
	const void **row;   /* over the core */
	double *low, *high; /* of beta, on its side of zero */
	double *want;	    /* what the dual gains by raising beta, less the mean */
	double *direction, *ones;
	double *goal;	      /* where to go in the box */
	double *slope_before; /* by number in the core */
	double *matrix;
	double ridge;  /* relative; the least that worked */
	bool factored; /* for these members */
	double length; /* of the last step: the next one may be LONGER times that */
};

double smo_newton_work(int64_t m, int64_t n)
{
	double size = (double)m;

	return size * size * size / 40 + size * size + size * (double)n / 2;
}

static void face_free(struct face *f)
{
	free(f->number);
	free(f->row);
	free(f->low);
	free(f->high);
	free(f->want);
	free(f->direction);
	free(f->ones);
	free(f->goal);
	free(f->slope_before);
	free(f->matrix);
}

static int face_init(struct face *f, struct smo_set *set, struct error *err)
{
	int64_t n = smo_count_free(set);

	*f = (struct face){ .set = set, .length = 1, .ridge = set->a.wide ? WIDE_RIDGE : RIDGE };
	f->number = mem_array(n, sizeof(*f->number), err);
	f->row = mem_array(n, sizeof(*f->row), err);
	f->low = mem_array(n, sizeof(double), err);
	f->high = mem_array(n, sizeof(double), err);
	f->want = mem_array(n, sizeof(double), err);
	f->direction = mem_array(n, sizeof(double), err);
	f->ones = mem_array(n, sizeof(double), err);
	f->goal = mem_array(n, sizeof(double), err);
	f->slope_before = mem_array(set->a.n, sizeof(double), err);
	f->matrix = mem_large(n * n, sizeof(double), err);
	return blas_reserve(err) == 0 && err->code == ERR_NONE ? 0 : -1;
}

/* Who is free now, with their rows. */
static int find_face(struct smo *s, struct face *f, struct error *err)
{
	struct smo_set *set = f->set;
	int64_t n = 0;

	for (int64_t i = 0; i < set->n; i++)
		if (smo_is_free(set, i))
			f->number[n++] = i;
	f->factored = f->factored && n == f->n; /* none joins */
	f->n = n;
	for (int64_t k = 0; k < n; k++) {
		f->row[k] = smo_core_row(s, f->number[k], err);
		if (!f->row[k])
			return -1;
	}
	return 0;
}

static void fill_matrix(struct face *f)
{
	const struct smo_arrays *a = &f->set->a;

	for (int64_t k = 0; k < f->n; k++) {
		double *row = f->matrix + k * f->n;

		for (int64_t l = 0; l < k; l++)
			row[l] = smo_row_value(a, f->row[k], f->number[l]);
		row[k] = a->wide_diagonal[f->number[k]] * (1 + f->ridge);
	}
}

static bool factor(struct face *f)
{
	for (; !f->factored && f->ridge < MOST_RIDGE; f->ridge *= f->factored ? 1 : RIDGE_STEP) {
		fill_matrix(f);
		f->factored = blas_cholesky(f->matrix, f->n, f->n) == 0;
	}
	return f->factored;
}

static void load_face(struct face *f)
{
	const struct smo_set *set = f->set;
	double mean = 0;

	for (int64_t k = 0; k < f->n; k++) {
		int64_t i = f->number[k];
		bool positive = set->beta[i] > 0;

		f->low[k] = positive ? fmax(set->lower[i], 0) : set->lower[i];
		f->high[k] = positive ? set->upper[i] : fmin(set->upper[i], 0);
		f->want[k] = set->a.slope[i] + set->a.up_offset[i];
		mean += f->want[k];
	}
	mean /= (double)f->n;
	for (int64_t k = 0; k < f->n; k++)
		f->want[k] -= mean;
}

/* K d = want - nu 1, sum d = 0 */
static void find_direction(struct face *f)
{
	double sum = 0, total = 0;

	for (int64_t k = 0; k < f->n; k++) {
		f->direction[k] = f->want[k];
		f->ones[k] = 1;
	}
	blas_cholesky_solve(f->matrix, f->n, f->n, f->direction);
	blas_cholesky_solve(f->matrix, f->n, f->n, f->ones);
	for (int64_t k = 0; k < f->n; k++) {
		sum += f->direction[k];
		total += f->ones[k];
	}
	for (int64_t k = 0; k < f->n; k++)
		f->direction[k] -= sum / total * f->ones[k];
}

/* The longest step within the box, at most 1. */
static double find_room(const struct face *f)
{
	double room = 1;

	for (int64_t k = 0; k < f->n; k++) {
		double beta = f->set->beta[f->number[k]], d = f->direction[k];

		if (d > 0)
			room = fmin(room, (f->high[k] - beta) / d);
		else if (d < 0)
			room = fmin(room, (f->low[k] - beta) / d);
	}
	return room;
}

static double in_box(const struct face *f, int64_t k, double beta)
{
	return fmin(fmax(beta, f->low[k]), f->high[k]);
}

/* Set goals to beta + length direction + shift, in the box; by how much their sum is too large. */
static double set_goals(struct face *f, double length, double shift)
{
	double surplus = 0;

	for (int64_t k = 0; k < f->n; k++) {
		double beta = f->set->beta[f->number[k]];

		f->goal[k] = in_box(f, k, beta + length * f->direction[k] + shift);
		surplus += f->goal[k] - beta;
	}
	return surplus;
}

/* What is left of the surplus goes where there is room; false if nowhere. */
static bool spread(struct face *f, double surplus)
{
	for (int64_t k = 0; k < f->n && surplus != 0; k++) {
		double goal = f->goal[k];

		if (goal == f->low[k] || goal == f->high[k])
			continue;
		f->goal[k] = in_box(f, k, goal - surplus);
		surplus -= goal - f->goal[k];
	}
	return fabs(surplus) <= LOST * (f->set->upper[f->number[0]] - f->set->lower[f->number[0]]);
}

/* The point of the box, sum beta as it is, next to beta + length direction. */
static bool project(struct face *f, double length)
{
	double low = 0, high = 0, width = 1e-9, surplus = set_goals(f, length, 0);

	for (; surplus > 0 && set_goals(f, length, low) > 0 && isfinite(width); width *= 4)
		low -= width;
	for (; surplus < 0 && set_goals(f, length, high) < 0 && isfinite(width); width *= 4)
		high += width;
	for (int h = 0; h < HALVINGS; h++) {
		double middle = low + (high - low) / 2;

		if (middle == low || middle == high)
			break;
		*(set_goals(f, length, middle) > 0 ? &high : &low) = middle;
	}
	return spread(f, set_goals(f, length, low));
}

/* Go to the goals if the dual rises all the way; by how much, or -1. */
static double go(struct face *f)
{
	struct smo_set *set = f->set;
	struct smo_extremes x;
	double slope = 0, curvature = 0;

	memcpy(f->slope_before, set->a.slope, (size_t)set->a.n * sizeof(double));
	for (int64_t k = 0; k < f->n; k += 2) {
		int64_t l = k + 1 < f->n ? k + 1 : k;
		double change = f->goal[k] - set->beta[f->number[k]];

		smo_step(&set->a, change, f->row[k],
			 l > k ? f->goal[l] - set->beta[f->number[l]] : 0, f->row[l], &x);
	}
	for (int64_t k = 0; k < f->n; k++) {
		int64_t i = f->number[k];
		double change = f->goal[k] - set->beta[i];

		slope += f->want[k] * change;
		curvature += change * (f->slope_before[i] - set->a.slope[i]);
	}
	if (!(slope > 0 && curvature <= MOST_CURVATURE * slope)) {
		memcpy(set->a.slope, f->slope_before, (size_t)set->a.n * sizeof(double));
		return -1;
	}
	return slope - curvature / 2;
}

/* One Newton step.  By how much the dual rose, or -1. */
static double take_step(const struct smo *s, struct face *f, double *spent, bool *met_bound)
{
	double room, gain = -1, length;

	load_face(f);
	find_direction(f);
	room = find_room(f);
	for (length = fmin(1, LONGER * f->length); gain < 0; length *= SHORTER) {
		length = f->length = fmax(length, room);
		if (!project(f, length))
			return -1;
		gain = go(f);
		*spent += (double)f->n * (double)f->set->n / 4;
		if (length == room)
			break;
	}
	*met_bound = room < 1;
	for (int64_t k = 0; k < f->n && gain >= 0; k++) {
		f->set->beta[f->number[k]] = f->goal[k];
		smo_set_offsets(f->set, s->p->epsilon, f->number[k]);
	}
	return gain;
}

int smo_newton(struct smo *s, double budget, double *spent, double *gained, struct error *err)
{
	bool met_bound = true;
	struct face f;
	int ret = -1;

	*spent = *gained = 0;
	if (face_init(&f, &s->core, err) < 0)
		goto out;
	while (met_bound && *spent < budget && !interruption_requested(s->interruption)) {
		double gain = -1;

		if (find_face(s, &f, err) < 0)
			goto out;
		*spent += smo_newton_work(f.n, s->core.n);
		if (f.n >= 2 && factor(&f))
			gain = take_step(s, &f, spent, &met_bound);
		if (gain < 0)
			break;
		*gained += gain;
	}
	ret = 0;
out:
	face_free(&f);
	return ret;
}
