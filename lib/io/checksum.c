/*
 * checksum.c - CRC-32 as in gzip, by ISA-L where found, else by zlib
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/checksum.h"

#ifdef HAVE_ISAL
#include <isa-l.h>

uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size)
{
	return crc32_gzip_refl(crc, bytes, (uint64_t)size);
}
#else
#include <zlib.h>

uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size)
{
	/* zlib takes NULL, which an empty buffer may have, for the wish to begin anew */
	return size > 0 ? (uint32_t)crc32_z(crc, bytes, (z_size_t)size) : crc;
}
#endif
