/*
 * certify_linear.h - LIBLINEAR's part of certify.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CERTIFY_LINEAR_H
#define RANDSVM_CERTIFY_LINEAR_H

#include "evaluate/certify.h"

/*
 * certify_linear_model() - certify_model() for a model of LIBLINEAR's kind, into the empty '*c'
 *
 * O(entries) for each column of weights and scan; of squared losses also O(entries^2) of each row
 * with a loss, where Newton steps are taken.  Fails as certify_model() does.
 */
int certify_linear_model(struct model_certificate *c, const struct linear_model *m,
			 const struct row_source *data, const struct training *t, int n_threads,
			 struct error *err);

/* certify_linear_scans_once() - does a LIBLINEAR model's certificate need a single scan? */
bool certify_linear_scans_once(const struct linear_model *m);

#endif
