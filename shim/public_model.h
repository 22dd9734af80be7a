/*
 * public_model.h - svm_model, whose fields callers read and edit, and the library's struct model
 *
 * All arrays of a svm_model are malloc()'s: callers may free or replace them.  Support vectors
 * point into the rows trained on (free_sv is 0), or into one array of all nodes that begins with
 * the first vector's (free_sv is 1), as LIBSVM has them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/model.h"
#include "matrix/svm_header.h"

/*
 * public_model_fault() - why the fields are no model; NULL: they are one
 *
 * Counts must add up and arrays that the machine needs must be there; what is in the arrays of
 * numbers is not looked at.  O(nr_class).
 */
const char *public_model_fault(const struct svm_model *model);

/*
 * public_model_view() - type, kernel, and of the solution all but coefficients and vectors, borrowed
 *
 * Its other fields stay as they are: to clear a struct model would take as long as a prediction by a
 * small one.
 */
void public_model_view(struct model *view, const struct svm_model *m);

/*
 * public_model_make() - a svm_model of a solution, without vectors: all SV[j] are NULL
 *
 * For svm_free_and_destroy_model().  NULL with ERR_MEMORY, or with ERR_ARGUMENT if there are more
 * than INT_MAX support vectors.
 */
struct svm_model *public_model_make(const struct solution *s, const struct svm_parameter *param,
				    struct error *err);
