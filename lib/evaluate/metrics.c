/*
 * metrics.c - how good predictions are: errors, the confusion of classes, and scores at thresholds
 *
 * How this works.  Predictions come one by one and are not kept, so that every measure is made of
 * sums.  The error is computed as svm-predict does it, in the order of the rows, so that both print
 * the same digits; variances and the correlation are of sums about means (moments.h), as differences
 * of plain sums cancel where targets are far from 0 compared with their spread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/metrics.h"

#include "base/order.h"
#include "problem/classes.h"

void metrics_add(struct metrics *m, double predicted, double target, double weight)
{
	double error = fabs(predicted - target), off = moments_add(&m->p, predicted, weight);

	/* a NaN prediction is equal to nothing, and so never correct */
	m->n++;
	m->weight += weight;
	m->n_correct += predicted == target ? weight : 0;
	m->squared_error += weight * ((predicted - target) * (predicted - target));
	moments_add(&m->t, target, weight);
	m->products += weight * off * moments_off(&m->t, target);
	m->absolute_error += weight * error;
	/* a prediction that is no number stays the largest error: no later one is greater */
	m->max_error = error > m->max_error || isnan(error) ? error : m->max_error;
}

double metrics_accuracy(const struct metrics *m)
{
	return m->n_correct / m->weight * 100;
}

double metrics_mse(const struct metrics *m)
{
	return m->squared_error / m->weight;
}

double metrics_squared_correlation(const struct metrics *m)
{
	/* two quotients, as a product of two squares might overflow; 0 / 0 is no number */
	double r2 = m->products / m->p.squares * (m->products / m->t.squares);

	/* more than 1 by rounding alone */
	return r2 > 1 ? 1 : r2;
}

const char *metrics_uncorrelated(const struct metrics *m)
{
	if (m->t.squares == 0)
		return "all targets are equal";
	return m->p.squares == 0 ? "all predictions are equal" : NULL;
}

double metrics_mae(const struct metrics *m)
{
	return m->absolute_error / m->weight;
}

double metrics_determination(const struct metrics *m)
{
	/* equal targets leave nothing to be explained */
	return m->t.squares == 0 ? NAN : 1 - m->squared_error / m->t.squares;
}

/* Log loss, bounded: one wrong certainty of probability 0 would make any mean infinite. */
double metrics_log_loss(double probability)
{
	return -log(fmax(probability, DBL_EPSILON));
}

double metrics_brier(const double *probability, int n, int truth)
{
	double sum = 0;

	/* a class without a probability counts as 0 */
	for (int c = 0; c < n; c++) {
		double d = (isnan(probability[c]) ? 0 : probability[c]) - (c == truth);

		sum += d * d;
	}
	/* two classes have the same error twice, and count it once */
	return n == 2 ? sum / 2 : sum;
}

/* ---- confusion of classes ---- */

/*
 * Counts are kept and nothing else, so that examples come in any number and order.  Data to evaluate
 * may have labels that the model does not know: all of them are one class more, the last, which is
 * never predicted.  Its examples are errors of the classes predicted for them, and so lower
 * precision, accuracy and the micro average; as a class of its own, of recall 0, it also counts in
 * the means over classes.
 *
 * Where a class is never predicted its precision is 0 / 0, and where it has no examples its recall.
 * Means over classes take 0 for these, as is usual, rather than leave the class out: a model
 * would else gain by never predicting a difficult class.
 *
 *     count          predicted 0   1   ...   unknown        n x n, n = classes + 1
 *     example 0         .          .            0
 *     ...
 *     unknown           .          .            0          never predicted: the last column is 0
 *
 * O(log classes) an example to find its place; the measures are O(classes^2) once.  Labels are
 * sorted copies of the model's, so that the order of classes is that of the labels.
 */

int confusion_init(struct confusion *c, const int *label, int n, struct error *err)
{
	*c = (struct confusion){ 0 };
	if (classes_check_number(n, err) < 0)
		return -1;
	*c = (struct confusion){ .n_known = n, .n = n + 1 };
	c->label = mem_copy(label, n, sizeof(*c->label), err);
	/* counts by class of the example, then by class predicted */
	c->count = mem_zeroed(((int64_t)n + 1) * (n + 1), sizeof(*c->count), err);
	c->n_examples = mem_zeroed(c->n, sizeof(*c->n_examples), err);
	c->n_predicted = mem_zeroed(c->n, sizeof(*c->n_predicted), err);
	if (!c->label || !c->count || !c->n_examples || !c->n_predicted) {
		confusion_free(c);
		return -1;
	}
	/* ascending labels, for the bisection of find_class() */
	qsort(c->label, (size_t)n, sizeof(*label), order_int32s);
	return 0;
}

