/*
 * train_problem.c - randsvm-train: the training problem of data and options, checked as svm-train does
 *
 *     read_training_rows()   rows, and their weights
 *     make_training()        parameters of the machine
 *     check_problem()        refuse data and parameters that do not fit; classes, weights, pairs
 *     remark_data()          advice about the data, before training
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "common/options.h"
#include "common/process.h"
#include "common/read_rows.h"
#include "kernel/precomputed.h"
#include "matrix/full_weights.h"
#include "train.h"
#include "train_remarks.h"

/* svm-train's default of -m, for LIBSVM alone; working sets take a quarter of the memory */
#define SVM_TRAIN_CACHE_MB 100

void read_training_rows(struct training_job *job)
{
	cli_read_rows(&job->data, settings.data_name, &settings.common, &job->display.progress);
	job->n_file_rows = job->data.x.n_rows;
	if (makes_folds())
		cli_group_rows(&job->data, &settings.common, settings.data_name);
	if (settings.row_weights)
		job->file_row = cli_weigh_rows(&job->data, NULL, settings.row_weights,
					       settings.data_name, settings.common.quiet);
}

/* LIBSVM takes entry j of row i for K(i, j) and ignores its index: each column must be there. */
static void check_kernel_row(const struct dataset *d, int64_t i)
{
	int64_t first = d->x.row_start[i], n = d->x.row_start[i + 1] - first;

	mem_trim();
	if (n == 0 || d->x.col[first] != 0)
		cli_fail("Wrong input format: first column must be 0:sample_serial_number "
			 "(%s: example %" PRId64 ")",
			 settings.data_name, i + 1);
	if (!(d->x.val[first] >= 1 && d->x.val[first] <= (double)d->max_index))
		cli_fail("Wrong input format: sample_serial_number out of range "
			 "(%s: example %" PRId64 ")",
			 settings.data_name, i + 1);
	if (n != d->max_index + 1)
		cli_fail("Wrong input format: a kernel row needs columns 0 to %" PRId64
			 ", zeros included (%s: example %" PRId64 ")",
			 d->max_index, settings.data_name, i + 1);
}

/* Refuse a training whose model LIBLINEAR's files cannot hold, or hardly. */
static void check_liblinear(const struct training_job *job, const char *option)
{
	const int64_t n_columns = is_one_vs_rest() ? one_vs_rest_count(job->classes.n) : 1;
	const struct csr *x = &job->data.x;
	struct error err = { 0 };

	if (job->classifies && job->classes.n != 2 && !is_one_vs_rest())
		cli_fail("%s: --model-format liblinear is for two classes, and %s has %d; try "
			 "--multiclass ovr or --compact",
			 cli_program_name(), settings.data_name, job->classes.n);
	if (is_one_vs_rest() && job->classes.n < 2)
		cli_fail("%s: --multiclass ovr: %s has a single class", cli_program_name(),
			 settings.data_name);
	if (full_weights_check(job->data.max_index, n_columns, csr_n_entries(x), &err) < 0)
		cli_fail("%s: %s: %s: %s; without the option features may have any number",
			 cli_program_name(), option, settings.data_name, cli_error(&err));
	for (int64_t i = 0; i < x->n_rows; i++) {
		int64_t first = x->row_start[i];

		mem_trim_at(i);
		if (first < x->row_start[i + 1] && x->col[first] == 0 && x->val[first] != 0)
			cli_fail("%s: %s: LIBLINEAR's features begin with 1, and there is a 0 "
				 "(%s: example %" PRId64 "); svm-convert --zero-based in adds 1",
				 cli_program_name(), option, settings.data_name, i + 1);
	}
}

void make_training(struct training_job *job)
{
	const struct dataset *d = &job->data;

	job->training = (struct training){
		.type = (enum machine_type)settings.svm_type,
		.kernel = { .type = (enum kernel_type)settings.kernel_type,
			    .degree = (int)settings.degree,
			    .gamma = settings.gamma,
			    .coef0 = settings.coef0 },
		.C = settings.C,
		.nu = settings.nu,
		.p = settings.p,
		.cache_mb = isnan(settings.cache_mb) ? SVM_TRAIN_CACHE_MB : settings.cache_mb,
		.eps = settings.eps,
		.shrinking = (int)settings.shrinking,
		.probability = (int)settings.probability,
		.squared_loss = settings.loss == LOSS_SQUARED,
		.n_weights = (int)settings.weights.n,
		.weight = settings.weights.weight,
	};
	if (settings.gamma == 0 && d->max_index > 0)
		job->training.kernel.gamma = 1.0 / (double)d->max_index;
}

