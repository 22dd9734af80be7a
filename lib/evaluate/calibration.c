/*
 * calibration.c - what decision values of rows with labels say of new ones: probabilities, and bounds
 *
 * How this works.  Groups of equal scores, ascending, make the points of a sum diagram:
 *
 *     point j = (examples, events) among the scores of groups 1 .. j,   point 0 = (0, 0)
 *
 *     events |            x
 *            |         /  |       the isotonic fit at group j is the slope over it of the largest
 *            |      x x   |       convex function below the points: of their lower hull
 *            |    x  /    |
 *            | x___x      |
 *            |____________ examples
 *
 * A stack of its corners, the leftmost on top, is filled from the right, and a corner that the next
 * point leaves above the hull is popped.  The slope over group j is that of the bridge from the hull of
 * the points before j to that of the points from j on.  With j -> j + 1 one more point is to the left.
 * Above the bridge it changes nothing; else it is the new left end, and the right end moves to the
 * right only.  So all slopes take O(n).
 *
 * For p1 one event is added at group j: the points to the left of the bridge move by (-1, -1), and
 * nothing else differs.  p0 is 1 - p1 of the mirrored diagram, of scores times -1 and of events that
 * did not happen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/calibration.h"

#include "base/mem.h"

/* Numbers of examples and of events, exact as doubles. */
struct sums {
	double n, n_events;
};

/* How far the point b is below the line from a to c, times a positive number, where a.n < b.n, c.n. */
static double depth(struct sums a, struct sums b, struct sums c)
{
	return (c.n_events - a.n_events) * (b.n - a.n) - (b.n_events - a.n_events) * (c.n - a.n);
}

/* Push a point that lies to the left of all corners; returns their number. */
static int64_t push_corner(struct sums *corner, int64_t n, struct sums p)
{
	while (n > 1 && !(depth(p, corner[n - 1], corner[n - 2]) > 0))
		n--;
	corner[n] = p;
	return n + 1;
}

/* Find the groups of equal scores and their points, from 0 to the number returned. */
static int64_t group_scores(const struct roc *r, bool mirrored, double *score, struct sums *point)
{
	int64_t n = 0;

	point[0] = (struct sums){ 0 };
	for (int64_t i = 0; i < r->n; i++) {
		const struct scored_example *e = &r->example[mirrored ? i : r->n - 1 - i];

		if (n == 0 || e->score != score[n - 1]) {
			point[n + 1] = point[n];
			score[n++] = e->score;
		}
		point[n].n++;
		point[n].n_events += mirrored != (e->weight > 0);
	}
	return n;
}

/* Fit the groups of 'r' with 'added' events, 0 or 1, in the group that is fitted; their number. */
static int64_t fit_groups(const struct roc *r, double added, bool mirrored, double *score,
			  double *fit, struct sums *point)
{
	struct sums *corner = point + r->n + 1;
	const int64_t n = group_scores(r, mirrored, score, point);
	int64_t n_corners = 0;

	for (int64_t j = n; j > 0; j--)
		n_corners = push_corner(corner, n_corners, point[j]);
	n_corners = push_corner(corner, n_corners, (struct sums){ -added, -added });
	for (int64_t j = 1; j <= n; j++) {
		const struct sums *left = &corner[n_corners - 1], *right = left - 1;
		const struct sums next = { point[j].n - added, point[j].n_events - added };
		const double slope = (right->n_events - left->n_events) / (right->n - left->n);

		fit[mirrored ? n - j : j - 1] = mirrored ? 1 - slope : slope;
		if (j < n && depth(*left, next, *right) >= 0)
			n_corners = push_corner(corner, n_corners - 1, next);
	}
	return n;
}

int calibration_fit(struct calibration *c, const struct roc *r, enum calibration_method method,
		    struct error *err)
{
	const int64_t n = r->n;
	struct sums *point;

