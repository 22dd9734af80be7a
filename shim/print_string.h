/*
 * print_string.h - messages to the caller's print function
 *
 * The caller sets it by svm_set_print_string_function(); until then, and after a NULL, messages go
 * to standard output.  Nothing else is printed: an error is one message, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PRINT_STRING_H
#define RANDSVM_PRINT_STRING_H

#include "base/error.h"
#include "train/libsvm_adapter.h"

/* print_string_receiver() - the print function as a receiver of the library's lines */
struct libsvm_messages print_string_receiver(void);

/* print_string_warning() - "WARNING: ..." and a newline, formatted as by printf() */
void print_string_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* print_string_error() - "ERROR: " and the error's text, for the function of LIBSVM named */
void print_string_error(const char *function, const struct error *err);

#endif
