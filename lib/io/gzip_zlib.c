/*
 * gzip_zlib.c - gzip members packed by zlib, and unpacked by it where ISA-L is not there
 *
 * How this works.  zlib keeps pointers into the caller's bytes in its z_stream; a run lends it the
 * caller's gzip_io and takes back what is left.  zlib allocates through allocate(), so that its
 * memory counts as the library's (and can be made to fail), and so that a lack of memory is noted
 * in the struct error, which keeps the first failure: what zlib then says of it changes nothing.
 *
 * Packing is zlib's on all machines, so that compressed files have the same bytes with and without
 * ISA-L.
 *
 * Both directions have the same shape: lend() gives zlib the caller's buffers, one call of zlib
 * uses up what it can of either, and take_back() says what is left.  A run therefore ends where the
 * input is used up, the output is full, or the member ends, whichever comes first; the caller, who
 * knows which buffer can be refilled, calls again.  Neither struct keeps bytes of the caller's.
 *
 * A compressor is used for one member; inflater_restart() makes an inflater ready for the next.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/gzip.h"

#include <stdio.h>
#include <zlib.h>

#include "base/mem.h"
#include "io/isal.h"

enum {
	GZIP_WINDOW_BITS = 15 + 16, /* log2 of the largest window; 16 asks for gzip's wrapper */
	LEVEL = 6,		    /* compression level, the default of gzip(1) */
	MEMORY_LEVEL = 8	    /* memory level, the default of zlib */
};

/* zlib's allocations; 'opaque' is the struct error for failures. */
static void *allocate(void *opaque, uInt n, uInt size)
{
	return mem_array(n, size, opaque);
}

/* The counterpart of allocate(). */
static void release(void *opaque, void *p)
{
	(void)opaque;
	mem_free(p);
}

/* Make zlib allocate by the functions above. */
static void use_memory(z_stream *stream, struct error *err)
{
	stream->zalloc = allocate;
	stream->zfree = release;
	stream->opaque = err;
}

/* Did an Init2() succeed?  allocate() has noted a lack of memory in 'err' already. */
static bool started(int code, struct error *err)
{
	if (code == Z_OK)
		return true;
	error_set(err, ERR_MEMORY, "zlib does not start: %s", zError(code));
	return false;
}

/* The caller's buffers become the stream's. */
static void lend(z_stream *stream, const struct gzip_io *io)
{
	stream->next_in = (Bytef *)io->in; /* zlib does not write through this pointer */
	stream->avail_in = io->n_in;
	stream->next_out = io->out;
	stream->avail_out = io->n_out;
}

/* The parts of the buffers that zlib has not used become the caller's again. */
static void take_back(const z_stream *stream, struct gzip_io *io)
{
	io->in = stream->next_in;
	io->n_in = stream->avail_in;
	io->out = stream->next_out;
	io->n_out = stream->avail_out;
}

struct inflater {
	struct isal_inflater *isal; /* NULL: zlib does it */
	z_stream stream;
};

struct inflater *inflater_new(struct error *err)
{
	struct inflater *z = mem_zeroed(1, sizeof(*z), err);

	if (!z)
		return NULL;
	z->isal = isal_inflater_new();
	use_memory(&z->stream, err);
	if (z->isal || started(inflateInit2(&z->stream, GZIP_WINDOW_BITS), err))
		return z;
	mem_free(z);
	return NULL;
}

void inflater_restart(struct inflater *z)
{
	if (z->isal)
		isal_inflater_restart(z->isal);
	else
		inflateReset(&z->stream);
}

int inflater_run(struct inflater *z, struct gzip_io *io, const char **reason)
{
	int code;

	if (z->isal)
		return isal_inflater_run(z->isal, io, reason);
	lend(&z->stream, io);
	code = inflate(&z->stream, Z_NO_FLUSH);
	take_back(&z->stream, io);
	if (code == Z_STREAM_END)
		return 1;
	/* Z_BUF_ERROR: there was no input left, or no room for output */
	if (code == Z_OK || code == Z_BUF_ERROR)
		return 0;
	/* also a lack of memory, which allocate() has noted */
	*reason = z->stream.msg ? z->stream.msg : zError(code);
	return -1;
}

void inflater_free(struct inflater *z)
{
	if (!z)
		return;
	inflateEnd(&z->stream);
	mem_free_all(z->isal, z);
}

const char *inflater_version(void)
{
	static _Thread_local char text[32]; /* a text of each thread needs no lock */

	if (isal_inflater_version())
		return isal_inflater_version();
	snprintf(text, sizeof(text), "zlib %s", zlibVersion());
	return text;
}

struct deflater {
	z_stream stream;
};

struct deflater *deflater_new(struct error *err)
{
	struct deflater *z = mem_zeroed(1, sizeof(*z), err);

	if (!z)
		return NULL;
	use_memory(&z->stream, err);
	if (started(deflateInit2(&z->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
				 Z_DEFAULT_STRATEGY),
		    err))
		return z;
	mem_free(z);
	return NULL;
}

bool deflater_run(struct deflater *z, struct gzip_io *io, bool finish)
{
	int code;

	lend(&z->stream, io);
	code = deflate(&z->stream, finish ? Z_FINISH : Z_NO_FLUSH);
	take_back(&z->stream, io);
	return code == Z_STREAM_END;
}

void deflater_free(struct deflater *z)
{
	if (!z)
		return;
	deflateEnd(&z->stream);
	mem_free(z);
}

const char *deflater_zlib_version(void)
{
	return zlibVersion();
}
