/*
 * group.h - processes that work on one training: rank 0, which leads, and those that serve it
 *
 *     rank 0                        ranks 1, 2, ...
 *     group_announce()      -->     group_announce()     a command, which ranks await asleep
 *     group_broadcast()     -->     group_broadcast()    what it needs, the same for all
 *     group_send()          -->     group_receive()      what one of them needs
 *     group_receive()       <--     group_send()         its answer
 *
 * A group of one process has nobody to talk to: announcements and broadcasts do nothing.  What
 * carries the bytes is behind struct group_calls: MPI in cmd/mpi/group_mpi.c, pipes between threads
 * in the unit test.  Nothing fails here: a rank that is lost ends all of them, which MPI sees to.
 * All ranks run the same binary on the same kind of machine, so that structs are sent as they are.
 * Calls come from one thread of a process, the one that started the group.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_GROUP_H
#define RANDSVM_GROUP_H

#include <stdint.h>

struct group;

/* Functions that carry bytes to other ranks; the first argument of each is the group. */
struct group_calls {
	void (*announce)(struct group *g, void *message, int64_t n_bytes);
	void (*broadcast)(struct group *g, void *data, int64_t n_bytes);
	void (*send)(struct group *g, int to, const void *data, int64_t n_bytes);
	void (*receive)(struct group *g, int from, void *data, int64_t n_bytes);
	int (*lowest)(struct group *g, int value);
};

/* A group of processes, numbered as ranks.  Its pointers are borrowed. */
struct group {
	int rank, size;	       /* number of this rank, and number of ranks: 0 <= rank < size */
	int size_on_node;      /* number of ranks on this machine, at least 1 */
	double seconds_waited; /* seconds that this rank has waited in the calls declared below */
	int64_t bytes_sent, bytes_received;
	const struct group_calls *calls; /* functions that carry bytes; not used where size is 1 */
	void *arg;			 /* argument of the calls */
};

/* group_alone() - the group of a process by itself */
struct group group_alone(void);

/*
 * group_announce() - rank 0's message of n_bytes to all ranks, which call this too
 *
 * A rank that waits for it sleeps, up to a millisecond at a time: rank 0 may be at work for hours.
 */
void group_announce(struct group *g, void *message, int64_t n_bytes);

/* group_broadcast() - copy rank 0's data to all ranks, each of which makes this call */
void group_broadcast(struct group *g, void *data, int64_t n_bytes);

/* group_send() - send bytes to a rank, which calls group_receive() for as many */
void group_send(struct group *g, int to, const void *data, int64_t n_bytes);

/* group_receive() - receive bytes from a rank; sleeps until they are there */
void group_receive(struct group *g, int from, void *data, int64_t n_bytes);

/* group_lowest() - the least 'value' of all ranks, each of which makes this call; for all ranks */
int group_lowest(struct group *g, int value);

#endif
