/*
 * progress.c - how far the work is, on standard error
 *
 * On a terminal it is one line: "\r" takes the cursor to its start and "\033[K" wipes it to its
 * end, so each text replaces the one before.  In a file, which people read afterwards, it is a line
 * every few seconds.  Nothing is printed in the first half second: short work leaves no trace.
 * Each call reads the clock, so the functions are to be called for a batch of rows or a round of
 * training, not for a row.
 *
 * Some work cannot say how far it is: a decomposition of a matrix is one call of the BLAS.  So a
 * thread of its own, which sleeps nearly always, shows the seconds where no text has come for a
 * while (tick()).  It exists only where progress is shown, and lasts until the process ends.  The
 * lock keeps it from what the other functions change.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

/* Seconds before the first text, between two texts on a terminal, between two lines of a file. */
#define FIRST_AFTER 0.5
#define EVERY 0.1
#define EVERY_LINE 5

/* Seconds without a text after which a terminal shows the time; for a file see EVERY_LINE. */
#define SILENCE 1

/* The work in progress in this process. */
static struct cli_progress *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_ticker;

static void begin_text(const struct cli_progress *p)
{
	if (p->terminal)
		fprintf(stderr, "\r\033[K%s: ", p->what);
	else
		fprintf(stderr, "%s: %s: ", cli_program_name(), p->what);
}

static void end_text(const struct cli_progress *p)
{
	if (!p->terminal)
		fputc('\n', stderr);
	fflush(stderr);
}

/* Show the last text once more, with the seconds since the start. */
static void tick(struct cli_progress *p)
{
	double now = cli_seconds(), silent = now - fmax(p->started, fmax(p->printed, p->ticked));

	if (silent < (p->terminal ? SILENCE : EVERY_LINE))
		return;
	p->ticked = now;
	begin_text(p);
	fprintf(stderr, "%s%s%.0f s", p->text, *p->text ? ", " : "", now - p->started);
	end_text(p);
}

static void *tick_for_ever(void *arg)
{
	const struct timespec pause = { .tv_nsec = 250 * 1000 * 1000 };

	(void)arg;
	for (;;) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		if (current)
			tick(current);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* Start the ticker without signals, which the main thread handles; without it only texts appear. */
static void start_ticker(void)
{
	sigset_t all, before;
	pthread_t ticker;

	if (has_ticker)
		return;
	has_ticker = true;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&ticker, NULL, tick_for_ever, NULL) == 0)
		pthread_detach(ticker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet)
{
	bool terminal = isatty(STDERR_FILENO);

	pthread_mutex_lock(&lock);
	*p = (struct cli_progress){ .shown = !quiet && (force || terminal),
				    .terminal = terminal,
				    .what = what,
				    .started = cli_seconds() };
	if (p->shown) {
		current = p;
		start_ticker();
	}
	pthread_mutex_unlock(&lock);
}

static bool progress_is_due(struct cli_progress *p)
{
	double now = cli_seconds();

	if (now - p->started < FIRST_AFTER || now - p->printed < (p->terminal ? EVERY : EVERY_LINE))
		return false;
	p->printed = now;
	return true;
}

void cli_progress_text(struct cli_progress *p, const char *format, ...)
{
	va_list args;

	if (!p->shown)
		return;
	pthread_mutex_lock(&lock);
	va_start(args, format);
	vsnprintf(p->text, sizeof(p->text), format, args);
	va_end(args);
	if (progress_is_due(p)) {
		begin_text(p);
		fputs(p->text, stderr);
		end_text(p);
	}
	pthread_mutex_unlock(&lock);
}

void cli_progress_bytes(void *arg, int64_t taken, int64_t total)
{
	struct cli_progress *p = arg;
	double rate;

	if (!p->shown)
		return;
	rate = (double)taken / fmax(cli_seconds() - p->started, 1e-6);
	if (total > 0 && taken <= total)
		cli_progress_text(p, "%3.0f%%, %.0f MB/s, %.0f s left",
				  100.0 * (double)taken / (double)total, rate / 1e6,
				  rate > 0 ? (double)(total - taken) / rate : 0);
	else
		cli_progress_text(p, "%.0f MB, %.0f MB/s", (double)taken / 1e6, rate / 1e6);
}

/* Wipe the line on a terminal. */
static void wipe(const struct cli_progress *p)
{
	if (p->shown && p->terminal && (p->printed > 0 || p->ticked > 0))
		fputs("\r\033[K", stderr);
}

void cli_progress_pause(struct cli_progress *p)
{
	pthread_mutex_lock(&lock);
	wipe(p);
	pthread_mutex_unlock(&lock);
}

void cli_progress_end(struct cli_progress *p)
{
	pthread_mutex_lock(&lock);
	wipe(p);
	p->shown = false;
	if (current == p)
		current = NULL;
	pthread_mutex_unlock(&lock);
}
