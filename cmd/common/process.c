/*
 * process.c - a program as a process: its messages, signals, end, clock and memory
 *
 * A program ends in one of four ways, and in each its unfinished output files disappear:
 *
 *     cli_finish()    main() returns; standard output is closed, because only fclose() shows that a
 *                     full disk or a closed pipe swallowed what stdio still held
 *     cli_fail()      a message, exit status 1
 *     a signal        remove_files_and_die() unlinks the files and raises the signal again, so that
 *                     the shell sees which one it was; end_by_fault() does what cli_fail() does for
 *                     a fault of known reason, such as a library that found no memory
 *     SIGPIPE         the same, but only if the broken pipe is standard output (`| head`): of
 *                     another pipe the failing write() tells, with its own message
 *
 * Ctrl-C can be noted instead (cli_note_interrupts()), where the library asks regularly whether
 * to stop: the program then ends by that signal when its files are written.  Handlers do only
 * what POSIX allows in them: output_remove_pending() calls unlink() on names noted beforehand.
 *
 * Before anything else cli_set_up() takes care of what would make a program fail in odd ways:
 * standard streams that are closed (the first file opened would become one of them), and a stack
 * that cannot grow (a crash without a message).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "process.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/instruction_set.h"
#include "base/order.h"
#include "base/shared_library.h"
#include "io/output.h"

enum {
	STACK_BYTES = 256 << 10, /* stack bytes of a thread: programs need up to 160 KB */
	/* stack bytes to spare: PATH_MAX for the program's name, and function frames */
	STACK_SPARE = 8 << 10,
	FAULT_STACK_BYTES = 64 << 10,
};

static const char *program_name;
static char *const *arguments;
static const bool *quiet; /* see cli_remark(); or NULL */
static volatile sig_atomic_t interrupted;
static bool interrupt_answered;
static void (*at_end)(int status);
static int flush_failure; /* errno of the first cli_flush() of standard output that failed */
/* text to print when the stack is full; "" where the limit of the stack is no small one */
static char small_stack[40];

const char *cli_program_name(void)
{
	return program_name;
}

char *const *cli_arguments(void)
{
	return arguments;
}

void cli_at_end(void (*end)(int status))
{
	at_end = end;
}

void cli_call_end(int status)
{
	void (*end)(int status) = at_end;

	at_end = NULL;
	if (end)
		end(status);
}

void cli_flush(FILE *to)
{
	if (fflush(to) != 0 && to == stdout && flush_failure == 0)
		flush_failure = errno;
}

/* Longest message: two file names of PATH_MAX bytes, and room for the text and the reason. */
#define LINE_SIZE (4 * PATH_MAX)

/* ---- messages ---- */

/*
 * Beginnings of lines that svm-train or svm-predict print on standard error, where scripts may look
 * for them: the programs that take their places do not put their own names before these.
 */
static const struct {
	const char *program, *text;
} inherited_lines[] = {
	{ "randsvm-train", "can't open input file " },
	{ "randsvm-train", "can't save model to file " },
	{ "randsvm-train", "Wrong input format" },
	{ "randsvm-train", "ERROR: " },
	{ "randsvm-train", "WARNING: " },
	{ "svm-eval", "can't open input file " },
	{ "svm-eval", "can't open model file " },
	{ "svm-eval", "can't open output file " },
	{ "svm-eval", "Wrong input format" },
	{ "svm-eval", "Model does not support probabiliy estimates" },
	{ "svm-eval", "probability output is only supported" },
};

bool cli_begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_inherited(const char *text)
{
	for (int i = 0; i < N_ELEMENTS(inherited_lines); i++)
		if (cli_begins_with(program_name, inherited_lines[i].program) &&
		    cli_begins_with(text, inherited_lines[i].text))
			return true;
	return false;
}

static void print_line(const char *kind, const char *format, va_list args)
{
	char text[LINE_SIZE + 1], line[LINE_SIZE];
	bool plain;

	cli_flush(stdout);
	vsnprintf(text, sizeof(text), format, args);
	error_quote(line, sizeof(line), text, strlen(text));
	plain = !*kind && is_inherited(line);
	fprintf(stderr, "%s%s%s%s\n", plain ? "" : program_name, plain ? "" : ": ", kind, line);
}

