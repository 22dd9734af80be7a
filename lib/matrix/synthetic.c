/*
 * synthetic.c - the synthetic data of the papers, row by row
 *
 * How this works.  The numbers of row i come from two streams of rng.h: the features, two a draw,
 * from RNG_MADE_VALUE at (i, 0), (i, 1), ... (a), and what belongs to the row as a whole from one
 * draw of RNG_MADE_LABEL (b): its side, the noise of a target (words 0 to 3 as a normal number) and
 * whether its label is turned round (words 2 and 3).  So a row does not depend on the rows before
 * it, and the features of a row do not depend on noise.
 *
 * A kind is a line in a table: which numbers its features are drawn as, and a function that makes
 * of them what the kind says.  Features are rounded to multiples of 10^-8 before anything is
 * computed from them: the label is that of the values which a reader of the file has, not of their
 * digits before rounding.
 *
 * The order of one row:
 *
 *      draws (a)      x[0], x[1], ...                     normal or uniform numbers, by the kind
 *      draw (b)       label.w[0 .. 3]                     for the row as a whole
 *      finish()       x[j] = rounded(...), returns y      features first, the label from them
 *      noise          y is turned round where a uniform number is below it
 *
 * Functions of base/elementary.h are used where the C library's differ in the last digit between
 * machines: rows are the same everywhere.
 *
 * Rows of words, struct synthetic_text, have draws and steps of their own, which their section tells.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/synthetic.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"

const char *const synthetic_names[] = { "twonorm",  "ringnorm",	 "checkerboard",
					"friedman", "separable", "relevant",
					NULL };

/* The multiple of 10^-8 nearest to x, which is below 10^10. */
static double rounded(double x)
{
	return (double)(int64_t)(x * 1e8 + copysign(0.5, x)) / 1e8;
}

/* Two numbers of (0, 1), as rng_normals() makes two normal ones. */
static void two_units(struct rng_block block, double v[2])
{
	v[0] = rng_unit(rng_first64(block));
	v[1] = rng_unit(rng_second64(block));
}

/*
 * (1): fill x[0 .. n-1] with draws (seed, stream, i, 0), (seed, stream, i, 1), ... of two numbers.
 */
static void fill(void (*draw)(struct rng_block block, double v[2]), uint64_t seed,
		 enum rng_stream stream, uint64_t i, double *x, int64_t n)
{
	for (int64_t j = 0; j < n; j += 2) {
		double v[2];

		draw(rng_draw(seed, stream, i, (uint32_t)(j / 2)), v);
		x[j] = v[0];
		if (j + 1 < n)
			x[j + 1] = v[1];
	}
}

/* +1 or -1 with equal chances */
static double random_side(struct rng_block label)
{
	return label.w[0] & 1 ? 1 : -1;
}

/* ---- The kinds: turn the raw draws in 'x' into the features of the kind ---- */

/* Two normal clouds around +-(a, .., a), of deviation 1. */
static double twonorm(const struct synthetic_data *g, struct rng_block label, double *x)
{
	double y = random_side(label), a = 2 / sqrt((double)g->options.n_features);

	for (int64_t j = 0; j < g->options.n_features; j++)
		x[j] = rounded(y * a + x[j]);
	return y;
}

/* A wide normal cloud, and a narrow one around (a, .., a). */
static double ringnorm(const struct synthetic_data *g, struct rng_block label, double *x)
{
	double y = random_side(label), a = 2 / sqrt((double)g->options.n_features);
	double mean = y < 0 ? a : g->options.printed, deviation = y < 0 ? 1 : 2;

	for (int64_t j = 0; j < g->options.n_features; j++)
		x[j] = rounded(mean + deviation * x[j]);
	return y;
}

/* x is in [0, 4]; ceil() numbers the squares of each axis from 1 to 4 */
static double checkerboard(const struct synthetic_data *g UNUSED, struct rng_block label UNUSED,
			   double *x)
{
	x[0] = rounded(4 * x[0]);
	x[1] = rounded(4 * x[1]);
	return fmod(ceil(x[0]) + ceil(x[1]), 2) == 0 ? 1 : -1;
}

static double friedman(const struct synthetic_data *g, struct rng_block label, double *x)
{
	double noise[2], cosine, sine;

	for (int64_t j = 0; j < g->options.n_features; j++)
		x[j] = rounded(x[j]);
	rng_normals(label, noise);
	elementary_circle(x[0] * x[1] / 2, &cosine, &sine); /* 2 pi t = pi x_1 x_2 */
	return rounded(10 * sine + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4] +
		       noise[0]);
}

/* The side of a plane at distance tau from the origin: no noise, so the classes are separable. */
static double separable(const struct synthetic_data *g, struct rng_block label UNUSED, double *x)
{
	double distance = -g->options.tau;

	for (int64_t j = 0; j < g->options.n_features; j++) {
		x[j] = rounded(x[j]);
		distance += g->plane[j] * x[j];
	}
	return distance > 0 ? 1 : -1;
}

