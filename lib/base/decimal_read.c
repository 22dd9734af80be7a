/*
 * decimal_read.c - decimal text as doubles, whatever the locale
 *
 * How this works.  A decimal of up to 19 digits is w 10^e with w < 2^64.  Where both factors are
 * doubles, one multiplication or division by the machine rounds it correctly.  Else w g_e 2^r
 * (decimal_work.h) is its value, with an error below 2 in the last of those 128 bits.  A double has
 * 53 bits.  Unless the bits below them are that close to one half, the error cannot change the
 * rounding; if they are (exact ties, mostly), and for longer, hexadecimal, denormal, infinite or
 * undefined numbers, the C library's strtod_l() reads the text itself in the locale
 * "C".  Nanoseconds for a number, on one core of an EPYC: 8 for six decimals (ijcnn1), 18 for 16
 * and 17 digits (text of rp-project); without the machine's operation 12 and 18; without the table
 * 8 and 64.
 * Sources: W. D. Clinger 1990, How to read floating point numbers accurately, PLDI; D. Lemire 2021,
 * Number parsing at a gigabyte per second, Softw. Pract. Exp. 51.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/decimal.h"

#include <locale.h>

#include "base/decimal_work.h"
#include "base/digits.h"

/* Largest number of decimal digits that always fit 64 bits. */
#define MANTISSA_DIGITS 19

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/*
 * decimal_parse() of anything, by the C library
 *
 * strtod_l() rounds correctly and stops at the byte that the caller put behind the text, but it
 * skips blanks first, which is not wanted.  The "C" locale is built into the C library, so making
 * it does not fail; should it ever, no number is better than one read in another locale.
 */
static const char *parse_slowly(const char *text, double *value)
{
	char *stop;
	double x;

	pthread_once(&c_locale_once, make_c_locale);
	if (!c_locale || *text == ' ' || ('\t' <= *text && *text <= '\r'))
		return NULL;
	x = strtod_l(text, &stop, c_locale);
	if (stop == text)
		return NULL;
	*value = x;
	return stop;
}

/* Read a run of digits as the continuation of those in '*w', modulo 2^64; returns its end. */
static inline const char *read_digits(const char *p, const char *end, uint64_t *w)
{
	/* eight at a time while eight bytes can be loaded */
	while (end - p >= 8) {
		uint64_t word = digits_load(p);
		int n = digits_run(word);

		if (n == 0)
			return p;
		*w = *w * decimal_ten[n] + digits_value(word, n);
		p += n;
		if (n < 8)
			return p;
	}
	for (; digits_is(*p); p++)
		*w = *w * 10 + (uint64_t)(*p - '0');
	return p;
}

const char *decimal_read_exponent(const char *p, int64_t *exponent)
{
	const char *q = p + 1;
	bool negative;
	int64_t e = 0;

	if ((*p | 0x20) != 'e')
		return p;
	negative = *q == '-';
	q += negative || *q == '+';
	if (!digits_is(*q))
		return p;
	for (; digits_is(*q); q++)
		if (e < INT64_C(100000000000000000))
			e = 10 * e + (*q - '0');
	*exponent += negative ? -e : e;
	return q;
}

/* Powers of ten that are doubles: 5^22 < 2^53 < 5^23. */
/* clang-format off */
static const double exact_ten[] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};
/* clang-format on */
#define EXACT_TEN_MAX 22

/*
 * The double nearest to w 10^e; false if that is uncertain, denormal or infinite
 *
 * If w and 10^|e| both are doubles the machine's own operation rounds correctly, unless it computes
 * with more bits, as the x87 does, and so rounds twice.  Else the product with the table's
 * power of ten is rounded here.
 */
static inline bool nearest_double(uint64_t w, int64_t e, double *x)
{
	uint64_t bits, half;
	struct wide product;
	int shift, below, biased;

	if (e == 0 || w == 0) {
		*x = (double)w; /* correctly rounded by the machine */
		return true;
	}
	if (FLT_EVAL_METHOD == 0 && w < TWO_TO_53 && -EXACT_TEN_MAX <= e && e <= EXACT_TEN_MAX) {
		*x = e < 0 ? (double)(int64_t)w / exact_ten[-e] : (double)(int64_t)w * exact_ten[e];
		return true;
	}
	if (e < POWER_MIN || e > POWER_MAX)
		return false;
	need_powers();
	/* with w 2^shift in [2^63, 2^64) the 128 bits of the product are in [2^126, 2^128) */
	shift = __builtin_clzll(w);
	product = scale(decimal_power_ten[e - POWER_MIN], w << shift);
	/* the highest 53 bits are kept, and the bits below decide how to round */
	below = 10 + (int)(product.high >> 63);
	bits = product.high >> below;
	product.high -= bits << below;
	half = UINT64_C(1) << (below - 1);
	/* the exponent of the highest bit, as a double stores it: with 1023 added */
	biased = floor_log2((int)e) - shift + 53 + below + 1023;
	if (__builtin_expect(is_near(product, half) | (biased < 1) | (biased > 2046), 0))
		return false;
	/* The highest bit carries into the exponent, and so does rounding up to 2^53. */
	bits += (product.high >= half) + ((uint64_t)(biased - 1) << 52);
	memcpy(x, &bits, sizeof(*x));
	return true;
}

const char *decimal_parse(const char *text, const char *end, double *value)
{
	static const double sign[] = { 1, -1 };
	const char *p = text, *first;
	bool negative = *p == '-';
	int64_t n_digits, exponent = 0;
	uint64_t w = 0;
	double size;

	/* the sign, without a branch: signs are random */
	p += negative | (*p == '+');
	first = p;
	/* digits before the point; one is most frequent */
	if (digits_is(*p)) {
		w = (uint64_t)(*p++ - '0');
		if (digits_is(*p))
			p = read_digits(p, end, &w);
	}
	n_digits = p - first;
	/* digits behind the point, each a factor of 1/10 */
	if (*p == '.') {
		const char *fraction = ++p;

		p = read_digits(p, end, &w);
		exponent = fraction - p;
		n_digits -= exponent;
	}
	if (*p >= 'A') {
		if ((*p | 0x20) == 'x')
			return parse_slowly(text, value);
		p = decimal_read_exponent(p, &exponent);
	}
	/*
	 * the integer w has all digits of the text, unless there are too many for 64 bits; leading
	 * zeros, among which a decimal point may stand, are not too many
	 */
	for (; n_digits > MANTISSA_DIGITS && (*first == '0' || *first == '.'); first++)
		n_digits -= *first == '0';
	if (n_digits == 0 || n_digits > MANTISSA_DIGITS || !nearest_double(w, exponent, &size))
		return parse_slowly(text, value);
	*value = sign[negative] * size;
	return p;
}

bool decimal_natural(const char *p, const char *end, uint64_t *n)
{
	*n = 0;
	if (p == end)
		return false;
	for (; p < end; p++)
		if (!digits_is(*p) || __builtin_mul_overflow(*n, 10, n) ||
		    __builtin_add_overflow(*n, (uint64_t)(*p - '0'), n))
			return false;
	return true;
}

bool decimal_integer(const char *p, const char *end, int64_t *n)
{
	bool negative = p < end && *p == '-';
	uint64_t size;

	if (!decimal_natural(p + negative, end, &size) || size > INT64_MAX)
		return false;
	*n = negative ? -(int64_t)size : (int64_t)size;
	return true;
}
