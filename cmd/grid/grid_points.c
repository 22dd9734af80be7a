/*
 * grid_points.c - randsvm-grid: axes; points that are known, their rates, and the choice of one
 *
 * Rates have six digits, as svm-train prints them: so the choice is the same whether a rate was
 * computed in this run or read from a file, and rates that differ by rounding are equal.
 *
 *     rate     the measure of all rows together, as svm-train -v has it
 *     error    its standard error, as grid_run.c finds it: of the rates r_f of k folds,
 *
 *                  sqrt(sum_f (r_f - mean)^2 / (k (k - 1)))
 *
 * Folds share most of the rows that they were trained on, so that the error is somewhat too small.
 * Measures, of all rows and of a fold, go by the weights of rows; all folds count the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "common/eval_measures.h"
#include "grid.h"

/* ---- axes ---- */

/*
 *     -log2g 3,-15,-2     log2 of gamma   3   1  -1  -3  -5  -7  -9 -11 -13 -15     n = 10
 *     order                               5   2   7   1 ...                        coarse to fine
 */

/* Most values on an axis. */
#define MOST_VALUES 1000

/* A value counts as the end of its axis if it is beyond it by less than this share of a step. */
#define ROUNDING 1e-9

/* Part of a step by which a finer grid goes: that of the guide of LIBSVM, 0.25 for a step of 2. */
#define FINER 8

double grid_axis_value(const struct grid_axis *a, int i)
{
	return a->searched ? a->begin + i * a->step : NAN;
}

void grid_axes_at(const struct grid_axis *a, struct grid_place place, int i, double at[N_AXES])
{
	const struct grid_axis *c = &a[AXIS_C];

	at[AXIS_C] = grid_axis_value(c, c->step < 0 ? c->n - 1 - i : i);
	at[AXIS_GAMMA] = grid_axis_value(&a[AXIS_GAMMA], place.gamma);
	at[AXIS_THIRD] = grid_axis_value(&a[AXIS_THIRD], place.third);
}

int64_t grid_n_points(const struct grid_axis *a)
{
	return (int64_t)a[AXIS_C].n * a[AXIS_GAMMA].n * a[AXIS_THIRD].n;
}

const struct grid_parameter *grid_parameter(int axis)
{
	static const struct grid_parameter of_axis[] = { { 'c', "C", "log2(C)" },
							 { 'g', "gamma", "log2(gamma)" },
							 { 'p', "p", "log2(epsilon)" },
							 { 'n', "nu", "log2(nu)" } };
	const bool is_nu = axis == AXIS_THIRD && given.svm_type != MACHINE_EPSILON_SVR;

	return &of_axis[axis + is_nu];
}

/* ---- what options say ---- */

static void parse_axis(const char *option, const char *text, struct grid_axis *a)
{
	const char *at = text;
	double value[3], n;

	for (int i = 0; i < 3; i++) {
		const char *end = strchrnul(at, ',');

		if ((i < 2) != (*end == ',') || decimal_parse(at, end, &value[i]) != end ||
		    !isfinite(value[i]))
			cli_refuse("%s: expected begin,end,step or null, got '%.40s'", option,
				   text);
		at = end + 1;
	}
	if (value[2] == 0)
		cli_refuse("%s: the step is 0", option);
	n = floor((value[1] - value[0]) / value[2] + ROUNDING) + 1;
	if (!(n >= 1))
		cli_refuse("%s: steps of %g do not lead from %g to %g", option, value[2], value[0],
			   value[1]);
	if (!(n <= MOST_VALUES))
		cli_refuse("%s: more than %d values", option, MOST_VALUES);
	*a = (struct grid_axis){
		.searched = true, .begin = value[0], .step = value[2], .n = (int)n
	};
}

/* Why an axis cannot be searched; NULL: it can. */
static const char *axis_fault(const char *option)
{
	static const char *const of_type[] = { "-s 0", "-s 1", "-s 2", "-s 3", "-s 4" };
	const enum machine_type machine = (enum machine_type)given.svm_type;
	const char *type = given.svm_type >= 0 && given.svm_type <= MACHINE_NU_SVR ?
				   of_type[given.svm_type] :
				   "such a machine";

	const bool has = option[5] == 'c' ? machine_has_cost(machine) :
			 option[5] == 'p' ? machine == MACHINE_EPSILON_SVR :
					    machine_fixes_sums(machine);

	if (option[5] == 'g')
		return kernel_has_gamma((enum kernel_type)given.kernel_type) ? NULL :
		       given.kernel_type == KERNEL_LINEAR		     ? "-t 0" :
									       "-t 4";
	return has ? NULL : type;
}

/*
 * An axis of an option, up to 'most'; 'fixed' is the option that gives the parameter's one value.
 * 'text' is the default where the option is not given.
 */
