/*
 * temp_file.h - the temporary names of files that are written, and what killed processes left of them
 *
 * While a file has the name .TARGET.tmpPROCESS-TIME its writer holds flock(2) on it, which ends with
 * the process however that ends.  So a file of such a name that nobody holds was left behind by
 * SIGKILL or a failure of power.  Processes in other containers, and on other machines where the
 * file system shares locks, hold theirs likewise, though their numbers say nothing here.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TEMP_FILE_SUFFIX = 64 }; /* bytes of a name beyond those of its target, final 0 included */

/* file_base() - the part of a path behind its folder */
const char *file_base(const char *path);

/* temp_file_name() - a new name beside 'target'; 'size' is strlen(target) + TEMP_FILE_SUFFIX */
void temp_file_name(char *name, size_t size, const char *target);

/*
 * temp_file_hold() - hold the file that 'fd' has open, which may have no name yet
 *
 * Returns another descriptor of it, to be closed when the file has its last name; -1 where there is
 * none left.  Where the file system knows no locks nothing is held, and nothing removed either.
 */
int temp_file_hold(int fd);

/* temp_file_is_gone() - has a file that had a name lost it, before it was held? */
bool temp_file_is_gone(int fd);

/*
 * temp_file_remove_stale() - remove files of temporary names beside 'target' that nobody holds
 *
 * Looks at the first thousands of files in the folder: more would cost more than they are worth.
 */
void temp_file_remove_stale(const char *target);
