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

int thread_clamp_count(int n)
{
	return n < 1 ? 1 : n > THREAD_MAX ? THREAD_MAX : n;
}

int thread_default_count(void)
{
	cpu_set_t set;

	return thread_clamp_count(sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1);
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

void thread_parallel_for(int n_threads, int64_t n,
			 void (*task)(void *arg, int64_t i, int thread), void *arg)
{
	struct parallel_loop loop = { .n = n, .task = task, .arg = arg };
	struct loop_thread threads[THREAD_MAX];
	void *args[THREAD_MAX];

	n_threads = thread_clamp_count(n < n_threads ? (int)n : n_threads);
	for (int i = 0; i < n_threads; i++) {
		threads[i] = (struct loop_thread){ &loop, i };
		args[i] = &threads[i];
	}
	run_threads(n_threads, loop_thread, args);
}

struct pipeline_state {
	const struct pipeline *steps;
	pthread_mutex_t take_lock;	/* held while taking */
	int64_t n_taken;		/* under take_lock, like 'ended' */
	bool ended;
	pthread_mutex_t turn_lock;	/* guards what follows */
	pthread_cond_t turn_changed;
	int64_t n_delivered;		/* the piece whose turn it is */
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
