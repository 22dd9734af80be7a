/*
 * test_progress.c - what work shows of itself on a terminal and in a file
 *
 * Standard error is a terminal of this test's own, or a file.  The times are those of run.c: a
 * text after half a second, the seconds of silent work after one (in a file five, so not here).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../cmd/common/run.h"
#include "unit.h"

static int kept; /* standard error, as it was */
static char seen[4096];

static void pause_for(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds,
			      .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };

	nanosleep(&t, NULL);
}

static void give_up(const char *what)
{
	fprintf(stderr, "test_progress: %s\n", what);
	exit(1);
}

/* Standard error becomes a terminal; returns the side that reads what is written there. */
static int open_terminal(void)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY), theirs;

	if (ours < 0 || grantpt(ours) < 0 || unlockpt(ours) < 0)
		give_up("no terminal to be had");
	theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
	if (theirs < 0 || fcntl(ours, F_SETFL, O_NONBLOCK) < 0)
		give_up("no terminal to be had");
	dup2(theirs, STDERR_FILENO);
	close(theirs);
	return ours;
}

/* What has been written since the last call, into 'seen'; a terminal hands it on in pieces. */
static void look(int terminal)
{
	struct pollfd more = { .fd = terminal, .events = POLLIN };
	size_t size = 0;
	ssize_t n;

	while ((n = read(terminal, seen + size, sizeof(seen) - 1 - size)) > 0) {
		size += (size_t)n;
		poll(&more, 1, 200);
	}
	seen[size] = '\0';
}

static void end_terminal(int terminal)
{
	dup2(kept, STDERR_FILENO);
	close(terminal);
}

static void test_silent_work(void)
{
	int terminal = open_terminal();
	struct cli_progress p;

	cli_progress_start(&p, "certifying", false, false);
	pause_for(0.4);
	look(terminal);
	CHECK(!*seen, "at once: %s", seen);
	pause_for(1.2);
	look(terminal);
	CHECK(strstr(seen, "\r\033[Kcertifying: 1 s"), "seconds: %s", seen);
	cli_progress_end(&p);
	look(terminal);
	CHECK(strcmp(seen, "\r\033[K") == 0, "the line is not wiped: %s", seen);
	pause_for(1.4);
	look(terminal);
	CHECK(!*seen, "after the end: %s", seen);
	end_terminal(terminal);
}

static void test_slow_texts(void)
{
	int terminal = open_terminal();
	struct cli_progress p;

	cli_progress_start(&p, "training", false, false);
	cli_progress_text(&p, "round %d", 1);
	look(terminal);
	CHECK(!*seen, "at once: %s", seen);
	pause_for(0.6);
	cli_progress_text(&p, "round %d", 2);
	look(terminal);
	CHECK(strcmp(seen, "\r\033[Ktraining: round 2") == 0, "%s", seen);
	pause_for(1.6);
	look(terminal);
	CHECK(strstr(seen, "\r\033[Ktraining: round 2, 2 s") ||
		      strstr(seen, "\r\033[Ktraining: round 2, 1 s"),
	      "a text and the seconds: %s", seen);
	cli_progress_end(&p);
	end_terminal(terminal);
}

/* Where nothing is to be shown, nothing is. */
static void test_quiet(void)
{
	int terminal = open_terminal();
	struct cli_progress p = { 0 };

	cli_progress_text(&p, "not started");
	cli_progress_start(&p, "training", true, true);
	pause_for(1.4);
	cli_progress_text(&p, "round %d", 1);
	cli_progress_end(&p);
	look(terminal);
	CHECK(!*seen, "quiet: %s", seen);
	end_terminal(terminal);
}

int main(void)
{
	char name[] = "test_progress", *arguments[] = { name, NULL };

	cli_set_up(name, arguments, NULL);
	kept = dup(STDERR_FILENO);
	test_silent_work();
	test_slow_texts();
	test_quiet();
	return unit_report("progress");
}
