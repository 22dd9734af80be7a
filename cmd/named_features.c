/*
 * named_features.c - a file of names, and the features that it is to name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "named_features.h"

#include <inttypes.h>

#include "common/files.h"
#include "common/process.h"

void named_features_read(struct feature_names *names, const char *file)
{
	struct error err = { 0 };

	if (feature_names_read(names, file, &err) < 0)
		cli_fail_reading("names file", file, &err);
}

/* Is the last line of the names no name? */
static bool ends_blank(const struct feature_names *n)
{
	return n->n > 0 && n->text.bytes[n->start[n->n - 1]] == '\n';
}

void named_features_fit(struct feature_names *names, const char *file,
			const struct named_features *f)
{
	int64_t n = names->n, n_wanted = f->highest + f->has_feature_0;

	if (n < n_wanted)
		cli_fail("--names: %s has %" PRId64 " names for %" PRId64 " features%s", file, n,
			 n_wanted, f->has_feature_0 ? ", which count from 0" : "");
	names->from_0 = f->has_feature_0;
	if (f->quiet)
		return;
	if (names->from_0)
		cli_note("--names: %s features from 0: line 1 of %s names feature 0", f->whose,
			 file);
	if (n > n_wanted && !ends_blank(names))
		cli_warn("warning: --names: %s has %" PRId64
			 " names, and the highest feature is %" PRId64 "%s",
			 file, n, f->highest,
			 n == n_wanted + 1 ? ": does it begin with a header line?" : "");
}
