/*
 * options.c - the options of a command line, read as svm-train reads its own
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/mem.h"
#include "help.h"
#include "problem/training.h"
#include "process.h"

_Noreturn static void refuse(const char *option, const char *reason)
{
	cli_fail("%s: %s: %s; try '%s --help'", cli_program_name(), option, reason,
		 cli_program_name());
}

static double parse_real(const char *option, const char *text, const struct cli_option *o)
{
	const char *end = text + strlen(text);
	char reason[128];
	double value;

	if (decimal_parse(text, end, &value) != end || !isfinite(value)) {
		snprintf(reason, sizeof(reason), "expected a number, got '%.40s'", text);
		refuse(option, reason);
	}
	if (o->min < o->max && !(value >= o->min && value <= o->max)) {
		snprintf(reason, sizeof(reason), "%.40s is not between %g and %g", text, o->min,
			 o->max);
		refuse(option, reason);
	}
	return value;
}

static int64_t parse_int(const char *option, const char *text, const struct cli_option *o)
{
	char reason[128], *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno || isspace((unsigned char)*text)) {
		snprintf(reason, sizeof(reason), "expected an integer, got '%.40s'", text);
		refuse(option, reason);
	}
	if (o->min < o->max && ((double)value < o->min || (double)value > o->max)) {
		snprintf(reason, sizeof(reason), "%lld is not between %.0f and %.0f", value, o->min,
			 o->max);
		refuse(option, reason);
	}
	return value;
}

static uint64_t parse_seed(const char *option, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!digits_is(*text) || *end || errno)
		refuse(option, "expected an integer from 0 to 2^64 - 1");
	return value;
}

static int parse_choice(const char *option, const char *text, const struct cli_option *o)
{
	char reason[256] = "expected one of";

	for (int i = 0; o->choices[i]; i++) {
		size_t used = strlen(reason);

		if (strcmp(text, o->choices[i]) == 0)
			return i;
		snprintf(reason + used, sizeof(reason) - used, " %s", o->choices[i]);
	}
	refuse(option, reason);
}

/* `-w1 5`: the label is what follows the letter; svm-train takes nothing there for 0. */
static void add_weight(struct cli_weights *w, const char *option, const char *text,
		       const struct cli_option *o)
{
	const struct cli_option label_range = { .min = INT_MIN, .max = INT_MAX };
	struct error err = { 0 };

	if (mem_grow(&w->weight, &w->capacity, w->n + 1, sizeof(*w->weight), &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	w->weight[w->n].label = option[2] ? (int)parse_int(option, option + 2, &label_range) : 0;
	w->weight[w->n++].factor = parse_real(option, text, o);
}

static void set_option(const struct cli_option *o, const char *option, const char *text)
{
	switch (o->type) {
	case CLI_FLAG:
		*(bool *)o->target = true;
		break;
	case CLI_INT:
		*(int64_t *)o->target = parse_int(option, text, o);
		break;
	case CLI_SEED:
		*(uint64_t *)o->target = parse_seed(option, text);
		break;
	case CLI_REAL:
		*(double *)o->target = parse_real(option, text, o);
		break;
	case CLI_TEXT:
		*(const char **)o->target = text;
		break;
	case CLI_CHOICE:
		*(int *)o->target = parse_choice(option, text, o);
		break;
	case CLI_WEIGHT:
		add_weight(o->target, option, text, o);
		break;
	case CLI_HEADING:
		break;
	}
	if (o->given)
		*o->given = true;
}

static const struct cli_option *find_letter(const struct cli_program *program, char letter)
{
	for (const struct cli_option *o = program->options; o->help; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

static const struct cli_option *find_name(const struct cli_program *program, const char *name,
					  size_t length)
{
	for (const struct cli_option *o = program->options; o->help; o++)
		if (o->name && strlen(o->name) == length && memcmp(o->name, name, length) == 0)
			return o;
	return NULL;
}

/* One `--name[=VALUE]`; returns how many arguments it took. */
static int take_long(const struct cli_program *program, char **argv, int left)
{
	const char *name = argv[0] + 2, *equals = strchr(name, '='), *text = "";
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct cli_option *o = find_name(program, name, length);

	if (!equals && strcmp(name, "help") == 0) {
		cli_print_help(program);
		exit(cli_finish());
	}
	if (!equals && strcmp(name, "version") == 0) {
		cli_print_version();
		exit(cli_finish());
	}
	if (!o)
		cli_fail("Unknown option: %s; try '%s --help'", argv[0], cli_program_name());
	/* cppcheck-suppress nullPointerRedundantCheck ; cli_fail() does not return */
	if (o->type == CLI_FLAG && equals)
		refuse(argv[0], "takes no value");
	if (o->type != CLI_FLAG) {
		if (!equals && left < 2)
			refuse(argv[0], "needs a value");
		text = equals ? equals + 1 : argv[1];
	}
	set_option(o, argv[0], text);
	return o->type == CLI_FLAG || equals ? 1 : 2;
}

/* One single-dash option; returns how many arguments it took. */
static int take_letter(const struct cli_program *program, char **argv, int left)
{
	const struct cli_option *o = find_letter(program, argv[0][1]);

	if (o && o->type == CLI_FLAG) {
		set_option(o, argv[0], "");
		return 1;
	}
	if (left < 2)
		cli_usage(program);
	if (!o) {
		cli_warn("Unknown option: -%c", argv[0][1]);
		cli_usage(program);
	}
	set_option(o, argv[0], argv[1]);
	return 2;
}

int cli_parse(const struct cli_program *program, int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0')
		i += argv[i][1] == '-' && argv[i][2] ? take_long(program, argv + i, argc - i) :
						       take_letter(program, argv + i, argc - i);
	if (argc - i < program->min_arguments)
		cli_usage(program);
	for (int k = i + 1; k < argc; k++)
		if (argv[k][0] == '-' && argv[k][1] == '-' && argv[k][2])
			cli_fail("%s: options go before the file names: '%s'", cli_program_name(),
				 argv[k]);
	return i;
}

void cli_parse_data(const struct cli_program *program, int argc, char **argv,
		    const char **data_name, const char **output_name)
{
	int first = cli_parse(program, argc, argv);

	if (argc == 1)
		cli_usage(program);
	if (first < argc)
		*data_name = argv[first++];
	if (first < argc)
		*output_name = argv[first++];
	if (first < argc)
		cli_fail("%s: one file name too many: '%s'", program->name, argv[first]);
}
