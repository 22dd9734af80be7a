/*
 * tensor_sketch.c - sketches of tensor powers: rows whose inner products are nearly polynomial
 * kernels
 *
 * How this works.  A row's entries, with the constant among them, draw the words of all their
 * hashes first (1).  For each power of two in the number of columns, from the highest on, d count
 * sketches are filled one after the other, transformed, and multiplied into the first (2); a last
 * transform makes them a dyadic convolution (3).  All sums are in the order of the entries, and of
 * the transform, so their bits are the same everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/tensor_sketch.h"

#include "project/family.h"
#include "project/project_loops.h"

/* Number j of the constant sqrt(c), which no feature has: those of files are below 2^32. */
#define CONSTANT_FEATURE (UINT64_C(1) << 32)

/* Largest degree: by (2) of the header, more would take more columns than there are numbers. */
#define MOST_DEGREE 1000

int tensor_sketch_init(struct tensor_sketch *s, const struct tensor_options *o, struct error *err)
{
	int n_blocks = 0;

	*s = (struct tensor_sketch){ 0 };
	if (o->kernel.type != KERNEL_POLYNOMIAL || !kernel_is_definite(&o->kernel) ||
	    o->kernel.degree < 1 || o->kernel.degree > MOST_DEGREE)
		return error_set(err, ERR_ARGUMENT,
				 "the kernel is not polynomial of degree 1 to %d, with gamma and "
				 "coef0 of 0 or more",
				 MOST_DEGREE);
	if (o->n_columns < 1 || o->n_columns > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "the number of columns is not 1 to 2^31 - 1");
	for (int64_t left = o->n_columns; left > 0; left &= left - 1)
		n_blocks++;
	s->options = *o;
	s->n_sketches = n_blocks * o->kernel.degree;
	s->form =
		(struct projection){ .options = { .n_columns = o->n_columns, .single = o->single },
				     .scale = 1 };
	return 0;
}

/* A row: its values as those of x', and the words of their sketches, [n][n_words]. */
struct tensor_row {
	int64_t n;
	double *value;
	uint32_t *word;
	int64_t n_words; /* n_sketches, rounded up to whole draws */
};

/* (1): entries 0 .. n - 2 of row i of 'in', then the constant */
static void draw_row(const struct tensor_sketch *s, const struct row_batch *in, int64_t i,
		     struct tensor_row *x)
{
	const struct kernel *kernel = &s->options.kernel;
	const int64_t first = in->row_start[i];
	const double root = sqrt(kernel->gamma);

	for (int64_t e = 0; e < x->n; e++) {
		const bool is_constant = e == x->n - 1;
		const uint64_t j =
			is_constant ? CONSTANT_FEATURE : internal_feature(in->index[first + e]);

		x->value[e] = is_constant ? sqrt(kernel->coef0) : root * in->value[first + e];
		for (int64_t b = 0; b < x->n_words / 4; b++) {
			struct rng_block draw =
				rng_draw(s->options.seed, RNG_TENSOR_SKETCH, j, (uint32_t)b);

			memcpy(x->word + e * x->n_words + 4 * b, draw.w, sizeof(draw.w));
		}
	}
}

/* H C_t, D = 2^log2_size numbers */
static void count_sketch(const struct tensor_row *x, int64_t t, int log2_size, double *sketch)
{
	memset(sketch, 0, sizeof(*sketch) << log2_size);
	for (int64_t e = 0; e < x->n; e++) {
		const uint32_t w = x->word[e * x->n_words + t];
		const double value = x->value[e];

		sketch[(uint64_t)w << log2_size >> 32] += w & 1 ? -value : value;
	}
	hadamard_trimmed(sketch, log2_size, NULL);
}

/* Columns z[0 .. D - 1] of one power of two, the first of its d sketches being number t. */
static void sketch_block(const struct tensor_sketch *s, const struct tensor_row *x, int64_t t,
			 int log2_size, double *z, double *work)
{
	const int64_t size = INT64_C(1) << log2_size;
	const double scale = sqrt((double)size / (double)s->options.n_columns) / (double)size;

	count_sketch(x, t, log2_size, z);
	for (int r = 1; r < s->options.kernel.degree; r++) { /* (2) */
		count_sketch(x, t + r, log2_size, work);
		for (int64_t i = 0; i < size; i++)
			z[i] *= work[i];
	}
	hadamard_trimmed(z, log2_size, NULL); /* (3) */
	for (int64_t i = 0; i < size; i++)
		z[i] *= scale;
}

/* All columns of a row; 'work' has room for as many. */
static void sketch_row(const struct tensor_sketch *s, const struct tensor_row *x, double *z,
		       double *work)
{
	const int64_t k = s->options.n_columns;
	int64_t t = 0;

	for (int log2_size = 30; log2_size >= 0; log2_size--) {
		const int64_t size = INT64_C(1) << log2_size;

		if (!(k & size))
			continue;
		/* the blocks before are the higher bits of k */
		sketch_block(s, x, t, log2_size, z + (k & ~(2 * size - 1)), work);
		t += s->options.kernel.degree;
	}
}

static int apply_row(const struct tensor_sketch *s, const struct row_batch *in, int64_t i,
		     struct row_batch *out, struct map_room *room, struct error *err)
{
	const int64_t k = s->options.n_columns, n = in->row_start[i + 1] - in->row_start[i] + 1;
	struct tensor_row x = { .n = n, .n_words = int64_round_up(s->n_sketches, 4) };
	/* the values of the row's entries, then the columns that are not multiplied in yet */
	double *work = room_reserve(&room->work, n + k, sizeof(*work), err);
	double *z = room_reserve(&room->sums, k, sizeof(*z), err);

	x.word = room_reserve(&room->words, n * x.n_words, sizeof(*x.word), err);
	if (!work || !z || !x.word)
		return -1;
	x.value = work;
	draw_row(s, in, i, &x);
	sketch_row(s, &x, z, work + n);
	return append_doubles(&s->form, (struct summed_row){ in, i, z }, out, room, err);
}

int tensor_sketch_apply(const struct tensor_sketch *s, struct row_range rows, struct row_batch *out,
			struct map_room *room, struct error *err)
{
	int ret = row_batch_reserve(out, rows.n, 0, rows.in->has_text, err);

	for (int64_t i = 0; ret == 0 && i < rows.n; i++)
		ret = apply_row(s, rows.in, rows.first + i, out, room, err);
	return ret;
}
