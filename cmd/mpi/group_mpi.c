/*
 * group_mpi.c - the ranks of an MPI program as a group; the one file that knows MPI
 *
 * MPI's own waiting keeps a core busy, and most of a training the ranks wait: all but rank 0 while
 * it optimises.  So where a wait can be long the call is started (MPI_Ibcast, MPI_Irecv,
 * MPI_Isend), tested, and tested again after a sleep of an eighth of what was waited for already,
 * up to a millisecond.  Data move during MPI's calls alone, large ones so at a tenth of the speed: a long
 * message is awaited by its head, and the rest of it, as long broadcasts, which follow a short one, by
 * MPI's own waiting.  Errors end all ranks, as MPI does unless it
 * is told otherwise.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "group_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Most bytes in one message: counts are ints in MPI 3.1. */
#define LONGEST (1 << 28)

/* Bytes up to which a message is awaited by tests, even if it is expected at once. */
#define SHORT 4096

/* Number of tests before the first sleep: some microseconds. */
#define EARLY_TESTS 100

/* Seconds of the first sleep, and of the longest sleep. */
#define SHORTEST_SLEEP 1e-5
#define LONGEST_SLEEP 1e-3

static void wait_for(MPI_Request *request)
{
	double started = MPI_Wtime(), pause;
	int done = 0;

	for (int n = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done; n++) {
		pause = fmin(LONGEST_SLEEP, fmax(SHORTEST_SLEEP, (MPI_Wtime() - started) / 8));
		if (n >= EARLY_TESTS)
			nanosleep(&(struct timespec){ .tv_nsec = (long)(pause * 1e9) }, NULL);
	}
}

/* Even a short message may be late, from a rank at work. */
static void share(struct rank_group *g UNUSED, int from, void *data, int n_bytes)
{
	MPI_Request request;

	if (n_bytes > SHORT) {
		MPI_Bcast(data, n_bytes, MPI_BYTE, from, MPI_COMM_WORLD);
		return;
	}
	MPI_Ibcast(data, n_bytes, MPI_BYTE, from, MPI_COMM_WORLD, &request);
	wait_for(&request);
}

/* The head of a long message ends when the other rank has it (MPI_Issend): then both are there. */
static void send(struct rank_group *g UNUSED, int to, void *data, int n_bytes)
{
	const int head = n_bytes < SHORT ? n_bytes : SHORT;
	MPI_Request request;

	(n_bytes > head ? MPI_Issend : MPI_Isend)(data, head, MPI_BYTE, to, 0, MPI_COMM_WORLD,
						  &request);
	wait_for(&request);
	if (n_bytes > head)
		MPI_Send((char *)data + head, n_bytes - head, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void receive(struct rank_group *g UNUSED, int from, void *data, int n_bytes)
{
	const int head = n_bytes < SHORT ? n_bytes : SHORT;
	MPI_Request request;

	MPI_Irecv(data, head, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request);
	wait_for(&request);
	if (n_bytes > head)
		MPI_Recv((char *)data + head, n_bytes - head, MPI_BYTE, from, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

struct rank_group group_mpi_start(int *argc, char ***argv)
{
	static const struct rank_group_calls calls = { share, send, receive };
	struct rank_group g = { .calls = &calls, .most = LONGEST };
	MPI_Comm node;
	sigset_t all, before;
	int provided;

	/* signals are for the program's own threads: they are blocked in those of MPI */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	g.one_thread = provided < MPI_THREAD_SERIALIZED;
	MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &g.size);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &g.size_on_node);
	MPI_Comm_free(&node);
	return g;
}

void group_mpi_end(void)
{
	MPI_Finalize();
}
