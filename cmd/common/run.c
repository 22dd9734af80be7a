/*
 * run.c - what the run of every program has: inputs, outputs, report, phases, progress, and its end
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "run.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- progress ---- */

/*
 * On a terminal it is one line: "\r" takes the cursor to its start and "\033[K" wipes it to its
 * end, so each text replaces the one before.  In a file, which people read afterwards, it is a line
 * every few seconds.  Nothing is printed in the first half second: short work leaves no trace.
 * Each call reads the clock, so the functions are to be called for a batch of rows or a round of
 * training, not for a row.
 *
 * Some work cannot say how far it is: a decomposition of a matrix is one call of the BLAS.  So a
 * thread of its own, which sleeps nearly always, shows the seconds where no text has come for a
 * while (tick()).  It exists only where progress is shown, and lasts until the process ends.  The
 * lock keeps it from what the other functions change.
 */

/* Seconds before the first text, between two texts on a terminal, between two lines of a file. */
#define FIRST_AFTER 0.5
#define EVERY 0.1
#define EVERY_LINE 5

/* Seconds without a text after which a terminal shows the time; for a file see EVERY_LINE. */
#define SILENCE 1

/* The work in progress in this process. */
static struct cli_progress *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_ticker;

/* Print a text behind the name of the work. */
static void show(const struct cli_progress *p, const char *text)
{
	if (p->terminal)
		fprintf(stderr, "\r\033[K%s: %s", p->what, text);
	else
		fprintf(stderr, "%s: %s: %s\n", cli_program_name(), p->what, text);
	fflush(stderr);
}

/* Show the last text once more, with the seconds since the start. */
static void tick(struct cli_progress *p)
{
	double now = cli_seconds(), silent = now - fmax(p->started, fmax(p->printed, p->ticked));

	if (silent < (p->terminal ? SILENCE : EVERY_LINE))
		return;
	p->ticked = now;
	show(p, FORMATTED(2 * sizeof(p->text), "%s%s%.0f s", p->text, *p->text ? ", " : "",
			  now - p->started));
}

