/*
 * selector_rows.c - the rows that features are chosen by: all, or the support vectors of a linear
 * SVM
 *
 * How this works.  The support vectors determine the machine: trained on them alone, with all
 * features, it is the same.  So a choice that keeps their geometry keeps its margin, and theirs is
 * the smaller problem (Paul, Magdon-Ismail, Drineas 2015, section 3: "supervised" selection).  The
 * machine is a C-SVC with the linear kernel, for several classes one for each pair, or an
 * epsilon-SVR; the rows that count are those with a multiplier that is not 0 in any of them, in the
 * order of the data.
 *
 * Nothing follows for the rows that are no support vectors: where all rows are to be kept, as for a
 * certificate of the data, the choice has to be unsupervised.
 *
 * Tests of single features ask how classes differ, which the rows between them alone cannot say:
 * for these all rows count, and no machine is trained.
 *
 * Labels are looked at if the machine or the method needs them, and must then be classes, unless it
 * is a regression.  An unsupervised method without labels takes any.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "select/selector_run.h"
#include "base/order.h"
#include "problem/solution.h"
#include "train/libsvm_adapter.h"
#include "train/machine.h"

/*
 * Most classes whose pairs are trained, two million: a machine of two rows takes some 10
 * microseconds, which a step of rfe spends anew, and the machines of 5000 classes 900 MB.
 */
#define PAIRED_CLASSES_MOST 2000

/* Kernel cache of the working sets, in 2^20 bytes: as randsvm-train -m 1000. */
#define CACHE_MB 1000

/* Refuse values that are not finite: they leave every distance and product undefined. */
static int check_values(const struct csr *x, struct error *err)
{
	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			if (!isfinite(x->val[k]))
				return error_set(err, ERR_NUMERIC,
						 "feature %" PRId32 " of row %" PRId64
						 " is not finite: nothing can be chosen by it",
						 x->col[k], i + 1);
	return 0;
}

/* Are the support vectors the rows that count? */
static bool needs_svm(const struct selector_options *o)
{
	/* a test of single features counts all rows, whatever the caller asked for */
	return !o->unsupervised && !selector_methods[o->method].all_rows;
}

/* Refuse classes of too many pairs to train: their labels are mostly targets, or names of rows. */
static int check_pairs(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	const int n = run->classes.n;
	const bool single = n == run->classes.start[n]; /* has each class one row? */

	if (n <= PAIRED_CLASSES_MOST || !(needs_svm(o) || selector_methods[o->method].pairs))
		return 0;
	/* a test of single features needs rows within the classes */
	return selector_fail(run, SELECTOR_TARGETS, err,
			     "%d classes%s have %" PRId64 " pairs, each to be trained: "
			     "there can be %d classes at most, or any number with %s",
			     n, single ? " of one row each" : "", solution_n_pairs(n),
			     PAIRED_CLASSES_MOST, single ? "bss, unsupervised" : "f");
}

/* List the classes; refuse a number of classes that the SVM or the method cannot handle. */
static int find_classes(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;
	const struct selector_method *method = &selector_methods[o->method];

	/* ERR_FORMAT says that the labels are no whole numbers */
	if (classes_init(&run->classes, run->data, err) < 0) {
		if (err->code == ERR_FORMAT)
			run->result->trouble = SELECTOR_LABELS_NO_CLASSES;
		return -1;
	}
	run->result->n_classes = run->classes.n;
	/* an SVM needs two classes */
	if (run->classes.n < 2 && needs_svm(o))
		return selector_fail(run, SELECTOR_ONE_CLASS, err,
				     "there is only one class, so no support vectors");
	if (check_pairs(run, err) < 0)
		return -1;
	/* any number of classes is for tests of single features alone */
	if (!method->all_rows && classes_check_number(run->classes.n, err) < 0) {
		run->result->trouble = SELECTOR_TARGETS;
		return -1;
	}
	if (run->classes.n < method->least_classes ||
	    (method->most_classes > 0 && run->classes.n > method->most_classes))
		return selector_fail(
			run, run->classes.n > 1 ? SELECTOR_MORE_CLASSES : SELECTOR_OTHER_TROUBLE,
			err, "%s is for two classes%s, not %d", select_method_names[o->method],
			method->most_classes > 0 ? "" : " or more", run->classes.n);
	return 0;
}

/*
 * The SVM on all rows, as randsvm-train -t 0 trains it: where the data are so small that it would
 * leave them to LIBSVM, so does this.
 */
static int train(struct selector_run *run, struct solution *solution, struct error *err)
{
	const struct machine_given given = { .training = run->training,
					     .options = { .seed = run->options->seed,
							  .n_threads = run->options->n_threads },
					     .takes_libsvm = true,
					     .cache_mb = CACHE_MB };
	const struct selector_observer none = { 0 },
				       *observer = run->observer ? run->observer : &none;
	const struct randsvm_observer rounds = { observer->round, observer->arg };
	struct machine m = { 0 };
	int ret = machine_init(&m, run->data, &given, err);

	m.trainer.rounds = &rounds;
	if (ret == 0 && m.direct_reason)
		ret = libsvm_train(run->data, &m.training, NULL, solution, err);
	else if (ret == 0)
		ret = trainer_run(&m.trainer, machine_classes(&m), solution, NULL, err);
	machine_free(&m);
	return ret;
}

/* Train an SVM, and make its support vectors the rows that count. */
static int take_support_vectors(struct selector_run *run, struct error *err)
{
	struct selector_result *r = run->result;
	struct solution solution = { 0 };

	selector_tell(run, SELECTOR_TRAINING);
	/* the support vectors of a machine that was interrupted are not those that count */
	if (train(run, &solution, err) < 0 || interruption_check(err) < 0) {
		solution_free(&solution);
		return -1;
	}
	/* row numbers of the support vectors go to the result; the rest of the solution is freed */
	r->row = solution.sv_row;
	r->n_rows = solution.n_sv;
	solution.sv_row = NULL;
	solution_free(&solution);
	selector_tell(run, SELECTOR_TRAINED);
	if (r->n_rows == 0)
		return selector_fail(run, SELECTOR_NO_SUPPORT_VECTORS, err,
				     "there are no support vectors");
	/* a solution lists rows by class; the result lists them in the order of the data */
	qsort(r->row, (size_t)r->n_rows, sizeof(*r->row), order_int64s);
	if (dataset_gather(&run->gathered, run->data, r->row, r->n_rows, err) < 0)
		return -1;
	run->part = &run->gathered;
	return 0;
}

int selector_find_rows(struct selector_run *run, struct error *err)
{
	const struct selector_options *o = run->options;

	run->training = (struct training){
		.type = o->regression ? MACHINE_EPSILON_SVR : MACHINE_C_SVC,
		.kernel = { .type = KERNEL_LINEAR },
		.C = o->C,
		.p = o->p,
		.cache_mb = TRAINING_USUAL_CACHE_MB,
		.eps = o->eps,
		.shrinking = 1,
		/* no machine of nu is trained; LIBSVM checks its nu all the same */
		.nu = 0.5,
	};
	/* all rows count unless the support vectors take their place below */
	run->part = run->data;
	run->result->n_rows = run->result->n_rows_given = run->data->x.n_rows;
	/* labels are classes if the machine or the method looks at them, but for a regression */
	if (check_values(&run->data->x, err) < 0 ||
	    (!o->regression && (needs_svm(o) || selector_methods[o->method].labels) &&
	     find_classes(run, err) < 0) ||
	    (needs_svm(o) && take_support_vectors(run, err) < 0))
		return -1;
	selector_tell(run, SELECTOR_ROWS);
	return 0;
}
