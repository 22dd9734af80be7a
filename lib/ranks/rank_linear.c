/*
 * rank_linear.c - products with rows of a linear problem, shared among ranks
 *
 *     RANK_PACK      rank 0 tells of rows and parts; room, agree; the rows of each part to its rank
 *     RANK_SQUARE    a vector to all ranks, which sum over their parts; sums of parts to rank 0
 *
 * Where their number divides that of the parts ranks add up their parts, as one process would
 * (linear_rows.c), so that each sends one vector.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_linear.h"

#include "base/clock.h"
#include "base/mem.h"

void rank_linear_free(struct rank_linear *s)
{
	thread_team_stop(s->team);
	linear_pack_free(&s->pack);
	mem_free_all(s->v, s->w);
	*s = (struct rank_linear){ .rows = s->rows };
}

/* Room of a rank for its parts of a pack, in which parts begin with these entries. */
static void make_room(struct rank_linear *s, const struct linear_pack *all, const int64_t *entry,
		      struct error *err)
{
	struct linear_pack *own = &s->pack;
	int64_t n_entries = 0;

	rank_linear_free(s);
	*own = (struct linear_pack){ .d = all->d, .unit = all->unit, .n_parts = all->n_parts };
	for (int k = 0; k < all->n_parts; k++) {
		const bool is_own = k % s->rows->group->size == s->rows->group->rank;

		own->part[k] = own->n;
		own->n += is_own ? all->part[k + 1] - all->part[k] : 0;
		n_entries += is_own ? entry[k + 1] - entry[k] : 0;
	}
	own->part[all->n_parts] = own->n;
	own->start = mem_zeroed(own->n + 1, sizeof(*own->start), err);
	own->entry = mem_large(n_entries, sizeof(*own->entry), err);
	s->v = mem_array(own->d, sizeof(*s->v), err);
	s->w = mem_array(own->n_parts * own->d, sizeof(*s->w), err);
	s->team = thread_team_start(s->rows->n_threads, err);
}

/* RANK_PACK on all ranks; 'given' is of rank 0. */
static int share_pack(struct rank_linear *s, const struct linear_pack *given, struct error *err)
{
	struct rank_group *g = s->rows->group;
	const struct linear_pack *pack = given ? given : &s->pack;
	struct linear_pack all = *pack;
	int64_t entry[LINEAR_MAX_PARTS + 1];
	struct row_arrays rows;

	for (int k = 0; given && k <= all.n_parts; k++)
		entry[k] = all.start[all.part[k]];
	rank_group_broadcast(g, &all, sizeof(all));
	rank_group_broadcast(g, entry, sizeof(entry));
	if (!given)
		make_room(s, &all, entry, err);
	if (!rank_agree(s->rows, err))
		return -1;
	rows = (struct row_arrays){ .start = pack->start,
				    .val = pack->entry,
				    .value_size = sizeof(*pack->entry) };
	for (int k = 0; k < all.n_parts; k++)
		if (k % g->size > 0)
			rank_move_rows(g,
				       (struct rank_move){ 0, k % g->size, all.part[k],
							   pack->part[k],
							   all.part[k + 1] - all.part[k] },
				       &rows, &rows);
	return 0;
}

/* RANK_SQUARE on all ranks; the pack, the product and the room of rank 0, or a rank's own. */
static void square(struct rank_linear *s, const struct linear_pack *pack, struct thread_team *team,
		   struct linear_square p, double *w, double sum[][2])
{
	struct rank_group *g = s->rows->group;
	double *v = g->rank == 0 ? (double *)p.v : s->v, started;

	rank_group_broadcast(g, &p, sizeof(p));
	if (p.v)
		rank_group_broadcast(g, v, pack->d * (int64_t)sizeof(*v));
	p.v = p.v ? v : NULL;
	started = clock_seconds(CLOCK_MONOTONIC);
	linear_pack_parts(pack, team, &p, g->rank, g->size, w, sum);
	s->rows->sum_seconds += clock_seconds(CLOCK_MONOTONIC) - started;
	for (int k = 0; k < pack->n_parts; k++) {
		struct rank_move m = { k % g->size, 0, k, k, 1 };

		/* those that a rank has added to others have come with them */
		if (m.from == 0 || (pack->n_parts % g->size == 0 && k >= g->size))
			continue;
		rank_move_elements(g, m, sum, sum, sizeof(*sum));
		rank_move_elements(g, m, w, w, pack->d * (int64_t)sizeof(*w));
	}
}

void rank_linear_serve(struct rank_linear *s, const struct rank_message *m)
{
	double sum[LINEAR_MAX_PARTS][2];

	if (m->command == RANK_PACK)
		share_pack(s, NULL, &(struct error){ 0 });
	else
		square(s, &s->pack, s->team, (struct linear_square){ 0 }, s->w, sum);
}

/* ---- on rank 0: struct linear_helpers ---- */

static int give_pack(struct linear_helpers *h, const struct linear_pack *pack, struct error *err)
{
	struct rank_linear *s = (struct rank_linear *)h;

	rank_announce(s->rows->group, (struct rank_message){ .command = RANK_PACK });
	return share_pack(s, pack, err);
}

static void ask_square(struct linear_helpers *h, const struct linear_pack *pack,
		       struct thread_team *team, const struct linear_square *p, double *w,
		       double sum[][2])
{
	struct rank_linear *s = (struct rank_linear *)h;

	rank_announce(s->rows->group, (struct rank_message){ .command = RANK_SQUARE });
	s->rows->n_requests++;
	square(s, pack, team, *p, w, sum);
}

void rank_linear_init(struct rank_linear *s, struct rank_rows *rows)
{
	*s = (struct rank_linear){ .helpers = { rows->group->size, give_pack, ask_square },
				   .rows = rows };
}