/*
 * -w auto: the weight of class c is n / (classes n_c), so that C times the examples is the same for
 * all classes, and all together is what it is without weights.  Rows with weights are counted by
 * them.
 */
static void balance_classes(struct training_job *job)
{
	const struct classes *c = &job->classes;
	struct report *array = report_array(job->record.report, "class_weights");
	struct error err = { 0 };
	double all = 0;

	for (int k = 0; k < c->n; k++)
		all += classes_weight(c, k, &job->data);
	for (int k = 0; k < c->n; k++) {
		double factor =
			classes_balanced_weight(all, c->n, classes_weight(c, k, &job->data));
		struct report *item = report_item(array);

		if (mem_grow(&settings.weights.weight, &settings.weights.capacity,
			     settings.weights.n + 1, sizeof(*settings.weights.weight), &err) < 0)
			cli_fail("%s: %s", cli_program_name(), err.text);
		settings.weights.weight[settings.weights.n++] =
			(struct class_weight){ c->label[k], factor };
		job->training.n_weights = (int)settings.weights.n;
		job->training.weight = settings.weights.weight;
		/* weight of the class by -wi */
		factor = classes_c(&job->training, c->label[k]) / job->training.C;
		report_count(item, "label", c->label[k]);
		report_number(item, "weight", factor);
		if (!settings.common.quiet)
			fprintf(job->display.info, "weight of class %d = %g\n", c->label[k],
				factor);
	}
}

