/*
 * eval_measures.c - what svm-eval says of predictions beyond svm-predict's lines
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "eval_measures.h"

#include "process.h"

/* Most points of a scatter plot: more cannot be told apart, and make a large file. */
#define MOST_POINTS 20000

/* Is a score needed, for the file of a curve or for --metrics? */
static bool wants_scores(const struct measures *m)
{
	return m->wanted || m->curve;
}

/*
 * Refuse curves without classes, thresholds without two classes, both without scores, and thresholds
 * that no score can reach.
 */
static void check_sides(const struct measures *m, const struct predictor *p)
{
	const char *option = !isnan(m->threshold) ? "--threshold" : m->curve;

	if (option && (p->kind == PREDICTS_VALUE || p->n_class < 2))
		cli_fail("%s: the model does not have %s", option,
			 m->curve == option ? "classes" : "two classes");
	if (!isnan(m->threshold) && p->n_class != 2)
		cli_fail("--threshold: the model does not have two classes");
	if (option && !m->two.known && m->classes.n == 0)
		cli_fail("%s: there are no decision values or probabilities, only predictions",
			 option);
	if (!isnan(m->threshold) && m->with_probabilities &&
	    !(m->threshold >= 0 && m->threshold <= 1))
		cli_fail("--threshold: %.10g is not between 0 and 1, and probabilities (-b 1) are "
			 "compared with it",
			 m->threshold);
}

void measures_begin(struct measures *m, const struct predictor *p, bool with_probabilities)
{
	const int *label = predictor_labels(p);
	const bool has_scores = p->n_values > 0 || with_probabilities;
	const bool two_classes = p->kind != PREDICTS_VALUE && p->n_class == 2;
	const bool first = two_classes && label[0] > label[1];
	struct error err = { 0 };

	m->kind = p->kind;
	m->with_probabilities = with_probabilities;
	if (two_classes && has_scores)
		m->two =
			(struct two_sides){ true, { label[!first], label[first] }, first ? 1 : -1 };
	/* a curve for each class, if there are more than two */
	if (wants_scores(m) && p->kind == PREDICTS_CLASS && p->n_class > 2 && has_scores) {
		m->classes.n = p->n_class;
		m->classes.label = p->label;
	}
	check_sides(m, p);
	if (m->kind != PREDICTS_VALUE && (m->wanted || m->plots))
		cli_check(confusion_init(&m->confusion, label, p->n_class, &err), &err);
	m->points.stride = 1;
}

/*
 * Of two classes, the probability of the larger label; without probabilities the decision value
 * that speaks for it.  Curves, their tables and the threshold are all of this number.
 */
static double side_score(const struct measures *m, const struct row_prediction *r)
{
	if (m->with_probabilities)
		return r->probability[m->two.score_sign > 0 ? 0 : 1];
	return m->two.score_sign *
	       (r->by->n_values > 1 ? r->values[0] - r->values[1] : r->values[0]);
}

static void judge_probabilities(struct outcome *o, const struct predictor *p,
				const double *probability, double target)
{
	const int c = label_find(predictor_labels(p), p->n_class, target);

	if (c < 0 || isnan(probability[c]))
		return;
	o->log_loss = metrics_log_loss(probability[c]);
	o->brier = metrics_brier(probability, p->n_class, c);
}

struct outcome measures_of(const struct measures *m, const struct row_prediction *r, double target,
			   double *class_score)
{
	const struct predictor *p = r->by;
	const int *label = predictor_labels(p);
	struct outcome o = { .predicted = r->predicted,
			     .target = target,
			     .weight = 1,
			     .log_loss = NAN,
			     .brier = NAN,
			     .probability = NAN };

	if (m->two.known)
		o.score = side_score(m, r);
	/* by the threshold if there is one, which takes two classes, and the score is known */
	if (!isnan(m->threshold) && !isnan(o.score))
		o.predicted = m->two.label[o.score >= m->threshold ? 0 : 1];
	/* how much speaks for each class */
	if (m->classes.n > 0)
		o.class_score = class_score;
	if (m->classes.n > 0 && m->with_probabilities)
		memcpy(class_score, r->probability, (size_t)m->classes.n * sizeof(*class_score));
	else if (m->classes.n > 0)
		prediction_scores(p, m->by_class, r->values, class_score);
	if (!m->with_probabilities)
		return o;
	judge_probabilities(&o, p, r->probability, target);
	if (m->two.known)
		o.probability = o.score;
	for (int c = 0; c < p->n_class && !m->two.known; c++)
		if (label[c] == o.predicted)
			o.probability = r->probability[c];
	return o;
}

