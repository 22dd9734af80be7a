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
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "eval.h"

/* The ends of 95 % intervals are the 25th values from either side. */
#define N_DRAWS 1000

/* Fewer groups than this are too few to tell how groups differ: percentiles are too narrow. */
#define FEW_GROUPS 20

/* What is drawn, and the figures of all draws. */
struct resampling {
	const struct eval_job *job;
	double *value; /* [n_figures][N_DRAWS] */
};

static int measure_draw(void *arg, int64_t draw, int thread, struct error *err)
{
	const struct resampling *r = arg;
	const struct measures *m = &r->job->measures;
	struct measures drawn = cv_measures_wanted();
	int32_t *count = mem_array(r->job->n_units, sizeof(*count), err);
	struct figure *f = NULL;
	int n = 0;

	(void)thread;
	measures_begin(&drawn, &r->job->predictor, m->with_probabilities);
	if (count)
		bootstrap_counts(settings.seed, draw, r->job->n_units, count);
	for (int64_t i = 0; i < m->n_kept && err->code == ERR_NONE; i++) {
		struct outcome o = m->kept[i];

		o.weight *= count[o.unit];
		o.class_score = m->classes.n > 0 ? m->kept_score + i * m->classes.n : NULL;
		if (o.weight > 0)
			measures_add(&drawn, &o, o.target, err);
	}
	if (err->code == ERR_NONE) {
		measures_finish(&drawn);
		f = measures_figures(&drawn, &n, err);
	}
	for (int k = 0; k < r->job->n_figures; k++)
		r->value[(int64_t)k * N_DRAWS + draw] = k < n ? f[k].value : NAN;
	mem_free_all(count, f);
	measures_free(&drawn);
	return err->code == ERR_NONE ? 0 : -1;
}

static bool rows_have_groups(void)
{
	return settings.common.groups || settings.common.by_qid;
}

/* Find the interval of a figure, whose values of draws are given. */
static void find_interval(const struct measures *m, struct figure *f, double *value)
{
	const bool alike = !rows_have_groups() && !settings.row_weights;
	const double z = normal_bound(settings.intervals);

	f->method = "bootstrap";
	f->interval = bootstrap_interval(value, N_DRAWS, settings.intervals);
	if (alike && f->n > 0) {
		f->method = "Wilson";
		f->interval = wilson_interval(f->n_right, f->n, z);
		/* the accuracy is in percent */
		f->interval.from *= f->class_number < 0 ? 100 : 1;
		f->interval.to *= f->class_number < 0 ? 100 : 1;
	} else if (alike && m->two.known && strcmp(f->name, "auc") == 0) {
		f->method = "DeLong";
		f->interval = roc_auc_interval(&m->roc, z);
	}
}

static void report_interval(struct report *item, const struct measures *m, const struct figure *f)
{
	report_text(item, "figure", f->name);
	if (f->class_number >= 0)
		measures_report_class(item, m, f->class_number);
	report_number(item, "value", f->value);
	report_number(item, "from", f->interval.from);
	report_number(item, "to", f->interval.to);
	report_text(item, "method", f->method);
}

void eval_find_intervals(struct eval_job *job, struct report *report)
{
	const struct measures *m = &job->measures;
	struct resampling r = { .job = job };
	struct error err = { 0 };
	struct report *items;

	if (m->n_kept == 0)
		return;
	job->figure = measures_figures(m, &job->n_figures, &err);
	r.value = mem_array((int64_t)job->n_figures * N_DRAWS, sizeof(double), &err);
	if (err.code == ERR_NONE)
		thread_ordered_for((int)settings.common.n_threads, N_DRAWS, measure_draw, NULL, &r,
				   &err);
	cli_check(err.code == ERR_NONE ? 0 : -1, &err);
	items = report_array(report, "intervals");
	for (int k = 0; k < job->n_figures; k++) {
		find_interval(m, &job->figure[k], r.value + (int64_t)k * N_DRAWS);
		report_interval(report_item(items), m, &job->figure[k]);
	}
	mem_free(r.value);
	cli_run_phase(job->run, "intervals");
}

/* Say in one line what is drawn where that is not single rows. */
static void tell_draws(const struct eval_job *job)
{
	if (rows_have_groups() || settings.row_weights)
		fprintf(job->run->info,
			"%d draws of %" PRId64 " %s, as Wilson and DeLong take rows to be "
			"independent and to count alike\n",
			N_DRAWS, job->n_units,
			rows_have_groups() ? "whole groups" : "rows of different weights");
	else if (job->has_qid)
		cli_note(
			"rows have qid, and are drawn one by one; with --by-qid those of a qid are "
			"drawn together");
	if (rows_have_groups() && job->n_units < FEW_GROUPS)
		cli_note("intervals of %" PRId64 " groups are too narrow: so few hardly tell how "
			 "groups differ",
			 job->n_units);
}

void eval_print_intervals(const struct eval_job *job)
{
	FILE *to = job->run->info;

	if (job->n_figures == 0 || settings.common.quiet)
		return;
	fprintf(to, "%g%% intervals\n%19s %10s %10s %10s\n", 100 * settings.intervals, "figure",
		"value", "from", "to");
	for (const struct figure *f = job->figure; f < job->figure + job->n_figures; f++) {
		char name[CLASS_NAME_SIZE] = "";

		if (f->class_number >= 0)
			measures_class_name(&job->measures, f->class_number, name);
		fprintf(to, "%19s", f->name);
		measures_print_number(to, 10, f->value);
		measures_print_number(to, 10, f->interval.from);
		measures_print_number(to, 10, f->interval.to);
		fprintf(to, "  %s%s%s\n", f->method, *name ? ", class " : "", name);
	}
	tell_draws(job);
}