void confusion_free(struct confusion *c)
{
	mem_free_all(c->label, c->count, c->n_examples, c->n_predicted);
	*c = (struct confusion){ 0 };
}

/* Find a label's class by bisection: there may be many classes, and each label is searched. */
static int find_class(const struct confusion *c, double label)
{
	const int key = label >= INT_MIN && label <= INT_MAX ? (int)label : 0;
	const int *found = NULL;

	if (key == label)
		found = bsearch(&key, c->label, (size_t)c->n_known, sizeof(key), order_int32s);
	return found ? (int)(found - c->label) : c->n_known;
}

void confusion_add(struct confusion *c, double predicted, double target, double weight)
{
	/* labels that the model does not know count as the last class */
	int is = find_class(c, target), seems = find_class(c, predicted);

	c->count[(int64_t)is * c->n + seems] += weight;
	c->n_examples[is] += weight;
	c->n_predicted[seems] += weight;
}

/* Ratio part / whole; NAN for 0 / 0. */
static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

struct class_measures confusion_class(const struct confusion *c, int k)
{
	/* correct predictions are the diagonal of the counts */
	struct class_measures m = { .n_examples = c->n_examples[k],
				    .n_predicted = c->n_predicted[k],
				    .n_correct = c->count[(int64_t)k * c->n + k] };

	m.precision = ratio(m.n_correct, m.n_predicted);
	m.recall = ratio(m.n_correct, m.n_examples);
	/* F1 = 2 P R / (P + R), written with the counts */
	m.f1 = ratio(2 * m.n_correct, m.n_examples + m.n_predicted);
	return m;
}

static double or_zero(double x)
{
	return isnan(x) ? 0 : x;
}

struct confusion_summary confusion_summarise(const struct confusion *c)
{
	struct confusion_summary s = { 0 };
	double n_examples = 0, n_correct = 0;
	/* a class that neither occurs nor is predicted is in no mean */
	/* number of classes with examples; number of classes with examples or predictions */
	double n_present = 0, n_used = 0;

	for (int k = 0; k < c->n; k++) {
		struct class_measures m = confusion_class(c, k);

		n_examples += m.n_examples;
		n_correct += m.n_correct;
		n_present += m.n_examples > 0;
		n_used += m.n_examples + m.n_predicted > 0;
		s.macro_precision += or_zero(m.precision);
		s.macro_recall += or_zero(m.recall);
		s.macro_f1 += or_zero(m.f1);
	}
	/* balanced accuracy: recall is 0 for classes without examples, so sums are equal */
	s.balanced_accuracy = s.macro_recall / n_present;
	s.macro_precision /= n_used;
	s.macro_recall /= n_used;
	s.macro_f1 /= n_used;
	/* summed over all classes, precision, recall and F1 are all the accuracy */
	s.micro_f1 = ratio(n_correct, n_examples);
	return s;
}

/* ---- Scores at any threshold ---- */

/*
 * How this works.  With the examples by descending score, lowering the threshold to the next score
 * passes the examples that have it, one or several; each positive passed is a step up and each
 * negative a step right.  Examples of one score are passed together: their order among themselves
 * means nothing, and steps one by one would make a curve, and an area, that depends on it.
 *
 *     up        ____x           a score with both kinds: a slope,
 *     |     ___/                whose area is a rectangle and a triangle
 *     |    x
 *     |____|______ right
 *
 * The area is counted in pairs: a step of p positives and m negatives, after P positives, adds
 * m P pairs that are in order and m p that are tied.  Twice the area, m (2 P + p) summed, is a
 * whole number without weights, and has no rounding error up to 2^53.
 *
 * After n examples with p positives among them precision is p / n, and recall p / all positives.  No
 * line is drawn between two points of these, which would be too optimistic where precision falls:
 * the average precision is the sum of precision over the steps, each weighted by the recall that it
 * adds.
 */

void roc_free(struct roc *r)
{
	mem_free(r->example);
	*r = (struct roc){ 0 };
}

int roc_add(struct roc *r, double score, double weight, struct error *err)
{
	if (mem_grow(&r->example, &r->capacity, r->n + 1, sizeof(*r->example), err) < 0)
		return -1;
	r->example[r->n++] = (struct scored_example){ isnan(score) ? -INFINITY : score, weight };
	*(weight > 0 ? &r->n_positive : &r->n_negative) += fabs(weight);
	return 0;
}

/* Sort scores descending; equal scores are passed in one step, so their order does not matter. */
static int compare_scores(const void *a, const void *b)
{
	double x = ((const struct scored_example *)a)->score;
	double y = ((const struct scored_example *)b)->score;

	return (x < y) - (x > y);
}

