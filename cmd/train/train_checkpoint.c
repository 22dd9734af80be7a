/*
 * train_checkpoint.c - randsvm-train --checkpoint: the file, and when it is written
 *
 * The library copies its state at safe points (io/checkpoint.h).  A thread of its own waits
 * for SIGTERM, SIGUSR1 and SIGHUP, which are blocked in all others, and writes the latest copy
 *
 *     every --checkpoint-every seconds, or less often: writing takes at most a twentieth of the time
 *     when one of these signals comes; the program then ends at once, with status 143
 *
 * so that training neither waits for the disk nor has to come to an end that suits it.  With
 * --checkpoint-every 0 each copy is written by the thread that made it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "io/checkpoint.h"
#include "io/gzip.h"
#include "train.h"
#include "version.h"

/* Divisor of the time: writing the checkpoint takes at most this part of it. */
#define WRITE_SHARE 20

/* Exit status after a signal, 128 + SIGTERM as shells report it, also for other signals. */
#define ENDED_STATUS 143

/*
 * Seconds to wait for the lock of the file: enough to take back 100 GB; and seconds before a line
 * says so.
 */
#define LONGEST_WAIT 10
#define SILENT_WAIT 1

/* Bytes of the text of all settings, one setting a line. */
enum { TEXT_SIZE = 4096 };

static struct checkpoint *checkpoint;

/* State of the thread that writes the checkpoint. */
static struct {
	pthread_t thread;
	sigset_t signals;  /* signals that the thread waits for */
	atomic_bool ended; /* the files are complete */
} writer;

/* ---- the beginning ---- */

/*
 * The same command, given again right after SIGKILL, finds the file locked until the system has
 * taken back the memory of the process killed: 0.07 s a gigabyte.
 */
void open_checkpoint(void)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const double start = cli_seconds();
	bool told = given.common.quiet;
	struct error err = { 0 };
	int ret;

	if (!settings.checkpoint)
		return;
	while ((ret = checkpoint_open(&checkpoint, settings.checkpoint, &err)) == 1) {
		double waited = cli_seconds() - start;

		if (waited > LONGEST_WAIT)
			cli_fail("%s: another run writes this checkpoint; each run needs a "
				 "file of its own",
				 settings.checkpoint);
		if (waited > SILENT_WAIT && !told) {
			cli_note("%s: another run writes this checkpoint: waiting for its end",
				 settings.checkpoint);
			told = true;
		}
		nanosleep(&pause, NULL);
	}
	cli_check(ret, &err);
}

/* ---- sameness ---- */

static void add_number(char *text, const char *name, double x)
{
	text_append(text, TEXT_SIZE, "%s %s\n", name, DECIMAL_TEXT(x));
}

static void add_weights(char *text, const struct training *t)
{
	uint32_t crc = 0;

	for (int i = 0; i < t->n_weights; i++) {
		crc = checksum_crc32(crc, &t->weight[i].label, sizeof(int));
		crc = checksum_crc32(crc, &t->weight[i].factor, sizeof(double));
	}
	text_append(text, TEXT_SIZE, "-w ");
	if (t->n_weights == 0)
		text_append(text, TEXT_SIZE, "none");
	else if (t->n_weights > 8)
		text_append(text, TEXT_SIZE, "%d weights, crc32 %08" PRIx32, t->n_weights, crc);
	for (int i = 0; i < t->n_weights && t->n_weights <= 8; i++)
		text_append(text, TEXT_SIZE, "%s%d:%.17g", i > 0 ? "," : "", t->weight[i].label,
			    t->weight[i].factor);
	text_append(text, TEXT_SIZE, "\n");
}

/* Append the multipliers of --start, and the rows to which they belong. */
static void add_start(char *text, const struct solution *s)
{
	uint32_t crc;

	if (!settings.start) {
		text_append(text, TEXT_SIZE, "--start none\n");
		return;
	}
	crc = checksum_crc32(0, s->coef, (s->n_class - 1) * s->n_sv * (int64_t)sizeof(*s->coef));
	crc = checksum_crc32(crc, s->sv_row, s->n_sv * (int64_t)sizeof(*s->sv_row));
	text_append(text, TEXT_SIZE, "--start %" PRId64 " vectors, crc32 %08" PRIx32 "\n", s->n_sv,
		    crc);
}

/*
 * All that decides what is computed, in one order; the program's version, as it may compute it
 * otherwise.
 */
