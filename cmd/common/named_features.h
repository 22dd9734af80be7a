/*
 * named_features.h - a file of names, and the features that it is to name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "select/selection_map.h"

/* Features of data or of a model that names are read for. */
struct named_features {
	int64_t highest;
	bool has_feature_0;
	/* permission for feature 0 to have no name, as in models by rp-project --fold */
	bool or_from_1;
	/* words for messages on whose features are counted, such as "the data count" */
	const char *whose;
};

/* named_features_read() - feature_names_read(), or end the program with a message */
void named_features_read(struct feature_names *names, const char *file);

/*
 * named_features_fit() - do the names in 'file' belong to these features?
 *
 * With a feature 0, line 1 is its name (names->from_0), and a note says so; but with or_from_1, and
 * as many names as the highest feature, line 1 is that of feature 1.  Ends the program if another
 * feature has no name.  Of one name more than features, empty lines at the end aside, a note shows
 * the first: it may be a heading.
 */
void named_features_fit(struct feature_names *names, const char *file,
			const struct named_features *f);
