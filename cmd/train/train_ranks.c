/*
 * train_ranks.c - randsvm-train-mpi: the ranks of a training, and randsvm-train among tasks
 *
 * Rank 0 is the program: it alone reads options, trains, prints and writes.  All ranks read the rows,
 * and keep what they have read; the others do for rank 0 what it asks (ranks/rank_service.h), and leave
 * main() with its exit status, which it announces however it ends: cli_at_end().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <signal.h>
#include <unistd.h>

#include "ranks/rank_choice.h"
#include "ranks/rank_reading.h"
#include "ranks/rank_service.h"
#include "train/dealt_pairs.h"
#include "train.h"
#include "train_group.h"

static struct rank_group group;
static struct rank_rows rows;
/* Fewest cores that a rank may use, where less than its share; INT_MAX: none has less. */
static int fewest_cores;

static void end_ranks(int status)
{
	rank_service_end(&group, status);
	rank_rows_free(&rows);
	train_variant.end();
}

int train_ranks_start(int *argc, char ***argv)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	const int n_cores = thread_default_count();
	int status;

	group = train_variant.start(argc, argv);
	/* the same bytes on unlike machines */
	instruction_set_limit(
		(enum instruction_set)rank_group_lowest(&group, (int)instruction_set_best()));
	/* of a single process nobody asks */
	fewest_cores =
		n_cores < sysconf(_SC_NPROCESSORS_ONLN) / group.size_on_node ? n_cores : INT_MAX;
	if (group.size > 1)
		fewest_cores = rank_group_lowest(&group, fewest_cores);
	if (group.rank == 0) {
		cli_at_end(end_ranks);
		return -1;
	}
	/*
	 * what ends a rank must be rank 0's decision: batch systems send these to all of them, and
	 * rank 0 may want to end training and write the model
	 */
	for (int i = 0; i < N_ELEMENTS(ignored); i++)
		signal(ignored[i], SIG_IGN);
	cli_set_up_blas();
	status = rank_service_run(&group, n_cores, dealt_service_run);
	train_variant.end();
	return status;
}

/* The number that a launcher has put into a variable of the environment; 0: there is none. */
static int number_of(const char *variable)
{
	const char *value = getenv(variable);

	return value ? atoi(value) : 0;
}

