/*
 * grid_picture.c - randsvm-grid -png: the rates, as areas of like rates over log2 C and log2 gamma
 *
 * Where one axis has several values the rates are a line with standard errors.  Of three axes the third is
 * at the point chosen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common/picture.h"
#include "grid.h"

/*
 * Areas of like rates: of rates in per cent from LINES_BELOW under the best on, each of .5; of
 * others so many between the least and the largest.
 */
#define LINES_BELOW 3
#define PER_CENT_STEP .5
#define AREAS_WANTED 10

/* The axes drawn; y is N_AXES where one has several values, and x where none has. */
struct drawn {
	int x, y;
};

static struct drawn choose_axes(const struct grid_axis *a)
{
	struct drawn d = { N_AXES, N_AXES };

	for (int k = N_AXES - 1; k >= 0; k--)
		if (a[k].searched && a[k].n > 1) {
			d.y = d.x;
			d.x = k;
		}
	return d;
}

/* Rate at value i of the x axis and j of the y axis, in the plane of the choice; or NULL. */
static const struct grid_point *point_at(const struct grid_points *p, const struct grid_axis *a,
					 const struct drawn *d, const struct grid_point *choice,
					 int i, int j)
{
	double at[N_AXES] = { choice->at[0], choice->at[1], choice->at[2] };
	const struct grid_point *found;

	at[d->x] = grid_axis_value(&a[d->x], i);
	if (d->y < N_AXES)
		at[d->y] = grid_axis_value(&a[d->y], j);
	found = grid_points_find(p, at);
	return found && found->outcome == GRID_RATED ? found : NULL;
}

/* Write the data block of the plane; returns the number of different rates, at most 2. */
static int write_data(FILE *script, const struct grid_points *p, const struct grid_axis *a,
		      const struct drawn *d, const struct grid_point *choice)
{
	const int n_y = d->y < N_AXES ? a[d->y].n : 1;
	double first = NAN;
	int n = 0;

	fputs("$rates << END\n", script);
	for (int i = 0; i < a[d->x].n; i++) {
		for (int j = 0; j < n_y; j++) {
			const struct grid_point *point = point_at(p, a, d, choice, i, j);

			if (point && n < 2 && point->rate != first)
				n++;
			if (point && isnan(first))
				first = point->rate;
			fprintf(script, "%.10g %.10g %g %g\n", grid_axis_value(&a[d->x], i),
				d->y < N_AXES ? grid_axis_value(&a[d->y], j) : 0,
				point ? point->rate : NAN, point ? point->error : NAN);
		}
		if (d->y < N_AXES)
			fputc('\n', script);
	}
	fputs("END\n", script);
	return n;
}

static void write_title(FILE *script, const struct grid_point *choice)
{
	const char *before = "\\nat ";

	fprintf(script, "set title \"best %s %s", grid_measure_names[grid.measure],
		GRID_NUMBER(choice->rate));
	for (int k = 0; k < N_AXES; k++)
		if (!isnan(choice->at[k])) {
			fprintf(script, "%s%s = %.10g", before, grid_parameter(k)->label,
				choice->at[k]);
			before = ", ";
		}
	fputs("\"\n", script);
}

static void write_axis(FILE *script, char letter, int axis, const struct grid_axis *a)
{
	double first = a->begin, last = grid_axis_value(a, a->n - 1);

	/* to the left, so that negative tics of the axis y do not meet its label */
	fprintf(script, "set %clabel \"%s\" offset %g\nset %crange [%.10g:%.10g]\n", letter,
		grid_parameter(axis)->label, letter == 'y' ? -0.5 : 0, letter, fmin(first, last),
		fmax(first, last));
}

/*
 * Areas between lines of equal rate, those of an accuracy at grid.py's rates: the better the rate
 * the darker, which tells also those who see no colours apart.
 */
static void draw_areas(FILE *script, const struct drawn *d, const struct grid_point *choice)
{
	const bool per_cent = grid.measure == MEASURE_ACCURACY || grid.measure == MEASURE_BALANCED;
	const double lowest = round(choice->rate) - LINES_BELOW;
	const double above = ceil((choice->rate - lowest) / PER_CENT_STEP);

	fprintf(script,
		"set pm3d map interpolate 4,4\n"
		"set palette maxcolors %d %s defined (0 '#fdf0e0', .5 '#fdbe85', 1 '#a63603')\n",
		per_cent ? (int)above : AREAS_WANTED, grid_is_better(1, 0) ? "" : "negative");
	if (per_cent)
		fprintf(script, "set cbrange [%g:%g]\nset cbtics %g\n", lowest,
			lowest + above * PER_CENT_STEP, PER_CENT_STEP);
	fprintf(script,
		"set label \"\" at %.10g,%.10g,0 point pointtype 7 front\n"
		"splot $rates using 1:2:3 with pm3d notitle\n",
		choice->at[d->x], choice->at[d->y]);
}

void grid_draw(const struct grid_points *p, const struct grid_point *choice,
	       const struct grid_axis *a, struct cli_output *to)
{
	const struct drawn d = choose_axes(a);
	FILE *script = choice ? picture_begin(to->name) : NULL;

	if (script && d.x < N_AXES && write_data(script, p, a, &d, choice) == 2) {
		write_title(script, choice);
		write_axis(script, 'x', d.x, &a[d.x]);
		if (d.y < N_AXES) {
			write_axis(script, 'y', d.y, &a[d.y]);
			draw_areas(script, &d, choice);
		} else {
			fprintf(script,
				"set ylabel \"%s\"\n"
				"plot $rates using 1:3:4 with yerrorlines notitle\n",
				grid_measure_names[grid.measure]);
		}
		picture_end(script, to->output, to->name);
		return;
	}
	if (script)
		fclose(script);
	output_discard(to->output);
	to->output = NULL;
	if (cli_given("-png"))
		cli_note("-png: there is nothing to draw: it takes two values and two rates");
}
