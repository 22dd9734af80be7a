/*
 * progress.c - how far the work is, on standard error
 *
 * On a terminal it is one line: "\r" takes the cursor to its start and "\033[K" wipes it to its
 * end, so each text replaces the one before.  In a file, which people read afterwards, it is a line
 * every few seconds.  Nothing is printed in the first half second: short work leaves no trace.
 * Each call reads the clock, so the functions are to be called for a batch of rows or a round of
 * training, not for a row.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "process.h"

/* Seconds before the first text, between two on a terminal, and between two lines of a file. */
#define FIRST_AFTER 0.5
#define EVERY 0.1
#define EVERY_LINE 5

void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet)
{
	bool terminal = isatty(STDERR_FILENO);

	*p = (struct cli_progress){ .shown = !quiet && (force || terminal),
				    .terminal = terminal,
				    .what = what,
				    .started = cli_seconds() };
}

static bool progress_is_due(struct cli_progress *p)
{
	double now = cli_seconds();

	if (!p->shown || now - p->started < FIRST_AFTER ||
	    now - p->printed < (p->terminal ? EVERY : EVERY_LINE))
		return false;
	p->printed = now;
	return true;
}

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

void cli_progress_bytes(void *arg, int64_t taken, int64_t total)
{
	struct cli_progress *p = arg;
	double seconds, rate;

	if (!progress_is_due(p))
		return;
	seconds = p->printed - p->started;
	rate = (double)taken / seconds;
	begin_text(p);
	if (total > 0 && taken <= total)
		fprintf(stderr, "%3.0f%%, %.0f MB/s, %.0f s left",
			100.0 * (double)taken / (double)total, rate / 1e6,
			(double)(total - taken) / rate);
	else
		fprintf(stderr, "%.0f MB, %.0f MB/s", (double)taken / 1e6, rate / 1e6);
	end_text(p);
}

void cli_progress_text(struct cli_progress *p, const char *format, ...)
{
	va_list args;

	if (!progress_is_due(p))
		return;
	begin_text(p);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	end_text(p);
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->shown && p->terminal && p->printed > 0)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
