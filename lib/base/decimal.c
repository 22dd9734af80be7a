/*
 * decimal.c - doubles as decimal text, both ways, whatever the locale
 *
 * How this works.  Both directions multiply an integer of 64 bits by a power of ten kept to 128
 * bits and look at the upper 128 bits of the product.  One table serves both:
 *
 *     10^k = (g_k - d) 2^r,   2^127 <= g_k < 2^128,   0 < d <= 1                      (1)
 *
 * Reading.  A decimal of up to 19 digits is w 10^e with w < 2^64.  Where both factors are doubles,
 * one multiplication or division by the machine rounds it correctly.  Else w g_e 2^r is its value,
 * with an error below 2 in the last of those 128 bits.  A double has 53 bits.  Unless the bits
 * below them are that close to one half, the error cannot change the rounding; if they are (exact
 * ties, mostly), and for longer, hexadecimal, denormal, infinite or undefined numbers, the C
 * library's strtod_l() reads the text itself in the locale "C".  Nanoseconds for a number, on one
 * core of an EPYC: 8 for six decimals (ijcnn1), 18 for 16 and 17 digits (text of rp-project);
 * without the machine's operation 12 and 18; without the table 8 and 64.
 * Sources: W. D. Clinger 1990, How to read floating point numbers accurately, PLDI; D. Lemire 2021,
 * Number parsing at a gigabyte per second, Softw. Pract. Exp. 51.
 *
 * Writing the shortest form.  The decimals that round to c 2^q fill an interval around it.  With
 * 10^k the largest power of ten not above its length, the interval holds a multiple of 10^k, and
 * at most one of 10^(k+1): that one if it is there, else the nearest multiple of 10^k, is shortest.
 * c 2^q 10^-k and the ends of the interval are products of the kind above.  Digits are then made
 * eight at a time within a word, two digits, four and eight being split in parallel.
 * Source: R. Giulietti 2020, The Schubfach way to render doubles.
 *
 * Writing n digits.  The product has n digits before the point, and the bits behind it say how to
 * round, unless they are too close to one half; printf() knows then.
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

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/digits.h"

#define TWO_TO_23 (UINT32_C(1) << 23)
#define TWO_TO_24 (UINT32_C(1) << 24) /* below it every integer is a float */
#define TWO_TO_52 (UINT64_C(1) << 52)
#define TWO_TO_53 (UINT64_C(1) << 53) /* below it every integer is a double */
#define SIGN_BIT (UINT64_C(1) << 63)
#define E8 UINT64_C(100000000)
#define E16 (E8 * E8)

/* 10^k as integers; all below 2^64 */
/* clang-format off */
static const uint64_t ten[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, E8, E8 * 10, E8 * 100, E8 * 1000,
	E8 * 10000, E8 * 100000, E8 * 1000000, E8 * 10000000, E16, E16 * 10
};
/* clang-format on */

/* ---- 128 bits ---- */

struct wide {
	uint64_t high, low;
};

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 u128;

static inline struct wide multiply(uint64_t a, uint64_t b)
{
	u128 product = (u128)a * b;

	return (struct wide){ (uint64_t)(product >> 64), (uint64_t)product };
}

#else

/* By the school method on halves of 32 bits, for machines without 128-bit integers. */
static inline struct wide multiply(uint64_t a, uint64_t b)
{
	uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low, one = a_high * b_low + (low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)one;

	return (struct wide){ a_high * b_high + (one >> 32) + (other >> 32),
			      other << 32 | (uint32_t)low };
}

#endif

/* x g without its lowest 64 bits: floor(x g / 2^64) */
static inline struct wide scale(struct wide g, uint64_t x)
{
	struct wide product = multiply(x, g.high);
	uint64_t carried = multiply(x, g.low).high;

	product.low += carried;
	product.high += product.low < carried;
	return product;
}

/*
 * Is x within 2 of half 2^64?  As g_k of (1) is too large by 1 at most and scale() drops less than
 * 1, what scale() returns for it is within 2 of the exact product: far from the middle
 * of two results it is known which of them is nearer.
 */
static inline bool is_near(struct wide x, uint64_t half)
{
	return x.high == half ? x.low <= 2 : x.high + 1 == half && x.low >= 0 - UINT64_C(2);
}

/* ---- Powers of ten ---- */

/*
 * power_ten[k - POWER_MIN] is g_k of (1): floor(10^k / 2^r) + 1 with r = floor(log2(10^k)) - 127.
 * Made once, in some 50 us, rather than listed.  Shortest forms use k = -292 .. 324, a given number
 * of digits -308 .. 340.  Reading needs -342 .. 308 for all doubles that are not denormal, and
 * leaves what is below -308 to strtod_l().
 */
#define POWER_MIN (-308)
#define POWER_MAX 340

static struct wide power_ten[POWER_MAX - POWER_MIN + 1];
static pthread_once_t power_ten_once = PTHREAD_ONCE_INIT;
static atomic_bool power_ten_made;

