/*
 * input.c - bytes from a file, a pipe or standard input, gunzipped on the way
 *
 * How this works.  An input is in one of five phases:
 *
 *     UNKNOWN ----> PLAIN -----------------> AT_END
 *        \                                   ^
 *         `------> IN_MEMBER <-> AFTER_MEMBER
 *
 * The first read takes two bytes (1).  They tell gzip from everything else and are never read
 * again, as a pipe cannot go back: they are the first bytes handed out, or the first ones to be
 * inflated.  Plain bytes then go straight from read(2) into the caller's buffer.  Compressed ones
 * come through 'packed'; whatever is there and not yet used is io.in, io.n_in.
 *
 * Inside a member bytes are inflated first and more are read only if that left room in the
 * caller's buffer (2): then the inflater has used all it had, and holds back nothing.  An end of
 * the file inside a member is therefore known as one, and is an error; zlib's gzread() would
 * report it as an end of the data.  After a member two more bytes tell (3) whether another member
 * follows, as in files that were joined, or padding, or nothing.
 *
 * The first failure is kept in the struct and returned by every later read, so that a caller who
 * reads on after a failure never sees bytes from behind it.
 *
 * Before the first bytes are handed out they are looked at (4), one by one while more could tell: a
 * file of a format that no reader here knows fails with what it is, and the mark of UTF-8 is left
 * out.  This is the one place where that is done.
 *
 * Who may wait: read_whole() asks for more until the buffer is full or the file ends, which on a
 * pipe can take for ever.  input_read_some() sets s->some, and is_enough() then ends a read that
 * has some bytes already where no more are there; regular files are never silent, so nothing changes
 * for them.  begin_next_member() asks for two bytes without looking at s->some: read_gzip() calls it
 * with bytes to return only if some are at hand.
 *
 * Memory is PACKED_SIZE bytes and the inflater's state for compressed input, no bytes for plain
 * input.  An input belongs to one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/gzip.h"

enum {
	PACKED_SIZE = 1 << 18, /* compressed bytes asked for at a time; a pipe gives up to 64 kB */
	MAX_PIECE = 1 << 30,   /* fits read(2) and the inflaters' 32-bit counts anywhere */
	NAME_SHOWN = 512       /* bytes of a name in a message of 1024: the reason fits as well */
};

enum phase {
	UNKNOWN, /* no byte read yet */
	PLAIN,
	IN_MEMBER,    /* inside a gzip member, from its first byte to its last */
	AFTER_MEMBER, /* another member, padding or the end */
	AT_END
};

/* Bytes that stand around a part of a file; the first n_used have been read. */
struct frame {
	uint8_t bytes[18]; /* room for the head of a gzip member and its tail */
	int64_t n, n_used;
};

/* What an input of several files keeps from one to the next. */
struct whole {
	const struct data_files *files; /* input_continue(); or NULL */
	int64_t at;			/* position of the file that is read */
	int64_t taken, total;		/* bytes taken and bytes in all, see input_position() */
	struct error rounded;		/* the first integer that is no double, input_rounded() */
};

/*
 * io.in, io.n_in are the bytes that were read and neither handed out nor inflated: in 'start' at
 * first, for compressed input in 'packed' from then on.
 */
struct input {
	int fd;
	bool owned;		/* descriptor is opened and closed by this module */
	char shown[NAME_SHOWN]; /* name of the input, fit to print */
	enum phase phase;
	struct whole whole;
	bool some; /* input_read_some(): bytes that are there are not kept waiting for more */
	uint8_t start[2]; /* first bytes, which tell gzip from everything else */
	bool sums;	  /* 'checksum' of the bytes taken is wanted */
	uint32_t checksum;
	struct inflater *inflater;
	uint8_t *packed; /* buffer of packed bytes, PACKED_SIZE */
	struct gzip_io io;
	struct error failure; /* first failure: later reads fail with the first error again */
	/* input_open_part(): bytes of the file that are left, and those around them; else 'part' is 0 */
	bool part, has_checksum;
	int64_t part_left;
	uint32_t part_checksum; /* the one that the bytes of a part are to have */
	struct frame head, tail;
	enum foreign_start begins; /* what the first bytes have told so far (4) */
	const char *foreign;	   /* what a foreign format is, and what helps */
	/* bytes looked at, of which those from n_again on are still to come */
	uint8_t *peeked;
	int64_t n_peeked, n_again;
	struct byte_buffer *keep; /* input_keep(); or NULL */
	bool is_kept;		  /* all bytes are in 'peeked', borrowed: input_open_kept() */
};

