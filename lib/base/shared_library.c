/*
 * shared_library.c - shared libraries that are loaded when they are first called
 *
 * Source: dlopen(3), dlsym(3).
 *
 * How this works.  A table names the functions that are wanted and where their addresses go.  The
 * first call of shared_library_load() loads all files and fills the table; later calls see 'loaded'
 * and return at once, without a lock:
 *
 *      (1) loaded, with acquire order: the addresses that were written before it are seen, too
 *      (2) the lock: one thread loads, others wait for it
 *      (3) loaded again, under the lock: another thread may have been faster
 *      (4) loaded is set with release order, after all addresses
 *
 * After a failure 'loaded' stays false and the next call tries again.  'running' is the library
 * that this thread is in, for the message of a crash inside: a signal handler reads it, so it is
 * volatile.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/shared_library.h"

#include <dlfcn.h>

#include "base/mem_bound.h"

/* Files of one library, with the files of the libraries it depends on. */
enum { MAX_FILES = 8 };

/* Name of the library that this thread is in; NULL: none. */
static _Thread_local const char *volatile running;

void shared_library_enter(const struct shared_library *library)
{
	running = library->file[0];
}

void shared_library_leave(void)
{
	running = NULL;
}

const char *shared_library_running(void)
{
	return running;
}

/* dlerror() begins with the name of the file, which the message has already. */
static int report(const char *file, struct error *err)
{
	const char *reason = dlerror();
	size_t length = strlen(file);

	if (!reason)
		reason = "unknown reason";
	if (strncmp(reason, file, length) == 0 && strncmp(reason + length, ": ", 2) == 0)
		reason += length + 2;
	return error_set(err, ERR_LIBRARY, "cannot load %s: %s", file, reason);
}

/* The address is copied as bytes: ISO C does not turn void * into a pointer to a function. */
static int find(const struct shared_symbol *symbol, void *const *handle, int n, const char *file,
		struct error *err)
{
	void *address = NULL;

	for (int i = 0; i < n && !address; i++)
		address = dlsym(handle[i], symbol->name);
	if (!address && !symbol->optional)
		return report(file, err);
	memcpy(symbol->pointer, &address, sizeof(address));
	return 0;
}

/* Files stay loaded after a failure: the next attempt finds them in memory. */
static int load(const struct shared_library *library, struct error *err)
{
	void *handle[MAX_FILES];
	int n = 0;

	if (!library->file[0])
		return error_set(err, ERR_LIBRARY, "this program was built without the library");
	if (mem_check_room(library->room, err) < 0)
		return -1;
	for (; n < MAX_FILES && library->file[n]; n++) {
		handle[n] = dlopen(library->file[n], RTLD_LAZY | RTLD_LOCAL);
		if (!handle[n])
			return report(library->file[n], err);
	}
	for (const struct shared_symbol *s = library->symbol; s->name; s++)
		if (find(s, handle, n, library->file[0], err) < 0)
			return -1;
	if (library->prepare)
		library->prepare();
	return 0;
}

int shared_library_load(struct shared_library *library, struct error *err)
{
	int ret = 0;

	/* (1): loaded already, by any thread: the addresses can be read without the lock */
	if (atomic_load_explicit(&library->loaded, memory_order_acquire))
		return 0;
	/* (2): wait while another thread loads the library */
	pthread_mutex_lock(&library->lock);
	/* (3): another thread may have loaded the files while this one waited */
	if (!atomic_load_explicit(&library->loaded, memory_order_relaxed)) {
		shared_library_enter(library);
		ret = load(library, err);
		shared_library_leave();
		/* (4): the addresses come before 'loaded' for every thread */
		atomic_store_explicit(&library->loaded, ret == 0, memory_order_release);
	}
	pthread_mutex_unlock(&library->lock);
	return ret;
}
