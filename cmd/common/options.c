/*
 * options.c - the command line, the way svm-train reads its own
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/mem.h"
#include "kernel/kernel_tile.h"
#include "linear/liblinear_adapter.h"
#include "matrix/blas.h"
#include "problem/training.h"
#include "train/libsvm_adapter.h"
#include "version.h"

enum { STACK_BYTES = 512 * 1024 }; /* more than the main thread of any program needs */

static const char *program_name;
static volatile sig_atomic_t interrupted;
static int flush_failure; /* errno of the first that failed on standard output */

void cli_flush(FILE *to)
{
	if (fflush(to) != 0 && to == stdout && flush_failure == 0)
		flush_failure = errno;
}

/* Longest line; it may name two files, and their bytes may be other than text. */
#define LINE_SIZE (4 * PATH_MAX)

static void print_line(const char *format, va_list args)
{
	char text[LINE_SIZE + 1], line[LINE_SIZE];

	cli_flush(stdout);
	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "%s\n", error_quote(line, sizeof(line), text, strlen(text)));
}

void cli_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
	output_remove_pending();
	/* not exit(): what libraries do at the end may hang where memory ran out */
	_exit(interrupted ? CLI_INTERRUPTED_STATUS : 1);
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
	print_line(format, args);
	va_end(args);
}

static void remove_files_and_die(int signal_number)
{
	output_remove_pending();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/*
 * Nobody reads a pipe any more.  If it is standard output that ends the program, as by itself;
 * of another the failing write tells.
 */
static void end_if_unread(int signal_number)
{
	struct pollfd standard = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int saved = errno;

	if (poll(&standard, 1, 0) == 1 && standard.revents & (POLLERR | POLLHUP))
		remove_files_and_die(signal_number);
	errno = saved;
}

/* A signal that is ignored from the start (nohup), or handled (by a sanitizer), stays so. */
static void clean_up_on(int signal_number)
{
	struct sigaction before;

	if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		signal(signal_number, remove_files_and_die);
}

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

/*
 * A closed standard stream must not become the first file that is opened: it is held by
 * one that fails as the closed one would.
 */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(1);
}

__attribute__((noinline)) static void touch_stack(void)
{
	volatile char bottom[STACK_BYTES];

	bottom[0] = 0;
	(void)bottom[0];
}

/* Where there is no memory for the stack to grow, a program crashes: let it grow now. */
static void grow_stack(void)
{
	struct error err = { 0 };

	if (mem_check_room(2 * STACK_BYTES, &err) < 0)
		cli_fail("%s: %s", program_name, err.text);
	touch_stack();
}

