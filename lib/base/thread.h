/*
 * thread.h - parallel loops and ordered pipelines over POSIX threads
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

#define THREAD_MAX 256

/* thread_clamp_count() - n, but at least 1 and at most THREAD_MAX */
int thread_clamp_count(int n);

/*
 * thread_default_count() - the cores this process may use, at least 1: by its affinity, and the time
 * that its control group, such as a container, gets of them
 */
int thread_default_count(void);

/*
 * thread_parallel_for() - run task(arg, i, thread) for i = 0 .. n-1
 *
 * On up to 'n_threads' threads, the caller's among them, each with its own number
 * 0 <= thread < n_threads; returns when all tasks are done.  Tasks are handed out one by one in
 * ascending order.  It cannot fail: where the system gives no further thread the caller does the
 * work alone.  Starting a thread takes 20 to 60 us, which pays for loops of a millisecond.
 */
void thread_parallel_for(int n_threads, int64_t n, void (*task)(void *arg, int64_t i, int thread),
			 void *arg);

/*
 * thread_interruptible_for() - thread_parallel_for(), until the caller's scope is interrupted
 *
 * The interruption (interruption.h) is asked before each task.  Returns 0, or -1 with
 * ERR_INTERRUPTED; tasks may then not have run.
 */
int thread_interruptible_for(int n_threads, int64_t n,
			     void (*task)(void *arg, int64_t i, int thread), void *arg,
			     struct error *err);

/*
 * thread_each() - visit(arg, i, room) for i = 0 .. n-1, in tasks of 'grain' consecutive i
 *
 * 'room' is 'size' bytes of the thread's own, undefined at first; 'size' may be 0.  Tasks run, and
 * are interrupted, as in thread_interruptible_for().  -1 also with ERR_MEMORY.
 */
int thread_each(int n_threads, int64_t n, int64_t grain, size_t size,
		void (*visit)(void *arg, int64_t i, void *room), void *arg, struct error *err);

/*
 * thread_ordered_for() - run task(arg, i, thread, err) for i = 0 .. n-1, and deliver(arg, i) in
 * order
 *
 * Tasks run as in thread_parallel_for().  deliver(), which may be NULL, is called by one thread at
 * a time, for task i as soon as it and all tasks before it are done.  Threads do not wait for that
 * but begin the next task, so the caller keeps the results of up to n tasks until they are
 * delivered. After a task has failed no later one is begun, and neither it nor a later one is
 * delivered. Returns 0, or -1 with the error of the lowest i that failed, or ERR_MEMORY; or with
 * ERR_INTERRUPTED, which is asked before each task (interruption.h).
 */
int thread_ordered_for(int n_threads, int64_t n,
		       int (*task)(void *arg, int64_t i, int thread, struct error *err),
		       void (*deliver)(void *arg, int64_t i), void *arg, struct error *err);

/*
 * struct thread_team - threads kept for many short parallel loops
 *
 * Between loops the threads look for the next one for a quarter of a millisecond, at full speed,
 * and then sleep: a loop costs about a microsecond if it follows the last one soon.  One loop at a
 * time, from the thread that started the team.
 */
struct thread_team;

/*
 * thread_team_start() - a team of 'n_threads' threads, the caller's among them
 *
 * The team is smaller where the system gives fewer threads.  NULL without an error for one thread;
 * NULL with ERR_MEMORY on failure.
 */
struct thread_team *thread_team_start(int n_threads, struct error *err);

/* thread_team_for() - thread_parallel_for() on the team's threads; NULL: on the caller alone */
void thread_team_for(struct thread_team *team, int64_t n,
		     void (*task)(void *arg, int64_t i, int thread), void *arg);

/* thread_team_stop() - end the team's threads and free it; NULL is fine */
void thread_team_stop(struct thread_team *team);

/*
 * struct pipeline - serial in, parallel work, serial out in the same order
 *
 * Each thread owns one slot and repeats: take() (one thread at a time) fills the slot with the
 * next piece; work() (all threads at once) transforms it; deliver() (one thread at a time, in the
 * order of taking) passes it on.  Memory is bounded by the number of slots, and what is delivered
 * does not depend on how many there are.  work and deliver may be NULL.
 */
struct pipeline {
	/* returns 1 if a piece was taken, 0 at the end of the input, -1 on error */
	int (*take)(void *arg, void *slot, struct error *err);
	int (*work)(void *arg, void *slot, struct error *err);
	int (*deliver)(void *arg, void *slot, struct error *err);
	void *arg;
};

/*
 * pipeline_run() - run until take() returns 0 or a step fails
 *
 * 'slots' is an array of n_threads slots, at most THREAD_MAX, of slot_size bytes each.  Pieces before the first one that fails are
 * delivered, later ones are not.  Returns 0, or -1 with the error of that first piece; or with
 * ERR_INTERRUPTED, which is asked before each piece (interruption.h).
 */
int pipeline_run(const struct pipeline *p, void *slots, size_t slot_size, int n_threads,
		 struct error *err);