	c->method = method;
	c->score = mem_array(7 * n + 4, sizeof(double), err);
	if (!c->score)
		return -1;
	c->low = c->score + n;
	c->high = c->low + n;
	point = (struct sums *)(c->high + n);
	for (int64_t i = 0; i < n; i++) {
		c->score[i] = r->example[i].score;
		c->low[i] = r->example[i].weight;
		c->high[i] = fabs(c->low[i]);
	}
	if (method == CALIBRATION_SIGMOID)
		sigmoid_fit(c->score, c->low, c->high, n, &c->sigmoid);
	if (method == CALIBRATION_VENN_ABERS)
		fit_groups(r, 1, true, c->score, c->low, point);
	if (method != CALIBRATION_SIGMOID)
		c->n = fit_groups(r, method == CALIBRATION_VENN_ABERS, false, c->score, c->high,
				  point);
	return 0;
}

void calibration_free(struct calibration *c)
{
	mem_free(c->score);
	*c = (struct calibration){ 0 };
}

struct calibrated calibration_of(const struct calibration *c, double score)
{
	int64_t i = 0, end = c->n;
	bool found;
	double p;

	/* i: number of the fit's scores below 'score' */
	while (i < end) {
		const int64_t middle = i + (end - i) / 2;

		if (c->score[middle] < score)
			i = middle + 1;
		else
			end = middle;
	}
	found = i < c->n && c->score[i] == score;
	if (c->method == CALIBRATION_VENN_ABERS) {
		/* p1 is that of the next score, p0 that of the last one, from it on */
		const double p1 = i < c->n ? c->high[i] : 1;
		const double p0 = found ? c->low[i] : i > 0 ? c->low[i - 1] : 0;

		return (struct calibrated){ p1 / (1 - p0 + p1), p0, p1 };
	}
	if (c->method == CALIBRATION_SIGMOID)
		p = probability_sigmoid(score, c->sigmoid.a, c->sigmoid.b);
	else if (found || i == 0 || i == c->n)
		p = c->high[i < c->n ? i : i - 1];
	else
		p = c->high[i - 1] + (c->high[i] - c->high[i - 1]) * (score - c->score[i - 1]) /
					     (c->score[i] - c->score[i - 1]);
	return (struct calibrated){ p, p, p };
}

/*
 * Odds at a score, of p that is not nearer to 0 or 1 than steps of few rows can tell, or than doubles
 * can where it is a sigmoid; of NAN the least
 */
static double odds_of(const struct calibration *c, double score)
{
	const double least = c->method == CALIBRATION_SIGMOID ? 1e-15 : 1e-3;
	const double p = fmin(fmax(calibration_of(c, score).p, least), 1 - least);

	return p / (1 - p);
}

int calibration_classes(const struct calibration *c, int n, const struct coupling *by,
			const double *score, double *probability)
{
	const double noise = n > 2 ? by->noise : 0;
	double sum = 0;
	int best = 0;

	for (int k = 0; k < n; k++) {
		probability[k] = n > 2 ? pow(odds_of(&c[k], score[k]), by->power) :
					 calibration_of(&c[k], score[k]).p;
		sum += probability[k];
		if (probability[k] > probability[best])
			best = k;
	}
	for (int k = 0; k < n; k++)
		probability[k] =
			(sum > 0 ? (1 - noise) * probability[k] / sum : 1. / n) + noise / n;
	return best;
}

/* ---- Coupling of several classes ---- */

/*
 * Part of an example: scattered by Knuth's multiplicative hash, as parts that take turns would have all
 * examples of a class in one of them where the classes take turns, too
 */
