/*
 * test_decimal.c - decimal_parse() against strtod(), decimal_shortest() against both,
 *                  decimal_rounded() against printf()
 *
 * usage: test_decimal [COUNT]	doubles to write and read back, default 10000000
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/decimal.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- Random numbers: the sequence of splitmix64 ---- */

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static int random_below(int n)
{
	return (int)(random_bits() % (uint64_t)n);
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static double double_of(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* ---- Reading ---- */

/*
 * The number at 'text', which has no leading blank, is what strtod() says.  'end' is at
 * a 0, for strtod(); other tests put what follows to the proof.
 */
static void check_like_strtod(const char *text, const char *end)
{
	double got = 12345, want;
	char *want_stop;
	const char *stop = decimal_parse(text, end, &got);

	want = strtod(text, &want_stop);
	if (want_stop == text) {
		CHECK(!stop && got == 12345, "'%.60s' read as %a, expected no number", text, got);
		return;
	}
	CHECK(stop == want_stop, "'%.60s' ends at byte %td, expected %td", text,
	      stop ? stop - text : -1, want_stop - text);
	CHECK(bits_of(got) == bits_of(want), "'%.60s' is %a, expected %a", text, got, want);
}

/*
 * Also read 'length' characters followed by each byte that may end a text: as the last byte of a
 * block of memory (sanitizers see a byte too many), and with more digits after it.
 */
static void check_everywhere(const char *text, size_t length)
{
	static const char after[] = { '\0', '\n', ' ', '\t', ':' };
	char *alone = malloc(length + 1), *before_digits = malloc(length + 21);
	double value = 0, same = 0;
	const char *stop, *same_stop;

	if (!alone || !before_digits)
		abort();
	memcpy(alone, text, length);
	memcpy(before_digits, text, length);
	memset(before_digits + length, '7', 20);
	before_digits[length + 20] = 0;
	alone[length] = 0;
	check_like_strtod(alone, alone + length);
	stop = decimal_parse(alone, alone + length, &value);
	for (int i = 0; i < COUNT(after); i++) {
		alone[length] = before_digits[length] = after[i];
		same = 0;
		same_stop = decimal_parse(alone, alone + length, &same);
		CHECK(same_stop == stop && bits_of(same) == bits_of(value),
		      "'%.*s' is %a before byte %d, alone %a", (int)length, text, same, after[i],
		      value);
		same = 0;
		same_stop = decimal_parse(before_digits, before_digits + length, &same);
		CHECK(stop ? same_stop && stop - alone == same_stop - before_digits : !same_stop,
		      "'%.*s' ends elsewhere before digits", (int)length, text);
		CHECK(bits_of(same) == bits_of(value), "'%.*s' is %a before digits, alone %a",
		      (int)length, text, same, value);
	}
	free(alone);
	free(before_digits);
}

static const char *const texts[] = {
	/* forms */
	"", "0", "-0", "+0", "1", "+1", "-1", ".5", "5.", "-.5e1", "1e5", "1E5", "1e+5", "1e-5",
	"1e", "1e+", "1e-", "1ex", "1.e2", ".e2", ".", "-", "+", "-.", "+-1", "--1", "e5", "1.2.3",
	"1..2", "1,5", "00012", "000.0500", "1 2", "1:2", "0x10", "0X1F", "0x", "0xg", "0x.",
	"0x.8", "0x8.", "0x1.8p3", "0x1.8P-3", "0x1p", "0x1p+", "-0x1p-1074", "0x1p-1075",
	"0x1.8p-1075", "0x1.fffffffffffff7p0", "0x1.fffffffffffff8p0", "0x1p1024", "0x1e5", "1x10",
	"00x1", "0x-1", "inf", "INF", "-inf", "+Infinity", "infinit", "infinityx", "in", "i", "nan",
	"-nan", "NaN", "nan()", "nan(12)", "nan(0x7)", "nan(a_B9)", "nan(", "nan(1", "nan(1 )",
	"nan(-)", "na", "nano", "\xff", "\xb0", "1\xb0",
	/* one rounding */
	"0.5", "-0.320755", "0.0839695", "12345.67", "9.86899159742946E-02", "0.1", "0.3",
	"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994",
	"9007199254740995", "9007199254740993.0000000000000000000000000000000000001",
	"9007199254740992.9999999999999999999999999999999999999", "900719925474099.3e1",
	"9007199254740993e-1", "18014398509481983", "18014398509481985", "18446744073709551615",
	"18446744073709551616", "9999999999999999999", "99999999999999999999", "1e22", "1e23",
	"-1e23", "1e27", "1e28", "1e-22", "1e-23", "1e-27", "1e-28", "8.5e-27",
	"9007199254740992e22", "9007199254740993e22", "9007199254740992e-22",
	"9007199254740993e-22", "9223372036854775807e27", "9223372036854775809e-27",
	"0.0000000000000000000000000001", "0.00000000000000000001234567890123456789",
	"0.000000000000000000012345678901234567891", "00000000000000000000000000000000000001",
	"0.00000000000000000000000000000000000000000000", "0e99999", "-0e-99999", "0.0e400",
	"1.0000000000000001110223024625156540423631668090820312",
	"1.00000000000000011102230246251565404236316680908203125",
	"1.0000000000000001110223024625156540423631668090820313",
	/* ends of the range */
	"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e308",
	"1e309", "-1e309", "1797693134862315807937289714053034150799341327100378269e254",
	"1797693134862315807937289714053034150799341327100378270e254", "2.2250738585072014e-308",
	"2.2250738585072011e-308", "2.2250738585072009e-308", "4.9406564584124654e-324", "5e-324",
	"2.4703282292062327e-324", "2.4703282292062328e-324", "2.5e-324", "1e-324", "7.4e-324",
	"1e-400", "-1e-400", "1e99999999999999999999", "1e-99999999999999999999",
	"0e99999999999999999999", "1e18446744073709551617", "1e-9223372036854775809"
};

/* Every text of the list, and everything it starts with. */
static void test_texts(void)
{
	for (int i = 0; i < COUNT(texts); i++)
		for (size_t n = 0; n <= strlen(texts[i]); n++)
			check_everywhere(texts[i], n);
}

/* Every byte at every place among digits that are read eight at a time. */
static void test_bytes(void)
{
	for (int place = 0; place < 20; place++)
		for (int byte = 1; byte < 256; byte++) {
			char text[] = "00012345678901234567";

			text[place] = (char)byte;
			if (!isspace(byte))
				check_everywhere(text, strlen(text));
		}
}

/* Every text of up to five of these characters. */
static void test_syntax(void)
{
	static const char alphabet[] = "05.exp+-ainf()_ ";
	int n_letters = COUNT(alphabet) - 1;
	char text[6];

	for (int length = 1, n_texts = n_letters; length <= 5; length++, n_texts *= n_letters)
		for (int i = 0; i < n_texts; i++) {
			for (int j = 0, rest = i; j < length; j++, rest /= n_letters)
				text[j] = alphabet[rest % n_letters];
			text[length] = 0;
			if (*text != ' ')
				check_like_strtod(text, text + length);
		}
}

/* 'n' random digits, now and then a run of the same. */
static char *put_digits(char *p, int n)
{
	while (n > 0) {
		int run = random_below(8) ? 1 : 1 + random_below(n);
		char digit = (char)('0' + random_below(10));

		for (; run > 0; run--, n--)
			*p++ = digit;
	}
	return p;
}

/* Blanks are not skipped, though strtod() would. */
static void test_blanks(void)
{
	for (const char *blank = " \t\n\v\f\r"; *blank; blank++) {
		const char text[] = { *blank, '1', '\0' };
		double value = 12345;

		CHECK(!decimal_parse(text, text + 2, &value) && value == 12345,
		      "a number after byte %d was read as %a", *blank, value);
	}
}

/* Decimals of all lengths, with exponents in and out of the range of doubles. */
static void test_random_texts(int count)
{
	static const int exponent_range[] = { 5, 30, 60, 350 };

	for (int i = 0; i < count; i++) {
		char text[128], *p = text;
		int range = exponent_range[random_below(COUNT(exponent_range))];

		if (random_below(2))
			*p++ = "+-"[random_below(2)];
		p = put_digits(p, random_below(random_below(4) ? 4 : 24));
		if (random_below(4)) {
			*p++ = '.';
			p = put_digits(p, random_below(random_below(4) ? 20 : 40));
		}
		if (random_below(3) == 0)
			p += sprintf(p, "%c%d", "eE"[random_below(2)],
				     random_below(2 * range + 1) - range);
		p += sprintf(p, "%s", random_below(2) ? "" : ":1 2.5");
		check_like_strtod(text, p);
	}
}

/* Mantissas of all lengths with each exponent in and around the range of doubles. */
static void test_exponents(int count)
{
	char text[64];

	for (int e = -350; e <= 345; e++)
		for (int i = 0; i < count; i++) {
			uint64_t w = random_bits() >> random_below(64);
			int length = sprintf(text, "%" PRIu64 "e%d", w, e);

			check_like_strtod(text, text + length);
		}
}

/* w +- 1 times 10^e, where w 10^e is halfway between two doubles. */
static void check_near_half(uint64_t w, int e)
{
	char text[64];

	for (int i = -1; i <= 1; i++) {
		int length = sprintf(text, "%" PRIu64 "e%d", w + (uint64_t)(int64_t)i, e);

		check_like_strtod(text, text + length);
	}
}

/*
 * Short decimals halfway between two doubles: an odd number of 54 bits is; so is one
 * that is 5^k times less, times 10^k; and one 5^k times more, divided by 10^k.
 */
static void test_short_halves(int count)
{
	const uint64_t bit53 = UINT64_C(1) << 53;
	uint64_t five = 1;

	for (int k = 0; k <= 22; k++, five *= 5)
		for (int i = 0; i < count; i++) {
			uint64_t odd = (bit53 | random_bits() % bit53) | 1;

			check_near_half((bit53 + random_bits() % bit53) / five | 1, k);
			if (k <= 4)
				check_near_half(odd * five, -k);
		}
}

/*
 * A long decimal: digits (values 0 .. 9, the last first) times 10^exponent.  The middle of
 * two denormals has 768 digits at most.
 */
struct long_decimal {
	char digit[1200];
	int n, exponent;
};

static void long_multiply(struct long_decimal *x, int factor)
{
	int carry = 0;

	for (int i = 0; i < x->n || carry; i++) {
		if (i == x->n)
			x->digit[x->n++] = 0;
		carry += x->digit[i] * factor;
		x->digit[i] = (char)(carry % 10);
		carry /= 10;
	}
}

/* m 2^q, exactly */
static void long_set(struct long_decimal *x, uint64_t m, int q)
{
	x->exponent = q < 0 ? q : 0;
	for (x->n = 0; m; m /= 10)
		x->digit[x->n++] = (char)(m % 10);
	for (; q > 0; q--)
		long_multiply(x, 2);
	for (; q < 0; q++)
		long_multiply(x, 5);
}

/*
 * x with a point somewhere, and n_more digits 'more' behind it: all 9, or 0 but for the last.
 */
static void check_long(const struct long_decimal *x, char more, int n_more)
{
	char text[8192], *p = text;
	int point = random_below(x->n); /* so many digits come after it */

	for (int i = x->n - 1; i >= 0; i--) {
		*p++ = (char)('0' + x->digit[i]);
		if (i == point)
			*p++ = '.';
	}
	memset(p, more, (size_t)n_more);
	p += n_more;
	if (more == '0' && n_more > 0)
		p[-1] = '1';
	p += sprintf(p, "e%d", x->exponent + point);
	check_like_strtod(text, p);
}

/* The middle above c 2^q, a bit more and a bit less, to be seen only far behind. */
static void check_long_half(uint64_t c, int q)
{
	static const int far[] = { 1, 10, 100, 760, 800, 801, 1000, 5000 };
	struct long_decimal x;

	long_set(&x, 2 * c + 1, q - 1);
	check_long(&x, '0', 0);
	for (int i = 0; i < COUNT(far); i++)
		check_long(&x, '0', far[i]);
	for (int i = 0; x.digit[i]-- == 0; i++)
		x.digit[i] = 9;
	for (int i = 0; i < COUNT(far); i++)
		check_long(&x, '9', far[i]);
}

static void test_long_halves(int count)
{
	const uint64_t bit52 = UINT64_C(1) << 52;

	check_long_half(0, -1074);
	check_long_half(1, -1074);
	check_long_half(bit52 - 1, -1074);
	check_long_half(2 * bit52 - 1, -1074);
	check_long_half(2 * bit52 - 1, 971);
	for (int i = 0; i < count; i++)
		check_long_half(bit52 + random_bits() % bit52, random_below(2046) - 1074);
}

/* Zeros in thousands before or behind the point, taken back by the exponent. */
static void check_long_zeros(const char *prefix, char mark, int exponent_per_digit)
{
	enum { N = 5000 };
	static char text[2 * N];
	char *p;

	p = text + sprintf(text, "%s0.", prefix);
	memset(p, '0', N);
	p += N;
	p += sprintf(p, "123%c%d", mark, N * exponent_per_digit);
	check_like_strtod(text, p);

	p = text + sprintf(text, "-%s1", prefix);
	memset(p, '0', N);
	p += N;
	p += sprintf(p, "1.5%c%d", mark, -N * exponent_per_digit);
	check_like_strtod(text, p);

	p = text + sprintf(text, "%s", prefix);
	memset(p, '0', N);
	p += N;
	p += sprintf(p, "12.5");
	check_like_strtod(text, p);
}

static void test_long_texts(void)
{
	char text[2000];

	check_long_zeros("", 'e', 1);
	check_long_zeros("0x", 'p', 4);

	/* the middle of 1 and its neighbour, in hexadecimal, and a bit far behind */
	memset(text, '0', sizeof(text));
	memcpy(text, "0x1.00000000000008", 18);
	text[1998] = text[1999] = 0;
	check_like_strtod(text, text + 1998);
	text[1997] = '1';
	check_like_strtod(text, text + 1998);

	memset(text, '1', sizeof(text));
	memcpy(text, "nan(", 4);
	text[600] = ')';
	text[601] = 0;
	check_like_strtod(text, text + 601);
}

/* ---- Writing ---- */

/* How many digits of a decimal are left without the zeros at both ends. */
static int significant_digits(const char *text)
{
	int n = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
			continue;
		zeros = *text == '0' ? zeros + 1 : 0;
		n++;
	}
	return n - zeros;
}

/*
 * The n-digit decimal nearest to x as digits * 10^exponent: printf() is exact.
 */
static uint64_t nearest_digits(double x, int n, int *exponent)
{
	char text[64];
	uint64_t digits;

	snprintf(text, sizeof(text), "%.*e", n - 1, x);
	digits = (uint64_t)(*text - '0');
	for (int i = 0; i < n - 1; i++)
		digits = 10 * digits + (uint64_t)(text[2 + i] - '0');
	*exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10) - (n - 1);
	return digits;
}

