/*
 * report.c - the JSON reports of --report
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<cjson/cJSON.h>)
#include <cjson/cJSON.h>
#else
#include <cJSON.h>
#endif

#include "base/decimal.h"
#include "cli.h"
#include "version.h"

#define SCHEMA_VERSION 1

/* A struct report is a cJSON item under another name. */
static cJSON *item(struct report *r)
{
	return (cJSON *)r;
}

static struct report *checked(cJSON *made)
{
	if (!made)
		cli_fail("out of memory while making a report");
	return (struct report *)made;
}

struct report *report_new(const char *tool)
{
	struct report *r = checked(cJSON_CreateObject());

	report_count(r, "schema_version", SCHEMA_VERSION);
	report_text(r, "tool", tool);
	report_text(r, "version", RANDSVM_VERSION);
	return r;
}

struct report *report_object(struct report *parent, const char *key)
{
	return parent ? checked(cJSON_AddObjectToObject(item(parent), key)) : NULL;
}

struct report *report_array(struct report *parent, const char *key)
{
	return parent ? checked(cJSON_AddArrayToObject(item(parent), key)) : NULL;
}

struct report *report_item(struct report *array)
{
	cJSON *made;

	if (!array)
		return NULL;
	made = cJSON_CreateObject();
	checked(made);
	cJSON_AddItemToArray(item(array), made);
	return (struct report *)made;
}

/* Numbers as text of our own: exact, and 64-bit counts keep all their digits. */
static void add_digits(struct report *r, const char *key, const char *digits)
{
	if (r)
		checked(cJSON_AddRawToObject(item(r), key, digits));
}

void report_number(struct report *r, const char *key, double value)
{
	char text[DECIMAL_SHORTEST_SIZE] = "null";

	if (isfinite(value))
		decimal_shortest(value, text);
	add_digits(r, key, text);
}

void report_count(struct report *r, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_digits(r, key, text);
}

void report_counts(struct report *array, const int64_t *value, int64_t n)
{
	cJSON *row;

	if (!array)
		return;
	row = cJSON_CreateArray();
	checked(row);
	cJSON_AddItemToArray(item(array), row);
	for (int64_t k = 0; k < n; k++) {
		cJSON *number;
		char text[24];

		snprintf(text, sizeof(text), "%" PRId64, value[k]);
		number = cJSON_CreateRaw(text);
		checked(number);
		cJSON_AddItemToArray(row, number);
	}
}

void report_seed(struct report *r, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add_digits(r, key, text);
}

/* Length of the UTF-8 character at 'p', or 0 if there is none (RFC 3629, section 4). */
static int utf8_length(const unsigned char *p)
{
	int n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 :
		p[0] < 0xf5				 ? 4 : 0;

	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void report_text(struct report *r, const char *key, const char *value)
{
	const unsigned char *p = (const unsigned char *)value;
	char *clean, *to;

	if (!r)
		return;
	to = clean = malloc(3 * strlen(value) + 1);
	if (!clean)
		cli_fail("out of memory while making a report");
	while (*p) {
		int n = utf8_length(p);

		memcpy(to, n ? (const char *)p : "\xef\xbf\xbd", n ? (size_t)n : 3);
		to += n ? n : 3;
		p += n ? n : 1;
	}
	*to = '\0';
	checked(cJSON_AddStringToObject(item(r), key, clean));
	free(clean);
}

void report_flag(struct report *r, const char *key, int value)
{
	if (r)
		checked(cJSON_AddBoolToObject(item(r), key, value));
}

void report_write(struct report *r, struct output *output)
{
	struct error err = { 0 };
	char *text;

	if (!r)
		return;
	text = cJSON_Print(item(r));
	report_free(r);
	if (!text)
		cli_fail("out of memory while making a report");
	output_printf(output, &err, "%s\n", text);
	cJSON_free(text);
}

void report_free(struct report *r)
{
	cJSON_Delete(item(r));
}
