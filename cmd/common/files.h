/*
 * files.h - the files that a command line names: opened, kept apart, written all or none
 *
 * A program lists what it writes in a table and what it reads by name:
 *
 *     const char *const in[] = { o.data_name, o.model_name };
 *     struct cli_output out[2] = { { o.output_name, "output file" },
 *                                  { o.report, "report file" } };     a name of NULL: not wanted
 *
 *     cli_keep_files_apart(out, 2, in, 2);     no output replaces another file of this run
 *     cli_open_outputs(out, 2);                before the work: a missing folder shows at once
 *     ...
 *     cli_commit_outputs(out, 2);              all of the files appear, or none
 *
 * All of these end the program with a message when they fail.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/input.h"
#include "io/output.h"

/* What a file holds, for messages about files named in the wrong place, and to keep data. */
enum file_kind {
	FILE_IS_OTHER, /* kind: none of the others, or no regular file, or not readable */
	FILE_IS_EMPTY,
	FILE_IS_ROWS,  /* kind: rows of data; the first row has an index:value at least */
	FILE_IS_MODEL, /* kind: a model of LIBSVM or LIBLINEAR */
	FILE_IS_TABLE, /* kind: a table or matrix: CSV, ARFF, NumPy, MatrixMarket; predictions with labels */
	FILE_IS_MAP,	/* kind: a saved projection or selection, columns of a table, ranges */
	FILE_IS_CHAIN,	/* kind: a chain of svm-eval */
	FILE_IS_NAMES,	/* kind: names of features or classes, words */
	FILE_IS_NUMBERS /* kind: numbers between blanks, as a table without names, or a list */
};

/* file_kind() - kind of a file, plain or gzipped, told by its first kilobytes */
enum file_kind file_kind(const char *name);

/* cli_first_line() - the first line that is neither empty nor a comment, by its first byte; or "" */
const char *cli_first_line(const char *text, char comment);

/*
 * cli_are_rows() - does the text begin with rows such as "-1 3:0.5": a number, perhaps a query,
 * digits, a colon?
 *
 * Rows without a feature, which have a label alone, may come first, and so may comments.
 */
bool cli_are_rows(const char *text);

/* cli_is_file() - is 'name' a regular file, which can be read twice? */
bool cli_is_file(const char *name);

/* cli_reads_again() - likewise, or "-" where standard input is one: cli_open_pass() goes back in it */
bool cli_reads_again(const char *name);

struct cli_output {
	const char *name;      /* name on the command line; NULL: file not wanted */
	const char *what;      /* description for messages, such as "report file" */
	bool compress;	       /* compression of the file, whatever its name is */
	enum file_kind kind;   /* kind of the file, as far as it may replace others of its kind */
	bool beside_tables;    /* inputs may be lines of numbers, which are not replaced then */
	bool saved;	       /* messages say `can't save WHAT to file NAME`, as svm-train's do */
	struct output *output; /* output that is open; NULL: not wanted, or not open */
};

/* Most outputs that cli_commit_outputs() takes. */
#define CLI_MAX_OUTPUTS 8

/*
 * cli_keep_files_apart() - refuse outputs that would replace an input or each other
 *
 * Names may be NULL.  Files are the same if they are one file on the disk, or would be: another
 * spelling of a path, a link.  At most one output may be standard output, and at most one input
 * "-".  Devices such as /dev/null may be named more than once.
 */
void cli_keep_files_apart(const struct cli_output *output, int n_outputs, const char *const *input,
			  int n_inputs);

/* cli_same_file() - are two names those of one file, or would be? */
bool cli_same_file(const char *a, const char *b);

/* cli_open_input() - input_open(), or fail with `can't open input file NAME: reason` */
struct input *cli_open_input(const char *name);

/* cli_close_input() - input_close() of what was read as numbers, of which a note tells the first rounded */
void cli_close_input(struct input *input);

