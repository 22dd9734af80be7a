/*
 * unit.h - what a test of one module needs
 *
 *     int main(void)
 *     {
 *             test_empty_matrix();
 *             test_transpose_twice();
 *             return unit_report("csr");
 *     }
 *
 * A check is a CHECK in the source: one that runs a million times counts once, and fails
 * if it ever did.  Threads may check at the same time.  A test runs in an empty folder of its own,
 * which is removed at its end; the bundled data are in the folder named by the environment variable T.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_UNIT_H
#define RANDSVM_UNIT_H

#include <ftw.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * UNIT_IS_SANITIZED: everything takes ten times as long, so that what only repeats or enlarges may
 * be less, as it is tested without a sanitizer too
 */
#ifdef __has_feature
#define UNIT_HAS(what) __has_feature(what)
#else
#define UNIT_HAS(what) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	UNIT_HAS(address_sanitizer) || UNIT_HAS(thread_sanitizer)
#define UNIT_IS_SANITIZED 1
#else
#define UNIT_IS_SANITIZED 0
#endif

/* UNIT_FINDS_RACES: ThreadSanitizer, which has nothing to find in long tests that start no thread */
#if defined(__SANITIZE_THREAD__) || UNIT_HAS(thread_sanitizer)
#define UNIT_FINDS_RACES 1
#else
#define UNIT_FINDS_RACES 0
#endif

/* of one CHECK, how many failures are printed; the rest are counted */
#define UNIT_FAILURES_SHOWN 5

struct unit_site {
	atomic_bool seen;
	atomic_long failures;
};

static atomic_long unit_sites, unit_failed_sites;

/*
 * CHECK() - note whether 'condition' holds; if not, print where, what and the message
 *
 * The message is printf's and should show both sides:
 *     CHECK(a.n_rows == 3, "n_rows %" PRId64 ", not 3", a.n_rows);
 * Its arguments are evaluated only on failure.  The value is that of the condition, so that
 * what makes no sense after a failure can be left out: if (!CHECK(p, "no p")) return;
 */
#define CHECK(condition, ...)                                                                   \
	({                                                                                      \
		static struct unit_site unit_site_;                                             \
		bool unit_holds_ = (condition);                                                 \
		unit_seen(&unit_site_);                                                         \
		if (!unit_holds_)                                                               \
			unit_failure(&unit_site_, __FILE__, __LINE__, #condition, __VA_ARGS__); \
		unit_holds_;                                                                    \
	})

static inline void unit_seen(struct unit_site *site)
{
	if (!atomic_load_explicit(&site->seen, memory_order_relaxed) &&
	    !atomic_exchange(&site->seen, true))
		atomic_fetch_add(&unit_sites, 1);
}

__attribute__((format(printf, 5, 6))) static inline void unit_failure(struct unit_site *site,
								      const char *file, int line,
								      const char *condition,
								      const char *format, ...)
{
	long failures = atomic_fetch_add(&site->failures, 1);
	char message[1000];
	va_list args;

	if (failures == 0)
		atomic_fetch_add(&unit_failed_sites, 1);
	if (failures >= UNIT_FAILURES_SHOWN)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	printf("FAIL %s:%d: %s: %s%s\n", file, line, condition, message,
	       failures == UNIT_FAILURES_SHOWN - 1 ? " (more are not shown)" : "");
	fflush(stdout);
}

/* ---- the folder ---- */

static char unit_folder[4096];
static pid_t unit_process;

static int unit_remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

/* not at the end of a child, nor where a test has left a file that cannot be removed */
static void unit_remove_folder(void)
{
	if (getpid() == unit_process)
		nftw(unit_folder, unit_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* before main(): a test started by hand leaves nothing where it was started */
__attribute__((constructor)) static void unit_enter_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	unit_process = getpid();
	snprintf(unit_folder, sizeof(unit_folder), "%s/unit.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(unit_folder) || chdir(unit_folder) != 0) {
		perror(unit_folder);
		exit(EXIT_FAILURE);
	}
	atexit(unit_remove_folder);
}

/* unit_report() - print the counts; returns what main() should */
static inline int unit_report(const char *name)
{
	long failed = atomic_load(&unit_failed_sites);

	printf("%s: %ld checks, %ld failed\n", name, atomic_load(&unit_sites), failed);
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