/*
 * After Ctrl-C the program ends by that signal, late: a shell stops its loop only where the program
 * that it waits for has died so, and an exit status would let it go on with the next one.
 */
static void end_by_interrupt(void)
{
	if (!interrupted)
		return;
	cli_call_end(CLI_INTERRUPTED_STATUS);
	signal(SIGINT, SIG_DFL);
	raise(SIGINT);
	_exit(CLI_INTERRUPTED_STATUS); /* exit status for a process whose signal is blocked */
}

void cli_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("", format, args);
	va_end(args);
	output_remove_pending();
	end_by_interrupt();
	cli_call_end(1);
	/* not exit(): what libraries do at the end may hang where memory ran out */
	_exit(1);
}

void cli_check(int64_t ret, const struct error *err)
{
	if (ret < 0)
		cli_fail("%s", cli_error(err));
}

void *cli_zeroed_for(const char *owner, int64_t n, size_t size)
{
	struct error err = { 0 };
	void *p = mem_take(MEM_ZEROED, owner, n, size, &err);

	cli_check(p ? 0 : -1, &err);
	return p;
}

const char *cli_error(const struct error *err)
{
	static const char *const advice[N_REMEDIES] = {
		[REMEDY_NONE] = "",
		[REMEDY_ACCEPT_NONFINITE] = " (--allow-nonfinite accepts it)",
		[REMEDY_READ_LENIENTLY] = " (--strict)",
		[REMEDY_WRITE_TEXT] = ": leave out --binary, or put 0",
		[REMEDY_SMALLER_SKETCH] = "; fewer rows of the sketch need less",
		[REMEDY_RANK_TOLERANCE] =
			"; --rank-tol 1e-4, or a larger one, settles its rank with less",
		[REMEDY_KEEP_MULTIPLIERS] =
			(": train without --compact, --model-format liblinear and --multiclass "
			 "ovr; a model of rp-project --fold has none"),
		[REMEDY_NAME_TEXTS] = ": --na names texts that stand for a missing value, "
				      "--categories columns of categories",
		[REMEDY_WORDS] = ": --text makes features of the words, --ignore leaves it out",
		[REMEDY_MISSING] = ": svm-convert --missing says what becomes of it",
		[REMEDY_DELIMITER] = ": --delimiter says what is between fields, and none "
				     "where lines are texts",
		[REMEDY_HEADER] = ": line 1 was taken for a record; --header takes it for names",
		[REMEDY_SMALLER_NUMBERS] = ": rp-project -m countsketch -k 65536 gives hashed "
					   "features smaller numbers",
		[REMEDY_PLAIN_NUMBERS] = ": take it out of the numbers, or name the column, "
					 "also that of the labels, in --categories",
		[REMEDY_DECIMAL_COMMA] = ": is it one with --decimal-comma?",
	};
	static char text[sizeof(err->text) + 256];

	snprintf(text, sizeof(text), "%s%s", err->text, advice[err->remedy]);
	return text;
}

/* Report an error of an input: format and I/O errors name the file themselves. */
void cli_fail_input(const char *file, const struct error *err)
{
	if (err->code == ERR_FORMAT || err->code == ERR_IO)
		cli_fail("%s", cli_error(err));
	cli_fail("%s: %s", strcmp(file, "-") == 0 ? "standard input" : file, cli_error(err));
}

void cli_say(const char *kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(kind, format, args);
	va_end(args);
}

bool cli_is_quiet(void)
{
	return quiet && *quiet;
}

/* ---- signals ---- */

