/*
 * process.h - a program as a process: its messages, signals, end, clock and memory
 *
 *     int main(int argc, char **argv)
 *     {
 *             cli_set_up("rp-project", argv, NULL);     signals remove unfinished files
 *             ...                           cli_fail() on the first error
 *             return cli_finish();          a full disk behind standard output is an error too
 *     }
 *
 * Messages go to standard error, one line each; results go to standard output, which is flushed
 * before each message, so that both appear in order where they are the same terminal or file.
 * The state is that of the process: call these functions from the main thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/mem_bound.h"

/*
 * cli_set_up() - the first call of every main(): the program's name, signals, standard streams
 *
 * 'argv' is that of main(), which ends with NULL; it and 'is_quiet', which may be NULL, are borrowed.
 *
 * Signals that end the process first remove its unfinished output files.  A reader of standard
 * output that goes away (`| head`) ends the program by SIGPIPE; any other broken pipe is an error
 * of the write, and so is every broken pipe where SIGPIPE is ignored from the start.
 */
void cli_set_up(const char *program_name, char *const *argv, const bool *is_quiet);

/*
 * cli_set_up_blas() - what OpenBLAS reads from the environment when it is loaded: no threads
 * (matrix/blas.h), and for which processor its kernels are, which the user's own choice goes before
 *
 * Part of cli_set_up(); for a process without it that is to compute the same bits.
 */
void cli_set_up_blas(void);

/* cli_program_name(), cli_arguments() - the name and the words given to cli_set_up() */
const char *cli_program_name(void);
char *const *cli_arguments(void);

/*
 * cli_note_interrupts() - true: the next SIGINT (Ctrl-C) is noted and does not end the program
 *
 * A second SIGINT ends it nevertheless.  Without this call, after cli_note_interrupts(false), and
 * where SIGINT is ignored from the start, SIGINT does what cli_set_up() arranged.
 */
void cli_note_interrupts(bool note);

/* cli_interrupted() - has a SIGINT been noted? */
bool cli_interrupted(void);

/*
 * cli_answer_interrupt() - the noted SIGINT has been answered: cli_interrupted() is false from now
 *
 * The program still ends as after a noted interrupt, and a second SIGINT ends it at once.
 */
void cli_answer_interrupt(void);

/* Exit status after a noted interrupt: 128 + SIGINT, as shells report a killed program. */
#define CLI_INTERRUPTED_STATUS 130

/*
 * cli_fail() - flush standard output, print a line on standard error, remove unfinished files, exit
 *
 * The message is `PROGRAM: TEXT`; but a line that svm-train or svm-predict prints stands without the
 * program's name in the program that takes its place.  It is one line whatever bytes its arguments
 * (such as file names) hold: control bytes and bytes that are not UTF-8 become '?'.  The exit status
 * is 1, or CLI_INTERRUPTED_STATUS after a noted interrupt.
 */
_Noreturn void cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* cli_check() - end the program with cli_error() of the error if 'ret', what a call returned, is below 0 */
void cli_check(int64_t ret, const struct error *err);

/* cli_zeroed() - mem_zeroed(), or the end of the program */
#define cli_zeroed(n, size) cli_zeroed_for(__FILE__, n, size)
void *cli_zeroed_for(const char *owner, int64_t n, size_t size);

/* cli_error() - the text of an error, and which option would help; until the next call */
const char *cli_error(const struct error *err);

/* cli_fail_input() - cli_fail() for an error met while reading 'file' */
_Noreturn void cli_fail_input(const char *file, const struct error *err);

/*
 * cli_warn() - flush standard output and print a line on standard error, as cli_fail() does
 *
 * A text that begins with "warning:" says that a result is wrong, or no better than chance, or
 * likely to be: -q does not silence it.
 */
#define cli_warn(...) cli_say("", __VA_ARGS__)

/* cli_begins_with() - does the text begin with 'start'? */
bool cli_begins_with(const char *text, const char *start);

/* cli_note() - cli_warn() with `PROGRAM: note: TEXT`, for a likely slip */
#define cli_note(...) cli_say("note: ", __VA_ARGS__)

/* cli_say() - the line of these two; 'kind' stands before the text */
void cli_say(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* cli_remark() - cli_note(), but nothing where '*is_quiet' of cli_set_up() is set, by -q */
#define cli_remark(...) (cli_is_quiet() ? (void)0 : cli_note(__VA_ARGS__))
bool cli_is_quiet(void);

/*
 * cli_ignore_end() - the outputs are there: from here on SIGTERM, SIGHUP and signals of time limits
 * do not end the program, whose exit status is to tell
 */
void cli_ignore_end(void);

/* cli_flush() - fflush(); cli_finish() reports the first failure on standard output */
void cli_flush(FILE *to);

/*
 * cli_finish() - close standard output and check it; returns the exit status of main()
 *
 * 0; 1 where standard output could not be written; CLI_INTERRUPTED_STATUS after a noted interrupt.
 */
int cli_finish(void);

/*
 * cli_at_end() - call 'end' with the exit status once, before the program ends by cli_fail(),
 * cli_finish(), cli_usage() or an interrupt that was noted
 */
void cli_at_end(void (*end)(int status));

/* cli_call_end() - call the function set for the end, if the caller itself ends the program */
void cli_call_end(int status);

/* cli_seconds() - wall-clock seconds since some fixed moment */
double cli_seconds(void);

/* cli_cpu_seconds() - processor time of this process so far, of all its threads, in seconds */
double cli_cpu_seconds(void);

/* cli_peak_memory() - largest resident size of this process so far, in bytes */
int64_t cli_peak_memory(void);

/* memory_tell() - print on standard error the most memory so far, and its largest owners */
void memory_tell(void);

/* memory_usage() - result of mem_usage(), with the largest owners first */
struct mem_usage memory_usage(void);

/*
 * memory_give_back() - give freed blocks of 'size' bytes back to the system, and others where they are
 * 'total' bytes at the end of the heap
 */
void memory_give_back(int size, int total);
