/*
 * direct.c - who trains: LIBSVM on the whole data, or random working sets
 *
 * LIBSVM trains one class alone, and pairs of classes of a few examples each, where starting our
 * solvers for a pair costs more than solving it; so it does regressions of a few examples.
 * Machines of nu it trains in other modes than exact (one-class and nu-SVR: and budget).  All else
 * our solvers train, however small: 270 rows take them a millisecond, as they take LIBSVM, and 2,000
 * rows a tenth of its time.
 *
 * direct_reason() answers before anything is trained, by sizes and options; only for tiny pairs it
 * looks at the rows, O(entries), to see whether LIBSVM would need many steps
 * (is_hard_for_libsvm()).  A reason is a text for the report, and NULL means that trainer.c trains.
 *
 * direct_check() looks at LIBSVM's solution, which comes without a certificate:
 *
 *     nu-SVC     half the margin is r = nu n / (2 S), S being the sum of a class's coefficients,
 *                which LIBSVM has divided by r; an r within the tolerance is refused
 *     others     multipliers whose square overflows have no objective, and are refused
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/trainer.h"

/*
 * LIBSVM takes 1 us for a pair of two examples, our own solvers take 8 and the linear engine 16,
 * most of it before the first step.  At 20 examples a pair the linear engine on two threads is
 * as fast as LIBSVM and at 50 much faster; the others are as fast at 10.
 */
#define TINY_LINEAR_PAIR 16
#define TINY_PAIR 4

/*
 * The largest C K(x, x) for which LIBSVM gets tiny pairs.  It needs more steps the larger that is,
 * and above some 1e4 its limit of steps ends it far from the optimum; our solvers do not slow down.
 */
#define LIBSVM_SCALE 1e3

/*
 * Is the largest C K(x, x), class weights aside, above LIBSVM_SCALE, or not finite?  True of rows
 * that are no precomputed kernel's.  Our training says what is wrong with those, and with kernels
 * that overflow, of which LIBSVM's cross validation makes predictions all the same.
 */
static bool is_hard_for_libsvm(const struct trainer *t)
{
	const struct kernel *kernel = &t->training->kernel;
	const struct csr *x = &t->data->x;
	struct error err = { 0 };
	double largest = 0;

	if (kernel->type == KERNEL_PRECOMPUTED && precomputed_check(x, &err) < 0)
		return true;
	for (int64_t i = 0; i < x->n_rows; i++) {
		double diagonal = kernel->type == KERNEL_PRECOMPUTED ?
					  precomputed_value(x, i, i) :
					  kernel_diagonal(kernel, csr_row_norm2(x, i));

		if (!isfinite(diagonal))
			return true;
		largest = fmax(largest, diagonal);
	}
	return t->training->C * largest > LIBSVM_SCALE;
}

/* Are pairs so small that the fixed cost of a problem is most of the work of mode exact? */
static bool pairs_are_tiny(const struct trainer *t, const struct classes *classes)
{
	int64_t tiny = t->training->kernel.type == KERNEL_LINEAR ? TINY_LINEAR_PAIR : TINY_PAIR;
	int64_t n = classes ? classes_largest_pair(classes) : t->data->x.n_rows;

	return !t->training->squared_loss && n <= tiny && randsvm_sample_size(t->options, n) == n;
}

/*
 * Is there nothing to sample?  In the published modes, in budget, and with LIBSVM as the solver: if
 * the first sample would hold the examples of every pair.  In mode exact: if all pairs are tiny,
 * and LIBSVM is not slow on them.  Of rows that lie far from 0 LIBSVM's rbf kernel has no digit
 * right, and our solvers train them where they may.
 */
static bool one_sample_does(const struct trainer *t, const struct classes *classes)
{
	int64_t n = t->data->x.n_rows;

	if (t->solver->warm_start && kernel_has_far(&t->training->kernel, &t->data->x))
		return false;
	if (t->options->mode == WORKING_SET_EXACT && t->solver->warm_start)
		return pairs_are_tiny(t, classes) &&
		       ((classes && classes_largest_pair(classes) == 2) || !is_hard_for_libsvm(t));
	if (!classes)
		return randsvm_sample_size(t->options, n) == n;
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++) {
			n = classes_size(classes, a) + classes_size(classes, b);
			if (randsvm_sample_size(t->options, n) < n)
				return false;
		}
	return true;
}

/*
 * Why LIBSVM trains a machine of nu; NULL: our own solvers do.  That there are few examples is no
 * reason here, as it is for other machines: the constants of LIBSVM's model may then be infinite.
 */
static const char *reason_of_nu(const struct trainer *t)
{
	if (t->options->mode == WORKING_SET_BUDGET && t->training->type == MACHINE_NU_SVC)
		return "nu-SVC has working sets in mode exact alone";
	if (t->options->mode != WORKING_SET_EXACT && t->options->mode != WORKING_SET_BUDGET)
		return "machines of nu have working sets in modes exact and budget alone";
	if (!t->solver->warm_start)
		return "machines of nu have working sets with the native solver alone";
	return NULL;
}

const char *direct_reason(const struct trainer *t, const struct classes *classes)
{
	if (classes && classes->n == 1)
		return "there is only one class";
	/* LIBSVM knows no weights of rows */
	if (t->data->weight)
		return NULL;
	if (machine_fixes_sums(t->training->type))
		return reason_of_nu(t);
	if (one_sample_does(t, classes))
		return "the sample would hold the whole set";
	return NULL;
}

/* Does LIBSVM's nu-SVC model of each pair have a margin above the tolerance? */
static int check_margins(const struct trainer *t, const struct classes *classes,
			 const struct solution *s, struct error *err)
{
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++) {
			const double n =
				(double)(classes_size(classes, a) + classes_size(classes, b));
			const struct solution_side side = solution_side(s, a, b);
			/* coefficients of class a, the first of the two, are positive */
			const double sum = sum_of_sizes(side.coef + side.first, side.n);

			/* half the margin is r of direct_check() */
			if (!(t->training->nu * n / 2 / sum > t->training->eps))
				return trainer_error_no_margin(t, classes->label[a],
							       classes->label[b], false, err);
		}
	return 0;
}

int direct_check(const struct trainer *t, const struct classes *classes, const struct solution *s,
		 struct error *err)
{
	double sum;

	if (t->training->type == MACHINE_NU_SVC)
		return check_margins(t, classes, s, err);
	sum = sum_of_sizes(s->coef, s->n_sv);
	if (isfinite(sum * sum))
		return 0;
	return error_set(
		err, ERR_NUMERIC,
		"no finite solution: multipliers of %g are too large for an objective; try "
		"a smaller -c, or scale the data",
		sum);
}
