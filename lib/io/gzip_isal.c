/*
 * gzip_isal.c - gzip members unpacked by Intel's ISA-L, which is loaded when it is first called
 *
 * How this works.  A member is unpacked in two phases: its header by isal_read_gzip_header(), its
 * data and trailer by isal_inflate(), which verifies checksum and length.  One call could do both,
 * but isal_inflate() 2.30 forgets the flags of a header that comes in pieces and then takes the
 * rest of the header for data (intel/isa-l issue 224); isal_read_gzip_header() keeps its place in
 * 'header'.  Neither function refuses the reserved flags, as RFC 1952 section 2.3.1.2 tells a
 * reader to do, so they are looked at here.
 *
 * ISA-L takes no memory of its own: all of its state is in struct inflater.
 *
 * The state, and what a run does in it:
 *
 *      in_header          read_header(): more of the header; at its end also isal_inflate()
 *      not in_header      isal_inflate(): data, then the trailer
 *      ISAL_BLOCK_FINISH  returned 1: the caller calls isal_inflater_restart() for another member
 *
 * A run uses up the input or fills the output, or ends with the member; bytes behind a member stay
 * in the caller's buffer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/isal.h"

#ifdef HAVE_ISAL
#include "base/mem.h"
#include "io/gzip.h"
#include "libraries.h"

static struct isal isal;

#define SYMBOL(name) { #name, &isal.name, false },

static struct shared_library library = {
	.file = (const char *const[]){ ISAL_FILES, NULL },
	.symbol = (const struct shared_symbol[]){ ISAL_FUNCTIONS(SYMBOL){ .name = NULL } },
	.room = 1 << 20, /* ISA-L 2.30: 0.3 MB */
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

const struct isal *isal_load(struct error *err)
{
	return shared_library_load(&library, err) < 0 ? NULL : &isal;
}

#define STRING(x) #x
#define DOTTED(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

enum { RESERVED_FLAGS = 0xe0 }; /* bits 5 to 7 of a header's flags, which must be 0 */

struct isal_inflater {
	const struct isal *isal;
	struct inflate_state state;
	struct isal_gzip_header header; /* gzip header as far as read */
	bool in_header;
};

struct isal_inflater *isal_inflater_new(void)
{
	struct error err = { 0 };
	const struct isal *isal = isal_load(&err);
	struct isal_inflater *z = isal ? mem_zeroed(1, sizeof(*z), &err) : NULL;

	if (!z)
		return NULL;
	z->isal = isal;
	isal->isal_inflate_init(&z->state);
	isal_inflater_restart(z);
	return z;
}

void isal_inflater_restart(struct isal_inflater *z)
{
	z->isal->isal_inflate_reset(&z->state);
	z->state.crc_flag = ISAL_GZIP;
	z->isal->isal_gzip_header_init(&z->header);
	z->in_header = true;
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
	int code = z->isal->isal_read_gzip_header(&z->state, &z->header);

	if (code != ISAL_DECOMP_OK)
		return code == ISAL_END_INPUT ? 0 : code;
	if (z->header.flags & RESERVED_FLAGS)
		return ISAL_INVALID_WRAPPER;
	z->in_header = false;
	return 0;
}

int isal_inflater_run(struct isal_inflater *z, struct gzip_io *io, const char **reason)
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
		code = z->isal->isal_inflate(state);
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

const char *isal_inflater_version(void)
{
	if (!isal_load(&(struct error){ 0 }))
		return NULL;
#ifdef ISAL_MAJOR_VERSION
	return "ISA-L " DOTTED(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
	return "ISA-L";
#endif
}
#endif
