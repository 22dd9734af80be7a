/*
 * svmlight.c - examples in SVMlight/LIBSVM text, in batches or as a stream
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/svmlight.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/mem.h"
#include "base/thread.h"

/* Large enough to make locking rare, small enough to stay in a core's cache. */
#define CHUNK_SIZE (1 << 20)

void row_batch_free(struct row_batch *batch)
{
	free(batch->label);
	free(batch->row_start);
	free(batch->index);
	free(batch->value);
	*batch = (struct row_batch){ 0 };
}

/* An example is at least "1\n", an entry at least " 1:1": no check is needed later. */
static int batch_reserve(struct row_batch *b, int64_t n_bytes, struct error *err)
{
	int64_t rows = n_bytes / 2 + 1, entries = n_bytes / 4 + 1;

	if (mem_grow(&b->label, &b->rows_capacity, rows, sizeof(double), err) < 0 ||
	    mem_grow(&b->row_start, &b->starts_capacity, rows + 1, sizeof(int64_t), err) < 0 ||
	    mem_grow(&b->index, &b->indices_capacity, entries, sizeof(int32_t), err) < 0 ||
	    mem_grow(&b->value, &b->values_capacity, entries, sizeof(double), err) < 0)
		return -1;
	b->n_rows = b->n_entries = b->n_lines = b->max_index = 0;
	b->row_start[0] = 0;
	return 0;
}

