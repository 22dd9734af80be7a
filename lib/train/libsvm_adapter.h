/*
 * libsvm_adapter.h - LIBSVM as a library
 *
 * LIBSVM prints through one function pointer of the process, and draws its folds from
 * rand(): call these from one thread at a time.  It crashes where malloc() fails, so that room for
 * all it may take is looked for beforehand: these fail with ERR_MEMORY where there is none, and
 * give it a smaller cache where that makes it fit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LIBSVM_ADAPTER_H
#define RANDSVM_LIBSVM_ADAPTER_H

#include "base/error.h"
#include "matrix/dataset.h"
#include "problem/solution.h"
#include "problem/solver.h"
#include "problem/training.h"

/* Where LIBSVM's messages go; 'print' may be NULL for nowhere. */
struct libsvm_messages {
	void (*print)(void *arg, const char *text);
	void *arg;
};

/*
 * libsvm_check() - would svm-train take this?
 *
 * Returns NULL, or LIBSVM's own reason, such as "C <= 0".  NULL too when memory is short:
 * training will say so.
 */
const char *libsvm_check(const struct dataset *d, const struct training *t);

/*
 * libsvm_train() - hand everything to LIBSVM once, as svm-train does
 *
 * Fills the empty '*s'.  Copies the data: 16 bytes an entry and 24 a row.  'd' must have passed
 * libsvm_check().
 */
int libsvm_train(const struct dataset *d, const struct training *t,
		 const struct libsvm_messages *messages, struct solution *s, struct error *err);

/*
 * libsvm_cross_validate() - predicted[i] = what a model trained without i's fold says of i
 *
 * Folds come from rand(), in svm-train's order.
 */
int libsvm_cross_validate(const struct dataset *d, const struct training *t, int n_folds,
			  const struct libsvm_messages *messages, double *predicted,
			  struct error *err);

/* libsvm_solver() - LIBSVM for subproblems; it starts from zero whatever 'beta' holds */
struct solver libsvm_solver(double cache_mb, bool shrinking);

/* libsvm_version_number() - of the library linked: 324 is 3.24 */
int libsvm_version_number(void);

#endif
