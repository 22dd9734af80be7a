/*
 * rank_service.c - what all ranks but rank 0 do: serve it
 *
 * How this works.  A rank waits asleep for a message of fixed size, does what the message asks for,
 * and waits again.  Between commands the rank keeps two things: the rows of the evaluator and the
 * bound of memory.  Both are replaced by the next command of their kind.
 * A failure goes to rank 0 as an answer and ends the command, not the loop: only RANK_END ends the
 * loop, so that no rank is left waiting for one that has gone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_service.h"

#include "base/mem_bound.h"
#include "ranks/rank_evaluator.h"
#include "ranks/rank_messages.h"

/* Set the bound of memory to that of rank 0. */
static void set_bound(struct rank_group *g, const struct rank_message *m)
{
	char folder[RANK_FOLDER];
	struct error err = { 0 };

	rank_group_broadcast(g, folder, sizeof(folder));
	/* a folder that cannot be used is reported by rank 0, not here */
	mem_set_bound(m->bytes, folder, "name another folder", &err);
	rank_goes_on(g, &err);
}

int rank_service_run(struct rank_group *g, int n_threads)
{
	struct rank_evaluator evaluator = { 0 };
	struct rank_message m;

	do {
		int n;

		rank_group_announce(g, &m, sizeof(m));
		/* rank 0's number of threads, if it gives one, goes before that of this process */
		n = m.n_threads > 0 ? m.n_threads : n_threads;
		switch (m.command) {
		case RANK_MEMORY:
			set_bound(g, &m);
			break;
		case RANK_FLOAT_ROWS:
		case RANK_ROWS:
			rank_evaluator_keep(&evaluator, g, &m);
			break;
		case RANK_FLOAT_SUMS:
		case RANK_SUMS:
			rank_evaluator_sum(&evaluator, g, &m, n);
			break;
		case RANK_END:
			break;
		}
	} while (m.command != RANK_END);
	rank_evaluator_free(&evaluator);
	return m.status;
}
