/*
 * grid_axes.c - randsvm-grid: the axes of the grid, and the order of its columns
 *
 *     -log2g 3,-15,-2     log2 of gamma   3   1  -1  -3  -5  -7  -9 -11 -13 -15     n = 10
 *     order                               5   2   7   1 ...                        coarse to fine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "grid.h"

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

void grid_axes_at(const struct grid_axes *a, struct grid_place place, int i, double at[N_AXES])
{
	const struct grid_axis *c = &a->axis[AXIS_C];

	at[AXIS_C] = grid_axis_value(c, c->step < 0 ? c->n - 1 - i : i);
	at[AXIS_GAMMA] = grid_axis_value(&a->axis[AXIS_GAMMA], place.gamma);
	at[AXIS_THIRD] = grid_axis_value(&a->axis[AXIS_THIRD], place.third);
}

int64_t grid_n_points(const struct grid_axes *a)
{
	return (int64_t)a->axis[AXIS_C].n * a->axis[AXIS_GAMMA].n * a->axis[AXIS_THIRD].n;
}

char grid_axis_letter(int axis)
{
	return axis == AXIS_C			     ? 'c' :
	       axis == AXIS_GAMMA		     ? 'g' :
	       given.svm_type == MACHINE_EPSILON_SVR ? 'p' :
						       'n';
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

void grid_axes_make(struct grid_axes *a)
{
	struct grid_axis *axis = a->axis;

	make_axis("-log2c", grid.log2c, "-c", 1000, &axis[AXIS_C]);
	make_axis("-log2g", grid.log2g, "-g", 1000, &axis[AXIS_GAMMA]);
	make_axis("-log2p", grid.log2p, "-p", 1000, &axis[AXIS_THIRD]);
	if (!axis[AXIS_THIRD].searched)
		make_axis("-log2n", grid.log2n, "-n", 0, &axis[AXIS_THIRD]);
	if (!axis[AXIS_C].searched && !axis[AXIS_GAMMA].searched && !axis[AXIS_THIRD].searched)
		cli_refuse("no axis is left to search");
}

struct grid_axes grid_axes_finer(const struct grid_axes *a, const double *at)
{
	struct grid_axes finer = *a;

	for (int k = 0; k < N_AXES; k++) {
		struct grid_axis *axis = &finer.axis[k];

		if (!axis->searched)
			continue;
		axis->begin = at[k] - axis->step;
		axis->step /= FINER;
		axis->n = 2 * FINER + 1;
		if (k == AXIS_THIRD && grid_axis_letter(k) == 'n')
			while (fmax(axis->begin, grid_axis_value(axis, axis->n - 1)) > ROUNDING) {
				/* nu is at most 1 */
				axis->n--;
				if (axis->step < 0)
					axis->begin += axis->step;
			}
	}
	return finer;
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

int grid_columns(const struct grid_axes *a, struct grid_place **place)
{
	const int n_gamma = a->axis[AXIS_GAMMA].n, n_third = a->axis[AXIS_THIRD].n;
	struct error err = { 0 };
	int *gamma = mem_array(n_gamma, sizeof(*gamma), &err);
	int *third = mem_array(n_third, sizeof(*third), &err);
	int i = 0, j = 0, n = 0;

	*place = mem_array((int64_t)n_gamma * n_third, sizeof(**place), &err);
	cli_check(gamma && third && *place ? 0 : -1, &err);
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