static double scaled_by_strtod(uint64_t digits, int exponent)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 "e%d", digits, exponent);
	return strtod(text, NULL);
}

/* What the header promises for +-digits * 10^exponent, n digits of which the last is not 0. */
static void format_by_header(char *out, bool minus, uint64_t digits, int n, int exponent)
{
	char text[32];
	int e = exponent + n - 1; /* of the first digit */

	snprintf(text, sizeof(text), "%" PRIu64, digits);
	if (minus)
		*out++ = '-';
	if (e < -5 || e >= 17)
		sprintf(out, "%c%s%se%c%02d", *text, n > 1 ? "." : "", text + 1, e < 0 ? '-' : '+',
			abs(e));
	else if (e < 0)
		sprintf(out, "0.%.*s%s", -e - 1, "0000", text);
	else if (n > e + 1)
		sprintf(out, "%.*s.%s", e + 1, text, text + e + 1);
	else
		sprintf(out, "%s%.*s", text, e + 1 - n, "0000000000000000");
}

/*
 * 'text' is the shortest decimal for x, finite and not 0: of one digit less, not even the
 * three around x read back (it takes all three below a power of two, where doubles lie
 * closer).  And it is the nearest of its length, if that one reads back.
 */
static void check_is_shortest(double x, const char *text)
{
	char want[64];
	int n = significant_digits(text), exponent;
	uint64_t digits;

	CHECK(bits_of(strtod(text, NULL)) == bits_of(x), "%a written %s reads as %a", x, text,
	      strtod(text, NULL));
	digits = nearest_digits(fabs(x), n, &exponent);
	format_by_header(want, x < 0, digits, n, exponent);
	if (scaled_by_strtod(digits, exponent) == fabs(x))
		CHECK(strcmp(text, want) == 0, "%a written %s, expected %s", x, text, want);
	if (n == 1)
		return;
	digits = nearest_digits(fabs(x), n - 1, &exponent);
	for (uint64_t d = digits - 1; d <= digits + 1; d++)
		CHECK(scaled_by_strtod(d, exponent) != fabs(x),
		      "%a written %s, shorter is %" PRIu64 "e%d", x, text, d, exponent);
}

