/*
 * train_remarks.c - what in a training set is probably a slip
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "kernel/kernel_lanes.h"
#include "train.h"

/*
 * Ratio of the widest feature's range to the narrowest's that is worth a note.  Values in bytes, as
 * in pictures, may have 255 without being of unlike kinds.
 */
#define RANGE_RATIO 300

/* Range of a feature's values, of which there are n; all other values are 0. */
struct feature_range {
	double low, high;
	int64_t n;
};

static void widen(struct feature_range *r, double value)
{
	if (value < r->low || r->n == 0)
		r->low = value;
	if (value > r->high || r->n == 0)
		r->high = value;
	r->n++;
}

/* Ratio of the widest range to the narrowest, of features that vary; 1 if no feature varies. */
static double range_ratio(struct feature_range *range, int64_t n_features, int64_t n_rows)
{
	double widest = 0, narrowest = 0;

	for (int64_t j = 0; j < n_features; j++) {
		struct feature_range *r = &range[j];
		double width;

		if (r->n > 0 && r->n < n_rows)
			widen(r, 0);
		width = r->high - r->low;
		if (width > 0 && (narrowest == 0 || width < narrowest))
			narrowest = width;
		widest = fmax(widest, width);
	}
	return narrowest > 0 ? widest / narrowest : 1;
}

/* Note unlike feature ranges, unless features outnumber entries, as in texts; returns whether so. */
static bool remark_sizes(const struct dataset *d)
{
	int64_t n_features = d->max_index + 1, n_entries = csr_n_entries(&d->x);
	struct feature_range *range;
	struct error err = { 0 };
	double ratio;

	if (n_features > n_entries)
		return false;
	range = mem_zeroed(n_features, sizeof(*range), &err);
	if (!range)
		return false; /* without memory there is no remark, which is not worth a failure */
	for (int64_t k = 0; k < n_entries; k++)
		widen(&range[d->x.col[k]], d->x.val[k]);
	ratio = range_ratio(range, n_features, d->x.n_rows);
	mem_free(range);
	if (ratio > RANGE_RATIO)
		cli_note(
			"features differ in size by a factor of %.3g: scaling them alike (rp-project -m scale) "
			"may help much",
			ratio);
	return ratio > RANGE_RATIO;
}

/*
 * So few of the features occur that 1 over the highest is a narrow default of gamma: a choice of
 * features, which keep their numbers.  Texts have few words each, but together most of them.
 */
#define USED_SHARE 0.1

/*
 * How many features have values other than 0, where these are less than that share of all; else 0,
 * also without memory.  Training makes such a map, too.
 */
static int64_t count_chosen(const struct dataset *d, double share)
{
	const struct csr *x = &d->x;
	const double enough = share * (double)d->max_index;
	const int64_t n_entries = csr_n_entries(x);
	struct column_map used = { 0 };
	struct error err = { 0 };
	int64_t n;

	for (int64_t k = 0; k < n_entries && (double)used.n < enough; k++)
		if (x->val[k] != 0 && column_map_add(&used, x->col[k], &err) < 0)
			break;
	n = err.code == ERR_NONE && (double)used.n < enough ? used.n : 0;
	column_map_free(&used);
	return n;
}

/*
 * Warn where the default of gamma counts ten times the features there are
 *
 * For kernels that have a gamma.  O(entries) at most: it ends where enough features are seen, which
 * with dense rows is in the first one.
 */
static void remark_gamma(const struct dataset *d, const struct kernel *k)
{
	int64_t n_used;

	if (k->type == KERNEL_LINEAR || k->type == KERNEL_PRECOMPUTED)
		return;
	n_used = count_chosen(d, USED_SHARE);
	if (n_used > 0)
		cli_warn("warning: %" PRId64 " of %" PRId64
			 " features have values: gamma is 1/%" PRId64 " by default, and 1/%" PRId64
			 " with -g %.3g",
			 n_used, d->max_index, d->max_index, n_used, 1 / (double)n_used);
}

/* Number of rows looked at; of these so many must be alone, whose kernel values are below ALONE. */
enum { ROWS_SEEN = 30, ROWS_ALONE = 20 };
#define ALONE 0.01

/* Is no other row within a squared distance of 'near' of row i? */
static bool is_alone(const struct csr *x, int64_t i, double near)
{
	for (int64_t j = 0; j < x->n_rows; j++)
		if (j != i &&
		    kernel_distance2(csr_row_of(x, i), NULL, csr_row_of(x, j), near) <= near)
			return false;
	return true;
}

