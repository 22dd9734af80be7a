/*
 * svmlight.c - examples in SVMlight/LIBSVM text, read and written
 *
 * How this works.  Two readers take turns within a line.  read_entries() reads any entry that the
 * grammar allows and says what is wrong with any other.  quick_entries() reads the common entry
 * alone (one blank, up to seven digits, a colon, up to seven digits before and seven after a point)
 * and hands over at the first entry that is not of this kind, right or wrong.  It never refuses
 * anything, so the grammar stands in one place.
 *
 * An entry is quick because its bounds are known before it is looked at.  The separators (colon,
 * blank, end of line) of 64 characters are found at once and kept as the bits of a word (1).  The
 * next entry's colon and end are the next two bits (2), so no entry waits for the end of the one
 * before it, and the digits between them are converted eight at a time (3).  On one core a9a is
 * read at 467 MB/s, where finding the end of one number after another gives 388, and mnist at 700
 * and 580.
 *
 * No bounds are checked while a line is read.  The text ends in '\n', which stops every scan, and
 * the shortest possible example, "1\n" (with optional labels "\n"), and entry, " 1:1", bound how
 * many there can be (4).  quick_entries() looks at whole blocks, and leaves the last QUICK_BYTES of
 * the text alone.
 *
 * An example of (1) and (2) on the text "1 3:0.5 7:2\n", from the blank after the label on:
 *
 *      text          ' ' 3  :  0  .  5 ' ' 7  :  2 \n
 *      separators     1  0  1  0  0  0  1  0  1  0  1       bit 0, at p itself, is cleared
 *      next two           colon at 2        end at 6        index 3, value 0.5
 *      next two                             colon at 8, end at 10
 *
 * Who decides: quick_entries() takes only what read_entries() would take as well, with the same
 * value; so results do not depend on where blocks begin, nor on how near an entry is to the end of
 * a text.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/svmlight.h"

#include <pthread.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "io/foreign_text.h"

/* ---- reading ---- */

/* The state of reading one text.  Every line in it ends in '\n', which stops all scans. */
struct reader {
	struct row_batch *batch;
	const struct rows_options *options;
	const char *end;
	const char *line; /* beginning of the current line */
	const char *bad;  /* place where the current line is wrong */
	bool unlabelled;  /* has the last row no label? */
	struct error *err;
};

/* The characters of isspace() but for '\n', which ends a line. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The first byte from p on that is no blank; may be the '\n'. */
static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/* Note that the line is wrong at 'p', why, and what helps; is NULL. */
#define refuse_remedy(r, p, remedy, ...)                                              \
	((r)->bad = (p), error_set_remedy((r)->err, ERR_FORMAT, remedy, __VA_ARGS__), \
	 (const char *)NULL)

#define refuse(r, p, ...) refuse_remedy(r, p, REMEDY_NONE, __VA_ARGS__)

/* The same of a line that strict reading alone refuses. */
#define refuse_strictly(r, p, what) refuse_remedy(r, p, REMEDY_READ_LENIENTLY, what)

/* Room for a word of the input in a message. */
#define WORD_SIZE 40

/* The word at 'p', fit to print, until the end of the block; empty at the end of the line. */
#define WORD_AT(p) quote_word((char[WORD_SIZE]){ 0 }, p)
static const char *quote_word(char word[WORD_SIZE], const char *p)
{
	const char *end = p;

	while (*end != '\n' && !is_blank(*end))
		end++;
	return error_quote(word, WORD_SIZE, p, (size_t)(end - p));
}

/* Refuse the line at 'p', showing what was expected, the word that is there, and what may help. */
static const char *refuse_word(struct reader *r, const char *p, const char *wanted)
{
	const char *hint = foreign_text_hint(r->line, p), *word = WORD_AT(p);

	if (!*word)
		return refuse(r, p, "expected %s, got the end of the line%s", wanted, hint);
	return refuse(r, p, "expected %s, got '%s'%s", wanted, word, hint);
}

/* Is a number that is not finite written "nan" or "inf", rather than in digits too large? */
static bool is_word(const char *p)
{
	p += *p == '-' || *p == '+';
	return !digits_is(*p) && *p != '.';
}

/*
 * A number from p to q that is 2^53 or more in size: refused if it is not finite, which an option
 * allows if it is written as a word, and noted if it is an integer that was rounded.  Returns q, or
 * NULL.
 */
