/*
 * float_source.h - kernel values in single precision, computed when they are wanted
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/*
 * float_source_make() - the source of rows of x in single precision; borrows the rows and 'doubles'
 *
 * 'doubles' is the source for double precision; its diagonal serves the new source too.
 */
struct kernel_source float_source_make(const struct float_vectors *x_float,
				       const struct kernel_source *doubles);

/* Functions for rows, for sources that use rows in single precision in some cases only. */
int float_source_open_rows(struct kernel_rows *r, struct error *err);
void float_source_close_rows(struct kernel_rows *r);
int float_source_fetch_rows(const struct kernel_rows *r, const struct row_request *q,
			    struct error *err);

/* Functions for sums of a source in single precision. */
int float_source_open_sums(struct kernel_sums *s, struct error *err);
void float_source_close_sums(struct kernel_sums *s);
int float_source_sum_rows(const struct kernel_sums *s, const struct sum_request *q,
			  struct error *err);
