/*
 * sv_sizes.c - how many support vectors theorems say are enough, for measured radius and margin
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sv_sizes.h"

#include <math.h>

double sv_sizes_margin(double n, double radius, double margin, double loss, double delta)
{
	double stretch = 1 + (1 + radius * radius) / (2 * margin);

	return ceil(8 / (loss * loss) * stretch * stretch * log(4 * n / delta));
}

double sv_sizes_tube(double n, double radius, double margin, double epsilon, double loss,
		     double delta)
{
	double ratio = (1 / (margin * margin) + radius * radius) / (loss * epsilon);

	return ceil(2 * ratio * ratio * log(4 * n / delta));
}

double sv_sizes_core(double radius, double margin, double loss)
{
	double ratio = radius / margin;

	return ceil(ratio * ratio / loss);
}