static const char *check_large(struct reader *r, const char *p, const char *q, double value)
{
	struct rounded_integer *rounded = &r->batch->rounded;

	if (!isfinite(value) && !(r->options->allow_nonfinite && is_word(p)))
		return refuse_remedy(r, p, is_word(p) ? REMEDY_ACCEPT_NONFINITE : REMEDY_NONE,
				     "not finite: '%s'", WORD_AT(p));
	if (rounded->line == 0 && decimal_is_rounded(p, q, value)) {
		rounded->line = r->batch->n_lines + 1;
		rounded->column = p - r->line + 1;
		error_quote(rounded->digits, sizeof(rounded->digits), p, (size_t)(q - p));
	}
	return q;
}

/* A label or a value; returns its end, or NULL. */
static const char *read_number(struct reader *r, const char *p, double *value, const char *what)
{
	const char *q = decimal_parse(p, r->end, value);

	if (__builtin_expect(!q || (!is_blank(*q) && *q != '\n' && *q != '#'), 0))
		return refuse_word(r, p, what);
	/* so that NaN is one of them */
	if (__builtin_expect(!(fabs(*value) < 0x1p53), 0))
		return check_large(r, p, q, *value);
	return q;
}

/* The index before a colon; returns the byte after that colon. */
static const char *read_index(struct reader *r, const char *p, int64_t *index)
{
	const char *q = *p == '+' ? p + 1 : p;
	int64_t n = 0;

	if (__builtin_expect(!digits_is(*q), 0))
		return *p == '-' && digits_is(p[1]) ? refuse(r, p, "negative feature index") :
						      refuse_word(r, p, "index:value");
	do {
		n = 10 * n + (*q++ - '0'); /* below 10 * 2^31: no overflow */
		if (__builtin_expect(n > INT32_MAX, 0))
			return refuse(r, p, "feature index too large (limit 2147483647)");
	} while (digits_is(*q));
	if (__builtin_expect(*q != ':', 0))
		return refuse_word(r, p, "index:value");
	*index = n;
	return q + 1;
}

/* "qid:digits", which is not an entry: kept as text, or skipped. */
static const char *read_qid(struct reader *r, const char *p)
{
	const char *q = p + 4;

	if (r->options->strict)
		return refuse_strictly(r, p, "qid");
	if (!digits_is(*q))
		return refuse_word(r, p, "qid:number");
	while (digits_is(*q))
		q++;
	r->batch->has_qid = true;
	if (r->batch->has_text)
		r->batch->text[r->batch->n_rows].qid = (struct text_span){ p, q - p };
	return is_blank(*q) || *q == '\n' || *q == '#' ? q : refuse_word(r, p, "qid:number");
}

/* Refuse a CR with more of its line behind it: rows of some old editors and spreadsheets. */
static const char *refuse_cr(struct reader *r, const char *p)
{
	return refuse(r, p,
		      "a CR within the line; if lines end with CR alone, tr '\\r' '\\n' makes "
		      "them end with LF");
}

/*
 * From the '#' to the '\n', which is returned; NULL if the comment is refused.  A batch with texts has
 * it without the blanks at its end.
 */
static const char *read_comment(struct reader *r, const char *p)
{
	const char *q = memchr(p, '\n', (size_t)(r->end - p));
	const char *zero = memchr(p, '\0', (size_t)(q - p)), *cr = memchr(p, '\r', (size_t)(q - p));

	if (zero)
		return refuse(r, zero, "a byte 0: this is no text");
	if (cr && skip_blanks(cr) < q)
		return refuse_cr(r, cr);
	if (r->options->strict && memchr(p, ':', (size_t)(q - p)))
		return refuse_strictly(r, p, "colon in a comment");
	if (r->batch->has_text) {
		const char *end = q;

		while (end > p && is_blank(end[-1]))
			end--;
		r->batch->text[r->batch->n_rows].comment = (struct text_span){ p, end - p };
	}
	return q;
}

/* Characters whose separators are found together: a bit each in a word of 64. */
#define BLOCK 64

/*
 * Bytes that quick_entries() may look at from the start of a block.  A value that begins in it may
 * be "-1234567.", after which eight more bytes are loaded: 17 bytes, made a round number.
 */
#define QUICK_BYTES (BLOCK + 32)

/* The top bits of the bytes that are zero in 'word', no others. */
static inline uint64_t zero_bytes(uint64_t word)
{
	/* a byte's low bits + 0x7f do not carry into the next byte */
	const uint64_t low = DIGITS_EIGHT(0x7f);

	return ~(((word & low) + low) | word | low);
}

