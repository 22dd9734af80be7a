/*
 * synthetic.c - the synthetic data of the papers, row by row
 *
 * How this works.  The numbers of row i come from two streams of rng.h: the features, two a draw,
 * from RNG_MADE_VALUE at (i, 0), (i, 1), ... (1), and what belongs to the row as a whole from one
 * draw of RNG_MADE_LABEL (2): its side, the noise of a target (words 0 to 3 as a normal number) and
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
 *      draws (1)      x[0], x[1], ...                     normal or uniform numbers, by the kind
 *      draw (2)       label.w[0 .. 3]                     for the row as a whole
 *      finish()       x[j] = rounded(...), returns y      features first, the label from them
 *      noise          y is turned round where a uniform number is below it
 *
 * Functions of base/elementary.h are used where the C library's differ in the last digit between
 * machines: rows are the same everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/synthetic.h"

#include <inttypes.h>
#include <math.h>

#include "base/arithmetic.h"
#include "base/elementary.h"
#include "base/mem.h"
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
static double checkerboard(const struct synthetic_data *g, struct rng_block label, double *x)
{
	(void)g;
	(void)label;
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
static double separable(const struct synthetic_data *g, struct rng_block label, double *x)
{
	double distance = -g->options.tau;

	(void)label;
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
	struct rng_block label = rng_draw(o->seed, RNG_MADE_LABEL, (uint64_t)row, 0); /* (2) */
	double y;

	/* (1): raw draws, which finish() turns into the features of the kind */
	fill(kinds[o->kind].draw, o->seed, RNG_MADE_VALUE, (uint64_t)row, x, o->n_features);
	y = kinds[o->kind].finish(g, label, x);
	return rng_unit(rng_second64(label)) < o->noise ? -y : y;
}

void synthetic_free(struct synthetic_data *g)
{
	mem_free(g->plane);
	*g = (struct synthetic_data){ 0 };
}
