/*
 * certificate_print.c - a certificate as a line of words and numbers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "certificate_print.h"

/* Numbers with exponents: those below the first, and from the second on. */
#define SMALL 1e-3
#define LARGE 1e7

/* Most digits of objectives and gaps, in a line of 80 columns, and of the same numbers by name. */
#define OBJECTIVE_DIGITS 6
#define GAP_DIGITS 2
#define NUMBER_DIGITS 12

/* The relative gap above which nothing is proved: multipliers of 0 have one of 1. */
#define PROVES_NOTHING 0.5

/* Which way a bound is rounded, so that its text is a bound, too. */
enum side { DOWN = -1, UP = 1 };

/*
 * Print 'name', and a bound of at most n_digits, the last of them rounded to the 'side'.
 *
 * The unit of the last digit is at least the bound's 'error', but there are two digits.
 */
static void print_bound(const char *name, double value, double error, int n_digits, enum side side,
			FILE *to)
{
	const double leading = floor(log10(fabs(value)));
	const int n_behind = (int)fmax(1, fmin(n_digits - 1, leading - ceil(log10(error))));
	char text[64];
	double shown;
	int exponent;

	if (value == 0 || !isfinite(value)) {
		fprintf(to, "%s%g", name, value + 0.0); /* -0 becomes 0 */
		return;
	}
	snprintf(text, sizeof(text), "%.*e", n_behind, value);
	if ((strtod(text, NULL) - value) * side < 0) /* half a unit further */
		snprintf(text, sizeof(text), "%.*e", n_behind,
			 value + side * pow(10, leading - n_behind) / 2);
	shown = strtod(text, NULL);
	exponent = atoi(strchr(text, 'e') + 1);
	if (fabs(shown) >= SMALL && fabs(shown) < LARGE)
		fprintf(to, "%s%.*f", name, (int)fmax(0, n_behind - exponent), shown);
	else /* e-7 is shorter than e-07 */
		fprintf(to, "%s%.*se%d", name, (int)strcspn(text, "e"), text, exponent);
}

static void print_violators(const struct certificate *c, FILE *to)
{
	if (c->n_violators >= 0)
		fprintf(to, ", violators = %" PRId64, c->n_violators);
}

void certificate_print(const struct certificate *c, const char *end, FILE *to)
{
	const double relative = certificate_relative_gap(c),
		     rounding = c->primal != 0 && isfinite(c->rounding) ? c->rounding : 0;

	if (!certificate_proves(c))
		end = "nothing is proved (indefinite kernel):";
	else if (!(relative <= PROVES_NOTHING))
		end = "nothing is proved:";
	print_bound("Objective ", c->primal + rounding, rounding, OBJECTIVE_DIGITS, UP, to);
	if (isfinite(c->dual)) {
		fprintf(to, ", %s", end);
		print_bound(" gap = ", certificate_gap(c), 0, GAP_DIGITS, UP, to);
		print_bound(", relative gap = ", relative, 0, GAP_DIGITS, UP, to);
	} else {
		fputs(", nothing is proved: dual unknown", to);
	}
	print_violators(c, to);
}

void certificate_print_numbers(const struct certificate *c, FILE *to)
{
	print_bound("primal = ", c->primal, c->rounding, NUMBER_DIGITS, UP, to);
	if (isfinite(c->dual)) {
		print_bound(", dual = ", c->dual, c->rounding, NUMBER_DIGITS, DOWN, to);
		print_bound(", gap = ", c->primal - c->dual, 0, OBJECTIVE_DIGITS, UP, to);
	} else {
		fputs(", dual unknown", to);
	}
	print_bound(", rounding = ", c->rounding, 0, GAP_DIGITS, UP, to);
	if (isfinite(c->dual))
		print_bound(", relative gap = ", certificate_relative_gap(c), 0, OBJECTIVE_DIGITS,
			    UP, to);
	print_violators(c, to);
}

/* ---- reductions ---- */

void reduction_print(FILE *to, const struct reduction_certificate *c, const char *what)
{
	fprintf(to, "lambda_min = %g, lambda_max = %g, E = %g\n", c->lambda_min, c->lambda_max,
		c->error);
	fprintf(to, "squared margin: %g to %g times what it was, for any C\n", 1 / c->kappa,
		c->kappa);
	fprintf(to, "squared margin without slack: %g to %g times what it was\n", c->lambda_min,
		c->lambda_max);
	fprintf(to, "squared radius: %g to %g times what it was\n", c->lambda_min, c->lambda_max);
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
