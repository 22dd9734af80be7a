/*
 * test_output.c - files that appear whole or not at all
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cmd/common/process.h"
#include "base/mem_bound.h"
#include "io/gzip.h"
#include "io/input.h"
#include "io/output.h"
#include "unit.h"

enum { BIG = 300000, ROOM = 1 << 20 };

static char folder[4000];
static bool named; /* an unfinished file has a name here */
static char big[BIG], got[ROOM];

/* A name in the scratch folder, for the next few calls. */
static const char *in_folder(const char *name)
{
	static char paths[4][4400];
	static int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
	return paths[next];
}

/* Text that packs to less than half, but not to nothing. */
static void fill_big(void)
{
	uint32_t random = 1;

	for (int i = 0; i < BIG; i++) {
		random = random * 1664525 + 1013904223;
		big[i] = "01234:.\n"[random >> 29];
	}
}

static void make_file(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(in_folder(name), "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0 || chmod(in_folder(name), mode) < 0) {
		perror(name);
		exit(1);
	}
}

/* Bytes of the file, gunzipped where need be, in 'got'; -1 if it cannot be read. */
static int64_t read_back(const char *path)
{
	struct error err = { 0 };
	struct input *s;
	int64_t n;

	if (input_open(&s, path, &err) < 0)
		return -1;
	n = input_read(s, got, ROOM, &err);
	CHECK(n >= 0, "%s", err.text);
	input_close(s);
	return n;
}

static void expect_file(const char *name, const char *text, int64_t n)
{
	int64_t n_got = read_back(in_folder(name));

	CHECK(n_got == n && !memcmp(got, text, (size_t)n), "%s: %lld bytes, not these %lld", name,
	      (long long)n_got, (long long)n);
}

static void expect_text(const char *name, const char *text)
{
	expect_file(name, text, (int64_t)strlen(text));
}

static int count_files(void)
{
	DIR *dir = opendir(folder);
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* How many of them begin with a dot? */
static int count_hidden(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir)))
		n += entry->d_name[0] == '.';
	closedir(dir);
	return n - 2;
}

/* Removes all files and asserts that there were as many as expected: none left over. */
static void expect_count(const char *what, int n)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	CHECK(count_files() == n, "%s: %d files left, not %d", what, count_files(), n);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    remove(in_folder(entry->d_name)) < 0)
			perror(entry->d_name);
	closedir(dir);
}

static int write_text(const char *path, const char *text, struct error *err)
{
	struct output *o;

	*err = (struct error){ 0 };
	if (output_open(&o, path, false, err) < 0) {
		CHECK(o == NULL, "an output beside a failure");
		return -1;
	}
	if (output_write(o, text, (int64_t)strlen(text), err) < 0) {
		output_discard(o);
		return -1;
	}
	return output_commit(o, err);
}

static void expect_refusal(const char *path, const char *reason)
{
	struct error err = { 0 };
	struct output *o;

	CHECK(output_open(&o, path, false, &err) < 0 && !o && err.code == ERR_IO, "opened %s",
	      path);
	CHECK(!strcmp(err.text, reason), "'%s', not '%s'", err.text, reason);
}

static mode_t mode_of(const char *name)
{
	struct stat st = { 0 };

	stat(in_folder(name), &st);
	return st.st_mode & 07777;
}

static void test_new(void)
{
	mode_t mask = umask(027);
	struct error err;

	CHECK(write_text(in_folder("new"), "text", &err) == 0, "%s", err.text);
	umask(mask);
	expect_text("new", "text");
	CHECK(mode_of("new") == 0640, "%o", mode_of("new"));
	expect_count("new", 1);
	CHECK(chdir(folder) == 0 && write_text("here", "here", &err) == 0, "%s", err.text);
	expect_text("here", "here");
	CHECK(write_text("./empty", "", &err) == 0, "%s", err.text);
	expect_text("empty", "");
	expect_count("no folder named", 2);
}

