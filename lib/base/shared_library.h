/*
 * shared_library.h - shared libraries that are loaded when they are first called
 *
 *     program starts ---- reads, trains ---- first call of the library ---- ...
 *     (links nothing)                        shared_library_load()
 *
 * The dynamic linker takes 3 ms to load OpenBLAS, LIBSVM, LIBLINEAR and what these link, more than
 * a small training takes.  So no program links them.  The one file that knows a library describes
 * it by a struct shared_library, and calls its functions through pointers.
 *
 * Threads may load a library at the same time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"

/* A function or variable of the library. */
struct shared_symbol {
	const char *name;
	void *pointer; /* address of the function pointer that is set */
	bool optional; /* symbol may be missing: its pointer is then NULL, without an error */
};

struct shared_library {
	const char *const
		*file; /* names for dlopen(), looked into in turn; NULL ends.  None: not built in */
	const struct shared_symbol *symbol; /* functions wanted; a NULL name ends the list */
	double room;	       /* bytes of address space of the files and the libraries linked */
	void (*prepare)(void); /* function called once when all symbols are known; or NULL */
	pthread_mutex_t lock;  /* PTHREAD_MUTEX_INITIALIZER */
	atomic_bool loaded;
};

/*
 * SHARED_POINTER() - declares the pointer for a function, of the function's name
 *
 * A file that calls a library lists its functions once, in a macro that applies another to each:
 * this one for a struct of pointers, and one that makes the rows of the table of symbols.
 */
#define SHARED_POINTER(name) __typeof__(name) *name;

/*
 * shared_library_load() - load the library and find its symbols, unless that is done already
 *
 * Fails with ERR_LIBRARY ("cannot load FILE: reason") if a file or symbol is missing, or there is none to load; or with
 * ERR_MEMORY if there is no address space for it; the next call tries again.  A library is never
 * unloaded.  Costs next to nothing once it is loaded.
 */
int shared_library_load(struct shared_library *library, struct error *err);

/*
 * shared_library_enter() - from here on this thread runs code of the library
 * shared_library_leave() - no more
 *
 * For libraries that use what malloc() gives unchecked: they crash, abort, or call exit() where
 * memory runs out.  A program that handles these asks shared_library_running(), which a handler of
 * signals may call, for the file of the library that its thread is in; NULL: none.  While a library
 * is loaded its thread is in it.
 */
void shared_library_enter(const struct shared_library *library);
void shared_library_leave(void);
const char *shared_library_running(void);
