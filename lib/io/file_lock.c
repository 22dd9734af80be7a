/*
 * file_lock.c - at most one process at a time writes a file
 *
 * The holder of a lock unlinks its file before it unlocks it.  So a process that opened the file
 * before that and locks it afterwards has locked a file without a name, while a third one may lock
 * a new file of that name: after flock(2) it compares the two, and tries again where they differ.
 *
 * How this works.  The lock of FILE is an flock(2) of .FILE.lock, a file beside it, since FILE
 * itself is replaced by rename(2) while the lock is held.
 *
 *      (1) open or create the lock's file
 *      (2) flock(2) without waiting: TAKEN if another process has it, NO_LOCKS if the file system
 *          has no locks
 *      (3) is the file that was locked still the one with the name?  if not, begin again with (1)
 *
 * An flock(2) ends with the process, however that ends: a lock's file that stays behind after a
 * failure of the machine is locked by nobody, and the next process takes it over.  Where the file
 * system has no locks the caller goes on without one, as if there was no other process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/output.h"

enum {
	SUFFIX_SIZE = 16, /* room for a dot, ".lock" and the final 0 */
	BASE_KEPT = 240	  /* bytes of the target's name that are kept, of 255 in a file name */
};

/* The name of the lock's file, beside the file that a link leads to, for the caller to free. */
static char *name_lock(const char *path, struct error *err)
{
	char *target = output_target(path, err), *name = NULL;
	const char *base;
	size_t size;

	if (!target)
		return NULL;
	base = file_base(target);
	size = strlen(target) + SUFFIX_SIZE;
	name = mem_array((int64_t)size, 1, err);
	if (name)
		snprintf(name, size, "%.*s.%.*s.lock", (int)(base - target), target, BASE_KEPT,
			 base);
	mem_free(target);
	return name;
}

/* (3): does the name still belong to the open file? */
static bool is_named(int fd, const char *name)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && stat(name, &named) == 0 && ours.st_dev == named.st_dev &&
	       ours.st_ino == named.st_ino;
}

/* Outcomes of an attempt to take the lock's file. */
enum outcome { LOCKED, TAKEN, NO_LOCKS, NO_FILE };

/* Repeat steps (1) to (3) until one attempt completes; '*fd' is open only if LOCKED is returned. */
static enum outcome lock_file(int *fd, const char *name)
{
	enum outcome outcome;

	for (;;) {
		*fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (*fd < 0)
			return NO_FILE;
		if (flock(*fd, LOCK_EX | LOCK_NB) < 0)
			break;
		if (is_named(*fd, name))
			return LOCKED;
		close(*fd);
	}
	outcome = errno == EWOULDBLOCK ? TAKEN : NO_LOCKS;
	if (outcome == NO_LOCKS)
		unlink(name);
	close(*fd);
	return outcome;
}

int file_lock_take(struct file_lock *lock, const char *path, bool *taken, struct error *err)
{
	char *name = name_lock(path, err);
	enum outcome outcome;
	int fd;

	*lock = (struct file_lock){ 0 };
	*taken = false;
	if (!name)
		return -1;
	outcome = lock_file(&fd, name);
	if (outcome == NO_FILE)
		error_set(err, ERR_IO, "%s", strerror(errno));
	*taken = outcome == LOCKED || outcome == NO_LOCKS;
	if (outcome != LOCKED) {
		mem_free(name);
		return outcome == NO_FILE ? -1 : 0;
	}
	*lock = (struct file_lock){ fd, name };
	output_note_pending(name);
	return 0;
}

/* The name goes first, while the lock is held: see the beginning for why in this order. */
void file_lock_release(struct file_lock *lock)
{
	if (!lock->name)
		return;
	unlink(lock->name);
	output_forget_pending(lock->name);
	close(lock->fd);
	*lock = (struct file_lock){ 0 };
}
