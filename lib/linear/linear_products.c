/*
 * linear_products.c - products of the rows of a linear problem with vectors, and their sums
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_products.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "linear/linear_loops.h"

/* Rows a thread takes at a time. */
#define ROWS_PER_TASK 512

/* Entries a part of a sum must have to be worth its own vector. */
#define ENTRIES_PER_PART 20000

/* A product or a sum shared among threads. */
struct shared_pass {
	const struct linear_rows *rows;
	const int64_t *list;
	int64_t n_list, n_parts;
	const double *w, *c;
	double b, *out;
};

static void multiply_rows(void *arg, int64_t task, int thread)
{
	const struct shared_pass *s = arg;
	int64_t first = task * ROWS_PER_TASK, last = first + ROWS_PER_TASK;

	(void)thread;
	linear_multiply(s->rows, s->list, first, int64_min(last, s->n_list), s->w, s->b, s->out);
}

int64_t linear_rows_entries(const struct linear_rows *rows, const int64_t *list, int64_t n_list)
{
	int64_t n = 0;

	if (!list)
		return rows->start[n_list];
	for (int64_t k = 0; k < n_list; k++)
		n += rows->start[list[k] + 1] - rows->start[list[k]];
	return n;
}

void linear_rows_times(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		       const double *w, double b, double *out)
{
	struct shared_pass s = {
		.rows = rows, .list = list, .n_list = n_list, .w = w, .b = b, .out = out
	};
	bool share = linear_rows_entries(rows, list, n_list) >= LINEAR_WORK_FOR_THREADS;

	thread_team_for(share ? rows->team : NULL, int64_blocks(n_list, ROWS_PER_TASK),
			multiply_rows, &s);
}

static void add_part(void *arg, int64_t part, int thread)
{
	const struct shared_pass *s = arg;
	int64_t first = s->n_list * part / s->n_parts, last = s->n_list * (part + 1) / s->n_parts;
	double *w = s->out + part * s->rows->d;

	(void)thread;
	memset(w, 0, (size_t)s->rows->d * sizeof(*w));
	linear_accumulate(s->rows, s->list, first, last, s->c, w);
}

void linear_rows_add(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		     const double *c, double *w)
{
	int64_t n_entries = linear_rows_entries(rows, list, n_list);
	int64_t least = int64_max(ENTRIES_PER_PART, 4 * rows->d);
	struct shared_pass s = { .rows = rows,
				 .list = list,
				 .n_list = n_list,
				 .c = c,
				 .out = rows->partial,
				 .n_parts = n_entries / least };

	if (s.n_parts > LINEAR_MAX_PARTS)
		s.n_parts = LINEAR_MAX_PARTS;
	if (s.n_parts <= 1) {
		linear_accumulate(rows, list, 0, n_list, c, w);
		return;
	}
	thread_team_for(n_entries >= LINEAR_WORK_FOR_THREADS ? rows->team : NULL, s.n_parts,
			add_part, &s);
	for (int64_t part = 0; part < s.n_parts; part++)
		for (int64_t j = 0; j < rows->d; j++)
			w[j] += rows->partial[part * rows->d + j];
}

/* How much the rounding of a sum in doubles may change w.x_i. */
static double sum_error(const struct linear_rows *rows, const double *beta)
{
	double added = 0, largest = 0;

	for (int64_t i = 0; i < rows->n; i++) {
		added += fabs(beta[i]) * sqrt(rows->norm2[i]);
		largest = fmax(largest, rows->norm2[i]);
	}
	return DBL_EPSILON * added * sqrt(largest);
}

int linear_rows_sum(const struct linear_rows *rows, const double *beta, double tolerance, double *w,
		    struct error *err)
{
	long double *sum;

	if (sum_error(rows, beta) <= tolerance) {
		memset(w, 0, (size_t)rows->d * sizeof(*w));
		linear_rows_add(rows, NULL, rows->n, beta, w);
		return 0;
	}
	sum = mem_zeroed(rows->d, sizeof(*sum), err);
	if (!sum)
		return -1;
	for (int64_t i = 0; i < rows->n; i++) {
		if (beta[i] == 0)
			continue;
		for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
			sum[rows->col[k]] += (long double)beta[i] * rows->val[k];
	}
	for (int64_t j = 0; j < rows->d; j++)
		w[j] = (double)sum[j];
	free(sum);
	return 0;
}
