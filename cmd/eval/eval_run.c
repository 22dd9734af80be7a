/*
 * eval_run.c - svm-eval: what all modes have, files, the report, measures and their pictures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/help.h"
#include "common/picture.h"
#include "common/read_rows.h"
#include "eval.h"

void eval_take_names(char **names, int n, bool needs_output)
{
	const int n_inputs = settings.predict || cli_given("--export") ? 1 : 2,
		  most = n_inputs + !settings.output_name;

	if (n < (needs_output ? most : n_inputs))
		cli_usage(&eval_program);
	cli_allow_names(names, n, most);
	settings.test_name = settings.predict ? settings.predict : names[0];
	settings.model_name = names[n_inputs - 1];
	if (n > n_inputs)
		settings.output_name = names[n_inputs];
}

void eval_open(struct cli_run *run)
{
	cli_name_data(run, &settings.test, &settings.test_name, 1);
	cli_name_data(run, &settings.other, &settings.certify, 1);
	cli_run_reads(run, settings.model_name, settings.measure, settings.row_weights,
		      settings.calibrate, settings.compare, settings.common.groups,
		      settings.reduce ? NULL : settings.labels, settings.background);
	cli_run_writes(run, FILE_PREDICTIONS, settings.output_name, "output file",
		       settings.repair || settings.reduce ? FILE_IS_MODEL : FILE_IS_OTHER);
	cli_run_writes(run, FILE_ROC, settings.roc, "output file", FILE_IS_OTHER);
	cli_run_writes(run, FILE_PR, settings.pr, "output file", FILE_IS_OTHER);
	cli_run_writes(run, FILE_PLOT, settings.plot, "output file", FILE_IS_OTHER);
	cli_run_writes(run, FILE_CERTIFICATE, settings.certificate, "output file", FILE_IS_OTHER);
	cli_run_name(run);
	cli_run_report(run);
	if (settings.test_name)
		report_text(run->settings, "test_file", settings.test_name);
	if (settings.model_name)
		report_text(run->settings, "model_file", settings.model_name);
	cli_run_phases(run);
}

struct training eval_training(void)
{
	struct training training = settings.training;

	for (int64_t i = 0; i < settings.weights.n; i++)
		if (settings.weights.weight[i].factor < 0)
			cli_fail("ERROR: weight < 0");
	training.n_weights = (int)settings.weights.n;
	training.weight = settings.weights.weight;
	training.squared_loss = settings.loss == LOSS_SQUARED;
	return training;
}

/* ---- pictures: curves as pictures or tables, and plots ---- */

/* Distance of curve points that is less than a pixel: a nearer point is not drawn. */
#define CURVE_STEP 5e-4

/* The line y = x in a plot command of gnuplot, before what else it plots. */
#define DIAGONAL "x with lines notitle linecolor rgb '#999999' dashtype 2, "

/* Refuse a file whose name is no picture's; 'table' allows .tsv. */
static void check_picture(const char *option, const char *name, bool table)
{
	if (!name || (table && picture_ends_in(name, ".tsv")))
		return;
	if (!picture_terminal(name))
		cli_fail("%s: '%s' does not end in .png, .svg, .pdf%s", option, name,
			 table ? ", .eps or .tsv" : " or .eps");
	picture_need_gnuplot(name);
}

/* ---- Curves: one of two classes, or one of each class against the rest ---- */

/* Those of each class against the rest, or of two classes that of the label of high scores. */
static struct class_curves curves_of(const struct measures *m)
{
	const struct class_curves two = { 1, m->two.label, .roc = (struct roc *)&m->roc };

	return m->classes.n > 0 ? m->classes : two;
}

/* A kind of curve: names of its numbers, the area below it, and a walk along its points. */
struct curve_kind {
	const char *option, *columns, *x, *y, *measure, *plot;
	double (*area)(const struct roc *r);
	bool (*step)(const struct roc *r, struct roc_walk *walk, struct roc_point *point);
	bool of_precision; /* precision over recall, not the rates of true and false positives */
};

