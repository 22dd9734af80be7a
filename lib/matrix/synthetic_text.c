/*
 * synthetic_text.c - synthetic rows of words, as of texts
 *
 * Formulas are numbered as in the header.  The random numbers of row i:
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
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/synthetic_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/elementary.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"

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
	for (int64_t j = 0; j < o->n_features; j++)
		word[j] = j;
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

static int check_options(const struct synthetic_text_options *o, struct error *err)
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
	if (check_options(&o, err) < 0)
		goto fail;
	t->cumulative = mem_array(o.n_features, sizeof(double), err);
	t->idf = mem_array(o.n_features, sizeof(double), err);
	t->direction = mem_zeroed(o.n_features, sizeof(double), err);
	if (!t->cumulative || !t->idf || !t->direction)
		goto fail;
	set_words(t);
	/* in this order: rows need the words, and their w.x the direction */
	if (set_direction(t, err) == 0 && set_threshold(t, err) == 0)
		return 0;
fail:
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
