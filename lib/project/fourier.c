/*
 * fourier.c - random Fourier features: rows whose inner products are nearly kernel values
 *
 * How this works.  A row goes through two steps,
 *
 *     turns     f_t.x for all t, in one of three ways                                       (1)
 *     values    cosine and sine of each, times sqrt(2/k)              circle_pairs()        (2)
 *
 * for a group of rows at a time, so that the ways of (1) that share work between rows can:
 *
 *  (3) independent frequencies are a projection by normal or Cauchy numbers (dense_maps.c), the
 *      scale of its matrix being that of the frequencies;
 *  (4) orthogonal ones of few features are columns of a matrix, which the rows, as dense ones, are
 *      multiplied by;
 *  (5) orthogonal ones of many features are three Hadamard transforms of the row and its signs, for
 *      each block of d' frequencies: 3 d' log2 d' additions in place of the d'^2 products of (4).
 *      With k = 1000 and AVX-512 a row of 100 features takes 2.0 us and one of 784 takes 3.3, of
 *      which (2) takes 0.9; the product with a matrix of k columns alone takes 1.2 and 8.3 us by
 *      sgemm, in single precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/fourier.h"

#include "project/family.h"
#include "project/project_loops.h"

enum {
	MAX_AXES = 64,	       /* features up to which (4) is used, above (5) */
	GROUP_TURNS = 1 << 17, /* turns of a group of rows: a megabyte */
	GROUP_ROWS = 512,      /* rows of a group at most, as of a block of dense_maps.c */
	NORMALS_AT_ONCE = 64   /* pairs of normal numbers drawn at a time */
};

static const double two_pi = 0x1.921fb54442d18p+2;

/* ---- Frequencies ---- */

/* Turns of a unit of x, for a frequency of standard normal or Cauchy numbers. */
static double unit_turns(const struct fourier_options *o)
{
	return (o->kernel == MAP_KERNEL_RBF ? sqrt(2 * o->gamma) : o->gamma) / two_pi;
}

/* (3) */
static int start_independent(struct fourier *f, struct error *err)
{
	const struct projection_options options = {
		.method = f->options.kernel == MAP_KERNEL_RBF ? PROJECT_GAUSSIAN : PROJECT_CAUCHY,
		.seed = f->options.seed,
		.n_columns = f->n_frequencies,
	};

	if (projection_init(&f->independent, &options, err) < 0)
		return -1;
	f->independent.scale = unit_turns(&f->options);
	return 0;
}

/*
 * The unit vector of g orthogonal to the n unit vectors before it.  Twice, since the first time
 * leaves the rounding of a g that was nearly in their span; the second time is enough.
 */
static void orthogonalise(double *g, const double *before, int64_t n, int64_t d)
{
	double length;

	for (int turn = 0; turn < 2; turn++)
		for (int64_t i = 0; i < n; i++) {
			const double *q = before + i * d, along = ordered_product(g, q, d);

			for (int64_t j = 0; j < d; j++)
				g[j] -= along * q[j];
		}
	length = sqrt(squared_norm(g, d));
	for (int64_t j = 0; j < d; j++)
		g[j] /= length;
}

/* (4): frequency t as column t of the matrix in panels; 'block' holds its block's unit vectors. */
static void draw_axis(struct fourier *f, int64_t t, double *block)
{
	const struct rng_place place = { f->options.seed, RNG_FREQUENCY_AXIS, (uint64_t)t, 0 };
	int64_t d = f->options.n_features, i = t % d;
	double g[MAX_AXES + 1], *q = block + i * d, length;

	rng_fill_normals(&place, (d + 1) / 2, g);
	length = sqrt(squared_norm(g, d)) * unit_turns(&f->options);
	memcpy(q, g, (size_t)d * sizeof(*q));
	orthogonalise(q, block, i, d);
	for (int64_t j = 0; j < d; j++)
		f->axis[(t / PANEL_COLUMNS * d + j) * PANEL_COLUMNS + t % PANEL_COLUMNS] =
			length * q[j];
}

static int start_axes(struct fourier *f, struct error *err)
{
	double block[MAX_AXES * MAX_AXES];

	f->axis = mem_aligned(f->stride * f->options.n_features, sizeof(*f->axis), err);
	if (!f->axis)
		return -1;
	for (int64_t t = 0; t < f->n_frequencies; t++)
		draw_axis(f, t, block);
	return 0;
}