/* Add a point; at MOST_POINTS every second point is dropped, and later half as many are added. */
static int add_point(struct sample_points *s, double predicted, double target, struct error *err)
{
	int64_t capacity = s->capacity;

	if (s->seen++ % s->stride != 0)
		return 0;
	if (s->n == MOST_POINTS) {
		for (s->n = 0; s->n < MOST_POINTS / 2; s->n++) {
			s->target[s->n] = s->target[2 * s->n];
			s->predicted[s->n] = s->predicted[2 * s->n];
		}
		s->stride *= 2;
	}
	if (mem_grow(&s->target, &capacity, s->n + 1, sizeof(double), err) < 0 ||
	    mem_grow(&s->predicted, &s->capacity, s->n + 1, sizeof(double), err) < 0)
		return -1;
	s->target[s->n] = target;
	s->predicted[s->n++] = predicted;
	return 0;
}

static int keep(struct measures *m, const struct outcome *o, struct error *err)
{
	const int64_t n = m->classes.n;

	if (mem_grow(&m->kept, &m->kept_capacity, m->n_kept + 1, sizeof(*o), err) < 0 ||
	    mem_grow(&m->kept_score, &m->scores_capacity, (m->n_kept + 1) * n, sizeof(double),
		     err) < 0)
		return -1;
	if (o->class_score)
		memcpy(m->kept_score + m->n_kept * n, o->class_score, (size_t)n * sizeof(double));
	m->kept[m->n_kept++] = *o;
	return 0;
}

int measures_add(struct measures *m, const struct outcome *o, struct error *err)
{
	const double target = o->target;

	if (m->keeps && keep(m, o, err) < 0)
		return -1;
	metrics_add(&m->sums, o->predicted, target, o->weight);
	if (m->confusion.n > 0)
		confusion_add(&m->confusion, o->predicted, target, o->weight);
	if (!isnan(o->log_loss)) {
		m->probabilities.n += o->weight;
		m->probabilities.log_loss += o->weight * o->log_loss;
		m->probabilities.brier += o->weight * o->brier;
	}
	if (!isnan(o->probability))
		calibration_add(&m->calibration, o->probability,
				target == (m->two.known ? m->two.label[0] : o->predicted),
				o->weight);
	if (o->class_score &&
	    class_curves_add(&m->classes, o->class_score, target, o->weight, err) < 0)
		return -1;
	if (wants_scores(m) && m->two.known && !isnan(o->score) &&
	    (target == m->two.label[0] || target == m->two.label[1]) &&
	    roc_add(&m->roc, o->score, target == m->two.label[0] ? o->weight : -o->weight, err) < 0)
		return -1;
	if (m->plots && m->kind == PREDICTS_VALUE)
		return add_point(&m->points, o->predicted, target, err);
	return 0;
}

void measures_finish(struct measures *m)
{
	struct error err = { 0 };

	roc_sort(&m->roc);
	cli_check(class_curves_finish(&m->classes, &err), &err);
}

/* ---- Cross validation ---- */

struct measures cv_measures_wanted(void)
{
	return (struct measures){ .wanted = true, .threshold = NAN };
}

