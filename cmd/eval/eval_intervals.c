/*
 * eval_intervals.c - svm-eval --intervals: how far measures may be from those of all rows there might be
 *
 * Shares of rows have Wilson's intervals and the AUC of two classes DeLong's, which take rows to be
 * independent and to count alike.  All other figures, and all of them where rows have groups or
 * weights, are bootstrapped: N_DRAWS times rows, or groups as a whole, are drawn and measured as
 * rows that count so many times (eval_measures.h).  A draw depends on the seed and its number alone,
 * and so do the intervals, on any number of threads.  lib/evaluate/metric_intervals.h has the
 * formulas.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/read_rows.h"
#include "eval.h"

/* The ends of 95 % intervals are the 25th values from either side. */
#define N_DRAWS 1000

/* Fewer rows or groups than this hardly tell how these differ: percentiles of draws are too narrow. */
#define FEW_UNITS 20

/* The value of the same figure among n others, or NAN. */
static double value_of(const struct figure *f, const struct figure *other, int n)
{
	for (int k = 0; k < n; k++)
		if (other[k].class_number == f->class_number && strcmp(other[k].name, f->name) == 0)
			return other[k].value;
	return NAN;
}

/*
 * The figures, less those of --compare, where each row or group is 'count' times; NULL: once.  The
 * caller owns them.
 */
static struct figure *find_figures(const struct eval_job *job, const int32_t *count, int *n)
{
	const struct measures *m = &job->measures;
	struct measures drawn = cv_measures_wanted();
	struct error err = { 0 };
	struct figure *f, *other = NULL;
	int n_others = 0;

	measures_begin(&drawn, &job->predictor, m->with_probabilities);
	for (int64_t i = 0; i < m->n_kept; i++) {
		struct outcome o = m->kept[i];

		o.weight *= count ? count[o.unit] : 1;
		o.class_score = m->classes.n > 0 ? m->kept_score + i * m->classes.n : NULL;
		if (o.weight > 0)
			cli_check(measures_add(&drawn, &o, &err), &err);
	}
	measures_finish(&drawn);
	f = measures_figures(&drawn, n);
	measures_free(&drawn);
	if (job->other)
		other = find_figures(job->other, count, &n_others);
	for (int k = 0; k < *n && other; k++)
		f[k].value -= value_of(&f[k], other, n_others);
	mem_free(other);
	return f;
}

/* Measure a draw; 'room' has the counts of its rows or groups. */
static void measure_draw(void *arg, int64_t draw, void *room)
{
	const struct eval_job *job = arg;
	struct figure *f;
	int n;

	bootstrap_counts(settings.seed, draw, job->n_units, room);
	f = find_figures(job, room, &n);
	for (int k = 0; k < job->n_figures; k++)
		job->drawn[(int64_t)k * N_DRAWS + draw] = k < n ? f[k].value : NAN;
	mem_free(f);
}

/*
 * Give the kept outcomes numbers of what is drawn, rows or groups, in place of those of their rows.
 * Groups without a row that is measured have none.
 */
static void find_units(struct eval_job *job)
{
	struct measures *m = &job->measures;
	struct dataset d = { .x.n_rows = job->n_weighed, .has_qid = job->has_qid };
	/* of each row or group, from 1 */
	int64_t *number = cli_zeroed(d.x.n_rows, sizeof(*number));

	if (job->groups.n == job->n_weighed)
		row_groups_give(&job->groups, &d);
	else if (job->table.groups.n > 0)
		row_groups_give(&job->table.groups, &d);
	row_groups_free(&job->groups);
	cli_group_rows(&d, &settings.common,
		       settings.measure ? settings.measure : settings.test_name);
	for (int64_t i = 0; i < m->n_kept; i++) {
		int64_t *unit = &number[d.group ? d.group[m->kept[i].unit] : i];

		if (*unit == 0)
			*unit = ++job->n_units;
		m->kept[i].unit = *unit - 1;
	}
	job->has_groups = d.group;
	mem_free_all(number, d.group);
}

static bool rows_are_alike(const struct eval_job *job)
{
	return !job->has_groups && !settings.row_weights;
}

