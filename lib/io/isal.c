/*
 * isal.c - Intel's ISA-L, loaded when it is first called
 *
 * How this works.  The table names the functions of ISA-L that this project calls, and where in
 * struct isal their addresses go; base/shared_library.c fills it, once for all threads.  So a
 * program that never sees compressed input never loads the library.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/isal.h"

#ifdef HAVE_ISAL
#include "base/shared_library.h"
#include "libraries.h"

static struct isal isal;

static const struct shared_symbol symbols[] = {
	{ "isal_inflate_init", &isal.inflate_init, false },
	{ "isal_inflate_reset", &isal.inflate_reset, false },
	{ "isal_gzip_header_init", &isal.gzip_header_init, false },
	{ "isal_read_gzip_header", &isal.read_gzip_header, false },
	{ "isal_inflate", &isal.inflate, false },
	{ "crc32_gzip_refl", &isal.crc32_gzip_refl, false },
	{ NULL, NULL, false },
};

static const char *const files[] = { ISAL_FILES, NULL };

static struct shared_library library = {
	.file = files,
	.symbol = symbols,
	.room = 1 << 20, /* ISA-L 2.30: 0.3 MB */
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

const struct isal *isal_load(struct error *err)
{
	return shared_library_load(&library, err) < 0 ? NULL : &isal;
}
#endif