/* Write x; it reads back; 'thorough' looks at the text too. */
static void check_written(double x, bool thorough)
{
	char text[DECIMAL_SHORTEST_SIZE];
	int length = decimal_shortest(x, text);
	double back = 0;
	const char *stop = decimal_parse(text, text + length, &back);

	CHECK(stop == text + length && bits_of(back) == bits_of(x), "%a written %s reads as %a", x,
	      text, back);
	if (!thorough)
		return;
	CHECK(length == (int)strlen(text), "'%s' is said to have length %d", text, length);
	if (x != 0)
		check_is_shortest(x, text);
}

static void check_neighbours(double x)
{
	for (int i = -2; i <= 2; i++) {
		double y = double_of(bits_of(x) + (uint64_t)(int64_t)i);

		if (x > 0 && isfinite(y)) {
			check_written(y, true);
			check_written(-y, true);
		}
	}
}

static void test_powers(void)
{
	char text[32];

	for (int q = -1072; q <= 1023; q++)
		check_neighbours(ldexp(1, q));
	for (int k = -323; k <= 308; k++) {
		sprintf(text, "1e%d", k);
		check_neighbours(strtod(text, NULL));
	}
	for (uint64_t bits = 1; bits <= 5000; bits++)
		check_written(double_of(bits), true);
	check_neighbours(DBL_MIN);
	check_written(DBL_MAX, true);
	check_written(-DBL_MAX, true);
}