/* Can svm-predict, as installed, read a one-class SVM's probabilities?  It can from 3.30 on. */
static bool can_predict_densities(void)
{
	struct error err = { 0 };
	int version;

	if (libsvm_version_number(&version, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	return version >= 330;
}

/* Find the reason for which svm-train refuses the parameters. */
static const char *find_fault(const struct training *t)
{
	const char *fault = training_fault(t);

	if (fault)
		return fault;
	if (t->type == MACHINE_ONE_CLASS && t->probability && !can_predict_densities())
		return "one-class SVM probability output not supported yet";
	for (int i = 0; i < t->n_weights; i++)
		if (t->weight[i].factor < 0)
			return "weight < 0";
	return NULL;
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
		cli_fail("%s: %s: %s", cli_program_name(), settings.data_name, err.text);
	if (ret == 0)
		ret = precomputed_check_symmetry(&d->x, &err);
	if (err.code == ERR_MEMORY)
		cli_fail("%s: %s", cli_program_name(), err.text);
	if (ret < 0)
		cli_warn("warning: %s: %s", settings.data_name, err.text);
}

/* Rows 1, 2, ... with more columns may be a part of a kernel's rows, or have a column too many. */
static void remark_kernel(const struct dataset *d)
{
	const struct csr *x = &d->x;

	for (int64_t i = 0; i < x->n_rows; i++) {
		mem_trim();
		if (x->val[x->row_start[i]] != (double)(i + 1))
			return;
	}
	if (d->max_index > x->n_rows)
		cli_note("rows have %" PRId64 " kernel values, and there are %" PRId64
			 " rows: training uses the values of these rows alone",
			 d->max_index, x->n_rows);
}

void check_problem(struct training_job *job)
{
	struct error err = { 0 };
	const char *fault;

	if (settings.kernel_type == KERNEL_PRECOMPUTED)
		check_kernel(&job->data);
	fault = find_fault(&job->training);
	if (fault)
		cli_fail("ERROR: %s", fault);
	job->classifies = machine_classifies(job->training.type);
	if (job->classifies && classes_init(&job->classes, &job->data, &err) < 0)
		cli_fail("Wrong input format: %s: %s%s", settings.data_name, err.text,
			 err.code == ERR_FORMAT ? "; for a regression say -s 3" : "");
	if (job->classifies && classes_check_number(job->classes.n, &err) < 0)
		cli_fail("%s: %s: %s; for a regression say -s 3", cli_program_name(),
			 settings.data_name, err.text);
	if (job->training.type == MACHINE_NU_SVC &&
	    !classes_allow_nu(&job->classes, &job->data, job->training.nu))
		cli_fail("ERROR: specified nu is infeasible");
	if (settings.weights.automatic)
		balance_classes(job);
	job->result.n_pairs = job->classifies ? solution_n_pairs(job->classes.n) : 1;
	if (is_one_vs_rest()) {
		job->result.n_pairs = one_vs_rest_count(job->classes.n);
		check_liblinear(job, "--multiclass ovr");
	} else if (settings.model_format == FORMAT_LIBLINEAR) {
		check_liblinear(job, "--model-format liblinear");
	}
}

/*
 * Several classes of sparse rows, a pair of which has fewer rows than there are features: pairs can
 * then mostly be separated in many ways, and each of them sees too few rows to choose a good one.
 */
#define SPARSE 0.1

static void suggest_one_vs_rest(const struct training_job *job)
{
	const struct csr *x = &job->data.x;
	double cells = (double)x->n_rows * (double)job->data.max_index;

	if (is_one_vs_rest() || settings.kernel_type != KERNEL_LINEAR || settings.svm_type != 0 ||
	    settings.mode != MODE_EXACT || job->classes.n < 3)
		return;
	if (job->data.max_index > classes_largest_pair(&job->classes) &&
	    (double)csr_n_entries(x) < SPARSE * cells)
		cli_note("%d classes of sparse rows: --multiclass ovr is often more accurate",
			 job->classes.n);
}

/* Note likely slips, which is not done with -q; returns whether features are of unlike sizes. */
static bool note_slips(const struct training_job *job)
{
	bool unlike;

	if (settings.common.quiet)
		return false;
	if (job->classifies && cli_given("-v"))
		train_remarks_folds(&job->classes, &job->data, settings.n_folds);
	if (!cli_given("-t") || settings.kernel_type == KERNEL_LINEAR)
		train_remarks_type(&job->data, job->training.type);
	train_remarks_tube(&job->data, &job->training);
	unlike = train_remarks_features(&job->data, &job->training, settings.data_name);
	if (settings.kernel_type == KERNEL_PRECOMPUTED)
		remark_kernel(&job->data);
	suggest_one_vs_rest(job);
	return unlike;
}

/*
 * Note likely slips, and warn where the result is likely to be chance; --mode direct writes on
 * standard error only what svm-train writes there.
 */
void remark_data(const struct training_job *job)
{
	if (settings.mode == MODE_DIRECT)
		return;
	if (job->classifies)
		train_remarks_classes(&job->classes, settings.data_name);
	if (!note_slips(job))
		train_remarks_alone(&job->data.x, &job->training.kernel);
	if (cli_given("-v"))
		train_remarks_choice(&job->data, &job->training.kernel);
	if (settings.gamma == 0)
		train_remarks_gamma(&job->data, &job->training.kernel);
}

/* Sum of the weights of all rows. */
static double weight_of_rows(const struct dataset *d)
{
	double sum = 0;

	for (int64_t i = 0; i < d->x.n_rows; i++)
		sum += d->weight ? d->weight[i] : 1;
	return sum;
}

void report_data(struct training_job *job)
{
	struct report *r = report_object(job->record.report, "data");

	report_text(r, "file", settings.data_name);
	report_count(r, "rows", job->data.x.n_rows);
	if (settings.row_weights)
		report_number(r, "weight", weight_of_rows(&job->data));
	if (job->data.group)
		report_count(r, "groups", cli_count_groups(&job->data, NULL, job->data.x.n_rows));
	report_count(r, "entries", csr_n_entries(&job->data.x));
	report_count(r, "max_index", job->data.max_index);
	report_count(r, "classes", job->classifies ? job->classes.n : 0);
	report_number(r, "gamma", job->training.kernel.gamma);
	if (r)
		report_count(r, "crc32", dataset_checksum(&job->data));
}
