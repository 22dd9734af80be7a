/*
 * common_options.c - the options that several programs share, and what they hold
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common_options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problem/classes.h"
#include "process.h"

/* Bytes that a program takes for buffers and small pieces, beyond its memory at the start. */
#define BUFFERS (12 << 20)

const char *const common_loss_names[] = { "hinge", "squared", NULL };

struct rows_options common_rows_options(const struct common_options *c)
{
	return (struct rows_options){ .strict = c->strict,
				      .allow_nonfinite = c->allow_nonfinite,
				      .groups_by_qid = c->by_qid };
}

void common_warn_weights(const struct training *t, const int *label, int n)
{
	for (int k = 0; k < t->n_weights; k++)
		if (label_find(label, n, t->weight[k].label) < 0)
			cli_warn("WARNING: class label %d specified in weight is not found",
				 t->weight[k].label);
}

void common_need_memory(int64_t bytes)
{
	int64_t least = mem_least_bound(bytes + BUFFERS);

	/* two megabytes to spare, as memory at the start differs between runs */
	if (mem_bound() > 0 && mem_bound() < least)
		cli_fail("--memory %" PRId64 " is too small: %" PRId64 " MB would do",
			 mem_bound() / MEGABYTE, least / MEGABYTE + 2);
}

/*
 * The folder for arrays: the one that --spill names, else that of the output, or the current one
 * where that cannot be written to.  That the output cannot be where it is to be is told when it is
 * opened.
 */
static void choose_folder(char *folder, size_t size, const struct common_options *c,
			  const char *output)
{
	const char *slash = output ? strrchr(output, '/') : NULL;

	if (c->spill) {
		snprintf(folder, size, "%s", c->spill);
		return;
	}
	snprintf(folder, size, ".");
	/* folders of devices are no place for files */
	if (slash && strncmp(output, "/dev/", 5) != 0)
		snprintf(folder, size, "%.*s", slash == output ? 1 : (int)(slash - output), output);
	if (access(folder, W_OK | X_OK) < 0)
		snprintf(folder, size, ".");
}

void common_bound_memory(const struct common_options *c, const char *output)
{
	char folder[PATH_MAX];
	struct error err = { 0 };
	struct stat status;

	if (c->memory_mb == 0)
		return;
	choose_folder(folder, sizeof(folder), c, output);
	if (c->spill && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
		cli_fail("--spill takes a folder here: '%s' is a file", folder);
	if (c->spill && access(folder, W_OK | X_OK) < 0)
		cli_fail("--spill: cannot write into the folder '%s': %s", folder, strerror(errno));
	/* pieces that are kept when they are freed would count as memory */
	memory_give_back(MEGABYTE, MEGABYTE);
	cli_check(
		mem_set_bound(c->memory_mb * MEGABYTE, folder, "try another --spill folder", &err),
		&err);
}
