/*
 * checksum.c - CRC-32 as in gzip, by ISA-L where found, else by zlib
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/checksum.h"

#include <zlib.h>

#include "io/isal.h"

uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size)
{
#ifdef HAVE_ISAL
	const struct isal *isal = isal_load(&(struct error){ 0 });

	if (isal)
		return isal->crc32_gzip_refl(crc, bytes, (uint64_t)size);
#endif
	/* zlib takes NULL, which an empty buffer may have, for the wish to begin anew */
	return size > 0 ? (uint32_t)crc32_z(crc, bytes, (z_size_t)size) : crc;
}

uint32_t checksum_join(uint32_t first, uint32_t second, int64_t size)
{
	return (uint32_t)crc32_combine(first, second, (z_off_t)size);
}
