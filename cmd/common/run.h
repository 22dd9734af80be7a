/*
 * run.h - what the run of every program has: inputs, outputs, report, phases, progress, and its end
 *
 *     cli_run_begin(&run, &program, &settings.common, argv);
 *     cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
 *     ...                                               what the options must not say
 *     cli_run_bound(&run, settings.output_name);
 *     cli_run_reads(&run, settings.data_name);
 *     cli_run_writes(&run, FILE_ROWS, settings.output_name, "output file", FILE_IS_ROWS);
 *     cli_run_open(&run);                               from here on run.report may be added to
 *     ...
 *     cli_run_commit(&run);                             all of the files appear, or none
 *     return cli_run_end(&run);
 *
 * All of these end the program with a message when they fail.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/thread.h"
#include "files.h"
#include "io/rows.h"
#include "options.h"
#include "problem/classes.h"
#include "problem/training.h"
#include "process.h"
#include "report.h"

/*
 * How far the work is, on standard error
 *
 *     struct cli_progress p;
 *
 *     cli_progress_start(&p, "reading", force, quiet);
 *     dataset_read(..., &(struct progress_observer){ cli_progress_bytes, &p }, ...);
 *                                                          "reading: 40%, 210 MB/s, 3 s left"
 *     cli_progress_end(&p);                                the line is wiped
 *
 * On a terminal the line appears after half a second and is rewritten ten times a second.  Where
 * standard error is no terminal nothing is shown unless it is forced; then there is a line of its
 * own after half a second, and another one every five seconds.
 *
 * Work that says nothing for a while, or nothing at all, shows its seconds, as "certifying: 12 s":
 * on a terminal each second, elsewhere every five.  There is one such work at a time.
 */

/* State of a progress display; a zeroed struct shows no progress. */
struct cli_progress {
	bool shown, terminal;
	const char *what; /* name of the work, such as "reading" */
	double started;	  /* time of the start, by cli_seconds() */
	/* times of the last text and of the last line of seconds; 0: none so far */
	double printed, ticked;
	char text[96]; /* text shown last */
};

/*
 * cli_progress_start() - 'force' shows it where standard error is no terminal, 'quiet' nowhere
 *
 * The struct must stay where it is until cli_progress_end().
 */
void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet);

/* cli_progress_bytes() - 'taken' of 'total' bytes (< 0: unknown) are done; 'arg' is the struct */
void cli_progress_bytes(void *arg, int64_t taken, int64_t total);