static void test_formats(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = { { 0.0, "0" },
		      { -0.0, "-0" },
		      { INFINITY, "inf" },
		      { -INFINITY, "-inf" },
		      { NAN, "nan" },
		      { -NAN, "nan" },
		      { 1, "1" },
		      { -1, "-1" },
		      { 10, "10" },
		      { 0.1, "0.1" },
		      { -0.5, "-0.5" },
		      { 1.5, "1.5" },
		      { 100, "100" },
		      { 12345.67, "12345.67" },
		      { 99999999, "99999999" },
		      { 100000000, "100000000" },
		      { 100000001, "100000001" },
		      { 0.00001, "0.00001" },
		      { 0.000012, "0.000012" },
		      { 0.00000999, "9.99e-06" },
		      { 0.000001, "1e-06" },
		      { -1.25e-10, "-1.25e-10" },
		      { 1e16, "10000000000000000" },
		      { 1e17, "1e+17" },
		      { -1.5e17, "-1.5e+17" },
		      { 1e100, "1e+100" },
		      { 9007199254740991, "9007199254740991" },
		      { 9007199254740992, "9007199254740992" },
		      { 72057594037927936, "72057594037927940" },
		      { 123456789.125, "123456789.125" },
		      { 1234567.5, "1234567.5" },
		      { 12345678.5, "12345678.5" },
		      { 4503599627370495.5, "4503599627370495.5" },
		      { 5e-324, "5e-324" },
		      { 1e-323, "1e-323" },
		      { 1e23, "1e+23" },
		      { 9.5367431640625e-07, "9.5367431640625e-07" },
		      { 0.000030517578125, "0.000030517578125" },
		      { DBL_MAX, "1.7976931348623157e+308" },
		      { -DBL_MIN, "-2.2250738585072014e-308" } };
	char text[DECIMAL_SHORTEST_SIZE];

	for (int i = 0; i < COUNT(cases); i++) {
		int length = decimal_shortest(cases[i].value, text);

		CHECK(strcmp(text, cases[i].text) == 0, "%a written %s, expected %s",
		      cases[i].value, text, cases[i].text);
		CHECK(length == (int)strlen(text), "'%s' is said to have length %d", text, length);
	}
}

