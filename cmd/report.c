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
#include "io/output.h"
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
void report_number(struct report *r, const char *key, double value)
{
	char text[DECIMAL_SHORTEST_SIZE] = "null";

	if (!r)
		return;
	if (isfinite(value))
		decimal_shortest(value, text);
	checked(cJSON_AddRawToObject(item(r), key, text));
}

void report_count(struct report *r, const char *key, int64_t value)
{
	char text[24];

	if (!r)
		return;
	snprintf(text, sizeof(text), "%" PRId64, value);
	checked(cJSON_AddRawToObject(item(r), key, text));
}

void report_text(struct report *r, const char *key, const char *value)
{
	if (r)
		checked(cJSON_AddStringToObject(item(r), key, value));
}

void report_flag(struct report *r, const char *key, int value)
{
	if (r)
		checked(cJSON_AddBoolToObject(item(r), key, value));
}

int report_write(struct report *r, const char *path, struct error *err)
{
	struct output *output;
	char *text;
	int ret = -1;

	if (!r)
		return 0;
	text = cJSON_Print(item(r));
	report_free(r);
	if (!text)
		return error_memory(err, 0);
	if (output_open(&output, path, false, err) == 0) {
		if (output_write(output, text, (int64_t)strlen(text), err) < 0 ||
		    output_write(output, "\n", 1, err) < 0)
			output_discard(output);
		else
			ret = output_commit(output, err);
	}
	cJSON_free(text);
	return ret;
}

void report_free(struct report *r)
{
	cJSON_Delete(item(r));
}