enum { COUPLING_PARTS = 5 };
static int part_of(int64_t i)
{
	return (int)(((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 32) % COUPLING_PARTS);
}

/* Write log odds of class k of the examples of a part, by a curve of the others. */
static void judge_part(const struct class_curves *e, enum calibration_method method, int part,
		       int k, double *log_odds, struct error *err)
{
	const double *score = e->score + k;
	struct roc others = { 0 };
	struct calibration c = { 0 };

	for (int64_t i = 0; err->code == ERR_NONE && i < e->n_examples; i++)
		if (part_of(i) != part && !isnan(score[i * e->n]))
			roc_add(&others, score[i * e->n],
				(e->example[i].class_number == k ? 1 : -1) * e->example[i].weight,
				err);
	roc_sort(&others);
	if (err->code == ERR_NONE)
		calibration_fit(&c, &others, method, err);
	for (int64_t i = 0; err->code == ERR_NONE && i < e->n_examples; i++)
		if (part_of(i) == part)
			log_odds[i * e->n + k] = log(odds_of(&c, score[i * e->n]));
	calibration_free(&c);
	roc_free(&others);
}

/*
 * A step of EM: how likely it is that each label is its row's own, and for these Newton's step of the
 * power.  Log odds are 35 at most, and no e^x overflows where the power is at most 8, which no data
 * came near.  Returns how far both went.
 */
static double improve(const struct class_curves *e, const double *log_odds, struct coupling *by)
{
	const double odds_of_noise = by->noise / (1 - by->noise) / e->n;
	double slope = 0, curvature = 0, weight = 0, true_weight = 0, prior, step, noise;

	for (int64_t i = 0; i < e->n_examples; i++) {
		const struct curve_example *of = &e->example[i];
		const double *x = log_odds + i * e->n;
		double sum = 0, mean = 0, square = 0, is_true;

		for (int k = 0; k < e->n; k++) {
			const double ahead = x[k] - x[of->class_number], o = exp(by->power * ahead);

			sum += o;
			mean += o * ahead;
			square += o * ahead * ahead;
		}
		is_true = of->weight / (1 + odds_of_noise * sum);
		slope += is_true * (mean / sum);
		curvature += is_true * (square / sum - mean / sum * (mean / sum));
		true_weight += is_true;
		weight += of->weight;
	}
	prior = e->n * weight / (double)e->n_examples;
	slope += prior * (1 - 1 / by->power);
	curvature += prior / (by->power * by->power);
	step = fmin(fmax(-slope / curvature, -by->power / 2), 8 - by->power);
	noise = (weight - true_weight) / (weight + prior) - by->noise;
	by->power += step;
	by->noise += noise;
	return fabs(step) + fabs(noise);
}

int calibration_couple(const struct class_curves *e, enum calibration_method method,
		       struct coupling *by, struct error *err)
{
	double *log_odds = mem_array(e->n_examples * e->n, sizeof(double), err);

	for (int fit = 0; err->code == ERR_NONE && fit < e->n * COUPLING_PARTS; fit++)
		judge_part(e, method, fit % COUPLING_PARTS, fit / COUPLING_PARTS, log_odds, err);
	/* mostly some 20 steps, far below what rows can tell */
	for (int step = 0; err->code == ERR_NONE && e->n_examples > 0 && step < 200; step++)
		if (improve(e, log_odds, by) < 1e-6)
			break;
	mem_free(log_odds);
	return err->code == ERR_NONE ? 0 : -1;
}

double calibration_error(const struct calibration_bins *c)
{
	double n = 0, sum = 0;

	for (int k = 0; k < CALIBRATION_BINS; k++) {
		n += c->bin[k].n;
		sum += fabs(c->bin[k].sum - c->bin[k].n_events);
	}
	return sum / n;
}

/* ---- Bounds that few new values are below ---- */

/* A share such as 1 - 0.9 is not the decimal meant: what rounding may have taken from it. */
#define SHARE_ROUNDING (1 + 1e-12)

double conformal_bound(const struct roc *examples, double share)
{
	double left = floor(share * SHARE_ROUNDING * (examples->n_positive + 1));
	double bound = -INFINITY;

	/* the examples descend */
	for (int64_t i = examples->n - 1; left > 0; i--)
		if (examples->example[i].weight > 0) {
			bound = examples->example[i].score;
			left--;
		}
	return bound;
}

double conformal_least(double share)
{
	return ceil(1 / (share * SHARE_ROUNDING)) - 1;
}
