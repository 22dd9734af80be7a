/*
 * isal.h - Intel's ISA-L, loaded when it is first called; nothing without HAVE_ISAL
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

/*
 * Members unpacked by ISA-L, as gzip.h describes an inflater; what isal_inflater_new() gives is
 * released by mem_free()
 *
 * isal_inflater_new() - NULL also where ISA-L is not there: zlib does it then
 *
 * isal_inflater_version() - such as "ISA-L 2.30.0"; NULL where it is not there
 */
struct gzip_io;
struct isal_inflater;

#ifdef HAVE_ISAL
#include <isa-l.h>

#include "base/error.h"
#include "base/shared_library.h"

/* The functions of ISA-L that are called; its headers describe them. */
#define ISAL_FUNCTIONS(F)        \
	F(isal_inflate_init)     \
	F(isal_inflate_reset)    \
	F(isal_gzip_header_init) \
	F(isal_read_gzip_header) \
	F(isal_inflate)          \
	F(crc32_gzip_refl)

struct isal {
	ISAL_FUNCTIONS(SHARED_POINTER)
};

/*
 * isal_load() - the library; NULL where shared_library_load() fails.  Threads may call it at once.
 */
const struct isal *isal_load(struct error *err);

struct isal_inflater *isal_inflater_new(void);
void isal_inflater_restart(struct isal_inflater *z);
int isal_inflater_run(struct isal_inflater *z, struct gzip_io *io, const char **reason);
const char *isal_inflater_version(void);
#else
#define isal_inflater_new() NULL
#define isal_inflater_restart(z) ((void)(z))
#define isal_inflater_run(z, io, reason) -1
#define isal_inflater_version() ((const char *)NULL)
#endif
