/*
 * completion.c - what shells complete on the command line of a program
 *
 * `PROGRAM --completion=SHELL` prints scripts/completion.SHELL, with the program's name for the word
 * PROGRAM, that name with '_' for '-' for FUNCTION, and the table of its options for OPTIONS; `make`
 * calls it for each program and shell.  `--completion=table` prints the table alone.  A line of it is
 *
 *     NAMES|KIND|VALUE|NOT_WITH|PHRASE     an option: its names; what its value is: none, free, file,
 *                                          folder or words; the value's name, in brackets if it may
 *                                          be left out; options it excludes; the phrase of --help
 *     |WORD|||TEXT                         a word, and what it means, for the option below
 *
 * Words are those of an OPTION_CHOICE, or the items in the help of an OPTION_INT.  NAMES is "first"
 * for the words of which one comes before all options, and "-wCLASS" for weights of classes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "completion_scripts.h"

static const char *kind_of(const struct cli_option *o)
{
	const bool has_words = o->type == OPTION_CHOICE ||
			       (o->type == OPTION_INT && cli_items(o)) ||
			       (o->type == OPTION_WEIGHT && o->target.weights->takes_auto);

	if (o->type == OPTION_FLAG)
		return "none";
	if (o->type == OPTION_TEXT && strcmp(o->metavar, "DIR") == 0)
		return "folder";
	return has_words ? "words" : cli_takes_file(o) ? "file" : "free";
}

/*
 * Print 'length' bytes of a text, with a backslash before those in 'special'; blanks that align
 * columns become one.
 */
static void print_text(const char *text, int length, const char *special)
{
	for (int i = 0; i < length; i++) {
		if (i > 0 && text[i] == ' ' && text[i - 1] == ' ')
			continue;
		if (strchr(special, text[i]))
			putchar('\\');
		putchar(text[i]);
	}
}

/* Print a word, and the text of the item that has its name, if there is one. */
static void print_word(const struct cli_option *o, const char *word, const char *special)
{
	const char *items = cli_items(o);
	const int length = (int)strlen(word);
	struct cli_item item;

	printf("|%s|||", word);
	while (cli_next_item(&items, &item))
		if (item.name_length == length && memcmp(item.name, word, (size_t)length) == 0)
			print_text(item.text, item.text_length, special);
	putchar('\n');
}

static void print_words(const struct cli_option *o, const char *special)
{
	const char *items = o->type == OPTION_INT ? cli_items(o) : NULL;
	struct cli_item item;
	char name[32];

	while (cli_next_item(&items, &item)) {
		snprintf(name, sizeof(name), "%.*s", item.name_length, item.name);
		print_word(o, name, special);
	}
	for (int i = 0; o->type == OPTION_CHOICE && o->choices[i]; i++)
		print_word(o, o->choices[i], special);
	if (o->type == OPTION_WEIGHT && o->target.weights->takes_auto)
		print_word(o, "auto", special);
}

static void print_option(const struct cli_option *o, const char *special)
{
	print_words(o, special);
	if (o->letter)
		printf("-%c%s", o->letter, o->name ? " " : "");
	if (o->name)
		printf("%s%s", o->single_dash ? "-" : "--", o->name);
	printf(o->implied ? "|%s|[%s]|%s|" : "|%s|%s|%s|", kind_of(o), o->metavar ? o->metavar : "",
	       o->not_with ? o->not_with : "");
	print_text(o->help, (int)strcspn(o->help, "\n"), special);
	putchar('\n');
	if (o->type == OPTION_WEIGHT)
		printf("-%cCLASS|free|%s||\n", o->letter, o->metavar);
}

/* Print the table; the characters in 'special' get a backslash. */
static void print_table(const struct cli_program *program, const char *special)
{
	struct cli_option help[2];

	for (int i = 0; program->first_words && program->first_words[i]; i++)
		printf("|%s|||\n", program->first_words[i]);
	if (program->first_words)
		printf("first|words|KIND||\n");
	for (const struct cli_option *o = program->options; o->type != OPTION_END; o++)
		if (o->type != OPTION_HEADING)
			print_option(o, special);
	cli_help_options(program->options, help);
	print_option(&help[0], special);
	print_option(&help[1], special);
}

/* Is it the word that begins at *c, which then moves to its last byte? */
static bool is_word(const char **c, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*c, word, n) != 0)
		return false;
	*c += n - 1;
	return true;
}

bool cli_print_completion(const struct cli_program *program, const char *shell)
{
	static const struct {
		const char *shell, *script;
		const char *special; /* characters that mean something within its quotes */
	} scripts[] = { { "bash", COMPLETION_BASH, "" },
			{ "zsh", COMPLETION_ZSH, "" },
			{ "fish", COMPLETION_FISH, "'\\" },
			{ "table", "OPTIONS\n", "" } };
	int i = 0;

	while (strcmp(scripts[i].shell, shell) != 0)
		if (++i == sizeof(scripts) / sizeof(*scripts))
			return false;
	for (const char *c = scripts[i].script; *c; c++)
		if (is_word(&c, "PROGRAM"))
			printf("%s", program->name);
		else if (is_word(&c, "FUNCTION"))
			for (const char *n = program->name; *n; n++)
				putchar(*n == '-' ? '_' : *n); /* as identifiers are in POSIX */
		else if (is_word(&c, "OPTIONS\n"))
			print_table(program, scripts[i].special);
		else
			putchar(*c);
	return true;
}
