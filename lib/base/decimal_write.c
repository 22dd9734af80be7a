/*
 * decimal_write.c - doubles as decimal text, whatever the locale
 *
 * Writing the shortest form.  The decimals that round to c 2^q fill an interval around it.  With
 * 10^k the largest power of ten not above its length, the interval holds a multiple of 10^k, and at
 * most one of 10^(k+1): that one if it is there, else the nearest multiple of 10^k, is shortest. c
 * 2^q 10^-k and the ends of the interval are products with the table of decimal_work.h.  Digits are
 * then made eight at a time within a word, two digits, four and eight being split in parallel.
 * Source: R. Giulietti 2020, The Schubfach way to render doubles.
 *
 * Writing n digits.  The product of value and a power of ten has n digits before the point, and the
 * bits behind it say how to round, unless they are too close to one half; printf() knows then.
 *
 * Why not the standard library of C++, whose std::to_chars() writes the same bytes?  Text of dense
 * rows, millions of values a second on one core of an EPYC (median of three runs in turn with
 * GCC 12's; bench/time_write.c), ours first: shortest doubles 36 and 21, shortest floats 32 and 25,
 * 6 digits 37 and 17, 17 digits 37 and 14, small integers 86 and 94.  Whole runs of
 * rp-project -m countsketch -k 512 on usps take 1.10 times the CPU time with std::to_chars(), and
 * 1.45 times with --digits 8.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/decimal.h"

#include "base/decimal_work.h"
#include "base/digits.h"

#define TWO_TO_24 (UINT32_C(1) << 24) /* every integer below 2^24 is a float */
#define SIGN_BIT (UINT64_C(1) << 63)

/* ---- Eight characters in a word, the first in the lowest byte ---- */

static inline void store_eight(char *p, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(p, &word, 8);
}

/*
 * The eight digits of n < 10^8 as bytes 0 .. 9: halves of four digits in 32 bits each, then pairs
 * in 16, then digits in 8.  One multiplication divides all fields of the word.
 */
