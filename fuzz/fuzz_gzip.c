/*
 * fuzz_gzip.c - gzip members unpacked in pieces, against zlib's inflate() on the whole
 *
 * The bytes behind the first are deflated data.  Where zlib can unpack them, a member is made of
 * them with the length and checksum that it found, and inflater_run() must find the same bytes;
 * with another checksum it must not.  Where zlib cannot, it must not either, unless ISA-L does.  The first byte says in
 * what pieces.  Then the bytes are packed by deflater_run(), and both unpack that.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "io/gzip.h"
#include "require.h"

enum { HEAD = 10, TAIL = 8, IN_MAX = 4096, OUT_MAX = 1 << 18 };

static const uint8_t head[HEAD] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
static uint8_t member[HEAD + 2 * IN_MAX + TAIL], plain[OUT_MAX], found[OUT_MAX];

static uint32_t least(size_t a, size_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* The number of bytes unpacked from deflated data, -1 where they are damaged, cut short or too many. */
static int64_t unpack_plain(const uint8_t *data, size_t size, size_t *used)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)data,
		       .avail_in = (uInt)size,
		       .next_out = plain,
		       .avail_out = OUT_MAX };
	int ret;

	REQUIRE(inflateInit2(&z, -MAX_WBITS) == Z_OK);
	ret = inflate(&z, Z_FINISH);
	*used = z.total_in;
	inflateEnd(&z);
	return ret == Z_STREAM_END ? (int64_t)z.total_out : -1;
}

/* inflater_run() in pieces of 'piece' bytes; how many it unpacks of a whole member, else -1. */
static int64_t unpack(const uint8_t *data, size_t size, size_t piece, size_t *used)
{
	struct error err = { 0 };
	struct inflater *z = inflater_new(&err);
	struct gzip_io io = { .in = data, .out = found };
	const char *reason = NULL;
	int ret = 0;

	REQUIRE(z);
	while (ret == 0) {
		const uint8_t *in = io.in, *out = io.out;

		io.n_in = least(piece, (size_t)(data + size - io.in));
		io.n_out = least(piece, (size_t)(found + OUT_MAX - io.out));
		ret = inflater_run(z, &io, &reason);
		REQUIRE(io.in <= data + size && io.out <= found + OUT_MAX);
		if (ret == 0 && io.in == in && io.out == out)
			break;
	}
	REQUIRE(ret >= 0 || (reason && *reason));
	inflater_free(z);
	*used = (size_t)(io.in - data);
	return ret > 0 ? io.out - found : -1;
}

static void put_little(uint8_t *to, uint32_t x)
{
	for (int k = 0; k < 4; k++)
		to[k] = (uint8_t)(x >> 8 * k);
}

static void try_deflated(const uint8_t *data, size_t size, size_t piece)
{
	size_t used, taken, length;
	int64_t n = unpack_plain(data, size, &used), m;

	memcpy(member, head, HEAD);
	memcpy(member + HEAD, data, size);
	if (n < 0) {
		/* a tail of zeros: the member is not cut short for want of one */
		memset(member + HEAD + size, 0, TAIL);
#ifndef HAVE_ISAL
		REQUIRE(unpack(member, HEAD + size, piece, &taken) < 0);
#else
		/* it takes codes of distances that are incomplete, where checksum and length fit */
		unpack(member, HEAD + size, piece, &taken);
#endif
		return;
	}
	length = HEAD + used + TAIL;
	put_little(member + HEAD + used, (uint32_t)crc32(0, plain, (uInt)n));
	put_little(member + HEAD + used + 4, (uint32_t)n);
	REQUIRE(checksum_crc32(0, plain, n) == (uint32_t)crc32(0, plain, (uInt)n));
	m = unpack(member, length, piece, &taken);
	REQUIRE(m == n && taken == length && memcmp(plain, found, (size_t)n) == 0);
	member[HEAD + used + piece % TAIL] ^= 1;
	REQUIRE(unpack(member, length, piece, &taken) < 0);
}

static void try_round_trip(const uint8_t *data, size_t size, size_t piece)
{
	struct error err = { 0 };
	struct deflater *z = deflater_new(&err);
	struct gzip_io io = { .in = data, .out = member };
	size_t packed, taken;
	bool done = false;

	REQUIRE(z);
	while (!done) {
		size_t left = (size_t)(data + size - io.in);

		io.n_in = least(piece, left);
		io.n_out = least(piece, (size_t)(member + sizeof(member) - io.out));
		REQUIRE(io.n_out > 0);
		done = deflater_run(z, &io, left <= piece);
	}
	deflater_free(z);
	packed = (size_t)(io.out - member);
	REQUIRE(unpack(member, packed, piece, &taken) == (int64_t)size);
	REQUIRE(taken == packed && memcmp(found, data, size) == 0);
	REQUIRE(unpack_plain(member + HEAD, packed - HEAD, &taken) == (int64_t)size);
	REQUIRE(memcmp(plain, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t taken, piece;

	if (size == 0 || size > IN_MAX)
		return 0;
	piece = 1 + (size_t)data[0] * data[0];
	unpack(data, size, piece, &taken);
	try_deflated(data + 1, size - 1, piece);
	try_round_trip(data + 1, size - 1, piece);
	return 0;
}
