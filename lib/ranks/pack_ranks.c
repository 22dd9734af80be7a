/*
 * pack_ranks.c - products of a pack of rows with the help of other processes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/pack_ranks.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"

/*
 * Passes that a deal is taken to serve, when its work is compared with what is worth sending out:
 * conjugate gradients take 20 to 400 of them.  With ROW_RANKS_LEAST_WORK packs are dealt from 2
 * million entries on.
 */
#define PASSES 50

/*
 * Rank 'rank' has the parts parts_before(rank) .. parts_before(rank + 1) - 1: neighbours, so that
 * it can fold them; none where there are more ranks than parts.
 */
static int parts_before(int rank, int n_ranks, int n_parts)
{
	return (int)((int64_t)n_parts * rank / n_ranks);
}

static struct linear_share share_of(const struct group *g, int rank, const struct linear_pack *pack,
				    int64_t n, int n_parts)
{
	return (struct linear_share){ .pack = pack,
				      .n = n,
				      .n_parts = n_parts,
				      .first = parts_before(rank, g->size, n_parts),
				      .last = parts_before(rank + 1, g->size, n_parts) };
}

static int64_t share_rows(const struct linear_share *s)
{
	return linear_part_start(s, s->last) - linear_part_start(s, s->first);
}

/* Send or receive the partial sums of a share; those of this rank begin at part 'at'. */
static void move_partial(struct group *g, int other, const struct linear_share *s, int at,
			 struct linear_partial *partial, rank_transfer *transfer)
{
	int n = s->last - s->first;

	transfer(g, other, partial->span + at, n * (int64_t)sizeof(*partial->span));
	transfer(g, other, partial->sum + at, n * (int64_t)sizeof(*partial->sum));
	for (int part = at; part < at + n; part++)
		if (partial->span[part] > 0)
			transfer(g, other, partial->w + part * s->pack->d,
				 s->pack->d * (int64_t)sizeof(*partial->w));
}

/* ---- rank 0 ---- */

static void send_share(struct group *g, int rank, const struct linear_share *share,
		       const double *weight, const uint8_t *side)
{
	const struct linear_pack *pack = share->pack;
	int64_t first = linear_part_start(share, share->first), n = share_rows(share);
	int64_t at = pack->start[first], n_entries = pack->start[first + n] - at;

	group_send(g, rank, pack->start + first, (n + 1) * (int64_t)sizeof(*pack->start));
	group_send(g, rank, pack->entry + at, n_entries * (int64_t)sizeof(*pack->entry));
	if (weight)
		group_send(g, rank, weight + first, n * (int64_t)sizeof(*weight));
	if (side)
		group_send(g, rank, side + first, n * (int64_t)sizeof(*side));
}

int pack_ranks_deal(struct helpers *helpers, const struct linear_pack *pack, const double *weight,
		    const uint8_t *side, struct error *err)
{
	struct row_ranks *ranks = (struct row_ranks *)helpers;
	int n_parts = linear_pack_parts(pack);
	struct rank_message message = { .command = RANK_PACK,
					.n_cols = pack->d,
					.n = pack->n,
					.pack = { .n_parts = n_parts,
						  .unit = pack->unit,
						  .has_weights = weight != NULL,
						  .has_sides = side != NULL } };
	struct group *g;

	if (ranks->group->size == 1 || n_parts == 1 ||
	    2.0 * PASSES * (double)pack->start[pack->n] < ranks->least_work)
		return 0;
	g = ranks->group;
	message.n_threads = ranks->n_threads;
	group_announce(g, &message, sizeof(message));
	for (int rank = 1; rank < g->size; rank++) {
		struct linear_share s = share_of(g, rank, pack, pack->n, n_parts);
		struct rank_part part = { .n = share_rows(&s) };

		part.n_values = pack->start[linear_part_start(&s, s.last)] -
				pack->start[linear_part_start(&s, s.first)];
		group_send(g, rank, &part, sizeof(part));
	}
	if (!row_ranks_all_ready(ranks, err))
		return -1;
	for (int rank = 1; rank < g->size; rank++) {
		struct linear_share s = share_of(g, rank, pack, pack->n, n_parts);

		send_share(g, rank, &s, weight, side);
	}
	return 1;
}