static void make_axis(const char *option, const char *text, const char *fixed, double most,
		      struct grid_axis *a)
{
	const char *fault = axis_fault(option);
	double last;

	*a = (struct grid_axis){ .n = 1 };
	if (strcmp(text, "null") == 0)
		return;
	if (fault && cli_given(option))
		cli_refuse("%s is not for %s", option, fault);
	if (fault)
		return;
	if (cli_given(fixed))
		cli_refuse("%s: use %s, or %s null with it", fixed, option, option);
	parse_axis(option, text, a);
	/* no values of 0, of infinity, or of nu above 1 */
	last = grid_axis_value(a, a->n - 1);
	if (fmax(a->begin, last) > most + ROUNDING)
		cli_refuse("%s: %g is above %g", option, fmax(a->begin, last), most);
	if (fmin(a->begin, last) < -1000)
		cli_refuse("%s: %g is below -1000", option, fmin(a->begin, last));
}

void grid_axes_make(struct grid_axis *axis)
{
	make_axis("-log2c", grid.log2c, "-c", 1000, &axis[AXIS_C]);
	make_axis("-log2g", grid.log2g, "-g", 1000, &axis[AXIS_GAMMA]);
	make_axis("-log2p", grid.log2p, "-p", 1000, &axis[AXIS_THIRD]);
	if (!axis[AXIS_THIRD].searched)
		make_axis("-log2n", grid.log2n, "-n", 0, &axis[AXIS_THIRD]);
	if (!axis[AXIS_C].searched && !axis[AXIS_GAMMA].searched && !axis[AXIS_THIRD].searched)
		cli_refuse("no axis is left to search");
}

void grid_axes_finer(const struct grid_axis *a, const double *at, struct grid_axis *finer)
{
	for (int k = 0; k < N_AXES; k++) {
		struct grid_axis *axis = &finer[k];

		*axis = a[k];
		if (!axis->searched)
			continue;
		axis->begin = at[k] - axis->step;
		axis->step /= FINER;
		axis->n = 2 * FINER + 1;
		if (k == AXIS_THIRD && grid_parameter(k)->letter == 'n')
			while (fmax(axis->begin, grid_axis_value(axis, axis->n - 1)) > ROUNDING) {
				/* nu is at most 1 */
				axis->n--;
				if (axis->step < 0)
					axis->begin += axis->step;
			}
	}
}

/* ---- the order of columns ---- */

/*
 * Order the places from .. from + n - 1 into 'order': the middle one, then those of the two halves
 * in turn.
 */
static void halve(int from, int n, int *order)
{
	int left[MOST_VALUES / 2 + 1] = { 0 }, right[MOST_VALUES / 2 + 1] = { 0 };
	int middle = n / 2, k = 0;

	if (n <= 0)
		return;
	halve(from, middle, left);
	halve(from + middle + 1, n - middle - 1, right);
	order[k++] = from + middle;
	for (int i = 0; i < middle; i++) {
		order[k++] = left[i];
		if (i < n - middle - 1)
			order[k++] = right[i];
	}
}

int grid_columns(const struct grid_axis *a, struct grid_place **place)
{
	const int n_gamma = a[AXIS_GAMMA].n, n_third = a[AXIS_THIRD].n;
	int *gamma = cli_zeroed(n_gamma, sizeof(*gamma));
	int *third = cli_zeroed(n_third, sizeof(*third));
	int i = 0, j = 0, n = 0;

	*place = cli_zeroed((int64_t)n_gamma * n_third, sizeof(**place));
	halve(0, n_gamma, gamma);
	halve(0, n_third, third);
	/* i values of the third parameter and j of gamma are done: one more of what is behind */
	while (i < n_third || j < n_gamma)
		if ((double)i / n_third < (double)j / n_gamma) {
			for (int k = 0; k < j; k++)
				(*place)[n++] = (struct grid_place){ gamma[k], third[i] };
			i++;
		} else {
			for (int k = 0; k < i; k++)
				(*place)[n++] = (struct grid_place){ gamma[j], third[k] };
			j++;
		}
	mem_free_all(gamma, third);
	return n;
}

/* ---- points ---- */

const char *const grid_measure_names[] = { "accuracy", "balanced", "auc",      "f1",
					   "mse",      "rho",	   "log-loss", NULL };

/* Is the measure a loss, from 0 up? */
static bool is_loss(void)
{
	return grid.measure == MEASURE_MSE || grid.measure == MEASURE_LOG_LOSS;
}

bool grid_is_possible(double rate)
{
	const bool per_cent = grid.measure == MEASURE_ACCURACY || grid.measure == MEASURE_BALANCED;

	return rate >= 0 && rate <= (is_loss() ? DBL_MAX : per_cent ? 100 : 1);
}