/*
 * Limbs of a long integer, the lowest first.  10^340 has 1130 bits and starts four limbs up, so
 * that leading_bits() always finds five limbs: 40 hold that.  2^1279, the highest bit there is
 * room for, divided by 10^308 still has 256 bits.
 */
#define LIMBS 40

static void multiply_by_ten(uint32_t *limb)
{
	uint64_t carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		carry += (uint64_t)limb[i] * 10;
		limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* x becomes floor(x / 10), and after k times floor(x / 10^k): floors of floors are floors. */
static void divide_by_ten(uint32_t *limb)
{
	uint64_t rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		rest = rest << 32 | limb[i];
		limb[i] = (uint32_t)(rest / 10);
		rest %= 10;
	}
}

/* The upper 128 bits, the highest of them a 1, plus one: g_k, of an integer 10^k 2^i. */
static struct wide leading_bits(const uint32_t *limb)
{
	int top = LIMBS - 1, shift;
	struct wide x;

	while (!limb[top])
		top--;
	shift = __builtin_clz(limb[top]);
	x.high = (uint64_t)limb[top] << 32 | limb[top - 1];
	x.low = (uint64_t)limb[top - 2] << 32 | limb[top - 3];
	x.high = x.high << shift | x.low >> 1 >> (63 - shift);
	x.low = (x.low << shift | (uint64_t)limb[top - 4] << shift >> 32) + 1;
	x.high += x.low == 0;
	return x;
}

static void make_powers(void)
{
	uint32_t up[LIMBS] = { [4] = 1 };
	uint32_t down[LIMBS] = { [LIMBS - 1] = UINT32_C(1) << 31 };

	for (int k = 0; k <= POWER_MAX; k++) {
		power_ten[k - POWER_MIN] = leading_bits(up);
		multiply_by_ten(up);
	}
	for (int k = -1; k >= POWER_MIN; k--) {
		divide_by_ten(down);
		power_ten[k - POWER_MIN] = leading_bits(down);
	}
	atomic_store_explicit(&power_ten_made, true, memory_order_release);
}

/* The flag is tested in line because a call for each number would be measurable. */
static inline void need_powers(void)
{
	if (__builtin_expect(!atomic_load_explicit(&power_ten_made, memory_order_acquire), 0))
		pthread_once(&power_ten_once, make_powers);
}

/*
 * floor(log10(2^q)), or floor(log10(3/4 2^q)).  1262611 / 2^22 is just below log10(2), and
 * 524031 / 2^22 about -log10(3/4); checked for every |q| <= 1100, and doubles have -1137 .. 1023.
 */
static inline int floor_log10(int q, bool three_quarters)
{
	return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* floor(log2(10^k)).  1741647 / 2^19 is just below log2(10); checked for every |k| < 400. */
static inline int floor_log2(int k)
{
	return (k * 1741647) >> 19;
}

/* ---- Reading ---- */

/* As many decimal digits always fit 64 bits. */
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
	/* eight at a time while so many bytes can be loaded */
	while (end - p >= 8) {
		uint64_t word = digits_load(p);
		int n = digits_run(word);

		if (n == 0)
			return p;
		*w = *w * ten[n] + digits_value(word, n);
		p += n;
		if (n < 8)
			return p;
	}
	for (; digits_is(*p); p++)
		*w = *w * 10 + (uint64_t)(*p - '0');
	return p;
}

/*
 * Read an exponent such as "e-12" and add it to '*exponent'.  Beyond 10^17 further digits do not
 * count: no text is long enough for its point to make up for that.  Returns the end, which is 'p'
 * if there is no exponent.
 */
static const char *read_exponent(const char *p, int64_t *exponent)
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

/* How many zeros stand before the first other digit; a point may be among them. */
static int64_t leading_zeros(const char *p)
{
	int64_t n = 0;

	for (; *p == '0' || *p == '.'; p++)
		n += *p == '0';
	return n;
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
	product = scale(power_ten[e - POWER_MIN], w << shift);
	/* the highest 53 of them are kept, and those below decide how to round */
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
	/* digits behind it, each a factor of 1/10 */
	if (*p == '.') {
		const char *fraction = ++p;

		p = read_digits(p, end, &w);
		exponent = fraction - p;
		n_digits -= exponent;
	}
	if (*p >= 'A') {
		if ((*p | 0x20) == 'x')
			return parse_slowly(text, value);
		p = read_exponent(p, &exponent);
	}
	/* w is the number's digits unless there are too many */
	if (n_digits > MANTISSA_DIGITS)
		n_digits -= leading_zeros(first);
	if (n_digits == 0 || n_digits > MANTISSA_DIGITS || !nearest_double(w, exponent, &size))
		return parse_slowly(text, value);
	*value = sign[negative] * size;
	return p;
}

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
	int zeros = __builtin_ctzll(first | UINT64_C(1) << 56) / 8; /* 7 at most: 0 is "0" */

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
	struct wide g = power_ten[-k - POWER_MIN];
	uint64_t odd = c & 1;
	uint64_t lower = scale_to_odd(g, (4 * c - 2 + narrow) << h) + odd;
	uint64_t v = scale_to_odd(g, 4 * c << h);
	uint64_t upper = scale_to_odd(g, (4 * c + 2) << h) - odd;
	uint64_t s = v / 4, tens = s / 10 * 10;
	bool tens_down = lower <= 4 * tens, tens_up = 4 * tens + 40 <= upper;
	bool too_low = lower > 4 * s, up = 4 * s + 4 <= upper;
	bool nearer = v + (s & 1) > 4 * s + 2; /* s + 1 is, or as near and even */

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
	struct wide g = power_ten[-k - POWER_MIN];
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
	/* selected by a mask, as no processor could predict a branch on it */
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