/* Die by the signal itself, by SIG_DFL and raise(), so that the parent sees its number. */
static void remove_files_and_die(int signal_number)
{
	output_remove_pending();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* On SIGPIPE, end the process if standard output has lost its reader, which poll() tells. */
static void end_if_unread(int signal_number)
{
	struct pollfd standard = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int saved = errno;

	if (poll(&standard, 1, 0) == 1 && standard.revents & (POLLERR | POLLHUP))
		remove_files_and_die(signal_number);
	errno = saved;
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; /* nobody listens */
}

/* Fail as cli_fail() does, where few functions can be called. */
static _Noreturn void fail_plainly(const char *text, const char *more)
{
	say(program_name);
	say(": ");
	say(text);
	say(more);
	say("\n");
	output_remove_pending();
	_exit(1);
}

/*
 * For atexit(), and for faults: libraries that do not check what malloc() gives them use NULL, or
 * call abort() or exit() themselves.
 */
static void end_in_library(void)
{
	if (shared_library_running())
		fail_plainly("out of memory, most likely, ended ", shared_library_running());
}

/* End as any failure does after a fault with a known reason, else by the signal. */
static void end_by_fault(int signal_number, siginfo_t *fault, void *context UNUSED)
{
	if (*small_stack && signal_number == SIGSEGV && fault->si_code > 0)
		fail_plainly(small_stack, "");
	end_in_library();
	remove_files_and_die(signal_number);
}

/* Set a handler, unless the signal was ignored (nohup) or handled (sanitizers) from the start. */
static void handle(int signal_number, const struct sigaction *action)
{
	struct sigaction before;

	if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(signal_number, action, NULL);
}

/* Handle interrupts; SA_RESTART lets interrupted reads and writes go on. */
static void answer_interrupts(void (*handler)(int signal_number))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

static void note_interrupt(int signal_number UNUSED)
{
	interrupted = 1;
	answer_interrupts(remove_files_and_die);
}

void cli_note_interrupts(bool note)
{
	struct sigaction before;

	if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		answer_interrupts(note && !interrupted ? note_interrupt : remove_files_and_die);
}

bool cli_interrupted(void)
{
	return interrupted && !interrupt_answered;
}

void cli_answer_interrupt(void)
{
	interrupt_answered = interrupted;
}

void cli_ignore_end(void)
{
	static const int asked[] = { SIGTERM, SIGHUP, SIGXCPU, SIGALRM };

	for (int i = 0; i < N_ELEMENTS(asked); i++)
		signal(asked[i], SIG_IGN);
}

/* ---- start ---- */

/*
 * open() takes the lowest free descriptor: with standard output closed, the first output file would
 * receive the messages for it.  /dev/null, opened in the direction in which the stream is not used,
 * takes the place and fails each read or write, as the closed stream would.
 */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(1);
}

/* The last of the words that is above address 'top'. */
static const char *last_word(char *const *words, const char *top)
{
	for (; *words; words++)
		if (*words > top)
			top = *words;
	return top;
}

/*
 * By how many bytes may the stack grow, 1 at least?  Its limit counts from its upper end, where the
 * arguments, the environment and the name of the program are.
 */
static size_t stack_left(void)
{
	const char *here = __builtin_frame_address(0);
	const char *top = last_word(environ, last_word(arguments, here));
	struct rlimit limit;
	rlim_t used = (rlim_t)(top + strlen(top) - here) + STACK_SPARE;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur <= used)
		return 1;
	return (size_t)(limit.rlim_cur - used);
}

/*
 * Touch the last byte of the stack; volatile and noinline keep the compiler from removing the unread
 * array.  A probe of each page, which gcc can leave out of a function, would take 64 pages: 6 % of the
 * time of a small training.
 */
#ifndef __clang__
__attribute__((optimize("no-stack-clash-protection")))
#endif
__attribute__((noinline)) static void
touch_stack(size_t bytes)
{
	volatile char bottom[bytes];

	(void)(bottom[0] = 0);
}

