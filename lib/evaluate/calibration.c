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
	}
	if (method == CALIBRATION_SIGMOID)
		sigmoid_fit(c->score, c->low, NULL, n, &c->sigmoid);
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

/* Odds of p, of which 0 and 1 of an isotonic fit say no more than such a share of rows. */
static double bounded_odds(double p)
{
	p = fmin(fmax(p, 1e-3), 1 - 1e-3);
	return p / (1 - p);
}

int calibration_classes(const struct calibration *c, int n, const double *score,
			double *probability)
{
	double sum = 0;
	int best = 0;

	for (int k = 0; k < n; k++) {
		probability[k] = calibration_of(&c[k], score[k]).p;
		if (n > 2)
			probability[k] = bounded_odds(probability[k]);
		sum += probability[k];
		if (probability[k] > probability[best])
			best = k;
	}
	for (int k = 0; k < n; k++)
		probability[k] = sum > 0 ? probability[k] / sum : 1. / n;
	return best;
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
