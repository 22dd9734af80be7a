/*
 * checksum.c - CRC-32 as in gzip, by ISA-L where found, else by zlib
 *
 * How this works.  A CRC-32 is a polynomial's remainder, so that of two texts in a row follows from
 * both and the length of the second (crc32_combine(), O(log length)).  ISA-L and zlib compute the
 * same function: files do not depend on which of them is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/checksum.h"

#include <zlib.h>

#include "io/isal.h"

#ifdef HAVE_ISAL
#ifdef __x86_64__
/*
 * ISA-L's CRC-32 for AVX-512 returns with the upper halves of the registers in use.  Code for SSE
 * then takes half as long again, as long as it runs: svm-gen 0.66 s in place of 0.43 s.
 */
__attribute__((target("avx"))) static void clear_upper_halves(void)
{
	if (__builtin_cpu_supports("avx"))
		__builtin_ia32_vzeroupper();
}
#else
#define clear_upper_halves() ((void)0)
#endif
#endif

uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size)
{
#ifdef HAVE_ISAL
	const struct isal *isal = isal_load(&(struct error){ 0 });

	if (isal) {
		crc = isal->crc32_gzip_refl(crc, bytes, (uint64_t)size);
		clear_upper_halves();
		return crc;
	}
#endif
	/* zlib takes NULL, which an empty buffer may have, for the wish to begin anew */
	return size > 0 ? (uint32_t)crc32_z(crc, bytes, (z_size_t)size) : crc;
}

uint32_t checksum_join(uint32_t first, uint32_t second, int64_t size)
{
	return (uint32_t)crc32_combine(first, second, (z_off_t)size);
}
