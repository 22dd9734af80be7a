/*
 * api_files.c - files that are read and written by name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "api.h"
#include "io/input.h"
#include "io/output.h"

int api_name_file(const char *path, const struct error *reason, struct error *err)
{
	char name[256];

	if (reason->code == ERR_NONE)
		return 0;
	if (reason->code != ERR_IO)
		return error_pass(err, reason);
	return error_set(err, ERR_IO, "%s: %s", error_quote(name, sizeof(name), path, strlen(path)),
			 reason->text);
}

int api_open_file(struct input **input, const char *path, struct error *err)
{
	struct error reason = { 0 };

	if (api_need(path, "file name", err) < 0)
		return -1;
	input_open(input, path, &reason);
	return api_name_file(path, &reason, err);
}

int api_write_file(const char *path,
		   int (*write)(const void *what, struct output *to, struct error *err),
		   const void *what, struct error *err)
{
	struct error reason = { 0 };

	if (api_need(path, "file name", err) < 0)
		return -1;
	output_write_file(path, write, what, &reason);
	return api_name_file(path, &reason, err);
}
