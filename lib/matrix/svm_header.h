/*
 * svm_header.h - LIBSVM's header: its structs, and the functions that the shim exports
 *
 * The structs are those of the header that is installed, so that the shim fits the programs that
 * were compiled with it: LIBSVM 3.30 has given svm_model one more field.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

/* all else is hidden */
#pragma GCC visibility push(default)
#if !defined(HAVE_LIBSVM)
/* all that rows in arrays of LIBSVM's need; there is no shim without its header */
struct svm_node {
	int index;
	double value;
};
struct svm_model;
struct svm_parameter;
struct svm_problem;
#elif __has_include(<libsvm/svm.h>)
#include <libsvm/svm.h>
#else
#include <svm.h>
#endif
#pragma GCC visibility pop

/* Are there probabilities of one-class models? */
#define SVM_HAS_DENSITY_MARKS (LIBSVM_VERSION >= 330)

/* Number of marks of a one-class model. */
enum { SVM_DENSITY_MARKS = 10 };