/*
 * One bit for each of eight characters: is it a colon, or at most ' '?  That takes in blanks and
 * ends of lines, and control characters, at which quick_entries() stops as well.
 */
static inline uint64_t eight_separators(const char *p)
{
	const uint64_t top = DIGITS_EIGHT(0x80);
	uint64_t word = digits_load(p);
	uint64_t blank = ~((word | top) - DIGITS_EIGHT(' ' + 1)) & ~word & top;
	uint64_t colon = zero_bytes(word ^ DIGITS_EIGHT(':'));

	/* the product's top byte is the eight bits side by side, the first character's lowest */
	return ((blank | colon) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* (1): one bit for each of BLOCK characters: is it a colon, or at most ' '? */
static inline uint64_t block_separators(const char *p)
{
	uint64_t first = eight_separators(p) | eight_separators(p + 8) << 8 |
			 eight_separators(p + 16) << 16 | eight_separators(p + 24) << 24;
	uint64_t second = eight_separators(p + 32) | eight_separators(p + 40) << 8 |
			  eight_separators(p + 48) << 16 | eight_separators(p + 56) << 24;

	return first | second << 32;
}

/*
 * (3): up to seven digits before a point and up to seven after it.  The value is an integer below
 * 10^14 over a power of ten up to 10^7; both are exact doubles, so one division rounds correctly.
 * Returns its end, or NULL for any other number, which may be right all the same.
 */
static inline const char *quick_value(const char *p, double *value)
{
	static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7 };
	static const uint32_t integer_power[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000
	};
	bool negative = *p == '-';
	uint64_t word = digits_load(p += negative), whole;
	int n = digits_run(word), m;

	if (n == 0 || n == 8)
		return NULL;
	/* a single digit, as in "1:1" and "5:0.25", is worth a branch */
	whole = n == 1 ? (uint64_t)(*p - '0') : digits_value(word, n);
	p += n;
	*value = (double)(int64_t)whole;
	if (*p == '.') {
		word = digits_load(++p);
		m = digits_run(word);
		if (m == 0 || m == 8)
			return NULL;
		/* digits before and after the point as one integer below 10^14 */
		whole = whole * integer_power[m] + digits_value(word, m);
		p += m;
		*value = (double)(int64_t)whole / power[m];
	}
	if (negative)
		*value = -*value;
	return p;
}

/* The separators of a text, one after another. */
struct separator_scan {
	const char *block, *end; /* block at hand; end of the text */
	uint64_t mask;		 /* separators of the block that have not been passed */
};

/* (2): the next separator, or NULL if fewer than QUICK_BYTES are left of the text. */
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
	scan->mask &= scan->mask - 1; /* clear the lowest bit: its separator has been passed */
	return found;
}

/*
 * The common entries: one blank, up to seven digits, a colon, a quick_value().  'p' is at the
 * character after the label or after an entry.  Stops at the first entry that is not of this kind
 * and returns the blank before it, or at the '\n', which it returns.
 */
static inline const char *quick_entries(struct reader *r, const char *p, int64_t *n_entries,
					int64_t *previous)
{
	struct separator_scan scan = { p, r->end, 0 };
	int32_t *index = r->batch->index + *n_entries, *first = index;
	double *value = r->batch->value + *n_entries;
	int64_t last = *previous;

	/* near the end of the text the mask stays empty, and the first look ends the scan */
	if (r->end - p >= QUICK_BYTES)
		scan.mask = block_separators(p) & ~UINT64_C(1); /* p is passed */
	while (*p == ' ') {
		const char *colon = next_separator(&scan), *end;
		uint64_t word;
		int n;

		if (!colon)
			break;
		if (*colon == '\n' && colon == p + 1)
			p = colon; /* the blank ended the line; the tests below end the loop */
		word = digits_load(p + 1);
		n = digits_run(word);
		if (*colon != ':' || n == 0 || n == 8 || colon != p + 1 + n)
			break;
		/* seven digits at most: below 2^24, so no overflow */
		*index = (int32_t)digits_value(word, n);
		end = next_separator(&scan);
		/* the value must be all there is up to the separator */
		if (!end || (!is_blank(*end) && *end != '\n') || *index <= last ||
		    quick_value(colon + 1, value) != end)
			break;
		/* the entry counts only now that all of it is quick */
		last = *index++;
		value++;
		p = end;
	}
	/* entries are in the batch's arrays already; an entry that was not quick is overwritten */
	*n_entries += index - first;
	*previous = last;
	return p;
}

