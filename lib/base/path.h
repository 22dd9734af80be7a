/*
 * path.h - the parts of a path
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PATH_H
#define RANDSVM_PATH_H

#include <string.h>

/* path_base() - what is behind the folder's part of a path, which ends in its last slash */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