/* cli_progress_text() - show a text of the caller */
void cli_progress_text(struct cli_progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* cli_progress_pause() - wipe the line before a line of the caller; the next text shows it again */
void cli_progress_pause(struct cli_progress *p);

/* cli_progress_end() - wipe the line of progress */
void cli_progress_end(struct cli_progress *p);

/*
 * A program has a struct common_options in its settings and names in its table, in the group where
 * it belongs, each option it takes:
 *
 *     static struct settings { struct common_options common; ... } o;
 *     ...
 *     COMMON_OUTPUT(&o.output_name, o.common),
 *     COMMON_ROWS(o.common),
 */
struct common_options {
	bool quiet, verbose, progress;
	bool compress; /* compression of the main output */
	/* permission to replace any file; see cli_spare() */
	bool force;
	/* ways of reading rows: refuse doubtful input; accept values that are not finite */
	bool strict, allow_nonfinite;
	/* number of threads, 1 .. THREAD_MAX; cli_run_begin() sets the default */
	int64_t n_threads;
	/* groups of rows that folds keep together: those of a file, or NULL; by qid; read_rows.h */
	const char *groups;
	bool by_qid;
	const char *report; /* name of the report file, or NULL */
	int64_t memory_mb;  /* bound on memory in MB; 0: no bound */
	const char *spill;  /* folder for spilled data, or NULL */
};

/*
 * common_bound_memory() - what --memory and --spill say, for a run that writes 'output' (or NULL)
 *
 * Without --spill files are in the output's folder, or the current one.  Ends the program where the
 * folder is none.
 */
void common_bound_memory(const struct common_options *c, const char *output);

/*
 * common_need_memory() - end the program unless the bound has room for so many more bytes that
 * cannot be in a file; the message names a bound that has
 */
void common_need_memory(int64_t bytes);

/* common_rows_options() - options of reading rows, from the command line; other fields are 0 */
struct rows_options common_rows_options(const struct common_options *c);

/* Loss functions, and their names for --loss: of a model of multipliers, and of a training. */
enum { LOSS_HINGE, LOSS_SQUARED, LOSS_LOGISTIC };
extern const char *const common_loss_names[], *const common_training_loss_names[];

/*
 * common_warn_weights() - a warning for each class of -wi whose label is none of the 'n' in 'label'
 *
 * As in svm-train, a weight for a class that is not there is a slip.
 */
void common_warn_weights(const struct training *t, const int *label, int n);

/* Option -z; the last arguments, if any, set further fields. */
#define COMMON_COMPRESS(c, file, ...)                                                \
	CLI_FLAG('z', NULL, &(c).compress,                                           \
		 "compress " file " with gzip (implied by a name that ends in .gz)", \
		 .key = CLI_NO_KEY, __VA_ARGS__)

/* Options for the main output, which may also be given as the last file name. */
#define COMMON_OUTPUT(to, c)                                                             \
	CLI_TEXT('o', "output", to, "FILE", "name the output_file here instead of last", \
		 .otherwise = "standard output", .key = CLI_NO_KEY),                     \
		COMMON_COMPRESS(c, "output_file")

#define COMMON_FORCE(c)                                                                       \
	CLI_FLAG(0, "force", &(c).force,                                                      \
		 "replace files of other contents, and data that this program did not write", \
		 .key = CLI_NO_KEY)

/* Option for the digits of written rows; 'others' are options with another form or no rows. */
#define COMMON_DIGITS(to, others)                                                \
	CLI_INT(0, "digits", to, 1, 17, "N",                                     \
		"largest number of significant digits of a value in text",       \
		.otherwise = "as many as it takes to read back the same number", \
		.not_with = others)
#define COMMON_BINARY(to, others)                                                              \
	CLI_FLAG(0, "binary", to,                                                              \
		 "write the binary form, which the programs of randsvm read faster than text", \
		 .not_with = others)

/* Two options of every program that reads rows. */
#define COMMON_ROWS(c)                                                            \
	CLI_FLAG(0, "strict", &(c).strict,                                        \
		 "refuse empty lines, comment lines and qid, as svm-train does"), \
		CLI_FLAG(0, "allow-nonfinite", &(c).allow_nonfinite,              \
			 "accept nan and inf in the data, as svm-train does")

#define COMMON_THREADS(c)                                          \
	CLI_INT(0, "threads", &(c).n_threads, 1, THREAD_MAX, "N",  \
		"threads to use; the results do not depend on it", \
		.otherwise = "one for each core")

/* Two options that bound the use of memory. */
#define COMMON_MEMORY(c)                                                                       \
	CLI_MEGABYTES(0, "memory", &(c).memory_mb, 1, INT64_C(1) << 40, "MB",                  \
		      "keep near MB megabytes of memory, or as 500M or 4G say; what does not " \
		      "fit is in files on the disk. The results do not depend on it",          \
		      .otherwise = "no bound"),                                                \
		CLI_TEXT(0, "spill", &(c).spill, "DIR",                                        \
			 "folder for these files, which have no names and are gone with the "  \
			 "program",                                                            \
			 .needs = "--memory", .otherwise = "that of the output")

#define COMMON_REPORT(c)                           \
	CLI_TEXT(0, "report", &(c).report, "FILE", \
		 "write settings, times, memory and results to FILE, in JSON", .key = CLI_NO_KEY)

#define COMMON_QUIET(c)                                                              \
	CLI_FLAG('q', "quiet", &(c).quiet, "quiet mode: no progress and no remarks", \
		 .key = CLI_NO_KEY)

/* Option -q, as svm-train and svm-predict have it. */
#define COMMON_QUIET_SVM(c) \
	CLI_FLAG('q', "quiet", &(c).quiet, "quiet mode (no outputs)", .key = CLI_NO_KEY)

#define COMMON_VERBOSE(c)                                                           \
	CLI_FLAG(0, "verbose", &(c).verbose, "explain decisions on standard error", \
		 .key = CLI_NO_KEY)

#define COMMON_PROGRESS(c)                     \
	CLI_FLAG(0, "progress", &(c).progress, \
		 "show progress even where standard error is not a terminal", .key = CLI_NO_KEY)

/* Groups of running options: of programs with nothing to explain, and of those that explain. */
#define COMMON_RUNNING(c) \
	COMMON_THREADS(c), COMMON_MEMORY(c), COMMON_REPORT(c), COMMON_QUIET(c), COMMON_PROGRESS(c)
#define COMMON_REPORTING(c)                                                                        \
	COMMON_THREADS(c), COMMON_MEMORY(c), COMMON_REPORT(c), COMMON_QUIET(c), COMMON_VERBOSE(c), \
		COMMON_PROGRESS(c)

/* End of the purpose of a program that reads and writes a stream of rows. */
#define COMMON_STREAMS                                                                             \
	"Files may be compressed by gzip; without a name, or with \"-\", rows come from standard " \
	"input and go to standard output."

struct cli_run {
	const struct cli_option *options; /* those of the program, for the report */
	const struct common_options *common;
	bool saves;		  /* messages on files are svm-train's: see struct cli_output */
	double started;		  /* time (cli_seconds()) when the program began */
	struct data_files inputs; /* all files that are read, whatever for */
	struct cli_output file[CLI_MAX_OUTPUTS]; /* files to write; the report is behind them */
	int n_files;
	FILE *info;		  /* stream for lines of results: cli_results_stream() */
	struct cli_passes passes; /* passes over the data */
	struct cli_progress progress;
	struct report *report;	 /* NULL: not wanted */
	struct report *settings; /* its object "settings" */
	/*
	 * Seconds of each phase, in the object `seconds_per_phase`, and the processor time of all
	 * threads, in `cpu_seconds_per_phase`, which other work on the machine changes little; what
	 * both were when the phase began
	 */
	struct report *phase_seconds, *phase_cpu_seconds;
	double phase_started, phase_cpu_started;
};

/*
 * cli_run_begin() - the first call of main(): cli_set_up() and the defaults of common options
 *
 * The run is zeroed but for 'saves' and, where something came before, 'started'.
 */
void cli_run_begin(struct cli_run *run, const struct cli_program *program,
		   struct common_options *common, char *const *argv);

/* cli_run_bound() - common_bound_memory() for a run that writes 'output', and room for buffers */
void cli_run_bound(const struct cli_run *run, const char *output);

/* cli_add_file() - add a name, borrowed, to those of other files */
void cli_add_file(struct data_files *files, const char *name);

/* cli_run_reads() - name the files that the run reads, which no output may replace; NULL: none */
#define cli_run_reads(run, ...)                                      \
	cli_run_read_list(run, (const char *const[]){ __VA_ARGS__ }, \
			  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
void cli_run_read_list(struct cli_run *run, const char *const *name, size_t n);

/*
 * cli_run_writes() - name output number i; NULL: not wanted.  Further fields may be set
 *
 * Number 0 is the main one, which -z compresses.
 */
struct cli_output *cli_run_writes(struct cli_run *run, int i, const char *name, const char *what,
				  enum file_kind kind);

/*
 * cli_run_name() - keep the files apart, with that of --report, and find run->info
 *
 * cli_run_open() does this, opens all outputs, and begins the report.
 */
void cli_run_name(struct cli_run *run);
void cli_run_open(struct cli_run *run);

/* cli_run_report() - open the file of the report, if it is wanted, and add the settings to it */
void cli_run_report(struct cli_run *run);

/* cli_tell() - print a line of results on run->info, but nothing with -q */
#define cli_tell(run, ...) \
	((run)->common->quiet ? (void)0 : (void)fprintf((run)->info, __VA_ARGS__))

/* cli_run_progress() - cli_progress_start() of run->progress by the options */
void cli_run_progress(struct cli_run *run, const char *what);

/* A pass over all rows of a file. */
struct cli_scan {
	const char *name, *what; /* the file, and the work that progress shows */
	bool is_last;		 /* as for cli_open_pass() */
	struct rows_options format;
};

/* cli_run_scan() - rows_scan() with progress, in as many threads as --threads says */
void cli_run_scan(struct cli_run *run, const struct cli_scan *scan,
		  const struct rows_visitor *visitor);

/* cli_tell_passes() - say, with --verbose, that a file is read twice, and what for */
void cli_tell_passes(const struct cli_run *run, const char *name, const char *purpose);

/* A file that is read for each scan of a source of rows (struct row_source). */
struct cli_source {
	struct cli_run *run;
	struct cli_scan scan;
	bool is_unreadable; /* a scan failed for the file's sake, not for its visitor's */
};

/* cli_scan_source() - a row_source's scan(), of a struct cli_source, in as many threads as --threads says */
int cli_scan_source(void *source, const struct rows_visitor *visitor, int n_threads,
		    struct error *err);

/* cli_tell_weights() - print and report the weight of each class, for -w auto */
void cli_tell_weights(struct cli_run *run, const struct training *t, const struct classes *c);

/* cli_run_phases() - begin the first phase of the report */
void cli_run_phases(struct cli_run *run);

/* cli_run_phase() - end the phase, which gets 'name', and begin the next one */
void cli_run_phase(struct cli_run *run, const char *name);

/* cli_run_commit() - finish the report, and make all outputs appear together */
void cli_run_commit(struct cli_run *run);

/* cli_run_end() - release the run; returns the result of cli_finish() */
int cli_run_end(struct cli_run *run);
