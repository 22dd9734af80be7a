/*
 * options.h - the options of a command line, read as svm-train reads its own
 *
 * Options come first; the first argument that does not begin with '-' (or is "-" alone)
 * ends them.  A single-dash option is its second character only and takes the next argument
 * whatever that is: `-cost 3` is `-c 3`.  Long options are `--name VALUE` or `--name=VALUE`.
 * One table feeds parsing, ranges, defaults and --help.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_OPTIONS_H
#define RANDSVM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_type {
	CLI_HEADING, /* 'help' is a heading in --help */
	CLI_FLAG,    /* bool */
	CLI_INT,     /* int64_t in [min, max] */
	CLI_SEED,    /* uint64_t */
	CLI_REAL,    /* double in [min, max], finite */
	CLI_TEXT,    /* const char * */
	CLI_CHOICE,  /* int: index into 'choices' */
	CLI_WEIGHT   /* struct cli_weights: -wLABEL FACTOR */
};

struct cli_option {
	char letter;	  /* 0: long only */
	const char *name; /* NULL: letter only */
	enum cli_type type;
	void *target; /* holds the default beforehand */
	double min, max;
	const char *metavar;
	const char *help;	    /* lines after the first are indented */
	const char *const *choices; /* NULL-terminated */
	bool *given;		    /* set when the option occurs; may be NULL */
};

#define CLI_GROUP(text)                           \
	{                                         \
		.type = CLI_HEADING, .help = text \
	}
#define CLI_END                     \
	{                           \
		.type = CLI_HEADING \
	}

/* What -wLABEL FACTOR collects; the caller frees 'weight'. */
struct cli_weights {
	struct class_weight *weight;
	int64_t n, capacity;
};

struct cli_program {
	const char *name;
	const char *arguments; /* such as "[options] test_file model_file" */
	const char *purpose;   /* one sentence */
	const char *example;
	const struct cli_option *options;
	int min_arguments;
};

/*
 * cli_parse() - read the options; returns the position of the first positional argument
 *
 * Does not return on --help and --version (exit 0), nor on wrong usage (exit 1): an
 * unknown option is named on standard error; an unknown single-dash
 * option, a last one without its argument, or too few arguments print the usage on standard
 * output, as svm-train does.
 */
int cli_parse(const struct cli_program *program, int argc, char **argv);

/*
 * cli_parse_data() - cli_parse() for `[options] [data_file [output_file]]`
 *
 * The names stay as they are where there are none; without any argument the usage is printed.
 */
void cli_parse_data(const struct cli_program *program, int argc, char **argv,
		    const char **data_name, const char **output_name);

#endif
