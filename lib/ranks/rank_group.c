/*
 * rank_group.c - processes that work on one training: what is the same whatever carries the bytes
 *
 * Every call counts its bytes here, so that the report of a run is right whatever carries them.
 * Calls of no bytes are left out at both ends: the sizes of messages are known to both, so that
 * neither waits for the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_group.h"

/* Count the bytes of a broadcast: rank 'from' sends them to each of the other ranks. */
static void count_common(struct rank_group *g, int from, int64_t n_bytes)
{
	if (g->rank == from)
		g->bytes_sent += (g->size - 1) * n_bytes;
	else
		g->bytes_received += n_bytes;
}

void rank_group_announce(struct rank_group *g, void *message, int64_t n_bytes)
{
	if (g->size == 1)
		return;
	g->calls->announce(g, message, n_bytes);
	count_common(g, 0, n_bytes);
}

void rank_group_share(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	if (g->size == 1 || n_bytes == 0)
		return;
	g->calls->share(g, from, data, n_bytes);
	count_common(g, from, n_bytes);
}

void rank_group_broadcast(struct rank_group *g, void *data, int64_t n_bytes)
{
	rank_group_share(g, 0, data, n_bytes);
}

void rank_group_send(struct rank_group *g, int to, const void *data, int64_t n_bytes)
{
	if (n_bytes == 0)
		return;
	g->calls->send(g, to, data, n_bytes);
	g->bytes_sent += n_bytes;
}

void rank_group_receive(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	if (n_bytes == 0)
		return;
	g->calls->receive(g, from, data, n_bytes);
	g->bytes_received += n_bytes;
}

int rank_group_lowest(struct rank_group *g, int value)
{
	return g->size == 1 ? value : g->calls->lowest(g, value);
}