static void *tick_for_ever(void *arg UNUSED)
{
	const struct timespec pause = { .tv_nsec = 250 * 1000 * 1000 };

	for (;;) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		if (current)
			tick(current);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* Start the ticker without signals, which the main thread handles; without it only texts appear. */
static void start_ticker(void)
{
	sigset_t all, before;
	pthread_t ticker;

	if (has_ticker)
		return;
	has_ticker = true;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&ticker, NULL, tick_for_ever, NULL) == 0)
		pthread_detach(ticker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cli_progress_start(struct cli_progress *p, const char *what, bool force, bool quiet)
{
	bool terminal = isatty(STDERR_FILENO);

	pthread_mutex_lock(&lock);
	*p = (struct cli_progress){ .shown = !quiet && (force || terminal),
				    .terminal = terminal,
				    .what = what,
				    .started = cli_seconds() };
	if (p->shown) {
		current = p;
		start_ticker();
	}
	pthread_mutex_unlock(&lock);
}

void cli_progress_text(struct cli_progress *p, const char *format, ...)
{
	const double now = cli_seconds();
	va_list args;

	if (!p->shown)
		return;
	pthread_mutex_lock(&lock);
	va_start(args, format);
	vsnprintf(p->text, sizeof(p->text), format, args);
	va_end(args);
	if (now - p->started >= FIRST_AFTER &&
	    now - p->printed >= (p->terminal ? EVERY : EVERY_LINE)) {
		p->printed = now;
		show(p, p->text);
	}
	pthread_mutex_unlock(&lock);
}

void cli_progress_bytes(void *arg, int64_t taken, int64_t total)
{
	struct cli_progress *p = arg;
	double rate;

	if (!p->shown)
		return;
	rate = (double)taken / fmax(cli_seconds() - p->started, 1e-6);
	if (total > 0 && taken <= total)
		cli_progress_text(p, "%3.0f%%, %.0f MB/s, %.0f s left",
				  100.0 * (double)taken / (double)total, rate / 1e6,
				  rate > 0 ? (double)(total - taken) / rate : 0);
	else
		cli_progress_text(p, "%.0f MB, %.0f MB/s", (double)taken / 1e6, rate / 1e6);
}

/* Wipe the line on a terminal. */
static void wipe(const struct cli_progress *p)
{
	if (p->shown && p->terminal && (p->printed > 0 || p->ticked > 0))
		fputs("\r\033[K", stderr);
}

void cli_progress_pause(struct cli_progress *p)
{
	pthread_mutex_lock(&lock);
	wipe(p);
	pthread_mutex_unlock(&lock);
}

void cli_progress_end(struct cli_progress *p)
{
	pthread_mutex_lock(&lock);
	wipe(p);
	p->shown = false;
	if (current == p)
		current = NULL;
	pthread_mutex_unlock(&lock);
}

/* ---- the run ---- */

/* Bytes that a program takes for buffers and small pieces, beyond its memory at the start. */
#define BUFFERS (12 << 20)

const char *const common_loss_names[] = { "hinge", "squared", NULL };
const char *const common_training_loss_names[] = { "hinge", "squared", "logistic", NULL };

struct rows_options common_rows_options(const struct common_options *c)
{
	return (struct rows_options){ .strict = c->strict,
				      .allow_nonfinite = c->allow_nonfinite,
				      .groups_by_qid = c->by_qid,
				      .groups_if_any = c->groups != NULL };
}

void common_warn_weights(const struct training *t, const int *label, int n)
{
	for (int k = 0; k < t->n_weights; k++)
		if (label_find(label, n, t->weight[k].label) < 0)
			cli_warn("WARNING: class label %d specified in weight is not found",
				 t->weight[k].label);
}

void common_need_memory(int64_t bytes)
{
	int64_t least = mem_least_bound(bytes + BUFFERS);

	/* two megabytes to spare, as memory at the start differs between runs */
	if (mem_bound() > 0 && mem_bound() < least)
		cli_fail("--memory %" PRId64 " is too small: %" PRId64 " MB would do",
			 mem_bound() / MEGABYTE, least / MEGABYTE + 2);
}

/*
 * The folder for arrays: the one that --spill names, else that of the output, or the current one
 * where that cannot be written to.  That the output cannot be where it is to be is told when it is
 * opened.
 */
static void choose_folder(char *folder, size_t size, const struct common_options *c,
			  const char *output)
{
	const char *slash = output ? strrchr(output, '/') : NULL;

	if (c->spill) {
		snprintf(folder, size, "%s", c->spill);
		return;
	}
	snprintf(folder, size, ".");
	/* folders of devices are no place for files */
	if (slash && strncmp(output, "/dev/", 5) != 0)
		snprintf(folder, size, "%.*s", slash == output ? 1 : (int)(slash - output), output);
	if (access(folder, W_OK | X_OK) < 0)
		snprintf(folder, size, ".");
}

void common_bound_memory(const struct common_options *c, const char *output)
{
	char folder[PATH_MAX];
	struct error err = { 0 };
	struct stat status;

	if (c->memory_mb == 0)
		return;
	choose_folder(folder, sizeof(folder), c, output);
	if (c->spill && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
		cli_fail("--spill takes a folder here: '%s' is a file", folder);
	if (c->spill && access(folder, W_OK | X_OK) < 0)
		cli_fail("--spill: cannot write into the folder '%s': %s", folder, strerror(errno));
	/* pieces that are kept when they are freed would count as memory */
	memory_give_back(MEGABYTE, MEGABYTE);
	cli_check(
		mem_set_bound(c->memory_mb * MEGABYTE, folder, "try another --spill folder", &err),
		&err);
}

void cli_run_begin(struct cli_run *run, const struct cli_program *program,
		   struct common_options *common, char *const *argv)
{
	if (run->started == 0)
		run->started = cli_seconds();
	run->options = program->options;
	run->common = common;
	common->n_threads = thread_default_count();
	cli_set_up(program->name, argv, &common->quiet);
}

void cli_run_bound(const struct cli_run *run, const char *output)
{
	common_bound_memory(run->common, output);
	common_need_memory(0);
}

void cli_add_file(struct data_files *files, const char *name)
{
	struct error err = { 0 };

	cli_check(mem_grow(&files->file, &files->capacity, files->n + 1, sizeof(name), &err), &err);
	files->file[files->n++] = name;
}

void cli_run_read_list(struct cli_run *run, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cli_add_file(&run->inputs, name[i]);
}

struct cli_output *cli_run_writes(struct cli_run *run, int i, const char *name, const char *what,
				  enum file_kind kind)
{
	assert(i + 1 < CLI_MAX_OUTPUTS);
	run->file[i] = (struct cli_output){ .name = name,
					    .what = what,
					    .compress = i == 0 && run->common->compress,
					    .kind = kind,
					    .saved = run->saves };
	if (run->n_files <= i)
		run->n_files = i + 1;
	return &run->file[i];
}

void cli_run_name(struct cli_run *run)
{
	cli_run_writes(run, run->n_files, run->common->report,
		       run->saves ? "report" : "report file", FILE_IS_OTHER);
	cli_keep_files_apart(run->file, run->n_files, run->inputs.file, (int)run->inputs.n);
	run->info = cli_results_stream(run->file, run->n_files);
}

void cli_run_report(struct cli_run *run)
{
	struct cli_output *file = &run->file[run->n_files - 1];

	if (!file->name)
		return;
	cli_open_output(file);
	run->report = report_new(cli_program_name());
	run->settings = report_settings(run->report, run->options);
}

void cli_run_open(struct cli_run *run)
{
	cli_run_name(run);
	cli_open_outputs(run->file, run->n_files - 1);
	cli_run_report(run);
}

void cli_run_progress(struct cli_run *run, const char *what)
{
	cli_progress_start(&run->progress, what, run->common->progress, run->common->quiet);
}

/* cli_run_scan(); a failure, which may be that of the visitor, is in '*err'. */
static int try_scan(struct cli_run *run, const struct cli_scan *scan,
		    const struct rows_visitor *visitor, struct error *err)
{
	struct input *input = cli_open_pass(&run->passes, scan->name, scan->is_last);
	struct rows_visitor shown = *visitor;
	int ret;

	shown.progress = (struct progress_observer){ cli_progress_bytes, &run->progress };
	cli_run_progress(run, scan->what);
	ret = rows_scan(input, &scan->format, &shown, (int)run->common->n_threads, err);
	cli_progress_end(&run->progress);
	if (ret < 0)
		input_close(input);
	else
		cli_close_pass(&run->passes, input);
	return ret;
}

void cli_run_scan(struct cli_run *run, const struct cli_scan *scan,
		  const struct rows_visitor *visitor)
{
	struct error err = { 0 };

	if (try_scan(run, scan, visitor, &err) < 0)
		cli_fail_input(scan->name, &err);
}

void cli_tell_passes(const struct cli_run *run, const char *name, const char *purpose)
{
	if (run->common->verbose)
		cli_warn("reading %s twice%s: %s", name,
			 cli_reads_again(name) ? "" : ", the second time from memory", purpose);
}

int cli_scan_source(void *source, const struct rows_visitor *visitor, int n_threads UNUSED,
		    struct error *err)
{
	struct cli_source *s = source;
	const int ret = try_scan(s->run, &s->scan, visitor, err);

	/* only these two error codes come from reading the file, not from the visitor of rows */
	s->is_unreadable = ret < 0 && (err->code == ERR_FORMAT || err->code == ERR_IO);
	return ret;
}

void cli_tell_weights(struct cli_run *run, const struct training *t, const struct classes *c)
{
	struct report *array = report_array(run->report, "class_weights");

	for (int k = 0; k < c->n; k++) {
		const double factor = classes_c(t, c->label[k]) / t->C;
		struct report *item = report_item(array);

		report_count(item, "label", c->label[k]);
		report_number(item, "weight", factor);
		cli_tell(run, "weight of class %d = %g\n", c->label[k], factor);
	}
}

void cli_run_phases(struct cli_run *run)
{
	run->phase_seconds = report_object(run->report, "seconds_per_phase");
	run->phase_cpu_seconds = report_object(run->report, "cpu_seconds_per_phase");
	run->phase_started = cli_seconds();
	run->phase_cpu_started = cli_cpu_seconds();
}

void cli_run_phase(struct cli_run *run, const char *name)
{
	const double now = cli_seconds(), cpu_now = cli_cpu_seconds();

	report_number(run->phase_seconds, name, now - run->phase_started);
	report_number(run->phase_cpu_seconds, name, cpu_now - run->phase_cpu_started);
	run->phase_started = now;
	run->phase_cpu_started = cpu_now;
}

void cli_run_commit(struct cli_run *run)
{
	report_finish(run->report, run->started, run->file[run->n_files - 1].output);
	cli_commit_outputs(run->file, run->n_files);
}

int cli_run_end(struct cli_run *run)
{
	byte_buffer_free(&run->passes.kept);
	mem_free(run->inputs.file);
	return cli_finish();
}
