/*
 * model_text.c - the lines, words and numbers of a model file
 *
 * How this works.  A buffer holds a part of the file:
 *
 *     buffer [ read already | pos: not read yet ... | end: '\n' ]
 *
 * The '\n' at 'end' is not part of the file.  It stops all loops over words and numbers, which so
 * look at no limit; code that stops there checks whether this is the end of a line (pos < end) or
 * of the buffer.
 *
 * skip_blanks() comes before every word and guarantees that the word is whole in the buffer: there
 * are more than MODEL_WORD_MAX bytes, or all that the file has.  If not, refill() moves what is not
 * read to the front and reads on.  So a word is read in place, by pointers, and copied nowhere; it
 * is lost with the next call.  A word that reaches 'end' all the same is longer than a word may be,
 * or, at the end of the file, on a line that does not end: of `1.25` a cut may have left `1.2`.
 *
 * Numbers are parsed first and their end is looked at then, which takes one pass over the digits;
 * only if that fails is the word found, for the message.
 *
 * Invariants between calls: buffer <= pos <= end, *end == '\n', and every byte of [pos, end) is a
 * byte of the file that no call has used.  t->line is the number of the line that the last
 * model_text_next_line() went to; n_ended counts the line ends passed so far.
 *
 *      call                        pos afterwards
 *      model_text_next_line()      first word of the next line that has one
 *      model_text_word()           behind the word, at a blank or a line's end
 *      model_text_number(), ..     behind the number, likewise
 *
 * Time is O(bytes); each buffer read moves at most MODEL_WORD_MAX bytes to the front.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"

enum {
	BUFFER_SIZE = 1 << 18, /* bytes of the buffer, which stay in the second-level cache */
	NAME_SHOWN = 512       /* bytes of a name in a message, so that the reason fits too */
};

int model_text_init(struct model_text *t, struct input *input, struct error *err)
{
	*t = (struct model_text){ .input = input, .err = err, .line = 1 };
	t->buffer = mem_array(BUFFER_SIZE + 1, 1, err); /* 1 more for a last '\n' */
	if (!t->buffer)
		return -1;
	t->buffer[0] = '\n'; /* an empty buffer, which the first skip_blanks() refills */
	t->pos = t->end = t->buffer;
	return 0;
}

void model_text_free(struct model_text *t)
{
	mem_free(t->buffer);
	*t = (struct model_text){ 0 };
}

int model_text_fail(struct model_text *t, const char *format, ...)
{
	const char *name = input_name(t->input);
	char shown[NAME_SHOWN], reason[256];
	va_list args;

	error_quote(shown, sizeof(shown), name, strlen(name));
	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return error_set(t->err, ERR_FORMAT, "%s:%" PRId64 ": %s", shown, t->line, reason);
}

bool model_word_is(const struct model_word *word, const char *text)
{
	return strlen(text) == (size_t)word->length &&
	       memcmp(text, word->start, (size_t)word->length) == 0;
}

const char *model_word_quote(const struct model_word *word, char buffer[MODEL_QUOTE_SIZE])
{
	return error_quote(buffer, MODEL_QUOTE_SIZE, word->start, (size_t)word->length);
}

/* As isspace() in the C locale, without a look-up in the locale's table. */
static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Move the bytes not read yet to the front of the buffer, and fill the rest of it. */
static int refill(struct model_text *t)
{
	int64_t kept = t->end - t->pos, n;

	memmove(t->buffer, t->pos, (size_t)kept);
	n = input_read(t->input, t->buffer + kept, BUFFER_SIZE - kept, t->err);
	if (n < 0)
		return -1;
	t->at_end = n < BUFFER_SIZE - kept; /* input_read() returns less only at the end */
	t->pos = t->buffer;
	t->end = t->buffer + kept + n;
	t->buffer[kept + n] = '\n';
	return 0;
}

/*
 * Go to the next word or line end, and see that a word there is whole in the buffer
 *
 * After a refill blanks may go on, so the loop begins anew; it ends as the file does.
 */
static inline int skip_blanks(struct model_text *t)
{
	for (;;) {
		while (is_space(*t->pos) && *t->pos != '\n')
			t->pos++;
		if (t->end - t->pos > MODEL_WORD_MAX || t->at_end)
			return 0;
		if (refill(t) < 0)
			return -1;
	}
}

