/*
 * options.h - the command line, the way svm-train reads its own
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
#include <stdio.h>

#include "base/error.h"
#include "io/input.h"
#include "io/output.h"

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

/* cli_usage() - print the usage on standard output and exit 1 */
_Noreturn void cli_usage(const struct cli_program *program);

/*
 * cli_set_up() - start of every main(): signals clean up
 *
 * Nobody reading standard output any more ends the program by SIGPIPE; other broken pipes are
 * errors of writing, and so are all where SIGPIPE is ignored from the start.
 */
void cli_set_up(const char *program_name);

/*
 * cli_note_interrupts() - whether the first SIGINT (Ctrl-C) is only noted
 *
 * The second one ends the program even so.  Until this is called, and where SIGINT is ignored,
 * all is as cli_set_up() has left it.
 */
void cli_note_interrupts(bool note);

/* cli_interrupted() - has a SIGINT been noted? */
bool cli_interrupted(void);

/* The exit status after an interrupt that was noted, which is also a shell's for one that killed. */
#define CLI_INTERRUPTED_STATUS 130

/*
 * cli_fail() - flush standard output, print a line on standard error, exit 1
 *
 * One line whatever the bytes: control bytes and what is no UTF-8 become '?', as they may be
 * in file names.
 *
 * (CLI_INTERRUPTED_STATUS after an interrupt that was noted.)
 */
_Noreturn void cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* cli_fail_input() - likewise, for an error met while reading 'file' */
_Noreturn void cli_fail_input(const char *file, const struct error *err);

/* cli_warn() - a line on standard error, after what standard output holds */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * cli_keep_apart() - refuse an output that would replace another file of this run
 *
 * 'file' and 'other' are names or NULL; "-" and what is no regular file are left alone.
 */
void cli_keep_apart(const char *file, const char *other);

/*
 * cli_is_standard_output() - "-", or another name of the file or pipe that standard output is
 *
 * (A device takes what comes from two sides: /dev/null.)
 */
bool cli_is_standard_output(const char *name);

/*
 * cli_keep_all_apart() - the outputs from the inputs, and from each other; n names each, or NULL
 *
 * One output may be standard output, one input "-".
 */
void cli_keep_all_apart(const char *const *output, const char *const *input, int n);

/* cli_is_file() - is 'name' a regular file, which can be read twice? */
bool cli_is_file(const char *name);

/* cli_open_input() - input_open(), or cli_fail() with `can't open input file NAME: reason` */
struct input *cli_open_input(const char *name);

/* cli_open_output() - output_open(), or cli_fail() with `can't open WHAT NAME: reason` */
struct output *cli_open_output(const char *name, bool compress, const char *what);

/* An output and what to call it in `can't write WHAT NAME: reason`. */
struct cli_output {
	struct output *output; /* NULL: none */
	const char *what, *name;
};

/*
 * cli_cannot_write() - set 'err' to that text; returns -1
 *
 * Of "-": `can't write standard output: reason`.
 */
int cli_cannot_write(const char *what, const char *name, const struct error *reason,
		     struct error *err);

/* cli_fail_output() - cli_fail() with that text */
_Noreturn void cli_fail_output(const char *what, const char *name, const struct error *reason);

/* cli_write() - output_write(), with that text on failure */
int cli_write(const struct cli_output *to, const void *bytes, int64_t size, struct error *err);

/* cli_commit_all() - output_commit_all(), or cli_fail() with that text */
void cli_commit_all(const struct cli_output *outputs, int n);

/* The most that cli_commit_all() takes. */
#define CLI_MAX_OUTPUTS 8

/* cli_flush() - fflush(); cli_finish() tells why it failed on standard output */
void cli_flush(FILE *to);

/*
 * cli_finish() - close standard output and check it; returns the exit status
 *
 * 0; 1 where it could not be written; CLI_INTERRUPTED_STATUS after an interrupt that was noted.
 */
int cli_finish(void);

/* cli_seconds() - wall-clock time from some fixed moment */
double cli_seconds(void);

/* cli_peak_memory() - largest resident size of this process so far, in bytes */
int64_t cli_peak_memory(void);

/* cli_memory() - of the machine, or what this process may have if that is less, in bytes */
int64_t cli_memory(void);

/* A progress line on standard error; all zero: shown only on a terminal. */
struct cli_progress {
	bool shown;
	const char *what; /* "reading" */
	double started, printed;
};

/* cli_progress_start() - 'force' shows it even where standard error is no terminal */
void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet);

/* cli_progress_bytes() - 'arg' is a struct cli_progress; total < 0: unknown */
void cli_progress_bytes(void *arg, int64_t taken, int64_t total);

/* cli_progress_text() - show a line of the caller's instead */
void cli_progress_text(struct cli_progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* cli_progress_end() - wipe the line */
void cli_progress_end(struct cli_progress *p);

#endif