/* cli_note_rounded() - that note alone */
void cli_note_rounded(const struct input *input);

/*
 * Data that are read more than once: a file, which must have the same bytes each time; or a pipe,
 * whose bytes are kept in the first pass.  Standard input from a file begins each time where it
 * began the first time.
 *
 *     input = cli_open_pass(&passes, name, is_last);
 *     ...
 *     cli_close_pass(&passes, input);          all of it has been read
 *     ...
 *     byte_buffer_free(&passes.kept);
 */
struct cli_passes {
	int n; /* number of passes that have ended */
	int64_t size;
	uint32_t checksum;
	bool is_pipe; /* its bytes are in 'kept', uncompressed */
	bool copies;  /* what is written are its bytes: no number of them is rounded */
	struct byte_buffer kept;
	double cpu_seconds; /* processor seconds of the passes that have ended */
};

/*
 * cli_open_pass() - cli_open_input(); the bytes of a pass that is the first and the last are not
 * summed
 */
struct input *cli_open_pass(struct cli_passes *passes, const char *name, bool is_last);

/* cli_close_pass() - cli_close_input(), or fail with `NAME: was changed while it was read` */
void cli_close_pass(struct cli_passes *passes, struct input *input);

/*
 * cli_results_stream() - where lines of results go: standard output, unless one of n files goes
 * there
 *
 * Then standard error, so that the file can be read by a program.
 */
FILE *cli_results_stream(const struct cli_output *output, int n);

/* cli_fail_reading() - `can't open WHAT NAME: reason`, or the failure that was met in the file */
_Noreturn void cli_fail_reading(const char *what, const char *name, const struct error *err);

/* cli_fail_model() - end the program where a model cannot be read; says so if the file holds rows of data */
_Noreturn void cli_fail_model(const char *name, const struct error *err);

/*
 * cli_spare() - fail if the output would replace a file that a slip is likely to have named
 *
 * Two data files, as a shell makes them of `part*`, are not a data file and an output.  Without the
 * option --force
 *
 *     rows and tables      are replaced where this program made them, by rows or by a table
 *     names                where this program made them, by what has no kind
 *     a model, a map       by another
 *     a chain              by another, which replaces nothing else
 *     lines of numbers     always, but beside_tables only where this program made it
 *     any other file       always
 */
void cli_spare(const struct cli_output *output, enum output_older older);

/*
 * cli_open_output() - open it, if it is wanted, or fail with `can't open WHAT NAME: reason`
 *
 * Likewise if cli_spare() spares the file that it would replace.
 */
void cli_open_output(struct cli_output *output);

/* cli_open_outputs() - cli_open_output() for each of n outputs */
void cli_open_outputs(struct cli_output *output, int n);

/* cli_commit_outputs() - output_commit_all() of the open outputs, or cli_fail_output() */
void cli_commit_outputs(const struct cli_output *output, int n);

/*
 * cli_written() - returns 'ret', which a function that writes to the output has returned
 *
 * If that failed with ERR_IO and the bare reason in 'err', which held no failure before, 'err' gets
 * `can't write WHAT NAME: reason`; of "-": `can't write standard output: reason`.
 */
int cli_written(const struct cli_output *to, int ret, struct error *err);

/* cli_write() - output_write(), with such failures */
int cli_write(const struct cli_output *to, const void *bytes, int64_t size, struct error *err);

/*
 * cli_flush_output() - output_flush(), with such failures
 *
 * The pause() of a visitor of rows, for the reader of the output: pause_arg is a struct cli_output.
 */
int cli_flush_output(void *output, struct error *err);

/* cli_fail_output() - cli_fail() with such a text for 'reason' */
_Noreturn void cli_fail_output(const struct cli_output *to, const struct error *reason);

/* cli_save() - what write() writes, into the open output, or cli_fail_output(); nothing without a name */
void cli_save(const struct cli_output *to, output_writer *write, const void *what);
