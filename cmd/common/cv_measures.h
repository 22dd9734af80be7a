/*
 * cv_measures.h - the measures of svm-eval, of what a cross validation predicted
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CV_MEASURES_H
#define RANDSVM_CV_MEASURES_H

#include "eval_measures.h"
#include "evaluate/cv_predictions.h"
#include "matrix/dataset.h"

/* cv_measures_wanted() - measures that have no files, for cv_measures() */
struct measures cv_measures_wanted(void);

/*
 * cv_measures() - sum up n rows of 'd', with their labels or targets and weights: row[k], or all n
 * of them if 'row' is NULL
 *
 * Calls measures_begin() and measures_finish().  'kind' is what the machine predicts.  On failure,
 * ERR_MEMORY, '*m' is freed.
 */
int cv_measures(struct measures *m, const struct cv_predictions *c, enum prediction_kind kind,
		const struct dataset *d, const int64_t *row, int64_t n, struct error *err);

#endif
