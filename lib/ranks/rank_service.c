/*
 * rank_service.c - what all ranks but rank 0 do: serve it
 *
 * How this works.  A rank waits asleep for a message of fixed size, does what the message asks for,
 * and waits again.  Between commands the rank keeps three things: the rows of the evaluator, the
 * parts of the pack, and the bound of memory.  All are replaced by the next command of their kind.
 * A failure goes to rank 0 as an answer and ends the command, not the loop: only RANK_END ends the
 * loop, so that no rank is left waiting for one that has gone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_service.h"

#include "base/mem.h"
#include "ranks/pack_ranks.h"
#include "ranks/rank_rows.h"
#include "ranks/row_evaluator.h"

/* Set the bound of memory to that of rank 0. */
static void set_bound(struct group *g, const struct rank_message *m)
{
	char folder[RANK_FOLDER];
	struct error err = { 0 };

	group_broadcast(g, folder, sizeof(folder));
	/* a folder that cannot be used is reported by rank 0, not here */
	mem_set_bound(m->bytes, folder, "name another folder", &err);
	rank_goes_on(g, &err);
}

int rank_service_run(struct group *g, int n_threads)
{
	struct row_evaluator evaluator = { 0 };
	struct pack_keeper keeper = { 0 };
	struct rank_message m;

	do {
		int n;

		group_announce(g, &m, sizeof(m));
		/* rank 0's number of threads, if it gives one, goes before that of this process */
		n = m.n_threads > 0 ? m.n_threads : n_threads;
		switch (m.command) {
		case RANK_MEMORY:
			set_bound(g, &m);
			break;
		case RANK_FLOAT_ROWS:
		case RANK_ROWS:
			row_evaluator_keep(&evaluator, g, &m);
			break;
		case RANK_FLOAT_SUMS:
		case RANK_SUMS:
			row_evaluator_sum(&evaluator, g, &m, n);
			break;
		case RANK_PACK:
			pack_keeper_keep(&keeper, g, &m, n);
			break;
		case RANK_PACK_SQUARE:
			pack_keeper_square(&keeper, g, &m);
			break;
		case RANK_END:
			break;
		}
	} while (m.command != RANK_END);
	row_evaluator_free(&evaluator);
	pack_keeper_free(&keeper);
	return m.status;
}
