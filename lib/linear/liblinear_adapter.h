/*
 * liblinear_adapter.h - LIBLINEAR as a library: its machines with the 1-norm
 *
 *     minimise over w   sum_j |w_j| + C sum_i loss(y_i w.(x_i, 1))
 *
 *     loss(z) = max(0, 1 - z)^2        solver 5, L1R_L2LOSS_SVC: the squared hinge
 *     loss(z) = log(1 + exp(-z))       solver 6, L1R_LR: logistic regression
 *
 * by coordinate descent; the constant feature 1 has a weight, which is in the sum of the |w_j|
 * (liblinear-train -B 1).  With more than two classes there is a machine for each against the rest.
 *
 * LIBLINEAR draws from rand() and prints through one function pointer of the process, so that threads
 * wait for each other here.  It crashes where malloc() fails, so liblinear_train() first makes sure
 * that there is memory for all that it takes.  (Where it crashes all the same,
 * shared_library_running() knows.)
 *
 * LIBLINEAR is loaded by the first function that needs it, which fails as shared_library_load()
 * does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/csr.h"

enum liblinear_loss { LIBLINEAR_SQUARED_HINGE, LIBLINEAR_LOGISTIC };

struct liblinear_training {
	enum liblinear_loss loss;
	double C; /* parameter C of LIBLINEAR, > 0 */
	/* tolerance of LIBLINEAR, > 0: liblinear-train's -e, 0.01 by default there */
	double eps;
	unsigned seed; /* argument of srand(); liblinear-train has 1 */
};

/* Rows and labels in LIBLINEAR's form. */
struct liblinear_data;

#ifdef HAVE_LIBLINEAR
/*
 * liblinear_data_new() - a copy of the rows 'x', columns 0 .. x->n_cols - 1; 'y' is borrowed
 *
 * 'y' has a class, a whole number within an int, for each row.  Memory: 16 bytes an entry, 24 a
 * row.  NULL with ERR_MEMORY, or ERR_ARGUMENT where there are more rows or columns than LIBLINEAR
 * can count.
 */
struct liblinear_data *liblinear_data_new(const struct csr *x, const double *y, struct error *err);

void liblinear_data_free(struct liblinear_data *d);

/*
 * liblinear_train() - size[j] = sum over the machines of |w_j|, for each column j of the rows
 *
 * Starts from w = 0: LIBLINEAR takes initial solutions for its solvers 0, 2 and 11 alone.  Another
 * 16 bytes an entry while it trains, and 128 a row or column.  Returns 0; 1 if a machine ended at
 * LIBLINEAR's limit of iterations, short of 'eps', as those do whose features differ much in size;
 * -1 with ERR_MEMORY, ERR_ARGUMENT (what LIBLINEAR refuses, or a bound of memory too small for it),
 * or ERR_NUMERIC where a weight is not finite: values too large.
 */
int liblinear_train(const struct liblinear_data *d, const struct liblinear_training *t,
		    double *size, struct error *err);

/* liblinear_version_number() - version of LIBLINEAR: 230 is 2.30 */
int liblinear_version_number(int *version, struct error *err);
#else
/* built without linear.h */
static inline int liblinear_version_number(int *version, struct error *err)
{
	*version = 0;
	return error_set(err, ERR_LIBRARY, "this program was built without LIBLINEAR");
}
#define liblinear_data_new(x, y, err) \
	((void)(y), liblinear_version_number(&(int){ 0 }, err), (struct liblinear_data *)NULL)
#define liblinear_data_free(d) ((void)(d))
#define liblinear_train(d, t, size, err) ((void)(t), liblinear_version_number(&(int){ 0 }, err))
#endif
