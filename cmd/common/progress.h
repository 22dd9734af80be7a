/*
 * progress.h - how far the work is, on standard error
 *
 *     struct cli_progress p;
 *
 *     cli_progress_start(&p, "reading", force, quiet);
 *     dataset_read(..., &(struct progress_observer){ cli_progress_bytes, &p }, ...);
 *                                                          "reading: 40%, 210 MB/s, 3 s left"
 *     cli_progress_end(&p);                                the line is wiped
 *
 * On a terminal the line appears after half a second and is rewritten ten times a second.  Where
 * standard error is no terminal nothing is shown unless it is forced; then there is a line of its
 * own after half a second, and another one every five seconds.
 *
 * Work that says nothing for a while, or nothing at all, shows its seconds, as "certifying: 12 s":
 * on a terminal each second, elsewhere every five.  There is one such work at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* State of a progress display; a zeroed struct shows no progress. */
struct cli_progress {
	bool shown, terminal;
	const char *what; /* name of the work, such as "reading" */
	double started;	  /* time of the start, by cli_seconds() */
	/* times of the last text and of the last line of seconds; 0: none so far */
	double printed, ticked;
	char text[96]; /* text shown last */
};

/*
 * cli_progress_start() - 'force' shows it where standard error is no terminal, 'quiet' nowhere
 *
 * The struct must stay where it is until cli_progress_end().
 */
void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet);

/* cli_progress_bytes() - 'taken' of 'total' bytes (< 0: unknown) are done; 'arg' is the struct */
void cli_progress_bytes(void *arg, int64_t taken, int64_t total);

/* cli_progress_text() - show a text of the caller */
void cli_progress_text(struct cli_progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* cli_progress_pause() - wipe the line before a line of the caller; the next text shows it again */
void cli_progress_pause(struct cli_progress *p);

/* cli_progress_end() - wipe the line of progress */
void cli_progress_end(struct cli_progress *p);