/* Set the stack size of threads, which would otherwise be the limit of the process. */
static void widen_thread_stacks(void)
{
	pthread_attr_t attributes;

	if (pthread_getattr_default_np(&attributes) != 0)
		return;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

/*
 * The kernel grows a stack when it is touched, and kills the program by SIGSEGV where a limit
 * (ulimit -v) leaves no room.  Growing it now turns that into a message.  Where the stack itself is
 * limited (ulimit -s) small work may be done nevertheless.
 */
static void grow_stack(void)
{
	struct error err = { 0 };
	size_t left = stack_left();

	cli_check(mem_check_room(2 * STACK_BYTES, &err), &err);
	if (left < STACK_BYTES) {
		snprintf(small_stack, sizeof(small_stack), "out of stack: ulimit -s %d is enough",
			 2 * STACK_BYTES >> 10);
		widen_thread_stacks();
	}
	touch_stack(left < STACK_BYTES ? left : STACK_BYTES);
}

static void set_up_signals(void)
{
	/* signals that end a process by default: by a person or batch system, limits, faults */
	static const int deadly[] = {
		SIGINT,	 SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
		SIGXCPU, SIGPROF, SIGVTALRM, SIGFPE,  SIGILL,  SIGSYS,	SIGBUS,
	};
	const struct sigaction die = { .sa_handler = remove_files_and_die, .sa_flags = SA_RESTART };
	const struct sigaction explain = { .sa_sigaction = end_by_fault,
					   .sa_flags = SA_SIGINFO | SA_ONSTACK };
	/* stack for handling the fault of a full stack */
	static char fault_stack[FAULT_STACK_BYTES];
	const stack_t other = { .ss_sp = fault_stack, .ss_size = sizeof(fault_stack) };

	if (signal(SIGPIPE, end_if_unread) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file beyond ulimit -f: the write fails with EFBIG */
	for (int i = 0; i < N_ELEMENTS(deadly); i++)
		handle(deadly[i], &die);
	sigaltstack(&other, NULL);
	handle(SIGSEGV, &explain);
	handle(SIGABRT, &explain);
	atexit(end_in_library);
}

/*
 * OpenBLAS knows Intel's processors by their models, and takes kernels of 2004 for one that is newer than
 * itself: Debian 12's multiplies matrices at a quarter of the speed there.
 */
void cli_set_up_blas(void)
{
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
#ifdef __x86_64__
	static const char *const cores[] = {
		[INSTRUCTION_SET_V3] = "Haswell", [INSTRUCTION_SET_V4] = "SkylakeX"
	};

	if (__builtin_cpu_is("intel") && instruction_set_best() != INSTRUCTION_SET_BASELINE)
		setenv("OPENBLAS_CORETYPE", cores[instruction_set_best()], 0);
#endif
}

void cli_set_up(const char *name, char *const *argv, const bool *is_quiet)
{
	program_name = name;
	arguments = argv;
	quiet = is_quiet;
	cli_set_up_blas();
	grow_stack();
	hold_standard_streams();
	set_up_signals();
}

/* ---- end, clock, memory ---- */

int cli_finish(void)
{
	bool failed = ferror(stdout);

	errno = EIO; /* for a failure before this, by a printf() whose errno is gone */
	if (fclose(stdout) != 0 || failed) {
		fprintf(stderr, "%s: cannot write standard output: %s\n", program_name,
			strerror(flush_failure ? flush_failure : errno));
		cli_call_end(1);
		return 1;
	}
	end_by_interrupt();
	cli_call_end(0);
	return 0;
}

double cli_seconds(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

double cli_cpu_seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t cli_peak_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (int64_t)usage.ru_maxrss * 1024; /* peak memory in bytes; Linux counts in KiB */
}

/* ---- memory that stays with the process, and what took memory ---- */

/*
 * The ledger of mem.h knows large arrays and the source files that asked for them; the system knows
 * the pages that are in memory.  The two differ by what the ledger does not count (the program, its
 * libraries, small pieces) and by pages of arrays that were never written.
 */

/* Most owners of memory that --verbose prints; the report has all of them. */
#define MOST_LINES 8

/* Order owners by the most bytes first; owners of equal bytes by their names. */
static int compare_owners(const void *a, const void *b)
{
	const struct mem_owner *x = a, *y = b;

	return x->at_peak != y->at_peak ? ORDER_OF(y->at_peak, x->at_peak) :
					  strcmp(x->name, y->name);
}

struct mem_usage memory_usage(void)
{
	struct mem_usage usage;

	mem_usage(&usage);
	qsort(usage.owner, (size_t)usage.n_owners, sizeof(*usage.owner), compare_owners);
	return usage;
}

static double megabytes(int64_t bytes)
{
	return (double)bytes / MEGABYTE;
}

void memory_tell(void)
{
	const struct mem_usage usage = memory_usage();

	cli_warn("memory: %.1f MB at most, %.1f MB of them in large arrays",
		 megabytes(cli_peak_memory()), megabytes(usage.peak));
	if (mem_bound() > 0)
		cli_warn("memory: %.1f MB of arrays in files", megabytes(usage.files_peak));
	for (int i = 0; i < usage.n_owners && i < MOST_LINES && usage.owner[i].at_peak > 0; i++)
		cli_warn("memory: %8.1f MB %s", megabytes(usage.owner[i].at_peak),
			 usage.owner[i].name);
}

void memory_give_back(int size UNUSED, int total UNUSED)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, size);
	mallopt(M_TRIM_THRESHOLD, total);
#endif
}
