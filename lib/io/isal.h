/*
 * isal.h - Intel's ISA-L, loaded when it is first called; nothing without HAVE_ISAL
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ISAL_H
#define RANDSVM_ISAL_H

#ifdef HAVE_ISAL
#include <isa-l.h>

#include "base/error.h"

/* The functions of ISA-L that are called; its headers describe them. */
struct isal {
	__typeof__(isal_inflate_init) *inflate_init;
	__typeof__(isal_inflate_reset) *inflate_reset;
	__typeof__(isal_gzip_header_init) *gzip_header_init;
	__typeof__(isal_read_gzip_header) *read_gzip_header;
	__typeof__(isal_inflate) *inflate;
	__typeof__(crc32_gzip_refl) *crc32_gzip_refl;
};

/*
 * isal_load() - the library; NULL where shared_library_load() fails.  Threads may call it at once.
 */
const struct isal *isal_load(struct error *err);
#endif

/*
 * Members unpacked by ISA-L, as gzip.h describes an inflater
 *
 * isal_inflater_new() - NULL also where ISA-L is not there: zlib does it then
 *
 * isal_inflater_version() - such as "ISA-L 2.30.0"; NULL where it is not there
 */
struct gzip_io;
struct isal_inflater *isal_inflater_new(void);
void isal_inflater_restart(struct isal_inflater *z);
int isal_inflater_run(struct isal_inflater *z, struct gzip_io *io, const char **reason);
void isal_inflater_free(struct isal_inflater *z);
const char *isal_inflater_version(void);

#endif