/* s_t of a normal vector of d' entries */
static double draw_length(uint64_t seed, int64_t t, int64_t size)
{
	struct rng_place place = { seed, RNG_FREQUENCY_LENGTH, (uint64_t)t, 0 };
	double z[2 * NORMALS_AT_ONCE], sum = 0;

	for (int64_t i = 0; i < size / 2; i += NORMALS_AT_ONCE) {
		place.b = (uint32_t)i;
		rng_fill_normals(&place, NORMALS_AT_ONCE, z);
		sum += squared_norm(z, 2 * NORMALS_AT_ONCE);
	}
	return sqrt(sum);
}

/* The signs of D_r of block b, i = 3 b + r. */
static void draw_signs(uint64_t seed, int64_t i, int64_t size, uint64_t *word)
{
	for (int64_t g = 0; g < size / 128; g++) {
		struct rng_block draw =
			rng_draw(seed, RNG_FREQUENCY_SIGN, (uint64_t)i, (uint32_t)g);

		word[2 * g] = rng_first64(draw);
		word[2 * g + 1] = rng_second64(draw);
	}
}

/* (5); d > 64, so that d' is 128 or more, as many as the signs of a draw. */
static int start_transforms(struct fourier *f, struct error *err)
{
	int64_t size = 1, n_signs;

	for (; size < f->options.n_features; size *= 2)
		f->log2_size++;
	n_signs = 3 * ((f->n_frequencies - 1) / size + 1);
	f->length = mem_array(f->n_frequencies, sizeof(*f->length), err);
	f->sign = mem_array(n_signs * size / 64, sizeof(*f->sign), err);
	if (!f->length || !f->sign)
		return -1;
	for (int64_t t = 0; t < f->n_frequencies; t++)
		f->length[t] = draw_length(f->options.seed, t, size) * unit_turns(&f->options) /
			       ((double)size * sqrt((double)size));
	for (int64_t i = 0; i < n_signs; i++)
		draw_signs(f->options.seed, i, size, f->sign + i * size / 64);
	return 0;
}

/* ---- The map ---- */

static int check_options(const struct fourier_options *o, struct error *err)
{
	if (o->kernel != MAP_KERNEL_RBF && o->kernel != MAP_KERNEL_LAPLACE)
		return error_set(err, ERR_ARGUMENT, "rff has the kernels rbf and laplace alone");
	if (!(o->gamma >= 0 && isfinite(o->gamma)))
		return error_set(err, ERR_ARGUMENT, "gamma is %g, not 0 or more", o->gamma);
	if (o->n_columns < 1 || o->n_columns > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "%" PRId64 " columns: 1 to %d can be made",
				 o->n_columns, INT32_MAX);
	if (!o->orthogonal)
		return 0;
	if (o->kernel != MAP_KERNEL_RBF)
		return error_set(err, ERR_ARGUMENT, "only rbf has orthogonal frequencies");
	if (o->n_features < 1 || o->n_features > FOURIER_MAX_ORTHOGONAL)
		return error_set(err, ERR_ARGUMENT,
				 "orthogonal frequencies are for 1 to %d features, not %" PRId64,
				 FOURIER_MAX_ORTHOGONAL, o->n_features);
	return 0;
}

int fourier_init(struct fourier *f, const struct fourier_options *options, struct error *err)
{
	int ret;

	*f = (struct fourier){ .options = *options };
	if (check_options(options, err) < 0)
		return -1;
	f->n_frequencies = (options->n_columns + 1) / 2;
	f->stride = int64_round_up(f->n_frequencies, PANEL_COLUMNS);
	f->form.options.n_columns = options->n_columns;
	f->form.options.single = options->single;
	f->form.scale = sqrt(2 / (double)options->n_columns);
	if (options->n_columns % 2 == 1)
		f->phase = rng_unit(rng_first64(rng_draw(options->seed, RNG_FREQUENCY_PHASE,
							 (uint64_t)f->n_frequencies - 1, 0)));
	ret = !options->orthogonal	      ? start_independent(f, err) :
	      options->n_features <= MAX_AXES ? start_axes(f, err) :
						start_transforms(f, err);
	if (ret < 0)
		fourier_free(f);
	return ret;
}

void fourier_free(struct fourier *f)
{
	projection_free(&f->independent);
	mem_free_all(f->axis, f->length, f->sign);
	*f = (struct fourier){ 0 };
}

int64_t fourier_last_feature(const struct fourier *f)
{
	if (f->log2_size > 0)
		return INT64_C(1) << f->log2_size;
	return f->axis ? f->options.n_features : 0;
}

/* ---- Rows ---- */

/* Row i of 'in' as n numbers, the features 1 .. n. */
static void scatter(const struct row_batch *in, int64_t i, double *x, int64_t n)
{
	memset(x, 0, (size_t)n * sizeof(*x));
	for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++)
		x[in->index[k] - 1] = in->value[k];
}

