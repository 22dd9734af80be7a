/*
 * group_mpi.c - the ranks of an MPI program as a group; the one file that knows MPI
 *
 * MPI's own waiting keeps a core busy, and most of a training the ranks wait: all but rank 0 while
 * it optimises.  So where a wait can be long the call is started (MPI_Ibcast, MPI_Irecv,
 * MPI_Isend), tested, and tested again after a sleep of an eighth of what was waited for already,
 * up to a millisecond.  Broadcasts follow an announcement, and all ranks
 * expect them: these are MPI's, which move large data faster than tests would.
 *
 * Counts are ints in MPI 3.1: longer messages go in chunks.  Errors end all ranks, as MPI does
 * unless it is told otherwise.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "group_mpi.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

/* Largest number of bytes in one message. */
#define CHUNK (1 << 28)

/* Bytes up to which a message is awaited by tests, even if it is expected at once. */
#define SHORT 4096

/* Number of tests before the first sleep: some microseconds. */
#define EARLY_TESTS 100

/* Seconds of the first sleep, and of the longest sleep. */
#define SHORTEST_SLEEP 1e-5
#define LONGEST_SLEEP 1e-3

static void sleep_after(double waited)
{
	double pause = fmin(LONGEST_SLEEP, fmax(SHORTEST_SLEEP, waited / 8));

	nanosleep(&(struct timespec){ .tv_nsec = (long)(pause * 1e9) }, NULL);
}

static void wait_for(struct rank_group *g, MPI_Request *request)
{
	double started = MPI_Wtime();
	int done = 0;

	for (int n = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done; n++)
		if (n >= EARLY_TESTS)
			sleep_after(MPI_Wtime() - started);
	g->seconds_waited += MPI_Wtime() - started;
}

static int chunk_size(int64_t n_bytes)
{
	return (int)(n_bytes < CHUNK ? n_bytes : CHUNK);
}

/* Broadcast that is awaited by tests: even a short message may be late, from a rank at work. */
static void share_asleep(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	MPI_Request request;

	MPI_Ibcast(data, (int)n_bytes, MPI_BYTE, from, MPI_COMM_WORLD, &request);
	wait_for(g, &request);
}

static void announce(struct rank_group *g, void *message, int64_t n_bytes)
{
	share_asleep(g, 0, message, n_bytes);
}

static void share(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	double started = MPI_Wtime();

	if (n_bytes <= SHORT) {
		share_asleep(g, from, data, n_bytes);
		return;
	}
	for (int64_t at = 0; at < n_bytes; at += CHUNK)
		MPI_Bcast((char *)data + at, chunk_size(n_bytes - at), MPI_BYTE, from,
			  MPI_COMM_WORLD);
	g->seconds_waited += MPI_Wtime() - started;
}

static void send(struct rank_group *g, int to, const void *data, int64_t n_bytes)
{
	MPI_Request request;

	for (int64_t at = 0; at < n_bytes; at += CHUNK) {
		MPI_Isend((const char *)data + at, chunk_size(n_bytes - at), MPI_BYTE, to, 0,
			  MPI_COMM_WORLD, &request);
		wait_for(g, &request);
	}
}

static void receive(struct rank_group *g, int from, void *data, int64_t n_bytes)
{
	MPI_Request request;

	for (int64_t at = 0; at < n_bytes; at += CHUNK) {
		MPI_Irecv((char *)data + at, chunk_size(n_bytes - at), MPI_BYTE, from, 0,
			  MPI_COMM_WORLD, &request);
		wait_for(g, &request);
	}
}

static int lowest(struct rank_group *g, int value)
{
	int least;

	(void)g;
	MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return least;
}

struct rank_group group_mpi_start(int *argc, char ***argv)
{
	static const struct rank_group_calls calls = { announce, share, send, receive, lowest };
	struct rank_group g = { .calls = &calls };
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
