/*
 * decimal.h - doubles as decimal text, both ways, whatever the locale
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

/* Room for any text these functions write, the final 0 included, and for what they store beyond. */
#define DECIMAL_SHORTEST_SIZE 32

/*
 * decimal_parse() - the double nearest to the number written at 'text'
 *
 * Reads what strtod() in the C locale would, but skips no leading blanks: sign, digits with
 * an optional point, exponent; also hexadecimal, 'inf', 'infinity', 'nan'.  The result is
 * correctly rounded (ties to even): it equals strtod()'s bit for bit.  Overflow gives an
 * infinity, underflow a denormal or zero; neither is an error.
 *
 * The text is [text, end).  The byte at 'end' has to be there too, and to be one that no number
 * contains: white space, ':' or the final 0.  Nothing beyond it is read.  So lines are read
 * in place, and so are the arguments of a program.
 *
 * Decimals of up to 19 digits take an integer path of some 20 ns or less; others go to the C
 * library's strtod_l().
 *
 * Returns the first byte after the number, or NULL if no number starts at 'text';
 * '*value' is then untouched.  Threads may call it at will.
 */
const char *decimal_parse(const char *text, const char *end, double *value);

/*
 * decimal_is_rounded() - is the number written at [text, end) an integer that 'value', the double
 * read from it, is not?
 *
 * Integers are digits with an optional sign, and zeros behind an optional point.  Digits that
 * decimal_shortest() has of the value, which stand for that double, are not rounded.  The byte at
 * 'end' has to be there, as for decimal_parse().  False at once below 2^53.
 */
bool decimal_is_rounded(const char *text, const char *end, double value);

/*
 * decimal_shortest() - the shortest decimal that reads back to exactly 'value'
 *
 * Among the shortest the one nearest to 'value'.  Written like C's %g: plain when the
 * decimal exponent is in [-5, 17), else as d.ddde+XX.  Integers have no point;
 * minus zero is "-0"; non-finite values are "inf", "-inf", "nan".  'buffer' has room for
 * DECIMAL_SHORTEST_SIZE bytes; returns the length without the final 0.
 */
int decimal_shortest(double value, char *buffer);

/* DECIMAL_TEXT() - that decimal as a text, until the end of the block */
#define DECIMAL_TEXT(value) decimal_text(value, (char[DECIMAL_SHORTEST_SIZE]){ 0 })
static inline const char *decimal_text(double value, char *buffer)
{
	decimal_shortest(value, buffer);
	return buffer;
}

/*
 * decimal_shortest_many() - the same for n numbers, each in a slot of its own
 *
 * length[i] becomes the length of slot[i].  A fifth faster than one by one: the processor works on
 * several at a time where each takes but part of the way.
 */
void decimal_shortest_many(const double *value, int64_t n, char (*slot)[DECIMAL_SHORTEST_SIZE],
			   uint8_t *length);

/* decimal_shortest_single() - decimal_shortest(), but one that reads back to the same float */
int decimal_shortest_single(float value, char *buffer);

/*
 * decimal_rounded() - what printf("%.*g", n_digits, value) writes in the C locale
 *
 * Correctly rounded, exact ties to even; 1 <= n_digits <= 17.  Non-finite values and room as for
 * decimal_shortest().  An exact tie is slower than the rest.
 */
int decimal_rounded(double value, int n_digits, char *buffer);

/* decimal_read_back() - the double that is read from what decimal_rounded() writes */
double decimal_read_back(double value, int n_digits);

/*
 * decimal_natural(), decimal_integer() - all of [p, end) as one number: digits, and of an integer a
 * '-' before them
 *
 * False for other characters, none, and numbers beyond the type; the least int64_t is refused, too.
 */
bool decimal_natural(const char *p, const char *end, uint64_t *n);
bool decimal_integer(const char *p, const char *end, int64_t *n);

/* decimal_unsigned() - n in decimal; room and result as for decimal_shortest() */
int decimal_unsigned(uint64_t n, char *buffer);