static void test_replace(void)
{
	struct error err = { 0 };
	struct output *o;

	make_file("old", "old text", 0604);
	CHECK(output_open(&o, in_folder("old"), false, &err) == 0, "%s", err.text);
	CHECK(output_write(o, "new", 3, &err) == 0, "%s", err.text);
	expect_text("old", "old text");
	CHECK(count_files() == 1 + named, "%d files", count_files());
	CHECK(count_hidden() == named, "%d hidden files", count_hidden());
	CHECK(output_commit(o, &err) == 0, "%s", err.text);
	expect_text("old", "new");
	CHECK(mode_of("old") == 0604, "%o", mode_of("old"));

	CHECK(output_open(&o, in_folder("old"), false, &err) == 0, "%s", err.text);
	CHECK(output_write(o, big, BIG, &err) == 0, "%s", err.text);
	output_discard(o);
	output_discard(NULL);
	expect_text("old", "new");
	make_file("old", "x", 04755);
	CHECK(write_text(in_folder("old"), "y", &err) == 0, "%s", err.text);
	CHECK(mode_of("old") == 0755, "%o", mode_of("old"));
	expect_count("replace", 1);
}

static void make_link(const char *to, const char *name)
{
	if (symlink(to, in_folder(name)) < 0)
		perror(name);
}

static void expect_link(const char *name)
{
	struct stat st = { 0 };

	lstat(in_folder(name), &st);
	CHECK(S_ISLNK(st.st_mode), "'%s' is no link any more", name);
}

static void test_links(void)
{
	struct error err;

	mkdir(in_folder("sub"), 0777);
	make_file("sub/file", "old", 0600);
	make_link("sub/file", "relative");
	make_link("../relative", "sub/twice");
	make_link(in_folder("sub/absent"), "dangling");
	make_link("loop", "loop");
	CHECK(write_text(in_folder("sub/twice"), "new", &err) == 0, "%s", err.text);
	expect_text("sub/file", "new");
	CHECK(mode_of("sub/file") == 0600, "%o", mode_of("sub/file"));
	expect_link("sub/twice");
	expect_link("relative");
	CHECK(write_text(in_folder("dangling"), "made", &err) == 0, "%s", err.text);
	expect_text("sub/absent", "made");
	expect_link("dangling");
	CHECK(write_text(in_folder("loop"), "", &err) < 0 && err.code == ERR_IO, "wrote a loop");
	unlink(in_folder("sub/file"));
	unlink(in_folder("sub/absent"));
	unlink(in_folder("sub/twice"));
	expect_count("links", 4);
}

static void test_refusals(void)
{
	char long_path[4300], name[300];
	struct error err = { 0 };

	expect_refusal(folder, "Is a directory");
	expect_refusal(in_folder("no/file"), "No such file or directory");
	expect_refusal(in_folder("no/"), "No such file or directory");
	make_file("file", "", 0600);
	expect_refusal(in_folder("file/x"), "Not a directory");
	expect_refusal("", "No such file or directory");
	expect_refusal("/no\n/such", "No such file or directory");
	expect_refusal("/dev/fd/99", "Bad file descriptor");
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	expect_refusal(long_path, "File name too long");
	memset(name, 'n', sizeof(name));
	name[255] = '\0'; /* the longest there can be */
	CHECK(write_text(in_folder(name), "long", &err) == 0, "%s", err.text);
	expect_text(name, "long");
	expect_count("refusals", 2);
}

/* As somebody who may write the folder but not the file: root may write anything. */
static void test_not_writable(void)
{
	int status = 0;
	pid_t child;

	make_file("shut", "kept", 0444);
	chmod(folder, 0777);
	child = fork();
	if (child == 0) {
		struct error err = { 0 };
		struct output *o;

		if (geteuid() == 0 && setuid(65534) < 0)
			_exit(1);
		_exit(output_open(&o, in_folder("shut"), false, &err) == 0 || err.code != ERR_IO ||
		      strcmp(err.text, "Permission denied") != 0);
	}
	waitpid(child, &status, 0);
	chmod(folder, 0700);
	CHECK(status == 0, "opened a file not writable, or for another reason not");
	expect_text("shut", "kept");
	expect_count("not writable", 1);
}

