/*
 * test_library_memory.c - libraries that do not check what malloc() gives them, where memory runs out
 *
 * This program has a malloc() of its own, which these libraries call too, and which can fail once.  Each
 * allocation of a call fails in turn, in a process of its own: the call succeeds nevertheless, fails
 * with ERR_MEMORY or ERR_LIBRARY, or the process ends as a program does that says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cmd/common/process.h"
#include "base/shared_library.h"
#include "linear/liblinear_adapter.h"
#include "matrix/blas.h"
#include "small_training.h"
#include "train/libsvm_adapter.h"

#if defined(__GLIBC__) && !UNIT_IS_SANITIZED
#define HAS_MALLOC 1

static volatile long left = -1; /* allocations before the one that fails; negative: none does */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nmemb, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);

static bool fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size)
{
	return fails() ? NULL : __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
	return fails() ? NULL : __libc_realloc(ptr, size);
}
#else
#define HAS_MALLOC 0
static volatile long left = -1;
#endif

enum { N = 60, ORDER = 140 };

/* How a process ends. */
enum { DONE, SAID_SO, FAILED, ALL_DONE, WRONG };

static struct dataset data;
static double labels[N];
static struct training training;

static int load_blas(struct error *err)
{
	return blas_load(err);
}

static int train_libsvm(struct error *err)
{
	const struct libsvm_messages silent = { 0 };
	struct solution s = { 0 };
	int ret = libsvm_train(&data, &training, &silent, &s, err);

	solution_free(&s);
	return ret;
}

static int cross_validate(struct error *err)
{
	const struct libsvm_messages silent = { 0 };
	double predicted[N];

	return libsvm_cross_validate(&data, &training, 2, &silent, predicted, err);
}

static int train_liblinear(struct error *err)
{
	const struct liblinear_training t = { LIBLINEAR_SQUARED_HINGE, 1, 0.01, 1 };
	struct liblinear_data *d = liblinear_data_new(&data.x, labels, err);
	double size[8];
	int ret = d ? liblinear_train(d, &t, size, err) : -1;

	liblinear_data_free(d);
	return ret < 0 ? -1 : 0;
}

static int find_eigenvalues(struct error *err)
{
	static double a[ORDER * ORDER], value[ORDER];

	for (int64_t i = 0; i < ORDER; i++)
		for (int64_t j = 0; j <= i; j++)
			a[i * ORDER + j] = i == j ? (double)i : 1.0 / (double)(i + j + 1);
	return blas_symmetric_eigen(a, ORDER, value, true, err);
}

_Noreturn static void run_child(int (*run)(struct error *err), long n)
{
	char *argv[] = { "test", NULL };
	struct error err = { 0 };
	int ret;

	dup2(open("messages", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
	cli_set_up("test", argv, NULL);
	left = n;
	ret = run(&err);
	if (ret == 0)
		_exit(left >= 0 ? ALL_DONE : DONE);
	_exit(err.code == ERR_MEMORY || err.code == ERR_LIBRARY ? FAILED : WRONG);
}

/* The last line that the child wrote is the program's. */
static bool has_message(void)
{
	static const char expected[] = "test: out of memory, most likely, ended lib";
	char text[4096], *line = text;
	int fd = open("messages", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 1 ? n - 1 : 0] = '\0'; /* without the last '\n' */
	if (strrchr(text, '\n'))
		line = strrchr(text, '\n') + 1;
	return strncmp(line, expected, strlen(expected)) == 0;
}

/* Each allocation fails in turn; returns how often the library ended the process. */
static long fail_each(const char *what, int (*run)(struct error *err))
{
	long n_ended = 0;

	for (long n = 0;; n++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			run_child(run, n);
		if (!CHECK(waitpid(child, &status, 0) == child, "no child"))
			return n_ended;
		if (!CHECK(WIFEXITED(status) && WEXITSTATUS(status) < WRONG,
			   "%s, allocation %ld: status %d", what, n, status))
			continue;
		if (WEXITSTATUS(status) == ALL_DONE)
			return n_ended;
		if (WEXITSTATUS(status) == SAID_SO)
			CHECK(has_message(), "%s, allocation %ld: no message", what, n);
		n_ended += WEXITSTATUS(status) == SAID_SO;
	}
}

static void test_calls(void)
{
	struct error err = { 0 };

	fail_each("loading the BLAS", load_blas);
	CHECK(blas_load(&err) == 0, "%s", err.text);
	fail_each("eigenvalues", find_eigenvalues);
	CHECK(train_libsvm(&err) == 0, "%s", err.text);
	CHECK(fail_each("libsvm_train", train_libsvm) > 0, "LIBSVM looks at what malloc() gives");
	CHECK(fail_each("libsvm_cross_validate", cross_validate) > 0, "LIBSVM looks ...");
	CHECK(train_liblinear(&err) == 0, "%s", err.text);
	CHECK(fail_each("liblinear_train", train_liblinear) > 0, "LIBLINEAR looks ...");
}

static const struct shared_library some_library = { .file = (const char *const[]){ "libm", NULL } };

static int die_in_library(struct error *err)
{
	(void)err;
	shared_library_enter(&some_library);
	raise((int)left);
	shared_library_leave();
	return -1;
}

static int exit_in_library(struct error *err)
{
	(void)err;
	shared_library_enter(&some_library);
	exit(3);
}

static int die_outside(struct error *err)
{
	shared_library_enter(&some_library);
	shared_library_leave();
	(void)err;
	return raise((int)left);
}

/* The status of a child; a signal is told as the shell does. */
static int status_of(int (*run)(struct error *err), long n)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		run_child(run, n);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_ends(void)
{
	static const int faults[] = { SIGSEGV, SIGABRT };
	struct sigaction action;

	CHECK(!shared_library_running(), "in a library at the start");
	CHECK(status_of(exit_in_library, 0) == 1 && has_message(), "exit() in a library");
	sigaction(SIGSEGV, NULL, &action);
	if (action.sa_handler != SIG_DFL)
		return; /* a sanitizer's, which stays */
	for (int k = 0; k < 2; k++) {
		CHECK(status_of(die_in_library, faults[k]) == 1 && has_message(), "signal %d",
		      faults[k]);
		CHECK(status_of(die_outside, faults[k]) == 128 + faults[k], "signal %d outside",
		      faults[k]);
	}
}

int main(void)
{
	small_dataset(&data, labels, 2, N, 1);
	training = small_training(true, 1e-3);
	test_ends();
	if (HAS_MALLOC)
		test_calls();
	csr_free(&data.x);
	return unit_report("library_memory");
}