/* The first n_relevant features differ between the classes, by sign; the others are noise. */
static double relevant(const struct synthetic_data *g, struct rng_block label, double *x)
{
	double y = random_side(label);

	for (int64_t j = 0; j < g->options.n_features; j++)
		x[j] = rounded(j < g->options.n_relevant ? y * (x[j] - (double)(j + 1)) : x[j]);
	return y;
}

/* The number of features if none is asked for, what it may be, and the kind's functions. */
static const struct kind {
	int64_t usual_features, min_features, max_features;
	bool has_classes;
	void (*draw)(struct rng_block block, double v[2]);
	double (*finish)(const struct synthetic_data *g, struct rng_block label, double *x);
} kinds[] = {
	[SYNTHETIC_TWONORM] = { 20, 1, INT32_MAX, true, rng_normals, twonorm },
	[SYNTHETIC_RINGNORM] = { 20, 1, INT32_MAX, true, rng_normals, ringnorm },
	[SYNTHETIC_CHECKERBOARD] = { 2, 2, 2, true, two_units, checkerboard },
	[SYNTHETIC_FRIEDMAN] = { 10, 5, INT32_MAX, false, two_units, friedman },
	[SYNTHETIC_SEPARABLE] = { 5000, 1, INT32_MAX, true, rng_normals, separable },
	[SYNTHETIC_RELEVANT] = { 1000, 1, INT32_MAX, true, rng_normals, relevant },
};

/* ---- For all kinds ---- */

/* Features, noise and relevant features within what the kind allows; n_features is set. */
static int check_options(const struct synthetic_options *o, struct error *err)
{
	const struct kind *kind = &kinds[o->kind];
	const char *name = synthetic_names[o->kind];

	if (o->n_features < kind->min_features || o->n_features > kind->max_features)
		return error_set(err, ERR_ARGUMENT, "%s has %" PRId64 "%s features, not %" PRId64,
				 name, kind->min_features,
				 kind->min_features < kind->max_features ? " or more" : "",
				 o->n_features);
	if (!(o->noise >= 0 && o->noise <= 1))
		return error_set(err, ERR_ARGUMENT, "noise %g is not between 0 and 1", o->noise);
	if (o->noise > 0 && !kind->has_classes)
		return error_set(err, ERR_ARGUMENT, "%s has no labels to turn round", name);
	if (o->kind == SYNTHETIC_RELEVANT && (o->n_relevant < 0 || o->n_relevant > o->n_features))
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " of %" PRId64 " features cannot be relevant",
				 o->n_relevant, o->n_features);
	return 0;
}

/* A direction on the sphere: normal numbers, divided by their length. */
static int make_plane(struct synthetic_data *g, struct error *err)
{
	int64_t d = g->options.n_features;
	double norm;

	g->plane = mem_array(d, sizeof(double), err);
	if (!g->plane)
		return -1;
	fill(rng_normals, g->options.seed, RNG_MADE_PLANE, 0, g->plane, d);
	norm = sqrt(squared_norm(g->plane, d));
	for (int64_t j = 0; j < d; j++)
		g->plane[j] /= norm;
	return 0;
}

int synthetic_init(struct synthetic_data *g, const struct synthetic_options *options,
		   struct error *err)
{
	*g = (struct synthetic_data){ .options = *options };
	if (options->n_features == 0)
		g->options.n_features = kinds[options->kind].usual_features;
	if (check_options(&g->options, err) < 0 ||
	    (options->kind == SYNTHETIC_SEPARABLE && make_plane(g, err) < 0)) {
		synthetic_free(g);
		return -1;
	}
	return 0;
}

double synthetic_row(const struct synthetic_data *g, int64_t row, double *x)
{
	const struct synthetic_options *o = &g->options;
	struct rng_block label = rng_draw(o->seed, RNG_MADE_LABEL, (uint64_t)row, 0); /* (b) */
	double y;

	/* (a): raw draws, which finish() turns into the features of the kind */
	fill(kinds[o->kind].draw, o->seed, RNG_MADE_VALUE, (uint64_t)row, x, o->n_features);
	y = kinds[o->kind].finish(g, label, x);
	return rng_unit(rng_second64(label)) < o->noise ? -y : y;
}

void synthetic_free(struct synthetic_data *g)
{
	mem_free(g->plane);
	*g = (struct synthetic_data){ 0 };
}

/* ---- Rows of words ---- */

