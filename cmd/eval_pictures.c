/*
 * eval_pictures.c - the files of svm-eval's measures: curves as pictures or tables, and plots
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "common/picture.h"
#include "common/process.h"
#include "eval_measures.h"
#include "evaluate/pr_curve.h"

/* Distance of curve points that is less than a pixel: a nearer point is not drawn. */
#define CURVE_STEP 5e-4

/* The line y = x in a plot command of gnuplot, before what else it plots. */
#define DIAGONAL "x with lines linecolor rgb '#999999' dashtype 2, "

static bool is_table(const char *path)
{
	size_t n = strlen(path);

	return n >= 4 && strcmp(path + n - 4, ".tsv") == 0;
}

/* Refuse a file whose name is no picture's; 'table' allows .tsv. */
static void check_picture(const char *option, const struct cli_output *file, bool table)
{
	const char *name = file->name;

	if (!name || (table && is_table(name)))
		return;
	if (!picture_is_named(name))
		cli_fail("%s: '%s' does not end in .png%s", option, name,
			 table ? ", .svg or .tsv" : " or .svg");
	picture_need_gnuplot(name);
}

void measures_check(const struct measures *m)
{
	check_picture("--roc", m->to.roc, true);
	check_picture("--pr", m->to.pr, true);
	check_picture("--plot", m->to.plot, false);
}

/* ---- Tables ---- */

/* Write a line of a table with three numbers. */
static void write_numbers(const struct cli_output *to, double a, double b, double c)
{
	char text[3][DECIMAL_SHORTEST_SIZE];
	struct error err = { 0 };

	decimal_shortest(a, text[0]);
	decimal_shortest(b, text[1]);
	decimal_shortest(c, text[2]);
	output_printf(to->output, &err, "%s\t%s\t%s\n", text[0], text[1], text[2]);
}

static void write_roc_table(const struct measures *m)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	struct error err = { 0 };

	output_printf(m->to.roc->output, &err,
		      "threshold\tfalse_positive_rate\ttrue_positive_rate\n");
	while (roc_step(&m->roc, &walk, &point))
		write_numbers(m->to.roc, point.threshold, point.false_positive_rate,
			      point.true_positive_rate);
}

static void write_pr_table(const struct measures *m)
{
	struct roc_walk walk = { 0 };
	struct pr_point point;
	struct error err = { 0 };

	output_printf(m->to.pr->output, &err, "threshold\tprecision\trecall\n");
	while (pr_step(&m->roc, &walk, &point))
		write_numbers(m->to.pr, point.threshold, point.precision, point.recall);
}

/* ---- Curves ---- */

/* A name between single quotes of gnuplot, in which two of them are one. */
static void quote_name(const char *name, char quoted[2 * CLASS_NAME_SIZE])
{
	for (; *name; name++) {
		if (*name == '\'')
			*quoted++ = '\'';
		*quoted++ = *name;
	}
	*quoted = '\0';
}

/* A curve that is drawn point after point. */
struct pen {
	const struct cli_output *to;
	FILE *script;
	double x, y; /* the last point drawn; before the first one nothing is near */
};

static struct pen begin_curve(const struct cli_output *to)
{
	struct pen pen = { to, picture_begin(to->name), -1, -1 };

	fprintf(pen.script, "$curve << EOD\n");
	return pen;
}

/* Draw the next point of a curve, but not within a pixel of the last one, unless it is its end. */
static void draw_point(struct pen *pen, double x, double y, bool end)
{
	if (!end && x - pen->x < CURVE_STEP && fabs(y - pen->y) < CURVE_STEP)
		return;
	pen->x = x;
	pen->y = y;
	fprintf(pen->script, "%.6f %.6f\n", x, y);
}

/* 'area' is called 'measure' in the title; 'plot' begins the command that the curve ends. */
static void end_curve(struct pen *pen, const struct measures *m, const char *measure, double area,
		      const char *labels, const char *plot)
{
	char name[2][CLASS_NAME_SIZE], side[2][2 * CLASS_NAME_SIZE];

	for (int k = 0; k < 2; k++)
		quote_name(class_names_show(m->names, m->two.label[k], name[k]), side[k]);
	fprintf(pen->script,
		"EOD\n"
		"set title 'class %s against %s, %s %.4f' noenhanced\n"
		"%s"
		"set size square\nset xrange [0:1]\nset yrange [0:1]\nset key off\nset grid\n"
		"%s$curve with lines linecolor rgb '#08519c' linewidth 2\n",
		side[0], side[1], measure, area, labels, plot);
	picture_end(pen->script, pen->to->output, pen->to->name);
}

static void draw_roc_curve(const struct measures *m)
{
	struct pen pen = begin_curve(m->to.roc);
	struct roc_walk walk = { 0 };
	struct roc_point point;

	while (roc_step(&m->roc, &walk, &point))
		draw_point(&pen, point.false_positive_rate, point.true_positive_rate,
			   walk.next == m->roc.n);
	end_curve(&pen, m, "AUC =", roc_auc(&m->roc),
		  "set xlabel 'false positive rate'\nset ylabel 'true positive rate'\n",
		  "plot " DIAGONAL);
}

