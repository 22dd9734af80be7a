/*
 * thread.c - parallel loops and ordered pipelines over POSIX threads
 *
 * How this works.  Four ways to share work, each for another ratio of work to waiting:
 *
 *     parallel loop   threads are started and joined each time; tasks are numbers taken from
 *                     a counter, so a thread that meets cheap tasks takes more of them
 *     ordered loop    the same, and results are passed on in the order of the tasks
 *     team            threads are kept between loops, for loops shorter than starting a thread
 *     pipeline        reads, works and writes at once, in bounded memory
 *
 * None of them makes a result depend on the number of threads: a task writes only what belongs
 * to its number, and whatever has an order is done in it.  None fails for want of a thread: the
 * caller is one of the threads and does what the others do not.
 *
 * Team.  'turn' is odd while a loop is open and even while it is closed; each loop raises it
 * twice (1, 4).  A thread that sees an odd turn counts itself in (2) and then looks again whether
 * the loop is still open (3).  The caller closes the loop (4) and then waits until no thread
 * is counted in (5).  All four are sequentially consistent: either (2) comes before (5), and the
 * caller waits for the thread, or (4) comes before (3), and the thread leaves the loop alone.  So
 * the fields of the loop are written only while no thread reads them, without a lock.  A thread
 * that has looked for a loop TEAM_LOOKS times sleeps on a condition; it counts itself asleep
 * before its last look at 'turn' (6), and the caller raises 'turn' before it looks for sleepers
 * (7), so one of the two sees the other.
 *
 * Pipeline.  A thread takes the next piece of the input under take_lock, which also numbers the
 * pieces; works on it beside the other threads; waits until all pieces before its own have had
 * their turn; and delivers it.  It takes another one only then, so there are never more pieces
 * than threads.  A failure is kept when the turn of its piece comes, not when it happens: the
 * pieces before it have been delivered, and the first failure of the input is the one reported.
 *
 * A loop of the team on a line of time, with the numbers of the text and the value of 'turn':
 *
 *      turn         4     |  5                            |  6                        |
 *      caller       fields| opens (1), wakes (7), tasks   | closes (4), waits (5)     | fields
 *      thread             |   in (2), sees 5 (3), tasks, out
 *      late thread        |                               |   in (2), sees 6 (3), out |
 *
 * Pipeline of three pieces on two threads; d is delivered in order, w runs beside:
 *
 *      thread 0   take 0  w0......  d0  take 2  w2  d2
 *      thread 1   take 1  w1...  wait     d1  take: end
 *
 * Locks are held for a few instructions, except take_lock, which is held while a piece is read, and
 * the lock of an ordered loop, which is held while results are passed on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/control_group.h"
#include "base/interruption.h"
#include "base/mem_spill.h"
#include "base/work_counts.h"

int thread_clamp_count(int n)
{
	return (int)int64_clamp(n, 1, THREAD_MAX);
}

int thread_default_count(void)
{
	const double most =
		control_group_limit("cpu.max", CONTROL_GROUP_OF_PROCESS, CONTROL_GROUP_LIMITS);
	cpu_set_t set;
	/* there may be more processors than a set has room for */
	bool fits = sched_getaffinity(0, sizeof(set), &set) == 0;
	double n = fits ? CPU_COUNT(&set) : (double)sysconf(_SC_NPROCESSORS_ONLN);

	return thread_clamp_count((int)fmin(n, ceil(most)));
}

/*
 * Run body() of element k of an array, of 'size' bytes each, on the threads k = 0 .. n - 1, of which
 * 0 is the caller.  Where the system gives fewer threads some bodies never run: each must be able to
 * do the work of all.
 */
