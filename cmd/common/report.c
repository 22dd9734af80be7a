/*
 * report.c - the JSON reports of --report
 *
 * The object is built in memory by cJSON and written at the end, so a report is whole or missing.
 * cJSON keeps numbers as doubles and prints them with 15 or 17 digits; numbers are added as text
 * instead ("raw" items), so that 64-bit counts keep all digits and doubles have the shortest form
 * that reads back.  JSON has no infinity and no NaN: they become null.
 *
 * Every function accepts NULL for the object, so a program reports unconditionally whether --report
 * was given or not.  Memory that runs out ends the program: no caller could do better.
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
#include "base/mem.h"
#include "base/utf8.h"
#include "memory.h"
#include "problem/training.h"
#include "process.h"
#include "version.h"

#define SCHEMA_VERSION 1

/* A struct report is a cJSON item under another name. */
static cJSON *item(struct report *r)
{
	return (cJSON *)r;
}

_Noreturn static void fail_for_memory(void)
{
	cli_fail("out of memory while making a report");
}

/* What cJSON has made: cJSON_AddxxxToObject() gives NULL also where the key finds no memory. */
static struct report *checked(cJSON *made)
{
	if (!made)
		fail_for_memory();
	return (struct report *)made;
}

/* Append an item to an array, which takes no memory and cannot fail. */
static struct report *append(struct report *array, cJSON *made)
{
	struct report *element = checked(made);

	cJSON_AddItemToArray(item(array), made);
	return element;
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
	return array ? append(array, cJSON_CreateObject()) : NULL;
}

/* Add a number as text of our own: exact, and 64-bit counts keep all their digits. */
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

/* As one item of text, in cJSON's form: an item for each number takes 100 bytes. */
void report_numbers(struct report *array, const double *value, int64_t n)
{
	struct error err = { 0 };
	char *text, *end;

	if (!array)
		return;
	text = mem_array(n * (DECIMAL_SHORTEST_SIZE + 2) + 3, 1, &err);
	if (!text)
		fail_for_memory();
	end = text;
	*end++ = '[';
	for (int64_t k = 0; k < n; k++) {
		if (k > 0) {
			*end++ = ',';
			*end++ = ' ';
		}
		end += decimal_shortest(value[k], end);
	}
	*end++ = ']';
	*end = '\0';
	append(array, cJSON_CreateRaw(text));
	mem_free(text);
}

void report_seed(struct report *r, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add_digits(r, key, text);
}

void report_rows(struct report *r, const struct rows_checksum *rows)
{
	report_count(r, "rows", rows->n_rows);
	report_count(r, "entries", rows->n_entries);
	report_count(r, "max_index", rows->max_index);
	report_count(r, "crc32", rows_checksum_crc32(rows));
}

void report_written(struct report *r, const char *file, const struct rows_checksum *rows)
{
	struct report *written = report_object(r, "written");

	report_text(written, "file", file);
	if (rows)
		report_rows(written, rows);
}

void report_map_checksum(struct report *r,
			 int (*save)(const void *map, struct output *to, struct error *err),
			 const void *map)
{
	struct output *counted;
	struct error err = { 0 };
	uint32_t crc = 0;

	if (!r)
		return;
	if (output_open_checksum(&counted, &err) < 0 || save(map, counted, &err) < 0 ||
	    output_checksum(counted, &crc, &err) < 0)
		cli_fail("%s", err.text);
	output_discard(counted);
	report_count(r, "crc32", crc);
}

