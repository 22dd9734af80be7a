/*
 * csv_delimiter.c - what is between the fields of a table
 *
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
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/csv_read.h"

#include "base/digits.h"

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
