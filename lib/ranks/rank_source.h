/*
 * rank_source.h - kernel values of rows that are with other ranks (problem/kernel_source.h)
 *
 *     rows    rank 0 brings the rows that it works on, each once while they are members, and computes
 *             their kernel values itself
 *     sums    where the rows are: rank_sums.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/kernel_source.h"
#include "ranks/rank_rows.h"

/* Sources of kernel values in doubles and in floats; not to be moved once made. */
struct rank_source {
	struct kernel_source doubles, floats;
	struct kernel_source_type of_doubles;
	struct rank_rows *rows;
	struct row_marks marks;
	/* rows that rank 0 works on, in floats: row i of the data is here.slot[i], or -1: not here */
	struct float_vectors here;
	int32_t *slot;
};

/*
 * rank_source_init() - sources of the rows of all ranks, which rank_rows_make_floats() has made ready
 *
 * 'diagonal' is K(x, x) by row, or NULL; borrowed, as 'rows' is.  4 bytes a row.  Returns 0, or -1
 * with ERR_MEMORY; rank_source_free() follows in either case.
 */
int rank_source_init(struct rank_source *s, struct rank_rows *rows, const double *diagonal,
		     struct error *err);
void rank_source_free(struct rank_source *s);
