/*
 * print_string.h - messages to the caller's print function, errors to standard error
 *
 * The caller sets the function by svm_set_print_string_function(); until then, and after a NULL,
 * messages go to standard output.  Where the caller has a LIBSVM of its own (host_is_replaced())
 * they go nowhere, and warnings to standard error: copies within modules of other languages do not
 * print.  The function is called by svm_train() and svm_cross_validation() alone, as LIBSVM does:
 * svmutil's ends with the parameters that it was set for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "train/libsvm_adapter.h"

/* print_string_receiver() - the print function as a receiver of the library's lines */
struct libsvm_messages print_string_receiver(void);

/* print_string_warning() - "WARNING: ..." and a newline, formatted as by printf() */
void print_string_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* print_string_error() - "ERROR: " and the error's text to standard error, for the function of LIBSVM named */
void print_string_error(const char *function, const struct error *err);
