/*
 * reduction_text.c - what a reduction does to margin and radius, printed and reported
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "reduction_text.h"

static void print_bounds(FILE *to, const char *what, struct ratio_bounds b, const char *when)
{
	fprintf(to, "squared %s: %g to %g times what it was%s\n", what, b.low, b.high, when);
}

void reduction_print(FILE *to, const struct reduction_certificate *c, const char *what)
{
	fprintf(to, "lambda_min = %g, lambda_max = %g, E = %g\n", c->lambda_min, c->lambda_max,
		c->error);
	print_bounds(to, "margin", reduction_margin(c), ", for any C");
	print_bounds(to, "margin without slack", reduction_hard_margin(c), "");
	print_bounds(to, "radius", reduction_hard_margin(c), "");
	if (c->lambda_min > 0)
		return;
	fprintf(to, "lambda_min is 0");
	if (c->n_columns < c->rank)
		fprintf(to, ", as there are fewer %s than the rank", what);
	fprintf(to, ": nothing holds from below\n");
}

void reduction_report(struct report *parent, const struct reduction_certificate *c)
{
	struct report *r = report_object(parent, "certificate");

	report_count(r, "rank", c->rank);
	report_number(r, "lambda_min", c->lambda_min);
	report_number(r, "lambda_max", c->lambda_max);
	report_number(r, "epsilon_measured", c->error);
	report_number(r, "kappa", c->kappa);
}