/* Writes as one does who checks each call, until one fails or all is committed. */
static int write_big(const char *path, int64_t piece, struct error *err)
{
	struct output *o;

	*err = (struct error){ 0 };
	if (output_open(&o, path, false, err) < 0)
		return -1;
	for (int64_t done = 0; done < BIG; done += piece) {
		int64_t n = piece < BIG - done ? piece : BIG - done;

		if (output_write(o, big + done, n, err) < 0) {
			CHECK(output_printf(o, &(struct error){ 0 }, "x") < 0, "failure forgotten");
			CHECK(output_commit(o, &(struct error){ 0 }) < 0, "failure forgotten");
			return -1;
		}
	}
	return output_commit(o, err);
}

static void test_sizes(void)
{
	static const int64_t pieces[] = { 1, 1000, 65535, 65536, 65537, BIG };
	struct error err;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		CHECK(write_big(in_folder("big"), pieces[i], &err) == 0, "%s", err.text);
		expect_file("big", big, BIG);
		CHECK(write_big(in_folder("big.gz"), pieces[i], &err) == 0, "%s", err.text);
		expect_file("big.gz", big, BIG);
	}
	expect_count("sizes", 2);
}

static int is_gzip(const char *name)
{
	FILE *f = fopen(in_folder(name), "rb");
	int yes = f && getc(f) == 0x1f && getc(f) == 0x8b;

	if (f)
		fclose(f);
	return yes;
}

static void test_gzip(void)
{
	struct error err;
	struct stat st = { 0 };

	CHECK(write_text(in_folder("empty.gz"), "", &err) == 0, "%s", err.text);
	CHECK(is_gzip("empty.gz"), "empty.gz is not");
	expect_text("empty.gz", "");
	make_link("data", "data.gz");
	CHECK(write_big(in_folder("data.gz"), 1000, &err) == 0, "%s", err.text);
	CHECK(is_gzip("data"), "a link named .gz, and no gzip");
	expect_file("data", big, BIG);
	stat(in_folder("data"), &st);
	CHECK(st.st_size < BIG / 2, "%lld bytes", (long long)st.st_size);
	CHECK(write_text(in_folder("gz"), "plain", &err) == 0 && !is_gzip("gz"), "gz is gzip");
	expect_count("gzip", 4);
}

static void test_printf(void)
{
	struct error err = { 0 };
	struct output *o;
	char *expected = malloc(ROOM);
	int n = 0;

	CHECK(output_open(&o, in_folder("printed"), false, &err) == 0, "%s", err.text);
	for (int i = 0; i < 20000; i++) {
		CHECK(output_printf(o, &err, "%d:%g ", i, i / 8.0) == 0, "%s", err.text);
		n += sprintf(expected + n, "%d:%g ", i, i / 8.0);
	}
	CHECK(output_printf(o, &err, "%.*s", BIG, big) == 0, "%s", err.text);
	memcpy(expected + n, big, BIG);
	CHECK(output_printf(o, &err, "%s", "") == 0, "%s", err.text);
	CHECK(output_commit(o, &err) == 0, "%s", err.text);
	expect_file("printed", expected, n + BIG);
	free(expected);
	expect_count("printf", 1);
}

static void expect_full(const char *path)
{
	static const char text[] = "No space left on device";
	struct error err;

	CHECK(write_text(path, "text", &err) < 0 && err.code == ERR_IO, "wrote to %s", path);
	CHECK(!strcmp(err.text, text), "'%s', not '%s'", err.text, text);
	CHECK(write_big(path, BIG, &err) < 0 && !strcmp(err.text, text), "'%s'", err.text);
	CHECK(write_big(path, 1000, &err) < 0 && !strcmp(err.text, text), "'%s'", err.text);
}

/* Puts the file at 'path' in the place of standard output, returns what was there. */
static int redirect(const char *path, int flags)
{
	int kept, fd = open(path, flags | O_WRONLY, 0666);

	fflush(stdout);
	kept = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	return kept;
}

