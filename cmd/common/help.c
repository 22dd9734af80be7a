/*
 * help.c - what --help, a wrong command line and --version print
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "help.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/input.h"
#include "kernel/kernel_tile.h"
#include "linear/liblinear_adapter.h"
#include "matrix/blas.h"
#include "process.h"
#include "train/libsvm_adapter.h"
#include "version.h"

/* "  -k N, --name N" in 'buffer'. */
static void option_words(const struct cli_option *o, char *buffer, size_t size)
{
	char letter[16] = "", name[80] = "";

	if (o->type == CLI_WEIGHT)
		snprintf(letter, sizeof(letter), "-%ci", o->letter);
	else if (o->letter)
		snprintf(letter, sizeof(letter), "-%c", o->letter);
	if (o->name)
		snprintf(name, sizeof(name), "%s--%s", o->letter ? ", " : "", o->name);
	snprintf(buffer, size, "%s%s%s%s", letter, name, o->metavar ? " " : "",
		 o->metavar ? o->metavar : "");
}

void cli_print_help(const struct cli_program *program)
{
	printf("Usage: %s %s\noptions:\n", program->name, program->arguments);
	for (const struct cli_option *o = program->options; o->help; o++) {
		char words[128];

		if (o->type == CLI_HEADING) {
			printf("%s\n", o->help);
			continue;
		}
		option_words(o, words, sizeof(words));
		printf("%s : %s\n", words, o->help);
	}
	printf("--help : print this\n--version : print the versions of all parts\n");
	printf("%s\nExample: %s\n", program->purpose, program->example);
}

void cli_usage(const struct cli_program *program)
{
	cli_print_help(program);
	fflush(stdout);
	exit(1);
}

void cli_print_version(void)
{
	int libsvm = libsvm_version_number(), liblinear = liblinear_version_number();
	char blas[256];

	blas_version(blas, sizeof(blas));
	printf("%s %s\n", cli_program_name(), RANDSVM_VERSION);
	printf("LIBSVM %d.%02d, LIBLINEAR %d.%02d, zlib %s, BLAS %s\n", libsvm / 100, libsvm % 100,
	       liblinear / 100, liblinear % 100, input_zlib_version(), blas);
	printf("inflating with %s; kernels for %s; %s\n", input_inflater(),
	       kernel_tile_instruction_set(), RANDSVM_COMPILER);
}
