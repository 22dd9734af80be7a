/*
 * linear_map.h - a linear map of features as the rows of its matrix, for models to be carried back
 *
 *     z = x R - offset
 *
 * R has a row for each feature of x and a column for each feature of z.  Projections have rows
 * without zeros to speak of; features that were chosen have a row of one entry, their weight.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

/* A row of R without its zeros; the arrays are the caller's, of most_entries entries. */
struct linear_map_row {
	int32_t feature; /* feature of x */
	int64_t n;
	int32_t *column; /* n features of z, ascending */
	double *value;	 /* values of the row's entries; n */
};

/* All pointers are borrowed: the owner of the arrays must outlive the map. */
struct linear_map {
	const void *map;
	int64_t n_features;   /* highest feature of x; that of the last row, or beyond */
	int64_t n_rows;	      /* rows of R: features of x that get weights */
	int64_t most_entries; /* largest number of entries of a row */
	int64_t n_columns;    /* columns of R; 0 if the map selects features */
	const double *offset; /* offsets of the features 1 .. n_columns of z; NULL: 0 */
	/*
	 * Each feature of z is one of x, and z has no others: a model with another feature was
	 * trained on other data.  Else z has the features 1 .. n_columns.
	 */
	bool selects;

	/*
	 * row() - fill 'to' with row k of R, 0 <= k < n_rows, by ascending feature
	 *
	 * Returns 0, or -1 if R has no row for that feature; 'to->feature' is filled nevertheless.
	 */
	int (*row)(const void *map, int64_t k, struct linear_map_row *to);
};