static void restore(int kept)
{
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

static void test_full(void)
{
	int kept;

	if (access("/dev/full", W_OK) < 0)
		return;
	expect_full("/dev/full");
	make_link("/dev/full", "full.gz");
	CHECK(write_text(in_folder("full.gz"), "text", &(struct error){ 0 }) < 0, "packed in");
	kept = redirect("/dev/full", 0);
	expect_full("-");
	expect_full("/dev/stdout");
	restore(kept);
	expect_count("full", 1);
}

/* A disk that fills up, as far as this process can tell: the limit on file sizes. */
static void test_too_large(void)
{
	struct rlimit old, low;
	struct error err;

	make_file("target", "kept", 0600);
	make_file("target.gz", "kept", 0600);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	low = (struct rlimit){ 1000, old.rlim_max };
	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &low);
	CHECK(write_big(in_folder("target"), 1000, &err) < 0 && strstr(err.text, "File too large"),
	      "%s", err.text);
	CHECK(write_big(in_folder("target"), BIG, &err) < 0, "all written");
	CHECK(write_big(in_folder("target.gz"), 1000, &err) < 0, "all written");
	setrlimit(RLIMIT_FSIZE, &old);
	expect_text("target", "kept");
	expect_text("target.gz", "kept");
	expect_count("too large", 2);
}

static void test_standard_output(void)
{
	struct error err = { 0 };
	int kept;

	make_file("out", "before ", 0600);
	kept = redirect(in_folder("out"), O_APPEND);
	CHECK(write_text("-", "first ", &err) == 0, "%s", err.text);
	CHECK(write_text("/dev/stdout", "second ", &err) == 0, "%s", err.text);
	CHECK(write_text("/dev/fd/1", "third", &err) == 0, "%s", err.text);
	CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0, "standard output closed");
	restore(kept);
	expect_text("out", "before first second third");
	expect_count("standard output", 1);
}

static void test_closed_pipe(void)
{
	struct error err;
	char path[32];
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) < 0)
		return;
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	CHECK(write_text(path, "text", &err) == 0, "%s", err.text);
	CHECK(read(ends[0], got, ROOM) == 4 && !memcmp(got, "text", 4), "other bytes");
	close(ends[0]);
	CHECK(write_text(path, "text", &err) < 0 && err.code == ERR_IO &&
		      !strcmp(err.text, "Broken pipe"),
	      "%s", err.text);
	close(ends[1]);
}

static void test_fifo(void)
{
	struct error err;
	int64_t n;
	pid_t child;

	CHECK(mkfifo(in_folder("fifo.gz"), 0600) == 0, "no fifo");
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(write_text(in_folder("fifo.gz"), "text", &err) < 0);
	n = read_back(in_folder("fifo.gz"));
	CHECK(n == 4 && !memcmp(got, "text", 4), "%lld bytes", (long long)n);
	waitpid(child, NULL, 0);
	expect_count("fifo", 1);
}

static void test_remove_pending(void)
{
	enum { MANY = 80 };
	struct output *o[MANY];
	struct error err = { 0 };
	char name[32];

	make_file("0", "kept", 0600);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		CHECK(output_open(&o[i], in_folder(name), false, &err) == 0, "%s", err.text);
	}
	CHECK(output_commit(o[1], &err) == 0, "%s", err.text);
	output_discard(o[2]);
	CHECK(count_files() == (named ? MANY : 2), "%d files", count_files());
	output_remove_pending();
	errno = 77;
	output_remove_pending(); /* finds nothing, and keeps that to itself */
	CHECK(errno == 77, "errno is %d", errno);
	CHECK(count_files() == (named ? 2 + MANY - 64 : 2), "%d files", count_files());
	expect_text("0", "kept");
	expect_text("1", "");
	if (named)
		CHECK(output_commit(o[0], &err) < 0 && err.code == ERR_IO, "renamed what is gone");
	else
		output_discard(o[0]);
	expect_text("0", "kept");
	for (int i = 3; i < MANY; i++)
		output_discard(o[i]);
	output_remove_pending();
	expect_count("remove pending", 2);
}

static void remove_and_die(int number)
{
	output_remove_pending();
	signal(number, SIG_DFL);
	raise(number);
}

