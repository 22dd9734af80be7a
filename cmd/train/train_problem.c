/*
 * train_problem.c - randsvm-train: the training problem of data and options, checked as svm-train does
 *
 *     read_training_rows()   rows, and their weights
 *     check_problem()        refuse data and parameters that do not fit; make the machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "kernel/precomputed.h"
#include "matrix/full_weights.h"
#include "train.h"

void read_training_rows(struct training_job *job)
{
	if (!train_ranks_read(job))
		cli_read_rows(&job->run, &job->data, &given.data);
	job->deadline = given.time_limit > 0 ? job->run.started + given.time_limit : INFINITY;
	job->n_file_rows = job->data.x.n_rows;
	if (makes_folds())
		cli_group_rows(&job->data, &given.common, given.data_name);
	if (given.row_weights)
		job->file_row =
			cli_weigh_rows(&job->data, NULL, given.row_weights, given.data_name);
	/*
	 * malloc() gives large blocks back to the system at once, which clears them when they are
	 * asked for again.  Each pair of classes asks for the same sizes; 32 MB is the most that
	 * M_MMAP_THRESHOLD may be.  Not before the data are read: arrays that grow would leave what
	 * they were in behind, 60 MB, where the system's are moved without a copy.
	 */
	if (mem_bound() == 0)
		memory_give_back(32 << 20, 256 << 20);
	cli_run_phase(&job->run, "read");
	job->reading = cli_cpu_seconds();
}

/* LIBSVM takes entry j of row i for K(i, j) and ignores its index: each column must be there. */
static void check_kernel_row(const struct dataset *d, int64_t i)
{
	int64_t first = d->x.row_start[i], n = d->x.row_start[i + 1] - first;

	if (n == 0 || d->x.col[first] != 0)
		cli_fail("Wrong input format: first column must be 0:sample_serial_number "
			 "(%s: example %" PRId64 ")",
			 given.data_name, i + 1);
	if (!(d->x.val[first] >= 1 && d->x.val[first] <= (double)d->max_index))
		cli_fail("Wrong input format: sample_serial_number out of range "
			 "(%s: example %" PRId64 ")",
			 given.data_name, i + 1);
	if (n != d->max_index + 1)
		cli_fail("Wrong input format: a kernel row needs columns 0 to %" PRId64
			 ", zeros included (%s: example %" PRId64 ")",
			 d->max_index, given.data_name, i + 1);
}

/* Refuse a training whose model LIBLINEAR's files cannot hold, or hardly. */
static void check_liblinear(const struct training_job *job, const char *option)
{
	const int64_t n_columns = is_one_vs_rest() ? one_vs_rest_count(job->machine.classes.n) : 1;
	const struct csr *x = &job->data.x;
	struct error err = { 0 };

	if (job_classifies(job) && job->machine.classes.n != 2 && !is_one_vs_rest())
		cli_fail("--model-format liblinear is for two classes, and %s has %d; try "
			 "--multiclass ovr or --compact",
			 given.data_name, job->machine.classes.n);
	if (is_one_vs_rest() && job->machine.classes.n < 2)
		cli_fail("%s: %s has a single class", one_vs_rest_option(), given.data_name);
	if (full_weights_check(job->data.max_index, n_columns, csr_n_entries(x), &err) < 0)
		cli_fail("%s: %s: %s; without the option features may have any number", option,
			 given.data_name, cli_error(&err));
	for (int64_t i = 0; i < x->n_rows; i++) {
		int64_t first = x->row_start[i];

		if (first < x->row_start[i + 1] && x->col[first] == 0 && x->val[first] != 0)
			cli_fail("%s: LIBLINEAR's features begin with 1, and there is a 0 "
				 "(%s: example %" PRId64 "); svm-convert --zero-based in adds 1",
				 option, given.data_name, i + 1);
	}
}

/* Refuse rows that are no kernel's, and warn where svm-train and LIBSVM's users have trained. */
static void check_kernel(const struct dataset *d)
{
	struct error err = { 0 };
	int ret;

	for (int64_t i = 0; i < d->x.n_rows; i++)
		check_kernel_row(d, i);
	ret = precomputed_check_numbers(&d->x, &err);
	if (ret < 0 && settings.mode != MODE_DIRECT)
		cli_fail("%s: %s", given.data_name, err.text);
	if (ret == 0)
		ret = precomputed_check_symmetry(&d->x, &err);
	if (err.code == ERR_MEMORY)
		cli_fail("%s", err.text);
	if (ret < 0)
		cli_warn("warning: %s: %s", given.data_name, err.text);
}

/* End the program with svm-train's words for what it refuses too. */
static _Noreturn void refuse_machine(const struct machine *m, const struct error *err)
{
	switch (err->code == ERR_MEMORY ? FAULT_NONE : m->fault.kind) {
	case FAULT_NUMBER:
	case FAULT_NU:
		cli_fail("ERROR: %s", err->text);
	case FAULT_WEIGHT:
		cli_fail("ERROR: weight < 0");
	case FAULT_LABELS:
		cli_fail("Wrong input format: %s: %s%s", given.data_name, err->text,
			 err->code == ERR_FORMAT ? "; for a regression say -s 3" : "");
	case FAULT_CLASSES:
		cli_fail("%s: %s; for a regression say -s 3", given.data_name, err->text);
	case FAULT_MARKS:
		cli_refuse("-W is not for -s 2 with -b 1: LIBSVM's marks of a one-class model "
			   "count rows, not weights");
	default:
		cli_fail("%s", err->text);
	}
}

void init_machine(struct training_job *job, const struct machine_given *asked)
{
	struct error err = { 0 };

	if (machine_init(&job->machine, &job->data, asked, &err) < 0)
		refuse_machine(&job->machine, &err);
}

void check_problem(struct training_job *job, const struct machine_given *asked)
{
	struct error err = { 0 };
	int version = INT_MAX;

	if (given.kernel_type == KERNEL_PRECOMPUTED)
		check_kernel(&job->data);
	init_machine(job, asked);
	/* svm-predict, as installed, reads a one-class SVM's probabilities from 3.30 on */
	if (given.svm_type == MACHINE_ONE_CLASS && given.probability)
		cli_check(libsvm_version_number(&version, &err), &err);
	if (version < 330)
		cli_fail("ERROR: one-class SVM probability output not supported yet");
	if (asked->balanced)
		cli_tell_weights(&job->run, &job->machine.training, &job->machine.classes);
	job->result.n_pairs = machine_n_problems(&job->machine);
	train_ranks_look(job);
	if (is_one_vs_rest())
		check_liblinear(job, one_vs_rest_option());
	else if (settings.model_format == FORMAT_LIBLINEAR)
		check_liblinear(job, "--model-format liblinear");
}

void report_data(struct training_job *job)
{
	struct report *r = report_object(job->run.report, "data");
	double weight = 0;

	report_text(r, "file", given.data_name);
	report_count(r, "rows", job->data.x.n_rows);
	for (int64_t i = 0; given.row_weights && i < job->data.x.n_rows; i++)
		weight += dataset_weight(&job->data, i);
	if (given.row_weights)
		report_number(r, "weight", weight);
	if (job->data.group)
		report_count(r, "groups", cli_count_groups(&job->data, NULL, job->data.x.n_rows));
	report_count(r, "entries", csr_n_entries(&job->data.x));
	report_count(r, "max_index", job->data.max_index);
	report_count(r, "classes", job_classifies(job) ? job->machine.classes.n : 0);
	report_number(r, "gamma", job->machine.training.kernel.gamma);
	if (r)
		report_count(r, "crc32", train_checksum(job));
}
