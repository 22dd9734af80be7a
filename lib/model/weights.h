/*
 * weights.h - the weights of the features in a linear model of either kind
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/model.h"

/*
 * struct model_weights - decision value v of x is constant[v] + sum_i w[i][v] x_feature[i]
 *
 * Columns are the decision values in the order of predict.h: a pair of classes or a class each.
 * Owns its arrays; a zeroed struct is empty.
 */
struct model_weights {
	int64_t n_columns;
	int64_t n;	  /* features that have a weight other than 0 */
	int64_t *feature; /* n features, ascending, numbered as in the data */
	double *w;	  /* weights, [n][n_columns] */
	double *constant; /* constant of each column; n_columns */
};

/*
 * model_weights() - the weights of 'm' into the empty '*w'
 *
 * Models of support vectors are summed up as by model_compact().  O(weights log weights), and that.
 * Fails with ERR_MEMORY, with ERR_ARGUMENT if the kernel is not linear, or with ERR_NUMERIC where a
 * sum is not finite; '*w' is then empty.
 */
int model_weights(struct model_weights *w, const struct model *m, struct error *err);

void model_weights_free(struct model_weights *w);

/*
 * model_weights_order() - numbers of the n features by descending |weight| in a column
 *
 * Of equal ones the lower feature comes first.  The caller frees the result; NULL with ERR_MEMORY.
 */
int64_t *model_weights_order(const struct model_weights *w, int64_t column, struct error *err);