/* The state of reading one text; every line in it ends in '\n', so that stops scans. */
struct reader {
	struct row_batch *batch;
	const struct svmlight_options *options;
	const char *end;
	const char *bad;	/* where the current line is wrong */
	struct error *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/* Note why the line is wrong at 'p'; returns NULL. */
static const char *refuse(struct reader *r, const char *p, const char *reason)
{
	r->bad = p;
	error_set(r->err, ERR_FORMAT, "%s", reason);
	return NULL;
}

/* Room for a word of the input in a message. */
#define WORD_SIZE 40

/* The word that stands at 'p', fit to print; empty at the end of the line. */
static const char *quote_word(char word[WORD_SIZE], const char *p)
{
	const char *end = p;

	while (*end != '\n' && !is_blank(*end))
		end++;
	return error_quote(word, WORD_SIZE, p, (size_t)(end - p));
}

/* Likewise, showing the word that stands there. */
static const char *refuse_word(struct reader *r, const char *p, const char *wanted)
{
	char word[WORD_SIZE];

	r->bad = p;
	if (*quote_word(word, p))
		error_set(r->err, ERR_FORMAT, "expected %s, got '%s'", wanted, word);
	else
		error_set(r->err, ERR_FORMAT, "expected %s, got the end of the line", wanted);
	return NULL;
}

static const char *refuse_nonfinite(struct reader *r, const char *p)
{
	char word[WORD_SIZE];

	r->bad = p;
	error_set(r->err, ERR_FORMAT, "not finite: '%s'", quote_word(word, p));
	return NULL;
}

/* Does 'nan' or 'inf' stand there, rather than digits too many? */
static bool is_word(const char *p)
{
	p += *p == '-' || *p == '+';
	return !digits_is(*p) && *p != '.';
}

static const char *read_number(struct reader *r, const char *p, double *value, const char *what)
{
	const char *q = decimal_parse(p, r->end, value);

	if (__builtin_expect(!q || (!is_blank(*q) && *q != '\n' && *q != '#'), 0))
		return refuse_word(r, p, what);
	if (__builtin_expect(!isfinite(*value), 0) && !(r->options->allow_nonfinite && is_word(p)))
		return refuse_nonfinite(r, p);
	return q;
}

/* The index before a colon; returns the byte after that colon. */
static const char *read_index(struct reader *r, const char *p, int64_t *index)
{
	const char *q = *p == '+' ? p + 1 : p;
	int64_t n = 0;

	if (__builtin_expect(!digits_is(*q), 0))
		return *p == '-' && digits_is(p[1]) ?
			       refuse(r, p, "negative feature index") :
			       refuse_word(r, p, "index:value");
	do {
		n = 10 * n + (*q++ - '0');
		if (__builtin_expect(n > INT32_MAX, 0))
			return refuse(r, p, "feature index too large (limit 2147483647)");
	} while (digits_is(*q));
	if (__builtin_expect(*q != ':', 0))
		return refuse_word(r, p, "index:value");
	*index = n;
	return q + 1;
}

static const char *read_qid(struct reader *r, const char *p)
{
	const char *q = p + 4;

	if (r->options->strict)
		return refuse(r, p, "qid (--strict)");
	if (!digits_is(*q))
		return refuse_word(r, p, "qid:number");
	while (digits_is(*q))
		q++;
	return is_blank(*q) || *q == '\n' || *q == '#' ? q : refuse_word(r, p, "qid:number");
}

/* From the '#' to the line's end. */
static const char *read_comment(struct reader *r, const char *p)
{
	const char *q = memchr(p, '\n', (size_t)(r->end - p));
	const char *zero = memchr(p, '\0', (size_t)(q - p));

	if (zero)
		return refuse(r, zero, "a byte 0: this is no text");
	if (r->options->strict && memchr(p, ':', (size_t)(q - p)))
		return refuse(r, p, "colon in a comment (--strict)");
	return q;
}

static void refuse_order(struct reader *r, const char *p, int64_t index, int64_t previous)
{
	r->bad = p;
	error_set(r->err, ERR_FORMAT, "feature %" PRId64 " after %" PRId64 "; indices must ascend",
		  index, previous);
}

/* Characters looked at together. */
#define BLOCK 64

/* What quick_entries() may look at: a block, and a value of "-1234567.1234567" beyond it. */
#define QUICK_BYTES (BLOCK + 32)

/* The top bits of the bytes that are zero in 'word', no others. */
static inline uint64_t zero_bytes(uint64_t word)
{
	const uint64_t low = DIGITS_EIGHT(0x7f);

	return ~(((word & low) + low) | word | low);
}

/* One bit for each of eight characters: is it a colon, a blank, an end of line? */
static inline uint64_t eight_separators(const char *p)
{
	const uint64_t top = DIGITS_EIGHT(0x80);
	uint64_t word = digits_load(p);
	uint64_t blank = ~((word | top) - DIGITS_EIGHT(' ' + 1)) & ~word & top;
	uint64_t colon = zero_bytes(word ^ DIGITS_EIGHT(':'));

	/* the multiplication brings the eight top bits together, the first lowest */
	return ((blank | colon) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Likewise for BLOCK characters. */
static inline uint64_t block_separators(const char *p)
{
	uint64_t first = eight_separators(p) | eight_separators(p + 8) << 8 |
			 eight_separators(p + 16) << 16 | eight_separators(p + 24) << 24;
	uint64_t second = eight_separators(p + 32) | eight_separators(p + 40) << 8 |
			  eight_separators(p + 48) << 16 | eight_separators(p + 56) << 24;

	return first | second << 32;
}

/*
 * The common value in a few branches: up to seven digits before and seven after a point.
 * It is an integer below 10^14 over a power of ten up to 10^7, both exact
 * doubles: one division rounds correctly.  Returns its end, or NULL if it is not of this kind
 * (which says nothing about its being right).
 */
static inline const char *quick_value(const char *p, double *value)
{
	static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7 };
	static const uint32_t integer_power[] = { 1,	 10,	 100,	  1000,
						  10000, 100000, 1000000, 10000000 };
	bool negative = *p == '-';
	uint64_t word = digits_load(p += negative), whole;
	int n = digits_run(word), m;

	if (n == 0 || n == 8)
		return NULL;
	whole = n == 1 ? (uint64_t)(*p - '0') : digits_value(word, n);
	p += n;
	*value = (double)(int64_t)whole;
	if (*p == '.') {
		word = digits_load(++p);
		m = digits_run(word);
		if (m == 0 || m == 8)
			return NULL;
		whole = whole * integer_power[m] + digits_value(word, m);
		p += m;
		*value = (double)(int64_t)whole / power[m];
	}
	if (negative)
		*value = -*value;
	return p;
}

/* Where the separators are, from one on. */
struct separator_scan {
	const char *block, *end;
	uint64_t mask;		/* those of the block not yet passed */
};

/* The next separator, or NULL where the text is about to end. */
static inline const char *next_separator(struct separator_scan *scan)
{
	const char *found;

	while (__builtin_expect(scan->mask == 0, 0)) {
		scan->block += BLOCK;
		if (scan->end - scan->block < QUICK_BYTES)
			return NULL;
		scan->mask = block_separators(scan->block);
	}
	found = scan->block + __builtin_ctzll(scan->mask);
	scan->mask &= scan->mask - 1;
	return found;
}

/*
 * The common entries: one blank, up to seven digits, a colon, a quick_value().  Where they
 * begin and end is read from the separators, found for a whole block at once, so that no
 * entry waits for the one before it.  'p' is at the character after the label; stops at
 * the first entry that is not of this kind and returns the blank before it, or at the '\n'.
 */
static inline const char *quick_entries(struct reader *r, const char *p, int64_t *n_entries,
					int64_t *previous)
{
	struct separator_scan scan = { p, r->end, 0 };
	int32_t *index = r->batch->index + *n_entries, *first = index;
	double *value = r->batch->value + *n_entries;
	int64_t last = *previous;

	if (r->end - p >= QUICK_BYTES)
		scan.mask = block_separators(p) & ~UINT64_C(1);	/* p itself */
	while (*p == ' ') {
		const char *colon = next_separator(&scan), *end;
		uint64_t word;
		int n;

		if (!colon)
			break;
		if (*colon == '\n' && colon == p + 1)
			p = colon;	/* a blank at the end of the line */
		word = digits_load(p + 1);
		n = digits_run(word);
		if (*colon != ':' || n == 0 || n == 8 || colon != p + 1 + n)
			break;
		*index = (int32_t)digits_value(word, n);
		end = next_separator(&scan);
		if (!end || (!is_blank(*end) && *end != '\n') || *index <= last ||
		    quick_value(colon + 1, value) != end)
			break;
		last = *index++;
		value++;
		p = end;
	}
	*n_entries += index - first;
	*previous = last;
	return p;
}

/* The entries of one example; returns the '\n' after them. */
static const char *read_entries(struct reader *r, const char *p)
{
	struct row_batch *b = r->batch;
	int64_t k = b->n_entries, index = 0, previous = -1;

	for (;;) {
		const char *q;

		p = skip_blanks(quick_entries(r, p, &k, &previous));
		if (__builtin_expect(!digits_is(*p), 0)) {
			if (*p == '\n')
				break;
			if (*p == '#' && !(p = read_comment(r, p)))
				return NULL;
			if (*p == '\n')
				break;
			if (strncmp(p, "qid:", 4) == 0) {
				if (!(p = read_qid(r, p)))
					return NULL;
				continue;
			}
		}
		q = read_index(r, p, &index);
		if (__builtin_expect(!q, 0))
			return NULL;
		if (__builtin_expect(index <= previous, 0)) {
			refuse_order(r, p, index, previous);
			return NULL;
		}
		p = read_number(r, skip_blanks(q), &b->value[k], "a value");
		if (__builtin_expect(!p, 0))
			return NULL;
		b->index[k++] = (int32_t)index;
		previous = index;
	}
	b->n_entries = k;
	if (previous > b->max_index)
		b->max_index = previous;
	return p;
}

/* One line; returns the first byte of the next. */
static const char *read_line(struct reader *r, const char *line)
{
	struct row_batch *b = r->batch;
	const char *p = skip_blanks(line);

	if (__builtin_expect(*p == '\n' || *p == '#', 0)) {
		if (r->options->strict)
			return refuse(r, line, *p == '#' ? "comment line (--strict)" :
							   "empty line (--strict)");
		p = read_comment(r, p);
		return p ? p + 1 : NULL;
	}
	p = read_number(r, p, &b->label[b->n_rows], "a label");
	if (__builtin_expect(!p || !(p = read_entries(r, p)), 0))
		return NULL;
	b->row_start[++b->n_rows] = b->n_entries;
	return p + 1;
}

int svmlight_parse(struct row_batch *batch, const char *text, const char *end,
		   const struct svmlight_options *options, struct text_position *where,
		   struct error *err)
{
	struct reader r = { .batch = batch, .options = options, .end = end, .err = err };
	const char *line = text;

	if (batch_reserve(batch, end - text, err) < 0)
		return -1;
	while (line < end) {
		const char *next = read_line(&r, line);

		batch->n_lines++;
		if (__builtin_expect(!next, 0)) {
			*where = (struct text_position){ batch->n_lines, r.bad - line + 1 };
			return -1;
		}
		line = next;
	}
	return 0;
}

/* A piece of the input on its way through the pipeline. */
struct chunk {
	char *text;
	int64_t size, capacity;
	struct row_batch batch;
	bool malformed;		/* told only when its turn comes: only then the line
				 * number within the file is known */
	struct text_position where;
	struct error reason;
	void *user;
};

struct scan {
	struct stream *stream;
	const struct svmlight_options *options;
	const struct svmlight_visitor *visitor;
	char *rest;		/* what followed the last newline of the chunk before */
	int64_t rest_size, rest_capacity;
	bool at_end;
	int64_t n_lines;	/* delivered so far */
};

/* Read until the chunk holds a newline or the input ends; returns the last newline. */
static char *fill_chunk(struct scan *s, struct chunk *c, struct error *err)
{
	char *last = NULL;

	while (!last && !s->at_end) {
		int64_t room = c->size < CHUNK_SIZE ? CHUNK_SIZE - c->size : c->size, got;

		if (mem_grow(&c->text, &c->capacity, c->size + room + 1, 1, err) < 0)
			return NULL;
		got = stream_read(s->stream, c->text + c->size, room, err);
		if (got < 0)
			return NULL;
		last = memrchr(c->text + c->size, '\n', (size_t)got);
		/* a line with a byte 0 is refused: no need to look for its end */
		s->at_end = got < room || (!last && memchr(c->text + c->size, '\0', (size_t)got));
		c->size += got;
	}
	if (s->at_end && c->size > 0 && c->text[c->size - 1] != '\n') {
		c->text[c->size++] = '\n';
		last = NULL;
	}
	return last ? last : c->text + c->size - 1;
}

static int take_chunk(void *arg, void *slot, struct error *err)
{
	struct scan *s = arg;
	struct chunk *c = slot;
	char *last;

	if (s->at_end)
		return 0;
	if (mem_grow(&c->text, &c->capacity, s->rest_size + 1, 1, err) < 0)
		return -1;
	if (s->rest_size > 0)
		memcpy(c->text, s->rest, (size_t)s->rest_size);
	c->size = s->rest_size;
	s->rest_size = 0;
	last = fill_chunk(s, c, err);
	if (err->code != ERR_NONE)
		return -1;
	if (s->visitor->progress) {
		int64_t taken, total;

		stream_position(s->stream, &taken, &total);
		s->visitor->progress(s->visitor->arg, taken, total);
	}
	if (c->size == 0)
		return 0;
	s->rest_size = c->text + c->size - (last + 1);
	if (mem_grow(&s->rest, &s->rest_capacity, s->rest_size, 1, err) < 0)
		return -1;
	if (s->rest_size > 0)
		memcpy(s->rest, last + 1, (size_t)s->rest_size);
	c->size -= s->rest_size;
	return 1;
}

static int parse_chunk(void *arg, void *slot, struct error *err)
{
	struct scan *s = arg;
	struct chunk *c = slot;

	c->reason = (struct error){ 0 };
	c->malformed = svmlight_parse(&c->batch, c->text, c->text + c->size, s->options, &c->where,
				      &c->reason) < 0;
	if (c->malformed && c->reason.code != ERR_FORMAT)
		return error_set(err, c->reason.code, "%s", c->reason.text);
	if (!s->visitor->work)
		return 0;
	return s->visitor->work(s->visitor->arg, &c->batch, c->user, err);
}

/* The rows before a malformed line are good, and come first. */
static int deliver_chunk(void *arg, void *slot, struct error *err)
{
	struct scan *s = arg;
	struct chunk *c = slot;

	if (s->visitor->deliver &&
	    s->visitor->deliver(s->visitor->arg, &c->batch, c->user, err) < 0)
		return -1;
	if (c->malformed) {
		int64_t line = s->n_lines + c->where.line;

		return error_set(err, ERR_FORMAT,
				 "Wrong input format at line %" PRId64 ": %s:%" PRId64 ":%" PRId64
				 ": %s", line, stream_name(s->stream), line, c->where.column,
				 c->reason.text);
	}
	s->n_lines += c->batch.n_lines;
	return 0;
}

int svmlight_scan(struct stream *stream, const struct svmlight_options *options,
		  const struct svmlight_visitor *visitor, int n_threads, struct error *err)
{
	struct scan s = { .stream = stream, .options = options, .visitor = visitor };
	struct pipeline steps = { take_chunk, parse_chunk, deliver_chunk, &s };
	struct chunk chunks[THREAD_MAX] = { 0 };
	void *slots[THREAD_MAX];
	int ret;

	n_threads = thread_clamp_count(n_threads);
	for (int i = 0; i < n_threads; i++) {
		chunks[i].user = visitor->user ? visitor->user[i] : NULL;
		slots[i] = &chunks[i];
	}
	ret = pipeline_run(&steps, slots, n_threads, err);
	for (int i = 0; i < n_threads; i++) {
		free(chunks[i].text);
		row_batch_free(&chunks[i].batch);
	}
	free(s.rest);
	return ret;
}
