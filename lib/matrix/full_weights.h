/*
 * full_weights.h - weights of all features up to the highest, as LIBLINEAR's models have them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/*
 * full_weights_check() - are the weights [n_features + 1][n_columns] worth their room?
 *
 * Not where they are more than 2^30, and more than 16 for each of n_entries: hashed features have
 * numbers up to 2^31, and a file of such weights is gigabytes of zeros.  ERR_ARGUMENT then, whose
 * text names the highest feature.
 */
int full_weights_check(int64_t n_features, int64_t n_columns, int64_t n_entries, struct error *err);

/*
 * full_weights() - weights of 0, the last row for the constants; to be freed
 *
 * Fails as full_weights_check() does, or with ERR_MEMORY and the same text.
 */
double *full_weights(int64_t n_features, int64_t n_columns, int64_t n_entries, struct error *err);