static inline uint64_t digit_bytes(uint64_t n)
{
	uint64_t v = n / 10000 | n % 10000 << 32, high;

	/* 5243 / 2^19 is 1/100 up to 9999, 103 / 2^10 is 1/10 up to 99 */
	high = (v * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
	v = high | (v - high * 100) << 16;
	high = (v * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	return high | (v - high * 10) << 8;
}

/* Write n < 10^16 without leading zeros, which are shifted out; uses room for 16 characters. */
static char *write_integer(char *p, uint64_t n)
{
	uint64_t last = digit_bytes(n % E8);
	uint64_t first = n < E8 ? last : digit_bytes(n / E8);
	int zeros = __builtin_ctzll(first | UINT64_C(1) << 56) / 8; /* at most 7: 0 has a digit */

	store_eight(p, (first | DIGITS_EIGHT('0')) >> 8 * zeros);
	p += 8 - zeros;
	if (n < E8)
		return p;
	store_eight(p, last | DIGITS_EIGHT('0'));
	return p + 8;
}

/* Write "e+XX", at least two digits as printf() does; returns the end. */
static char *write_exponent(char *p, char mark, int e)
{
	int size = abs(e);

	*p++ = mark;
	*p++ = e < 0 ? '-' : '+';
	if (size < 10)
		*p++ = '0';
	return write_integer(p, (uint64_t)size);
}

/* ---- Writing the shortest form ---- */

/*
 * X = x g / 2^128 rounded to odd: floor(X), its lowest bit set if X is no integer
 *
 * As g exceeds its power of ten by 1 at most, X exceeds x times that by less than 2^-68.
 * The latter is never within 2^-63 of an even integer unless it is one (continued
 * fractions for each q, all x that shortest() asks for), so 64 bits of fraction tell.
 */
static inline uint64_t scale_to_odd(struct wide g, uint64_t x)
{
	struct wide product = scale(g, x);

	return product.high | (product.low != 0);
}

/* digits * 10^exponent */
struct decimal {
	uint64_t digits;
	int exponent;
};

/*
 * The shortest decimal that reads back as c 2^q, of these the nearest
 *
 * With all numbers times 4, what lies between 4c - 2 and 4c + 2 rounds to 4c, and so do the
 * ends if c is even.  'narrow', for a power of two, means 4c - 1 instead: the neighbour
 * below is half as far.  10^k is the largest power of ten of which the interval
 * holds a multiple for certain: s or s + 1 times 10^k.  It holds at most one of 10^(k+1),
 * and that is shorter, with zeros at the end that the caller has to drop.
 *
 * Source: R. Giulietti 2020, The Schubfach way to render doubles, section 9.
 */
static struct decimal shortest_exactly(uint64_t c, int q, bool narrow)
{
	int k = floor_log10(q, narrow);
	int h = q + floor_log2(-k) + 1; /* 1 .. 4 */
	struct wide g = decimal_power_ten[-k - POWER_MIN];
	uint64_t odd = c & 1;
	/*
	 * The interval is open for odd c: an end that is an integer does not belong to
	 * it.  Rounding to odd keeps 'is an integer' in the lowest bit, so + odd and - odd move
	 * such an end inside and change no comparison of one that is no integer, as all else
	 * compared is even.
	 */
	uint64_t lower = scale_to_odd(g, (4 * c - 2 + narrow) << h) + odd;
	uint64_t v = scale_to_odd(g, 4 * c << h);
	uint64_t upper = scale_to_odd(g, (4 * c + 2) << h) - odd;
	uint64_t s = v / 4, tens = s / 10 * 10;
	bool tens_down = lower <= 4 * tens, tens_up = 4 * tens + 40 <= upper;
	bool too_low = lower > 4 * s, up = 4 * s + 4 <= upper;
	bool nearer = v + (s & 1) > 4 * s + 2; /* is s + 1 nearer to v than s, or tied and even? */

	if (tens_down != tens_up)
		return (struct decimal){ tens + 10 * tens_up, k };
	return (struct decimal){ s + (up & (nearer | too_low)), k };
}

/* Are two numbers in fixed point, 58 bits behind the point, within 2^-55 of each other? */
static inline int too_close(uint64_t a, uint64_t b)
{
	return a - b + 8 <= 16;
}

/*
 * What shortest_exactly() returns, mostly from one product rather than three
 *
 * All numbers are times 4 10^-k again: v = 4c 2^q 10^-k, and the interval reaches w = 2 2^q 10^-k
 * to either side, which is in [2, 20).  In fixed point, with 6 bits before the point and 58 behind
 * it, w is compared with the distance from v down to 4 tens, a multiple of 10^(k+1), and with
 * that up to the next.  If neither is within reach, the nearer of s and s + 1 is the result: it is
 * at most 2 away.  Errors are below 2^-56, so this is right unless two of these numbers are within
 * 2^-55; then, and for a narrow interval, shortest_exactly() decides.
 */
static inline struct decimal shortest(uint64_t c, int q, bool narrow)
{
	const uint64_t one = UINT64_C(1) << 58;
	int k = floor_log10(q, false);
	int h = q + floor_log2(-k) + 1;
	struct wide g = decimal_power_ten[-k - POWER_MIN];
	uint64_t x = 4 * c << h;
	struct wide product = scale(g, x);
	uint64_t v = product.high, w = g.high >> (5 - h);
	uint64_t s = v / 4, tens = s / 10 * 10;
	uint64_t above = (v - 4 * tens) << 58 | product.low >> 6, below = 40 * one - above;
	uint64_t rest = above % (4 * one);
	uint64_t mask, coarse = tens + (below < w ? 10 : 0), fine = s + (rest > 2 * one);

	if (__builtin_expect(narrow | too_close(above, w) | too_close(below, w) |
				     too_close(rest, 2 * one),
			     0))
		return shortest_exactly(c, q, narrow);
	/* selected by a mask: a branch on random digits would be mispredicted */
	mask = 0 - (uint64_t)((above < w) | (below < w));
	return (struct decimal){ (coarse & mask) | (fine & ~mask), k };
}

/*
 * The same number with 17 digits; d has digits > 0
 *
 * Mostly they are 16 or 17, which no processor could predict, so this step has no branch; the
 * loop mostly does nothing.
 */
static inline struct decimal widened(struct decimal d)
{
	uint64_t short_of = d.digits < E16;

	d.digits += 9 * d.digits & (0 - short_of);
	d.exponent -= (int)short_of;
	for (; __builtin_expect(d.digits < E16, 0); d.exponent--)
		d.digits *= 10;
	return d;
}

/*
 * d.ddd... times 10^e: 17 digits, 'high' and 'low' being eight characters each, of
 * which n remain without the zeros at the end
 */
struct layout {
	char first;
	uint64_t high, low;
	int n, e;
};

/* The layout of a number with 17 digits. */
static inline struct layout lay_out(struct decimal d)
{
	struct layout x;

	x.e = d.exponent + 16;
	x.first = (char)('0' + d.digits / E16);
	x.high = digit_bytes(d.digits % E16 / E8);
	x.low = digit_bytes(d.digits % E8);
	/* zeros at the end are the highest bytes that are 0 */
	if (x.low)
		x.n = 17 - __builtin_clzll(x.low) / 8;
	else
		x.n = x.high ? 9 - __builtin_clzll(x.high) / 8 : 1;
	x.high |= DIGITS_EIGHT('0');
	x.low |= DIGITS_EIGHT('0');
	return x;
}

/*
 * Put a point behind the first e < 16 of the 16 digits of x at 'p'.  Those before it stay; those
 * after it move by a byte, so the words they are in are stored again.
 */
static void insert_point(char *p, const struct layout *x, int e)
{
	p[e] = '.';
	if (e < 8) {
		store_eight(p + e + 1, x->high >> 8 * e);
		store_eight(p + 9, x->low);
	} else {
		store_eight(p + e + 1, x->low >> 8 * (e - 8));
	}
}

/*
 * d.ddd, or 0.00ddd for e down to -5; returns the end
 *
 * Without a branch on e: "0." and zeros first, the first digit over one of them, then the rest.
 */
static inline char *write_small(char *p, const struct layout *x)
{
	memcpy(p, "0.000000", 8);
	p[x->e < 0 ? 1 - x->e : 0] = x->first;
	store_eight(p + 2 - x->e, x->high);
	store_eight(p + 10 - x->e, x->low);
	return p + 1 - x->e + x->n - (x->n == 1 && x->e == 0);
}

/* d.ddd times 10^e for 0 <= e < 17; returns the end */
static char *write_large(char *p, const struct layout *x, int e)
{
	*p++ = x->first;
	store_eight(p, x->high);
	store_eight(p + 8, x->low);
	if (x->n <= e + 1)
		return p + e;
	insert_point(p, x, e);
	return p + x->n;
}

/*
 * Write d, of 17 digits, as %g does, with an exponent unless least <= e < most (-5 and 17 at
 * the utmost); returns the end.  Stores whole words, beyond the end of the number too: uses room
 * for 31 characters.
 */
static inline char *write_decimal(char *p, struct decimal d, int least, int most)
{
	struct layout x = lay_out(d);

	if (__builtin_expect(x.e < least || x.e >= most, 0))
		return write_exponent(write_large(p, &x, 0), 'e', x.e);
	return x.e <= 0 ? write_small(p, &x) : write_large(p, &x, x.e);
}

/*
 * The shortest form of the finite number > 0 with these bits, 'n' of them of the fraction, whose
 * lowest one is 2^least if it is denormal.  The margins of doubles are wider still for floats.
 */
static inline struct decimal shortest_of(uint64_t bits, int n, int least)
{
	uint64_t one = UINT64_C(1) << n, fraction = bits % one;
	int biased = (int)(bits >> n); /* 0 if denormal */

	return biased == 0 ?
		       shortest(fraction, least, false) :
		       shortest(fraction | one, least - 1 + biased, fraction == 0 && biased > 1);
}

/* Of the double with these bits, whatever its sign */
static inline struct decimal shortest_double(uint64_t bits)
{
	return widened(shortest_of(bits & ~SIGN_BIT, 52, -1074));
}

static int write_nonfinite(double value, char *buffer)
{
	strcpy(buffer, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	return (int)strlen(buffer);
}

/* Where a number begins, behind its sign if it is negative */
static inline char *write_sign(char *p, bool negative)
{
	*p = '-';
	return p + negative;
}

static inline int finish(char *buffer, char *end)
{
	*end = 0;
	return (int)(end - buffer);
}

/* Is size >= 0 an integer whose own digits are its shortest form? */
static inline bool is_integer(double size)
{
	return size < (double)TWO_TO_53 && size == (double)(int64_t)size;
}

/*
 * Write size, no integer, if it is n 10^-8 and has 15 digits at most, as features mostly do; returns
 * the end, or NULL.  No other decimal of 15 digits or less reads back as this double, so n 10^-8 is
 * the shortest; the quotient of two numbers that doubles hold is rounded as reading would.
 */
static inline char *write_few_digits(char *p, double size)
{
	uint64_t n, behind;

	if (!(size >= 1e-5 && size < 1e7))
		return NULL;
	n = (uint64_t)(size * E8 + 0.5);
	if ((double)n / E8 != size)
		return NULL;
	behind = digit_bytes(n % E8);
	p = write_integer(p, n / E8);
	*p = '.';
	store_eight(p + 1, behind | DIGITS_EIGHT('0'));
	return p + 9 - __builtin_clzll(behind) / 8;
}

int decimal_shortest(double value, char *buffer)
{
	double size = fabs(value);
	char *p, *end;
	uint64_t bits;

	if (__builtin_expect(!isfinite(value), 0))
		return write_nonfinite(value, buffer);
	memcpy(&bits, &value, sizeof(bits));
	p = write_sign(buffer, bits >> 63);
	end = is_integer(size) ? write_integer(p, (uint64_t)size) : write_few_digits(p, size);
	if (end)
		return finish(buffer, end);
	need_powers();
	return finish(buffer, write_decimal(p, shortest_double(bits), -5, 17));
}

/*
 * So many numbers get their digits first and are laid out then: the processor overlaps the steps of
 * several.  64 take 1 KiB of stack.
 */
#define TOGETHER 64

/* decimal_shortest_many() of at most TOGETHER numbers */
static void write_together(const double *value, int64_t n, char (*slot)[DECIMAL_SHORTEST_SIZE],
			   uint8_t *length)
{
	struct decimal d[TOGETHER];

	for (int64_t i = 0; i < n; i++) {
		uint64_t bits;

		memcpy(&bits, &value[i], sizeof(bits));
		d[i].digits = 0;
		if (!is_integer(fabs(value[i])) && isfinite(value[i]))
			d[i] = shortest_double(bits);
	}
	for (int64_t i = 0; i < n; i++) {
		char *p = write_sign(slot[i], signbit(value[i]) != 0);

		if (d[i].digits > 0)
			length[i] = (uint8_t)finish(slot[i], write_decimal(p, d[i], -5, 17));
		else
			length[i] = (uint8_t)decimal_shortest(value[i], slot[i]);
	}
}

void decimal_shortest_many(const double *value, int64_t n, char (*slot)[DECIMAL_SHORTEST_SIZE],
			   uint8_t *length)
{
	need_powers();
	for (int64_t i = 0; i < n; i += TOGETHER)
		write_together(value + i, int64_min(n - i, TOGETHER), slot + i, length + i);
}

int decimal_shortest_single(float value, char *buffer)
{
	float size = fabsf(value);
	char *p = write_sign(buffer, signbit(value) != 0);
	struct decimal d;
	uint32_t bits;

	if (__builtin_expect(!isfinite(value), 0))
		return write_nonfinite(value, buffer);
	memcpy(&bits, &value, sizeof(bits));
	if (size < (float)TWO_TO_24 && size == (float)(int32_t)size)
		return finish(buffer, write_integer(p, (uint64_t)size));
	need_powers();
	/* 7 to 9 digits, if it is not denormal, become 15 to 17 */
	d = shortest_of(bits & ~(UINT32_C(1) << 31), 23, -149);
	d = (struct decimal){ d.digits * E8, d.exponent - 8 };
	return finish(buffer, write_decimal(p, widened(d), -5, 17));
}

int decimal_unsigned(uint64_t n, char *buffer)
{
	char *p = buffer;

	if (__builtin_expect(n >= E16, 0)) {
		p = write_integer(p, n / E16);
		store_eight(p, digit_bytes(n % E16 / E8) | DIGITS_EIGHT('0'));
		store_eight(p + 8, digit_bytes(n % E8) | DIGITS_EIGHT('0'));
		return finish(buffer, p + 16);
	}
	return finish(buffer, write_integer(p, n));
}

/* ---- Writing a given number of digits ---- */

/*
 * n_digits digits of value > 0 by printf(), whose arithmetic is exact.  The point, which depends on
 * the locale, is skipped as one or more bytes after the first digit.
 */
static struct decimal round_exactly(double value, int n_digits)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%.*e", n_digits - 1, value);
	const char *mark = memchr(text, 'e', (size_t)length);
	struct decimal d = { (uint64_t)(text[0] - '0'), 0 };
	int64_t exponent = 0;

	for (const char *p = mark - (n_digits - 1); p < mark; p++)
		d.digits = 10 * d.digits + (uint64_t)(*p - '0');
	decimal_read_exponent(mark, &exponent);
	d.exponent = (int)exponent - (n_digits - 1);
	return d;
}

/*
 * The n_digits digits nearest to value > 0, the even ones where two are as near
 *
 * With c in [2^63, 2^64) and value = c 2^q, the power 10^m = g 2^r is chosen such that
 * x = value 10^m is in [10^(n - 1), 2 10^n): n digits or one too many.  Of the 192 bits of c g
 * the upper 128 are kept; as g is too large by 1 at most, they are wrong by less than 2, and
 * all but the first 59 are behind the point.  So where the fraction is not within 2 units of
 * one half (or, with a digit too many, that digit and fraction within 2 units of five), it is
 * known how to round.  Else, about once in 2^60 numbers but for ties, the C library is asked.
 */
static inline struct decimal round_to(double value, int n_digits)
{
	uint64_t bits, c, whole, half;
	int biased, q, e, m, fraction_bits;
	struct wide x;

	/* c in [2^63, 2^64) and q from the bits */
	memcpy(&bits, &value, sizeof(bits));
	biased = (int)(bits >> 52);
	c = bits % TWO_TO_52 | (biased > 0 ? TWO_TO_52 : 0);
	q = (biased > 0 ? biased : 1) - 1075 - __builtin_clzll(c);
	c <<= __builtin_clzll(c);
	/* the product, split at the point */
	e = floor_log10(q + 63, false);
	m = n_digits - 1 - e;
	x = scale(decimal_power_ten[m - POWER_MIN], c);
	fraction_bits = -1 - q - floor_log2(m); /* fraction bits of x.high; x.low is all fraction */
	whole = x.high >> fraction_bits;
	x.high -= whole << fraction_bits;
	half = UINT64_C(1) << (fraction_bits - 1);
	/* a digit too many goes behind the point, in units of 1/16 */
	if (whole >= decimal_ten[n_digits]) {
		m--;
		x.low = x.low >> 4 | x.high << 60;
		x.high = x.high >> 4 | whole % 10 << (fraction_bits - 4);
		whole /= 10;
		half = UINT64_C(5) << (fraction_bits - 4);
	}
	if (__builtin_expect(is_near(x, half), 0))
		return round_exactly(value, n_digits);
	return (struct decimal){ whole + (x.high >= half), -m };
}

int decimal_rounded(double value, int n_digits, char *buffer)
{
	double size = fabs(value);
	char *p = write_sign(buffer, signbit(value) != 0);
	struct decimal d;

	if (__builtin_expect(!isfinite(value), 0))
		return write_nonfinite(value, buffer);
	if (size == 0)
		return finish(buffer, write_integer(p, 0));
	need_powers();
	d = round_to(size, n_digits);
	d = (struct decimal){ d.digits * decimal_ten[17 - n_digits], d.exponent - (17 - n_digits) };
	if (d.digits == 10 * E16) /* 9.99 was rounded up to 10.0 */
		d = (struct decimal){ E16, d.exponent + 1 };
	return finish(buffer, write_decimal(p, d, -4, n_digits));
}

double decimal_read_back(double value, int n_digits)
{
	char text[DECIMAL_SHORTEST_SIZE];
	int length = decimal_rounded(value, n_digits, text);

	decimal_parse(text, text + length, &value);
	return value;
}

/* Is the decimal, as printf() writes it, the integer with these n digits? */
static bool has_digits(const char *decimal, const char *digits, int64_t n)
{
	int64_t i = 0;

	for (; *decimal && *decimal != 'e'; decimal++)
		if (*decimal != '.' && *decimal != (i < n ? digits[i++] : '0'))
			return false;
	return i + (int64_t)strspn(digits + i, "0") >= n;
}

bool decimal_is_rounded(const char *text, const char *end, double value)
{
	const char *digits = text + (*text == '-' || *text == '+'), *behind;
	char exact[DBL_MAX_10_EXP + 2], shortest[DECIMAL_SHORTEST_SIZE];
	int64_t n;

	if (fabs(value) < (double)TWO_TO_53 || isinf(value))
		return false;
	digits += strspn(digits, "0");
	n = (int64_t)strspn(digits, "0123456789");
	behind = digits + n;
	behind += *behind == '.' ? 1 + strspn(behind + 1, "0") : 0;
	if (behind != end)
		return false;
	snprintf(exact, sizeof(exact), "%.0f", fabs(value));
	decimal_shortest(fabs(value), shortest);
	return !has_digits(exact, digits, n) && !has_digits(shortest, digits, n);
}