int cv_measures(struct measures *m, const struct cv_predictions *c, enum machine_type type,
		const struct dataset *d, const int64_t *row, int64_t n, struct error *err)
{
	const enum prediction_kind kind = prediction_kind_of(type);
	const struct predictor p = { .kind = kind,
				     .n_class = kind == PREDICTS_SIDE ? 2 : c->columns.n_class,
				     .label = c->columns.label,
				     .n_values = c->n_values };
	double *score = mem_array(p.n_class, sizeof(*score), err);
	int ret = score ? 0 : -1;

	m->by_class = c->columns.by_class;
	measures_begin(m, &p, c->probability != NULL);
	for (int64_t k = 0; k < n && ret == 0; k++) {
		const int64_t i = row ? row[k] : k;
		const struct row_prediction r = { &p, c->predicted[i], c->value + i * c->n_values,
						  c->probability ?
							  c->probability + i * c->columns.n_class :
							  NULL };
		struct outcome o = measures_of(m, &r, d->y[i], score);

		o.weight = dataset_weight(d, i);
		ret = measures_add(m, &o, err);
	}
	mem_free(score);
	if (ret == 0)
		measures_finish(m);
	else
		measures_free(m);
	return ret;
}

/* ---- Figures ---- */

#define FIGURE(name_, class_, value_, ...)                                                \
	(struct figure)                                                                   \
	{                                                                                 \
		.name = (name_), .class_number = (class_), .value = (value_), __VA_ARGS__ \
	}

static struct figure *list_classes(const struct measures *m, struct figure *f)
{
	const struct confusion_summary s = confusion_summarise(&m->confusion);

	*f++ = FIGURE("balanced_accuracy", -1, 100 * s.balanced_accuracy);
	*f++ = FIGURE("macro_precision", -1, s.macro_precision);
	*f++ = FIGURE("macro_recall", -1, s.macro_recall);
	*f++ = FIGURE("macro_f1", -1, s.macro_f1);
	for (int k = 0; k < measures_shown_classes(&m->confusion); k++) {
		const struct class_measures c = confusion_class(&m->confusion, k);

		*f++ = FIGURE("precision", k, c.precision, .n = c.n_predicted);
		*f++ = FIGURE("recall", k, c.recall, .n = c.n_examples);
		*f++ = FIGURE("f1", k, c.f1);
	}
	return f;
}

struct figure *measures_figures(const struct measures *m, int *n)
{
	const struct metrics *s = &m->sums;
	const struct probability_sums *p = &m->probabilities;
	/* at most 9 of all rows, and three of each class */
	struct figure *const first = cli_zeroed(9 + 3 * m->confusion.n, sizeof(*first));
	struct figure *f = first;

	if (m->kind == PREDICTS_VALUE) {
		*f++ = FIGURE("mse", -1, metrics_mse(s));
		*f++ = FIGURE("mae", -1, metrics_mae(s));
		*f++ = FIGURE("r2", -1, metrics_determination(s));
		*f++ = FIGURE("squared_correlation", -1, metrics_squared_correlation(s));
	} else {
		*f++ = FIGURE("accuracy", -1, metrics_accuracy(s), .n = s->weight);
	}
	if (m->wanted && (m->two.known || m->classes.n > 0))
		*f++ = FIGURE("auc", -1, measures_auc(m));
	if (m->wanted && m->two.known)
		*f++ = FIGURE("average_precision", -1, pr_average_precision(&m->roc));
	if (m->wanted && m->with_probabilities) {
		*f++ = FIGURE("log_loss", -1, p->log_loss / p->n);
		*f++ = FIGURE("brier", -1, p->brier / p->n);
	}
	if (m->wanted && m->kind != PREDICTS_VALUE)
		f = list_classes(m, f);
	*n = (int)(f - first);
	return first;
}

/* ---- Text ---- */

void measures_print_number(FILE *to, double value)
{
	if (isnan(value))
		fprintf(to, " %10s", "-");
	else
		fprintf(to, " %10.6g", value);
}

/* Print a number of examples, or a sum of weights with 6 digits, right-aligned. */
static void print_count(FILE *to, int width, double n)
{
	fprintf(to, n == trunc(n) ? " %*.0f" : " %*.6g", width, n);
}

int measures_shown_classes(const struct confusion *c)
{
	return confusion_class(c, c->n_known).n_examples > 0 ? c->n : c->n_known;
}