static void run_threads(int n, void *(*body)(void *), void *array, size_t size)
{
	pthread_t thread[THREAD_MAX];
	int started = 0;

	while (started < n - 1 && started < THREAD_MAX &&
	       pthread_create(&thread[started], NULL, body,
			      (char *)array + (size_t)(started + 1) * size) == 0)
		started++;
	body(array);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

/* A loop, shared by its threads: the counter is all that changes. */
struct parallel_loop {
	atomic_llong next; /* first task that no thread has taken */
	int64_t n;
	void (*task)(void *arg, int64_t i, int thread);
	void *arg;
	const struct interruption *scope; /* the caller's, for all threads */
	struct work_scope work;		  /* the caller's, likewise */
	const struct interruption *end;	  /* interruption that ends the loop, or NULL */
};

/* A thread of a loop, by the number that tasks are told; 0 is the caller. */
struct loop_thread {
	struct parallel_loop *loop;
	int number;
	struct thread_team *team; /* team whose loop this is, of threads that stay; else NULL */
};

/* Take tasks one by one until there are none, or the end is wanted. */
static void *loop_thread(void *arg)
{
	struct loop_thread *thread = arg;
	struct parallel_loop *loop = thread->loop;
	int64_t i;

	interruption_scope(loop->scope);
	work_begin(loop->work);
	while (!interruption_requested(loop->end) &&
	       (i = atomic_fetch_add(&loop->next, 1)) < loop->n) {
		loop->task(loop->arg, i, thread->number);
		spill_look();
	}
	return NULL;
}

static void run_loop(struct parallel_loop *loop, int n_threads)
{
	struct loop_thread threads[THREAD_MAX];

	loop->scope = interruption_of_scope();
	loop->work = work_for(WORK_OPTIMISING);
	n_threads = thread_clamp_count((int)int64_min(loop->n, n_threads));
	for (int i = 0; i < n_threads; i++)
		threads[i] = (struct loop_thread){ loop, i, NULL };
	run_threads(n_threads, loop_thread, threads, sizeof(*threads));
}

void thread_parallel_for(int n_threads, int64_t n, void (*task)(void *arg, int64_t i, int thread),
			 void *arg)
{
	struct parallel_loop loop = { .n = n, .task = task, .arg = arg };

	run_loop(&loop, n_threads);
}

int thread_interruptible_for(int n_threads, int64_t n,
			     void (*task)(void *arg, int64_t i, int thread), void *arg,
			     struct error *err)
{
	struct parallel_loop loop = {
		.n = n, .task = task, .arg = arg, .end = interruption_of_scope()
	};

	run_loop(&loop, n_threads);
	return interruption_check(err);
}

/* A loop of thread_each(), and the rooms of its threads. */
struct each_loop {
	void (*visit)(void *arg, int64_t i, void *room);
	void *arg;
	int64_t n, grain;
	char *rooms;
	size_t size;
};

static void visit_some(void *arg, int64_t task, int thread)
{
	const struct each_loop *loop = arg;
	const int64_t end = int64_min((task + 1) * loop->grain, loop->n);

	for (int64_t i = task * loop->grain; i < end; i++)
		loop->visit(loop->arg, i, loop->rooms + (size_t)thread * loop->size);
}

int thread_each(int n_threads, int64_t n, int64_t grain, size_t size,
		void (*visit)(void *arg, int64_t i, void *room), void *arg, struct error *err)
{
	struct each_loop loop = {
		.visit = visit, .arg = arg, .n = n, .grain = grain, .size = size
	};
	int ret = -1;

	n_threads = thread_clamp_count(n_threads);
	loop.rooms = mem_array(n_threads, size, err);
	if (loop.rooms)
		ret = thread_interruptible_for(n_threads, int64_blocks(n, grain), visit_some, &loop,
					       err);
	mem_free(loop.rooms);
	return ret;
}

/* An ordered loop; done[i]: task i succeeded, and may be delivered once all before it have been. */
struct ordered_loop {
	int (*task)(void *arg, int64_t i, int thread, struct error *err);
	void (*deliver)(void *arg, int64_t i);
	void *arg;
	int64_t n;
	pthread_mutex_t lock; /* guards what follows */
	bool *done;
	int64_t n_delivered;
	int64_t first_failed; /* first task that failed; n: no task failed */
	struct error error;   /* error of the task that failed */
};

/* Run task i, and deliver whatever is next in order and done. */
static void ordered_task(void *arg, int64_t i, int thread)
{
	struct ordered_loop *loop = arg;
	struct error err = { 0 };
	bool is_late;
	int ret;

	/* a failure after it is no reason to leave this one out: its own would be the one to report */
	pthread_mutex_lock(&loop->lock);
	is_late = loop->first_failed < i;
	pthread_mutex_unlock(&loop->lock);
	if (is_late)
		return;
	ret = interruption_check(&err);
	if (ret == 0)
		ret = loop->task(loop->arg, i, thread, &err);
	pthread_mutex_lock(&loop->lock);
	loop->done[i] = ret == 0;
	/* the failure of the lowest task is kept */
	if (ret < 0 && i < loop->first_failed) {
		loop->first_failed = i;
		loop->error = err;
	}
	/* whichever thread closes the gap delivers; a failed task leaves it open for good */
	for (; loop->n_delivered < loop->n && loop->done[loop->n_delivered]; loop->n_delivered++)
		if (loop->deliver)
			loop->deliver(loop->arg, loop->n_delivered);
	pthread_mutex_unlock(&loop->lock);
}

int thread_ordered_for(int n_threads, int64_t n,
		       int (*task)(void *arg, int64_t i, int thread, struct error *err),
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
	mem_free(loop.done);
	return loop.first_failed == n ? 0 : error_pass(err, &loop.error);
}

/*
 * Looks at 'turn' before a thread goes to sleep, some 0.25 ms of them.  Fewer, and passes of the
 * linear engine that follow each other at once pay for waking the threads; more, and idle threads
 * take processor time from other programs.
 */
#define TEAM_LOOKS 10000

/* A team; 'loop' is written by the caller alone, while no thread is inside. */
struct thread_team {
	int n_started;
	pthread_t thread[THREAD_MAX];
	struct loop_thread start[THREAD_MAX];
	struct parallel_loop loop;
	atomic_llong turn;   /* odd while 'loop' is open */
	atomic_int n_inside; /* threads in the loop, or about to look whether it is open */
	atomic_int n_asleep;
	atomic_bool stopped;
	pthread_mutex_t lock;
	pthread_cond_t wake;
};

/* Tell the processor that this thread only waits: the core's other thread may have its time. */
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
	atomic_fetch_add(&team->n_asleep, 1); /* (6): before the look at 'turn' below */
	while (turn = atomic_load(&team->turn),
	       !atomic_load(&team->stopped) && !(turn > seen && turn % 2))
		pthread_cond_wait(&team->wake, &team->lock);
	atomic_fetch_sub(&team->n_asleep, 1);
	pthread_mutex_unlock(&team->lock);
	return atomic_load(&team->stopped) ? -1 : turn;
}

