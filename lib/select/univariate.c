/*
 * univariate.c - features one by one: the t test of two classes, and F tests
 *
 * How this works.  All tests are made of means and sums of squares M about these means, which one
 * pass over a column finds without subtracting large sums (moments.h): values are added one by one
 * (1), and groups of values join (2).  A column holds no zeros: the zeros of a class are a group
 * with mean 0 and M = 0, which joins the other values by (2) (3).  Joining the classes by (2) adds
 * up to the sum of squares between them: the second term of F (4).
 *
 * For a correlation the targets are centred first, so that those of the rows where the feature is 0
 * have the mean that makes all of them add up to 0 (5).
 *
 * The values of a column are multiplied by a power of two that makes the largest one 1/2 to 1:
 * no square overflows, and no test changes by it.
 *
 * A task scores COLUMNS_OF_TASK columns with moments of its thread, and writes their scores to
 * places of its own, so that the scores do not depend on threads.  A column costs O(entries +
 * classes); nothing is made full.  Columns without any entry are not listed and have no score.
 *
 * The scores:
 *
 *     t              |mean_a - mean_b| / sqrt(v_a / n_a + v_b / n_b)        v = M / (n - 1)
 *     F              (between / (k - 1)) / (within / (n - k))               k classes, n rows
 *     correlation    (n - 2) explained / left                               of the targets' squares
 *
 * A number of rows is the sum of their weights, everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/univariate.h"

#include "base/moments.h"
#include "base/thread.h"
#include "matrix/columns.h"

/* Columns of a task, which take some hundred microseconds if dense with a hundred rows. */
enum { COLUMNS_OF_TASK = 256 };

struct scoring {
	const struct univariate_options *options;
	struct columns columns;
	int n_classes;
	int32_t *class_of;     /* class of each row */
	double *class_weight;  /* weight of each class, without weights its number of rows */
	double weight;	       /* weight of all rows */
	double *target;	       /* targets, centred, the largest of size 1/2 to 1 */
	double target_squares; /* sum of squares of the targets */
	struct scored_column *scored;
};

/*
 * Step (3): the zeros of rows of weight n, whose other values are 'a'.  Where there are none the
 * difference is 0 to the last bit, as both sums have the same weights in the order of the rows.
 */
static struct moments zeros_beside(const struct moments *a, double n)
{
	return (struct moments){ .n = fmax(n - a->n, 0) };
}

/* Power of two that brings the largest of n values to 1/2 .. 1; 1 if all values are 0. */
static double scale_of(const double *x, int64_t n)
{
	const double largest = largest_of_sizes(x, n);
	int exponent;

	frexp(largest, &exponent);
	/* 2^1023 is the largest power that is a double; denormal values stay below 1/2 with it */
	return largest > 0 ? ldexp(1, (int)int64_min(-exponent, 1023)) : 1;
}

/* Ratio of two numbers >= 0 as a finite score: 0 for 0 / 0, and DBL_MAX for infinity. */
static double score_of(double above, double below)
{
	return above == 0 ? 0 : fmin(above / below, DBL_MAX);
}

/* ---- the tests of a feature ---- */

/* Step (3): compute the moments of column j in each class. */
static void group_values(const struct scoring *s, int64_t j, struct moments *group)
{
	const struct csr *x = &s->columns.by_column;
	int64_t start = x->row_start[j], end = x->row_start[j + 1];
	double scale = scale_of(x->val + start, end - start);

	/* the moments are this thread's, and still those of the feature before */
	for (int k = 0; k < s->n_classes; k++)
		group[k] = (struct moments){ 0 };
	for (int64_t k = start; k < end; k++)
		moments_add(&group[s->class_of[x->col[k]]], x->val[k] * scale,
			    weight_at(s->options->weight, x->col[k]));
	/* step (3): the zeros of each class join its other values */
	for (int k = 0; k < s->n_classes; k++) {
		struct moments zeros = zeros_beside(&group[k], s->class_weight[k]);

		moments_join(&group[k], &zeros);
	}
}

/* |t| of Welch's test: the difference of two means over its standard error. */
static double t_score(const struct moments *a, const struct moments *b)
{
	double v_a = a->squares / (a->n - 1), v_b = b->squares / (b->n - 1);

	/* a class of one row has no variance of its own and takes that of the other class */
	if (a->n <= 1)
		v_a = v_b;
	if (b->n <= 1)
		v_b = v_a;
	return score_of(fabs((a->origin - b->origin) + (a->mean - b->mean)),
			sqrt(v_a / a->n + v_b / b->n));
}

/* Score F by equation (4): the mean square between the classes over that within them. */
static double f_score(const struct moments *group, int n_groups)
{
	struct moments all = group[0];
	double within = group[0].squares, between = 0;

	/* joining all classes sums the squares between them */
	for (int c = 1; c < n_groups; c++) {
		within += group[c].squares;
		between += moments_join(&all, &group[c]);
	}
	return score_of(between / (n_groups - 1), within / (all.n - n_groups));
}

/*
 * (5): the F of the correlation of column j with the targets
 *
 * What the feature leaves of the targets' squares is a difference: below the rounding error of as
 * many additions as there are rows it counts as 0.
 */