/*
 * Formulas (1) to (3) are those of synthetic.h.  The random numbers of row i:
 *
 *     RNG_MADE_LABEL at (i, 0)            words 2 and 3: is the label turned round?
 *     RNG_MADE_LABEL at (i, 1)            two uniform numbers: the length L
 *     RNG_MADE_VALUE at (i, 0), (i, 1)..  two uniform numbers each: the next two words drawn
 *     RNG_MADE_PLANE at (j - 1, 0)        is word j among the relevant ones?
 *     RNG_MADE_PLANE at (j - 1, 1)        its entry of w
 *
 * How this works.  Words are drawn by inversion: a uniform number u falls into word j's part of
 * [0, 1], which cumulative[] delimits (binary search, O(log d)).  A row is made in these steps:
 *
 *      L        draw_length()    how many different words
 *      words    draw_words()     two words from each block of random numbers, until L are there
 *      values   set_values()     (2), scaled to norm 1 and rounded to 8 decimals, so that a file
 *                                with 8 decimals has the very numbers
 *      label    w.x against the median b of the first rows' w.x (3), turned round with some noise
 *
 * Everything that depends on row i is drawn at a place made of i: any row can be made by itself, by
 * any thread, and rows are the same in whatever order they are made.  times[], d counters, is all 0
 * between rows; a row clears the counters that it used, so it costs O(words log d) and not O(d).
 */

/* Rows whose median w.x is the threshold of the labels; odd, so that one row is in the middle. */
#define ROWS_FOR_THRESHOLD 1001

/*
 * A row has at most d / MOST_WORDS words: the last ones of all d would take some d ln d draws, the
 * last ones of d / 2 as many as it has words.
 */
#define MOST_WORDS 2

/* (1): cumulative probabilities, and (2): the weight of a word by how many rows have it */
static void set_words(struct synthetic_text *t)
{
	int64_t d = t->options.n_features;
	double sum = 0;

	for (int64_t j = 0; j < d; j++) {
		sum += 1 / (double)(j + 1);
		t->cumulative[j] = sum;
	}
	for (int64_t j = 0; j < d; j++) {
		/* sum is the whole sum now, so p is the probability of word j in one draw */
		double p = 1 / ((double)(j + 1) * sum);

		t->cumulative[j] /= sum;
		t->idf[j] = -elementary_log(1 - double_power(1 - p, t->options.n_words));
	}
}

/* w: n_relevant words with a normal number each */
static int set_direction(struct synthetic_text *t, struct error *err)
{
	const struct synthetic_text_options *o = &t->options;
	const struct rng_place place = { .seed = o->seed, .stream = RNG_MADE_PLANE };
	int64_t *word = mem_array(o->n_features, sizeof(*word), err);
	int ret = -1;

	if (!word)
		return -1;
	count_up(word, o->n_features);
	/* n_relevant of all words come first in 'word', chosen at random */
	if (rng_subset(&place, word, o->n_features, o->n_relevant, err) == 0) {
		for (int64_t k = 0; k < o->n_relevant; k++) {
			double z[2];

			rng_normals(rng_draw(o->seed, RNG_MADE_PLANE, (uint64_t)word[k], 1), z);
			t->direction[word[k]] = z[0];
		}
		ret = 0;
	}
	mem_free(word);
	return ret;
}

/* L: 1 + the rounded sum of two exponential numbers of the mean (m - 1) / 2 */
static int64_t draw_length(const struct synthetic_text *t, int64_t i)
{
	struct rng_block block = rng_draw(t->options.seed, RNG_MADE_LABEL, (uint64_t)i, 1);
	double u = rng_unit(rng_first64(block)) * rng_unit(rng_second64(block));
	/* -log(u1 u2) is the sum of two exponential numbers of mean 1: one logarithm for both */
	double mean = (double)(t->options.n_words - 1);

	return int64_min(1 + (int64_t)(0.5 - mean / 2 * elementary_log(u)),
			 t->options.n_features / MOST_WORDS);
}

/* Words until 'length' different ones are there: their columns, ascending, and row->times. */
static void draw_words(const struct synthetic_text *t, int64_t i, int64_t length,
		       struct synthetic_words *row)
{
	row->n = 0;
	for (uint32_t b = 0; row->n < length; b++) {
		struct rng_block block = rng_draw(t->options.seed, RNG_MADE_VALUE, (uint64_t)i, b);
		const double u[2] = { rng_unit(rng_first64(block)), rng_unit(rng_second64(block)) };

		for (int k = 0; k < 2 && row->n < length; k++) {
			/* the first word whose cumulative probability is at least u[k] */
			int32_t word = (int32_t)order_find_above(
				t->cumulative, t->options.n_features, nextafter(u[k], 0));

			if (row->times[word]++ == 0)
				row->col[row->n++] = word;
		}
	}
	qsort(row->col, (size_t)row->n, sizeof(*row->col), order_int32s);
}