void pack_ranks_square(struct helpers *helpers, const struct linear_pack *pack,
		       struct thread_team *team, const struct linear_square *product, double *out,
		       double sum[2], double *room)
{
	struct row_ranks *ranks = (struct row_ranks *)helpers;
	struct group *g = ranks->group;
	int n_parts = linear_pack_parts(pack);
	struct linear_share own = share_of(g, 0, pack, pack->n, n_parts);
	struct linear_partial partial = { .w = room };
	struct rank_message message = { .command = RANK_PACK_SQUARE,
					.square = { .b = { product->b[0], product->b[1] },
						    .factor = product->factor } };
	struct error none = { 0 };
	double started;

	group_announce(g, &message, sizeof(message));
	group_broadcast(g, (void *)product->v, pack->d * (int64_t)sizeof(*product->v));
	started = rank_seconds();
	linear_pack_multiply(&own, team, product, &partial);
	linear_pack_fold(&own, team, &partial, NULL);
	ranks->record[0].sum_seconds += rank_seconds() - started;
	ranks->n_requests++;
	for (int rank = 1; rank < g->size; rank++) {
		struct linear_share s = share_of(g, rank, pack, pack->n, n_parts);

		row_ranks_take_answer(ranks, rank, &none);
		move_partial(g, rank, &s, s.first, &partial, rank_receive);
	}
	/* rank 0 now has the sums of all parts */
	own.last = n_parts;
	linear_pack_fold(&own, team, &partial, out);
	memcpy(sum, partial.sum[0], sizeof(partial.sum[0]));
}

/* ---- all others ---- */

static void free_arrays(struct pack_keeper *k)
{
	mem_free(k->weight);
	mem_free(k->side);
	mem_free(k->v);
	mem_free(k->partial.w);
	k->weight = k->v = k->partial.w = NULL;
	k->side = NULL;
}

void pack_keeper_free(struct pack_keeper *k)
{
	free_arrays(k);
	linear_pack_free(&k->pack);
	thread_team_stop(k->team);
	*k = (struct pack_keeper){ 0 };
}

static void make_room(struct pack_keeper *k, const struct rank_message *m, int64_t n,
		      int64_t n_entries, struct error *err)
{
	free_arrays(k);
	linear_pack_make_room(&k->pack, n, n_entries, err);
	k->pack.n = n;
	k->pack.d = m->n_cols;
	k->pack.unit = m->pack.unit;
	k->v = mem_array(m->n_cols, sizeof(*k->v), err);
	k->partial.w =
		mem_array((k->share.last - k->share.first) * m->n_cols, sizeof(*k->partial.w), err);
	if (m->pack.has_weights)
		k->weight = mem_array(n, sizeof(*k->weight), err);
	if (m->pack.has_sides)
		k->side = mem_array(n, sizeof(*k->side), err);
}

/* Receive the share of this rank; its rows and entries are numbered from 0. */
static void receive_share(struct pack_keeper *k, struct group *g)
{
	struct linear_pack *pack = &k->pack;
	int64_t n = pack->n, before;

	group_receive(g, 0, pack->start, (n + 1) * (int64_t)sizeof(*pack->start));
	before = pack->start[0];
	for (int64_t i = 0; i <= n; i++)
		pack->start[i] -= before;
	group_receive(g, 0, pack->entry, pack->start[n] * (int64_t)sizeof(*pack->entry));
	if (k->weight)
		group_receive(g, 0, k->weight, n * (int64_t)sizeof(*k->weight));
	if (k->side)
		group_receive(g, 0, k->side, n * (int64_t)sizeof(*k->side));
}

void pack_keeper_keep(struct pack_keeper *k, struct group *g, const struct rank_message *m,
		      int n_threads)
{
	struct error err = { 0 };
	struct rank_part part;

	group_receive(g, 0, &part, sizeof(part));
	k->share = share_of(g, g->rank, &k->pack, m->n, m->pack.n_parts);
	make_room(k, m, part.n, part.n_values, &err);
	if (!k->team && err.code == ERR_NONE)
		k->team = thread_team_start(n_threads, &err);
	if (rank_goes_on(g, &err))
		receive_share(k, g);
}

void pack_keeper_square(struct pack_keeper *k, struct group *g, const struct rank_message *m)
{
	struct linear_square product = { .v = k->v,
					 .b = { m->square.b[0], m->square.b[1] },
					 .factor = m->square.factor,
					 .weight = k->weight,
					 .side = k->side };
	struct error none = { 0 };
	double started;

	group_broadcast(g, k->v, k->pack.d * (int64_t)sizeof(*k->v));
	started = rank_seconds();
	linear_pack_multiply(&k->share, k->team, &product, &k->partial);
	linear_pack_fold(&k->share, k->team, &k->partial, NULL);
	rank_answer(g, &none, rank_seconds() - started);
	move_partial(g, 0, &k->share, 0, &k->partial, rank_send);
}
