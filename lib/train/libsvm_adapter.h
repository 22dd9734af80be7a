/*
 * libsvm_adapter.h - LIBSVM as a library
 *
 * LIBSVM prints through one function pointer of the whole process, so that threads wait for each other
 * here; and draws folds, also those of probabilities, from rand(), which the caller has seeded.
 *
 * LIBSVM crashes if malloc() fails.  Therefore these functions check beforehand that there is room
 * for all memory it may use.  They give it a smaller kernel cache if that makes it fit, and fail
 * with ERR_MEMORY if it does not fit with the smallest.  Where LIBSVM crashes all the same, as
 * other threads may take the room, shared_library_running() knows.
 *
 * LIBSVM is loaded by the first function that needs it, which fails as shared_library_load() does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/solution.h"
#include "problem/solver.h"
#include "problem/training.h"

/* Receiver of LIBSVM's messages, which are dropped where it or its 'print' is NULL. */
struct libsvm_messages {
	void (*print)(void *arg, const char *text);
	void *arg;
};

/*
 * libsvm_least_bytes() - memory that LIBSVM takes to train n examples, with the smallest cache
 *
 * With the copy of the data, of which LIBSVM gives no page back; but of a single class it reads
 * none.  n_class is 2 for regression and one-class.
 */
int64_t libsvm_least_bytes(int64_t n, int64_t n_class, int64_t n_entries);

#ifdef HAVE_LIBSVM
/*
 * libsvm_train() - train with one call of LIBSVM on the whole data set, as svm-train does
 *
 * Fills the empty '*s'.  Copies the data: 16 bytes for each entry and 24 for each row.  'd' and 't'
 * must have passed training_fault() and classes_allow_nu().
 */
int libsvm_train(const struct dataset *d, const struct training *t,
		 const struct libsvm_messages *messages, struct solution *s, struct error *err);

/*
 * libsvm_cross_validate() - cross validation, with folds of LIBSVM's
 *
 * predicted[i] is the prediction for example i of a model trained without the fold of i.  LIBSVM
 * draws the folds from rand(), as svm-train does.
 */
int libsvm_cross_validate(const struct dataset *d, const struct training *t, int n_folds,
			  const struct libsvm_messages *messages, double *predicted,
			  struct error *err);

/* libsvm_solver() - LIBSVM as the solver of subproblems; starts from all multipliers 0 */
struct solver libsvm_solver(double cache_mb, bool shrinking);

/* libsvm_version_number() - version of LIBSVM; 324 is 3.24 */
int libsvm_version_number(int *version, struct error *err);
#else
/* built without svm.h */
static inline int libsvm_version_number(int *version, struct error *err)
{
	*version = 0;
	return error_set(err, ERR_LIBRARY, "this program was built without LIBSVM");
}
#define libsvm_train(d, t, messages, s, err) libsvm_version_number(&(int){ 0 }, err)
#define libsvm_cross_validate(d, t, n_folds, messages, predicted, err) \
	libsvm_version_number(&(int){ 0 }, err)
#define libsvm_solver(cache_mb, shrinking) ((struct solver){ 0 })
#endif