/* Killed at many points of its work, a process leaves the old file or the new. */
static void test_killed(void)
{
	for (int i = 0; i < 100; i++) {
		struct error err;
		int64_t n;
		pid_t child = fork();

		if (child == 0) {
			signal(SIGTERM, remove_and_die);
			for (;;)
				write_text(in_folder("target"), "text", &err);
		}
		usleep((useconds_t)(1000 + 37 * i));
		kill(child, SIGTERM);
		waitpid(child, NULL, 0);
		n = read_back(in_folder("target"));
		CHECK(n == -1 || (n == 4 && !memcmp(got, "text", 4)), "%lld bytes", (long long)n);
		CHECK(count_files() <= 1, "%d files", count_files());
	}
	expect_count("killed", count_files());
}

/* SIGKILL, while two files are written and one of them replaces another. */
static void test_killed_at_once(void)
{
	pid_t child;

	make_file("old", "kept", 0600);
	child = fork();
	if (child == 0) {
		struct error err = { 0 };
		struct output *a, *b;

		if (output_open(&a, in_folder("old"), false, &err) == 0 &&
		    output_open(&b, in_folder("new.gz"), false, &err) == 0 &&
		    output_write(a, big, BIG, &err) == 0)
			raise(SIGKILL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	CHECK(count_files() == (named ? 3 : 1), "%d files", count_files());
	expect_text("old", "kept");
	expect_count("killed at once", named ? 3 : 1);
}

/* What a program does where the default is to die, by itself or with a core. */
static void test_deadly_signals(void)
{
	static const int signals[] = {
		SIGINT,	 SIGTERM, SIGHUP,  SIGQUIT,   SIGUSR1, SIGUSR2,
		SIGALRM, SIGXCPU, SIGPROF, SIGVTALRM, SIGABRT, SIGSYS,
#ifndef __SANITIZE_ADDRESS__
		SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
#endif
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			struct error err = { 0 };
			struct output *o;

			setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
			signal(signals[i], SIG_DFL);
			cli_set_up("test", (char *[]){ "test", NULL }, NULL);
			if (output_open(&o, in_folder("new"), false, &err) == 0)
				raise(signals[i]);
			_exit(1);
		}
		waitpid(child, &status, 0);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "signal %d: status %d",
		      signals[i], status);
		CHECK(count_files() == 0, "signal %d: %d files", signals[i], count_files());
	}
}

static void test_memory(void)
{
	static const char *const names[] = { "plain", "packed.gz", "link" };
	struct error err = { 0 };
	struct output *o;

	make_link("plain", "link");
	for (int i = 0; i < 3; i++) {
		int64_t n = 0;
		int ret;

		make_file(i == 2 ? "plain" : names[i], "kept", 0600);
		for (;; n++) {
			err = (struct error){ 0 };
			mem_fail_after(n);
			ret = output_open(&o, in_folder(names[i]), false, &err);
			if (ret == 0 && (ret = output_printf(o, &err, "%.*s", BIG, big)) == 0)
				ret = output_commit(o, &err);
			else if (o)
				output_discard(o);
			mem_fail_after(-1);
			if (ret == 0)
				break;
			CHECK(err.code == ERR_MEMORY, "allocation %lld: %s", (long long)n,
			      err.text);
			expect_text(names[i], "kept");
		}
		expect_file(names[i], big, BIG);
		CHECK(n >= 5, "%lld allocations", (long long)n);
	}
	expect_count("memory", 3);
}

/* Opens and writes "new" to what 'names' say, commits all; the failed one's position, or -1. */
static int commit_together(const char *const *names, int n, struct error *err)
{
	struct output *o[4] = { NULL };
	int failed = -1;

	*err = (struct error){ 0 };
	for (int i = 0; i < n; i++)
		if (names[i] && (output_open(&o[i], names[i], false, err) < 0 ||
				 output_write(o[i], "new", 3, err) < 0))
			CHECK(false, "%s: %s", names[i], err->text);
	CHECK((output_commit_all(o, n, &failed, err) < 0) == (failed >= 0), "failed: %d", failed);
	return failed;
}

static void test_commit_all(void)
{
	struct error err;

	make_file("one", "old", 0644);
	CHECK(commit_together((const char *const[]){ in_folder("one"), NULL, "/dev/full",
						     in_folder("two") },
			      4, &err) == 2,
	      "a full disk went unnoticed");
	CHECK(!strcmp(err.text, strerror(ENOSPC)), "'%s'", err.text);
	expect_text("one", "old");
	CHECK(count_files() == 1, "%d files", count_files());
	CHECK(commit_together((const char *const[]){ in_folder("one"), NULL, in_folder("two") }, 3,
			      &err) == -1,
	      "%s", err.text);
	expect_text("one", "new");
	expect_text("two", "new");
	expect_count("both", 2);
}

