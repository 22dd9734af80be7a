/*
 * thread.h - parallel loops and ordered pipelines over POSIX threads
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_THREAD_H
#define RANDSVM_THREAD_H

#include <stdint.h>

#include "base/error.h"

#define THREAD_MAX 256

/* thread_clamp_count() - n, but at least 1 and at most THREAD_MAX */
int thread_clamp_count(int n);

/* thread_default_count() - the cores this process may use, at least 1 */
int thread_default_count(void);

/*
 * thread_parallel_for() - run task(arg, i, thread) for i = 0 .. n-1
 *
 * On up to 'n_threads' threads, the caller's among them, each with its own number
 * 0 <= thread < n_threads; returns when all are done.
 * Tasks are handed out one by one in ascending order.  If no further thread can be
 * had, the caller does the work alone, so it cannot fail.  Starting a thread takes some
 * 20 us: worth it for work of a millisecond.
 */
void thread_parallel_for(int n_threads, int64_t n, void (*task)(void *arg, int64_t i, int thread),
			 void *arg);

/*
 * thread_ordered_for() - run task(arg, i, err) for i = 0 .. n-1, and deliver(arg, i) in that order
 *
 * Tasks run as in thread_parallel_for(); deliver is called, by one thread at a time, for i as
 * soon as it and all before it are done.  Nobody waits for that, so what a task leaves must be
 * kept until then.  After a task has failed no further one is begun, and it and those after it
 * are not delivered.  Returns 0, or -1 with the error of the first that failed.
 */
int thread_ordered_for(int n_threads, int64_t n,
		       int (*task)(void *arg, int64_t i, struct error *err),
		       void (*deliver)(void *arg, int64_t i), void *arg, struct error *err);

/*
 * struct thread_team - threads kept for many short parallel loops
 *
 * Between loops they wait a quarter of a millisecond at full speed and then sleep, so that a loop
 * costs about a microsecond where the next one follows soon.  One loop at a time, from one thread.
 */
struct thread_team;

/*
 * thread_team_start() - a team of 'n_threads' threads, the caller's among them
 *
 * Fewer if no more can be had.  NULL, without error, for one thread; and NULL with ERR_MEMORY.
 */
struct thread_team *thread_team_start(int n_threads, struct error *err);

/* thread_team_for() - as thread_parallel_for(); a NULL team is the caller alone */
void thread_team_for(struct thread_team *team, int64_t n,
		     void (*task)(void *arg, int64_t i, int thread), void *arg);

/* thread_team_stop() - end its threads and free it; NULL is fine */
void thread_team_stop(struct thread_team *team);

/*
 * struct pipeline - serial in, parallel work, serial out in the same order
 *
 * Each of the threads owns one of 'slots' and repeats: take (one thread at a time)
 * fills the slot with the next piece; work (all threads at once) transforms it;
 * deliver (one at a time, in the order of taking) passes it on.  Memory is bounded by
 * the number of slots, and what is delivered does not depend on how many there are.
 */
struct pipeline {
	/* 1 if a piece was taken, 0 at the end of the input, -1 on error */
	int (*take)(void *arg, void *slot, struct error *err);
	int (*work)(void *arg, void *slot, struct error *err);
	int (*deliver)(void *arg, void *slot, struct error *err);
	void *arg;
};

/*
 * pipeline_run() - run until take says 0 or a step fails
 *
 * 'slots' has n_threads pointers.  If several steps fail, the one whose
 * piece came first is reported: a failing work or deliver stops
 * at that piece, and all pieces before it are delivered.  Returns 0 or -1.
 */
int pipeline_run(const struct pipeline *p, void **slots, int n_threads, struct error *err);

#endif
