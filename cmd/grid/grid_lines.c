/*
 * grid_lines.c - randsvm-grid: the lines of LIBSVM's grid.py, which easy.py and scripts read
 *
 *     [local] 5 -7 82.963 (best c=32.0, g=0.0078125, rate=82.963)      for each point
 *     32.0 0.0078125 82.963                                            at the end
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "grid.h"

const char *grid_number(double value, char text[GRID_NUMBER_SIZE])
{
	int digits = 1;

	if (value == floor(value) && fabs(value) < 1e16) {
		snprintf(text, GRID_NUMBER_SIZE, "%.1f", value);
		return text;
	}
	while (digits < 17 && decimal_read_back(value, digits) != value)
		digits++;
	decimal_rounded(value, digits, text);
	return text;
}

void grid_print_logarithms(FILE *to, const struct grid_point *point)
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(point->at[k]))
			fprintf(to, "%.10g ", point->at[k]);
}

/* Print ` c=32.0, g=0.5`, or plain numbers for the last line. */
static void print_parameters(FILE *to, const struct grid_point *p, bool named)
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(p->at[k]) && named)
			fprintf(to, "%c=%s, ", grid_parameter(k)->letter,
				GRID_NUMBER(exp2(p->at[k])));
		else if (!isnan(p->at[k]))
			fprintf(to, "%s ", GRID_NUMBER(exp2(p->at[k])));
}

void grid_told(struct grid_display *d, const struct grid_point *point, const char *reason)
{
	const struct grid_point *best = grid_points_best(d->points, NULL);

	if (reason && d->n_failed++ == 0)
		snprintf(d->first_reason, sizeof(d->first_reason), "%s", reason);
	if (reason && given.common.verbose)
		cli_warn("the next point cannot be trained: %s", reason);
	cli_progress_pause(d->progress);
	fprintf(d->info, "[%s] ", point->resumed ? "resumed" : "local");
	grid_print_logarithms(d->info, point);
	fprintf(d->info, "%s (best ",
		point->outcome == GRID_RATED ? GRID_NUMBER(point->rate) :
					       grid_outcome_names[point->outcome]);
	if (best)
		print_parameters(d->info, best, true);
	fprintf(d->info, "rate=%s)\n", GRID_NUMBER(best ? best->rate : NAN));
	cli_flush(d->info);
	if (d->file.file && !point->resumed)
		grid_file_add(&d->file, point);
	if (point->n_unfinished > 0 && point->outcome != GRID_FAILED && !point->resumed)
		cli_warn("warning: %s: %" PRId64 " trainings ended at the limit of steps, or C "
			 "times the largest kernel value is too much for doubles",
			 GRID_PLACE(point), point->n_unfinished);
}

void grid_print_choice(FILE *to, const struct grid_point *choice)
{
	print_parameters(to, choice, false);
	fprintf(to, "%s\n", GRID_NUMBER(choice->rate));
}

void grid_report_point(const struct grid_point *p, struct report *r)
{
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(p->at[k]))
			report_number(r, grid_parameter(k)->key, exp2(p->at[k]));
	report_number(r, "rate", p->rate);
	report_number(r, "standard_error", p->error);
	report_count(r, "unfinished", p->n_unfinished);
	report_flag(r, "skipped", p->outcome == GRID_SKIPPED);
	report_flag(r, "failed", p->outcome == GRID_FAILED);
	report_flag(r, "resumed", p->resumed);
}
