/*
 * pack_ranks.c - products of a pack of rows with the help of other processes
 *
 * How this works.  linear_pack.c cuts a pack into parts, each with a vector of d sums of its own,
 * and adds these vectors as in a binary tree.  Neighbouring parts are dealt to one rank.  With 8
 * parts and 3 ranks:
 *
 *     part     0   1   2   3   4   5   6   7
 *     rank     0   0   1   1   1   2   2   2        parts_before(): 0, 2, 5, 8            (1)
 *     span     2   -   2   -   1   1   2   -        sums left after each rank has folded  (2)
 *     rank 0   2   -   2   -   2   -   2   -        all sums received; 4 and 5 added      (3)
 *              4   -   -   -   4   -   -   -        0 and 2, 4 and 6 added
 *              8   -   -   -   -   -   -   -        0 and 4 added: the total
 *
 * A rank adds up (2) every pair of sums that the tree has and that lie both in its parts; their
 * span is then the number of parts in them, and the sum to the right of each pair has span 0 and is
 * not sent.  Rank 0 receives what is left and goes on with the same tree (3).  A node of the tree
 * is the same two numbers added whoever adds them, hence the same bits for any number of ranks.  A
 * rank with m parts sends at most 2 log2(m) + 1 vectors.
 *
 * The pack is dealt once for each Newton step, and multiplied at each pass of conjugate gradients.
 * Nothing fails in a pass: all memory was taken when the pack was dealt.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/pack_ranks.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"

/*
 * Passes that a pack is taken to serve, when its work is compared with the least work worth sending
 * out: conjugate gradients take 20 to 400 of them.  With ROW_RANKS_LEAST_WORK packs are dealt from
 * 2 million entries on.
 */
#define PASSES 50

/*
 * Number of parts of the ranks before 'rank', which has parts_before(rank) .. parts_before(rank +
 * 1) - 1: neighbours, so that it can fold them; none where there are more ranks than parts.
 */
static int parts_before(int rank, int n_ranks, int n_parts)
{
	return (int)((int64_t)n_parts * rank / n_ranks);
}

/*
 * Share of one rank by (1); 'pack' is rank 0's pack of all rows, or the share that another rank
 * has.
 */
static struct linear_share share_of(const struct group *g, int rank, const struct linear_pack *pack,
				    int64_t n, int n_parts)
{
	return (struct linear_share){ .pack = pack,
				      .n = n,
				      .n_parts = n_parts,
				      .first = parts_before(rank, g->size, n_parts),
				      .last = parts_before(rank + 1, g->size, n_parts) };
}

/* The number of rows in a share: 0 for some of the ranks where they are more than parts. */
static int64_t share_rows(const struct linear_share *s)
{
	return linear_part_start(s, s->last) - linear_part_start(s, s->first);
}

/*
 * Send or receive the partial sums of a share, the first of which has the place 'at' in '*partial'.
 * Spans go first: they tell the receiver which of the vectors follow.
 */
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

/* The rows of the share are neighbours, so that each array is sent as it is, without a copy. */
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

	/* a single part is one rank's work; and each entry is multiplied twice in a pass */
	if (ranks->group->size == 1 || n_parts == 1 ||
	    2.0 * PASSES * (double)pack->start[pack->n] < ranks->least_work)
		return 0;
	g = ranks->group;
	message.n_threads = ranks->n_threads;
	group_announce(g, &message, sizeof(message));
	/* sizes first, so that a rank without memory says so before any rank is sent its rows */
	for (int rank = 1; rank < g->size; rank++) {
		struct linear_share s = share_of(g, rank, pack, pack->n, n_parts);
		struct rank_part part = { .n = share_rows(&s) };

		part.n_values = pack->start[linear_part_start(&s, s.last)] -
				pack->start[linear_part_start(&s, s.first)];
		group_send(g, rank, &part, sizeof(part));
	}
	if (!row_ranks_all_ready(ranks, err))
		return -1;
	/* every rank has room for its share, and waits for the data */
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

	/* announced before rank 0 computes, so that all ranks compute at the same time */
	group_announce(g, &message, sizeof(message));
	group_broadcast(g, (void *)product->v, pack->d * (int64_t)sizeof(*product->v));
	started = rank_seconds();
	/* products of rank 0's own parts, (2), which lie from the start of 'room' */
	linear_pack_multiply(&own, team, product, &partial);
	linear_pack_fold(&own, team, &partial, NULL);
	ranks->record[0].sum_seconds += rank_seconds() - started;
	ranks->n_requests++;
	/* the sums of each rank go to their places among all parts */
	for (int rank = 1; rank < g->size; rank++) {
		struct linear_share s = share_of(g, rank, pack, pack->n, n_parts);

		row_ranks_take_answer(ranks, rank, &none);
		move_partial(g, rank, &s, s.first, &partial, rank_receive);
	}
	/*
	 * folding, (3): rank 0 now has the sums of all parts that are roots of subtrees; 'out' gets
	 * the total
	 */
	own.last = n_parts;
	linear_pack_fold(&own, team, &partial, out);
	memcpy(sum, partial.sum[0], sizeof(partial.sum[0]));
}

/* ---- all other ranks ---- */

/*
 * Free the arrays and set them to NULL: make_room() may fail half-way, and pack_keeper_free() comes
 * later.
 */
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

/*
 * Room for a share of n rows, for the sums of its parts and for the vector of a pass; 'err' tells
 * of a failure.
 */
static void make_room(struct pack_keeper *k, const struct rank_message *m, int64_t n,
		      int64_t n_entries, struct error *err)
{
	/* arrays of the pack before are freed; the pack itself keeps its room */
	free_arrays(k);
	linear_pack_make_room(&k->pack, n, n_entries, err);
	k->pack.n = n;
	k->pack.d = m->n_cols;
	k->pack.unit = m->pack.unit;
	/* 'v' and 'partial.w' are allocated here, as pack_keeper_square() must not fail */
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
	/* positions that rank 0 sends count from the first entry of all rows */
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
	/* the team of threads sleeps between passes, and is kept for the packs that follow */
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

	/* v is the only array of a pass that goes to all ranks */
	group_broadcast(g, k->v, k->pack.d * (int64_t)sizeof(*k->v));
	started = rank_seconds();
	linear_pack_multiply(&k->share, k->team, &product, &k->partial);
	linear_pack_fold(&k->share, k->team, &k->partial, NULL);
	/* an answer without an error carries the seconds of this rank */
	rank_answer(g, &none, rank_seconds() - started);
	move_partial(g, 0, &k->share, 0, &k->partial, rank_send);
}
