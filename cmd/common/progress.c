/*
 * progress.c - one line on standard error that tells how far the work is
 *
 * "\r" takes the cursor to the start of the line and "\033[K" wipes it to the end, so each text
 * replaces the one before.  Nothing is printed in the first half second: short work leaves no
 * trace.  Each call reads the clock, so the functions are to be called for a batch of rows or a
 * round of training, not for a row.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "process.h"

void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet)
{
	*p = (struct cli_progress){ .shown = !quiet && (force || isatty(STDERR_FILENO)),
				    .what = what,
				    .started = cli_seconds() };
}

static bool progress_is_due(struct cli_progress *p)
{
	double now = cli_seconds();

	/* nothing for short work, then ten times a second, as fast as can be read */
	if (!p->shown || now - p->started < 0.5 || now - p->printed < 0.1)
		return false;
	p->printed = now;
	return true;
}

void cli_progress_bytes(void *arg, int64_t taken, int64_t total)
{
	struct cli_progress *p = arg;
	double seconds, rate;

	if (!progress_is_due(p))
		return;
	seconds = p->printed - p->started;
	rate = (double)taken / seconds;
	if (total > 0 && taken <= total)
		fprintf(stderr, "\r\033[K%s: %3.0f%%, %.0f MB/s, %.0f s left", p->what,
			100.0 * (double)taken / (double)total, rate / 1e6,
			(double)(total - taken) / rate);
	else
		fprintf(stderr, "\r\033[K%s: %.0f MB, %.0f MB/s", p->what, (double)taken / 1e6,
			rate / 1e6);
	fflush(stderr);
}

void cli_progress_text(struct cli_progress *p, const char *format, ...)
{
	va_list args;

	if (!progress_is_due(p))
		return;
	fprintf(stderr, "\r\033[K%s: ", p->what);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->shown && p->printed > 0)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
