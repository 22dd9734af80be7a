/*
 * rank_group.c - processes that work on one training: what is the same whatever carries the bytes
 *
 * Bytes and seconds of waiting are counted here, so that the report of a run is right whatever carries
 * the bytes, and long messages are cut.  Calls of no bytes are left out at both ends: the sizes of
 * messages are known to both, so that neither waits for the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ranks/rank_group.h"

#include "base/clock.h"

/* A message, in pieces that a call carries. */
static void carry(struct rank_group *g, rank_group_call *call, int other, const void *data,
		  int64_t n_bytes)
{
	const double started = clock_seconds(CLOCK_MONOTONIC);

	for (int64_t at = 0, n; at < n_bytes; at += n) {
		n = int64_min(n_bytes - at, g->most);
		call(g, other, (char *)data + at, (int)n);
	}
	g->seconds_waited += clock_seconds(CLOCK_MONOTONIC) - started;
}

void rank_group_share(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	if (g->size == 1)
		return;
	carry(g, g->calls->share, from, data, n_bytes);
	if (g->rank == from)
		g->bytes_sent += (g->size - 1) * n_bytes;
	else
		g->bytes_received += n_bytes;
}

void rank_group_broadcast(struct rank_group *g, void *data, int64_t n_bytes)
{
	rank_group_share(g, 0, data, n_bytes);
}

void rank_group_send(struct rank_group *g, int to, const void *data, int64_t n_bytes)
{
	carry(g, g->calls->send, to, data, n_bytes);
	g->bytes_sent += n_bytes;
}

void rank_group_receive(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	carry(g, g->calls->receive, from, data, n_bytes);
	g->bytes_received += n_bytes;
}

int rank_group_lowest(struct rank_group *g, int value)
{
	int least = value;

	for (int rank = 0; rank < g->size; rank++) {
		int other = value;

		rank_group_share(g, rank, &other, sizeof(other));
		least = other < least ? other : least;
	}
	return least;
}
