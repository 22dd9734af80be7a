/*
 * margin.h - the norms of a model's separating directions, and so its margins
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MARGIN_H
#define RANDSVM_MARGIN_H

#include <stdint.h>

#include "base/error.h"
#include "model/predict.h"

/*
 * margin_norms() - norm2[v] = |w|^2 of each of the p->n_values decision functions
 *
 * The margin, half the width of the corridor between the classes, is 1 / |w|.  For LIBSVM's models
 * |w|^2 = sum_jk coef_j coef_k K(s_j, s_k) in the space of the kernel, from the vectors and
 * coefficients of the file; it is below 0 for some kernels that are not positive definite.  For
 * LIBLINEAR's models |w|^2 is without the weight of the bias.
 *
 * O(n_sv^2) kernel values and 8 n_sv n_values bytes; O(weights) and no memory where the predictor
 * has weights.  The bits do not depend on n_threads.  Fails with ERR_MEMORY, or with ERR_ARGUMENT
 * for a precomputed kernel, whose values the file does not have.
 */
int margin_norms(const struct predictor *p, double *norm2, int n_threads, struct error *err);

#endif
