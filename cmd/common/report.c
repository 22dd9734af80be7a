/*
 * report.c - the JSON reports of --report
 *
 * The object is built in memory and written at the end, so a report is whole or missing: a tree whose
 * leaves are texts as they are written, so that 64-bit counts keep all digits and doubles have the
 * shortest form that reads back.  JSON has no infinity and no NaN: they become null.
 *
 *     {"tool": "svm-eval", "argv": ["a", "b"]}        { first -> "tool" value
 *                                                             -> "argv" [ first -> value -> value
 *
 * Every function accepts NULL for the object, so a program reports unconditionally whether --report
 * was given or not.  Memory that runs out ends the program: no caller could do better.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "report.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "problem/training.h"
#include "process.h"
#include "version.h"

#define SCHEMA_VERSION 1

/* An object, an array or a value, in the list of those in the same object or array. */
struct report {
	struct report *next;
	char open;		     /* '{', '['; '\0': a value */
	struct report *first, **end; /* what is in it, and where the next one goes */
	char *key;		     /* quoted; NULL in an array */
	char *value;		     /* as it is written; NULL: not a value */
};

/* Memory of a report, or the end. */
static void *take(int64_t size)
{
	struct error err = { 0 };
	void *p = mem_zeroed(size, 1, &err);

	if (!p)
		cli_fail("out of memory while making a report");
	return p;
}

/* The text as a string of JSON, to be freed: bytes that are not UTF-8 become U+FFFD. */
static char *quote(const char *text)
{
	static const char letters[] = "\b\t\n\f\r\"\\", escapes[] = "btnfr\"\\";
	size_t left = strlen(text);
	char *quoted = take(6 * (int64_t)left + 3), *to = quoted;

	*to++ = '"';
	while (left > 0) {
		const size_t n = utf8_length(text, left);
		const char *letter = strchr(letters, *text);

		if (letter)
			to += sprintf(to, "\\%c", escapes[letter - letters]);
		else if ((unsigned char)*text < ' ')
			to += sprintf(to, "\\u%04x", (unsigned)*text);
		else
			to += sprintf(to, "%.*s", n ? (int)n : 3, n ? text : "\xef\xbf\xbd");
		text += n ? n : 1;
		left -= n ? n : 1;
	}
	*to = '"';
	return quoted;
}

/* A new object, array or value at the end of 'parent', or of none; 'value' is the report's then. */
static struct report *add(struct report *parent, const char *key, char open, char *value)
{
	struct report *r = take(sizeof(*r));

	*r = (struct report){ .open = open, .end = &r->first, .value = value };
	r->key = key ? quote(key) : NULL;
	if (parent) {
		*parent->end = r;
		parent->end = &r->next;
	}
	return r;
}

struct report *report_object(struct report *parent, const char *key)
{
	return parent ? add(parent, key, '{', NULL) : NULL;
}

struct report *report_array(struct report *parent, const char *key)
{
	return parent ? add(parent, key, '[', NULL) : NULL;
}

struct report *report_item(struct report *array)
{
	return report_object(array, NULL);
}

static void add_digits(struct report *r, const char *key, const char *digits)
{
	if (r)
		add(r, key, '\0', strcpy(take((int64_t)strlen(digits) + 1), digits));
}

void report_number(struct report *r, const char *key, double value)
{
	add_digits(r, key, isfinite(value) ? DECIMAL_TEXT(value) : "null");
}

void report_count(struct report *r, const char *key, int64_t value)
{
	add_digits(r, key, FORMATTED(24, "%" PRId64, value));
}

/* As one value: one for each number takes 100 bytes. */
void report_numbers(struct report *array, const double *value, int64_t n)
{
	char *text, *end;

	if (!array)
		return;
	text = end = take(n * (DECIMAL_SHORTEST_SIZE + 2) + 3);
	*end++ = '[';
	for (int64_t k = 0; k < n; k++) {
		if (k > 0)
			end = stpcpy(end, ", ");
		end += decimal_shortest(value[k], end);
	}
	/* behind the last number may be digits that were left out */
	strcpy(end, "]");
	add(array, NULL, '\0', text);
}

void report_seed(struct report *r, const char *key, uint64_t value)
{
	add_digits(r, key, FORMATTED(24, "%" PRIu64, value));
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

void report_text(struct report *r, const char *key, const char *value)
{
	if (r)
		add(r, key, '\0', quote(value));
}

struct report *report_new(const char *tool)
{
	struct report *r = add(NULL, NULL, '{', NULL), *words;

	if (!tool)
		return r;
	report_count(r, "schema_version", SCHEMA_VERSION);
	report_text(r, "tool", tool);
	report_text(r, "version", RANDSVM_VERSION);
	words = report_array(r, "argv");
	for (char *const *word = cli_arguments(); *word; word++)
		report_text(words, NULL, *word);
	return r;
}

void report_flag(struct report *r, const char *key, int value)
{
	add_digits(r, key, value ? "true" : "false");
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

static void begin_line(int depth, struct output *to, struct error *err)
{
	for (int i = 0; i < depth; i++)
		output_write(to, "\t", 1, err);
}

/* What an object has stands on lines of its own, unless 'depth' is below 0; what an array has on one. */
static void write_value(const struct report *r, int depth, struct output *to, struct error *err)
{
	const bool on_lines = r->open == '{' && depth >= 0;

	if (r->value) {
		output_write(to, r->value, (int64_t)strlen(r->value), err);
		return;
	}
	output_printf(to, err, on_lines ? "{\n" : "%c", r->open);
	for (const struct report *e = r->first; e; e = e->next) {
		begin_line(on_lines ? depth + 1 : 0, to, err);
		if (e->key)
			output_printf(to, err, on_lines ? "%s:\t" : "%s: ", e->key);
		write_value(e, depth < 0 ? depth : depth + 1, to, err);
		output_printf(to, err, "%s%s", e->next ? "," : "",
			      on_lines ? "\n" :
			      e->next  ? " " :
					 "");
	}
	begin_line(on_lines ? depth : 0, to, err);
	output_write(to, r->open == '{' ? "}" : "]", 1, err);
}

static void release(struct report *r)
{
	while (r) {
		struct report *next = r->next;

		release(r->first);
		mem_free_all(r->key, r->value, r);
		r = next;
	}
}

int report_say(struct report *line, struct error *err)
{
	struct output *to;

	if (output_open(&to, "/dev/stderr", false, err) < 0)
		return -1;
	write_value(line, -1, to, err);
	output_write(to, "\n", 1, err);
	release(line);
	return output_commit(to, err);
}

void report_finish(struct report *r, double started, struct output *output)
{
	struct error err = { 0 };

	if (!r)
		return;
	report_number(r, "seconds", cli_seconds() - started);
	report_count(r, "peak_memory_bytes", cli_peak_memory());
	add_memory(r);
	write_value(r, 0, output, &err);
	output_write(output, "\n", 1, &err);
	release(r);
}
