/*
 * host.h - callers that have a LIBSVM of their own compiled into them, before which the shim stands
 *
 * Preloaded, the shim takes the calls that such a shared object makes to its own functions, as R's
 * e1071 does.  The object is known by its libsvm_version.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

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

/* host_is_replaced() - was an object served although it has a LIBSVM of its own? */
bool host_is_replaced(void);
