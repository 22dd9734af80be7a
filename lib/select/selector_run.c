/*
 * selector_run.c - what the steps of one choice of features share
 *
 * These are the events for the caller, failures with a reason that a caller may explain, the space
 * that the rows span, found once and kept, and the number of features that goes with its rank.
 *
 * How this works.  A run goes
 *
 *     selector_find_rows()    which rows count                          run->part, result->row
 *     selector_space()        their row space, when first asked for     run->cut or result->space
 *     selector_settle_size()  how many features, by epsilon and rank    result->n_wanted
 *     method->choose()        the features                              result->chosen
 *
 * A space that the caller has asked for, with nothing cut off, is the result's, and outlives the
 * run; any other is the run's own and is freed with it.  Failures have a text for a
 * person, and a number (result->trouble) by which a caller may say what to do about it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selector_run.h"

#include "geometry/reduction.h"

void selector_tell(const struct selector_run *run, enum selector_event event)
{
	if (run->observer && run->observer->event)
		run->observer->event(run->observer->arg, event, run->result);
}

/* ---- what the rows that count span ---- */

int selector_need_features(int64_t rank, struct error *err)
{
	return rank > 0 ? 0 : error_set(err, ERR_ARGUMENT, "the rows that count have no features");
}

int selector_find_space(struct selector_run *run, double rank_tol, struct row_space *space,
			struct error *err)
{
	const struct selector_options *o = run->options;
	const struct row_space_options how = { .rank_tol = rank_tol,
					       .max_bytes = o->max_bytes,
					       .n_threads = o->n_threads };
	struct selector_result *r = run->result;

	if (row_space_init(space, &run->part->x, &how, err) < 0) {
		/*
		 * the one argument that can be wrong here is the memory that the space would take
		 */
		if (err->code == ERR_ARGUMENT)
			r->trouble = SELECTOR_SPACE_TOO_LARGE;
		return -1;
	}
	if (selector_need_features(space->rank, err) < 0)
		return -1;
	/* rank and number of columns are known to the caller even if the choice fails later */
	r->rank = space->rank;
	r->n_columns = space->columns.n;
	r->by_qr = space->by_qr;
	selector_tell(run, SELECTOR_SPACE);
	return 0;
}

/* The caller's row space, if it has one and no rank_tol cuts it; else one of the run's own. */
const struct row_space *selector_space(struct selector_run *run, struct error *err)
{
	const double rank_tol = run->options->rank_tol;

	/* the space found for the caller, of full rank, serves if no rank_tol is wanted */
	if (run->result->space.rank > 0 && rank_tol == 0)
		return &run->result->space;
	/* the run's own space is found once; rank 0 says that it has not been sought */
	if (run->cut.rank == 0 && selector_find_space(run, rank_tol, &run->cut, err) < 0)
		return NULL;
	return &run->cut;
}

/* ---- how many features that takes ---- */

int selector_settle_size(struct selector_run *run, int64_t rank, struct error *err)
{
	const struct selector_options *o = run->options;
	struct selector_result *r = run->result;

	/* the caller's number of features holds unless epsilon asks for a size of its own */
	r->n_wanted = o->n_features;
	r->rank = rank;
	if (selector_need_features(rank, err) < 0)
		return -1;
	if (o->epsilon == 0)
		return 0;
	/* number of features for the error epsilon, by (1) of selector.c */
	r->n_wanted = sizes_for_error(rank, o->epsilon);
	selector_tell(run, SELECTOR_SIZED);
	return 0;
}
