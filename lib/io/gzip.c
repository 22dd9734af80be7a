/*
 * gzip.c - gzip members packed by zlib, and unpacked by Intel's ISA-L, or by zlib where that is not
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
 * ISA-L is loaded when it is first called.  It unpacks a member in two phases: its header by
 * isal_read_gzip_header(), its data and trailer by isal_inflate(), which verifies checksum and
 * length.  One call could do both, but isal_inflate() 2.30 forgets the flags of a header that comes
 * in pieces and then takes the rest of the header for data (intel/isa-l issue 224);
 * isal_read_gzip_header() keeps its place in 'header'.  Neither function refuses the reserved
 * flags, as RFC 1952 section 2.3.1.2 tells a reader to do, so they are looked at here.
 *
 * ISA-L takes no memory of its own: all of its state is in struct isal_inflater.
 *
 * The state, and what a run does in it:
 *
 *      in_header          read_header(): more of the header; at its end also isal_inflate()
 *      not in_header      isal_inflate(): data, then the trailer
 *      ISAL_BLOCK_FINISH  returned 1: the caller calls inflater_restart() for another member
 *
 * A run uses up the input or fills the output, or ends with the member; bytes behind a member stay
 * in the caller's buffer.
 *
 * A CRC-32 is a polynomial's remainder, so that of two texts in a row follows from both and the
 * length of the second (crc32_combine(), O(log length)).  ISA-L and zlib compute the same function:
 * files do not depend on which of them is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/gzip.h"

#include <zlib.h>

#include "base/mem.h"

/* ---- ISA-L ---- */

#ifdef HAVE_ISAL
#include <isa-l.h>

#include "base/shared_library.h"
#include "libraries.h"

/* The functions of ISA-L that are called; its headers describe them. */
#define ISAL_FUNCTIONS(F)        \
	F(isal_inflate_init)     \
	F(isal_inflate_reset)    \
	F(isal_gzip_header_init) \
	F(isal_read_gzip_header) \
	F(isal_inflate)          \
	F(crc32_gzip_refl)

static struct {
	ISAL_FUNCTIONS(SHARED_POINTER)
} isal;

#define SYMBOL(name) { #name, &isal.name, false },

static struct shared_library library = {
	.file = (const char *const[]){ ISAL_FILES, NULL },
	.symbol = (const struct shared_symbol[]){ ISAL_FUNCTIONS(SYMBOL){ .name = NULL } },
	.room = 1 << 20, /* ISA-L 2.30: 0.3 MB */
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* Is ISA-L there?  Threads may ask at once. */
static bool isal_loads(void)
{
	return shared_library_load(&library, &(struct error){ 0 }) == 0;
}

#define STRING(x) #x
#define DOTTED(a, b, c) STRING(a) "." STRING(b) "." STRING(c)
#ifdef ISAL_MAJOR_VERSION
#define ISAL_NAME "ISA-L " DOTTED(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)
#else
#define ISAL_NAME "ISA-L"
#endif

enum { RESERVED_FLAGS = 0xe0 }; /* bits 5 to 7 of a header's flags, which must be 0 */

struct isal_inflater {
	struct inflate_state state;
	struct isal_gzip_header header; /* gzip header as far as read */
	bool in_header;
};

static void isal_inflater_restart(struct isal_inflater *z)
{
	isal.isal_inflate_reset(&z->state);
	z->state.crc_flag = ISAL_GZIP;
	isal.isal_gzip_header_init(&z->header);
	z->in_header = true;
}

/* For mem_free(); NULL also where ISA-L is not there: zlib does it then. */
static struct isal_inflater *isal_inflater_new(void)
{
	struct isal_inflater *z =
		isal_loads() ? mem_zeroed(1, sizeof(*z), &(struct error){ 0 }) : NULL;

	if (z) {
		isal.isal_inflate_init(&z->state);
		isal_inflater_restart(z);
	}
	return z;
}

/* The fault of the data that a negative code of ISA-L stands for; of another code: of the header. */
static const struct {
	int code;
	const char *fault;
} faults[] = {
	{ ISAL_INVALID_BLOCK, "invalid block" },
	{ ISAL_INVALID_SYMBOL, "invalid symbol" },
	{ ISAL_INVALID_LOOKBACK, "invalid distance" },
	{ ISAL_UNSUPPORTED_METHOD, "unknown compression method" },
	{ ISAL_INCORRECT_CHECKSUM, "incorrect checksum or length" },
};

/* 0, or one of ISA-L's errors, which are negative; in_header says whether the header is over. */
static int read_header(struct isal_inflater *z)
{
	int code = isal.isal_read_gzip_header(&z->state, &z->header);

	if (code != ISAL_DECOMP_OK)
		return code == ISAL_END_INPUT ? 0 : code;
	if (z->header.flags & RESERVED_FLAGS)
		return ISAL_INVALID_WRAPPER;
	z->in_header = false;
	return 0;
}

static int isal_inflater_run(struct isal_inflater *z, struct gzip_io *io, const char **reason)
{
	struct inflate_state *state = &z->state;
	int code = 0;

	state->next_in = (uint8_t *)io->in; /* ISA-L does not write through this pointer */
	state->avail_in = io->n_in;
	state->next_out = io->out;
	state->avail_out = io->n_out;
	if (z->in_header)
		code = read_header(z);
	if (!z->in_header) /* true also if read_header() has just completed the header */
		code = isal.isal_inflate(state);
	io->in = state->next_in;
	io->n_in = state->avail_in;
	io->out = state->next_out;
	io->n_out = state->avail_out;
	if (code < 0) {
		*reason = "invalid header";
		for (size_t k = 0; k < sizeof(faults) / sizeof(*faults); k++)
			if (faults[k].code == code)
				*reason = faults[k].fault;
		return -1;
	}
	/* the trailer is read and right: a wrong one is a code below 0 */
	return state->block_state == ISAL_BLOCK_FINISH;
}

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
#else
#define isal_inflater_new() NULL
#define isal_inflater_restart(z) ((void)(z))
#define isal_inflater_run(z, io, reason) -1
#endif

/* ---- members ---- */

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
static void release(void *opaque UNUSED, void *p)
{
	mem_free(p);
}

/* Make zlib allocate by the functions above. */
static void use_memory(z_stream *stream, struct error *err)
{
	stream->zalloc = allocate;
	stream->zfree = release;
	stream->opaque = err;
}

/* The new 'z' of an Init2(), NULL if that failed; a lack of memory is in 'err' already. */
static void *started(void *z, int code, struct error *err)
{
	if (code == Z_OK)
		return z;
	error_set(err, ERR_MEMORY, "zlib does not start: %s", zError(code));
	mem_free(z);
	return NULL;
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
	return z->isal ? z : started(z, inflateInit2(&z->stream, GZIP_WINDOW_BITS), err);
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

#ifdef HAVE_ISAL
	if (isal_loads())
		return ISAL_NAME;
#endif
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
	return started(z,
		       deflateInit2(&z->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
				    Z_DEFAULT_STRATEGY),
		       err);
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

/* ---- checksums ---- */

uint32_t checksum_crc32(uint32_t crc, const void *bytes, int64_t size)
{
#ifdef HAVE_ISAL
	if (isal_loads()) {
		crc = isal.crc32_gzip_refl(crc, bytes, (uint64_t)size);
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
