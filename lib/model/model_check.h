/*
 * model_check.h - what a model must be, read or trained
 *
 * The parts of model_check() that model_read() calls itself, to name the line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MODEL_CHECK_H
#define RANDSVM_MODEL_CHECK_H

#include "model/model.h"

/*
 * model_check_classes() - labels differ, or without labels there are the two classes that
 * regression and one-class, whose name is 'kind', pretend
 */
int model_check_classes(const struct solution *s, const char *kind, struct error *err);

/* model_check_vector_counts() - of the classes they add up to all, and a single class has none */
int model_check_vector_counts(const struct solution *s, struct error *err);

#endif
