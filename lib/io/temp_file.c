/*
 * temp_file.c - the temporary names of files that are written, and what killed processes left of them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/temp_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Bytes kept of the target's name, of 255; the rest is for what is around it. */
enum { BASE_KEPT = 200 };

/* Entries of a folder that are looked at: they take 3 ms. */
enum { MOST_ENTRIES = 5000 };

/* Digits of the nanoseconds in a name. */
enum { TIME_DIGITS = 9 };

#define DIGITS "0123456789"

const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void temp_file_name(char *name, size_t size, const char *target)
{
	const char *base = file_base(target);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, size, "%.*s.%.*s.tmp%ld-%0*ld", (int)(base - target), target, BASE_KEPT,
		 base, (long)getpid(), TIME_DIGITS, now.tv_nsec);
}

/* Is 'name' what temp_file_name() makes of a target of this base? */
static bool is_temp_name(const char *name, const char *base)
{
	char start[NAME_MAX + 1];
	int n = snprintf(start, sizeof(start), ".%.*s.tmp", BASE_KEPT, base);
	size_t process;

	if (strncmp(name, start, (size_t)n) != 0)
		return false;
	name += n;
	process = strspn(name, DIGITS);
	if (process == 0 || name[process] != '-')
		return false;
	name += process + 1;
	return strlen(name) == TIME_DIGITS && strspn(name, DIGITS) == TIME_DIGITS;
}

int temp_file_hold(int fd)
{
	int held = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	/* temp_file_remove_stale() may have it for a moment */
	while (held >= 0 && flock(held, LOCK_EX) < 0 && errno == EINTR)
		;
	return held;
}

bool temp_file_is_gone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink == 0;
}

/* Remove the file of the folder if nobody holds it. */
static void remove_unheld(int folder, const char *name)
{
	int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
	close(fd);
}

void temp_file_remove_stale(const char *target)
{
	const char *base = file_base(target);
	char folder[PATH_MAX];
	int n = snprintf(folder, sizeof(folder), "%.*s.", (int)(base - target), target);
	DIR *list = n < PATH_MAX ? opendir(folder) : NULL;
	const struct dirent *e;

	if (!list)
		return;
	for (int i = 0; i < MOST_ENTRIES && (e = readdir(list)); i++)
		if (is_temp_name(e->d_name, base))
			remove_unheld(dirfd(list), e->d_name);
	closedir(list);
}