void cli_set_up(const char *name)
{
	/* all that end a process by default: from a person or a batch system, limits, faults */
	static const int deadly[] = {
		SIGINT,	 SIGTERM,   SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
		SIGPROF, SIGVTALRM, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,	SIGABRT, SIGSYS,
	};

	program_name = name;
	grow_stack();
	blas_single_thread();
	hold_standard_streams();
	if (signal(SIGPIPE, end_if_unread) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		clean_up_on(deadly[i]);
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What follows the folder in 'path'; *folder becomes that folder. */
static const char *split_path(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");

	if (!name || stat(name, folder) < 0)
		*folder = (struct stat){ 0 };
	free(name);
	return slash ? slash + 1 : path;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	bool exists = stat(a, &x) == 0;

	if (exists != (stat(b, &y) == 0))
		return false;
	if (exists)
		return S_ISREG(x.st_mode) && same_inode(&x, &y);
	return strcmp(split_path(a, &x), split_path(b, &y)) == 0 && same_inode(&x, &y);
}

bool cli_is_standard_output(const char *name)
{
	struct stat x, y;

	if (!strcmp(name, "-") || !strcmp(name, "/dev/stdout") || !strcmp(name, "/dev/fd/1"))
		return true;
	return stat(name, &x) == 0 && fstat(STDOUT_FILENO, &y) == 0 && !S_ISCHR(x.st_mode) &&
	       same_inode(&x, &y);
}

void cli_keep_apart(const char *file, const char *other)
{
	if (file && other && strcmp(file, "-") != 0 && strcmp(other, "-") != 0 &&
	    same_file(file, other))
		cli_fail("%s: '%s' and '%s' are the same file", program_name, file, other);
}

/* Standard input can be read once. */
static void keep_standard_input_apart(const char *const *input, int n)
{
	int n_standard = 0;

	for (int i = 0; i < n; i++)
		n_standard += input[i] && strcmp(input[i], "-") == 0;
	if (n_standard > 1)
		cli_fail("%s: '-': only one file can come from standard input", program_name);
}

void cli_keep_all_apart(const char *const *output, const char *const *input, int n)
{
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			cli_keep_apart(output[i], input[j]);
		for (int j = i + 1; j < n; j++) {
			cli_keep_apart(output[j], output[i]);
			if (output[i] && output[j] && cli_is_standard_output(output[i]) &&
			    cli_is_standard_output(output[j]))
				cli_fail("%s: '%s' and '%s' are both standard output", program_name,
					 output[i], output[j]);
		}
	}
	keep_standard_input_apart(input, n);
}

bool cli_is_file(const char *name)
{
	struct stat s;

	return strcmp(name, "-") != 0 && stat(name, &s) == 0 && S_ISREG(s.st_mode);
}

struct input *cli_open_input(const char *name)
{
	struct error err = { 0 };
	struct input *input;

	if (input_open(&input, name, &err) < 0)
		cli_fail("can't open input file %s: %s", name, err.text);
	return input;
}

struct output *cli_open_output(const char *name, bool compress, const char *what)
{
	struct error err = { 0 };
	struct output *output;

	if (output_open(&output, name, compress, &err) < 0)
		cli_fail("can't open %s %s: %s", what, name, err.text);
	return output;
}

int cli_cannot_write(const char *what, const char *name, const struct error *reason,
		     struct error *err)
{
	if (strcmp(name, "-") == 0)
		return error_set(err, reason->code, "can't write standard output: %s",
				 reason->text);
	return error_set(err, reason->code, "can't write %s %s: %s", what, name, reason->text);
}

void cli_fail_output(const char *what, const char *name, const struct error *reason)
{
	if (strcmp(name, "-") == 0)
		cli_fail("can't write standard output: %s", reason->text);
	cli_fail("can't write %s %s: %s", what, name, reason->text);
}

int cli_write(const struct cli_output *to, const void *bytes, int64_t size, struct error *err)
{
	struct error reason = { 0 };

	if (output_write(to->output, bytes, size, &reason) == 0)
		return 0;
	return cli_cannot_write(to->what, to->name, &reason, err);
}

void cli_commit_all(const struct cli_output *outputs, int n)
{
	struct output *all[CLI_MAX_OUTPUTS];
	struct error err = { 0 };
	int failed;

	assert(n <= CLI_MAX_OUTPUTS);
	for (int i = 0; i < n; i++)
		all[i] = outputs[i].output;
	if (output_commit_all(all, n, &failed, &err) < 0)
		cli_fail_output(outputs[failed].what, outputs[failed].name, &err);
}

int cli_finish(void)
{
	bool failed = ferror(stdout);

	errno = EIO; /* where something failed that was no cli_flush() */
	if (fclose(stdout) != 0 || failed) {
		fprintf(stderr, "%s: cannot write standard output: %s\n", program_name,
			strerror(flush_failure ? flush_failure : errno));
		return 1;
	}
	return interrupted ? CLI_INTERRUPTED_STATUS : 0;
}

double cli_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int64_t cli_peak_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (int64_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}

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

static void print_help(const struct cli_program *program)
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
	print_help(program);
	fflush(stdout);
	exit(1);
}

static void print_version(void)
{
	int libsvm = libsvm_version_number(), liblinear = liblinear_version_number();
	char blas[256];

	blas_version(blas, sizeof(blas));
	printf("%s %s\n", program_name, RANDSVM_VERSION);
	printf("LIBSVM %d.%02d, LIBLINEAR %d.%02d, zlib %s, BLAS %s\n", libsvm / 100, libsvm % 100,
	       liblinear / 100, liblinear % 100, input_zlib_version(), blas);
	printf("inflating with %s; kernels for %s; %s\n", input_inflater(),
	       kernel_tile_instruction_set(), RANDSVM_COMPILER);
}