static void list_settings(char *text, const struct training_job *job)
{
	const struct training *training = &job->machine.training;
	const struct dataset *d = &job->data;

	text_append(text, TEXT_SIZE, "version %s\n", RANDSVM_VERSION);
	text_append(text, TEXT_SIZE,
		    "data %" PRId64 " rows of %" PRId64 " entries, index to %" PRId64
		    ", crc32 %08" PRIx32 "\n",
		    d->x.n_rows, csr_n_entries(&d->x), d->max_index, train_checksum(job));
	text_append(text, TEXT_SIZE, "--mode %s\n", train_mode_names[settings.mode]);
	text_append(text, TEXT_SIZE, "--loss %s\n", common_training_loss_names[given.loss]);
	add_number(text, "-s", (double)given.svm_type);
	add_number(text, "-t", (double)given.kernel_type);
	add_number(text, "-d", (double)given.degree);
	add_number(text, "-g", training->kernel.gamma);
	add_number(text, "-r", given.machine.training.kernel.coef0);
	add_number(text, "-c", given.machine.training.C);
	add_number(text, "-n", given.machine.training.nu);
	add_number(text, "-p", given.machine.training.p);
	add_number(text, "-e", given.machine.training.eps);
	add_weights(text, training);
	/* a row that is left out shows in the checksum of the data */
	text_append(text, TEXT_SIZE, "-W %s\n",
		    d->weight ? FORMATTED(32, "crc32 %08" PRIx32, dataset_weight_checksum(d)) :
				"none");
	add_start(text, &job->start.solution);
	text_append(text, TEXT_SIZE, "--seed %" PRIu64 "\n", given.machine.options.seed);
	add_number(text, "--sample", (double)given.machine.options.sample);
	add_number(text, "--budget", (double)given.machine.options.budget);
	add_number(text, "--bag", (double)settings.n_models);
	add_number(text, "--gap", given.machine.options.gap);
	add_number(text, "--max-iter", (double)given.machine.options.max_rounds);
}

/* ---- writing ---- */

/* Write the checkpoint; for checkpoint_notify(), too, whose argument is not used. */
static void write_or_warn(void *unused UNUSED)
{
	struct error err = { 0 };

	if (checkpoint_write(checkpoint, &err) < 0)
		cli_warn("warning: %s: the program goes on", err.text);
}

/* End the program after one of the signals: close the checkpoint, and exit with ENDED_STATUS. */
static _Noreturn void end_program(void)
{
	struct error err = { 0 };
	bool kept;

	if (checkpoint_close(checkpoint, &kept, &err) < 0)
		cli_warn("ended by a signal: %s", err.text);
	else if (kept)
		cli_warn("ended by a signal: the same command goes on from %s",
			 settings.checkpoint);
	else
		cli_warn("ended by a signal, before there was a state to keep");
	output_remove_pending();
	_exit(ENDED_STATUS);
}

static void *run_writer(void *arg UNUSED)
{
	double wait = settings.checkpoint_every > 0 ? settings.checkpoint_every : INFINITY;
	double next = cli_seconds() + wait;

	for (;;) {
		double left = fmin(fmax(next - cli_seconds(), 0), 1e6), start;
		const struct timespec time = { (time_t)left, (long)((left - floor(left)) * 1e9) };
		int caught = sigtimedwait(&writer.signals, NULL, &time);

		if (caught > 0 && caught != SIGRTMIN)
			end_program();
		if (atomic_load(&writer.ended))
			return NULL;
		start = cli_seconds();
		if (start < next)
			continue;
		write_or_warn(NULL);
		next = cli_seconds() + fmax(wait, WRITE_SHARE * (cli_seconds() - start));
	}
}

/* Choose the signals not ignored (nohup ignores some), and the signal that ends the thread. */
static void choose_signals(void)
{
	static const int wanted[] = { SIGTERM, SIGUSR1, SIGHUP };
	struct sigaction before;

	sigemptyset(&writer.signals);
	sigaddset(&writer.signals, SIGRTMIN);
	for (int i = 0; i < N_ELEMENTS(wanted); i++)
		if (sigaction(wanted[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaddset(&writer.signals, wanted[i]);
}

/* Note that training goes on, and from when: what was trained after that is lost. */
static void note_going_on(void)
{
	char time[sizeof("2026-01-31 23:59:59")] = "";
	struct stat status;
	struct tm parts;

	if (stat(settings.checkpoint, &status) == 0 && localtime_r(&status.st_mtime, &parts))
		strftime(time, sizeof(time), "%F %T", &parts);
	cli_note("going on from %s%s%s", settings.checkpoint, *time ? ", written " : "", time);
}

void start_checkpoint(struct training_job *job)
{
	static char text[TEXT_SIZE];
	struct error err = { 0 };

	if (!checkpoint)
		return;
	list_settings(text, job);
	cli_check(checkpoint_begin(checkpoint, text, job->result.n_pairs, &job->setup.interruption,
				   &err),
		  &err);
	report_flag(job->run.report, "resumed", checkpoint_was_read(checkpoint));
	if (checkpoint_was_read(checkpoint) && !given.common.quiet)
		note_going_on();
	if (settings.checkpoint_every == 0)
		checkpoint_notify(checkpoint, write_or_warn, NULL);
	job->machine.trainer.checkpoint = checkpoint;
	choose_signals();
	pthread_sigmask(SIG_BLOCK, &writer.signals, NULL);
	if (pthread_create(&writer.thread, NULL, run_writer, NULL) != 0)
		cli_fail("--checkpoint: no thread to be had");
}

void keep_checkpoint(void)
{
	if (checkpoint)
		write_or_warn(NULL);
}

void end_checkpoint(bool interrupted)
{
	struct error err = { 0 };

	if (!checkpoint)
		return;
	atomic_store(&writer.ended, true);
	pthread_kill(writer.thread, SIGRTMIN);
	pthread_join(writer.thread, NULL);
	pthread_sigmask(SIG_UNBLOCK, &writer.signals, NULL);
	if (!interrupted && checkpoint_remove(checkpoint, &err) < 0)
		cli_warn("warning: %s", err.text);
	checkpoint_free(checkpoint);
	checkpoint = NULL;
}