/* A thread of the team: works in each open loop until the team is stopped. */
static void *team_thread(void *arg)
{
	struct loop_thread *self = arg;
	struct thread_team *team = self->team;
	long long turn = 0;

	while ((turn = wait_for_turn_after(team, turn)) > 0) {
		/* (2): from here on the caller waits for this thread before it changes the loop */
		atomic_fetch_add(&team->n_inside, 1);
		/* (3): is the loop still open?  Its fields then stay constant until the exit (5) */
		if (atomic_load(&team->turn) == turn)
			loop_thread(self);
		atomic_fetch_sub(&team->n_inside, 1);
	}
	return NULL;
}

/* The lock keeps this from falling between a thread's last look and its sleep. */
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

		team->start[k] = (struct loop_thread){ &team->loop, k + 1, team };
		if (pthread_create(&team->thread[k], NULL, team_thread, &team->start[k]) != 0)
			break;
		team->n_started++;
	}
	return team;
}

void thread_team_for(struct thread_team *team, int64_t n,
		     void (*task)(void *arg, int64_t i, int thread), void *arg)
{
	if (!team || n < 2) {
		for (int64_t i = 0; i < n; i++) {
			task(arg, i, 0);
			spill_look();
		}
		return;
	}
	atomic_store(&team->loop.next, 0);
	team->loop.n = n;
	team->loop.task = task;
	team->loop.arg = arg;
	team->loop.scope = interruption_of_scope();
	team->loop.work = work_for(WORK_OPTIMISING);
	atomic_fetch_add(&team->turn, 1);     /* (1): odd turn: the loop is open */
	if (atomic_load(&team->n_asleep) > 0) /* (7): wake the threads that sleep */
		wake_team(team);
	loop_thread(&(struct loop_thread){ &team->loop, 0, NULL });
	atomic_fetch_add(&team->turn, 1); /* (4): even turn: the loop is closed */
	/* (5): wait for threads inside; more threads than cores may need the caller's to end */
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
	mem_free(team);
}

