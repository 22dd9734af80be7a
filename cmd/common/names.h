/*
 * names.h - files of names: of the classes that labels are numbers of, and of features
 *
 *     1 bad                 a file as svm-convert --labels writes it: on each line a number, a
 *     2 rather good         blank, and a name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "select/selection_map.h"
#include "tables/class_names.h"

/* class_names_read() - class_names_take() of the file, or end the program with a message */
void class_names_read(struct class_names *names, const char *file);

/* Room for a name in a table or a picture; what is longer ends in "...". */
enum { CLASS_NAME_SIZE = 48 };

/* class_names_show() - the name, control bytes as '?', or the label; returns 'to' */
const char *class_names_show(const struct class_names *names, int label, char to[CLASS_NAME_SIZE]);

/* CLASS_NAME() - the same in a text of its own, until the end of the block */
#define CLASS_NAME(names, label) class_names_show(names, label, (char[CLASS_NAME_SIZE]){ 0 })

/*
 * CLASS_WORD(), CLASS_KEY() - the name as a word of a line, or as it is; or the label as a text of its
 * own, until the end of the block
 */
#define CLASS_WORD(names, label) \
	class_name_or_label(class_names_word(names, label), label, (char[12]){ 0 })
#define CLASS_KEY(names, label) \
	class_name_or_label(class_names_find(names, label).start, label, (char[12]){ 0 })
const char *class_name_or_label(const char *name, int label, char number[12]);

/* ---- names of features ---- */

/* Features of data or of a model that names are read for. */
struct named_features {
	int64_t highest;
	bool has_feature_0;
	/* permission for feature 0 to have no name, as in models by rp-project --fold */
	bool or_from_1;
	/* words for messages on whose features are counted, such as "the data count" */
	const char *whose;
};

/* cli_read_lines() - feature_names_read(), or end the program with a message; 'what' is the file */
void cli_read_lines(struct feature_names *lines, const char *what, const char *file);

/*
 * named_features_fit() - do the names in 'file' belong to these features?
 *
 * With a feature 0, line 1 is its name (names->from_0), and a note says so; but with or_from_1, and
 * as many names as the highest feature, line 1 is that of feature 1.  Ends the program if another
 * feature has no name.  Of one name more than features, empty lines at the end aside, or of twice as
 * many, a note shows the first: it may be a heading, or the names are of other features.
 */
void named_features_fit(struct feature_names *names, const char *file,
			const struct named_features *f);
