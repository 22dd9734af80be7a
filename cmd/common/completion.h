/*
 * completion.h - what shells complete on the command line of a program
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_COMPLETION_H
#define RANDSVM_COMPLETION_H

#include "options.h"

/*
 * cli_print_completion() - print the completions of a program as a script of 'shell'
 *
 * 'shell' is bash, zsh, fish, or table for the options alone, see completion.c; of any other word
 * nothing is printed, and false is returned.  The script needs no other file.  It completes the
 * options of the table, their values by the kind of each, and file names.
 */
bool cli_print_completion(const struct cli_program *program, const char *shell);

#endif
