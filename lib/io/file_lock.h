/*
 * file_lock.h - at most one process at a time writes a file
 *
 * The lock is flock(2) on an empty file .NAME.lock beside the file, because the file itself is
 * replaced whenever it is written.  It ends with the process, however that ends; the lock's file is
 * removed too, except by SIGKILL, and one that was left behind holds nobody up.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct file_lock {
	int fd;	    /* descriptor of the lock's file; the lock lasts while the descriptor is open */
	char *name; /* name of the lock's file; NULL: no lock is held */
};

/*
 * file_lock_take() - lock 'path', a file that is there or will be; symbolic links are followed
 *
 * '*taken' is false where another process has locked it.  Where the file system knows no locks
 * nothing is locked, and '*taken' is true.  Fails with ERR_IO (the bare reason) where the lock's
 * file cannot be made, or with ERR_MEMORY.
 */
int file_lock_take(struct file_lock *lock, const char *path, bool *taken, struct error *err);

/* file_lock_release() - unlock the file if locked; fine on a zeroed struct */
void file_lock_release(struct file_lock *lock);
