/*
 * fuzz_decimal.c - decimals read and written, against the C library
 *
 * The bytes are read as text by decimal_parse() and strtod(); and eight of them as a double, which is
 * written in all forms and read back.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"
#include "require.h"

static bool same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

/* In memory of its very size, and a byte that ends any number. */
static void read_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *end;
	double value = 0, expected;
	const char *stop;

	REQUIRE(text);
	memcpy(text, data, size);
	text[size] = '\0';
	stop = decimal_parse(text, text + size, &value);
	expected = strtod(text, &end);
	if (isspace((unsigned char)text[0]) || end == text) {
		REQUIRE(!stop);
	} else {
		REQUIRE(stop == end);
		REQUIRE(same_double(value, expected));
	}
	free(text);
}

/*
 * The least number of digits of printf() that are read back as the same double.  Of a power of two,
 * where doubles below are nearer than those above, another decimal may do with one digit less.
 */
static int fewest_digits(double value)
{
	char text[64];
	int n = 0;

	do {
		snprintf(text, sizeof(text), "%.*e", n++, value);
	} while (n < 17 && strtod(text, NULL) != value);
	return n;
}

/* Digits without leading and trailing zeros, point and exponent. */
static int count_digits(const char *text)
{
	int n = 0, significant = 0;

	for (; *text && *text != 'e'; text++) {
		if (!isdigit((unsigned char)*text) || (n == 0 && *text == '0'))
			continue;
		n++;
		significant = *text == '0' ? significant : n;
	}
	return significant;
}

static void write_double(double value, int n_digits)
{
	char text[DECIMAL_SHORTEST_SIZE] = "", many[1][DECIMAL_SHORTEST_SIZE] = { "" },
	     expected[64];
	float single = (float)value;
	uint8_t length;
	int n = decimal_shortest(value, text);

	REQUIRE(n == (int)strlen(text) && same_double(strtod(text, NULL), value));
	decimal_shortest_many(&value, 1, many, &length);
	REQUIRE(length == n && memcmp(many[0], text, length) == 0);
	if (isfinite(value) && value != 0)
		REQUIRE(count_digits(text) <= fewest_digits(value));
	n = decimal_shortest_single(single, text);
	REQUIRE(n == (int)strlen(text) && same_double(strtof(text, NULL), single));
	n = decimal_rounded(value, n_digits, text);
	snprintf(expected, sizeof(expected), "%.*g", n_digits, value);
	REQUIRE(n == (int)strlen(text));
	REQUIRE(isnan(value) || strcmp(text, expected) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double value;

	read_text(data, size);
	if (size > sizeof(value)) {
		memcpy(&value, data, sizeof(value));
		write_double(value, 1 + data[sizeof(value)] % 17);
	}
	return 0;
}
