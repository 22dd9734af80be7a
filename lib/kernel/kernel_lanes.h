/*
 * kernel_lanes.h - the rows in the lanes of a tile, and their kernel values, in double precision
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel.h"
#include "kernel/kernel_tile.h"

/*
 * Rows in the layout of csr and row_batch alike; row_start need not begin at 0.  Row i of
 * the view is row[i] of the arrays, or i itself where 'row' is NULL.
 */
struct row_view {
	int64_t n_rows;
	const int64_t *row;
	const int64_t *row_start;
	const int32_t *col;
	const double *val;
};

/* csr_view() - n rows of a matrix: row[0..n-1], or the first n where 'row' is NULL */
static inline struct row_view csr_view(const struct csr *x, const int64_t *row, int64_t n)
{
	return (struct row_view){ n, row, x->row_start, x->col, x->val };
}

/* row_view_at() - the entries of row i of the view */
static inline struct csr_row row_view_at(const struct row_view *rows, int64_t i)
{
	int64_t row = rows->row ? rows->row[i] : i, first = rows->row_start[row];

	return (struct csr_row){ rows->row_start[row + 1] - first, rows->col + first,
				 rows->val + first };
}

/* A tile and the norms and rows of its lanes; owns the two arrays.  A zeroed struct is empty. */
struct kernel_lanes {
	/* elements by column, [n_cols][KERNEL_TILE_ROWS], for the caller to fill and to clear */
	double *element;
	/* squared norms of the KERNEL_TILE_ROWS lanes, for rbf; 0 of a lane without a row */
	double *norm2;
	/* rows of the lanes, borrowed; columns are numbered as in the data */
	struct csr_row row[KERNEL_TILE_ROWS];
	/* rows so far from 0 that products are too coarse: kernel_is_far() of each lane */
	bool is_far[KERNEL_TILE_ROWS];
	int n_far;
};

/* kernel_lanes_init() - lanes without rows, all elements 0; returns 0, or -1 with ERR_MEMORY */
int kernel_lanes_init(struct kernel_lanes *l, int64_t n_cols, struct error *err);
void kernel_lanes_free(struct kernel_lanes *l);

/*
 * kernel_lanes_set() - the lane has 'row' from now on, whose squared norm is 'norm2'; or, with
 * 'clear', none
 *
 * Its elements are the caller's to write, as numbers of columns are.
 */
void kernel_lanes_set(struct kernel_lanes *l, const struct kernel *kernel, int lane,
		      struct csr_row row, double norm2, bool clear);

/*
 * kernel_lanes_fill() - n rows from 'first' on in the lanes 0, 1, ..., with their elements in the
 * columns that the map has; or, with 'clear', zeros in their place, and no rows
 */
void kernel_lanes_fill(struct kernel_lanes *l, const struct kernel *kernel,
		       const struct column_map *columns, const struct row_view *rows, int64_t first,
		       int64_t n, bool clear);

/*
 * kernel_lanes_values() - kernel_tile_values() of the lanes, right for rows far from 0 too
 *
 * The squared distance of two rows one of which kernel_is_far() is summed by coordinates.
 */
void kernel_lanes_values(const struct kernel *kernel, const struct kernel_vectors *vectors,
			 int64_t first, int64_t last, const struct kernel_lanes *l, double *values);

/*
 * kernel_has_far() - does a row of x lie kernel_is_far() from 0?  O(entries)
 *
 * None of rows without entries here, which other processes have (ranks/rank_rows.h): who leaves them
 * there has looked.
 */
bool kernel_has_far(const struct kernel *kernel, const struct csr *x);

/*
 * kernel_distance2() - |x - z|^2 as a sum over coordinates, ascending, as svm-predict has it
 *
 * 'column' has what the columns of x stand for, NULL: themselves.  A sum above 'enough' is not
 * finished.  O(entries).
 */
double kernel_distance2(struct csr_row x, const int32_t *column, struct csr_row z, double enough);

/*
 * kernel_merged_find() - go on from entry *j of 'x' and *k of 'z', both ascending, to the next
 * column that both have; is there one?
 */
static inline bool kernel_merged_find(struct csr_row x, struct csr_row z, int64_t *j, int64_t *k)
{
	while (*j < x.n && *k < z.n && x.col[*j] != z.col[*k])
		++*(x.col[*j] < z.col[*k] ? j : k);
	return *j < x.n && *k < z.n;
}

/*
 * kernel_merged_value() - K(x, z) from the entries of the rows; not for precomputed kernels
 *
 * In the order of operations of kernel_tile.c, except for the distances of rbf.  Needs no
 * preparation, and O(entries of both) steps with a branch at each: meant for few values, or for
 * rows too long for tiles.
 */
double kernel_merged_value(const struct kernel *kernel, struct csr_row x, struct csr_row z);
