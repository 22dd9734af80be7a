/*
 * checksum.h - CRC-32 as in gzip, by ISA-L where found, else by zlib
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

/*
 * checksum_crc32() - the CRC-32 of earlier bytes, whose checksum is 'crc', and 'size' more
 *
 * The checksum of no bytes is 0, that of "123456789" is cbf43926.  Polynomial 0xedb88320,
 * reflected, as in RFC 1952 and ITU-T V.42.
 */
uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size);

/* checksum_join() - the CRC-32 of two pieces in a row, of theirs; the second has 'size' bytes */
uint32_t checksum_join(uint32_t first, uint32_t second, int64_t size);