/* What a reader of a pipe waits for; a file that appears whole is not flushed. */
static void test_flush(void)
{
	struct error err = { 0 };
	struct output *o;
	char path[40], got[8] = "";
	int ends[2];

	if (pipe(ends) < 0)
		perror("pipe");
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	CHECK(output_open(&o, path, false, &err) == 0, "%s", err.text);
	CHECK(output_write(o, "rows", 4, &err) == 0, "%s", err.text);
	CHECK(read(ends[0], got, 8) < 0, "it came early: '%s'", got);
	CHECK(output_flush(o, &err) == 0, "%s", err.text);
	CHECK(read(ends[0], got, 8) == 4 && !memcmp(got, "rows", 4), "'%s'", got);
	CHECK(output_flush(o, &err) == 0 && read(ends[0], got, 8) < 0, "there was more: '%s'", got);
	CHECK(output_write(o, "!", 1, &err) == 0 && output_commit(o, &err) == 0, "%s", err.text);
	CHECK(read(ends[0], got, 8) == 1 && got[0] == '!', "'%s'", got);
	close(ends[0]);
	close(ends[1]);

	make_file("old", "old text", 0604);
	CHECK(output_open(&o, in_folder("old"), false, &err) == 0, "%s", err.text);
	CHECK(output_write(o, "new", 3, &err) == 0 && output_flush(o, &err) == 0, "%s", err.text);
	expect_text("old", "old text");
	CHECK(output_commit(o, &err) == 0, "%s", err.text);
	expect_text("old", "new");
	expect_count("flushed", 1);
}

/* What goes nowhere is counted, in whatever pieces it comes; no file appears. */
static void test_checksum(void)
{
	static const int64_t pieces[] = { 1000, 65536, 65537, BIG };
	struct output *o;
	struct error err = { 0 };
	uint32_t crc = 0, again = 0;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		CHECK(output_open_checksum(&o, &err) == 0, "%s", err.text);
		for (int64_t at = 0; at < BIG; at += pieces[i])
			output_write(o, big + at, BIG - at < pieces[i] ? BIG - at : pieces[i],
				     &err);
		CHECK(output_checksum(o, &crc, &err) == 0, "%s", err.text);
		CHECK(crc == checksum_crc32(0, big, BIG), "%08x", (unsigned)crc);
		CHECK(output_printf(o, &err, "%d", 7) == 0 &&
			      output_checksum(o, &again, &err) == 0 &&
			      again == checksum_crc32(crc, "7", 1),
		      "%08x after another byte", (unsigned)again);
		output_discard(o);
	}
	expect_count("checksum", 0);
}

static void test_all(void)
{
	test_new();
	test_flush();
	test_replace();
	test_links();
	test_refusals();
	test_not_writable();
	test_sizes();
	test_gzip();
	test_printf();
	test_full();
	test_too_large();
	test_standard_output();
	test_closed_pipe();
	test_fifo();
	test_remove_pending();
	test_killed();
	test_killed_at_once();
	test_deadly_signals();
	test_memory();
	test_commit_all();
	test_checksum();
}

#ifdef O_TMPFILE
static bool unnamed_files(void)
{
	int fd = open(folder, O_WRONLY | O_TMPFILE, 0600);

	close(fd);
	return fd >= 0;
}

/* From now on a file system without O_TMPFILE, as far as this process can tell. */
static bool refuse_unnamed_files(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(steps) / sizeof(*steps), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
static bool unnamed_files(void)
{
	return false;
}
static bool refuse_unnamed_files(void)
{
	return false;
}
#endif

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/output-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	fill_big();
	named = !unnamed_files();
	test_all();
	if (!named && refuse_unnamed_files() && !unnamed_files()) {
		named = true;
		test_all();
	}
	if (chdir("/") < 0 || rmdir(folder) < 0)
		perror(folder);
	return unit_report("output");
}
