/*
 * kernel_rows.c - rows of the kernel matrix of a problem, from its source
 *
 * How this works.  Every function passes the request on to the source's type
 * (problem/kernel_source.h).  What is the same for all sources is done here: the source of a
 * problem_is_stepwise() is the one in double precision; rows are doubles unless the source rounds
 * its values to floats, or the problem steps as LIBSVM does; and rows that are extended begin at a
 * multiple of KERNEL_ROWS_LANES, as whole vectors are written.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/thread.h"
#include "problem/problem.h"

int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, int n_threads,
		     struct error *err)
{
	const struct kernel_source *source = problem_source(p);

	if (problem_is_stepwise(p))
		source = kernel_source_in_doubles(source);
	*r = (struct kernel_rows){ .p = p,
				   .source = source,
				   .n_threads = thread_clamp_count(n_threads),
				   .in_doubles = !source->in_floats && !problem_is_stepwise(p) };
	/*
	 * a source without state has no open_rows(); where open_rows() fails, close_rows() releases
	 * its memory
	 */
	if (!source->type->open_rows || source->type->open_rows(r, err) == 0)
		return 0;
	kernel_rows_free(r);
	return -1;
}

void kernel_rows_free(struct kernel_rows *r)
{
	if (r->source && r->source->type->close_rows)
		r->source->type->close_rows(r);
	*r = (struct kernel_rows){ 0 };
}

int kernel_rows_at_once(const struct kernel_rows *r, const struct row_members *over)
{
	return r->source->type->rows_at_once ? r->source->type->rows_at_once(r, over) :
					       KERNEL_ROWS_AT_ONCE;
}

int kernel_rows_singly(const struct kernel_rows *r UNUSED, const struct row_members *over UNUSED)
{
	return 1;
}

int kernel_rows_fetch(const struct kernel_rows *r, struct row_request q, struct error *err)
{
	q.first -= q.first % KERNEL_ROWS_LANES;
	return r->source->type->fetch_rows(r, &q, err);
}
