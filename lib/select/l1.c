/*
 * l1.c - features by a linear machine with the 1-norm, the C being looked for
 *
 * How this works.  At the optimum of
 *
 *     f(w) = sum_j |w_j| + C sum_i loss(y_i w.x_i)                             (1)
 *
 * w_j is 0 unless the slope of the loss along w_j reaches 1: |C sum_i loss'(z_i) y_i x_ij| = 1.
 * At w = 0 all z_i are 0, so that w = 0 is optimal up to
 *
 *     C_0 = 1 / (|loss'(0)| max_j |sum_i y_i x_ij|)                            (2)
 *
 * loss'(0) being -2 for the squared hinge and -1/2 for the logistic loss; with several classes the
 * maximum is also over the machines, one class against the rest.  From C_0 on, the number of
 * weights other than 0 grows with C: not always, but nearly.  So C is raised from C_0 by factors
 * of 4 until there are k weights (3), and the last interval bisected on a logarithmic scale until
 * there are exactly k, or the interval is too narrow to matter (4).  Of all trainings the one with
 * the fewest weights above k is kept, or the one with most where there are never k.
 *
 * Values beyond 2^300 or below 2^-300, whose squares LIBLINEAR cannot have, are multiplied by a
 * power of two a; w and C of the data as they were are a times those of the training.  (The
 * constant feature stays 1, which makes the bias cheaper or dearer there.)
 *
 * Each training starts from w = 0, since LIBLINEAR takes no initial solution for these solvers.
 * That costs little: small C, which are most of (3), are fast.
 *
 * What a training leaves: s->size, the sum over machines of |w_j| for each column.  The best
 * training so far is in s->best, and the two arrays change places when another one is better, so
 * that nothing is copied and no training is made twice.  At most 11 trainings raise C and some 14
 * bisect it; each costs what LIBLINEAR takes on rows that were copied once.
 *
 * The order of the features is that of |w_j| summed over machines, in the unit of the data as
 * given.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/l1.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/order.h"
#include "matrix/columns.h"

const char *const l1_loss_names[] = { "squared-hinge", "logistic", NULL };

/* Step (3), factor between trainings: few reach k, and 14 halvings then make the interval small. */
#define GROWTH 4

/* Step (3), most raises of C: to 4^10 C_0, far beyond the C that separates separable classes. */
#define MOST_RAISES 10

/* Step (4), relative accuracy of C: weights at C and 1.0001 C differ by less than the tolerance. */
#define NARROW 1e-4

/* A search for C, with its data and its best training so far. */
struct machine_search {
	const struct l1_options *o;
	struct l1_result *result;
	struct columns columns; /* columns of the data that have entries */
	double scale;		/* factor of the values: a power of two, mostly 1 */
	struct csr rows;	/* rows with the columns renumbered, 0 .. columns.n - 1 */
	struct liblinear_data *data;
	int64_t wanted; /* number of features wanted: k, or all columns if there are fewer */
	double *size;	/* sums of |w_j| over the machines of the last training, columns.n */
	double *best;	/* sums of |w_j| in the training with result->C, columns.n */
};

static int search_init(struct machine_search *s, const struct csr *x, const double *y,
		       struct error *err)
{
	if (columns_init(&s->columns, x, &s->scale, err) < 0 ||
	    csr_transpose(&s->rows, &s->columns.by_column, err) < 0)
		return -1;
	s->data = liblinear_data_new(&s->rows, y, err);
	s->size = mem_array(s->columns.n, sizeof(*s->size), err);
	s->best = mem_zeroed(s->columns.n, sizeof(*s->best), err);
	/* at most all columns can be wanted */
	s->wanted = int64_min(s->o->n_features, s->columns.n);
	return s->data && s->size && s->best ? 0 : -1;
}

/* ---- where w = 0 ends to be optimal ---- */

/* Slope max_j |sum_i y_i x_ij| of (2) for the class 'label' against the rest, constant included. */
static double largest_slope(const struct machine_search *s, const double *y, double label)
{
	const struct csr *c = &s->columns.by_column;
	double sum = 0, largest;

	/* slope of the constant: large where classes have different sizes */
	for (int64_t i = 0; i < s->rows.n_rows; i++)
		sum += y[i] == label ? 1 : -1;
	largest = fabs(sum);
	for (int64_t j = 0; j < c->n_rows; j++) {
		sum = 0;
		for (int64_t k = c->row_start[j]; k < c->row_start[j + 1]; k++)
			/* sum_i y_i x_ij, with y_i = 1 in the class and -1 in the rest */
			sum += y[c->col[k]] == label ? c->val[k] : -c->val[k];
		largest = fmax(largest, fabs(sum));
	}
	return largest;
}

