/*
 * help.h - what --help, a wrong command line, --version and --completion print
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "options.h"

/* An item in the help of an option, `NAME -- what it is`; its texts are not ended by '\0'. */
struct cli_item {
	const char *name, *text;
	int name_length, text_length; /* lengths in bytes */
};

/* cli_note_defaults() - take the present values of the options' targets as the defaults in help */
void cli_note_defaults(const struct cli_program *program);

/* cli_print_help() - print usage, purpose, options and examples on standard output */
void cli_print_help(const struct cli_program *program);

/*
 * cli_next_item() - the item at *items, which moves on; false at the end, where *items is NULL
 *
 * 'items' is what follows the first line feed in the help of an option, or NULL.
 */
bool cli_next_item(const char **items, struct cli_item *item);

/* cli_items() - the items in the help of an option; NULL: there is none */
const char *cli_items(const struct cli_option *option);

/* cli_takes_file() - is the value of an OPTION_TEXT the name of a file or folder? */
bool cli_takes_file(const struct cli_option *option);

/* cli_help_options() - --help and --version, with a letter each where the table has no such letter */
void cli_help_options(const struct cli_option *options, struct cli_option help[2]);

/* cli_usage() - cli_print_help() and exit 1, as svm-train answers a wrong command line */
_Noreturn void cli_usage(const struct cli_program *program);

/* cli_print_version() - print the versions of the program and its libraries on standard output */
void cli_print_version(void);

/*
 * cli_print_completion() - print the completions of a program as a script of 'shell'
 *
 * 'shell' is bash, zsh, fish, or table for the options alone, see completion.c; of any other word
 * nothing is printed, and false is returned.  The script needs no other file.  It completes the
 * options of the table, their values by the kind of each, and file names.
 */
bool cli_print_completion(const struct cli_program *program, const char *shell);
