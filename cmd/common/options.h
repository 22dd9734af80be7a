/*
 * options.h - the options of a command line, read as svm-train reads its own
 *
 * Options come first; the first argument that does not begin with '-' (or is "-" alone) ends them,
 * and so does "--", behind which names may begin with '-'.
 * A single-dash option takes the next argument, even if that begins with '-', unless it is to be a
 * file name.  In programs that take svm-train's place such an option is its second character only:
 * `-cost 3` is `-c 3`.  Long options are `--name VALUE` or `--name=VALUE`; some may be written with
 * one dash too, as LIBSVM's grid.py has them: `-log2c VALUE`.
 *
 * A program describes its options once, in a table.  From it come
 *
 *     parsing         the target of the entry, its range or choices     cli_parse()
 *     refusals        wrong values, and options that do not go together     cli_parse()
 *     --help          names, text, and the default: what the target holds before parsing   help.h
 *     completions     names, text, and values by their kind, for shells     help.h
 *     the report      the object "settings"                             report_settings()
 *
 *     static const struct cli_option options[] = {
 *             CLI_HEADING("Projection:"),
 *             CLI_INT('k', "dim", &o.dim, 1, INT32_MAX, "DIM", "features of the rows written"),
 *             CLI_REAL(0, "rank-tol", &o.tol, 0, 1, "TOL", "singular values ... count as 0",
 *                      .otherwise = "rounding alone", .needs = "--epsilon"),
 *             COMMON_QUIET(o.common),
 *             CLI_END
 *     };
 *
 * The macros check the type of each target.  Their last arguments, if any, set further fields.
 * run.h has the options that several programs share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

enum cli_type {
	OPTION_END,
	OPTION_HEADING, /* heading of a group in --help, not an option */
	OPTION_FLAG,	/* option without a value */
	OPTION_INT,
	OPTION_SEED,	  /* seed, 0 to 2^64 - 1 */
	OPTION_REAL,	  /* real number, finite */
	OPTION_MEGABYTES, /* memory in megabytes of 2^20 bytes, or a number with K, M, G or T */
	OPTION_TEXT,
	OPTION_CHOICE, /* choice of one of several words; the word's number is stored */
	OPTION_WEIGHT  /* option -wLABEL FACTOR, as often as there are classes */
};

/* Class weights that -wLABEL FACTOR collects; the caller frees 'weight'. */
struct cli_weights {
	struct class_weight *weight;
	int64_t n, capacity;
	bool takes_auto; /* program accepts `-w auto` */
	bool automatic;	 /* option `-w auto` was given */
};

struct cli_option {
	char letter;	  /* letter of the option; 0: long name only */
	const char *name; /* long name of the option; NULL: letter only */
	enum cli_type type;
	union {
		bool *flag;
		int64_t *integer;
		uint64_t *seed;
		double *real;
		const char **text;
		int *choice;
		struct cli_weights *weights;
	} target; /* variable that holds the default until cli_parse() stores the value */
	/* range of OPTION_INT, OPTION_REAL, OPTION_MEGABYTES; min == max: any value */
	double min, max;
	const char *const *choices; /* words of an OPTION_CHOICE; ended by NULL */
	const char *metavar;	    /* name of the value in --help, such as "DIM" */
	/* description in --help: a phrase; further lines are items, `NAME -- what it is` */
	const char *help;

	/* further fields, NULL or false unless given */
	bool single_dash; /* name is written with one dash: -NAME */
	/* value where the next word is an option or the last word; NULL: a value is needed */
	const char *implied;
	const char *otherwise; /* default in words, where it is chosen at run time; "": none */
	const char *needs;     /* options one of which must be given as well, such as "--list -s" */
	const char *not_with;  /* options none of which may be given as well, such as "-r --fold" */
	/* key in the report's "settings"; NULL: the name with '_' for '-'; see CLI_NO_KEY */
	const char *key;
};

/* Key of an option that changes no result, or that the program reports itself. */
#define CLI_NO_KEY ""

#define CLI_OPTION(letter_, name_, type_, text_, ...)                                   \
	{                                                                               \
		.letter = (letter_), .name = (name_), .type = (type_), .help = (text_), \
		__VA_ARGS__                                                             \
	}

#define CLI_FLAG(letter_, name_, to, phrase, ...) \
	CLI_OPTION(letter_, name_, OPTION_FLAG, phrase, .target.flag = (to), __VA_ARGS__)
#define CLI_INT(letter_, name_, to, least, most, value, phrase, ...)                           \
	CLI_OPTION(letter_, name_, OPTION_INT, phrase, .target.integer = (to), .min = (least), \
		   .max = (most), .metavar = (value), __VA_ARGS__)
#define CLI_SEED(letter_, name_, to, value, phrase, ...)                                         \
	CLI_OPTION(letter_, name_, OPTION_SEED, phrase, .target.seed = (to), .metavar = (value), \
		   __VA_ARGS__)
#define CLI_REAL(letter_, name_, to, least, most, value, phrase, ...)                        \
	CLI_OPTION(letter_, name_, OPTION_REAL, phrase, .target.real = (to), .min = (least), \
		   .max = (most), .metavar = (value), __VA_ARGS__)
