/*
 * help.h - what --help, a wrong command line and --version print
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_HELP_H
#define RANDSVM_HELP_H

#include "options.h"

/* cli_note_defaults() - take the present values of the options' targets as the defaults in help */
void cli_note_defaults(const struct cli_program *program);

/* cli_print_help() - print usage, purpose, options and examples on standard output */
void cli_print_help(const struct cli_program *program);

/* cli_usage() - cli_print_help() and exit 1, as svm-train answers a wrong command line */
_Noreturn void cli_usage(const struct cli_program *program);

/* cli_print_version() - print the versions of the program and its libraries on standard output */
void cli_print_version(void);

#endif