/* The shortest form of the finite double > 0 with these bits */
static inline struct decimal shortest_double(uint64_t bits)
{
	uint64_t fraction = bits % TWO_TO_52;
	int biased = (int)(bits >> 52); /* exponent + 1023; 0 if denormal */

	return biased == 0 ?
		       shortest(fraction, -1074, false) :
		       shortest(fraction | TWO_TO_52, biased - 1075, fraction == 0 && biased > 1);
}

/* The shortest decimal of a float: the margins of doubles hold, wider still for 24 bits. */
static inline struct decimal shortest_float(uint32_t bits)
{
	uint32_t fraction = bits % TWO_TO_23;
	int biased = (int)(bits >> 23); /* exponent + 127 */

	return biased == 0 ?
		       shortest(fraction, -149, false) :
		       shortest(fraction | TWO_TO_23, biased - 150, fraction == 0 && biased > 1);
}

static int write_nonfinite(double value, char *buffer)
{
	strcpy(buffer, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	return (int)strlen(buffer);
}

static inline int finish(char *buffer, char *end)
{
	*end = 0;
	return (int)(end - buffer);
}

/* Is size >= 0 an integer of so few digits that they are its shortest form? */
static inline bool is_integer(double size)
{
	return size < (double)TWO_TO_53 && size == (double)(int64_t)size;
}

int decimal_shortest(double value, char *buffer)
{
	double size = fabs(value);
	char *p = buffer;
	uint64_t bits;

	if (__builtin_expect(!isfinite(value), 0))
		return write_nonfinite(value, buffer);
	memcpy(&bits, &value, sizeof(bits));
	*p = '-';
	p += bits >> 63;
	if (is_integer(size))
		return finish(buffer, write_integer(p, (uint64_t)size));
	need_powers();
	return finish(buffer, write_decimal(p, widened(shortest_double(bits & ~SIGN_BIT)), -5, 17));
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
			d[i] = widened(shortest_double(bits & ~SIGN_BIT));
	}
	for (int64_t i = 0; i < n; i++) {
		char *p = slot[i];

		*p = '-';
		p += signbit(value[i]) != 0;
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
	char *p = buffer;
	struct decimal d;
	uint32_t bits;

	if (__builtin_expect(!isfinite(value), 0))
		return write_nonfinite(value, buffer);
	memcpy(&bits, &value, sizeof(bits));
	*p = '-';
	p += bits >> 31;
	if (size < (float)TWO_TO_24 && size == (float)(int32_t)size)
		return finish(buffer, write_integer(p, (uint64_t)size));
	need_powers();
	/* 7 to 9 digits, if it is not denormal, become 15 to 17 */
	d = shortest_float(bits & ~(UINT32_C(1) << 31));
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
	read_exponent(mark, &exponent);
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
	x = scale(power_ten[m - POWER_MIN], c);
	fraction_bits =
		-1 - q -
		floor_log2(m); /* fraction bits of the upper half; the lower is all fraction */
	whole = x.high >> fraction_bits;
	x.high -= whole << fraction_bits;
	half = UINT64_C(1) << (fraction_bits - 1);
	/* a digit too many goes behind the point, in units of 1/16 */
	if (whole >= ten[n_digits]) {
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
	char *p = buffer;
	struct decimal d;

	if (__builtin_expect(!isfinite(value), 0))
		return write_nonfinite(value, buffer);
	*p = '-';
	p += signbit(value) != 0;
	if (size == 0) {
		*p++ = '0';
		return finish(buffer, p);
	}
	need_powers();
	d = round_to(size, n_digits);
	d = (struct decimal){ d.digits * ten[17 - n_digits], d.exponent - (17 - n_digits) };
	if (d.digits == 10 * E16) /* 9.99 was rounded up to 10.0 */
		d = (struct decimal){ E16, d.exponent + 1 };
	return finish(buffer, write_decimal(p, d, -4, n_digits));
}