static const struct curve_kind roc_kind = {
	.option = "--roc",
	.columns = "threshold\tfalse_positive_rate\ttrue_positive_rate\n",
	.x = "false positive rate",
	.y = "true positive rate",
	.measure = "AUC =",
	.plot = DIAGONAL,
	.area = roc_auc,
	.step = roc_step,
};

static const struct curve_kind pr_kind = {
	.option = "--pr",
	.columns = "threshold\tprecision\trecall\n",
	.x = "recall",
	.y = "precision",
	.measure = "average precision",
	.plot = "",
	.area = pr_average_precision,
	.step = pr_step,
	.of_precision = true,
};

/* A curve without examples of both sides has no points. */
static bool has_points(const struct curve_kind *kind, const struct roc *r)
{
	return !isnan(kind->area(r));
}

/* ---- Tables ---- */

/* The points of a curve, behind the name of its class where there are several. */
static void write_points(const struct roc *r, const struct curve_kind *kind, const char *name,
			 const struct cli_output *to)
{
	struct roc_walk walk = { 0 };
	struct roc_point p;
	struct error err = { 0 };

	while (kind->step(r, &walk, &p))
		output_printf(
			to->output, &err, "%s%s%s\t%s\t%s\n", name ? name : "", name ? "\t" : "",
			DECIMAL_TEXT(p.threshold),
			DECIMAL_TEXT(kind->of_precision ? p.precision : p.false_positive_rate),
			DECIMAL_TEXT(p.true_positive_rate));
}

static void write_table(const struct measures *m, const struct curve_kind *kind,
			const struct cli_output *to)
{
	const struct class_curves c = curves_of(m);
	const bool several = m->classes.n > 0;
	struct error err = { 0 };

	output_printf(to->output, &err, "%s%s", several ? "class\t" : "", kind->columns);
	for (int k = 0; k < c.n; k++)
		if (has_points(kind, &c.roc[k]))
			write_points(&c.roc[k], kind,
				     several ? CLASS_WORD(m->names, c.label[k]) : NULL, to);
}

/* ---- Pictures of curves ---- */

/* Most curves that a key tells apart, by colours that the colour-blind can tell apart (Okabe and Ito). */
#define MOST_KEYS 8

static const char *const colours[MOST_KEYS] = { "#08519c", "#d55e00", "#009e73", "#cc79a7",
						"#e69f00", "#56b4e9", "#000000", "#999999" };

/* A name between single quotes of gnuplot, in which two of them are one; until the end of the block. */
#define GNUPLOT_NAME(name) quote_name(name, (char[2 * CLASS_NAME_SIZE]){ 0 })
static const char *quote_name(const char *name, char quoted[2 * CLASS_NAME_SIZE])
{
	for (char *to = quoted; *name; name++) {
		if (*name == '\'')
			*to++ = '\'';
		*to++ = *name;
	}
	return quoted;
}

/* The points of a curve, without those within a pixel of the last one, but for its end. */
static void draw_points(FILE *script, const struct roc *r, const struct curve_kind *kind)
{
	struct roc_walk walk = { 0 };
	struct roc_point p;
	double last_x = -1, last_y = -1;

	while (kind->step(r, &walk, &p)) {
		double x = kind->of_precision ? p.true_positive_rate : p.false_positive_rate;
		double y = kind->of_precision ? p.precision : p.true_positive_rate;

		if (walk.next != r->n && x - last_x < CURVE_STEP && fabs(y - last_y) < CURVE_STEP)
			continue;
		last_x = x;
		last_y = y;
		fprintf(script, "%.6f %.6f\n", x, y);
	}
}