#define CLI_MEGABYTES(letter_, name_, to, least, most, value, phrase, ...)           \
	CLI_OPTION(letter_, name_, OPTION_MEGABYTES, phrase, .target.integer = (to), \
		   .min = (least), .max = (most), .metavar = (value), __VA_ARGS__)
#define CLI_TEXT(letter_, name_, to, value, phrase, ...)                                         \
	CLI_OPTION(letter_, name_, OPTION_TEXT, phrase, .target.text = (to), .metavar = (value), \
		   __VA_ARGS__)
#define CLI_CHOICE(letter_, name_, to, words, value, phrase, ...)                \
	CLI_OPTION(letter_, name_, OPTION_CHOICE, phrase, .target.choice = (to), \
		   .choices = (words), .metavar = (value), __VA_ARGS__)
#define CLI_WEIGHT(letter_, to, value, phrase, ...)                              \
	CLI_OPTION(letter_, NULL, OPTION_WEIGHT, phrase, .target.weights = (to), \
		   .metavar = (value), .otherwise = "1", __VA_ARGS__)
#define CLI_HEADING(text)                            \
	{                                            \
		.type = OPTION_HEADING, .help = text \
	}
#define CLI_END                    \
	{                          \
		.type = OPTION_END \
	}

/* Most entries of an option table. */
#define CLI_MAX_OPTIONS 80

/* A task for --help, and the commands that do it, separated by line feeds. */
struct cli_example {
	const char *task, *commands;
};

/* A letter of another program's options, and what a user of that one is to do. */
struct cli_foreign {
	char letter;
	const char *advice;
};

struct cli_program {
	const char *name;
	/* arguments of the command line, "[options] test_file"; a line for each form */
	const char *arguments;
	/* words one of which is the first argument, before all options; ended by NULL; or NULL */
	const char *const *first_words;
	const char *purpose;		    /* purpose of the program, in one or two sentences */
	const struct cli_option *options;   /* table of options; ended by CLI_END */
	const struct cli_example *examples; /* examples for --help; ended by a task that is NULL */
	const struct cli_foreign *foreign;  /* ended by a letter 0; or NULL */
	int min_arguments;		    /* least number of file names on the command line */
	bool like_svm_train;		    /* reads its command line as svm-train does */
	/* strictness of like_svm_train: rules hold even where svm-train errs; or NULL */
	const bool *strict;
	/* file name of an option that is read in place of the data; or NULL */
	const char *const *in_place_of_data;
};

/*
 * cli_parse() - read the options; returns the position of the first positional argument
 *
 * Does not return on --help, --version and --completion=SHELL, or -h and -V where the table has no
 * such letter (exit 0), nor on a wrong command line (exit 1).  An unknown option, a wrong value, an option behind the
 * file names and options that do not go together are answered by one line on standard error; too
 * few arguments, and with like_svm_train a last option without its value, by the usage on standard
 * output, as in svm-train.  A process reads one command line.
 */
int cli_parse(const struct cli_program *program, int argc, char **argv);

/*
 * cli_parse_data() - cli_parse() for `[options] [data_file [output_file]]`
 *
 * A name that is not given stays as it is.  The table has -o, in place of which the second name
 * may be given.  Where *program->in_place_of_data was given, output_file is the only name.
 */
void cli_parse_data(const struct cli_program *program, int argc, char **argv,
		    const char **data_name, const char **output_name);

/* cli_allow_names() - refuse the first of n names after the 'most' that the program takes */
void cli_allow_names(char *const *names, int n, int most);

/*
 * cli_given() - did the command line hold this option?  'word' is "-k" or "--dim"
 *
 * False for an option that the program does not have, so that programs can share checks.
 */
bool cli_given(const char *word);

/* cli_applies() - does the command line have the options that this table entry needs? */
bool cli_applies(const struct cli_option *option);

/* cli_refuse() - cli_fail() with `PROGRAM: TEXT; try 'PROGRAM --help'` */
#define cli_refuse(...) cli_refuse_text(FORMATTED(1024, __VA_ARGS__))
_Noreturn void cli_refuse_text(const char *text);

/*
 * cli_refuse_together() - refuse the first of 'others' that was given
 *
 * `cannot use OPTION and OTHER simultaneously`.  'others' is a list as in .not_with, which serves
 * most such rules; this is for a rule that holds sometimes.
 */
void cli_refuse_together(const char *option, const char *others);

/* An option, and whether it has a meaning in the present run. */
struct cli_fit {
	const char *option;
	bool fits;
};

/*
 * cli_misfit() - the first given option that does not fit; NULL if there is none
 *
 * With its value where that is a word, or one of svm-train's numbers, most of which stand for
 * words: another one may fit.  The text holds until the next call.
 */
const char *cli_misfit(const struct cli_fit *fit, int n);

/* cli_refuse_misfits() - refuse the first given option that does not fit: `is not for WITH` */
void cli_refuse_misfits(const struct cli_fit *fit, int n, const char *with);

/* cli_note_misfits() - a note on each given option that does not fit: `has no effect WHERE` */
void cli_note_misfits(const struct cli_fit *fit, int n, const char *where);
