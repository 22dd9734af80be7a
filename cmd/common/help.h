/*
 * help.h - what --help, a wrong command line, --version and --completion print
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "options.h"

/* cli_note_defaults() - take the present values of the options' targets as the defaults in help */
void cli_note_defaults(const struct cli_program *program);

/* cli_print_help() - print usage, purpose, options and examples on standard output */
void cli_print_help(const struct cli_program *program);

/* cli_takes_file() - is the value of an OPTION_TEXT the name of a file or folder? */
bool cli_takes_file(const struct cli_option *option);

/* cli_usage() - cli_print_help() and exit 1, as svm-train answers a wrong command line */
_Noreturn void cli_usage(const struct cli_program *program);

/* cli_print_version() - print the versions of the program and its libraries on standard output */
void cli_print_version(void);

/*
 * cli_print_completion() - print the completions of a program as a script of 'shell'
 *
 * 'shell' is bash, zsh, fish, or table for the options alone, see help.c; of any other word
 * nothing is printed, and false is returned.  The script needs no other file.  It completes the
 * options of the table, their values by the kind of each, and file names.
 */
bool cli_print_completion(const struct cli_program *program, const char *shell);