static double correlation_score(const struct scoring *s, int64_t j)
{
	const struct csr *x = &s->columns.by_column;
	int64_t start = x->row_start[j], end = x->row_start[j + 1];
	double scale = scale_of(x->val + start, end - start), products = 0;
	struct moments values = { 0 }, targets = { 0 }, zeros;
	double explained, left;

	/* one pass for the feature's moments and its products with the targets */
	for (int64_t k = start; k < end; k++) {
		double y = s->target[x->col[k]], w = weight_at(s->options->weight, x->col[k]);
		double d = moments_add(&values, x->val[k] * scale, w);

		moments_add(&targets, y, w);
		products += w * d * moments_off(&targets, y);
	}
	zeros = zeros_beside(&values, s->weight);
	/* step (2): targets of the rows with 0, whose mean is -mean_y n / zeros.n, join */
	if (zeros.n > 0)
		products += moments_mean(&values) * moments_mean(&targets) * values.n;
	/* step (3): the zeros of the feature join its other values */
	moments_join(&values, &zeros);
	if (values.squares == 0)
		return 0;
	/* the part of the targets' squares that the best line through the means explains */
	explained = products * (products / values.squares);
	left = s->target_squares - explained;
	if (left <= (double)s->columns.n_rows * DBL_EPSILON * s->target_squares)
		left = 0;
	return score_of((s->weight - 2) * explained, left);
}

/* Score column j by the test wanted; 'group' is room for the moments of each class. */
static void score_column(void *arg, int64_t j, void *group)
{
	const struct scoring *s = arg;
	double score;

	if (s->options->test == UNIVARIATE_CORRELATION) {
		score = correlation_score(s, j);
	} else {
		group_values(s, j, group);
		score = s->options->test == UNIVARIATE_T ?
				t_score(group, (const struct moments *)group + 1) :
				f_score(group, s->n_classes);
	}
	s->scored[j] = (struct scored_column){ score, (int32_t)j };
}

/* ---- the labels ---- */

/* Allocate the class of each row, and the classes' weights. */
static int prepare_classes(struct scoring *s, const struct csr *x, struct error *err)
{
	const struct classes *c = s->options->classes;

	if (x->n_rows <= c->n)
		return error_set(err, ERR_ARGUMENT,
				 "every class has only one row, so no variance to test against");
	if (s->weight <= c->n)
		return error_set(err, ERR_ARGUMENT,
				 "the rows weigh %g in all, which is no more than one row for each "
				 "class: no variance to test against",
				 s->weight);
	s->n_classes = c->n;
	s->class_of = mem_array(x->n_rows, sizeof(*s->class_of), err);
	s->class_weight = mem_zeroed(c->n, sizeof(*s->class_weight), err);
	if (!s->class_of || !s->class_weight)
		return -1;
	/* class_of is by row, as the entries of a column name rows */
	for (int k = 0; k < c->n; k++)
		for (int64_t i = c->start[k]; i < c->start[k + 1]; i++) {
			s->class_of[c->row[i]] = k;
			s->class_weight[k] += weight_at(s->options->weight, c->row[i]);
		}
	return 0;
}

/* Centre the targets: scaled before, so that their sum cannot overflow, and after. */
static int prepare_targets(struct scoring *s, const struct csr *x, struct error *err)
{
	int64_t n = x->n_rows;
	double scale = scale_of(s->options->target, n);
	struct moments all = { 0 }, centred = { 0 };

	if (n < 3)
		return error_set(err, ERR_ARGUMENT, "a correlation needs three rows or more");
	if (s->weight <= 2)
		return error_set(err, ERR_ARGUMENT,
				 "the rows weigh %g in all, and a correlation needs more than 2",
				 s->weight);
	s->target = mem_array(n, sizeof(*s->target), err);
	if (!s->target)
		return -1;
	/* targets less their mean, which moments_add() computes without a large sum */
	for (int64_t i = 0; i < n; i++)
		moments_add(&all, s->options->target[i] * scale, weight_at(s->options->weight, i));
	if (all.squares == 0)
		return error_set(err, ERR_ARGUMENT, "all targets are the same");
	for (int64_t i = 0; i < n; i++)
		s->target[i] = moments_off(&all, s->options->target[i] * scale);
	/* the largest of the centred targets becomes 1/2 to 1 */
	scale = scale_of(s->target, n);
	for (int64_t i = 0; i < n; i++) {
		s->target[i] *= scale;
		moments_add(&centred, s->target[i], weight_at(s->options->weight, i));
	}
	s->target_squares = centred.squares;
	return 0;
}

/* ---- all together ---- */

/* Score all columns. */
static int score_features(struct scoring *s, const struct csr *x, struct error *err)
{
	int ret;

	for (int64_t i = 0; i < x->n_rows; i++)
		s->weight += weight_at(s->options->weight, i);
	ret = s->options->test == UNIVARIATE_CORRELATION ? prepare_targets(s, x, err) :
							   prepare_classes(s, x, err);
	if (ret < 0 || columns_init(&s->columns, x, NULL, err) < 0)
		return -1;
	s->scored = mem_array(s->columns.n, sizeof(*s->scored), err);
	if (!s->scored)
		return -1;
	/* each column is scored by itself, so that threads do not change the scores */
	return thread_each(s->options->n_threads, s->columns.n, COLUMNS_OF_TASK,
			   (size_t)s->n_classes * sizeof(struct moments), score_column, s, err);
}

int univariate_select(struct selection *chosen, const struct csr *x,
		      const struct univariate_options *options, struct error *err)
{
	struct scoring s = { .options = options };
	int ret = -1;

	*chosen = (struct selection){ 0 };
	if (score_features(&s, x, err) == 0)
		ret = selection_of_columns(chosen, s.scored, s.columns.n, options->n_features,
					   s.columns.feature, 1, err);
	columns_free(&s.columns);
	mem_free_all(s.class_of, s.class_weight, s.target, s.scored);
	return ret;
}