_Noreturn static void refuse(const char *option, const char *reason)
{
	cli_fail("%s: %s: %s; try '%s --help'", program_name, option, reason, program_name);
}

static double parse_real(const char *option, const char *text, const struct cli_option *o)
{
	const char *end = text + strlen(text);
	char reason[128];
	double value;

	if (decimal_parse(text, end, &value) != end || !isfinite(value)) {
		snprintf(reason, sizeof(reason), "expected a number, got '%.40s'", text);
		refuse(option, reason);
	}
	if (o->min < o->max && !(value >= o->min && value <= o->max)) {
		snprintf(reason, sizeof(reason), "%.40s is not between %g and %g", text, o->min,
			 o->max);
		refuse(option, reason);
	}
	return value;
}

static int64_t parse_int(const char *option, const char *text, const struct cli_option *o)
{
	char reason[128], *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno || isspace((unsigned char)*text)) {
		snprintf(reason, sizeof(reason), "expected an integer, got '%.40s'", text);
		refuse(option, reason);
	}
	if (o->min < o->max && ((double)value < o->min || (double)value > o->max)) {
		snprintf(reason, sizeof(reason), "%lld is not between %.0f and %.0f", value, o->min,
			 o->max);
		refuse(option, reason);
	}
	return value;
}

static uint64_t parse_seed(const char *option, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!digits_is(*text) || *end || errno)
		refuse(option, "expected an integer from 0 to 2^64 - 1");
	return value;
}

static int parse_choice(const char *option, const char *text, const struct cli_option *o)
{
	char reason[256] = "expected one of";

	for (int i = 0; o->choices[i]; i++) {
		size_t used = strlen(reason);

		if (strcmp(text, o->choices[i]) == 0)
			return i;
		snprintf(reason + used, sizeof(reason) - used, " %s", o->choices[i]);
	}
	refuse(option, reason);
}

/* `-w1 5`: the label is what follows the letter; svm-train takes nothing there for 0. */
static void add_weight(struct cli_weights *w, const char *option, const char *text,
		       const struct cli_option *o)
{
	const struct cli_option label_range = { .min = INT_MIN, .max = INT_MAX };
	struct error err = { 0 };

	if (mem_grow(&w->weight, &w->capacity, w->n + 1, sizeof(*w->weight), &err) < 0)
		cli_fail("%s: %s", program_name, err.text);
	w->weight[w->n].label = option[2] ? (int)parse_int(option, option + 2, &label_range) : 0;
	w->weight[w->n++].factor = parse_real(option, text, o);
}

static void set_option(const struct cli_option *o, const char *option, const char *text)
{
	switch (o->type) {
	case CLI_FLAG:
		*(bool *)o->target = true;
		break;
	case CLI_INT:
		*(int64_t *)o->target = parse_int(option, text, o);
		break;
	case CLI_SEED:
		*(uint64_t *)o->target = parse_seed(option, text);
		break;
	case CLI_REAL:
		*(double *)o->target = parse_real(option, text, o);
		break;
	case CLI_TEXT:
		*(const char **)o->target = text;
		break;
	case CLI_CHOICE:
		*(int *)o->target = parse_choice(option, text, o);
		break;
	case CLI_WEIGHT:
		add_weight(o->target, option, text, o);
		break;
	case CLI_HEADING:
		break;
	}
	if (o->given)
		*o->given = true;
}

