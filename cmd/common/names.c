/*
 * names.c - files of names: of the classes that labels are numbers of, and of features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "names.h"

#include "files.h"
#include "process.h"

void class_names_read(struct class_names *names, const char *file)
{
	struct input *from = cli_open_input(file);
	struct error err = { 0 };

	cli_check(class_names_take(names, from, &err), &err);
	input_close(from);
}

const char *class_names_show(const struct class_names *names, int label, char to[CLASS_NAME_SIZE])
{
	const struct text_span name = class_names_find(names, label);

	if (name.start)
		return error_quote(to, CLASS_NAME_SIZE, name.start, (size_t)name.length);
	snprintf(to, CLASS_NAME_SIZE, "%d", label);
	return to;
}

const char *class_name_or_label(const char *name, int label, char number[12])
{
	snprintf(number, 12, "%d", label);
	return name ? name : number;
}

/* ---- names of features ---- */

void cli_read_lines(struct feature_names *lines, const char *what, const char *file)
{
	struct error err = { 0 };

	if (feature_names_read(lines, file, &err) < 0)
		cli_fail_reading(what, file, &err);
}

/* Number of lines up to the last one that is not empty. */
static int64_t count_names(const struct feature_names *names)
{
	int64_t n = names->n;

	while (n > 0 && feature_names_line(names, n).length == 0)
		n--;
	return n;
}

/* Largest number of bytes of a name that a message shows. */
#define NAME_SHOWN 40

/* Note names too many: one may be a heading, which shifts all names; or they are of other features. */
static void note_surplus(const struct feature_names *names, const char *file, int64_t highest)
{
	const struct text_span first = feature_names_line(names, 1);

	cli_remark("--names: %s has %" PRId64 " names, and the highest feature is %" PRId64
		   ": line 1, '%.*s', names feature %d",
		   file, count_names(names), highest, (int)int64_min(first.length, NAME_SHOWN),
		   first.start, names->from_0 ? 0 : 1);
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
	/* of some too many the last features have no values, as in a model of chosen features */
	if (count_names(names) == n_wanted + 1 || count_names(names) >= 2 * n_wanted)
		note_surplus(names, file, f->highest);
	else if (names->from_0)
		cli_remark("--names: %s features from 0: line 1 of %s names feature 0", f->whose,
			   file);
	else if (f->has_feature_0)
		cli_remark("--names: line 1 of %s names feature 1, and feature 0 has no name",
			   file);
}