/* Columns that the names of the classes take, at least 'least'. */
static int name_width(const struct measures *m, int least)
{
	for (int k = 0; k < m->confusion.n_known; k++)
		least = (int)int64_max(least, (int64_t)strlen(MEASURES_CLASS(m, k)));
	return least;
}

static void print_classes(const struct measures *all, FILE *to)
{
	const struct confusion *c = &all->confusion;
	const struct confusion_summary s = confusion_summarise(c);
	const int width = name_width(all, 11);

	fprintf(to, "%*s %10s %10s %10s %10s %10s\n", width, "class", "examples", "predicted",
		"precision", "recall", "F1");
	for (int k = 0; k < measures_shown_classes(c); k++) {
		struct class_measures m = confusion_class(c, k);

		fprintf(to, "%*s", width, MEASURES_CLASS(all, k));
		print_count(to, 10, m.n_examples);
		print_count(to, 10, m.n_predicted);
		measures_print_number(to, m.precision);
		measures_print_number(to, m.recall);
		measures_print_number(to, m.f1);
		fputc('\n', to);
	}
	fprintf(to, "%*s %10s %10s %10.6g %10.6g %10.6g\n", width, "macro", "", "",
		s.macro_precision, s.macro_recall, s.macro_f1);
	fprintf(to, "%*s %10s %10s %10.6g %10.6g %10.6g\n", width, "micro", "", "", s.micro_f1,
		s.micro_f1, s.micro_f1);
}

static void print_confusion(const struct measures *m, FILE *to)
{
	const struct confusion *c = &m->confusion;
	const int width = name_width(m, 11), column = name_width(m, 10);

	fputs("confusion (rows: label, columns: prediction)\n", to);
	fprintf(to, "%*s", width, "");
	for (int k = 0; k < c->n_known; k++)
		fprintf(to, " %*s", column, MEASURES_CLASS(m, k));
	fputc('\n', to);
	for (int k = 0; k < measures_shown_classes(c); k++) {
		fprintf(to, "%*s", width, MEASURES_CLASS(m, k));
		for (int p = 0; p < c->n_known; p++)
			print_count(to, column, c->count[(int64_t)k * c->n + p]);
		fputc('\n', to);
	}
}

static void print_regression(const struct metrics *s, FILE *to)
{
	double determination = metrics_determination(s);

	fprintf(to, "Mean absolute error = %g\n", metrics_mae(s));
	fprintf(to, "Largest absolute error = %g\n", s->max_error);
	if (isnan(determination))
		fprintf(to, "Coefficient of determination r^2 is undefined: %s\n",
			s->t.squares == 0 ? "all targets are equal" : "the squares overflow");
	else
		fprintf(to, "Coefficient of determination r^2 = %g\n", determination);
}

static void print_curve(const struct measures *m, FILE *to)
{
	const double auc = roc_auc(&m->roc);
	const char *const larger = CLASS_NAME(m->names, m->two.label[0]);
	const char *const smaller = CLASS_NAME(m->names, m->two.label[1]);

	if (isnan(auc))
		fprintf(to, "AUC is undefined: there are no examples of class %s%s\n",
			m->roc.n_positive == 0 ? larger : smaller,
			m->roc.n < m->sums.n ? " whose value is known" : "");
	else
		fprintf(to, "AUC = %g, average precision = %g (class %s against %s)\n", auc,
			pr_average_precision(&m->roc), larger, smaller);
}

double measures_mean(const struct measures *m, double (*area)(const struct roc *r))
{
	double sum = 0;
	int n = 0;

	for (int c = 0; c < m->classes.n; c++) {
		double below = area(&m->classes.roc[c]);

		if (isnan(below))
			continue;
		sum += below;
		n++;
	}
	return n > 0 ? sum / n : NAN;
}

double measures_auc(const struct measures *m)
{
	return m->two.known ? roc_auc(&m->roc) : measures_mean(m, roc_auc);
}

