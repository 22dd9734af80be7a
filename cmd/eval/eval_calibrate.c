/*
 * eval_calibrate.c - svm-eval --calibrate: what predictions of rows with labels say of new ones
 *
 * Decision values become scores of the model's classes, in its order; a regression has one, -|error|.
 * Those of the file are the examples of a curve of each class against the rest, of which
 * lib/evaluate/calibration.h makes probabilities or a bound.  A row of class k is covered if its score of k
 * is not below the bound of k: then its set holds k, its interval the value, and it is no false alarm.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "eval.h"

const char *const eval_method_names[] = { "sigmoid", "isotonic", "venn-abers", NULL };

/* Rows from which on the default is isotonic, or Venn-Abers: of fewer the steps are noise. */
#define ISOTONIC_ROWS 1000

/* Rows of a class below which Platt's most of it, (n + 1) / (n + 2), is less than 11/12. */
#define FEW_ROWS 10

/* Refuse predictions of another kind of model, as far as they tell, and what is not for this kind. */
static void check_table(const struct prediction_table *t, const struct predictor *of_table,
			const struct predictor *p)
{
	const int *own = predictor_labels(p), *label = predictor_labels(of_table);
	bool fits = !own == !label && p->n_class == of_table->n_class &&
		    (p->n_class == 2 || t->columns.by_class == p->model->is_linear_model);

	for (int k = 0; k < p->n_class && fits && own; k++)
		fits = t->columns.with_values && label_find(label, p->n_class, own[k]) >= 0;
	if (!fits)
		cli_fail("--calibrate: %s has not the classes and decision values of %s (--scores)",
			 settings.calibrate, settings.model_name);
	if (p->kind == PREDICTS_SIDE && t->has_row_numbers)
		cli_fail("--calibrate: decision values of one-class models grow with the rows; "
			 "take those of rows held out (svm-eval --with-labels --scores)");
	if (!own && settings.intervals > 0)
		cli_refuse_together("--calibrate of a regression",
				    "--metrics --sets --false-alarms --method --with-labels "
				    "--seed --groups --by-qid");
	else if (!own)
		cli_fail("--calibrate: of %s there are --intervals alone", settings.model_name);
	else if ((settings.false_alarms > 0 && p->n_class > 2) ||
		 (settings.intervals > 0 && !settings.metrics))
		cli_fail("--calibrate: of %s there are --sets, and --intervals of --metrics; "
			 "--false-alarms are of two classes or one",
			 settings.model_name);
}

/* The rows as examples of their labels, or of 0, without those whose scores are not known. */
static struct class_curves make_examples(const struct prediction_table *t,
					 const struct predictor *p)
{
	static const int none = 0;
	const int n_probabilities = t->columns.with_probabilities ? t->columns.n_class : 0;
	const int *label = predictor_labels(p);
	struct class_curves examples = { .n = label ? p->n_class : 1,
					 .label = label ? label : &none };
	struct error err = { 0 };
	double *score = cli_zeroed(examples.n, sizeof(double));

	for (int64_t i = 0; i < t->n_rows; i++) {
		const double *row = t->row + i * t->width;

		score[0] = -fabs(row[0] - row[1]);
		if (label)
			prediction_scores(p, t->columns.by_class, row + 2 + n_probabilities, score);
		if (are_finite(score, examples.n))
			cli_check(class_curves_add(&examples, score, label ? row[0] : 0, 1, &err),
				  &err);
	}
	mem_free(score);
	cli_check(class_curves_finish(&examples, &err), &err);
	return examples;
}

/* Make the curve or bound of class k of its examples, or refuse too few. */
static void fit_class(struct eval_job *job, int k, const struct class_curves *examples)
{
	const int *own = predictor_labels(&job->predictor);
	const struct roc *r =
		&examples->roc[own ? label_find(examples->label, examples->n, own[k]) : 0];
	struct calibration *c = &job->calibration.of_class[k];
	const double share = job->calibration.share, least = share > 0 ? conformal_least(share) : 1;
	struct error err = { 0 };

	if (r->n_positive < least)
		cli_fail(
			"--calibrate: %s has %.0f of at least %.0f rows%s%s with known values: take "
			"predictions of more rows, such as --cv-predictions",
			settings.calibrate, r->n_positive, least, own ? " of class " : "",
			own ? CLASS_NAME(&job->names, own[k]) : "");
	c->bound = conformal_bound(r, share);
	if (share > 0)
		return;
	if (r->n_positive < FEW_ROWS)
		cli_remark("%s has %.0f rows of class %s, few for probabilities: take predictions "
			   "of more rows",
			   settings.calibrate, r->n_positive, CLASS_NAME(&job->names, own[k]));
	cli_check(calibration_fit(c, r, job->calibration.method, &err), &err);
	/* of two classes both curves say so */
	if (roc_auc(r) < 0.5 && (k == 0 || examples->n > 2))
		cli_warn("warning: the decision values of %s speak against its labels (AUC = %.3g)",
			 settings.calibrate, roc_auc(r));
}

