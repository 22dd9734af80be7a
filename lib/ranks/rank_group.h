/*
 * rank_group.h - processes that work on one training: rank 0, which leads, and those that serve it
 *
 *     rank 0                              ranks 1, 2, ...
 *     rank_group_broadcast()      -->     rank_group_broadcast()    a command, which ranks await asleep
 *     rank_group_broadcast()      -->     rank_group_broadcast()    what it needs, the same for all
 *     rank_group_send()           -->     rank_group_receive()      what one of them needs
 *     rank_group_receive()        <--     rank_group_send()         its answer
 *
 * A group of one process has nobody to talk to: broadcasts do nothing.  What carries the bytes is
 * behind struct rank_group_calls: MPI in cmd/mpi/group_mpi.c, pipes between threads in the unit test.
 * Nothing fails here: a rank that is lost ends all of them, which MPI sees to.
 * All ranks run the same binary on the same kind of machine, so that structs are sent as they are.
 * Calls come from one thread of a process at a time, and where 'one_thread' is set from the first one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

struct rank_group;

/* Carry n_bytes, at most 'most' of the group, to or from another rank; none is kept. */
typedef void rank_group_call(struct rank_group *g, int other, void *data, int n_bytes);

struct rank_group_calls {
	rank_group_call *share; /* from 'other', which may be this rank, to all */
	rank_group_call *send, *receive;
};

/* A group of processes, numbered as ranks.  Its pointers are borrowed. */
struct rank_group {
	int rank, size;	  /* number of this rank, and number of ranks: 0 <= rank < size */
	int size_on_node; /* number of ranks on this machine, at least 1 */
	bool one_thread;  /* the first thread of a process alone may make calls */
	/* bytes that a call carries at most, and rows of one run in lists (rank_messages.h) */
	int most;
	double seconds_waited; /* seconds that this rank has waited in the calls declared below */
	int64_t bytes_sent, bytes_received;
	/* functions that carry bytes; not used where size is 1 */
	const struct rank_group_calls *calls;
	void *arg; /* argument of the calls */
};

/*
 * rank_group_broadcast() - copy rank 0's data, of any size, to all ranks, each of which makes this call
 *
 * A rank that waits for a short message sleeps, up to a millisecond at a time: rank 0 may be at work
 * for hours before the next command.
 */
void rank_group_broadcast(struct rank_group *g, void *data, int64_t n_bytes);

/* rank_group_share() - copy the data of rank 'from' to all ranks, each of which makes this call */
void rank_group_share(struct rank_group *g, int from, void *data, int64_t n_bytes);

/* rank_group_send() - send bytes to a rank, which calls rank_group_receive() for as many */
void rank_group_send(struct rank_group *g, int to, const void *data, int64_t n_bytes);

/* rank_group_receive() - receive bytes from a rank; sleeps until they are there */
void rank_group_receive(struct rank_group *g, int from, void *data, int64_t n_bytes);

/* rank_group_lowest() - the least 'value' of all ranks, each of which makes this call; for all ranks */
int rank_group_lowest(struct rank_group *g, int value);
