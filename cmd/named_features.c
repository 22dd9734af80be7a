/*
 * named_features.c - a file of names, and the features that it is to name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "named_features.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "common/files.h"
#include "common/process.h"

void named_features_read(struct feature_names *names, const char *file)
{
	struct error err = { 0 };

	if (feature_names_read(names, file, &err) < 0)
		cli_fail_reading("names file", file, &err);
}

/* Is it a word that stands above a column of names? */
static bool is_heading(const char *word, size_t length)
{
	static const char *const headings[] = { "name",	  "names",   "feature", "features", "gene",
						"genes",  "word",    "words",	"term",	    "terms",
						"symbol", "symbols", "id",	"ids" };

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (strlen(headings[i]) == length && strncasecmp(word, headings[i], length) == 0)
			return true;
	return false;
}

/* Does line 1 begin with '#', or hold a heading and no number, which "gene 1" has? */
static bool has_header(const struct feature_names *n)
{
	const struct text_span line = feature_names_line(n, 1);
	bool heading = false;

	if (line.length > 0 && line.start[0] == '#')
		return true;
	for (int64_t i = 0, end; i < line.length; i = end + 1) {
		for (end = i; end < line.length && isalpha((unsigned char)line.start[end]);)
			end++;
		if (end < line.length && isdigit((unsigned char)line.start[end]))
			return false;
		heading = heading || is_heading(line.start + i, (size_t)(end - i));
	}
	return heading;
}

void named_features_fit(struct feature_names *names, const char *file,
			const struct named_features *f)
{
	bool from_0 = f->has_feature_0 && !(f->or_from_1 && names->n == f->highest);
	int64_t n = names->n, n_wanted = f->highest + from_0;

	if (n < n_wanted)
		cli_fail("--names: %s has %" PRId64 " names for %" PRId64 " features%s", file, n,
			 n_wanted, from_0 ? ", which count from 0" : "");
	names->from_0 = from_0;
	if (f->quiet)
		return;
	if (names->from_0)
		cli_note("--names: %s features from 0: line 1 of %s names feature 0", f->whose,
			 file);
	else if (f->has_feature_0)
		cli_note("--names: line 1 of %s names feature 1, and feature 0 has no name", file);
	if (n > n_wanted && has_header(names))
		cli_warn("warning: --names: %s has %" PRId64
			 " names, and the highest feature is %" PRId64
			 ": does it begin with a header line?",
			 file, n, f->highest);
}