/*
 * Refuse the first index out of bounds in the entries from 'p' on, of which there is one.  The line
 * is good otherwise, so it is enough to go from word to word.
 */
static const char *refuse_bounds(struct reader *r, const char *p)
{
	const struct rows_options *o = r->options;

	for (;;) {
		char *end;
		long index = strtol(p = skip_blanks(p), &end, 10);
		bool below = index < o->min_index;

		if (*end == ':' && end > p && (below || (o->max_index && index > o->max_index)))
			return refuse(r, p, "feature %ld %s %" PRId32, index,
				      below ? "below" : "above",
				      below ? o->min_index : o->max_index);
		while (!is_blank(*p))
			p++;
	}
}

/* Reads the entries of one example; returns the '\n' that ends its line. */
static const char *read_entries(struct reader *r, const char *p)
{
	struct row_batch *b = r->batch;
	int64_t k = b->n_entries, index = 0, previous = -1;
	const char *start = p;

	for (;;) {
		const char *q;

		/* as many quick entries as there are, then one other */
		p = skip_blanks(quick_entries(r, p, &k, &previous));
		if (__builtin_expect(*p != '\n' && p > r->line && p[-1] == '\r', 0))
			return refuse_cr(r, p - 1);
		if (__builtin_expect(!digits_is(*p), 0)) {
			if (*p == '\n')
				break;
			if (*p == '#') {
				p = read_comment(r, p);
				break;
			}
			if (strncmp(p, "qid:", 4) == 0) {
				if (!(p = read_qid(r, p)))
					return NULL;
				continue;
			}
		}
		q = read_index(r, p, &index);
		if (__builtin_expect(!q, 0))
			return NULL;
		/* -1 before the first entry, so that index 0 may come first */
		if (__builtin_expect(index <= previous, 0))
			return refuse(r, p,
				      "feature %" PRId64 " after %" PRId64 "; indices must ascend",
				      index, previous);
		p = read_number(r, skip_blanks(q), &b->value[k], "a value");
		if (__builtin_expect(!p, 0))
			return NULL;
		b->n_parted += is_blank(*q);
		b->index[k++] = (int32_t)index;
		previous = index;
	}
	if (__builtin_expect(!p, 0))
		return NULL;
	/* only the first and last index of a row: indices ascend */
	if (k > b->n_entries && (b->index[b->n_entries] < r->options->min_index ||
				 (previous > r->options->max_index && r->options->max_index != 0)))
		return refuse_bounds(r, start);
	/* only now does the row have its entries: a line that is refused adds none */
	b->n_entries = k;
	b->max_index = int64_max(b->max_index, previous);
	return p;
}

/* The label; NaN where there is none and the row may begin with its entries. */
static const char *read_label(struct reader *r, const char *p)
{
	double *label = &r->batch->label[r->batch->n_rows];

	r->unlabelled = r->options->label_optional && foreign_text_is_entry(p);
	if (r->unlabelled) {
		*label = NAN;
		return p;
	}
	return read_number(r, p, label, "a label");
}

/* Does a line with the byte 'c' first, behind its blanks, hold no example? */
static bool is_no_example(char c)
{
	return c == '\n' || c == '#';
}

bool svmlight_ends_unlabelled(const char *text, const char *end, bool before)
{
	while (end > text) {
		const char *line = memrchr(text, '\n', (size_t)(end - 1 - text)), *p;

		line = line ? line + 1 : text;
		p = skip_blanks(line);
		if (!is_no_example(*p))
			return foreign_text_is_entry(p);
		end = line;
	}
	return before;
}

/* Reads one line; returns the first byte of the next line. */
static const char *read_line(struct reader *r, const char *line)
{
	struct row_batch *b = r->batch;
	const char *p = skip_blanks(line), *label;

	r->line = line;

	label = p;
	if (__builtin_expect(!is_no_example(*p), 1)) {
		p = read_label(r, p);
	} else if (r->unlabelled) {
		b->label[b->n_rows] = NAN; /* one more row without a label, and without features */
	} else if (r->options->strict) {
		return refuse_strictly(r, r->line, *p == '#' ? "comment line" : "empty line");
	} else {
		p = read_comment(r, p);
		return p ? p + 1 : NULL;
	}
	if (p && b->has_text)
		b->text[b->n_rows] = (struct row_text){ .label = { label, p - label } };
	if (__builtin_expect(!p || !(p = read_entries(r, p)), 0))
		return NULL;
	if (b->has_text)
		b->text[b->n_rows].line = (struct text_span){ line, p - line };
	/* the row is whole: the batch counts it */
	b->row_start[++b->n_rows] = b->n_entries;
	return p + 1;
}