/*
 * Warn where gamma is so large that most rows are alone in an rbf kernel
 *
 * Each row is then a support vector, and a row that is near none gets the constant.  Looks at some
 * rows, at each until another one is near, and at each of these until it is not: a part of the
 * entries where rows are alone, else next to nothing.
 */
static void remark_alone(const struct csr *x, const struct kernel *k)
{
	const double near = -log(ALONE) / k->gamma;
	int64_t n_alone = 0, n = x->n_rows;
	double sum = 0;

	if (k->type != KERNEL_RBF || n < ROWS_SEEN)
		return;
	for (int64_t s = 0; s < ROWS_SEEN; s++) {
		const struct csr_row row = csr_row_of(x, s * n / ROWS_SEEN);

		n_alone += is_alone(x, s * n / ROWS_SEEN, near);
		for (int64_t t = 0; t < s; t++)
			sum += kernel_distance2(row, NULL, csr_row_of(x, t * n / ROWS_SEEN),
						INFINITY);
	}
	if (n_alone >= ROWS_ALONE)
		cli_warn(
			"warning: of %d rows %d have no other row near, all kernel values below %g: a model "
			"is a constant elsewhere; scale the features (rp-project -m scale), or say "
			"-g %.1g",
			ROWS_SEEN, (int)n_alone, ALONE, (double)ROWS_SEEN * (ROWS_SEEN - 1) / sum);
}

/*
 * Warn of cross validation where so few features have values that they were probably chosen
 *
 * Chosen by all rows, features tell even labels at random apart.  Dense rows, with values in half of
 * what is used, have values in nearly all features, unless these were chosen: less than half is few.
 * O(entries) at most, as above.
 */
static void remark_choice(const struct dataset *d, const struct kernel *k)
{
	int64_t n_used = k->type == KERNEL_PRECOMPUTED ? 0 : count_chosen(d, 0.5);

	if ((double)csr_n_entries(&d->x) < 0.5 * (double)n_used * (double)d->x.n_rows)
		n_used = count_chosen(d, USED_SHARE);
	if (n_used > 0)
		cli_warn(
			"warning: %" PRId64 " of %" PRId64
			" features have values: if they were chosen by these rows, cross validation "
			"promises too much; choose by the training part of each fold",
			n_used, d->max_index);
}

/* Are the labels 1 and -1, and do both occur? */
static bool are_signs(const struct dataset *d)
{
	bool positive = false, negative = false;

	for (int64_t i = 0; i < d->x.n_rows; i++) {
		if (fabs(d->y[i]) != 1)
			return false;
		positive = positive || d->y[i] > 0;
		negative = negative || d->y[i] < 0;
	}
	return positive && negative;
}

/*
 * A note where two classes are trained by a machine that tells none apart
 *
 * The types of liblinear-train, which has no -t, have other numbers.
 */
static void remark_type(const struct dataset *d, enum machine_type type)
{
	if (machine_classifies(type) || !are_signs(d))
		return;
	if (type == MACHINE_ONE_CLASS)
		cli_note("-s 2 is a one-class SVM, which does not look at the labels 1 and -1; "
			 "LIBLINEAR's -s 2 is -t 0 --loss squared");
	else
		cli_note("-s %d is a regression, and its targets are 1 and -1: -s 0 classifies; "
			 "LIBLINEAR's -s 3 is -t 0",
			 (int)type);
}

/* Note that the tube of epsilon-SVR has room for all targets */
static void remark_tube(const struct dataset *d, const struct training *t)
{
	double low = d->y[0], high = d->y[0];

	if (t->type != MACHINE_EPSILON_SVR)
		return;
	for (int64_t i = 1; i < d->x.n_rows; i++) {
		low = fmin(low, d->y[i]);
		high = fmax(high, d->y[i]);
	}
	if (high - low <= 2 * t->p)
		cli_note("no target is further than -p %g from %g: the model is a constant", t->p,
			 low + (high - low) / 2);
}

/* Number of rows, or of their groups, that are at the places from 'first' to 'end' of c->row. */
static int64_t count_units(const struct classes *c, const struct dataset *d, int64_t first,
			   int64_t end)
{
	return d->group ? cli_count_groups(d, c->row + first, end - first) : end - first;
}

/*
 * A note on classes that have fewer rows, or groups, than there are folds; not where each row, or
 * group, is a fold of its own
 */