/* Read and measure the predictions of --compare, or refuse those of other rows or classes. */
static void read_other(struct eval_job *job, struct eval_job *other, struct report *report)
{
	const struct measures *here = &job->measures;
	const size_t labels = (size_t)here->confusion.n_known * sizeof(int);
	struct measures *there = &other->measures;

	*there = cv_measures_wanted();
	there->keeps = true;
	other->names = job->names;
	other->predictor = eval_open_table(other, settings.compare);
	eval_measure_table(other);
	if (there->confusion.n != here->confusion.n ||
	    (labels > 0 && memcmp(there->confusion.label, here->confusion.label, labels) != 0))
		cli_fail("--compare: %s has predictions of other classes", settings.compare);
	if (other->table.groups.n > 0 && !job->has_groups)
		cli_warn("warning: groups are in %s alone, and rows are drawn one by one: exchange "
			 "the two files",
			 settings.compare);
	for (int64_t i = 0; i < int64_max(here->n_kept, there->n_kept); i++) {
		struct outcome *a = &here->kept[i], *b = &there->kept[i];

		if (i == here->n_kept || i == there->n_kept || a->target != b->target)
			cli_fail("--compare: row %" PRId64
				 " is not in both, or has another label in %s",
				 i + 1, settings.compare);
		b->unit = a->unit;
		job->n_alone[0] += a->predicted == a->target && b->predicted != b->target;
		job->n_alone[1] += a->predicted != a->target && b->predicted == b->target;
	}
	job->other = other;
	job->mcnemar = labels > 0 && rows_are_alike(job) ?
			       sign_test(job->n_alone[0], job->n_alone[1]) :
			       NAN;
	report_number(report, "right_alone", job->n_alone[0]);
	report_number(report, "other_right_alone", job->n_alone[1]);
	report_number(report, "mcnemar", job->mcnemar);
}

/* Find the interval of a figure, whose values of draws are given. */
static void find_interval(const struct eval_job *job, struct figure *f, double *value)
{
	const struct measures *m = &job->measures;
	const double z = normal_bound(settings.intervals);
	/* the accuracy is in percent */
	const double unit = f->class_number < 0 ? 100 : 1;

	f->method = "bootstrap";
	f->interval = bootstrap_interval(value, N_DRAWS, settings.intervals);
	if (settings.compare || !rows_are_alike(job))
		return;
	if (f->n > 0) {
		f->method = "Wilson";
		f->interval = wilson_interval(f->value / unit, f->n, z);
		f->interval.from *= unit;
		f->interval.to *= unit;
	} else if (m->two.known && strcmp(f->name, "auc") == 0) {
		f->method = "DeLong";
		f->interval = roc_auc_interval(&m->roc, z);
	}
}

void eval_find_intervals(struct eval_job *job, struct report *report)
{
	const struct measures *m = &job->measures;
	struct eval_job other = { 0 };
	struct error err = { 0 };
	struct report *items;

	if (m->n_kept == 0)
		return;
	find_units(job);
	if (settings.compare)
		read_other(job, &other, report);
	job->figure = find_figures(job, NULL, &job->n_figures);
	job->drawn = cli_zeroed((int64_t)job->n_figures * N_DRAWS, sizeof(double));
	cli_check(thread_each((int)settings.common.n_threads, N_DRAWS, 1,
			      (size_t)job->n_units * sizeof(int32_t), measure_draw, job, &err),
		  &err);
	items = report_array(report, settings.compare ? "differences" : "intervals");
	for (int k = 0; k < job->n_figures; k++) {
		struct figure *f = &job->figure[k];
		struct report *item = report_item(items);

		find_interval(job, f, job->drawn + (int64_t)k * N_DRAWS);
		report_text(item, "figure", f->name);
		if (f->class_number >= 0)
			measures_report_class(item, m, f->class_number);
		report_number(item, "value", f->value);
		report_number(item, "from", f->interval.from);
		report_number(item, "to", f->interval.to);
		report_text(item, "method", f->method);
	}
	measures_free(&other.measures);
	table_free(&other.table);
	mem_free(job->drawn);
	cli_run_phase(job->run, "intervals");
}

void eval_print_intervals(const struct eval_job *job)
{
	FILE *to = job->run->info;

	if (job->n_figures == 0 || settings.common.quiet)
		return;
	fprintf(to, "%g%% intervals", 100 * settings.intervals);
	if (settings.compare)
		fprintf(to, " of differences from %s", settings.compare);
	fprintf(to, "\n%19s %10s %10s %10s\n", "figure", "value", "from", "to");
	for (const struct figure *f = job->figure; f < job->figure + job->n_figures; f++) {
		const char *name =
			f->class_number < 0 ? "" : MEASURES_CLASS(&job->measures, f->class_number);

		fprintf(to, "%19s", f->name);
		measures_print_number(to, f->value);
		measures_print_number(to, f->interval.from);
		measures_print_number(to, f->interval.to);
		fprintf(to, "  %s%s%s\n", f->method, *name ? ", class " : "", name);
	}
	fprintf(to, "%d draws of %" PRId64 " %s%s\n", N_DRAWS, job->n_units,
		job->has_groups ? "groups" : "rows",
		rows_are_alike(job) ? "" :
				      ": not independent or alike, as Wilson and DeLong take them");
	if (settings.compare && !isnan(job->mcnemar))
		fprintf(to,
			"McNemar's test: p = %.3g (%.0f rows are right here alone, %.0f there)\n",
			job->mcnemar, job->n_alone[0], job->n_alone[1]);
	if (job->n_units < FEW_UNITS)
		cli_note("of so few rows or groups intervals by bootstrap are too narrow");
}
