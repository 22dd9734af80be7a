/*
 * api_run.c - threads, memory and callbacks of a call, as the engine has them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "api.h"
#include "base/thread.h"

static bool end_is_wanted(void *arg)
{
	const struct rsv_run *run = arg;

	return run->interrupted(run->arg) != 0;
}

static void tell_round(void *arg, const struct randsvm_round *r)
{
	const struct rsv_run *run = arg;
	const struct rsv_round round = { .size = sizeof(round),
					 .number = r->number,
					 .working_set = r->working_set,
					 .n_sv = r->n_sv,
					 .n_violators = r->n_violators,
					 .primal = r->best_primal,
					 .dual = r->best_dual };

	run->round(run->arg, &round);
}

int api_run_init(struct api_run *run, const struct rsv_run *given, struct error *err)
{
	*run = (struct api_run){ 0 };
	rsv_run_init(&run->given);
	if (api_read_struct(&run->given, sizeof(run->given), given, NULL, err) < 0)
		return -1;
	if (run->given.n_threads < 0 || run->given.n_threads > THREAD_MAX)
		return error_set(err, ERR_ARGUMENT, "%d threads", run->given.n_threads);
	run->n_threads = run->given.n_threads ? run->given.n_threads : thread_default_count();
	if (!(run->given.cache_mb >= 0))
		return error_set(err, ERR_ARGUMENT, "cache of %g MB", run->given.cache_mb);
	run->interruption = (struct interruption){ .requested = end_is_wanted, .arg = &run->given };
	run->ends = run->given.interrupted ? &run->interruption : NULL;
	if (run->given.round)
		run->rounds = (struct randsvm_observer){ tell_round, &run->given };
	return 0;
}

int api_begin(struct api_run *run, const struct rsv_run *given, struct error *err)
{
	if (api_run_init(run, given, err) < 0)
		return -1;
	interruption_scope(run->ends);
	return 0;
}