static void set_title(FILE *script, const struct measures *m, const struct curve_kind *kind)
{
	if (m->classes.n > 0) {
		fprintf(script, "set title 'each class against the rest, mean %s %.4f'\n",
			kind->measure, measures_mean(m, kind->area));
		return;
	}
	fprintf(script, "set title 'class %s against %s, %s %.4f' noenhanced\n",
		GNUPLOT_NAME(CLASS_NAME(m->names, m->two.label[0])),
		GNUPLOT_NAME(CLASS_NAME(m->names, m->two.label[1])), kind->measure,
		kind->area(&m->roc));
}

static void draw_curves(const struct measures *m, const struct curve_kind *kind,
			const struct cli_output *to)
{
	FILE *script = picture_begin(to->name);
	const struct class_curves c = curves_of(m);
	const bool keys = c.n > 1 && c.n <= MOST_KEYS;
	const char *before = kind->plot;

	for (int k = 0; k < c.n; k++) {
		fprintf(script, "$curve%d << EOD\n", k);
		if (has_points(kind, &c.roc[k]))
			draw_points(script, &c.roc[k], kind);
		fprintf(script, "EOD\n");
	}
	set_title(script, m, kind);
	fprintf(script,
		"set xlabel '%s'\nset ylabel '%s'\n"
		"set size square\nset xrange [0:1]\nset yrange [0:1]\nset grid\n%s\nplot ",
		kind->x, kind->y, keys ? "set key outside noenhanced" : "set key off");
	for (int k = 0; k < c.n; k++) {
		if (!has_points(kind, &c.roc[k]))
			continue;
		fprintf(script, "%s$curve%d with lines title '%s' linecolor rgb '%s' linewidth %d",
			before, k, GNUPLOT_NAME(CLASS_NAME(m->names, c.label[k])),
			colours[k % MOST_KEYS], c.n > MOST_KEYS ? 1 : 2);
		before = ", ";
	}
	fputc('\n', script);
	picture_end(script, to->output, to->name);
}

/* Make the file of curves, if there is one; refuse it if none has points. */
static void make_curves(const struct measures *m, const struct curve_kind *kind,
			const struct cli_output *to)
{
	const struct class_curves c = curves_of(m);
	bool some = false;

	if (!to->name)
		return;
	for (int k = 0; k < c.n; k++)
		some |= has_points(kind, &c.roc[k]);
	if (!some && m->classes.n > 0)
		cli_fail("%s: there are no examples of two classes", kind->option);
	if (!some)
		cli_fail("%s: there are no examples of class %s", kind->option,
			 CLASS_NAME(m->names, m->two.label[m->roc.n_positive > 0]));
	if (picture_ends_in(to->name, ".tsv"))
		write_table(m, kind, to);
	else
		draw_curves(m, kind, to);
}

/* ---- Plots ---- */

/* Most labels beside a confusion matrix: with more of them every second is shown, or fewer. */
#define MOST_TICS 20
/* Most names on the slant below a confusion matrix: more of them are upright, and small. */
#define MOST_SLANTED 8

/* Draw the confusion matrix: colours are shares of a label's examples; counts if it is small. */
static void draw_confusion(const struct measures *m, const struct cli_output *to)
{
	const struct confusion *c = &m->confusion;
	FILE *script = picture_begin(to->name);
	const int n = measures_shown_classes(c), step = (n + MOST_TICS - 1) / MOST_TICS;

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
		fprintf(script, "set xtics rotate by %s noenhanced\nset ytics noenhanced%s\n",
			n > MOST_SLANTED ? "90 right font ',11'" : "-45",
			n > MOST_SLANTED ? " font ',11'" : "");
	for (int k = 0; k < n; k += step) {
		const char *name = GNUPLOT_NAME(MEASURES_CLASS(m, k));

		if (k < c->n_known)
			fprintf(script, "set xtics add ('%s' %d)\n", name, k);
		fprintf(script, "set ytics add ('%s' %d)\n", name, k);
	}
	fprintf(script, "plot $counts using 1:2:3 with image pixels");
	if (n <= 12)
		fprintf(script,
			", $counts using 1:2:(sprintf('%%d', $4)):"
			"($3 > 0.5 ? 0xffffff : 0x000000) with labels textcolor rgb variable");
	fputc('\n', script);
	picture_end(script, to->output, to->name);
}

