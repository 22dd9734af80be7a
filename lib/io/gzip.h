/*
 * gzip.h - gzip members unpacked and packed, and CRC-32: all that is asked of ISA-L and zlib
 *
 * An inflater unpacks one member after another, header and trailer included; the caller finds where
 * a member starts.  ISA-L does the work where it was found by make (HAVE_ISAL) and is there when the
 * program runs, else zlib.  A deflater makes one member, always with zlib.
 *
 * Inflaters and deflaters note a lack of memory in the struct error given when they were made; it
 * must outlive them.  Each belongs to one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/* Bytes to take and room to fill; a run moves both pointers past the bytes used. */
struct gzip_io {
	const uint8_t *in;
	uint32_t n_in;
	uint8_t *out;
	uint32_t n_out;
};

struct inflater;
struct deflater;

/* inflater_new() - ready for a member; NULL with ERR_MEMORY */
struct inflater *inflater_new(struct error *err);

/* inflater_restart() - ready for the next member */
void inflater_restart(struct inflater *z);

/*
 * inflater_run() - unpack until the input is used up, the room full or the member over
 *
 * Returns 1 once the member is over and its checksum and length are found right, 0 if it goes on,
 * and -1 if it is damaged, '*reason' saying how, or if there is no memory.
 */
int inflater_run(struct inflater *z, struct gzip_io *io, const char **reason);

/* inflater_free() - release the inflater; NULL is fine */
void inflater_free(struct inflater *z);

/* inflater_version() - the library that inflates, such as "ISA-L 2.30.0" or "zlib 1.2.13" */
const char *inflater_version(void);

/* deflater_new() - ready to write one member, or NULL with ERR_MEMORY */
struct deflater *deflater_new(struct error *err);

/*
 * deflater_run() - pack until the input is used up or the room full
 *
 * 'finish' says that no input follows.  True once the member is complete.
 */
bool deflater_run(struct deflater *z, struct gzip_io *io, bool finish);

/* deflater_free() - release the deflater; NULL is fine */
void deflater_free(struct deflater *z);

/* deflater_zlib_version() - version of the zlib linked, such as "1.2.13" */
const char *deflater_zlib_version(void);

/*
 * checksum_crc32() - the CRC-32 of earlier bytes, whose checksum is 'crc', and 'size' more
 *
 * The checksum of no bytes is 0, that of "123456789" is cbf43926.  Polynomial 0xedb88320,
 * reflected, as in RFC 1952 and ITU-T V.42.
 */
uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size);

/* checksum_join() - the CRC-32 of two pieces in a row, of theirs; the second has 'size' bytes */
uint32_t checksum_join(uint32_t first, uint32_t second, int64_t size);
