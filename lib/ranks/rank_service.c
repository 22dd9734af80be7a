/*
 * rank_service.c - what all ranks but rank 0 do: serve it
 *
 * Each command is a function that all ranks run at once, each for its rows; the files that have it
 * say what is sent.  All memory that the next messages need is taken before rank_agree(): past that
 * a rank that failed would leave another one waiting.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_service.h"

#include "base/mem_bound.h"
#include "ranks/rank_choice.h"
#include "ranks/rank_floats.h"
#include "ranks/rank_linear.h"
#include "ranks/rank_reading.h"
#include "ranks/rank_sums.h"

/* The bound of memory and the threads of another rank; rank 0 has its own, and 'folder' to tell. */
static bool settle(struct rank_rows *rows, const struct rank_message *m, char folder[RANK_FOLDER],
		   struct error *err)
{
	rank_group_broadcast(rows->group, folder, RANK_FOLDER);
	if (rows->group->rank > 0) {
		rows->n_threads = m->n_threads > 0 ? m->n_threads : rows->n_threads;
		/* a folder that cannot be used is reported by rank 0, not here */
		if (m->bytes > 0)
			mem_set_bound(m->bytes, folder, "name another folder", err);
	}
	return rank_agree(rows, err);
}

int rank_service_settle(struct rank_rows *rows, int64_t bytes, const char *folder, int n_threads,
			struct error *err)
{
	struct rank_message m = { .command = RANK_SETTLE, .bytes = bytes, .n_threads = n_threads };
	/* the other ranks get a fixed number of bytes */
	char name[RANK_FOLDER];

	snprintf(name, sizeof(name), "%s", folder ? folder : "");
	rank_announce(rows->group, m);
	return settle(rows, &m, name, err) ? 0 : -1;
}

void rank_service_end(struct rank_group *g, int status)
{
	rank_announce(g, (struct rank_message){ .command = RANK_END, .status = status });
}

int rank_service_run(struct rank_group *g, int n_threads,
		     void (*train_pairs)(struct rank_rows *rows))
{
	struct rank_rows rows;
	struct rank_linear linear;
	struct linear_helpers *h = &linear.helpers;
	struct rank_message m;
	struct rank_store none = { 0 };
	char folder[RANK_FOLDER];
	struct error err = { 0 };

	rank_rows_init(&rows, g, n_threads, &err);
	rank_linear_init(&linear, &rows);
	for (;; h->err = err = (struct error){ 0 }) {
		rank_group_broadcast(g, &m, sizeof(m));
		switch (m.command) {
		case RANK_SETTLE:
			settle(&rows, &m, folder, &err);
			break;
		case RANK_READ:
			rank_reading_serve(&rows);
			break;
		case RANK_BRING:
			rank_rows_bring_all(&rows, &err);
			break;
		case RANK_ARRANGE:
			rank_rows_arrange(&rows, &err);
			break;
		case RANK_FLOATS:
			rank_rows_make_floats(&rows, &m.kernel, &err);
			break;
		case RANK_GATHER:
			(m.in_floats ? rank_rows_gather_floats(&rows, NULL, 0, &none.floats, &err) :
				       rank_rows_gather(&rows, NULL, 0, &none.doubles, &err));
			break;
		case RANK_SUMS:
			rank_sums_serve(&rows, &m);
			break;
		case RANK_OPEN:
			h->open(h, NULL, &err);
			break;
		case RANK_CENTRE:
			h->centre(h, NULL, NULL, &err);
			break;
		case RANK_TIMES:
			h->times(h, NULL, 0, NULL, 0, NULL);
			break;
		case RANK_SUM:
			h->sum(h, NULL);
			break;
		case RANK_FILL:
			h->pack(h, NULL, NULL, 0, &err);
			break;
		case RANK_OUTER:
			h->outer(h, NULL, NULL, NULL, 0);
			break;
		case RANK_ROUNDS:
			h->rounds(h, NULL);
			break;
		case RANK_PAIRS:
			train_pairs(&rows);
			break;
		case RANK_END:
			rank_linear_free(&linear);
			rank_rows_free(&rows);
			return m.status;
		}
	}
}
