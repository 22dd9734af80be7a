/*
 * checksum.h - CRC-32 as in gzip, by ISA-L where found, else by zlib
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CHECKSUM_H
#define RANDSVM_CHECKSUM_H

#include <stdint.h>

/*
 * checksum_crc32() - the CRC-32 of what 'crc' is the checksum of (0: of nothing) and
 *                    'size' more bytes
 *
 * Polynomial 0xedb88320, reflected, as in RFC 1952 and ITU-T V.42.  Of "123456789" it is
 * cbf43926.
 */
uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size);

#endif
