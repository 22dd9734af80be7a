/*
 * test_file_lock.c - one process at a time has a lock, and none when that one has ended
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/checkpoint.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing.h"
#include "io/output.h"
#include "unit.h"

static bool take(struct file_lock *lock, const char *path)
{
	struct error err = { 0 };
	bool taken;

	CHECK(file_lock_take(lock, path, &taken, &err) == 0, "%s: %s", path, err.text);
	CHECK(taken == (lock->name != NULL), "%s: taken, and no lock", path);
	return taken;
}

static void test_two(void)
{
	struct file_lock first, second, third;

	CHECK(take(&first, "state") && access(".state.lock", F_OK) == 0, "not locked");
	CHECK(!take(&second, "state") && !take(&second, "./state"), "locked twice");
	CHECK(symlink("state", "link") == 0 && !take(&second, "link"), "by a link");
	CHECK(take(&third, "other"), "two files");
	file_lock_release(&first);
	CHECK(access(".state.lock", F_OK) < 0, "the lock's file is left");
	CHECK(take(&second, "link"), "not unlocked");
	file_lock_release(&second);
	file_lock_release(&second);
	file_lock_release(&third);
	unlink("link");
}

static void test_pending(void)
{
	struct file_lock lock;

	CHECK(take(&lock, "state"), "not locked");
	output_remove_pending();
	CHECK(access(".state.lock", F_OK) < 0, "the lock's file is left");
	file_lock_release(&lock);
}

/* A killed process leaves the lock's file, and no lock. */
static void test_killed(void)
{
	struct file_lock lock;
	int ready[2];
	char c;
	pid_t child;

	CHECK(pipe(ready) == 0, "no pipe");
	child = fork();
	if (child == 0) {
		take(&lock, "state");
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	CHECK(read(ready[0], &c, 1) == 1 && !take(&lock, "state"), "the child has no lock");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	CHECK(access(".state.lock", F_OK) == 0, "the child removed it");
	CHECK(take(&lock, "state"), "the lock outlived its process");
	file_lock_release(&lock);
	close(ready[0]);
	close(ready[1]);
}

static int try_once(void *arg, struct error *err)
{
	struct file_lock lock;
	bool taken;

	(void)arg;
	if (file_lock_take(&lock, "state", &taken, err) < 0)
		return -1;
	file_lock_release(&lock);
	return 0;
}

static void test_failures(void)
{
	struct file_lock lock;
	struct error err = { 0 };
	bool taken;

	CHECK(file_lock_take(&lock, "none/state", &taken, &err) < 0 && err.code == ERR_IO && !taken,
	      "in no folder");
	fail_each_allocation("file_lock_take", try_once, NULL);
}

int main(void)
{
	test_two();
	test_pending();
	test_killed();
	test_failures();
	return unit_report("file_lock");
}