/* Is this one of several tasks of a launcher that are not ranks of one training? */
static void check_tasks(void)
{
	/* number of tasks, and which of them this is */
	static const char *const names[][2] = { { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
						{ "PMI_SIZE", "PMI_RANK" },
						{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" } };
	int by = 0;

	while (by < N_ELEMENTS(names) && number_of(names[by][0]) <= 1)
		by++;
	if (by == N_ELEMENTS(names) || group.size > 1)
		return;
	if (train_variant.is_mpi)
		cli_fail("one of %d tasks (%s), but MPI knows of this one alone: start it by "
			 "the mpirun of the MPI that it was built with, or by srun --mpi=pmix",
			 number_of(names[by][0]), names[by][0]);
	/* the first task alone says it */
	if (settings.mode != MODE_DIRECT && number_of(names[by][1]) == 0)
		cli_warn("warning: one of %d tasks: each trains alone; randsvm-train-mpi trains "
			 "together",
			 number_of(names[by][0]));
}

void train_ranks_check(void)
{
	const struct cli_fit kernel = { "-t", given.kernel_type != KERNEL_PRECOMPUTED };
	struct error err = { 0 };
	const char *misfit;

	check_tasks();
	if (group.size == 1)
		return;
	/* these leave all ranks but rank 0 without work: precomputed values are where the rows are */
	misfit = engine_misfit(false);
	if (!misfit)
		misfit = cli_misfit(&kernel, 1);
	if (misfit)
		cli_refuse("%s is for randsvm-train: of the %d ranks only one would work", misfit,
			   group.size);
	cli_check(rank_rows_init(&rows, &group, (int)given.common.n_threads, &err), &err);
	/* srun -c says itself how many cores a rank gets */
	if (fewest_cores < INT_MAX && !cli_given("--threads") && !getenv("SLURM_CPUS_PER_TASK"))
		cli_warn("warning: a rank may use %d of the %ld cores of its machine, less than "
			 "its share; try mpirun --bind-to none",
			 fewest_cores, sysconf(_SC_NPROCESSORS_ONLN));
}

void train_ranks_settle(void)
{
	const int n_threads = cli_given("--threads") ? (int)given.common.n_threads : 0;
	struct error err = { 0 };

	if (group.size > 1)
		cli_check(rank_service_settle(&rows, mem_bound(), mem_folder(), n_threads, &err),
			  &err);
}

/* ---- rows ---- */

/* Have the other ranks rows whose entries are not here? */
static bool are_elsewhere(void)
{
	return rows.data && rows.data->x.n_rows > 0 && !rows.data->x.val;
}

void train_ranks_bring(void)
{
	struct error err = { 0 };

	if (are_elsewhere())
		cli_check(rank_rows_bring_all(&rows, &err), &err);
}

/* May the entries stay with the other ranks?  Not of rows that are trained on all at once. */
static bool may_stay(const struct dataset *d)
{
	return (given.kernel_type == KERNEL_RBF || given.kernel_type == KERNEL_SIGMOID ||
		rows.is_arranged) &&
	       !given.row_weights && !settings.start && !makes_folds() &&
	       d->x.n_rows > train_variant.least_rows;
}

bool train_ranks_read(struct training_job *job)
{
	struct rank_reading reading = { .options = common_rows_options(&given.common),
					.files = &given.data,
					.by_lists = given.kernel_type == KERNEL_LINEAR,
					.least = train_variant.least_part,
					.block = train_variant.block,
					.progress = { cli_progress_bytes, &job->run.progress } };
	struct error err = { 0 };

	/* randsvm-grid, which reads in this way, has no group */
	if (group.size <= 1)
		return false;
	reading.input = cli_open_input(given.data.file[0]);
	input_continue(reading.input, &given.data);
	cli_run_progress(&job->run, "reading");
	rank_rows_read(&rows, &job->data, &reading, &err);
	cli_progress_end(&job->run.progress);
	if (err.code != ERR_NONE)
		cli_fail_input(given.data_name, &err);
	cli_close_input(reading.input);
	if (!may_stay(&job->data))
		train_ranks_bring();
	return true;
}

void train_ranks_look(const struct training_job *job)
{
	const struct training *t = &job->machine.training;

	/* linear machines of one pair, without what needs the entries at every step */
	if (t->kernel.type == KERNEL_LINEAR &&
	    (job->machine.classes.n > 2 || t->squared_loss || settings.mode != MODE_EXACT ||
	     (t->type != MACHINE_C_SVC && t->type != MACHINE_EPSILON_SVR)))
		train_ranks_bring();
	for (int64_t i = 0; are_elsewhere() && i < rows.data->x.n_rows; i++)
		if (kernel_is_far(&t->kernel, rows.norm2[i]))
			train_ranks_bring();
}

/* Rows that stand for all, in remarks. */
#define SHOWN 4096

void train_ranks_show(const struct dataset *d, struct dataset *shown)
{
	const int64_t n = d->x.n_rows < SHOWN ? d->x.n_rows : SHOWN;
	int64_t row[SHOWN];
	struct error err = { 0 };

	*shown = *d;
	for (int64_t k = 0; k < n; k++)
		row[k] = k * d->x.n_rows / n;
	if (are_elsewhere())
		cli_check(rank_rows_gather(&rows, row, n, &shown->x, &err), &err);
}

uint32_t train_checksum(const struct training_job *job)
{
	return are_elsewhere() ? rank_rows_checksum(&rows) : dataset_checksum(&job->data);
}

/*
 * Entries of support vectors that are fetched at a time for the model: those of a block of rows with
 * 64 of them each, 3 MB.
 */
#define FETCHED_A_ROW 64

static int fetch_vectors(void *arg, const int64_t *row, int64_t n, struct csr *out,
			 struct error *err)
{
	const int64_t *start = rows.data->x.row_start, most = FETCHED_A_ROW * train_variant.block;
	int64_t n_fetched = 0, n_entries = 0;

	while (n_fetched < n && n_entries < most) {
		n_entries += start[row[n_fetched] + 1] - start[row[n_fetched]];
		n_fetched++;
	}
	return rank_rows_gather(arg, row, n_fetched, out, err);
}

void train_ranks_view(struct model *model)
{
	model->fetch = are_elsewhere() ? fetch_vectors : NULL;
	model->fetch_arg = &rows;
}

struct rank_rows *train_rank_rows(void)
{
	const struct rank_part *last = rows.n_parts > 0 ? &rows.part[rows.n_parts - 1] : NULL;

	/* rows of weight 0 are left out: then the parts are those of other rows */
	return last && last->first + last->n == rows.data->x.n_rows ? &rows : NULL;
}

void train_ranks_report(const struct training_job *job)
{
	struct report *r = group.size > 1 ? report_object(job->run.report, "ranks") : NULL, *array;

	report_count(r, "ranks", group.size);
	report_count(r, "requests", rows.n_requests);
	report_count(r, "bytes_sent", group.bytes_sent);
	report_count(r, "bytes_received", group.bytes_received);
	report_number(r, "seconds_waiting", group.seconds_waited);
	array = r ? report_array(r, "rank") : NULL;
	for (int rank = 0; array && rank < group.size; rank++) {
		struct report *item = report_item(array);
		const struct rank_record *record = &rows.record[rank];

		report_count(item, "rows", record->n_rows);
		report_number(item, "sum_seconds", record->sum_seconds);
		report_number(item, "cpu_seconds",
			      rank == 0 ? cli_cpu_seconds() : record->cpu_seconds);
		report_count(item, "peak_array_bytes",
			     rank == 0 ? memory_usage().peak : record->peak_array_bytes);
	}
	if (group.size > 1 && rows.n_requests == 0)
		cli_remark(
			"rank 0 did all of it: there was nothing that takes longer than to send it");
	if (group.size > 1 && given.common.verbose)
		cli_warn("%d ranks: %" PRId64 " requests, %.1f MB sent, %.1f MB received, %.1f s "
			 "of waiting, %.1f s of sums on rank 0",
			 group.size, rows.n_requests, (double)group.bytes_sent * 1e-6,
			 (double)group.bytes_received * 1e-6, group.seconds_waited,
			 rows.record[0].sum_seconds);
}