void roc_sort(struct roc *r)
{
	if (r->n > 0)
		qsort(r->example, (size_t)r->n, sizeof(*r->example), compare_scores);
}

bool roc_step(const struct roc *r, struct roc_walk *w, struct roc_point *point)
{
	/* the first point is before all examples, at the threshold infinity */
	double threshold = INFINITY;

	if (w->begun && w->next == r->n)
		return false;
	if (w->begun) {
		threshold = r->example[w->next].score;
		/* examples of the same score are passed in one step */
		for (; w->next < r->n && r->example[w->next].score == threshold; w->next++) {
			double weight = r->example[w->next].weight;

			*(weight > 0 ? &w->n_positive : &w->n_negative) += fabs(weight);
		}
	}
	w->begun = true;
	*point = (struct roc_point){ threshold, w->n_negative / r->n_negative,
				     w->n_positive / r->n_positive,
				     w->n_positive / (w->n_positive + w->n_negative) };
	return true;
}

double roc_auc(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	double twice = 0, positives_before = 0, negatives_before = 0;

	while (roc_step(r, &walk, &point)) {
		/* twice the area: a step of width m between heights P and P + p adds m (2 P + p) */
		twice +=
			(walk.n_negative - negatives_before) * (walk.n_positive + positives_before);
		positives_before = walk.n_positive;
		negatives_before = walk.n_negative;
	}
	/* a class without examples makes 0 / 0, which is no number */
	return twice / (2 * r->n_positive * r->n_negative);
}

bool pr_step(const struct roc *r, struct roc_walk *walk, struct roc_point *point)
{
	return (walk->begun || roc_step(r, walk, point)) && roc_step(r, walk, point);
}

double pr_average_precision(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	double sum = 0, before = 0;

	while (pr_step(r, &walk, &point)) {
		/* the recall that this step adds, times all positives */
		sum += (walk.n_positive - before) * point.precision;
		before = walk.n_positive;
	}
	/* without positives there is no recall, and no average */
	return r->n_positive > 0 ? sum / r->n_positive : NAN;
}

/* ---- each class against the rest ---- */

/* Examples whose scores are dealt to the curves at once: 64 of a curve are a few cache lines. */
#define EXAMPLES_AT_ONCE 64

int class_curves_add(struct class_curves *c, const double *score, double target, double weight,
		     struct error *err)
{
	const int k = label_find(c->label, c->n, target);

	if (k < 0 || isnan(score[k]))
		return 0;
	if (mem_grow(&c->example, &c->examples_capacity, c->n_examples + 1, sizeof(*c->example),
		     err) < 0 ||
	    mem_grow(&c->score, &c->scores_capacity, (c->n_examples + 1) * c->n, sizeof(*c->score),
		     err) < 0)
		return -1;
	memcpy(c->score + c->n_examples * c->n, score, (size_t)c->n * sizeof(*score));
	c->example[c->n_examples++] = (struct curve_example){ k, weight };
	return 0;
}

/* Deal the scores of class k of the examples from 'first' on to its curve. */
static int deal_block(struct class_curves *c, int64_t first, int k, struct error *err)
{
	int64_t end = int64_min(first + EXAMPLES_AT_ONCE, c->n_examples);

	for (int64_t i = first; i < end; i++) {
		const struct curve_example *e = &c->example[i];
		double score = c->score[i * c->n + k];

		if (!isnan(score) &&
		    roc_add(&c->roc[k], score, e->class_number == k ? e->weight : -e->weight, err) <
			    0)
			return -1;
	}
	return 0;
}

int class_curves_finish(struct class_curves *c, struct error *err)
{
	c->roc = mem_zeroed(c->n, sizeof(*c->roc), err);
	c->sorted = mem_array(c->n * c->n_examples, sizeof(*c->sorted), err);
	if (!c->roc || !c->sorted)
		return -1;
	/* each curve has room for all examples: roc_add() allocates nothing */
	for (int k = 0; k < c->n; k++)
		c->roc[k] = (struct roc){ .capacity = c->n_examples,
					  .example = c->sorted + k * c->n_examples };
	for (int64_t first = 0; first < c->n_examples; first += EXAMPLES_AT_ONCE)
		for (int k = 0; k < c->n; k++)
			if (deal_block(c, first, k, err) < 0)
				return -1;
	for (int k = 0; k < c->n; k++)
		roc_sort(&c->roc[k]);
	return 0;
}

void class_curves_free(struct class_curves *c)
{
	mem_free_all(c->example, c->score, c->sorted, c->roc);
	*c = (struct class_curves){ 0 };
}