/* First cost C_0 by (2); infinite if the classes do not differ in the sum of any feature. */
static int first_cost(const struct machine_search *s, const double *y, double *cost,
		      struct error *err)
{
	const double slope = s->o->loss == LIBLINEAR_LOGISTIC ? 0.5 : 2;
	int64_t n = s->rows.n_rows;
	double *label = mem_copy(y, n, sizeof(*label), err), largest = 0;

	if (!label)
		return -1;
	/* sorted labels are looked at once each */
	qsort(label, (size_t)n, sizeof(*label), order_doubles);
	for (int64_t i = 0; i < n; i++)
		if (i == 0 || label[i] != label[i - 1])
			largest = fmax(largest, largest_slope(s, y, label[i]));
	mem_free(label);
	*cost = 1 / (slope * largest);
	return 0;
}

/* ---- trainings ---- */

/* Train with C; *n weights are not 0.  The best training so far is kept. */
static int try_cost(struct machine_search *s, double cost, int64_t *n, struct error *err)
{
	const struct liblinear_training t = { s->o->loss, cost, s->o->eps > 0 ? s->o->eps : L1_EPS,
					      (unsigned)s->o->seed };
	struct l1_result *r = s->result;
	int64_t before;
	/* a training of LIBLINEAR's has no end but its own */
	int ret = interruption_check(err) < 0 ? -1 : liblinear_train(s->data, &t, s->size, err);

	if (ret < 0)
		return -1;
	*n = 0;
	for (int64_t j = 0; j < s->columns.n; j++)
		*n += s->size[j] > 0;
	before = r->n_weights;
	/*
	 * is the number of weights nearer to what is wanted than that of the best so far?  The first
	 * training has nothing to be compared with.  The arrays change places: what was best is room
	 * for the next training
	 */
	if (r->n_trainings++ == 0 || (*n >= s->wanted ? before < s->wanted || *n < before :
							before < s->wanted && before < *n)) {
		double *size = s->best;

		s->best = s->size;
		s->size = size;
		/* r->C belongs to the data as given, 'cost' to the scaled data */
		r->C = cost * s->scale;
		r->n_weights = *n;
		r->converged = ret == 0;
	}
	progress_observer_tell(&s->o->progress, *n, s->o->C > 0 ? 0 : s->wanted);
	return 0;
}

/* Step (4), bisect C: 'low' has fewer weights than wanted, and 'high' has more. */
static int bisect(struct machine_search *s, double low, double high, struct error *err)
{
	int64_t n = 0;

	while (n != s->wanted && high > low * (1 + NARROW)) {
		/* the middle of log C; roots first, as a product may overflow */
		double middle = sqrt(low) * sqrt(high);

		if (try_cost(s, middle, &n, err) < 0)
			return -1;
		if (n < s->wanted)
			low = middle;
		else
			high = middle;
	}
	return 0;
}

/* Steps (3) and (4): find a C for which k weights are not 0, as nearly as trainings can tell. */
static int find_cost(struct machine_search *s, const double *y, struct error *err)
{
	double cost;
	int64_t n = 0;

	/* a given C needs one training and no search */
	if (s->o->C > 0)
		return try_cost(s, s->o->C / s->scale, &n, err);
	if (first_cost(s, y, &cost, err) < 0)
		return -1;
	/* C_0 is infinite without a slope, and 0 where the slope is beyond doubles */
	if (!isnormal(cost))
		return 0;			 /* w = 0 is optimal for all C */
	for (int i = 0; i <= MOST_RAISES; i++) { /* step (3): try C_0, 4 C_0, 16 C_0, ... */
		if (i > 0)
			cost *= GROWTH;
		if (try_cost(s, cost, &n, err) < 0)
			return -1;
		if (n >= s->wanted)
			/*
			 * exactly as wanted, or C_0 itself has more; else between this C and the
			 * last
			 */
			return n == s->wanted || i == 0 ? 0 : bisect(s, cost / GROWTH, cost, err);
	}
	return 0;
}

int l1_select(struct selection *selection, const struct csr *x, const double *y,
	      const struct l1_options *o, struct l1_result *result, struct error *err)
{
	struct machine_search s = { .o = o, .result = result };
	int ret = -1;

	*selection = (struct selection){ 0 };
	*result = (struct l1_result){ 0 };
	if (search_init(&s, x, y, err) == 0)
		ret = find_cost(&s, y, err);
	if (ret == 0 && result->n_weights == 0 && o->C == 0)
		ret = error_set(err, ERR_ARGUMENT,
				"l1 takes no feature with any C: there is none "
				"by which the classes differ");
	if (ret == 0)
		/* the features with weights, the largest first; at most k unless C is given */
		ret = selection_of_scores(selection, s.best, s.columns.n,
					  o->C > 0 ? s.columns.n : s.wanted, s.columns.feature,
					  s.scale, err);
	columns_free(&s.columns);
	csr_free(&s.rows);
	liblinear_data_free(s.data);
	mem_free_all(s.size, s.best);
	return ret;
}
