/*
 * linear_products.c - products of the rows of a linear problem with vectors, and their sums
 *
 * The three passes over entries that the linear engine makes, each over all rows or a list:
 *
 *     linear_rows_times()   out_k = x_k.w + b        each row by itself: any number of threads
 *     linear_rows_add()     w += sum_k c_k x_k       all rows write to w                        (1)
 *     linear_rows_sum()     (1) from w = 0, exact enough for a certificate                      (2)
 *
 * For (1) the list is cut into parts, each part has its own vector of d sums, and these are added
 * to w in the order of the parts.  How many parts there are depends on entries and d alone, never
 * on threads: so do the bits.
 *
 * (2) is a plain sum as long as rounding cannot matter: the products beta_i x_ij cancel, as w is
 * small beside them, and leave an error of about
 *
 *     |(w - exact w).x_k| <= DBL_EPSILON (sum_i |beta_i| |x_i|) max |x|                         (3)
 *
 * Where (3) is above the tolerance the sum has twice the digits, on one thread, and takes several
 * times as long.  (Long doubles of 64 bits are too short for features of 1e7: the 3,107 rows of
 * space_ga, -s 3 -t 0, then end with 18 violators.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_products.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/long_sum.h"
#include "base/mem.h"
#include "linear/linear_loops.h"
#include "linear/linear_work.h"

/*
 * Rows a thread takes at a time: some 10 us with ten entries each, against about 1 us for a task of
 * a team; and few enough that the last rows are shared evenly.
 */
#define ROWS_PER_TASK 512

/*
 * Entries that a part of (1) must have: clearing and adding its vector passes over 2 d numbers,
 * which should be little beside them (4 d), and so should starting a thread.
 */
#define ENTRIES_PER_PART 20000

/* A product or a sum of rows that threads share. */
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
	/* below LINEAR_WORK_FOR_THREADS entries the calling thread works alone */
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
				 .n_parts = int64_min(n_entries / least, LINEAR_MAX_PARTS) };

	/* with too few entries for two parts the sum goes straight into w */
	if (s.n_parts <= 1) {
		linear_accumulate(rows, list, 0, n_list, c, w);
		return;
	}
	thread_team_for(n_entries >= LINEAR_WORK_FOR_THREADS ? rows->team : NULL, s.n_parts,
			add_part, &s);
	/* the vectors of the parts are added in order, whatever thread made them */
	for (int64_t part = 0; part < s.n_parts; part++)
		for (int64_t j = 0; j < rows->d; j++)
			w[j] += rows->partial[part * rows->d + j];
}

/* Bound of the rounding error of a plain sum: the right side of (3). */
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
	struct long_sum *sum;

	/* a plain sum is exact enough if (3) is within the tolerance, (2) */
	if (sum_error(rows, beta) <= tolerance) {
		memset(w, 0, (size_t)rows->d * sizeof(*w));
		linear_rows_add(rows, NULL, rows->n, beta, w);
		return 0;
	}
	/* the sum of each column is kept in twice the digits of a double */
	sum = mem_zeroed(rows->d, sizeof(*sum), err);
	if (!sum)
		return -1;
	for (int64_t i = 0; i < rows->n; i++) {
		if (beta[i] == 0)
			continue;
		for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
			long_sum_add(&sum[rows->col[k]], beta[i], rows->val[k]);
	}
	for (int64_t j = 0; j < rows->d; j++)
		w[j] = long_sum_value(&sum[j]);
	mem_free(sum);
	return 0;
}

/* ---- of a task, with the offset and the constants of its sides ---- */

void linear_plain_sum(const struct linear_task *t, const double *beta, double *w)
{
	if (t->offset)
		memcpy(w, t->offset, (size_t)t->d * sizeof(*w));
	else
		memset(w, 0, (size_t)t->d * sizeof(*w));
	linear_rows_add(&t->x, NULL, t->n, beta, w);
}

void linear_values(const struct linear_task *t, const double *w, const double *b, double *out)
{
	linear_rows_times(&t->x, NULL, t->n, w, t->sides.n == 1 ? b[0] : 0, out);
	for (int64_t i = 0; i < t->n && t->sides.n == 2; i++)
		out[i] += b[linear_side(t, i)];
}

void linear_residuals(const struct linear_task *t, const double *w, const double *b, double *out)
{
	linear_values(t, w, b, out);
	for (int64_t i = 0; i < t->n; i++)
		out[i] = t->row.target[i] - out[i];
}

int linear_sum(const struct linear_task *t, const double *beta, double *w, struct error *err)
{
	if (linear_rows_sum(&t->x, beta, LINEAR_SUM_ERROR * t->eps, w, err) < 0)
		return -1;
	for (int64_t j = 0; j < t->d && t->offset; j++)
		w[j] += t->offset[j];
	return 0;
}
