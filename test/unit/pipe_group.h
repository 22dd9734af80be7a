/*
 * pipe_group.h - a group whose ranks are threads of a test, and what they say goes through pipes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PIPE_GROUP_H
#define RANDSVM_PIPE_GROUP_H

#include <pthread.h>
#include <unistd.h>

#include "ranks/rank_group.h"
#include "unit.h"

/* A message has 600 bytes at most, and a run in a list 600 rows: longer ones are cut. */
enum { MOST_RANKS = 7, LONGEST = 600 };

struct pipes {
	int end[MOST_RANKS][MOST_RANKS][2]; /* of each rank to each other one */
};

static inline void move_bytes(int fd, char *data, int64_t n_bytes, bool writes)
{
	while (n_bytes > 0) {
		ssize_t n =
			writes ? write(fd, data, (size_t)n_bytes) : read(fd, data, (size_t)n_bytes);

		if (!CHECK(n > 0, "a pipe ended"))
			_exit(1);
		data += n;
		n_bytes -= n;
	}
}

static inline void pipes_send(struct rank_group *g, int to, void *data, int n_bytes)
{
	const struct pipes *p = g->arg;

	CHECK(n_bytes <= g->most, "a message of %d bytes", n_bytes);
	move_bytes(p->end[g->rank][to][1], data, n_bytes, true);
}

static inline void pipes_receive(struct rank_group *g, int from, void *data, int n_bytes)
{
	const struct pipes *p = g->arg;

	move_bytes(p->end[from][g->rank][0], data, n_bytes, false);
}

/* By way of rank 0. */
static inline void pipes_share(struct rank_group *g, int from, void *data, int n_bytes)
{
	if (g->rank == from && from > 0)
		pipes_send(g, 0, data, n_bytes);
	else if (g->rank > 0 || from > 0)
		pipes_receive(g, g->rank > 0 ? 0 : from, data, n_bytes);
	for (int rank = 1; g->rank == 0 && rank < g->size; rank++)
		if (rank != from)
			pipes_send(g, rank, data, n_bytes);
}

static const struct rank_group_calls pipes_calls = { pipes_share, pipes_send, pipes_receive };

/* Ranks of a test: each but rank 0 runs serve() on a thread of its own. */
struct pipe_group {
	struct pipes pipes;
	struct rank_group group[MOST_RANKS];
	pthread_t thread[MOST_RANKS];
};

/* pipe_group_start() - start serve(arg) of each other rank, arg[rank] being for it */
static inline void pipe_group_start(struct pipe_group *p, int size, void *(*serve)(void *),
				    void *const *arg)
{
	for (int from = 0; from < size; from++)
		for (int to = 0; to < size; to++)
			CHECK(from == to || pipe(p->pipes.end[from][to]) == 0, "no pipe");
	for (int rank = 0; rank < size; rank++) {
		p->group[rank] = (struct rank_group){ .rank = rank,
						      .size = size,
						      .most = LONGEST,
						      .calls = &pipes_calls,
						      .arg = &p->pipes };
		if (rank > 0)
			pthread_create(&p->thread[rank], NULL, serve, arg[rank]);
	}
}

/* pipe_group_end() - await the other ranks */
static inline void pipe_group_end(struct pipe_group *p)
{
	const int size = p->group[0].size;

	for (int rank = 1; rank < size; rank++)
		pthread_join(p->thread[rank], NULL);
	for (int pair = 0; pair < size * size; pair++)
		for (int end = 0; end < 2 && pair / size != pair % size; end++)
			close(p->pipes.end[pair / size][pair % size][end]);
}

#endif
