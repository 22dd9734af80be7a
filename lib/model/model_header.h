/*
 * model_header.h - the `key value ...` lines that open a model file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MODEL_HEADER_H
#define RANDSVM_MODEL_HEADER_H

#include "model/model.h"
#include "model/model_text.h"

/* How files spell enum machine_type and enum kernel_type. */
extern const char *const model_machine_name[];
extern const char *const model_kernel_name[];

/* Marks in a one-class model with probabilities: LIBSVM's reader takes no other number. */
#define MODEL_DENSITY_MARKS 10

/*
 * model_read_header() - read up to and including the line `SV` or `w`
 *
 * Fills the empty '*m' but for the body: m->solution.coef, m->sv, m->linear.w.  On success every
 * key that this kind of model needs was there once, no key was there that has no place in it, and
 * counts agree.  m->solution.n_sv and m->linear.n_features are what the file claims, which the
 * body has yet to show.  On failure -1, and the caller frees '*m'.
 */
int model_read_header(struct model *m, struct model_text *t);

#endif