static const struct cli_option *find_letter(const struct cli_program *program, char letter)
{
	for (const struct cli_option *o = program->options; o->help; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

static const struct cli_option *find_name(const struct cli_program *program, const char *name,
					  size_t length)
{
	for (const struct cli_option *o = program->options; o->help; o++)
		if (o->name && strlen(o->name) == length && memcmp(o->name, name, length) == 0)
			return o;
	return NULL;
}

/* One `--name[=VALUE]`; returns how many arguments it took. */
static int take_long(const struct cli_program *program, char **argv, int left)
{
	const char *name = argv[0] + 2, *equals = strchr(name, '='), *text = "";
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct cli_option *o = find_name(program, name, length);

	if (!equals && strcmp(name, "help") == 0) {
		print_help(program);
		exit(cli_finish());
	}
	if (!equals && strcmp(name, "version") == 0) {
		print_version();
		exit(cli_finish());
	}
	if (!o)
		cli_fail("Unknown option: %s; try '%s --help'", argv[0], program_name);
	/* cppcheck-suppress nullPointerRedundantCheck ; cli_fail() does not return */
	if (o->type == CLI_FLAG && equals)
		refuse(argv[0], "takes no value");
	if (o->type != CLI_FLAG) {
		if (!equals && left < 2)
			refuse(argv[0], "needs a value");
		text = equals ? equals + 1 : argv[1];
	}
	set_option(o, argv[0], text);
	return o->type == CLI_FLAG || equals ? 1 : 2;
}

/* One single-dash option; returns how many arguments it took. */
static int take_letter(const struct cli_program *program, char **argv, int left)
{
	const struct cli_option *o = find_letter(program, argv[0][1]);

	if (o && o->type == CLI_FLAG) {
		set_option(o, argv[0], "");
		return 1;
	}
	if (left < 2)
		cli_usage(program);
	if (!o) {
		cli_warn("Unknown option: -%c", argv[0][1]);
		cli_usage(program);
	}
	set_option(o, argv[0], argv[1]);
	return 2;
}

int cli_parse(const struct cli_program *program, int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0')
		i += argv[i][1] == '-' && argv[i][2] ? take_long(program, argv + i, argc - i) :
						       take_letter(program, argv + i, argc - i);
	if (argc - i < program->min_arguments)
		cli_usage(program);
	for (int k = i + 1; k < argc; k++)
		if (argv[k][0] == '-' && argv[k][1] == '-' && argv[k][2])
			cli_fail("%s: options go before the file names: '%s'", program_name,
				 argv[k]);
	return i;
}

void cli_parse_data(const struct cli_program *program, int argc, char **argv,
		    const char **data_name, const char **output_name)
{
	int first = cli_parse(program, argc, argv);

	if (argc == 1)
		cli_usage(program);
	if (first < argc)
		*data_name = argv[first++];
	if (first < argc)
		*output_name = argv[first++];
	if (first < argc)
		cli_fail("%s: one file name too many: '%s'", program->name, argv[first]);
}

void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet)
{
	*p = (struct cli_progress){ .shown = !quiet && (force || isatty(STDERR_FILENO)),
				    .what = what,
				    .started = cli_seconds() };
}

static bool progress_is_due(struct cli_progress *p)
{
	double now = cli_seconds();

	/* nothing for short work, then ten times a second */
	if (!p->shown || now - p->started < 0.5 || now - p->printed < 0.1)
		return false;
	p->printed = now;
	return true;
}

void cli_progress_bytes(void *arg, int64_t taken, int64_t total)
{
	struct cli_progress *p = arg;
	double seconds, rate;

	if (!progress_is_due(p))
		return;
	seconds = p->printed - p->started;
	rate = (double)taken / seconds;
	if (total > 0 && taken <= total)
		fprintf(stderr, "\r\033[K%s: %3.0f%%, %.0f MB/s, %.0f s left", p->what,
			100.0 * (double)taken / (double)total, rate / 1e6,
			(double)(total - taken) / rate);
	else
		fprintf(stderr, "\r\033[K%s: %.0f MB, %.0f MB/s", p->what, (double)taken / 1e6,
			rate / 1e6);
	fflush(stderr);
}

void cli_progress_text(struct cli_progress *p, const char *format, ...)
{
	va_list args;

	if (!progress_is_due(p))
		return;
	fprintf(stderr, "\r\033[K%s: ", p->what);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->shown && p->printed > 0)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
