/*
 * sv_sizes.c - how many support vectors theorems say are enough, for measured radius and margin
 *
 * How this works.  Three formulas, each a number of examples or support vectors, rounded up.  With
 * L the radius, l the margin, n examples, and the probability delta of failing:
 *
 *     margin    8 / loss^2 (1 + L / l)^2 ln(4 n / delta)                                        (1)
 *     tube      2 (2 L / (l loss epsilon))^2 ln(4 n / delta)                                    (2)
 *     core      (L / l)^2 / loss                                                                (3)
 *
 * They are doubles, as they may be beyond any count of examples.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sv_sizes.h"

#include <math.h>

double sv_sizes_margin(double n, double radius, double margin, double loss, double delta)
{
	/* theorem (1): the factor in brackets, which is squared */
	double stretch = 1 + radius / margin;

	return ceil(8 / (loss * loss) * stretch * stretch * log(4 * n / delta));
}

double sv_sizes_tube(double n, double radius, double margin, double epsilon, double loss,
		     double delta)
{
	/* theorem (2): the quotient that is squared, where |w| is 1 / margin */
	double ratio = 2 * radius / (margin * loss * epsilon);

	return ceil(2 * ratio * ratio * log(4 * n / delta));
}

double sv_sizes_core(double radius, double margin, double loss)
{
	/* theorem (3): the ratio of radius and margin, whose square is the size of a core set */
	double ratio = radius / margin;

	return ceil(ratio * ratio / loss);
}
