/*
 * files.c - the files that a command line names: opened, kept apart, written all or none
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "files.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What follows the folder in 'path'; *folder becomes that folder. */
static const char *split_path(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");

	if (!name || stat(name, folder) < 0)
		*folder = (struct stat){ 0 };
	free(name);
	return slash ? slash + 1 : path;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	bool exists = stat(a, &x) == 0;

	if (exists != (stat(b, &y) == 0))
		return false;
	if (exists)
		return S_ISREG(x.st_mode) && same_inode(&x, &y);
	return strcmp(split_path(a, &x), split_path(b, &y)) == 0 && same_inode(&x, &y);
}

bool cli_is_standard_output(const char *name)
{
	struct stat x, y;

	if (!strcmp(name, "-") || !strcmp(name, "/dev/stdout") || !strcmp(name, "/dev/fd/1"))
		return true;
	return stat(name, &x) == 0 && fstat(STDOUT_FILENO, &y) == 0 && !S_ISCHR(x.st_mode) &&
	       same_inode(&x, &y);
}

void cli_keep_apart(const char *file, const char *other)
{
	if (file && other && strcmp(file, "-") != 0 && strcmp(other, "-") != 0 &&
	    same_file(file, other))
		cli_fail("%s: '%s' and '%s' are the same file", cli_program_name(), file, other);
}

/* Standard input can be read once. */
static void keep_standard_input_apart(const char *const *input, int n)
{
	int n_standard = 0;

	for (int i = 0; i < n; i++)
		n_standard += input[i] && strcmp(input[i], "-") == 0;
	if (n_standard > 1)
		cli_fail("%s: '-': only one file can come from standard input", cli_program_name());
}

void cli_keep_all_apart(const char *const *output, const char *const *input, int n)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			cli_keep_apart(output[i], input[j]);
		for (int j = i + 1; j < n; j++) {
			cli_keep_apart(output[j], output[i]);
			if (output[i] && output[j] && cli_is_standard_output(output[i]) &&
			    cli_is_standard_output(output[j]))
				cli_fail("%s: '%s' and '%s' are both standard output",
					 cli_program_name(), output[i], output[j]);
		}
	}
	keep_standard_input_apart(input, n);
}

bool cli_is_file(const char *name)
{
	struct stat s;

	return strcmp(name, "-") != 0 && stat(name, &s) == 0 && S_ISREG(s.st_mode);
}

struct input *cli_open_input(const char *name)
{
	struct error err = { 0 };
	struct input *input;

	if (input_open(&input, name, &err) < 0)
		cli_fail("can't open input file %s: %s", name, err.text);
	return input;
}

struct output *cli_open_output(const char *name, bool compress, const char *what)
{
	struct error err = { 0 };
	struct output *output;

	if (output_open(&output, name, compress, &err) < 0)
		cli_fail("can't open %s %s: %s", what, name, err.text);
	return output;
}

int cli_cannot_write(const char *what, const char *name, const struct error *reason,
		     struct error *err)
{
	if (strcmp(name, "-") == 0)
		return error_set(err, reason->code, "can't write standard output: %s",
				 reason->text);
	return error_set(err, reason->code, "can't write %s %s: %s", what, name, reason->text);
}

void cli_fail_output(const char *what, const char *name, const struct error *reason)
{
	if (strcmp(name, "-") == 0)
		cli_fail("can't write standard output: %s", reason->text);
	cli_fail("can't write %s %s: %s", what, name, reason->text);
}

int cli_write(const struct cli_output *to, const void *bytes, int64_t size, struct error *err)
{
	struct error reason = { 0 };

	if (output_write(to->output, bytes, size, &reason) == 0)
		return 0;
	return cli_cannot_write(to->what, to->name, &reason, err);
}

void cli_commit_all(const struct cli_output *outputs, int n)
{
	struct output *all[CLI_MAX_OUTPUTS];
	struct error err = { 0 };
	int failed;

	assert(n <= CLI_MAX_OUTPUTS);
	for (int i = 0; i < n; i++)
		all[i] = outputs[i].output;
	if (output_commit_all(all, n, &failed, &err) < 0)
		cli_fail_output(outputs[failed].what, outputs[failed].name, &err);
}