/* Values (2) of the words of a row, from their counts row->times, which are 0 again then. */
static void set_values(const struct synthetic_text *t, struct synthetic_words *row)
{
	double norm2 = 0, scale;

	for (int64_t k = 0; k < row->n; k++) {
		int32_t word = row->col[k];

		row->val[k] = (1 + elementary_log(row->times[word])) * t->idf[word];
		norm2 += row->val[k] * row->val[k];
		/* times[] is zero again, ready for the next row */
		row->times[word] = 0;
	}
	/* norm 1, and a whole number of 10^-8: both by one factor */
	scale = 1e8 / sqrt(norm2);
	for (int64_t k = 0; k < row->n; k++)
		row->val[k] = (double)(int64_t)(row->val[k] * scale + 0.5) / 1e8;
}

/* Make row i in row->col and row->val; returns w.x, which decides its label. */
static double make_row(const struct synthetic_text *t, int64_t i, struct synthetic_words *row)
{
	double product = 0;

	draw_words(t, i, draw_length(t, i), row);
	set_values(t, row);
	for (int64_t k = 0; k < row->n; k++)
		product += t->direction[row->col[k]] * row->val[k];
	return product;
}

/* b of (3): the median, so that the classes are about equally large */
static int set_threshold(struct synthetic_text *t, struct error *err)
{
	struct synthetic_words row = { 0 };
	double product[ROWS_FOR_THRESHOLD];

	if (synthetic_words_init(&row, t, err) < 0)
		return -1;
	for (int64_t i = 0; i < ROWS_FOR_THRESHOLD; i++)
		product[i] = make_row(t, i, &row);
	qsort(product, ROWS_FOR_THRESHOLD, sizeof(*product), order_doubles);
	/* rows 0 to 1000 of this very data, so that it does not depend on how many are made */
	t->threshold = product[ROWS_FOR_THRESHOLD / 2];
	synthetic_words_free(&row);
	return 0;
}

static int check_text_options(const struct synthetic_text_options *o, struct error *err)
{
	if (o->n_features < 8 || o->n_features > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "text has 8 or more features, not %" PRId64,
				 o->n_features);
	if (o->n_words < 1 || o->n_words > o->n_features / 4)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " words a row: must be 1 to a quarter of the %" PRId64
				 " features",
				 o->n_words, o->n_features);
	if (o->n_relevant < 1 || o->n_relevant > o->n_features)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " of %" PRId64 " features cannot be relevant",
				 o->n_relevant, o->n_features);
	if (!(o->noise >= 0 && o->noise <= 1))
		return error_set(err, ERR_ARGUMENT, "noise %g is not between 0 and 1", o->noise);
	return 0;
}

int synthetic_text_init(struct synthetic_text *t, const struct synthetic_text_options *options,
			struct error *err)
{
	struct synthetic_text_options o = *options;

	if (o.n_features == 0)
		o.n_features = 50000;
	if (o.n_relevant == 0)
		o.n_relevant = o.n_features / 10 + 1;
	*t = (struct synthetic_text){ .options = o };
	if (check_text_options(&o, err) == 0) {
		t->cumulative = mem_array(o.n_features, sizeof(double), err);
		t->idf = mem_array(o.n_features, sizeof(double), err);
		t->direction = mem_zeroed(o.n_features, sizeof(double), err);
	}
	if (err->code == ERR_NONE)
		set_words(t);
	/* in this order: rows need the words, and their w.x the direction */
	if (err->code == ERR_NONE && set_direction(t, err) == 0 && set_threshold(t, err) == 0)
		return 0;
	synthetic_text_free(t);
	return -1;
}

int synthetic_words_init(struct synthetic_words *row, const struct synthetic_text *t,
			 struct error *err)
{
	int64_t d = t->options.n_features;

	*row = (struct synthetic_words){ 0 };
	row->col = mem_array(d / MOST_WORDS, sizeof(*row->col), err);
	row->val = mem_array(d / MOST_WORDS, sizeof(*row->val), err);
	row->times = mem_zeroed(d, sizeof(*row->times), err);
	if (row->col && row->val && row->times)
		return 0;
	synthetic_words_free(row);
	return -1;
}

double synthetic_text_row(const struct synthetic_text *t, int64_t i, struct synthetic_words *row)
{
	const struct synthetic_text_options *o = &t->options;
	struct rng_block label = rng_draw(o->seed, RNG_MADE_LABEL, (uint64_t)i, 0);
	double y = make_row(t, i, row) > t->threshold ? 1 : -1;

	return rng_unit(rng_second64(label)) < o->noise ? -y : y;
}

void synthetic_text_free(struct synthetic_text *t)
{
	mem_free_all(t->cumulative, t->idf, t->direction);
	*t = (struct synthetic_text){ 0 };
}

void synthetic_words_free(struct synthetic_words *row)
{
	mem_free_all(row->col, row->val, row->times);
	*row = (struct synthetic_words){ 0 };
}
