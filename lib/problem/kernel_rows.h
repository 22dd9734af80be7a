/*
 * kernel_rows.h - rows of the kernel matrix of a problem, over some of its examples
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/arithmetic.h"
#include "problem/problem.h"

/* Lanes of a row: rows are padded to a multiple of this many values and aligned to 64 bytes. */
#define KERNEL_ROWS_LANES 16

/* Most rows computed in one go. */
#define KERNEL_ROWS_AT_ONCE 32

/*
 * Members a task meets: eight tiles of 64, 16,384 kernel values with rows fetched 32 at a time, at
 * 1e9 values a second 16 us, as long as starting a thread.
 */
#define KERNEL_ROWS_TASK 512

/*
 * struct kernel_rows - rows of a problem's source; for one thread at a time, which has others help
 */
struct kernel_rows {
	const struct problem_view *p;
	const struct kernel_source *source;
	int n_threads;
	bool in_doubles; /* values of rows are doubles; else floats */
	void *state;	 /* state of the source: rows as it has made them ready */
};

/* Examples that rows go over: member j is example[j] of the problem and row[j] of its matrix. */
struct row_members {
	int64_t n;
	int64_t *example, *row;
	bool in_place; /* members are the examples in place: member j is example j */
};

/* Rows that a source is asked for: see kernel_rows_fetch(). */
struct row_request {
	const struct row_members *over;
	int64_t first; /* first member; for a source a multiple of KERNEL_ROWS_LANES */
	const int64_t *wanted;
	int64_t n;
	void *const *out;
};

/*
 * kernel_rows_init() - open the problem's source; 'p' is borrowed
 *
 * Rows of a problem_is_stepwise() are computed in double precision and rounded to floats, as
 * LIBSVM's are.  Returns 0, or -1 with ERR_MEMORY and '*r' empty.
 */
int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, int n_threads,
		     struct error *err);

void kernel_rows_free(struct kernel_rows *r);

/* kernel_rows_padded() - number of values in a row over n members, with padding */
static inline int64_t kernel_rows_padded(int64_t n)
{
	return int64_round_up(n, KERNEL_ROWS_LANES);
}

/* kernel_rows_at_once() - number of rows best fetched at once, at most KERNEL_ROWS_AT_ONCE */
int kernel_rows_at_once(const struct kernel_rows *r, const struct row_members *over);

/* kernel_rows_singly() - rows_at_once() of sources whose rows cost no more one by one: 1 */
int kernel_rows_singly(const struct kernel_rows *r, const struct row_members *over);

/*
 * kernel_rows_fetch() - out[v][j] = K(x_i, x_j) for the n examples i = wanted[v] of 'q', over all
 * members j from 'first' on
 *
 * A value does not depend on which rows are asked for together.  The padding is finite.  Values
 * from the last multiple of KERNEL_ROWS_LANES before 'first' on are written.  out[v] is aligned to
 * 64 bytes.  Returns 0, or -1 with ERR_MEMORY.
 */
int kernel_rows_fetch(const struct kernel_rows *r, struct row_request q, struct error *err);
