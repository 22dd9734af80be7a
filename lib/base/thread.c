/*
 * thread.c - parallel loops and ordered pipelines over POSIX threads
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"

int thread_clamp_count(int n)
{
	return (int)int64_clamp(n, 1, THREAD_MAX);
}

int thread_default_count(void)
{
	cpu_set_t set;

	return thread_clamp_count(sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) :
										 1);
}

/* Run body(arg) on n threads, the caller's among them; fewer if no more can be had. */
static void run_threads(int n, void *(*body)(void *), void *const *args)
{
	pthread_t thread[THREAD_MAX];
	int started = 0;

	while (started < n - 1 && started < THREAD_MAX &&
	       pthread_create(&thread[started], NULL, body, args[started + 1]) == 0)
		started++;
	body(args[0]);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

struct parallel_loop {
	atomic_llong next;
	int64_t n;
	void (*task)(void *arg, int64_t i, int thread);
	void *arg;
};

struct loop_thread {
	struct parallel_loop *loop;
	int number;
};

static void *loop_thread(void *arg)
{
	struct loop_thread *thread = arg;
	struct parallel_loop *loop = thread->loop;
	int64_t i;

	while ((i = atomic_fetch_add(&loop->next, 1)) < loop->n)
		loop->task(loop->arg, i, thread->number);
	return NULL;
}

void thread_parallel_for(int n_threads, int64_t n, void (*task)(void *arg, int64_t i, int thread),
			 void *arg)
{
	struct parallel_loop loop = { .n = n, .task = task, .arg = arg };
	struct loop_thread threads[THREAD_MAX];
	void *args[THREAD_MAX];

	n_threads = thread_clamp_count((int)int64_min(n, n_threads));
	for (int i = 0; i < n_threads; i++) {
		threads[i] = (struct loop_thread){ &loop, i };
		args[i] = &threads[i];
	}
	run_threads(n_threads, loop_thread, args);
}

struct ordered_loop {
	int (*task)(void *arg, int64_t i, struct error *err);
	void (*deliver)(void *arg, int64_t i);
	void *arg;
	int64_t n;
	pthread_mutex_t lock; /* guards what follows */
	bool *done;
	int64_t n_delivered;
	int64_t first_failed; /* n if none */
	struct error error;   /* its */
};

/* Has a task before 'i' failed?  A later one that has is no reason to leave this one out. */
static bool has_failed_before(struct ordered_loop *loop, int64_t i)
{
	bool failed;

	pthread_mutex_lock(&loop->lock);
	failed = loop->first_failed < i;
	pthread_mutex_unlock(&loop->lock);
	return failed;
}

static void note_failure(struct ordered_loop *loop, int64_t i, const struct error *err)
{
	if (i > loop->first_failed)
		return;
	loop->first_failed = i;
	loop->error = *err;
}

static void ordered_task(void *arg, int64_t i, int thread)
{
	struct ordered_loop *loop = arg;
	struct error err = { 0 };
	int ret;

	(void)thread;
	if (has_failed_before(loop, i))
		return;
	ret = loop->task(loop->arg, i, &err);
	pthread_mutex_lock(&loop->lock);
	loop->done[i] = ret == 0;
	if (ret < 0)
		note_failure(loop, i, &err);
	while (loop->n_delivered < loop->n && loop->done[loop->n_delivered])
		loop->deliver(loop->arg, loop->n_delivered++);
	pthread_mutex_unlock(&loop->lock);
}

int thread_ordered_for(int n_threads, int64_t n,
		       int (*task)(void *arg, int64_t i, struct error *err),
		       void (*deliver)(void *arg, int64_t i), void *arg, struct error *err)
{
	struct ordered_loop loop = { .task = task,
				     .deliver = deliver,
				     .arg = arg,
				     .n = n,
				     .done = mem_zeroed(n, sizeof(bool), err),
				     .first_failed = n };

	if (!loop.done)
		return -1;
	pthread_mutex_init(&loop.lock, NULL);
	thread_parallel_for(n_threads, n, ordered_task, &loop);
	pthread_mutex_destroy(&loop.lock);
	free(loop.done);
	if (loop.first_failed == n)
		return 0;
	return error_set(err, loop.error.code, "%s", loop.error.text);
}

/* Looks at the next loop before a thread goes to sleep: some 0.25 ms. */
#define TEAM_LOOKS 10000

struct team_thread {
	struct thread_team *team;
	int number;
};

struct thread_team {
	int n_started;
	pthread_t thread[THREAD_MAX];
	struct team_thread start[THREAD_MAX];
	struct parallel_loop loop;
	atomic_llong turn;   /* odd while a loop is open to all */
	atomic_int n_inside; /* threads in the loop, or about to look whether it is open */
	atomic_int n_asleep;
	atomic_bool stopped;
	pthread_mutex_t lock;
	pthread_cond_t wake;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* The next odd turn after 'seen', or -1 when the team is stopped. */
static long long wait_for_turn_after(struct thread_team *team, long long seen)
{
	long long turn;

	for (int look = 0; look < TEAM_LOOKS; look++) {
		turn = atomic_load(&team->turn);
		if (atomic_load(&team->stopped))
			return -1;
		if (turn > seen && turn % 2)
			return turn;
		relax();
	}
	pthread_mutex_lock(&team->lock);
	atomic_fetch_add(&team->n_asleep, 1);
	while (turn = atomic_load(&team->turn),
	       !atomic_load(&team->stopped) && !(turn > seen && turn % 2))
		pthread_cond_wait(&team->wake, &team->lock);
	atomic_fetch_sub(&team->n_asleep, 1);
	pthread_mutex_unlock(&team->lock);
	return atomic_load(&team->stopped) ? -1 : turn;
}

static void *team_thread(void *arg)
{
	const struct team_thread *self = arg;
	struct thread_team *team = self->team;
	long long turn = 0;

	while ((turn = wait_for_turn_after(team, turn)) > 0) {
		struct loop_thread thread = { &team->loop, self->number };

		/* the loop is closed first and n_inside read then: one of us sees the other */
		atomic_fetch_add(&team->n_inside, 1);
		if (atomic_load(&team->turn) == turn)
			loop_thread(&thread);
		atomic_fetch_sub(&team->n_inside, 1);
	}
	return NULL;
}

static void wake_team(struct thread_team *team)
{
	pthread_mutex_lock(&team->lock);
	pthread_cond_broadcast(&team->wake);
	pthread_mutex_unlock(&team->lock);
}

struct thread_team *thread_team_start(int n_threads, struct error *err)
{
	struct thread_team *team;

	n_threads = thread_clamp_count(n_threads);
	if (n_threads == 1)
		return NULL;
	team = mem_zeroed(1, sizeof(*team), err);
	if (!team)
		return NULL;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->wake, NULL);
	while (team->n_started < n_threads - 1) {
		int k = team->n_started;

		team->start[k] = (struct team_thread){ team, k + 1 };
		if (pthread_create(&team->thread[k], NULL, team_thread, &team->start[k]) != 0)
			break;
		team->n_started++;
	}
	return team;
}

void thread_team_for(struct thread_team *team, int64_t n,
		     void (*task)(void *arg, int64_t i, int thread), void *arg)
{
	struct loop_thread self;

	if (!team || n < 2) {
		for (int64_t i = 0; i < n; i++)
			task(arg, i, 0);
		return;
	}
	self = (struct loop_thread){ &team->loop, 0 };
	atomic_store(&team->loop.next, 0);
	team->loop.n = n;
	team->loop.task = task;
	team->loop.arg = arg;
	atomic_fetch_add(&team->turn, 1);
	if (atomic_load(&team->n_asleep) > 0)
		wake_team(team);
	loop_thread(&self);
	atomic_fetch_add(&team->turn, 1);
	for (int look = 0; atomic_load(&team->n_inside) > 0; look++)
		if (look < TEAM_LOOKS)
			relax();
		else
			sched_yield();
}

void thread_team_stop(struct thread_team *team)
{
	if (!team)
		return;
	atomic_store(&team->stopped, true);
	wake_team(team);
	for (int k = 0; k < team->n_started; k++)
		pthread_join(team->thread[k], NULL);
	pthread_cond_destroy(&team->wake);
	pthread_mutex_destroy(&team->lock);
	free(team);
}

struct pipeline_state {
	const struct pipeline *steps;
	pthread_mutex_t take_lock; /* held while taking */
	int64_t n_taken;	   /* under take_lock, like 'ended' */
	bool ended;
	pthread_mutex_t turn_lock; /* guards what follows */
	pthread_cond_t turn_changed;
	int64_t n_delivered; /* the piece whose turn it is */
	atomic_bool failed;
	struct error first_error;
};

struct pipeline_thread {
	struct pipeline_state *state;
	void *slot;
};

/* Returns what take said; '*sequence' numbers the piece, or the error. */
static int take_piece(struct pipeline_state *s, void *slot, int64_t *sequence, struct error *err)
{
	int got = 0;

	pthread_mutex_lock(&s->take_lock);
	if (!s->ended && !atomic_load(&s->failed)) {
		got = s->steps->take(s->steps->arg, slot, err);
		*sequence = s->n_taken++;
		s->ended = got <= 0;
	}
	pthread_mutex_unlock(&s->take_lock);
	return got;
}

static void wait_for_turn(struct pipeline_state *s, int64_t sequence)
{
	pthread_mutex_lock(&s->turn_lock);
	while (s->n_delivered != sequence)
		pthread_cond_wait(&s->turn_changed, &s->turn_lock);
	pthread_mutex_unlock(&s->turn_lock);
}

static void end_turn(struct pipeline_state *s)
{
	pthread_mutex_lock(&s->turn_lock);
	s->n_delivered++;
	pthread_cond_broadcast(&s->turn_changed);
	pthread_mutex_unlock(&s->turn_lock);
}

/* A piece's turn comes even after a failure, so that nobody waits for ever. */
static void *pipeline_thread(void *arg)
{
	struct pipeline_thread *thread = arg;
	struct pipeline_state *s = thread->state;
	const struct pipeline *steps = s->steps;
	int64_t sequence;
	int got;

	do {
		struct error err = { 0 };
		bool ok;

		got = take_piece(s, thread->slot, &sequence, &err);
		if (got == 0)
			break;
		ok = got > 0 && (!steps->work || steps->work(steps->arg, thread->slot, &err) == 0);
		wait_for_turn(s, sequence);
		if (!atomic_load(&s->failed)) {
			ok = ok && (!steps->deliver ||
				    steps->deliver(steps->arg, thread->slot, &err) == 0);
			if (!ok) {
				s->first_error = err;
				atomic_store(&s->failed, true);
			}
		}
		end_turn(s);
	} while (got > 0);
	return NULL;
}

int pipeline_run(const struct pipeline *p, void **slots, int n_threads, struct error *err)
{
	struct pipeline_state s = { .steps = p };
	struct pipeline_thread threads[THREAD_MAX];
	void *args[THREAD_MAX];

	pthread_mutex_init(&s.take_lock, NULL);
	pthread_mutex_init(&s.turn_lock, NULL);
	pthread_cond_init(&s.turn_changed, NULL);
	n_threads = thread_clamp_count(n_threads);
	for (int i = 0; i < n_threads; i++) {
		threads[i] = (struct pipeline_thread){ &s, slots[i] };
		args[i] = &threads[i];
	}
	run_threads(n_threads, pipeline_thread, args);
	pthread_cond_destroy(&s.turn_changed);
	pthread_mutex_destroy(&s.turn_lock);
	pthread_mutex_destroy(&s.take_lock);
	if (!atomic_load(&s.failed))
		return 0;
	return error_set(err, s.first_error.code, "%s", s.first_error.text);
}