/* A copy of the text, to be freed: bytes that are not UTF-8 become U+FFFD. */
static char *clean_text(const char *value)
{
	size_t left = strlen(value);
	char *clean, *to;

	to = clean = malloc(3 * left + 1);
	if (!clean)
		fail_for_memory();
	while (left > 0) {
		size_t n = utf8_length(value, left);

		memcpy(to, n ? value : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		value += n ? n : 1;
		left -= n ? n : 1;
	}
	*to = '\0';
	return clean;
}

void report_text(struct report *r, const char *key, const char *value)
{
	char *clean;

	if (!r)
		return;
	clean = clean_text(value);
	checked(cJSON_AddStringToObject(item(r), key, clean));
	mem_free(clean);
}

struct report *report_new(const char *tool)
{
	struct report *r = checked(cJSON_CreateObject()), *words;

	report_count(r, "schema_version", SCHEMA_VERSION);
	report_text(r, "tool", tool);
	report_text(r, "version", RANDSVM_VERSION);
	words = report_array(r, "argv");
	for (char *const *word = cli_arguments(); *word; word++) {
		char *clean = clean_text(*word);

		append(words, cJSON_CreateString(clean));
		mem_free(clean);
	}
	return r;
}

void report_flag(struct report *r, const char *key, int value)
{
	if (r)
		checked(cJSON_AddBoolToObject(item(r), key, value));
}

/* Make the key of an option in the report: "max_iter" for --max-iter. */
static void setting_key(const struct cli_option *o, char *key, size_t size)
{
	snprintf(key, size, "%s", o->key ? o->key : o->name);
	for (char *c = key; *c && !o->key; c++)
		if (*c == '-')
			*c = '_';
}

static void add_weights(struct report *settings, const char *key, const struct cli_weights *w)
{
	struct report *array = report_array(settings, key);

	for (int64_t i = 0; i < w->n && array; i++) {
		struct report *weight = report_item(array);

		report_count(weight, "label", w->weight[i].label);
		report_number(weight, "weight", w->weight[i].factor);
	}
	if (w->takes_auto)
		report_flag(settings, "weights_auto", w->automatic);
}

static void add_setting(struct report *settings, const char *key, const struct cli_option *o)
{
	if (o->type == OPTION_FLAG)
		report_flag(settings, key, *o->target.flag);
	else if (o->type == OPTION_INT || o->type == OPTION_MEGABYTES)
		report_count(settings, key, *o->target.integer);
	else if (o->type == OPTION_SEED)
		report_seed(settings, key, *o->target.seed);
	else if (o->type == OPTION_REAL)
		report_number(settings, key, *o->target.real);
	else if (o->type == OPTION_TEXT && *o->target.text)
		report_text(settings, key, *o->target.text);
	else if (o->type == OPTION_CHOICE)
		report_text(settings, key, o->choices[*o->target.choice]);
	else if (o->type == OPTION_WEIGHT)
		add_weights(settings, key, o->target.weights);
}

struct report *report_settings(struct report *r, const struct cli_option *options)
{
	struct report *settings = report_object(r, "settings");

	for (const struct cli_option *o = options; o->type != OPTION_END; o++) {
		char key[64];

		if (o->type == OPTION_HEADING || !cli_applies(o))
			continue;
		setting_key(o, key, sizeof(key));
		if (*key)
			add_setting(settings, key, o);
	}
	return settings;
}

void report_phases_begin(struct report_phases *p, struct report *r)
{
	*p = (struct report_phases){ .seconds = report_object(r, "seconds_per_phase"),
				     .cpu_seconds = report_object(r, "cpu_seconds_per_phase"),
				     .started = cli_seconds(),
				     .cpu_started = cli_cpu_seconds() };
}

void report_phase_end(struct report_phases *p, const char *name)
{
	double now = cli_seconds(), cpu_now = cli_cpu_seconds();

	report_number(p->seconds, name, now - p->started);
	report_number(p->cpu_seconds, name, cpu_now - p->cpu_started);
	p->started = now;
	p->cpu_started = cpu_now;
}

/* Add the owners of memory to the report. */
static void add_memory(struct report *r)
{
	const struct mem_usage usage = memory_usage();
	struct report *memory = report_object(r, "memory"), *owners;

	report_count(memory, "peak_array_bytes", usage.peak);
	report_count(memory, "peak_file_bytes", usage.files_peak);
	owners = report_array(memory, "at_peak");
	for (int i = 0; i < usage.n_owners && owners; i++) {
		struct report *item = report_item(owners);

		report_text(item, "owner", usage.owner[i].name);
		report_count(item, "bytes", usage.owner[i].at_peak);
	}
}

void report_finish(struct report *r, double started, struct output *output)
{
	struct error err = { 0 };
	char *text;

	if (!r)
		return;
	report_number(r, "seconds", cli_seconds() - started);
	report_count(r, "peak_memory_bytes", cli_peak_memory());
	add_memory(r);
	text = cJSON_Print(item(r));
	cJSON_Delete(item(r));
	if (!text)
		fail_for_memory();
	output_printf(output, &err, "%s\n", text);
	cJSON_free(text);
}
