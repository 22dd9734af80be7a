/*
 * train_ranks.c - randsvm-train-mpi: the ranks of a training, and randsvm-train among tasks
 *
 * Rank 0 is the program: it alone reads options and files, trains, prints and writes.  All other
 * ranks compute decision values for it (ranks/rank_sums.h) and leave main() with its exit status,
 * which it announces however it ends: cli_at_end().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/instruction_set.h"
#include "base/thread.h"
#include "common/memory.h"
#include "ranks/rank_sums.h"
#include "train.h"
#include "train_group.h"

static struct rank_group group;
static struct rank_sums ranks;
/* Fewest cores that a rank may use, where less than its share; INT_MAX: none has less. */
static int fewest_cores;

/*
 * What ends a rank must be rank 0's decision: batch systems send these to all of them, and rank 0
 * may want to end training and write the model.
 */
static void leave_signals_to_rank_0(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
}

static void end_ranks(int status)
{
	/* group known early, as options may be refused before rank_sums_init() */
	ranks.group = &group;
	rank_sums_end(&ranks, status);
	train_variant.end();
}

/* Number of cores that this rank sees, if below its share of the machine's cores. */
static int cores_if_few(void)
{
	long share = sysconf(_SC_NPROCESSORS_ONLN) / group.size_on_node;
	int seen = thread_default_count();

	return seen < share ? seen : INT_MAX;
}

int train_ranks_start(int *argc, char ***argv)
{
	int status;

	group = train_variant.start(argc, argv);
	/* the same bytes on unlike machines */
	instruction_set_limit(
		(enum instruction_set)rank_group_lowest(&group, (int)instruction_set_best()));
	/* of a single process nobody asks */
	fewest_cores = group.size > 1 ? rank_group_lowest(&group, cores_if_few()) : INT_MAX;
	if (group.rank == 0) {
		cli_at_end(end_ranks);
		return -1;
	}
	leave_signals_to_rank_0();
	status = rank_service_run(&group, thread_default_count());
	train_variant.end();
	return status;
}

void engine_fits(struct cli_fit *fit)
{
	const struct cli_fit fits[N_ENGINE_FITS] = {
		{ "-v", false },
		{ "-b", !given.probability },
		{ "--mode", settings.mode == MODE_EXACT || settings.mode == MODE_BUDGET },
		{ "--solver", settings.solver != SOLVER_LIBSVM },
		{ "--multiclass", !is_one_vs_rest() },
	};

	memcpy(fit, fits, sizeof(fits));
}

/*
 * Refuse options that would leave all ranks except rank 0 without work: a linear kernel is trained by
 * weights of the columns, and precomputed kernel values are where the rows are.
 */
static void check_options(void)
{
	struct cli_fit fit[N_ENGINE_FITS + 1];
	const char *misfit;

	engine_fits(fit);
	fit[N_ENGINE_FITS] =
		(struct cli_fit){ "-t", given.kernel_type != KERNEL_LINEAR &&
						given.kernel_type != KERNEL_PRECOMPUTED };
	misfit = cli_misfit(fit, N_ENGINE_FITS + 1);
	if (misfit)
		cli_refuse("%s is for randsvm-train: of the %d ranks only one would work", misfit,
			   group.size);
}

/* Number of tasks that a launcher has started together with this process; 1 without a launcher. */
static int count_tasks(const char **by)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_STEP_NUM_TASKS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		*by = names[i];
		if (value && atoi(value) > 1)
			return atoi(value);
	}
	return 1;
}

/* Is this a task other than the first, which prints the warning? */
static bool is_later_task(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]))
			return atoi(getenv(names[i])) > 0;
	return false;
}

static void check_tasks(void)
{
	const char *by;
	int n_tasks = count_tasks(&by);

	if (n_tasks == 1 || group.size > 1)
		return;
	if (train_variant.is_mpi)
		cli_fail("one of %d tasks (%s), but MPI knows of this one alone: start it by "
			 "the mpirun of the MPI that it was built with, or by srun --mpi=pmix",
			 n_tasks, by);
	if (settings.mode != MODE_DIRECT && !is_later_task())
		cli_warn("warning: one of %d tasks: each trains alone; randsvm-train-mpi trains "
			 "together",
			 n_tasks);
}

void train_ranks_check(void)
{
	struct error err = { 0 };

	check_tasks();
	if (group.size == 1)
		return;
	check_options();
	cli_check(rank_sums_init(&ranks, &group, &err), &err);
	ranks.least_work = train_variant.least_work;
	ranks.block = train_variant.block;
	if (cli_given("--threads"))
		ranks.n_threads = (int)given.common.n_threads;
	/* srun -c says itself how many cores a rank gets */
	else if (fewest_cores < INT_MAX && !getenv("SLURM_CPUS_PER_TASK"))
		cli_warn("warning: a rank may use %d of the %ld cores of its machine, less than "
			 "its share; try mpirun --bind-to none",
			 fewest_cores, sysconf(_SC_NPROCESSORS_ONLN));
}

void train_ranks_bound_memory(void)
{
	struct error err = { 0 };

	if (mem_bound() > 0 && group.size > 1)
		cli_check(rank_sums_set_bound(&ranks, mem_bound(), mem_folder(), &err), &err);
}

struct helpers *train_helpers(void)
{
	return group.size > 1 ? &ranks.helpers : NULL;
}

void train_ranks_report(const struct training_job *job)
{
	struct report *r = group.size > 1 ? report_object(job->run.report, "ranks") : NULL, *array;

	report_count(r, "ranks", group.size);
	report_count(r, "requests", ranks.n_requests);
	report_count(r, "bytes_sent", group.bytes_sent);
	report_count(r, "bytes_received", group.bytes_received);
	report_number(r, "seconds_waiting", group.seconds_waited);
	array = r ? report_array(r, "rank") : NULL;
	for (int rank = 0; array && rank < group.size; rank++) {
		struct report *item = report_item(array);
		const struct rank_record *record = &ranks.record[rank];

		report_count(item, "rows", record->n_rows);
		report_number(item, "sum_seconds", record->sum_seconds);
		report_number(item, "cpu_seconds",
			      rank == 0 ? cli_cpu_seconds() : record->cpu_seconds);
		report_count(item, "peak_array_bytes",
			     rank == 0 ? memory_usage().peak : record->peak_array_bytes);
	}
	if (group.size > 1 && ranks.n_requests == 0)
		cli_remark(
			"rank 0 did all of it: there was nothing that takes longer than to send it");
	if (group.size > 1 && given.common.verbose)
		cli_warn("%d ranks: %" PRId64 " requests, %.1f MB sent, %.1f MB received, %.1f s "
			 "of waiting, %.1f s of sums on rank 0",
			 group.size, ranks.n_requests, (double)group.bytes_sent * 1e-6,
			 (double)group.bytes_received * 1e-6, group.seconds_waited,
			 ranks.record[0].sum_seconds);
}