int svmlight_parse(struct row_batch *batch, const char *text, const char *end,
		   const struct rows_options *options, struct text_position *where,
		   struct error *err)
{
	struct reader r = {
		.batch = batch,
		.options = options,
		.end = end,
		.unlabelled = options->label_optional && options->after_unlabelled,
		.err = err,
	};
	const char *line = text;
	const int shortest = options->label_optional ? 1 : 2;

	/* (4): an example is at least "1\n", or "\n" without a label, an entry at least " 1:1" */
	if (row_batch_reserve(batch, (end - text) / shortest + 1, (end - text) / 4 + 1,
			      options->keep_text, err) < 0)
		return -1;
	while (line < end) {
		const char *next = read_line(&r, line);

		batch->n_lines++;
		if (__builtin_expect(!next, 0)) {
			next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
			*where = (struct text_position){ batch->n_lines, r.bad - line + 1,
							 next - text };
			return -1;
		}
		line = next;
	}
	return 0;
}

/* ---- writing ---- */

/*
 * How this works.  Room for a whole row, each number as long as numbers can be, is reserved before
 * the row is written, so that nothing is checked on the way (5).  The values of a row are converted
 * up to 64 at a time into slots of fixed size (6): the shortest form of a double is a chain of
 * dependent steps, and decimal_shortest_many() takes one step for many numbers before the next.
 * Then text is put together by copies of fixed length, of which only the pointer's advance depends
 * on the number (7): eight bytes for " index:", from a table for the first ten thousand indices,
 * and NUMBER_SIZE for the value.  A copy may write beyond its text; what follows covers it, and
 * the reserved room ends no earlier.
 *
 * On one core dense normal random numbers in their shortest form are written at 36 million values
 * a second (bench/time_write.c).
 *
 * An entry in memory while it is put together, with the bytes that later copies cover as dots:
 *
 *      after memcpy of 8 from index_text[12]    " 12:...."           p moves on by 4
 *      after memcpy of NUMBER_SIZE              " 12:0.25........"   p moves on by 4, its length
 *
 * Rows with texts (label, qid, comment as they were read) get these copied; numbers are made only
 * where there is no text.
 */

/* Bytes that a number takes at most, and an entry, " 2147483647:" and its value. */
enum { NUMBER_SIZE = DECIMAL_SHORTEST_SIZE, ENTRY_SIZE = 12 + NUMBER_SIZE };

/* Numbers converted together: enough for the steps to overlap, and their text fits the L1 cache. */
enum { TOGETHER = 64 };

/* (6): slots for the text of TOGETHER numbers; only the first length[i] bytes of slot i count. */
struct numbers {
	char text[TOGETHER][NUMBER_SIZE];
	uint8_t length[TOGETHER];
};

