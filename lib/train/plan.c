/*
 * plan.c - how the pairs of classes of a training are solved, and which kernel values they share
 *
 * How this works.  Two questions are answered for a whole training, by sizes alone:
 *
 *     is_unsampled    every pair is optimised at once          mode exact, small largest pair
 *     shares          values within a class serve all pairs    more than two classes, likewise  (1)
 *
 * and from them, kernel by kernel:
 *
 *     plan_by_values()      linear kernels by values, where rows are few beside the columns     (2)
 *     plan_fits_floats()    are floats exact enough for the largest C K(x, x)?                  (3)
 *     plan_takes_matrix()   one matrix of doubles for all pairs                                 (4)
 *     plan_has_room()       tiles or matrix within half of the kernel cache                     (5)
 *
 * Everything is a function of data and options alone; (5) changes how fast values come, not what
 * they are.  The sizes at which one way becomes faster than another were measured and stand beside
 * the constants.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/plan.h"

#include <math.h>

#include "base/mem.h"
#include "problem/decision.h"
#include "smo/smo_sets.h"

/*
 * Largest share of the kernel cache that values shared by all pairs of classes may take: the rows
 * of kernel values that a pair works with need the rest.
 */
#define SHARED_SHARE 0.5

/*
 * Examples of a pair up to which a linear kernel is solved by its values however few the columns
 * are: two classes of 61 rows of 20 columns take 70 us so, and 200 us by the linear engine.
 */
#define MOST_BY_VALUES 200

/*
 * With more columns, examples for each of them: usps (256 columns, up to 8.6 times as many
 * examples) takes .31 s by values and .83 by weights at C = 1, .75 and .82 at C = 100; dna (180
 * columns, 13 times) .07 and .06, .09 and .05; letter.scale (16 columns, 75 times) .24 and .39, 1.5
 * and .36.
 */
#define BY_VALUES_A_COLUMN 10

/*
 * Rows up to which pairs have their kernel values from a matrix of all rows, 128 MB of doubles, and
 * up to which several trainings on subsets have, 512 MB.
 */
#define MOST_IN_MATRIX 4096
#define MOST_SHARED 8192

/*
 * Trainings on subsets share a matrix if rows have this many entries, so that kernel values are
 * expensive; or if a row's entries, times the trainings that it takes part in, are as many as the
 * rows.  Without a matrix each training prepares its rows, which takes some 20 ns for an entry; the
 * system takes as long to provide 8 bytes of a matrix.
 */
#define LONG_ROW 400

/*
 * Plan of the training.  Kernel values are not shared where pairs are sampled, since a sample has
 * few of a class's rows; nor with squared losses, which are the linear engine's.
 */
struct plan plan_make(const struct trainer *t, const struct classes *classes)
{
	const struct randsvm_options *o = t->options;
	/* LIBSVM as the solver has no warm start, and is given working sets */
	bool is_exact = o->mode == WORKING_SET_EXACT && t->solver->warm_start;
	struct plan plan = {
		.t = t,
		.classes = classes,
		.n_largest = classes ? classes_largest_pair(classes) : t->data->x.n_rows,
	};

	/* the largest pair decides, so that all pairs are solved in the same way */
	plan.is_unsampled = is_exact && randsvm_takes_all(o, plan.n_largest);
	plan.shares = classes && classes->n > 2 && !t->training->squared_loss &&
		      plan.is_unsampled && plan.n_largest <= SMO_WHOLE_ROWS;
	return plan;
}

bool plan_has_room(const struct plan *plan, double bytes)
{
	/* pairs need the other half of the kernel cache for kernel rows */
	return bytes <= SHARED_SHARE * plan->t->solver->cache_mb * MEGABYTE;
}

bool plan_by_values(const struct plan *plan, int64_t n_cols)
{
	/* rule (2): two classes are one pair, which shares no values and is solved by weights */
	return plan->t->training->kernel.type != KERNEL_LINEAR ||
	       (plan->classes && plan->classes->n > 2 && !plan->t->training->squared_loss &&
		(plan->n_largest <= MOST_BY_VALUES ||
		 plan->n_largest <= BY_VALUES_A_COLUMN * n_cols));
}

/* The largest C of an example; 1 where C is not used. */
static double largest_c(const struct plan *plan)
{
	const struct training *t = plan->t->training;
	const struct classes *c = plan->classes;
	double largest = 0;

	/* nu-SVC and one-class have bounds of 1 or less */
	if (t->type == MACHINE_NU_SVC || t->type == MACHINE_ONE_CLASS)
		return 1;
	for (int k = 0; c && k < c->n; k++)
		largest = fmax(largest, classes_c(t, c->label[k]));
	return c ? largest : t->C;
}

bool plan_fits_floats(const struct plan *plan, const double *diagonal)
{
	/* rule (3), largest diagonal: K(x, x) of RBF is 1 */
	double largest = diagonal ? 0 : 1;

	for (int64_t i = 0; diagonal && i < plan->t->data->x.n_rows; i++)
		largest = fmax(largest, fabs(diagonal[i]));
	return decision_float_is_enough(largest, largest_c(plan), plan->t->options->eps);
}

/* Bytes of a kernel matrix of n rows in double precision. */
static double matrix_bytes(const struct plan *plan)
{
	double n = (double)plan->t->data->x.n_rows;

	return n * n * sizeof(double);
}

bool plan_takes_matrix(const struct plan *plan, int64_t n_cols)
{
	return plan->t->data->x.n_rows <= MOST_IN_MATRIX &&
	       plan_has_room(plan, matrix_bytes(plan)) && plan_by_values(plan, n_cols);
}

bool trainer_shares_matrix(const struct trainer *t, const struct classes *classes,
			   double n_trainings)
{
	const struct csr *x = &t->data->x;
	const struct plan plan = plan_make(t, classes);
	double n_rows = (double)x->n_rows, entries = (double)csr_n_entries(x) / n_rows;

	if (t->training->kernel.type == KERNEL_PRECOMPUTED)
		return true;
	if (x->n_rows > MOST_SHARED || !plan_has_room(&plan, matrix_bytes(&plan)) ||
	    !plan.is_unsampled || plan.n_largest > SMO_WHOLE_ROWS ||
	    !plan_by_values(&plan, x->n_cols))
		return false;
	return entries >= LONG_ROW || n_trainings * entries >= n_rows;
}