/* A finite double of the i-th kind in turn. */
static double random_double(int64_t i)
{
	static const double ten[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	uint64_t bits = random_bits();
	double x;

	switch (i % 8) {
	case 0: /* any bits at all */
		x = double_of(bits);
		return isfinite(x) ? x : 0;
	case 1:
	case 2: /* uniform on [-1, 1) */
		return ldexp((double)(int64_t)bits, -63);
	case 3: /* integers of all sizes */
		return (double)((int64_t)bits >> random_below(64));
	case 4: /* next to a power of two, 2^-100 .. 2^100 */
		return double_of(((1023 + bits % 201 - 100) << 52) + (bits >> 32) % 5 - 2);
	case 5: /* 1e-40 .. 1e40, roughly */
		return double_of((890 + bits % 266) << 52 | bits >> 12);
	default: /* a few digits */
		return (double)((int64_t)bits >> (30 + random_below(30))) / ten[random_below(10)];
	}
}

static void test_random_doubles(int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		check_written(random_double(i), i % 400 < 8);
}

/* ---- Floats ---- */

/* strtof(), of "digits e exponent" */
static float float_by_strtof(uint64_t digits, int exponent)
{
	char text[64];

	sprintf(text, "%" PRIu64 "e%d", digits, exponent);
	return strtof(text, NULL);
}

/* With one digit less neither the nearest decimal nor its neighbours read back. */
static void check_single_is_shortest(float x, const char *text)
{
	int n = significant_digits(text), exponent;
	uint64_t digits = nearest_digits(fabs((double)x), n, &exponent);

	if (float_by_strtof(digits, exponent) == fabsf(x))
		CHECK(strtod(text, NULL) == copysign(scaled_by_strtod(digits, exponent), x),
		      "%a written %s, nearer is %" PRIu64 "e%d", (double)x, text, digits, exponent);
	if (n == 1)
		return;
	digits = nearest_digits(fabs((double)x), n - 1, &exponent);
	for (uint64_t d = digits - 1; d <= digits + 1; d++)
		CHECK(float_by_strtof(d, exponent) != fabsf(x),
		      "%a written %s, shorter is %" PRIu64 "e%d", (double)x, text, d, exponent);
}

static void check_single(float x)
{
	char text[DECIMAL_SHORTEST_SIZE];
	int length = decimal_shortest_single(x, text);
	float back = strtof(text, NULL);

	CHECK(length == (int)strlen(text), "'%s' is said to have length %d", text, length);
	CHECK(!memcmp(&back, &x, sizeof(x)), "%a written %s reads as %a", (double)x, text,
	      (double)back);
	if (x != 0)
		check_single_is_shortest(x, text);
}

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Random bits, the smallest and largest, and the neighbours of powers of two and of ten. */
static void test_floats(int count)
{
	for (int i = 0; i < count; i++) {
		float x = float_of((uint32_t)random_bits());

		check_single(isfinite(x) ? x : 0);
		check_single((float)random_below(1 << 25) / 64);
	}
	for (uint32_t bits = 0; bits <= 2000; bits++) {
		check_single(float_of(bits));
		check_single(float_of((UINT32_C(255) << 23) - 1 - bits));
	}
	for (uint32_t power = 1; power < 255; power++)
		for (uint32_t i = 0; i < 5; i++)
			check_single(-float_of((power << 23) - 2 + i));
	for (int k = -44; k <= 38; k++) {
		float x = float_by_strtof(1, k);

		check_single(nextafterf(x, 0));
		check_single(x);
		check_single(nextafterf(x, INFINITY));
	}
}

/* ---- So many digits ---- */

static void check_rounded(double x, int n_digits)
{
	char text[DECIMAL_SHORTEST_SIZE], want[64];
	int length = decimal_rounded(x, n_digits, text);

	snprintf(want, sizeof(want), "%.*g", n_digits, x);
	CHECK(strcmp(text, want) == 0, "%a written %s with %d digits, expected %s", x, text,
	      n_digits, want);
	CHECK(length == (int)strlen(text), "'%s' is said to have length %d", text, length);
}

/* Exact ties of all lengths, odd numbers times 2^q, and their neighbours. */
static void check_ties(int count)
{
	for (int i = 0; i < count; i++) {
		int64_t odd = (int64_t)(random_bits() >> (12 + random_below(52))) | 1;
		double x = ldexp((double)odd, random_below(120) - 70);

		for (int n = 1; n <= 17; n++) {
			check_rounded(x, n);
			check_rounded(nextafter(x, 0), n);
			check_rounded(-nextafter(x, INFINITY), n);
		}
	}
}

static void test_rounded(int count)
{
	char text[40];

	for (int i = 0; i < count; i++)
		check_rounded(random_double(i), 1 + random_below(17));
	check_ties(count / 100);
	for (int k = -323; k <= 308; k++)
		for (int n = 1; n <= 17; n++)
			for (int half = 0; half < 2; half++) {
				double x;

				sprintf(text, "%.*se%d", n + half,
					half ? &"999999999999999995"[17 - n] : "99999999999999999",
					k - n);
				x = strtod(text, NULL);
				check_rounded(nextafter(x, 0), n);
				check_rounded(x, n);
				check_rounded(nextafter(x, 1e308), n);
			}
	for (int n = 1; n <= 17; n++) {
		const double ends[] = { 0, -0.0, DBL_MAX, -DBL_MIN, 5e-324, INFINITY, -INFINITY };

		for (int i = 0; i < COUNT(ends); i++)
			check_rounded(ends[i], n);
	}
}

/* ---- Integers ---- */

static void test_unsigned(int count)
{
	uint64_t power = 1;

	for (int i = 0; i < count + 60; i++) {
		uint64_t n = i < 60 ? power - (uint64_t)(i % 3) : random_bits() >> random_below(64);
		char text[DECIMAL_SHORTEST_SIZE], want[32];
		int length = decimal_unsigned(n, text);

		sprintf(want, "%" PRIu64, n);
		CHECK(!strcmp(text, want) && length == (int)strlen(want), "%s written %s", want,
		      text);
		power *= i % 3 == 2 ? 10 : 1;
	}
}

/* ---- Many ---- */

/* Each as if it were alone, whatever is beside it, and however many there are. */
static void test_many(int count)
{
	static const double odd[] = {
		0, -0.0, 7, -1e15, INFINITY, -INFINITY, NAN, 5e-324, DBL_MAX
	};
	static char slot[200][DECIMAL_SHORTEST_SIZE];
	uint8_t length[200];
	double value[200];

	for (int c = 0; c < count; c++) {
		int n = random_below(COUNT(value) + 1);

		for (int i = 0; i < n; i++)
			value[i] = random_below(10) ? random_double(c + i) :
						      odd[random_below(COUNT(odd))];
		decimal_shortest_many(value, n, slot, length);
		for (int i = 0; i < n; i++) {
			char want[DECIMAL_SHORTEST_SIZE];

			decimal_shortest(value[i], want);
			CHECK(!strcmp(slot[i], want) && length[i] == strlen(want),
			      "%a written '%s' among %d, alone '%s'", value[i], slot[i], n, want);
		}
	}
}

/* ---- Locale ---- */

/* Another locale's decimal point changes nothing; without such a locale there is no test. */
static void test_comma(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" };
	static const struct {
		const char *text;
		double value;
	} reads[] = { { "1.5", 1.5 },
		      { "1.5e-300", 1.5e-300 },
		      { "0x1.8p0", 1.5 },
		      { "1.50000000000000000001", 1.5 } };
	char text[DECIMAL_SHORTEST_SIZE];
	double value = 0;
	int i = 0;

	while (i < COUNT(names) && !setlocale(LC_ALL, names[i]))
		i++;
	if (i < COUNT(names) && *localeconv()->decimal_point == ',') {
		for (int j = 0; j < COUNT(reads); j++) {
			const char *end = reads[j].text + strlen(reads[j].text);
			const char *stop = decimal_parse(reads[j].text, end, &value);

			CHECK(stop == end && value == reads[j].value,
			      "'%s' is %a in a comma locale, expected %a", reads[j].text, value,
			      reads[j].value);
		}
		decimal_shortest(1.5, text);
		CHECK(strcmp(text, "1.5") == 0, "1.5 written %s in a comma locale", text);
		decimal_rounded(1.25, 2, text);
		CHECK(strcmp(text, "1.2") == 0, "1.25 written %s in a comma locale", text);
	}
	setlocale(LC_ALL, "C");
}

/* ---- Integers that no double is ---- */

/* Are the integer's digits those of the shortest decimal that strtod() reads as this double? */
static bool is_shortest(uint64_t n, double value)
{
	char shortest[40], digits[40];
	int precision = 0, length;

	do
		snprintf(shortest, sizeof(shortest), "%.*e", precision++, value);
	while (strtod(shortest, NULL) != value);
	length = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	memmove(shortest + 1, shortest + 2, (size_t)precision);
	for (int i = 0; i < length; i++)
		if (digits[i] != (i < precision ? shortest[i] : '0'))
			return false;
	return true;
}

static void test_integers(int count)
{
	static const struct {
		const char *text;
		bool is_rounded;
	} texts[] = {
		{ "+9007199254740993", true },
		{ "-9007199254740993", true },
		{ "009007199254740993", true },
		{ "9007199254740993.00", true },
		{ "9007199254740993.", true },
		{ "9007199254740993.5", false },
		{ "9007199254740993e0", false },
		{ "9.007199254740993e15", false },
		{ "9007199254740991", false },
		{ "123456789012345680000", false },
		{ "123456789012345680001", true },
		{ "0x20000000000001", false },
		{ "1e300", false },
		{ "inf", false },
	};
	char text[40];
	double value = 0;

	for (int i = 0; i < COUNT(texts); i++) {
		const char *end = texts[i].text + strlen(texts[i].text);

		decimal_parse(texts[i].text, end, &value);
		CHECK(decimal_is_rounded(texts[i].text, end, value) == texts[i].is_rounded,
		      "'%s' rounded: %d", texts[i].text, !texts[i].is_rounded);
	}
	for (int i = 0; i < count; i++) {
		/* up to 64 bits, some with zeros behind the 53rd or in their decimal digits */
		const uint64_t bits = random_bits() >> random_below(16),
			       n = i % 4 == 0 ? bits & ~UINT64_C(0x7ff) :
				   i % 4 == 1 ? bits / 1000 * 1000 :
						bits;
		const int length = snprintf(text, sizeof(text), "%" PRIu64, n);
		bool exact;

		value = (double)n;
		exact = value < 0x1p64 && (uint64_t)value == n;
		CHECK(decimal_is_rounded(text, text + length, value) ==
			      (!exact && !is_shortest(n, value)),
		      "%s, read as %.0f, rounded: %d", text, value,
		      decimal_is_rounded(text, text + length, value));
	}
}

int main(int argc, char **argv)
{
	const int less = UNIT_IS_SANITIZED ? 20 : 1;

	test_texts();
	test_bytes();
	test_syntax();
	test_blanks();
	test_random_texts(2000000 / less);
	test_exponents(2000);
	test_short_halves(20000);
	test_long_halves(200);
	test_long_texts();
	test_formats();
	test_powers();
	test_random_doubles(argc > 1 ? strtoll(argv[1], NULL, 10) : 10000000 / less);
	test_floats(300000 / less);
	test_rounded(2000000 / less);
	test_unsigned(1000000 / less);
	test_many(20000);
	test_integers(200000 / less);
	test_comma();
	return unit_report("test_decimal");
}