static void draw_values(const struct measures *m, const struct cli_output *to)
{
	const struct sample_points *s = &m->points;
	FILE *script = picture_begin(to->name);

	fprintf(script, "$points << EOD\n");
	for (int64_t i = 0; i < s->n; i++)
		fprintf(script, "%.9g %.9g\n", s->target[i], s->predicted[i]);
	fprintf(script,
		"EOD\nset title 'mean squared error %.6g, r^2 %.6g'\n"
		"set xlabel 'true value'\nset ylabel 'predicted value'\nset key off\nset grid\n"
		"plot " DIAGONAL
		"$points with points pointtype 7 pointsize 0.4 linecolor rgb '#08519c'\n",
		metrics_mse(&m->sums), metrics_determination(&m->sums));
	picture_end(script, to->output, to->name);
}

/* ---- measures ---- */

void eval_start_measures(struct eval_job *job, bool wanted)
{
	if (settings.labels)
		class_names_read(&job->names, settings.labels);
	job->measures = (struct measures){ .wanted = wanted,
					   .names = settings.labels ? &job->names : NULL,
					   .curve = settings.roc ? "--roc" :
						    settings.pr	 ? "--pr" :
								   NULL,
					   .plots = settings.plot,
					   .keeps = settings.intervals > 0,
					   .threshold = settings.threshold };
	check_picture("--roc", settings.roc, true);
	check_picture("--pr", settings.pr, true);
	check_picture("--plot", settings.plot, false);
	if (settings.row_weights && !settings.predict)
		job->weights = cli_read_weights(settings.row_weights);
	cli_open_outputs(&job->run->file[FILE_ROC], FILE_PLOT - FILE_ROC + 1);
}

static void print_metrics(const struct eval_job *job)
{
	const struct metrics *m = &job->measures.sums;

	if (settings.common.quiet || m->n == 0)
		return;
	if (job->predictor.kind == PREDICTS_VALUE) {
		fprintf(job->run->info, "Mean squared error = %g (regression)\n", metrics_mse(m));
		fprintf(job->run->info, "Squared correlation coefficient = %g (regression)\n",
			metrics_squared_correlation(m));
		if (metrics_uncorrelated(m))
			cli_note("the squared correlation is undefined: %s",
				 metrics_uncorrelated(m));
		return;
	}
	/* numbers of examples, or sums of weights */
	fprintf(job->run->info, "Accuracy = %g%% (%.15g/%.15g)%s\n", metrics_accuracy(m),
		m->n_correct, m->weight,
		job->chain.model.is_linear_model ? "" : " (classification)");
}

void eval_finish_measures(struct eval_job *job)
{
	/* the certificate has "rows", too */
	struct report *report = settings.predict ? report_object(job->run->report, "predictions") :
						   job->run->report;
	const struct cli_output *file = job->run->file;
	struct measures *m = &job->measures;

	measures_finish(m);
	make_curves(m, &pr_kind, &file[FILE_PR]);
	make_curves(m, &roc_kind, &file[FILE_ROC]);
	if (m->plots)
		(m->kind == PREDICTS_VALUE ? draw_values : draw_confusion)(m, &file[FILE_PLOT]);
	cli_run_phase(job->run, "write");
	measures_report(m, report);
	eval_find_intervals(job, report);
	cli_run_commit(job->run);
	print_metrics(job);
	if (m->wanted && !settings.common.quiet && m->sums.n > 0)
		measures_print(m, job->run->info);
	eval_print_intervals(job);
	mem_free(job->figure);
	measures_free(m);
	table_free(&job->table);
	class_names_free(&job->names);
}
