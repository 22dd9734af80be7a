/*
 * csv_read.c - records of a table of delimited text, and the delimiter of one
 *
 * How this works.  A record is split where it lies in the buffer.  If the buffer ends before the
 * record does, the record's bytes move to the front, more are read, and it is split once more; only
 * a whole record is changed: its fields get their final 0, and lose their quotes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/csv_read.h"

#include <strings.h>

#include "base/digits.h"

/* ---- fields ---- */

/*
 * Field n, which begins at 'p'; NULL with ERR_MEMORY.  It is filled in where it is: to copy it just
 * after its members were stored takes the processor longer than to find its end.
 */
static struct csv_field *add_field(struct csv_reader *r, int64_t n, char *p, struct error *err)
{
	if (n == r->fields_capacity &&
	    mem_grow(&r->field, &r->fields_capacity, n + 1, sizeof(*r->field), err) < 0)
		return NULL;
	r->field[n].text = p;
	r->field[n].quoted = r->field[n].escaped = false;
	return &r->field[n];
}

static int fault(const struct csv_reader *r, int64_t line, const char *reason, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s:%" PRId64 ": %s", r->name, line, reason);
}

/*
 * The highest bit of each byte of a word that is 'byte'.  The first mark is right; a borrow may set
 * others behind it.  Source: Warren, Hacker's Delight, section 6-1.
 */
static uint64_t marks(uint64_t word, char byte)
{
	const uint64_t x = word ^ DIGITS_EIGHT((unsigned char)byte);

	return (x - DIGITS_EIGHT(1)) & ~x & DIGITS_EIGHT(0x80);
}

/* End of a field that begins at 'p' without a quote: its delimiter, its line end, or 'end'. */
static char *plain_end(const struct csv_reader *r, char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		const uint64_t word = digits_load(p),
			       found = marks(word, r->delimiter) | marks(word, '\n');

		if (found)
			return p + __builtin_ctzll(found) / 8;
	}
	while (p < end && *p != r->delimiter && *p != '\n')
		p++;
	return p;
}

/* End of a field where runs of blanks are between fields. */
static char *blank_end(char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t' && *p != '\n')
		p++;
	return p;
}

/*
 * End of a quoted field, behind its last quote; NULL if it is not in the buffer.  A quote that is the
 * last byte of the buffer may be the first of two, which split() finds out with more bytes.
 */
static char *quoted_end(char *p, const char *end, bool *escaped, int64_t *n_lines)
{
	char *start = ++p;

	while (p < end && (p = memchr(p, '"', (size_t)(end - p))) && p + 1 < end && p[1] == '"') {
		*escaped = true;
		p += 2;
	}
	if (!p || p >= end)
		return NULL;
	while ((start = memchr(start, '\n', (size_t)(p - start)))) {
		++*n_lines;
		start++;
	}
	return p + 1;
}

/* Two quotes are one. */
static void unescape(struct csv_field *field)
{
	char *to = field->text, *from = to, *end = from + field->length, *quote;

	for (; from < end; from = quote + 2) {
		quote = memchr(from, '"', (size_t)(end - from));
		quote = quote ? quote : end - 1;
		memmove(to, from, (size_t)(quote + 1 - from));
		to += quote + 1 - from;
	}
	field->length = to - field->text;
}

