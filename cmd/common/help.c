/*
 * help.c - what --help, a wrong command line and --version print
 *
 *     Usage: rp-project [options] [data_file [output_file]]
 *
 *     Multiplies each row by a random matrix, ...
 *
 *     Projection:
 *       -k, --dim DIM             features of the rows written
 *       --tau T                   distance of the plane from the origin (needs --plane;
 *     |       |                   default 0)
 *     |       NAME -- a value     |
 *     |       |                   |
 *     0       ITEM                DESCRIPTION                      no line goes beyond WIDTH
 *
 * Text is broken at blanks.  The default of an option is what its target held when
 * cli_note_defaults() was called, which is before the first option is read: --help after `-c 3`
 * still shows the default of -c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "help.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/instruction_set.h"
#include "base/text_append.h"
#include "io/gzip.h"
#include "linear/liblinear_adapter.h"
#include "matrix/blas.h"
#include "process.h"
#include "train/libsvm_adapter.h"
#include "version.h"

enum {
	WIDTH = 80,	  /* width of a line, at most, in columns */
	DESCRIPTION = 28, /* column of descriptions; " -b probability_estimates" fits before it */
	ITEM = 8,	  /* column of the values that a description lists */
	TEXT_SIZE = 1024  /* bytes of a text: more than any description */
};

/* Default values as text, by position of the option in the table; "": no default to show. */
static char defaults[CLI_MAX_OPTIONS][128];

/* ---- defaults ---- */

/* Is the number within the option's range?  A number outside the range means "not given". */
static bool in_range(const struct cli_option *o, double value)
{
	return !(o->min < o->max) || (value >= o->min && value <= o->max);
}

static void note_default(const struct cli_option *o, char text[sizeof(defaults[0])])
{
	size_t size = sizeof(defaults[0]);

	if (o->otherwise)
		snprintf(text, size, "%s", o->otherwise);
	else if (o->type == OPTION_INT && in_range(o, (double)*o->target.integer))
		snprintf(text, size, "%" PRId64, *o->target.integer);
	else if (o->type == OPTION_SEED)
		snprintf(text, size, "%" PRIu64, *o->target.seed);
	else if (o->type == OPTION_REAL && in_range(o, *o->target.real))
		snprintf(text, size, "%g", *o->target.real);
	else if (o->type == OPTION_CHOICE)
		snprintf(text, size, "%s", o->choices[*o->target.choice]);
}

void cli_note_defaults(const struct cli_program *program)
{
	for (int i = 0; program->options[i].type != OPTION_END; i++) {
		assert(i < CLI_MAX_OPTIONS);
		note_default(&program->options[i], defaults[i]);
	}
}

/* ---- help ---- */

/* Write the names of an option, such as "-k, --dim DIM", into 'words'. */
static void option_words(const struct cli_option *o, char *words, size_t size)
{
	char letter[4] = "", name[64] = "";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c%s", o->letter,
			 o->type == OPTION_WEIGHT ? "i" : "");
	if (o->name)
		snprintf(name, sizeof(name), "%s%s%s", o->letter ? ", " : "",
			 o->single_dash ? "-" : "--", o->name);
	snprintf(words, size, "%s%s%s%s", letter, name, o->metavar ? " " : "",
		 o->metavar ? o->metavar : "");
}

/* Bytes of 'text' that fit into 'room' columns as one line; a longer word is not broken. */
static size_t line_length(const char *text, size_t room)
{
	size_t n = room;

	if (strlen(text) <= room)
		return strlen(text);
	while (n > 0 && text[n] != ' ')
		n--;
	return n > 0 ? n : strcspn(text, " ");
}

/* Print 'text' from column 'column' on; further lines are indented by 'indent'. */
static void print_wrapped(const char *text, int column, int indent)
{
	for (;;) {
		size_t n = line_length(text, (size_t)(WIDTH - column));

		printf("%.*s\n", (int)n, text);
		text += n + strspn(text + n, " ");
		if (!*text)
			return;
		printf("%*s", indent, "");
		column = indent;
	}
}

const char *cli_items(const struct cli_option *option)
{
	const char *end = strchr(option->help, '\n');

	return end ? end + 1 : NULL;
}

bool cli_next_item(const char **items, struct cli_item *item)
{
	const char *dashes, *end;

	if (!*items)
		return false;
	dashes = strstr(*items, " -- ");
	end = strchrnul(dashes, '\n');
	*item = (struct cli_item){ *items, dashes + 4, (int)(dashes - *items),
				   (int)(end - dashes) - 4 };
	*items = *end ? end + 1 : NULL;
	return true;
}

/* Length of the longest name of items. */
static int longest_name(const char *items)
{
	struct cli_item item;
	int longest = 0;

	while (cli_next_item(&items, &item))
		if (item.name_length > longest)
			longest = item.name_length;
	return longest;
}