/* At a line end of the file, not at that after the buffer? */
static inline bool at_line_end(const struct model_text *t)
{
	return *t->pos == '\n' && t->pos < t->end;
}

/* Does a word of the file end at 'p', where decimal_parse() stopped?  NULL: there was no number. */
static inline bool ends_word(const struct model_text *t, const char *p)
{
	return p && p < t->end && is_space(*p);
}

int model_text_next_line(struct model_text *t)
{
	for (;;) {
		if (skip_blanks(t) < 0)
			return -1;
		if (t->pos == t->end)
			return 0;
		if (*t->pos != '\n')
			break;
		t->pos++;
		t->n_ended++;
	}
	t->line = t->n_ended + 1;
	return 1;
}

int model_text_word(struct model_text *t, struct model_word *word)
{
	const char *p;

	if (skip_blanks(t) < 0)
		return -1;
	p = t->pos;
	while (!is_space(*p))
		p++;
	if (p == t->end)
		return t->at_end ? model_text_fail(t, "the line does not end (truncated file?)") :
				   model_text_fail(t, "word of more than %d bytes", MODEL_WORD_MAX);
	*word = (struct model_word){ t->pos, p - t->pos };
	t->pos = p;
	return word->length > 0;
}

int model_text_integer(struct model_text *t, const char *what, int64_t low, int64_t high,
		       int64_t *value)
{
	char quote[MODEL_QUOTE_SIZE];
	struct model_word word;
	const char *number;
	int ret = model_text_word(t, &word);

	if (ret <= 0)
		return ret;
	number = word.start + (word.start[0] == '+' && word.start[1] != '-');
	if (!decimal_integer(number, word.start + word.length, value) || *value < low ||
	    *value > high)
		return model_text_fail(t, "%s: '%s' is not an integer from %" PRId64 " to %" PRId64,
				       what, model_word_quote(&word, quote), low, high);
	return 1;
}

/* Sets the error for the malformed number that begins 'skipped' bytes into the next word. */
static int fail_number(struct model_text *t, const char *what, int64_t skipped)
{
	char quote[MODEL_QUOTE_SIZE];
	struct model_word word;
	const char *end;
	double value;

	if (model_text_word(t, &word) < 0)
		return -1;
	end = word.start + word.length;
	return model_text_fail(
		t, "%s: '%s' is not %s", what, model_word_quote(&word, quote),
		decimal_parse(word.start + skipped, end, &value) == end ? "finite" : "a number");
}

int model_text_number(struct model_text *t, const char *what, double *value)
{
	const char *p;

	if (skip_blanks(t) < 0)
		return -1;
	if (at_line_end(t))
		return 0;
	p = decimal_parse(t->pos, t->end, value);
	/* pos has not moved: the word that is refused can be found again, for the message */
	if (!ends_word(t, p) || !isfinite(*value))
		return fail_number(t, what, 0);
	t->pos = p;
	return 1;
}

/* Refuse the next word: it is no index:value, or, if 'too_large', its index has over 31 bits. */
static int fail_pair(struct model_text *t, bool too_large)
{
	char quote[MODEL_QUOTE_SIZE];
	struct model_word word;

	if (model_text_word(t, &word) < 0)
		return -1;
	model_word_quote(&word, quote);
	return too_large ? model_text_fail(t, "'%s': index too large", quote) :
			   model_text_fail(t, "expected index:value, got '%s'", quote);
}

int model_text_pair(struct model_text *t, int32_t *index, double *value)
{
	const char *p, *end;
	int64_t i = 0;

	if (skip_blanks(t) < 0)
		return -1;
	if (at_line_end(t))
		return 0;
	for (p = t->pos; *p >= '0' && *p <= '9'; p++)
		if (i <= INT32_MAX) /* a larger index is refused anyway, and must not overflow */
			i = 10 * i + (*p - '0');
	if (p == t->pos || *p != ':')
		return fail_pair(t, false);
	if (i > INT32_MAX)
		return fail_pair(t, true);
	end = decimal_parse(++p, t->end, value);
	if (!ends_word(t, end) || !isfinite(*value))
		return fail_number(t, "value", p - t->pos);
	*index = (int32_t)i;
	t->pos = end;
	return 1;
}
