/*
 * model_check.h - what a model must be, whether it was read or trained
 *
 * These are the parts of model_check() that model_read() calls itself, to name the line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MODEL_CHECK_H
#define RANDSVM_MODEL_CHECK_H

#include "model/model.h"

/*
 * model_check_kernel() - refuse constants that no training makes, with ERR_FORMAT, and those that
 * are not finite, with ERR_NUMERIC; a file omits the constants of other kernels
 */
int model_check_kernel(const struct kernel *k, struct error *err);

/*
 * model_check_classes() - refuse labels that are not all different, with ERR_FORMAT
 *
 * Without labels there must be two classes, as models of regression and one-class have it; 'kind'
 * is the name of such a model for the message.
 */
int model_check_classes(const struct solution *s, const char *kind, struct error *err);

/*
 * model_check_vector_counts() - refuse n_sv_of_class that does not add up to n_sv, and support
 * vectors of a single class, with ERR_FORMAT
 */
int model_check_vector_counts(const struct solution *s, struct error *err);

#endif