/* Print items from column ITEM on, with the texts behind the dashes aligned. */
static void print_items(const char *items)
{
	const int longest = longest_name(items);
	struct cli_item item;

	while (cli_next_item(&items, &item)) {
		int column =
			printf("%*s%-*.*s -- ", ITEM, "", longest, item.name_length, item.name);
		char line[TEXT_SIZE];

		snprintf(line, sizeof(line), "%.*s", item.text_length, item.text);
		print_wrapped(line, column, column);
	}
}

/* Describe an option: the phrase, then in parentheses the options it needs and its default. */
static void describe(const struct cli_option *o, const char *value, char text[TEXT_SIZE])
{
	/* needs of one option are printed; where one of several is needed, the phrase tells */
	const char *needs = o->needs && !strchr(o->needs, ' ') ? o->needs : "";

	snprintf(text, TEXT_SIZE, "%.*s", (int)strcspn(o->help, "\n"), o->help);
	if (!*needs && !*value)
		return;
	text_append(text, TEXT_SIZE, " (%s%s%s%s%s)", *needs ? "needs " : "", needs,
		    *needs && *value ? "; " : "",
		    !*value	       ? "" :
		    strchr(value, ' ') ? "default: " :
					 "default ",
		    value);
}

static void print_option(const char *words, const char *description)
{
	int column = printf("  %s", words);

	if (column + 2 > DESCRIPTION) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", DESCRIPTION - column, "");
	print_wrapped(description, DESCRIPTION, DESCRIPTION);
}

/* Lists such as "BEGIN,END,STEP" and shares such as "I/N" are no names. */
bool cli_takes_file(const struct cli_option *option)
{
	return option->type == OPTION_TEXT && !strpbrk(option->metavar, ",/");
}

void cli_help_options(const struct cli_option *options, struct cli_option help[2])
{
	const struct cli_option all[] = {
		CLI_FLAG('h', "help", NULL, "print this"),
		CLI_FLAG('V', "version", NULL, "print the versions of all parts"),
	};

	for (int i = 0; i < 2; i++) {
		help[i] = all[i];
		for (const struct cli_option *o = options; o->type != OPTION_END; o++)
			if (o->letter == all[i].letter)
				help[i].letter = 0;
	}
}

static void print_options(const struct cli_option *options)
{
	struct cli_option help[2];
	char words[128];

	for (const struct cli_option *o = options; o->type != OPTION_END; o++) {
		char text[TEXT_SIZE];

		if (o->type == OPTION_HEADING) {
			printf("\n%s\n", o->help);
			continue;
		}
		option_words(o, words, sizeof(words));
		describe(o, defaults[o - options], text);
		print_option(words, text);
		print_items(cli_items(o));
	}
	printf("\nHelp:\n");
	cli_help_options(options, help);
	for (int i = 0; i < 2; i++) {
		option_words(&help[i], words, sizeof(words));
		print_option(words, help[i].help);
	}
}

/* Print every form of the command line, beginning with the program's name. */
static void print_usage(const struct cli_program *program)
{
	const char *first = "Usage:";

	for (const char *form = program->arguments, *end; form; form = *end ? end + 1 : NULL) {
		end = strchrnul(form, '\n');
		printf("%s %s %.*s\n", first, program->name, (int)(end - form), form);
		first = "      ";
	}
}

/* Print each task and its commands, each on a line of its own, so that they can be copied. */
static void print_examples(const struct cli_example *examples)
{
	printf("\nExamples:\n");
	for (const struct cli_example *e = examples; e->task; e++) {
		printf("  %s:\n", e->task);
		for (const char *c = e->commands, *end; c; c = *end ? end + 1 : NULL) {
			end = strchrnul(c, '\n');
			printf("    %.*s\n", (int)(end - c), c);
		}
	}
}

void cli_print_help(const struct cli_program *program)
{
	print_usage(program);
	putchar('\n');
	print_wrapped(program->purpose, 0, 0);
	print_options(program->options);
	print_examples(program->examples);
}

void cli_usage(const struct cli_program *program)
{
	cli_print_help(program);
	fflush(stdout);
	cli_call_end(1);
	exit(1);
}

/* The version of a library whose numbers count hundreds; "none" where the library is missing. */
static void name_version(char text[TEXT_SIZE], int (*version_of)(int *, struct error *))
{
	struct error err = { 0 };
	int version;

	snprintf(text, TEXT_SIZE, "none");
	if (version_of(&version, &err) == 0)
		snprintf(text, TEXT_SIZE, "%d.%02d", version / 100, version % 100);
}

void cli_print_version(void)
{
	char libsvm[TEXT_SIZE], liblinear[TEXT_SIZE], blas[256];

	name_version(libsvm, libsvm_version_number);
	name_version(liblinear, liblinear_version_number);
	if (blas_version(blas, sizeof(blas), &(struct error){ 0 }) < 0)
		strcpy(blas, "none");
	printf("%s %s\n", cli_program_name(), RANDSVM_VERSION);
	printf("LIBSVM %s, LIBLINEAR %s, zlib %s, BLAS %s\n", libsvm, liblinear,
	       deflater_zlib_version(), blas);
	printf("inflating with %s; kernels for %s; %s\n", inflater_version(),
	       instruction_set_name(instruction_set_best()), RANDSVM_COMPILER);
}
