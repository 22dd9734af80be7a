/*
 * report.c - the JSON reports of --report
 *
 * The object (io/report_tree.h) is built in memory and written at the end, so a report is whole or
 * missing.  Every function accepts NULL for it, so a program reports unconditionally whether --report
 * was given or not.  Memory that runs out ends the program: no caller could do better.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "report.h"

#include "problem/training.h"
#include "process.h"
#include "version.h"

#define SCHEMA_VERSION 1

/* That of the report of the run. */
static struct error failed;

/* Memory that ran out ends the program. */
static void check_memory(int ret)
{
	if (ret < 0)
		cli_fail("out of memory while making a report");
}

struct report *report_file(struct report *r, const char *key, const char *file,
			   const struct rows_checksum *rows)
{
	struct report *data = report_object(r, key);

	report_text(data, "file", file);
	if (!rows)
		return data;
	report_count(data, "rows", rows->n_rows);
	report_count(data, "entries", rows->n_entries);
	report_count(data, "max_index", rows->max_index);
	report_count(data, "crc32", rows_checksum_crc32(rows));
	return data;
}

void report_map_checksum(struct report *r, output_writer *save, const void *map)
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

struct report *report_new(const char *tool)
{
	struct report *r = report_root(&failed), *words;

	check_memory(r ? 0 : -1);
	report_count(r, "schema_version", SCHEMA_VERSION);
	report_text(r, "tool", tool);
	report_text(r, "version", RANDSVM_VERSION);
	words = report_array(r, "argv");
	for (char *const *word = cli_arguments(); *word; word++)
		report_text(words, NULL, *word);
	return r;
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
		snprintf(key, sizeof(key), "%s", o->key ? o->key : o->name);
		/* "max_iter" for --max-iter */
		for (char *c = key; *c && !o->key; c++)
			*c = *c == '-' ? '_' : *c;
		if (*key)
			add_setting(settings, key, o);
	}
	return settings;
}

int report_say(struct report *line, struct error *err)
{
	struct byte_buffer text = { 0 };
	struct output *to;

	if (report_end(line, false, &text) < 0 || output_open(&to, "/dev/stderr", false, err) < 0)
		return -1;
	output_write(to, text.bytes, text.size, err);
	byte_buffer_free(&text);
	return output_commit(to, err);
}

void report_finish(struct report *r, double started, struct output *output)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };
	struct report *memory, *owners;
	struct mem_usage usage;

	if (!r)
		return;
	report_number(r, "seconds", cli_seconds() - started);
	report_count(r, "peak_memory_bytes", cli_peak_memory());
	usage = memory_usage();
	memory = report_object(r, "memory");
	report_count(memory, "peak_array_bytes", usage.peak);
	report_count(memory, "peak_file_bytes", usage.files_peak);
	owners = report_array(memory, "at_peak");
	for (int i = 0; i < usage.n_owners; i++) {
		struct report *item = report_item(owners);

		report_text(item, "owner", usage.owner[i].name);
		report_count(item, "bytes", usage.owner[i].at_peak);
	}
	check_memory(report_end(r, true, &text));
	output_write(output, text.bytes, text.size, &err);
	byte_buffer_free(&text);
}
