/*
 * isal.c - Intel's ISA-L, loaded when it is first called
 *
 * How this works.  The table names the functions of ISAL_FUNCTIONS(), and where in struct isal
 * their addresses go; base/shared_library.c fills it, once for all threads.  So a
 * program that never sees compressed input never loads the library.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/isal.h"

#ifdef HAVE_ISAL
#include "libraries.h"

static struct isal isal;

#define SYMBOL(name) { #name, &isal.name, false },
static const struct shared_symbol symbols[] = { ISAL_FUNCTIONS(SYMBOL){ .name = NULL } };

static struct shared_library library = {
	.file = (const char *const[]){ ISAL_FILES, NULL },
	.symbol = symbols,
	.room = 1 << 20, /* ISA-L 2.30: 0.3 MB */
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

const struct isal *isal_load(struct error *err)
{
	return shared_library_load(&library, err) < 0 ? NULL : &isal;
}
#endif
