/*
 * output_pending.c - the names of unfinished files, for a signal handler that removes them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/output.h"

/* Most names noted at a time; names beyond that are not removed by a signal. */
enum { MAX_PENDING = 64 };

/*
 * The names of unfinished files, for output_remove_pending() in a signal handler, which may only
 * use atomics and unlink(2).  A name is noted before its file exists and forgotten after the file
 * is gone or renamed, so none is missed.  The handler may run in another thread while this one
 * forgets a name: 'removing' tells, and the name's memory is then not freed, as the process is
 * about to end.
 */
static _Atomic(char *) pending[MAX_PENDING];
static atomic_int removing;

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
	       "a signal handler must not wait for a lock");

void output_note_pending(char *name)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		char *free_slot = NULL;

		if (atomic_compare_exchange_strong(&pending[i], &free_slot, name))
			return;
	}
}

/* The named file is gone: take its entry off the list and free the entry. */
void output_forget_pending(char *name)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		char *noted = name;

		if (atomic_compare_exchange_strong(&pending[i], &noted, NULL))
			break;
	}
	if (atomic_load(&removing) == 0)
		mem_free(name);
}

void output_remove_pending(void)
{
	int saved = errno; /* errno of the code that the signal interrupted */

	atomic_fetch_add(&removing, 1);
	for (int i = 0; i < MAX_PENDING; i++) {
		const char *name = atomic_load(&pending[i]);

		if (name)
			unlink(name);
	}
	atomic_fetch_sub(&removing, 1);
	errno = saved;
}