bool grid_is_better(double a, double b)
{
	return !isnan(a) && (isnan(b) || (is_loss() ? a < b : a > b));
}

static double rate_of_measures(const struct measures *m)
{
	if (grid.measure == MEASURE_LOG_LOSS)
		return m->probabilities.log_loss / m->probabilities.n;
	if (grid.measure == MEASURE_AUC)
		return measures_auc(m);
	if (grid.measure == MEASURE_BALANCED)
		return 100 * confusion_summarise(&m->confusion).balanced_accuracy;
	/* F1 of the larger of two labels; of more, the mean over the classes */
	return m->confusion.n_known == 2 ? confusion_class(&m->confusion, 1).f1 :
					   confusion_summarise(&m->confusion).macro_f1;
}

int grid_rate_of(const struct machine *m, const struct cv_predictions *c, const int64_t *row,
		 int64_t n, double *rate, struct error *err)
{
	const struct dataset *d = m->trainer.data;
	struct measures measures = cv_measures_wanted();
	struct metrics sums = { 0 };

	if (grid.measure == MEASURE_ACCURACY || grid.measure == MEASURE_MSE ||
	    grid.measure == MEASURE_RHO) {
		/* measures of predictions alone */
		for (int64_t k = 0; k < n; k++) {
			const int64_t i = row ? row[k] : k;

			metrics_add(&sums, c->predicted[i], d->y[i], dataset_weight(d, i));
		}
		*rate = grid.measure == MEASURE_ACCURACY ? metrics_accuracy(&sums) :
			grid.measure == MEASURE_MSE	 ? metrics_mse(&sums) :
							   metrics_squared_correlation(&sums);
	} else {
		if (cv_measures(&measures, c, m->training.type, d, row, n, err) < 0)
			return -1;
		*rate = rate_of_measures(&measures);
		measures_free(&measures);
	}
	if (isinf(*rate)) /* of squares beyond doubles, which are no measure of a point */
		*rate = NAN;
	return 0;
}

/* Two logarithms are of the same value of a parameter if they differ by less than this. */
#define SAME 1e-6

void grid_points_add(struct grid_points *p, const struct grid_point *point)
{
	struct error err = { 0 };

	cli_check(mem_grow(&p->point, &p->capacity, p->n + 1, sizeof(*p->point), &err), &err);
	p->point[p->n++] = *point;
}

static bool same_value(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) < SAME;
}

const struct grid_point *grid_points_find(const struct grid_points *p, const double *at)
{
	for (int64_t i = 0; i < p->n; i++) {
		const double *other = p->point[i].at;

		if (same_value(other[0], at[0]) && same_value(other[1], at[1]) &&
		    same_value(other[2], at[2]))
			return &p->point[i];
	}
	return NULL;
}

/* Order of two points by C, gamma and the third parameter, whose sign is given. */
static int compare_places(const double *a, const double *b, int third_sign)
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(a[k]) && !same_value(a[k], b[k]))
			return (a[k] < b[k] ? -1 : 1) * (k == AXIS_THIRD ? third_sign : 1);
	return 0;
}

/* Is the point one of the grid of the axes? */
static bool is_on(const struct grid_axis *a, const struct grid_point *p)
{
	for (int k = 0; k < N_AXES; k++) {
		const struct grid_axis *axis = &a[k];
		double place = axis->searched ? (p->at[k] - axis->begin) / axis->step : 0;

		if (!(place > -0.5 && place < axis->n - 0.5) || fabs(place - rint(place)) > 1e-6)
			return false;
	}
	return true;
}

const struct grid_point *grid_points_best(const struct grid_points *p, const struct grid_axis *on)
{
	const struct grid_point *best = NULL;

	for (int64_t i = 0; i < p->n; i++) {
		const struct grid_point *point = &p->point[i];

		if (point->outcome == GRID_RATED && !isnan(point->rate) &&
		    (!on || is_on(on, point)) &&
		    (!best || grid_is_better(point->rate, best->rate) ||
		     (point->rate == best->rate && compare_places(point->at, best->at, 1) < 0)))
			best = point;
	}
	return best;
}

const struct grid_point *grid_points_choice(const struct grid_points *p)
{
	const struct grid_point *best = grid_points_best(p, NULL), *choice = best;

	if (!grid.one_se || !best || isnan(best->error))
		return best;
	for (int64_t i = 0; i < p->n; i++) {
		const struct grid_point *point = &p->point[i];

		if (point->outcome == GRID_RATED && fabs(point->rate - best->rate) <= best->error &&
		    compare_places(point->at, choice->at, -1) < 0)
			choice = point;
	}
	return choice;
}

void grid_points_free(struct grid_points *p)
{
	mem_free(p->point);
	*p = (struct grid_points){ 0 };
}