/* Keep a failure, with the input's name, for this read and all later ones; returns -1. */
static int fail(struct input *s, enum error_code code, const char *reason)
{
	return error_set(&s->failure, code, "%s: %s", s->shown, reason);
}

static int fail_early_end(struct input *s)
{
	return fail(s, ERR_FORMAT,
		    s->part ? "zip archive: a member ends too early" :
			      "gzip data end too early (truncated file?)");
}

/* Sets s->fd and s->whole.total.  Fails with ERR_IO, the bare reason as text. */
static int open_file(struct input *s, const char *path, struct error *err)
{
	struct stat st;
	off_t here;

	s->fd = STDIN_FILENO;
	if (s->owned) {
		do
			s->fd = open(path, O_RDONLY | O_CLOEXEC);
		while (s->fd < 0 && errno == EINTR);
	}
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return error_set(err, ERR_IO, "%s", strerror(errno));
	/* faults that read(2) would report are found here, while "cannot open" is still true */
	if ((fcntl(s->fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
		return error_set(err, ERR_IO, "%s", strerror(EBADF));
	if (S_ISDIR(st.st_mode))
		return error_set(err, ERR_IO, "%s", strerror(EISDIR));
	/* another program may have read from standard input before; -1: no place, unknown */
	here = S_ISREG(st.st_mode) ? lseek(s->fd, 0, SEEK_CUR) : -1;
	s->whole.total = here < 0 ? -1 : int64_max(st.st_size - here, 0);
#ifdef POSIX_FADV_SEQUENTIAL
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	return 0;
}

/* An input without a file, for messages that name 'path'; NULL without memory. */
static struct input *new_input(const char *path, struct error *err)
{
	struct input *s = mem_zeroed(1, sizeof(*s), err);
	const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;

	if (!s)
		return NULL;
	/* input_close() closes neither a descriptor below 0 nor standard input */
	s->fd = -1;
	s->owned = strcmp(path, "-") != 0;
	/* no byte is at hand yet: io.n_in is 0 */
	s->io.in = s->start;
	error_quote(s->shown, sizeof(s->shown), shown, strlen(shown));
	return s;
}

int input_open(struct input **input, const char *path, struct error *err)
{
	*input = new_input(path, err);
	if (!*input)
		return -1;
	if (open_file(*input, path, err) == 0)
		return 0;
	input_close(*input);
	*input = NULL;
	return -1;
}

int input_load(input_reader *read, void *to, const char *path, struct error *err)
{
	struct input *from;
	int ret = -1;

	if (input_open(&from, path, err) == 0)
		ret = read(to, from, err);
	input_close(from);
	return ret;
}

void input_continue(struct input *s, const struct data_files *files)
{
	if (files->n > 1)
		s->whole = (struct whole){ .files = files, .total = files->bytes };
}

/* The next file is opened like any other, and takes the place of the last one. */
int input_next(struct input *s, struct error *err)
{
	const struct data_files *files = s->whole.files;
	struct input last = *s, *next;
	struct error why = { 0 };

	if (!files || ++last.whole.at == files->n)
		return 0;
	if (input_open(&next, files->file[last.whole.at], &why) < 0)
		return error_set(err, why.code, "%s: %s", files->file[last.whole.at], why.text);
	*s = *next;
	s->io.in = s->start;
	s->whole = last.whole;
	*next = last;
	input_close(next);
	return 1;
}

int input_open_kept(struct input **input, const struct byte_buffer *kept, const char *name,
		    struct error *err)
{
	struct input *s = *input = new_input(name, err);

	if (!s)
		return -1;
	s->is_kept = true;
	s->peeked = (uint8_t *)kept->bytes;
	s->n_peeked = s->whole.total = kept->size;
	s->begins = START_OWN;
	s->phase = AT_END;
	return 0;
}

static struct frame make_frame(const uint8_t *bytes, int64_t n)
{
	struct frame f = { .n = n };

	if (n > 0)
		memcpy(f.bytes, bytes, (size_t)int64_min(n, (int64_t)sizeof(f.bytes)));
	return f;
}

int input_open_part(struct input **input, const char *path, const struct input_part *part,
		    struct error *err)
{
	struct input *s;

	if (input_open(&s, path, err) < 0)
		return -1;
	*input = s;
	s->part = true;
	s->part_left = part->size;
	s->sums = s->has_checksum = part->checksum;
	if (part->checksum)
		s->part_checksum = *part->checksum;
	s->whole.total = part->size;
	s->head = make_frame(part->head, part->n_head);
	s->tail = make_frame(part->tail, part->n_tail);
	if (lseek(s->fd, (off_t)part->first, SEEK_SET) == (off_t)part->first)
		return 0;
	error_set(err, ERR_IO, "%s", strerror(errno));
	input_close(s);
	*input = NULL;
	return -1;
}

/* Is there no byte at this moment?  The end of a pipe counts as a byte. */
static bool is_silent(const struct input *s)
{
	struct pollfd file = { .fd = s->fd, .events = POLLIN };

	return s->whole.total < 0 && poll(&file, 1, 0) == 0;
}

/* input_read_some() has bytes to return, and no more have come. */
static bool is_enough(const struct input *s)
{
	return s->some && is_silent(s);
}

static int64_t read_frame(struct frame *f, uint8_t *buffer, int64_t size)
{
	const int64_t n = int64_min(size, f->n - f->n_used);

	memcpy(buffer, f->bytes + f->n_used, (size_t)n);
	f->n_used += n;
	return n;
}

/* One read(2): how many bytes came, 0 at the end, -1 on failure. */
static int64_t read_once(struct input *s, uint8_t *buffer, int64_t size)
{
	size_t piece = (size_t)int64_min(size, MAX_PIECE);
	ssize_t n;

	if (s->part && s->head.n_used < s->head.n)
		return read_frame(&s->head, buffer, size);
	if (s->part && s->part_left == 0 && s->has_checksum && s->checksum != s->part_checksum)
		return fail(s, ERR_FORMAT, "zip archive: a member's checksum is wrong");
	if (s->part && s->part_left == 0)
		return read_frame(&s->tail, buffer, size);
	if (s->part)
		piece = (size_t)int64_min((int64_t)piece, s->part_left);
	do
		n = read(s->fd, buffer, piece);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(s, ERR_IO, strerror(errno));
	/* bytes of the file as stored, compressed or not: progress is measured in stored bytes */
	s->whole.taken += n;
	s->part_left -= s->part ? n : 0;
	if (s->sums)
		s->checksum = checksum_crc32(s->checksum, buffer, n);
	return n;
}

/* Reads the bytes asked for; fewer only at the end of the input or if fewer suffice. */
static int64_t read_whole(struct input *s, uint8_t *buffer, int64_t size)
{
	int64_t n, done = 0;

	do {
		n = read_once(s, buffer + done, size - done);
		if (n < 0)
			return -1;
		done += n;
	} while (n > 0 && done < size && !is_enough(s));
	return done;
}

/*
 * One read(2) behind the packed bytes at hand: how many came, 0 at the end, -1 on failure.  It does
 * not wait for PACKED_SIZE bytes, so what a slow pipe has sent is inflated at once.
 */
static int64_t read_packed(struct input *s)
{
	int64_t n;

	/* bytes at hand are few when this is called, as the inflater has used what it could */
	memmove(s->packed, s->io.in, s->io.n_in);
	s->io.in = s->packed;
	n = read_once(s, s->packed + s->io.n_in, PACKED_SIZE - s->io.n_in);
	if (n > 0)
		s->io.n_in += (uint32_t)n;
	return n;
}

/* The inflater sees the member from its first byte on, so the two read already move to 'packed'. */
static int begin_gzip(struct input *s)
{
	s->packed = mem_array(PACKED_SIZE, 1, &s->failure);
	s->inflater = inflater_new(&s->failure);
	if (!s->packed || !s->inflater)
		return -1;
	/* io.n_in is 2 already, and stays */
	memcpy(s->packed, s->start, sizeof(s->start));
	s->io.in = s->packed;
	s->phase = IN_MEMBER;
	return 0;
}

/* Does gzip's magic come next, as far as the one or two bytes at hand show? */
static bool at_magic(const struct input *s)
{
	return s->io.n_in > 0 &&
	       memcmp(s->io.in, "\x1f\x8b", (size_t)int64_min(s->io.n_in, 2)) == 0;
}

/* (1): read the first two bytes, which decide the phase after UNKNOWN */
static int recognise(struct input *s)
{
	bool some = s->some;
	int64_t n;

	s->some = false; /* read_whole() may not end early: both bytes are needed */
	n = read_whole(s, s->start, sizeof(s->start));
	s->some = some;
	if (n < 0)
		return -1;
	s->io.n_in = (uint32_t)n;
	if (!at_magic(s)) {
		s->phase = PLAIN;
		return 0;
	}
	return n < 2 ? fail_early_end(s) : begin_gzip(s);
}

/* Tapes and some tools fill the last block with zeros; anything else is a fault. */
static int skip_padding(struct input *s)
{
	int64_t n;

	do {
		for (; s->io.n_in > 0; s->io.in++, s->io.n_in--)
			if (*s->io.in != 0)
				return fail(s, ERR_FORMAT,
					    "bytes after the gzip data that are no gzip member");
		n = read_packed(s);
	} while (n > 0);
	s->phase = AT_END;
	return (int)n;
}

/* (3).  Returns 0, or -1 on failure, with the phase that follows. */
static int begin_next_member(struct input *s)
{
	int64_t n = 1;

	while (s->io.n_in < 2 && n > 0)
		n = read_packed(s);
	if (n < 0)
		return -1;
	if (!at_magic(s))
		return skip_padding(s);
	if (s->io.n_in < 2)
		return fail_early_end(s);
	/* the magic is left for the inflater, which reads the member's header itself */
	inflater_restart(s->inflater);
	s->phase = IN_MEMBER;
	return 0;
}

/*
 * Inflate the packed bytes at hand into 'buffer', and read more of them if there was room left (2).
 * How many bytes were made, which may be 0; -1 on failure.  '*enough' is set where no more are read
 * because those made are enough.
 */
static int64_t inflate_some(struct input *s, uint8_t *buffer, int64_t size, bool *enough)
{
	uint32_t room = (uint32_t)int64_min(size, MAX_PIECE);
	const char *reason = NULL;
	int ended;

	s->io.out = buffer;
	s->io.n_out = room;
	ended = inflater_run(s->inflater, &s->io, &reason);
	if (ended < 0) /* a lack of memory is in s->failure already, and stays */
		return error_set(&s->failure, ERR_FORMAT, "%s: %s damaged (%s)", s->shown,
				 s->part ? "zip archive: a member is" : "gzip data are", reason);
	if (ended) {
		s->phase = AFTER_MEMBER;
	} else if (s->io.n_out > 0 && s->io.n_out < room && is_enough(s)) {
		*enough = true;
	} else if (s->io.n_out > 0) {
		int64_t n = read_packed(s);

		if (n <= 0)
			return n < 0 ? -1 : fail_early_end(s);
	}
	/* number of bytes made, also where the member or the bytes at hand have ended */
	return room - s->io.n_out;
}

/* Inflated bytes of successive gzip members, until the buffer is full. */
static int64_t read_gzip(struct input *s, uint8_t *buffer, int64_t size)
{
	int64_t n, done = 0;
	bool enough = false;

	while (done < size && s->phase != AT_END && !enough) {
		n = 0;
		if (s->phase != AFTER_MEMBER)
			n = inflate_some(s, buffer + done, size - done, &enough);
		else if (done > 0 && s->io.n_in == 0 && is_enough(s))
			enough = true;
		else
			n = begin_next_member(s);
		if (n < 0)
			return -1;
		done += n;
	}
	return done;
}

/*
 * What is left of the first two bytes, then the file itself
 *
 * Fewer bytes than asked for are the end only of a read that waits for all of them.
 */
static int64_t read_plain(struct input *s, uint8_t *buffer, int64_t size)
{
	int64_t n, done = int64_min(size, s->io.n_in);

	memcpy(buffer, s->io.in, (size_t)done);
	s->io.in += done;
	s->io.n_in -= (uint32_t)done;
	if (done == size || (done > 0 && is_enough(s)))
		return done;
	n = read_whole(s, buffer + done, size - done);
	if (n < 0)
		return -1;
	if (n == 0 || (n < size - done && !s->some))
		s->phase = AT_END;
	return done + n;
}

/* The next bytes, uncompressed, as the file has them; a failure is in s->failure. */
static int64_t read_on(struct input *s, uint8_t *buffer, int64_t size)
{
	int64_t n = 0;

	/* a failure of recognise() is in s->failure, like all others */
	if (s->phase == UNKNOWN && size > 0 && !s->failure.code)
		recognise(s);
	if (s->phase != AT_END && !s->failure.code)
		n = s->phase == PLAIN ? read_plain(s, buffer, size) : read_gzip(s, buffer, size);
	return s->failure.code ? -1 : n;
}

/* Bytes that were looked at are to come again, before all others. */
static int put_back(struct input *s, const void *bytes, int64_t n)
{
	if (s->is_kept) {
		s->n_again -= n;
		return 0;
	}
	mem_free(s->peeked);
	s->n_peeked = s->n_again = 0;
	s->peeked = mem_copy(bytes, n, 1, &s->failure);
	if (!s->peeked)
		return -1;
	s->n_peeked = n;
	return 0;
}

/*
 * (4): no more of the first bytes than it takes, as a pipe may have no others: formats that no reader
 * knows are told by them, and the mark of UTF-8 is no part of a text
 */
static int look_at_start(struct input *s)
{
	char bytes[FOREIGN_START];
	int64_t n = 0, got = 1;

	while (s->begins == START_OPEN && got > 0) {
		got = read_on(s, (uint8_t *)bytes + n, 1);
		n += got > 0;
		s->begins = got > 0 ? foreign_start(bytes, n, &s->foreign) : START_OWN;
	}
	if (got < 0)
		return -1;
	return n == 0 || s->begins == START_MARKED ? 0 : put_back(s, bytes, n);
}

/* Bytes that were looked at and are still to come. */
static int64_t read_again(struct input *s, uint8_t *buffer, int64_t size)
{
	const int64_t n = int64_min(size, s->n_peeked - s->n_again);

	if (n > 0)
		memcpy(buffer, s->peeked + s->n_again, (size_t)n);
	s->n_again += n;
	s->whole.taken += s->is_kept ? n : 0;
	return n;
}

/* input_read() of any format; a failure is in s->failure. */
static int64_t read_any(struct input *s, uint8_t *buffer, int64_t size)
{
	int64_t n, done;

	/* a part is a member of an archive, which its reader knows */
	if (s->begins == START_OPEN && !s->part && size > 0 && look_at_start(s) < 0)
		return -1;
	done = read_again(s, buffer, size);
	if (done == size || (done > 0 && is_enough(s)))
		return done;
	n = read_on(s, buffer + done, size - done);
	return n < 0 ? -1 : done + n;
}

int64_t input_peek(struct input *s, void *buffer, int64_t size, struct error *err)
{
	const int64_t n = read_any(s, buffer, size);

	if (s->n_again < s->n_peeked)
		s->n_again -= n; /* all of them were looked at before, and more */
	else if (n < 0 || (n > 0 && put_back(s, buffer, n) < 0))
		return error_pass(err, &s->failure);
	return n;
}

int64_t input_begins(const char *path, void *buffer, int64_t size)
{
	struct error ignored = { 0 };
	struct input *input;
	int64_t n;

	if (input_open(&input, path, &ignored) < 0)
		return -1;
	n = input_peek(input, buffer, size, &ignored);
	input_close(input);
	return n;
}

int64_t input_read(struct input *s, void *buffer, int64_t size, struct error *err)
{
	int64_t n = read_any(s, buffer, size);

	if (n > 0 && s->begins == START_FOREIGN && !s->failure.code)
		n = fail(s, ERR_FORMAT, s->foreign);
	if (n > 0 && s->keep)
		byte_buffer_append(s->keep, buffer, n, &s->failure);
	return s->failure.code ? error_pass(err, &s->failure) : n;
}

int input_skip(struct input *s, int64_t size, struct error *err)
{
	if (lseek(s->fd, (off_t)size, SEEK_CUR) < 0)
		return error_set(err, ERR_IO, "%s: %s", s->shown, strerror(errno));
	s->whole.taken += size;
	return 0;
}

int64_t input_append(struct input *s, struct byte_buffer *to, int64_t size, struct error *err)
{
	int64_t n;

	if (byte_buffer_reserve(to, size + 1, err) < 0)
		return -1;
	n = input_read(s, to->bytes + to->size, size, err);
	to->size += int64_max(n, 0);
	return n;
}

int input_append_all(struct input *s, struct byte_buffer *to, struct error *err)
{
	int64_t n;

	do
		n = input_append(s, to, PACKED_SIZE, err);
	while (n == PACKED_SIZE);
	return n < 0 ? -1 : 0;
}

void input_keep(struct input *s, struct byte_buffer *kept)
{
	s->keep = kept;
}

enum foreign_start input_start(const struct input *s)
{
	return s->begins;
}

int64_t input_read_some(struct input *s, void *buffer, int64_t size, struct error *err)
{
	int64_t n;

	s->some = true;
	n = input_read(s, buffer, size, err);
	s->some = false;
	return n;
}

/* Bytes at hand, and the end of the input, are there without waiting. */
bool input_would_wait(const struct input *s)
{
	return s->n_again == s->n_peeked && s->io.n_in == 0 && s->phase != AT_END && is_silent(s);
}

void input_position(const struct input *s, int64_t *taken, int64_t *total)
{
	*taken = s->whole.taken;
	*total = s->whole.total;
}

void input_sum_bytes(struct input *s)
{
	s->sums = true;
}

uint32_t input_checksum(const struct input *s)
{
	return s->checksum;
}

const char *input_name(const struct input *s)
{
	return s->shown;
}

const char *input_whole_name(const struct input *s)
{
	return s->whole.files ? s->whole.files->name : s->shown;
}

void input_note_rounded(struct input *s, const char *place, const char *digits)
{
	error_set(&s->whole.rounded, ERR_NUMERIC,
		  "%s%s: '%s' has more digits than a double holds, and is rounded", s->shown, place,
		  digits);
}

const char *input_rounded(const struct input *s)
{
	return s->whole.rounded.code == ERR_NONE ? NULL : s->whole.rounded.text;
}

void input_close(struct input *s)
{
	if (!s)
		return;
	inflater_free(s->inflater);
	if (s->owned && s->fd >= 0)
		close(s->fd);
	mem_free(s->packed);
	if (!s->is_kept)
		mem_free(s->peeked);
	mem_free(s);
}

/* ---- parts of a text file, cut between its lines, that are read by themselves ---- */

/* Bytes that a text of rows begins with: of a label, a comment, or blanks. */
static const char first_bytes[] = "0123456789+-.#\t \r\n";

bool file_stamp_take(struct file_stamp *stamp, const char *path)
{
	struct stat st;
	FILE *f;

	/* a pipe is not opened: that would wait */
	if (strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    !(f = fopen(path, "r")))
		return false;
	*stamp = (struct file_stamp){ st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, getc(f) };
	fclose(f);
	return true;
}

bool file_stamp_is_text(const struct file_stamp *stamp)
{
	return stamp->first_byte > 0 && strchr(first_bytes, (int)stamp->first_byte);
}

/* Where the first line begins that begins at 'at' or behind it. */
static int64_t next_line(FILE *f, int64_t at)
{
	int byte;

	if (at == 0)
		return 0;
	/* the end of the line before it may be the byte before 'at' */
	fseeko(f, (off_t)at - 1, SEEK_SET);
	do
		byte = getc(f);
	while (byte != '\n' && byte != EOF);
	return ftello(f);
}

int text_part_open(struct input **part, const char *path, const struct file_stamp *stamp,
		   int64_t first, int64_t end, struct error *err)
{
	FILE *f = fopen(path, "r");
	struct file_stamp now;
	struct input_part bytes = { 0 };

	if (!f)
		return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	bytes.first = next_line(f, first);
	bytes.size = next_line(f, end) - bytes.first;
	if (ferror(f))
		error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	else if (!file_stamp_take(&now, path) || memcmp(&now, stamp, sizeof(now)) != 0)
		error_set(err, ERR_IO, "%s: another file of this name, or changed meanwhile", path);
	fclose(f);
	if (err->code != ERR_NONE)
		return -1;
	return bytes.size == stamp->size ? input_open(part, path, err) :
					   input_open_part(part, path, &bytes, err);
}
