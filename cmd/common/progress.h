/*
 * progress.h - one line on standard error that tells how far the work is
 *
 *     struct cli_progress p;
 *
 *     cli_progress_start(&p, "reading", force, quiet);
 *     dataset_read(..., &(struct progress_observer){ cli_progress_bytes, &p }, ...);
 *                                                          "reading: 40%, 210 MB/s, 3 s left"
 *     cli_progress_end(&p);                                the line is wiped
 *
 * The line appears after half a second, is rewritten ten times a second, and is shown only on a
 * terminal unless it is forced.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROGRESS_H
#define RANDSVM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed struct shows nothing. */
struct cli_progress {
	bool shown;
	const char *what;	 /* "reading" */
	double started, printed; /* cli_seconds(); printed == 0: no line so far */
};

/* cli_progress_start() - 'force' shows it where standard error is no terminal, 'quiet' nowhere */
void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet);

/* cli_progress_bytes() - 'taken' of 'total' bytes (< 0: unknown) are done; 'arg' is the struct */
void cli_progress_bytes(void *arg, int64_t taken, int64_t total);

/* cli_progress_text() - show the caller's own text */
void cli_progress_text(struct cli_progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* cli_progress_end() - wipe the line */
void cli_progress_end(struct cli_progress *p);

#endif
