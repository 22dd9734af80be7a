/*
 * host.c - the caller: a LIBSVM of its own, before which the shim stands; its print function
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "host.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "matrix/svm_header.h"

/* ---- callers that have a LIBSVM of their own compiled into them ---- */

/* Versions of LIBSVM from which on svm_model has sv_indices, and prob_density_marks. */
enum { VERSION_OF_INDICES = 317, VERSION_OF_MARKS = 330 };

/* Addresses of calls that are served, in places by their bits; a later one takes the place. */
enum { N_SERVED = 64 };
static _Atomic(const void *) served[N_SERVED];
/* An object is served although it has a LIBSVM of its own. */
static atomic_bool replaced;

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
	if (version && (*version < VERSION_OF_INDICES ||
			(*version >= VERSION_OF_MARKS) != (LIBSVM_VERSION >= VERSION_OF_MARKS)))
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

/* ---- messages to the print function of the caller, errors to standard error ---- */

typedef void print_function(const char *text);

/* Print function of the process: threads may train while another one sets it.  NULL: none is set. */
static _Atomic(print_function *) current;

void svm_set_print_string_function(void (*print_func)(const char *))
{
	FOR_HOST(svm_set_print_string_function, (print_func));
	atomic_store(&current, print_func);
}

/* The same for objects in C++ whose svm.h declares it as a function of C++, as e1071's does. */
void set_for_cxx(print_function *print_func) __asm__("_Z29svm_set_print_string_functionPFvPKcE")
	__attribute__((visibility("default")));

void set_for_cxx(print_function *print_func)
{
	void (*own)(print_function *) = (void (*)(print_function *))host_function(
		"_Z29svm_set_print_string_functionPFvPKcE", __builtin_return_address(0));

	if (own)
		own(print_func);
	else
		atomic_store(&current, print_func);
}

/* Print the text where the caller wants it; 'silent' is where it goes if that is nowhere. */
static void print_text(const char *text, FILE *silent)
{
	print_function *print = atomic_load(&current);
	FILE *file = atomic_load(&replaced) ? silent : stdout;

	if (print)
		print(text);
	else if (file) {
		fputs(text, file);
		fflush(file);
	}
}

void print_string_message(void *arg UNUSED, const char *text)
{
	print_text(text, NULL);
}

void print_string_warning_text(const char *text)
{
	print_text(FORMATTED(257, "WARNING: %.246s\n", text), stderr);
}

void print_string_error(const char *function, const struct error *err)
{
	fprintf(stderr, "ERROR: %s: %s\n", function, err->text);
}