static void draw_pr_curve(const struct measures *m)
{
	struct pen pen = begin_curve(m->to.pr);
	struct roc_walk walk = { 0 };
	struct pr_point point;

	while (pr_step(&m->roc, &walk, &point))
		draw_point(&pen, point.recall, point.precision, walk.next == m->roc.n);
	end_curve(&pen, m, "average precision", pr_average_precision(&m->roc),
		  "set xlabel 'recall'\nset ylabel 'precision'\n", "plot ");
}

/* ---- Plots ---- */

/* Most labels beside a confusion matrix: with more of them every second is shown, or fewer. */
#define MOST_TICS 30

/* Draw the confusion matrix: colours are shares of a label's examples; counts if it is small. */
static void draw_confusion(const struct measures *m)
{
	const struct confusion *c = &m->confusion;
	FILE *script = picture_begin(m->to.plot->name);
	const int n = measures_shown_classes(c), step = (n + MOST_TICS - 1) / MOST_TICS;
	char name[CLASS_NAME_SIZE], quoted[2 * CLASS_NAME_SIZE];

	fprintf(script, "$counts << EOD\n");
	for (int k = 0; k < n; k++)
		for (int p = 0; p < c->n_known; p++) {
			double count = c->count[(int64_t)k * c->n + p];
			double all = confusion_class(c, k).n_examples;

			fprintf(script, "%d %d %.6f %.10g\n", p, k, all > 0 ? count / all : 0,
				count);
		}
	fprintf(script,
		"EOD\nset title 'predictions, shares of each label'\n"
		"set xlabel 'predicted'\nset ylabel 'label'\nset key off\n"
		"set palette defined (0 '#f7fbff', 1 '#08519c')\nset cbrange [0:1]\n"
		"set xrange [-0.5:%d.5]\nset yrange [%d.5:-0.5]\nset xtics out ()\nset ytics out ()\n",
		c->n_known - 1, n - 1);
	if (m->names)
		fprintf(script, "set xtics rotate by -45 noenhanced\nset ytics noenhanced\n");
	for (int k = 0; k < n; k++) {
		if (k % step != 0)
			continue;
		measures_class_name(m, k, name);
		quote_name(name, quoted);
		if (k < c->n_known)
			fprintf(script, "set xtics add ('%s' %d)\n", quoted, k);
		fprintf(script, "set ytics add ('%s' %d)\n", quoted, k);
	}
	fprintf(script, "plot $counts using 1:2:3 with image pixels");
	if (n <= 12)
		fprintf(script,
			", $counts using 1:2:(sprintf('%%d', $4)):"
			"($3 > 0.5 ? 0xffffff : 0x000000) with labels textcolor rgb variable");
	fputc('\n', script);
	picture_end(script, m->to.plot->output, m->to.plot->name);
}

static void draw_values(const struct measures *m)
{
	const struct sample_points *s = &m->points;
	FILE *script = picture_begin(m->to.plot->name);

	fprintf(script, "$points << EOD\n");
	for (int64_t i = 0; i < s->n; i++)
		fprintf(script, "%.9g %.9g\n", s->target[i], s->predicted[i]);
	fprintf(script,
		"EOD\nset title 'mean squared error %.6g, r^2 %.6g'\n"
		"set xlabel 'true value'\nset ylabel 'predicted value'\nset key off\nset grid\n"
		"plot " DIAGONAL
		"$points with points pointtype 7 pointsize 0.4 linecolor rgb '#08519c'\n",
		metrics_mse(&m->sums), metrics_determination(&m->sums));
	picture_end(script, m->to.plot->output, m->to.plot->name);
}

/* ---- All of them ---- */

void measures_finish(struct measures *m)
{
	char name[CLASS_NAME_SIZE];

	roc_sort(&m->roc);
	for (int c = 0; c < m->classes.n; c++)
		roc_sort(&m->classes.roc[c]);
	if (m->to.pr->name && m->roc.n_positive == 0)
		cli_fail("--pr: there are no examples of class %s",
			 class_names_show(m->names, m->two.label[0], name));
	if (m->to.pr->name && is_table(m->to.pr->name))
		write_pr_table(m);
	else if (m->to.pr->name)
		draw_pr_curve(m);
	if (m->to.roc->name && isnan(roc_auc(&m->roc)))
		cli_fail("--roc: there are no examples of class %s",
			 class_names_show(m->names, m->two.label[m->roc.n_positive > 0], name));
	if (m->to.roc->name && is_table(m->to.roc->name))
		write_roc_table(m);
	else if (m->to.roc->name)
		draw_roc_curve(m);
	if (m->to.plot->name && m->kind == PREDICTS_VALUE)
		draw_values(m);
	else if (m->to.plot->name)
		draw_confusion(m);
}