/* The first byte from 'p' on that is no blank, where runs of blanks are between fields. */
static char *skip_blanks(char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* The LF behind any CR at 'p', or the end of the buffer; NULL if something else is there. */
static char *line_end(char *p, const char *end)
{
	while (p < end && *p == '\r')
		p++;
	return p == end || *p == '\n' ? p : NULL;
}

/* The field without quotes that begins at 'p'; returns its end, its delimiter or '\n'. */
static char *read_plain(const struct csv_reader *r, struct csv_field *field, char *p,
			const char *end)
{
	const bool is_word =
		r->delimiter == ' ' || (r->delimiter == CSV_FIRST_BLANK && field == r->field);
	char *stop = is_word ? blank_end(p, end) : plain_end(r, p, end);

	*field = (struct csv_field){ .text = p, .length = stop - p };
	while (field->length > 0 && p[field->length - 1] == '\r' && (stop == end || *stop == '\n'))
		field->length--;
	return stop;
}

/* The field that begins at 'p'; returns its end, its delimiter or '\n', or NULL as split(). */
static char *read_field(const struct csv_reader *r, struct csv_field *field, char *p,
			const char *end, int64_t *n_lines, struct error *err)
{
	const bool blanks = r->delimiter == ' ';
	char *start = p, *quote = p, *stop;

	while (quote < end && *quote == ' ')
		quote++;
	if (quote == end || *quote != '"' || r->delimiter == CSV_FIRST_BLANK ||
	    r->delimiter == CSV_WHOLE_LINE)
		return read_plain(r, field, p, end);
	field->quoted = true;
	field->text = quote;
	p = quoted_end(quote, end, &field->escaped, n_lines);
	if (!p) {
		if (r->text.at_end)
			fault(r, r->line + 1, "a quoted field does not end", err);
		return NULL;
	}
	field->text++;
	field->length = p - 1 - field->text;
	while (!blanks && p < end && *p == ' ')
		p++;
	stop = line_end(p, end);
	if (stop)
		return stop;
	if (*p == r->delimiter || (blanks && *p == '\t'))
		return p;
	/* behind a blank, quotes around words of a text, ` "so-called" friend`, are its own */
	if (quote > start && plain_end(r, start, p) == p)
		return read_plain(r, field, start, end);
	fault(r, r->line + 1, "text behind a quoted field", err);
	return NULL;
}

/*
 * Split the record that begins at 'next' into *n fields.  Returns the bytes it takes, 0 if it does not
 * end in the buffer, or -1.
 */
static int64_t split(struct csv_reader *r, int64_t *n, int64_t *n_lines, struct error *err)
{
	char *start = r->text.buffer.bytes + r->text.next, *p = start,
	     *end = r->text.buffer.bytes + r->text.buffer.size;

	for (*n = 0, *n_lines = 1;; p++) {
		struct csv_field *field;
		char *stop;

		if (r->delimiter == ' ')
			p = skip_blanks(p, end);
		/* blanks behind the last field begin no other one */
		stop = r->delimiter == ' ' && *n > 0 ? line_end(p, end) : NULL;
		if (!stop) {
			field = add_field(r, (*n)++, p, err);
			stop = field ? read_field(r, field, p, end, n_lines, err) : NULL;
			if (!stop)
				return err->code == ERR_NONE ? 0 : -1;
		}
		p = stop;
		if (p == end && !r->text.at_end)
			return 0;
		if (p == end || *p == '\n')
			return p + (p < end) - start;
	}
}

/* The line behind the one at 'p'; NULL if it is not in the window. */
static char *line_behind(char *p, const char *end)
{
	char *line_end = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return line_end ? line_end + 1 : NULL;
}

static bool is_comment(const char *p, const char *end)
{
	return p + 1 < end && *p == '#' && strchr(" #!\r\n", p[1]) && p[1];
}

static bool begins_with_number(const char *p, const char *end)
{
	while (p < end && *p && strchr(" \t\"+-.", *p))
		p++;
	return p < end && digits_is(*p);
}

char csv_skip_head(struct csv_reader *r)
{
	char *p = r->text.buffer.bytes + r->text.next,
	     *end = r->text.buffer.bytes + r->text.buffer.size, *next = line_behind(p, end), named;
	const int quote = p < end && *p == '"';
	bool found = false;
	int n_more, ignored;

	named = next && next - p > 5 + quote && strncasecmp(p + quote, "sep=", 4) == 0 ?
			p[4 + quote] :
			'\0';
	if (named && !digits_is(named) && line_end(p + 5 + 2 * quote, end)) {
		p = next;
		r->line++;
	} else {
		named = '\0';
	}
	while (is_comment(p, end) && (next = line_behind(p, end))) {
		/* names, which do not begin with a number, above one */
		if (begins_with_number(next, end) && !begins_with_number(p + 1, end))
			found = csv_guess_delimiter(p + 1, end, r->decimal_comma, &n_more) ==
					csv_guess_delimiter(next, end, r->decimal_comma,
							    &ignored) &&
				n_more == 0;
		p = found ? skip_blanks(p + 1, end) : next;
		r->line += !found;
	}
	r->text.next = p - r->text.buffer.bytes;
	return named ? named : csv_guess_delimiter(p, end, r->decimal_comma, &ignored);
}

/* Where the line ends that begins n bytes behind those used, in bytes behind them; reads it; or -1. */
static int64_t end_of_line(struct csv_reader *r, int64_t n, struct error *err)
{
	const struct byte_buffer *text = &r->text.buffer;
	const char *next;

	while (!(next = line_behind(text->bytes + r->text.next + n, text->bytes + text->size)) &&
	       !r->text.at_end)
		if (text_window_more(&r->text, err) < 0)
			return -1;
	return (next ? next - text->bytes : text->size) - r->text.next;
}

int csv_begin(struct csv_reader *r, int n, struct error *err)
{
	struct byte_buffer *text = &r->text.buffer;
	int64_t end = 0, next, size;

	if (text_window_more(&r->text, err) < 0)
		return -1;
	while (n > 0 && (next = end_of_line(r, end, err)) > end) {
		n -= !is_comment(text->bytes + end, text->bytes + next);
		end = next;
	}
	size = text->size;
	text->size = end;
	r->delimiter = csv_skip_head(r);
	text->size = size;
	return err->code == ERR_NONE ? 0 : -1;
}

int csv_read(struct csv_reader *r, struct csv_record *record, struct error *err)
{
	int64_t n = 0, n_lines = 0, taken;

	for (;;) {
		if (r->text.next == r->text.buffer.size && r->text.at_end)
			return 0;
		taken = r->text.next < r->text.buffer.size ? split(r, &n, &n_lines, err) : 0;
		if (taken < 0) {
			/* nothing tells where it would end, but its first line does */
			taken = end_of_line(r, 0, err);
			r->text.next += int64_max(taken, 0);
			r->line += taken > 0;
			return -1;
		}
		if (taken == 0) {
			if (text_window_more(&r->text, err) < 0)
				return -1;
			continue;
		}
		r->text.next += taken;
		r->line += n_lines;
		/* an empty line is no record */
		if (n > 1 || r->field[0].length > 0 || r->field[0].quoted)
			break;
	}
	if (r->text.any_bytes &&
	    memchr(r->text.buffer.bytes + r->text.next - taken, '\0', (size_t)taken))
		return fault(r, r->line - n_lines + 1, "a byte 0: this is no text", err);
	/* the fields of a whole record: a final 0 each, one quote for two */
	for (int64_t k = 0; k < n; k++) {
		if (r->field[k].escaped)
			unescape(&r->field[k]);
		r->field[k].text[r->field[k].length] = '\0';
	}
	*record = (struct csv_record){ .line = r->line - n_lines + 1, .n = n, .field = r->field };
	record->indent = record->field[0].text - (r->text.buffer.bytes + r->text.next - taken);
	return 1;
}

struct csv_record *csv_record_keep(const struct csv_record *record, int64_t n_before,
				   struct error *err)
{
	const int64_t n = n_before + record->n,
		      start = (int64_t)sizeof(*record) + n * (int64_t)sizeof(struct csv_field);
	struct csv_record *kept;
	struct csv_field *field;
	int64_t size = start + n;
	char *text;

	for (int64_t k = 0; k < record->n; k++)
		size += record->field[k].length;
	kept = mem_zeroed(size, 1, err);
	if (!kept)
		return NULL;
	field = (struct csv_field *)(kept + 1);
	text = (char *)kept + start;
	for (int64_t k = 0; k < n; k++) {
		if (k >= n_before) {
			field[k] = record->field[k - n_before];
			memcpy(text, field[k].text, (size_t)field[k].length);
		}
		field[k].text = text;
		text += field[k].length + 1;
	}
	*kept = (struct csv_record){ record->line, n, field, record->indent };
	return kept;
}

void csv_reader_free(struct csv_reader *r)
{
	byte_buffer_free(&r->text.buffer);
	mem_free(r->field);
}

/* ---- the delimiter of a table ---- */

/*
 * How this works.  A delimiter fits if the first two records have it equally often, or the second
 * once more, where the first is a heading without a name for the names of rows.  Bytes between
 * quotation marks do not count.
 *
 *  (1) Numbers that runs of blanks separate are columns that were aligned, unless a comma (other
 *      than a decimal one), semicolon or bar fits; or a tab, unless all words but quoted ones are
 *      numbers, and both records have equally many.
 *  (2) Else it is the one of comma, tab, semicolon and bar that fits and is most frequent; a comma
 *      that only stands between digits, as a decimal one does, gives way to any other that fits.
 *  (3) Without any of these in the first record, or with commas that are decimal, as numbers alone
 *      show or the caller tells, blanks, if they fit.
 *  (4) Else the most frequent one, which will be found not to fit.
 *  (5) Texts that hold a blank are torn by runs of them: columns that wider gaps separate are aligned,
 *      so that what is a single blank beside a text in one line is blank in the others, too.
 */

/* The first is the delimiter of a table of one column, too; the last stands for runs of blanks. */
static const char delimiters[] = ",\t;| ";
enum { COMMA, TAB, SEMICOLON, BAR, BLANKS, N_DELIMITERS };

/* Lines whose columns are compared. */
enum { LINES_COMPARED = 50 };

/* What a record has. */
struct counts {
	int n[N_DELIMITERS]; /* how often each delimiter is in it; runs of blanks within it */
	int n_decimal;	     /* commas between digits, behind no other such comma */
	bool aligned;	     /* a run of blanks is between two numbers */
	bool has_text;	     /* a word without quotes neither begins nor ends as a number does */
	bool has_other;	     /* a byte that no number has, also with a decimal comma */
};

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

/* May a number begin, or end, with that byte?  So may what stands for a missing one. */
static bool is_of_number(char byte)
{
	return digits_is(byte) || (byte && strchr("+-.?", byte));
}

/* The blanks from 'p' on, behind a word of the record; returns their end. */
static const char *count_blanks(struct counts *c, const char *p, const char *end)
{
	const char *next = p;
	int n_tabs = 0;

	while (next < end && is_blank(*next))
		n_tabs += *next++ == '\t';
	c->n[TAB] += n_tabs;
	if (next == end || *next == '\n')
		return next;
	c->n[BLANKS]++;
	c->aligned |= n_tabs == 0 && next - p > 1 && is_of_number(p[-1]) && is_of_number(*next);
	c->has_text |= !is_of_number(p[-1]) || (*next != '"' && !is_of_number(*next));
	return next;
}

/* Is the comma at 'p' between digits, and may be a decimal one?  In 1,2,3 the second is none. */
static bool is_decimal(const char *start, const char *p, const char *end)
{
	const char *digits = p;

	while (digits > start && digits_is(digits[-1]))
		digits--;
	return digits < p && p + 1 < end && digits_is(p[1]) &&
	       (digits == start || digits[-1] != ',');
}

/* Count what the next record from *at on has; *at moves behind it. */
static struct counts count(const char **at, const char *end)
{
	struct counts c = { 0 };
	const char *start = *at, *p;
	bool quoted = false;

	while (start < end && *start && strchr(" \r\n", *start))
		start++;
	for (p = start; p < end && (quoted || *p != '\n');) {
		if (!quoted && is_blank(*p) && p > start) {
			p = count_blanks(&c, p, end);
			continue;
		}
		quoted ^= *p == '"';
		for (int k = 0; k < BLANKS && !quoted; k++)
			c.n[k] += *p == delimiters[k];
		c.n_decimal += !quoted && *p == ',' && is_decimal(start, p, end);
		c.has_other |= !quoted && !is_of_number(*p) && !strchr("\",eE", *p);
		p++;
	}
	*at = p < end ? p + 1 : end;
	return c;
}

static bool fits(const struct counts *first, const struct counts *second, int k)
{
	const int more = second->n[k] - first->n[k];

	return first->n[k] > 0 && (more == 0 || more == 1);
}

static const char *next_character(const char *p, const char *end)
{
	do
		p++;
	while (p < end && ((unsigned char)*p & 0xc0) == 0x80);
	return p;
}

static const char *next_line(const char *p, const char *end)
{
	while (p < end && *p != '\n')
		p++;
	return p < end ? p + 1 : end;
}

/* (5): has line 'a' a gap of blanks, and a single blank between texts where line 'b' has no blank? */
static bool is_torn_at(const char *a, const char *b, const char *end)
{
	bool quoted = false, wide = false, torn = false;

	for (char before = ' '; a < end && *a != '\n'; before = *a, a = next_character(a, end)) {
		const char *word = a;

		quoted ^= *a == '"';
		while (!quoted && word < end && *word == ' ')
			word++;
		if (word > a && !is_blank(before) && word < end && *word != '\n' && *word != '\r') {
			wide |= word - a > 1;
			torn |= word - a == 1 && b < end && *b != '\n' && !is_blank(*b) &&
				!is_of_number(before) && (digits_is(*word) || !is_of_number(*word));
		}
		if (b < end && *b != '\n')
			b = next_character(b, end);
	}
	return wide && torn;
}

/* (5): by the first lines */
static bool is_torn(const char *text, const char *end)
{
	const char *second = next_line(text, end), *line = text;

	for (int n = 0; n < LINES_COMPARED && line < end; n++, line = next_line(line, end))
		if (is_torn_at(text, line, end) || is_torn_at(second, line, end))
			return true;
	return false;
}

/* The delimiter as an index, by (1) to (4). */
static int choose(const struct counts *first, const struct counts *second, bool decimal_comma)
{
	const bool decimal =
		first->n_decimal == first->n[COMMA] && second->n_decimal == second->n[COMMA];
	const bool numbers =
		!first->has_text && !second->has_text && first->n[BLANKS] == second->n[BLANKS];
	const bool no_commas =
		decimal && (decimal_comma || (!first->has_other && !second->has_other));
	bool best_fits = !decimal && fits(first, second, COMMA);
	int best = COMMA;

	/* (1) */
	if ((first->aligned || second->aligned) && !best_fits && !fits(first, second, SEMICOLON) &&
	    !fits(first, second, BAR) && (numbers || !fits(first, second, TAB)))
		return BLANKS;
	/* (2), (4) */
	for (int k = TAB; k < BLANKS; k++) {
		const bool fit = fits(first, second, k);

		if (fit > best_fits || (fit == best_fits && first->n[k] > first->n[best])) {
			best = k;
			best_fits = fit;
		}
	}
	/* (3) */
	if ((first->n[best] == 0 || (best == COMMA && no_commas)) && fits(first, second, BLANKS))
		return BLANKS;
	return best;
}

char csv_guess_delimiter(const char *text, const char *end, bool decimal_comma, int *n_more)
{
	const char *at = text;
	const struct counts first = count(&at, end);
	const struct counts second = at < end ? count(&at, end) : first;
	const int k = choose(&first, &second, decimal_comma);

	*n_more = fits(&first, &second, k) ? second.n[k] - first.n[k] : -1;
	return k == BLANKS && is_torn(text, end) ? '\0' : delimiters[k];
}
