/*
 * host.h - the caller: a LIBSVM of its own, before which the shim stands; its print function
 *
 * Preloaded, the shim takes the calls that such a shared object makes to its own functions, as R's
 * e1071 does.  The object is known by its libsvm_version.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/libsvm_adapter.h"

/*
 * FOR_HOST() - in a function of LIBSVM: return what the caller's own function of that name returns,
 * if the caller has one, and its structs are not those of the shim's svm.h
 *
 *     FOR_HOST(svm_predict, (model, x));
 */
#define FOR_HOST(function, arguments)                                                          \
	do {                                                                                   \
		__typeof__(&(function)) own_function = (__typeof__(&(function)))host_function( \
			#function, __builtin_return_address(0));                               \
                                                                                               \
		if (own_function)                                                              \
			return own_function arguments;                                         \
	} while (0)

/*
 * host_function() - the function of that name of the object that has the address 'caller'; NULL: it
 * is to be served here
 *
 * The first object that is left alone is told on standard error.  Threads may call it at the same
 * time; an address that was served before takes some nanoseconds.
 */
void *host_function(const char *function, const void *caller);

/*
 * The caller sets its print function by svm_set_print_string_function(); until then, and after a NULL,
 * messages go to standard output.  Where the caller has a LIBSVM of its own that is replaced
 * they go nowhere, and warnings to standard error: copies within modules of other languages do not
 * print.  The function is called by svm_train() and svm_cross_validation() alone, as LIBSVM does:
 * svmutil's ends with the parameters that it was set for.
 */

/* print_string_message() - a line of the library to the print function; see struct libsvm_messages */
void print_string_message(void *arg, const char *text);

/* print_string_warning() - "WARNING: ..." and a newline, formatted as by printf() */
#define print_string_warning(...) print_string_warning_text(FORMATTED(256, __VA_ARGS__))
void print_string_warning_text(const char *text);

/* print_string_error() - "ERROR: " and the error's text to standard error, for the function of LIBSVM named */
void print_string_error(const char *function, const struct error *err);