void measures_print(const struct measures *m, FILE *to)
{
	if (m->kind == PREDICTS_VALUE) {
		print_regression(&m->sums, to);
		return;
	}
	fprintf(to, "Balanced accuracy = %g%%\n",
		100 * confusion_summarise(&m->confusion).balanced_accuracy);
	if (m->two.known)
		print_curve(m, to);
	else if (m->classes.n > 0 && isnan(measures_auc(m)))
		fputs("AUC is undefined: there are no examples of two classes\n", to);
	else if (m->classes.n > 0)
		fprintf(to, "AUC = %g (mean of each class against the rest)\n", measures_auc(m));
	if (m->probabilities.n > 0)
		fprintf(to, "Log-loss = %g, Brier score = %g\n",
			m->probabilities.log_loss / m->probabilities.n,
			m->probabilities.brier / m->probabilities.n);
	print_classes(m, to);
	print_confusion(m, to);
}

/* ---- Report ---- */

/* Curve of the class with the label, or NULL. */
static const struct roc *curve_of(const struct measures *m, int label)
{
	const int c = label_find(m->classes.label, m->classes.n, label);

	return c < 0 ? NULL : &m->classes.roc[c];
}

static void report_calibration(const struct calibration_bins *c, struct report *r)
{
	struct report *bins = report_array(r, "calibration");

	for (int k = 0; k < CALIBRATION_BINS; k++) {
		const struct calibration_bin *bin = &c->bin[k];
		struct report *item = report_item(bins);

		report_number(item, "from", (double)k / CALIBRATION_BINS);
		report_number(item, "to", (double)(k + 1) / CALIBRATION_BINS);
		report_number(item, "rows", bin->n);
		report_number(item, "mean_probability", bin->sum / bin->n);
		report_number(item, "share", bin->n_events / bin->n);
	}
}

void measures_report_class(struct report *item, const struct measures *m, int k)
{
	if (k >= m->confusion.n_known) {
		report_text(item, "label", "other");
		return;
	}
	report_count(item, "label", m->confusion.label[k]);
	if (m->names)
		report_text(item, "name", CLASS_KEY(m->names, m->confusion.label[k]));
}

static void report_classes(const struct measures *all, struct report *r)
{
	const struct confusion *c = &all->confusion;
	struct report *classes = report_array(r, "classes");
	struct report *rows = report_array(r, "confusion");

	for (int k = 0; k < measures_shown_classes(c); k++) {
		struct class_measures m = confusion_class(c, k);
		struct report *item = report_item(classes);
		const struct roc *curve = k < c->n_known ? curve_of(all, c->label[k]) : NULL;

		measures_report_class(item, all, k);
		report_number(item, "examples", m.n_examples);
		report_number(item, "predicted", m.n_predicted);
		report_number(item, "precision", m.precision);
		report_number(item, "recall", m.recall);
		report_number(item, "f1", m.f1);
		if (curve) {
			report_number(item, "auc", roc_auc(curve));
			report_number(item, "average_precision", pr_average_precision(curve));
		}
		report_numbers(rows, c->count + (int64_t)k * c->n, c->n_known);
	}
}

void measures_report(const struct measures *m, struct report *r)
{
	const struct metrics *s = &m->sums;
	int n;
	struct figure *f = measures_figures(m, &n);

	report_count(r, "rows", s->n);
	if (s->weight != (double)s->n)
		report_number(r, "weight", s->weight);
	for (int k = 0; k < n && f[k].class_number < 0; k++)
		report_number(r, f[k].name, f[k].value);
	mem_free(f);
	if (m->kind == PREDICTS_VALUE) {
		report_number(r, "max_error", s->max_error);
		return;
	}
	report_number(r, "correct", s->n_correct);
	if (!m->wanted)
		return;
	report_number(r, "micro_f1", confusion_summarise(&m->confusion).micro_f1);
	if (m->with_probabilities)
		report_calibration(&m->calibration, r);
	report_classes(m, r);
}

void measures_free(struct measures *m)
{
	confusion_free(&m->confusion);
	roc_free(&m->roc);
	class_curves_free(&m->classes);
	mem_free_all(m->points.target, m->points.predicted, m->kept, m->kept_score);
}
