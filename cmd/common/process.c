/*
 * process.c - a program as a process: its messages, signals, end, clock and memory
 *
 * A program ends in one of four ways, and in each its unfinished output files disappear:
 *
 *     cli_finish()    main() returns; standard output is closed, because only fclose() shows that a
 *                     full disk or a closed pipe swallowed what stdio still held
 *     cli_fail()      a message, exit status 1
 *     a signal        remove_files_and_die() unlinks the files and raises the signal again, so that
 *                     the shell sees which one it was
 *     SIGPIPE         the same, but only if the broken pipe is standard output (`| head`): of
 *                     another pipe the failing write() tells, with its own message
 *
 * Ctrl-C can be noted instead (cli_note_interrupts()), where the library asks regularly whether
 * to stop: the program then ends by that signal when its files are written.  Handlers do only
 * what POSIX allows in them: output_remove_pending() calls unlink() on names noted beforehand.
 *
 * Before anything else cli_set_up() takes care of what would make a program fail in odd ways:
 * standard streams that are closed (the first file opened would become one of them), a stack that
 * cannot grow (a crash without a message), and threads of the linear algebra library (results that
 * depend on their number).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/output.h"

enum { STACK_BYTES = 512 * 1024 }; /* of the main thread: more than any program needs */

static const char *program_name;
static char *const *arguments;
static volatile sig_atomic_t interrupted;
static void (*at_end)(int status);
static int flush_failure; /* errno of the first cli_flush() that failed on standard output */

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

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_inherited(const char *text)
{
	for (size_t i = 0; i < sizeof(inherited_lines) / sizeof(*inherited_lines); i++)
		if (begins_with(program_name, inherited_lines[i].program) &&
		    begins_with(text, inherited_lines[i].text))
			return true;
	return false;
}

/* Does a line name its program already, as the lines of many callers do? */
static bool has_name(const char *text)
{
	return begins_with(text, program_name) && text[strlen(program_name)] == ':';
}

static void print_line(const char *kind, const char *format, va_list args)
{
	char text[LINE_SIZE + 1], line[LINE_SIZE];
	bool plain;

	cli_flush(stdout);
	vsnprintf(text, sizeof(text), format, args);
	error_quote(line, sizeof(line), text, strlen(text));
	plain = !*kind && (has_name(line) || is_inherited(line));
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
	_exit(CLI_INTERRUPTED_STATUS); /* where the signal is blocked */
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

/* Format and I/O errors name the file themselves. */
void cli_fail_input(const char *file, const struct error *err)
{
	if (err->code == ERR_FORMAT || err->code == ERR_IO)
		cli_fail("%s", err->text);
	cli_fail("%s: %s: %s", program_name, file, err->text);
}

void cli_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("", format, args);
	va_end(args);
}

void cli_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("note: ", format, args);
	va_end(args);
}

/* ---- signals ---- */

/* By SIG_DFL and raise() the parent sees a death by this signal, as without a handler. */
static void remove_files_and_die(int signal_number)
{
	output_remove_pending();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* SIGPIPE: some pipe has lost its reader.  poll() tells whether that pipe is standard output. */
static void end_if_unread(int signal_number)
{
	struct pollfd standard = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int saved = errno;

	if (poll(&standard, 1, 0) == 1 && standard.revents & (POLLERR | POLLHUP))
		remove_files_and_die(signal_number);
	errno = saved;
}

/* A signal that is ignored (nohup) or handled (by a sanitizer) from the start keeps its handler. */
static void clean_up_on(int signal_number)
{
	struct sigaction before;

	if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		signal(signal_number, remove_files_and_die);
}

/* SA_RESTART: a read or write that the signal interrupts goes on, as if there had been none. */
static void answer_interrupts(void (*handler)(int signal_number))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

static void note_interrupt(int signal_number)
{
	(void)signal_number;
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
	return interrupted;
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

/* volatile and noinline: the compiler would remove an array that nothing reads. */
__attribute__((noinline)) static void touch_stack(void)
{
	volatile char bottom[STACK_BYTES];

	bottom[0] = 0;
	(void)bottom[0];
}

/*
 * The kernel grows a stack when it is touched, and kills the program by SIGSEGV where a limit
 * (ulimit -v) leaves no room.  Growing it now turns that into a message.
 */
static void grow_stack(void)
{
	struct error err = { 0 };

	if (mem_check_room(2 * STACK_BYTES, &err) < 0)
		cli_fail("%s: %s", program_name, err.text);
	touch_stack();
}

void cli_set_up(const char *name, char *const *argv)
{
	/* signals that end a process by default: by a person or batch system, limits, faults */
	static const int deadly[] = {
		SIGINT,	 SIGTERM,   SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
		SIGPROF, SIGVTALRM, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,	SIGABRT, SIGSYS,
	};

	program_name = name;
	arguments = argv;
	grow_stack();
	hold_standard_streams();
	if (signal(SIGPIPE, end_if_unread) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file beyond ulimit -f: the write fails with EFBIG */
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		clean_up_on(deadly[i]);
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

double cli_thread_seconds(void)
{
	return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

int64_t cli_peak_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (int64_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}

/* The least of the machine's memory, ulimit -v and the limit of the control group (containers). */
int64_t cli_memory(void)
{
	int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	FILE *group = fopen("/sys/fs/cgroup/memory.max", "r");
	struct rlimit limit;
	long long most;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)bytes)
		bytes = (int64_t)limit.rlim_cur;
	if (group && fscanf(group, "%lld", &most) == 1 && most < bytes)
		bytes = most;
	if (group)
		fclose(group);
	return bytes;
}