/* (3); sums that are 0 are left out of the projected rows. */
static int turns_independent(const struct fourier *f, struct row_range rows, double *turns,
			     struct map_room *room, struct error *err)
{
	if (projection_apply(&f->independent, rows, &room->projected, room, err) < 0)
		return -1;
	for (int64_t i = 0; i < rows.n; i++)
		scatter(&room->projected, i, turns + i * f->stride, f->n_frequencies);
	return 0;
}

/* (4) */
static int turns_by_axes(const struct fourier *f, struct row_range rows, double *turns,
			 struct map_room *room, struct error *err)
{
	int64_t d = f->options.n_features;
	double *x = room_reserve(&room->work, rows.n * d, sizeof(*x), err);

	if (!x)
		return -1;
	for (int64_t i = 0; i < rows.n; i++)
		scatter(rows.in, rows.first + i, x + i * d, d);
	multiply_panels(x, d, rows.n, f->axis, d, f->n_frequencies, turns, f->stride);
	return 0;
}

/* (5) for one row, which is in x[0 .. d' - 1]; 'work' has room for as much. */
static void transform_row(const struct fourier *f, const double *x, double *work, double *turns)
{
	const int64_t size = INT64_C(1) << f->log2_size;
	const uint64_t *sign = f->sign;

	for (int64_t t = 0; t < f->n_frequencies; t += size, sign += 3 * size / 64) {
		int64_t n = int64_min(size, f->n_frequencies - t);

		memcpy(work, x, (size_t)size * sizeof(*work));
		for (int r = 2; r >= 0; r--) {
			sign_flip(sign + r * size / 64, size, work);
			hadamard_trimmed(work, f->log2_size, NULL);
		}
		multiply_each(f->length + t, work, n, turns + t);
	}
}

static int turns_by_transforms(const struct fourier *f, struct row_range rows, double *turns,
			       struct map_room *room, struct error *err)
{
	const int64_t size = INT64_C(1) << f->log2_size;
	double *x = room_reserve(&room->work, 2 * size, sizeof(*x), err);

	if (!x)
		return -1;
	for (int64_t i = 0; i < rows.n; i++) {
		scatter(rows.in, rows.first + i, x, size);
		transform_row(f, x, x + size, turns + i * f->stride);
	}
	return 0;
}

/* (1) for a group of rows */
static int make_turns(const struct fourier *f, struct row_range rows, double *turns,
		      struct map_room *room, struct error *err)
{
	int64_t last = fourier_last_feature(f);

	for (int64_t i = 0; last > 0 && i < rows.n; i++)
		if (check_features(rows.in, rows.first + i, last, err) < 0)
			return -1;
	if (!f->options.orthogonal)
		return turns_independent(f, rows, turns, room, err);
	return f->axis ? turns_by_axes(f, rows, turns, room, err) :
			 turns_by_transforms(f, rows, turns, room, err);
}

/* Rows that are few enough for their turns to fit a cache */
static int apply_group(const struct fourier *f, struct row_range rows, struct row_batch *out,
		       struct map_room *room, struct error *err)
{
	double *turns = room_reserve(&room->turns, rows.n * f->stride, sizeof(*turns), err);
	double *pairs = room_reserve(&room->pairs, 2 * f->stride, sizeof(*pairs), err);

	if (!turns || !pairs || make_turns(f, rows, turns, room, err) < 0)
		return -1;
	for (int64_t i = 0; i < rows.n; i++) {
		const struct summed_row row = { rows.in, rows.first + i, pairs };
		double *turn = turns + i * f->stride;

		turn[f->n_frequencies - 1] += f->phase;
		for (int64_t t = f->n_frequencies; t < f->stride; t++)
			turn[t] = 0;
		circle_pairs(turn, f->n_frequencies, pairs); /* (2) */
		if (append_doubles(&f->form, row, out, room, err) < 0)
			return -1;
	}
	return 0;
}

int fourier_apply(const struct fourier *f, struct row_range rows, struct row_batch *out,
		  struct map_room *room, struct error *err)
{
	int64_t at_once = int64_clamp(GROUP_TURNS / f->stride, 1, GROUP_ROWS);
	int ret = row_batch_reserve(out, rows.n, 0, rows.in->has_text, err);

	for (int64_t i = 0; ret == 0 && i < rows.n; i += at_once) {
		const struct row_range group = { rows.in, rows.first + i,
						 int64_min(at_once, rows.n - i) };

		ret = apply_group(f, group, out, room, err);
	}
	return ret;
}