void eval_calibrate(struct eval_job *job)
{
	const struct predictor *p = &job->predictor;
	const int *own = predictor_labels(p);
	const bool side = p->kind == PREDICTS_SIDE;
	struct eval_calibration *c = &job->calibration;
	const struct predictor of_table = eval_open_table(job, settings.calibrate);
	struct class_curves examples;
	struct error err = { 0 };

	check_table(&job->table, &of_table, p);
	examples = make_examples(&job->table, &of_table);
	if (examples.n_examples < job->table.n_rows)
		cli_note("%s: %" PRId64 " rows whose label is no class, or whose values are not "
			 "all known, are left out",
			 settings.calibrate, job->table.n_rows - examples.n_examples);
	c->n = examples.n;
	c->n_rows = examples.n_examples;
	c->share = !own		     ? 1 - settings.intervals :
		   settings.sets > 0 ? 1 - settings.sets :
				       settings.false_alarms;
	/* with intervals of predictions there are none of measures */
	job->measures.keeps &= own != NULL;
	/* false alarms are of the smaller label, or of the normal rows */
	c->quiet = settings.false_alarms > 0 ? (own[0] > own[1]) != side : -1;
	job->with_probabilities = c->share == 0;
	c->method = settings.method;
	if (c->n_rows >= ISOTONIC_ROWS && !cli_given("--method"))
		c->method = c->n > 2 ? CALIBRATION_VENN_ABERS : CALIBRATION_ISOTONIC;
	c->of_class = cli_zeroed(c->n, sizeof(*c->of_class));
	for (int k = 0; k < c->n; k++)
		if (c->quiet < 0 || k == c->quiet)
			fit_class(job, k, &examples);
	c->coupling = (struct coupling){ .power = 1, .noise = 0.1 };
	if (c->share == 0 && c->n > 2)
		cli_check(calibration_couple(&examples, c->method, &c->coupling, &err), &err);
	c->with_ends = !own || (c->share == 0 && c->n == 2 && settings.scores &&
				!settings.with_labels && c->method == CALIBRATION_VENN_ABERS);
	/* scores of two classes are opposites; at the threshold the larger label is predicted */
	if (c->quiet >= 0)
		job->measures.threshold = side ? c->of_class[c->quiet].bound :
						 nextafter(-c->of_class[c->quiet].bound, INFINITY);
	class_curves_free(&examples);
}

/* ---- what the labels say ---- */

void eval_judge(struct eval_job *job, const struct outcome *o)
{
	struct eval_calibration *c = &job->calibration;
	const int *own = predictor_labels(&job->predictor);
	const int k = own && c->n > 0 ? label_find(own, c->n, o->target) : c->n - 1;

	if (k < 0)
		return;
	c->of_class[k].n_judged += o->weight;
	c->of_class[k].n_covered += o->weight * o->is_covered;
	c->n_judged += o->weight;
	c->size += o->weight * o->set_size;
}

/* Print and report how often the bound of class k was right. */
static void tell_class(const struct eval_job *job, int k, struct report *r)
{
	const struct calibration *c = &job->calibration.of_class[k];
	const int *own = predictor_labels(&job->predictor);
	const bool alarms = settings.false_alarms > 0;
	const double n = alarms ? c->n_judged - c->n_covered : c->n_covered;

	if (own)
		report_count(r, "label", own[k]);
	report_number(r, "bound", c->bound);
	report_number(r, alarms ? "false_alarms" : "coverage", n / c->n_judged);
	if (c->n_judged > 0)
		cli_tell(job->run, "%s = %g%% (%.15g/%.15g)%s%s\n",
			 alarms ? "False alarms" : "Coverage", 100 * n / c->n_judged, n,
			 c->n_judged, own ? " of class " : "",
			 own ? CLASS_NAME(&job->names, own[k]) : "");
}

void eval_tell_calibration(struct eval_job *job)
{
	static const char *const key[4][2] = { { "calibration_error", "Calibration error" },
					       { "threshold", "Threshold" },
					       { "mean_size", "Mean size of the sets" },
					       { "half_width", "Half width of the intervals" } };
	struct eval_calibration *c = &job->calibration;
	const int what = c->share == 0 ? 0 : c->quiet >= 0 ? 1 : c->n > 1 ? 2 : 3;
	const double number[] = { calibration_error(&job->measures.calibration),
				  job->measures.threshold, c->size / c->n_judged,
				  -c->of_class->bound };
	const char *how = c->share > 0 ? "conformal" : eval_method_names[c->method];
	struct report *r = report_object(job->run->report, "calibrated");
	struct report *classes = c->share > 0 ? report_array(r, "classes") : NULL;

	report_text(r, "method", how);
	report_count(r, "rows", c->n_rows);
	if (c->share == 0 && c->n > 2) {
		report_number(r, "power", c->coupling.power);
		report_number(r, "noise", c->coupling.noise);
	}
	report_number(r, key[what][0], number[what]);
	for (int k = 0; k < c->n && c->share > 0; k++)
		if (c->quiet < 0 || c->quiet == k)
			tell_class(job, k, report_item(classes));
	if (!isnan(number[what]))
		cli_tell(job->run, "%s = %.*g (%s by %" PRId64 " rows)\n", key[what][1],
			 c->quiet < 0 ? 6 : 17, number[what], how, c->n_rows);
	for (int k = 0; k < c->n; k++)
		calibration_free(&c->of_class[k]);
	mem_free(c->of_class);
}
