/*
 * host.c - callers that have a LIBSVM of their own compiled into them, before which the shim stands
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "host.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "matrix/svm_header.h"

/* Versions of LIBSVM from which on svm_model has sv_indices, and prob_density_marks. */
enum { VERSION_OF_INDICES = 317, VERSION_OF_MARKS = 330 };

/* Addresses of calls that are served, in places by their bits; a later one takes the place. */
enum { N_SERVED = 64 };
static _Atomic(const void *) served[N_SERVED];
static atomic_bool replaced;

bool host_is_replaced(void)
{
	return atomic_load(&replaced);
}

static bool fits(int version)
{
	return version >= VERSION_OF_INDICES &&
	       (version >= VERSION_OF_MARKS) == (LIBSVM_VERSION >= VERSION_OF_MARKS);
}

/* The symbol's address, if the object itself has it; else NULL. */
static void *own_symbol(const Dl_info *object, const char *name)
{
	void *handle = dlopen(object->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = handle ? dlsym(handle, name) : NULL;
	Dl_info found;

	if (handle)
		dlclose(handle);
	return symbol && dladdr(symbol, &found) && found.dli_fbase == object->dli_fbase ? symbol :
											  NULL;
}

/* One line, once. */
static void tell_refusal(const char *file, int version)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		fprintf(stderr,
			"WARNING: %s has LIBSVM %d.%02d, whose models are laid out otherwise than "
			"those of %d.%02d here: it is not replaced\n",
			file, version / 100, version % 100, LIBSVM_VERSION / 100,
			LIBSVM_VERSION % 100);
}

void *host_function(const char *function, const void *caller)
{
	_Atomic(const void *) *place = &served[(uintptr_t)caller / 8 % N_SERVED];
	const int *version;
	Dl_info object, here;
	void *own = NULL;

	if (atomic_load_explicit(place, memory_order_relaxed) == caller)
		return NULL;
	version = dladdr(caller, &object) && dladdr(served, &here) &&
				  object.dli_fbase != here.dli_fbase ?
			  own_symbol(&object, "libsvm_version") :
			  NULL;
	if (version && !fits(*version))
		own = own_symbol(&object, function);
	if (own) {
		tell_refusal(object.dli_fname, *version);
		return own;
	}
	if (version)
		atomic_store(&replaced, true);
	atomic_store_explicit(place, caller, memory_order_relaxed);
	return NULL;
}