/* A pipeline, shared by its threads. */
struct pipeline_state {
	const struct pipeline *steps;
	const struct interruption *scope; /* the caller's, for all threads */
	pthread_mutex_t take_lock;	  /* lock that is held while a piece is taken */
	int64_t n_taken;		  /* pieces taken; guarded by take_lock, as 'ended' is */
	bool ended;
	pthread_mutex_t turn_lock; /* lock of the fields below */
	pthread_cond_t turn_changed;
	int64_t n_delivered; /* number of the piece whose turn it is */
	atomic_bool failed;
	struct error first_error;
};

/* A thread of a pipeline, and its slot, the memory of the piece that it has taken. */
struct pipeline_thread {
	struct pipeline_state *state;
	void *slot;
};

/*
 * The next piece into 'slot'.  Returns what take() said, and 0 after the end or a failure.
 * '*sequence' numbers the pieces; an error of take() has a number as well, so that it is reported
 * after the failures of all pieces before it.
 */
static int take_piece(struct pipeline_state *s, void *slot, int64_t *sequence, struct error *err)
{
	int got = 0;

	pthread_mutex_lock(&s->take_lock);
	if (!s->ended && !atomic_load(&s->failed)) {
		got = interruption_check(err);
		if (got == 0)
			got = s->steps->take(s->steps->arg, slot, err);
		*sequence = s->n_taken++;
		s->ended = got <= 0;
	}
	pthread_mutex_unlock(&s->take_lock);
	return got;
}

/*
 * Each piece taken has its turn, also after a failure: a later piece waits for it.  'failed' is
 * set within a turn, so all pieces before the failing one are delivered and none after it.
 */
static void *pipeline_thread(void *arg)
{
	struct pipeline_thread *thread = arg;
	struct pipeline_state *s = thread->state;
	const struct pipeline *steps = s->steps;
	int64_t sequence;
	int got;

	interruption_scope(s->scope);
	do {
		struct error err = { 0 };
		bool ok;

		spill_look();
		got = take_piece(s, thread->slot, &sequence, &err);
		if (got == 0)
			break;
		ok = got > 0 && (!steps->work || steps->work(steps->arg, thread->slot, &err) == 0);
		/* wait until all pieces before this one are delivered */
		pthread_mutex_lock(&s->turn_lock);
		while (s->n_delivered != sequence)
			pthread_cond_wait(&s->turn_changed, &s->turn_lock);
		pthread_mutex_unlock(&s->turn_lock);
		if (!atomic_load(&s->failed)) {
			ok = ok && (!steps->deliver ||
				    steps->deliver(steps->arg, thread->slot, &err) == 0);
			if (!ok) {
				s->first_error = err;
				atomic_store(&s->failed, true);
			}
		}
		/* the next piece has its turn; each waiting thread compares it with its own */
		pthread_mutex_lock(&s->turn_lock);
		s->n_delivered++;
		pthread_cond_broadcast(&s->turn_changed);
		pthread_mutex_unlock(&s->turn_lock);
	} while (got > 0);
	return NULL;
}

int pipeline_run(const struct pipeline *p, void *slots, size_t slot_size, int n_threads,
		 struct error *err)
{
	struct pipeline_state s = { .steps = p, .scope = interruption_of_scope() };
	struct pipeline_thread threads[THREAD_MAX];

	pthread_mutex_init(&s.take_lock, NULL);
	pthread_mutex_init(&s.turn_lock, NULL);
	pthread_cond_init(&s.turn_changed, NULL);
	n_threads = thread_clamp_count(n_threads);
	for (int i = 0; i < n_threads; i++)
		threads[i] = (struct pipeline_thread){ &s, (char *)slots + (size_t)i * slot_size };
	run_threads(n_threads, pipeline_thread, threads, sizeof(*threads));
	pthread_cond_destroy(&s.turn_changed);
	pthread_mutex_destroy(&s.turn_lock);
	pthread_mutex_destroy(&s.take_lock);
	return atomic_load(&s.failed) ? error_pass(err, &s.first_error) : 0;
}