/* As the options ask: a number of digits, single precision, or the shortest form. */
static void write_numbers(struct numbers *to, const double *value, int64_t n,
			  const struct svmlight_options *o)
{
	if (o->digits == 0 && !o->single) {
		decimal_shortest_many(value, n, to->text, to->length);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		to->length[i] =
			(uint8_t)(o->digits > 0 ?
					  decimal_rounded(value[i], o->digits, to->text[i]) :
					  decimal_shortest_single((float)value[i], to->text[i]));
}

/*
 * " index:" for the indices below INDEX_KNOWN: at most six characters, and their number in the last
 * of the eight bytes.  The table takes 80 kB; it made dense rows some 15 % faster (27 to 31 million
 * values a second).  It is made once for all threads, by pthread_once().
 */
enum { INDEX_KNOWN = 10000 };

static char index_text[INDEX_KNOWN][8];
static pthread_once_t index_text_once = PTHREAD_ONCE_INIT;

static char *write_index(char *p, int32_t index)
{
	*p++ = ' ';
	p += decimal_unsigned((uint64_t)index, p);
	*p++ = ':';
	return p;
}

static void make_index_text(void)
{
	char text[ENTRY_SIZE];

	for (int32_t i = 0; i < INDEX_KNOWN; i++) {
		char length = (char)(write_index(text, i) - text);

		/* " 9999:" has six characters: the seventh byte is never text */
		memcpy(index_text[i], text, 7);
		index_text[i][7] = length;
	}
}

/* (7): entries k .. k + n - 1, n <= TOGETHER, without those of value 0; returns the end. */
static char *write_some(char *p, const struct row_batch *rows, int64_t k, int64_t n,
			const struct numbers *numbers)
{
	for (int64_t i = 0; i < n; i++) {
		int32_t index = rows->index[k + i];

		/* text has no entries of 0; their numbers were converted in vain, which is rare */
		if (rows->value[k + i] == 0)
			continue;
		if (index < INDEX_KNOWN) {
			memcpy(p, index_text[index], 8);
			p += index_text[index][7];
		} else {
			p = write_index(p, index);
		}
		memcpy(p, numbers->text[i], NUMBER_SIZE);
		p += numbers->length[i];
	}
	return p;
}

/* (6): all entries of a row, for each of which ENTRY_SIZE is reserved; returns the end. */
static char *write_entries(char *p, const struct row_batch *rows, int64_t row,
			   const struct svmlight_options *o)
{
	int64_t end = rows->row_start[row + 1];
	struct numbers numbers;

	for (int64_t k = rows->row_start[row]; k < end; k += TOGETHER) {
		int64_t n = int64_min(end - k, TOGETHER);

		write_numbers(&numbers, rows->value + k, n, o);
		p = write_some(p, rows, k, n, &numbers);
	}
	return p;
}

/* A blank and the span, if there is a span. */
static void add_span(struct byte_buffer *text, const struct text_span *span)
{
	if (!span->start)
		return;
	byte_buffer_add(text, " ", 1);
	byte_buffer_add(text, span->start, span->length);
}

/* The label as it was written, where that is known: 1 may have been "+1" or "1.0". */
static void add_label(struct byte_buffer *text, const struct row_batch *rows, int64_t row,
		      bool svm_scale)
{
	if (svm_scale)
		text->size += decimal_rounded(rows->label[row], 17, text->bytes + text->size);
	else if (rows->has_text && rows->text[row].label.start)
		byte_buffer_add(text, rows->text[row].label.start, rows->text[row].label.length);
	else
		text->size += decimal_shortest(rows->label[row], text->bytes + text->size);
	if (rows->has_text)
		add_span(text, &rows->text[row].qid);
}

/* The row from 'start' on begins with its first entry or qid, not with the blank before it. */
static void begin_without_label(struct byte_buffer *text, int64_t start)
{
	char *row = text->bytes + start;

	if (text->size == start) { /* an empty line would be no example */
		byte_buffer_add(text, "1:0", 3);
		return;
	}
	/* the blank before the first entry goes, all else moves up by one byte */
	memmove(row, row + 1, (size_t)(text->size - start - 1));
	text->size--;
}

/* (5): the most that a row, a blank and its newline may take. */
static int64_t row_size(const struct row_batch *rows, int64_t row)
{
	int64_t n_entries = rows->row_start[row + 1] - rows->row_start[row];
	int64_t size = NUMBER_SIZE + 2 + ENTRY_SIZE * n_entries;

	if (rows->has_text)
		size += rows->text[row].label.length + 1 + rows->text[row].qid.length + 1 +
			rows->text[row].comment.length;
	return size;
}

int svmlight_append(struct byte_buffer *text, const struct row_batch *rows,
		    const struct svmlight_options *o, struct error *err)
{
	int64_t old_size = text->size, start;

	pthread_once(&index_text_once, make_index_text);
	for (int64_t i = 0; i < rows->n_rows; i++) {
		if (byte_buffer_reserve(text, row_size(rows, i), err) < 0) {
			text->size = old_size;
			return -1;
		}
		/* the bytes may have moved: places are kept as numbers, not as pointers */
		start = text->size;
		add_label(text, rows, i, o->svm_scale);
		text->size = write_entries(text->bytes + text->size, rows, i, o) - text->bytes;
		/* the text of a label that was not read is present and empty */
		if (rows->has_text && rows->text[i].label.start && rows->text[i].label.length == 0)
			begin_without_label(text, start);
		if (rows->has_text && !o->svm_scale)
			add_span(text, &rows->text[i].comment);
		byte_buffer_add(text, o->svm_scale ? " \n" : "\n", o->svm_scale ? 2 : 1);
	}
	return 0;
}
