/*
 * named_features.h - a file of names, and the features that it is to name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NAMED_FEATURES_H
#define RANDSVM_NAMED_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "select/selection_map.h"

/* The features of data or of a model. */
struct named_features {
	int64_t highest;
	bool has_feature_0;
	bool quiet;	   /* no notes and warnings */
	bool or_from_1;	   /* feature 0 may have no name: rp-project --fold makes one */
	const char *whose; /* "the data count", for messages */
};

/* named_features_read() - feature_names_read(); ends the program if it fails */
void named_features_read(struct feature_names *names, const char *file);

/*
 * named_features_fit() - do the names in 'file' belong to these features?
 *
 * With a feature 0, line 1 is its name (names->from_0), and a note says so; but with or_from_1, and
 * as many names as the highest feature, line 1 is that of feature 1.  Ends the program if another
 * feature has no name.  Of more names than features, empty lines at the end aside, a note shows the
 * first: it may be a heading, or the last features may have no values, or no weights.
 */
void named_features_fit(struct feature_names *names, const char *file,
			const struct named_features *f);

#endif