static void remark_folds(const struct classes *c, const struct dataset *d, int64_t n_folds)
{
	const char *units = d->group ? "groups" : "rows";
	int n_small = 0, n_single = 0;

	if (n_folds >= count_units(c, d, 0, c->start[c->n]))
		return;
	for (int k = 0; k < c->n; k++) {
		int64_t n = count_units(c, d, c->start[k], c->start[k + 1]);

		n_small += n < n_folds;
		n_single += n == 1;
	}
	if (n_small > 0 && n_single == 0)
		cli_note("%d of %d classes have fewer %s than there are folds: not every fold has "
			 "one of them",
			 n_small, c->n, units);
	else if (n_small > 0)
		cli_note("%d of %d classes have fewer %s than there are folds, %d of them a single "
			 "one, which is predicted by a model that does not know its class",
			 n_small, c->n, units, n_single);
}

/* Warn that so many classes are probably targets of a regression */
static void remark_classes(const struct classes *c, const char *name)
{
	if (!classes_look_like_targets(c))
		return;
	cli_warn("warning: %s: %d classes in %" PRId64 " rows, %" PRId64
		 " pairs to train; for a regression say -s 3",
		 name, c->n, c->start[c->n], (int64_t)c->n * (c->n - 1) / 2);
}

/* Rows 1, 2, ... with more columns may be a part of a kernel's rows, or have a column too many. */
static void remark_kernel(const struct dataset *d)
{
	const struct csr *x = &d->x;

	for (int64_t i = 0; i < x->n_rows; i++)
		if (x->val[x->row_start[i]] != (double)(i + 1))
			return;
	if (d->max_index > x->n_rows)
		cli_note("rows have %" PRId64 " kernel values, and there are %" PRId64
			 " rows: training uses the values of these rows alone",
			 d->max_index, x->n_rows);
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

	if (is_one_vs_rest() || given.kernel_type != KERNEL_LINEAR || given.svm_type != 0 ||
	    settings.mode != MODE_EXACT || job->machine.classes.n < 3)
		return;
	if (job->data.max_index > classes_largest_pair(&job->machine.classes) &&
	    (double)csr_n_entries(x) < SPARSE * cells)
		cli_note("%d classes of sparse rows: --multiclass ovr is often more accurate",
			 job->machine.classes.n);
}

/* ---- all of it ---- */

void remark_many_folds(const struct training_job *job)
{
	if (given.n_folds > job->data.x.n_rows && !job->data.group)
		cli_warn("WARNING: # folds > # data. Will use # folds = # data instead "
			 "(i.e., leave-one-out cross validation)");
}

/* Note likely slips, which is not done with -q; returns whether features are of unlike sizes. */
static bool note_slips(const struct training_job *job, bool of_search)
{
	const struct training *t = &job->machine.training;
	struct dataset shown;
	bool unlike;

	if (given.common.quiet)
		return false;
	if (job_classifies(job) && given.n_folds > 0)
		remark_folds(&job->machine.classes, &job->data, given.n_folds);
	if (!cli_given("-t") || given.kernel_type == KERNEL_LINEAR)
		remark_type(&job->data, t->type);
	if (!of_search)
		remark_tube(&job->data, t);
	train_ranks_show(&job->data, &shown);
	if (t->kernel.type != KERNEL_PRECOMPUTED && csr_has_column_0(&shown.x))
		cli_note("%s counts features from 0; test data must do so too", given.data_name);
	/* sizes matter where the kernel adds up products or squares of all features before it bends them */
	unlike = t->kernel.type != KERNEL_PRECOMPUTED && t->kernel.type != KERNEL_LINEAR &&
		 remark_sizes(&shown);
	if (shown.x.val != job->data.x.val)
		csr_free(&shown.x);
	if (of_search)
		return unlike;
	if (given.kernel_type == KERNEL_PRECOMPUTED)
		remark_kernel(&job->data);
	suggest_one_vs_rest(job);
	return unlike;
}

void remark_data(const struct training_job *job, bool of_search)
{
	const struct machine *m = &job->machine;
	const struct kernel *kernel = &m->training.kernel;
	bool unlike;

	if (settings.mode == MODE_DIRECT)
		return;
	if (job_classifies(job))
		remark_classes(&m->classes, given.data_name);
	if (of_search || (given.n_folds > 0 && job->data.x.val))
		remark_choice(&job->data, kernel);
	if (of_search) {
		remark_many_folds(job);
		if (job_classifies(job) && !job->run.file[FILE_MODEL].name)
			common_warn_weights(&m->training, m->classes.label, m->classes.n);
	}
	unlike = note_slips(job, of_search);
	/* what follows looks at the entries of all rows */
	if (of_search || !job->data.x.val)
		return;
	if (!unlike)
		remark_alone(&job->data.x, kernel);
	if (given.machine.training.kernel.gamma == 0)
		remark_gamma(&job->data, kernel);
}
