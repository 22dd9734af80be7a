/*
 * test_projection.c - random projections against their definitions
 *
 * Seeds are fixed, so a run passes always or never.  For another implementation of the same
 * definitions, or other seeds: the statistical tests ask for means within 4.5 standard errors (a
 * chance of 7e-6 to fail each) and variances within 5 (6e-7 if they were normal; the sample
 * variances' own error is taken from the fourth moment, so somewhat more), which for the 25
 * comparisons here makes less than 1 in 2000.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/rng_fill.h"
#include "base/thread.h"
#include "failing.h"
#include "io/rows.h"
#include "project/family.h"
#include "project/project_loops.h"
#include "project/projection.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define METHODS 9

/* ---- The definitions, written plainly ---- */

static double sign_of_bit(uint64_t seed, enum rng_stream stream, uint64_t i, uint32_t t)
{
	struct rng_block draw = rng_draw(seed, stream, i, t >> 7);

	return 1 - 2.0 * (draw.w[t >> 5 & 3] >> (t & 31) & 1);
}

static uint32_t below(uint32_t w, uint32_t m)
{
	return (uint32_t)((uint64_t)w * m >> 32);
}

static int64_t power_above(int64_t d)
{
	int64_t size = 1;

	while (size < d)
		size *= 2;
	return size;
}

static uint64_t key_of_row(uint64_t seed, uint64_t id)
{
	return rng_first64(rng_draw(seed, RNG_SRHT_ROW, id, 0));
}

/* The row of the Hadamard matrix that column t takes. */
static uint32_t sampled_row(const struct projection_options *o, int64_t t)
{
	uint64_t size = (uint64_t)power_above(o->n_features), rank;

	if (o->with_replacement)
		/* the key's first bits, as the size is a power of two, above 1 */
		return (uint32_t)(key_of_row(o->seed, (uint64_t)t) / (UINT64_MAX / size + 1));
	for (uint64_t id = 0; id < size; id++) {
		rank = 0;
		for (uint64_t other = 0; other < size; other++)
			rank += key_of_row(o->seed, other) < key_of_row(o->seed, id) ||
				(key_of_row(o->seed, other) == key_of_row(o->seed, id) &&
				 other < id);
		if (rank == (uint64_t)t)
			return (uint32_t)id;
	}
	return UINT32_MAX;
}

static double sketch_entry(const struct projection_options *o, uint32_t j, int64_t t)
{
	int64_t h = below(rng_draw(o->seed, RNG_SKETCH_BLOCK, j, 0).w[0], (uint32_t)o->q);

	for (int64_t s = 0; s < o->a; s++) {
		struct rng_block draw = rng_draw(o->seed, RNG_SKETCH_BUCKET, j, (uint32_t)(s >> 1));
		uint32_t p = draw.w[s % 2 ? 2 : 0], g = draw.w[s % 2 ? 3 : 1];

		if (t == (h * o->a + s) * o->v + below(p, (uint32_t)o->v))
			return (1 - 2.0 * (g & 1)) / sqrt((double)o->a);
	}
	return 0;
}

/* R's entry, 'o' having its defaults; j internal. */
static double plain_entry(const struct projection_options *o, uint32_t j, int64_t t)
{
	double r = (double)o->n_columns, z[2];
	uint32_t column = (uint32_t)t, w;
	struct rng_block draw;

	switch (o->method) {
	case PROJECT_RS:
		return sign_of_bit(o->seed, RNG_SIGN, j, column) / sqrt(r);
	case PROJECT_GAUSSIAN:
		rng_normals(rng_draw(o->seed, RNG_GAUSSIAN, j, column / 2), z);
		return z[t % 2] / sqrt(r);
	case PROJECT_UNIFORM:
		draw = rng_draw(o->seed, RNG_UNIFORM, j, column / 2);
		z[0] = rng_unit(t % 2 ? rng_second64(draw) : rng_first64(draw));
		return sqrt(3 / r) * (2 * z[0] - 1);
	case PROJECT_ACHLIOPTAS:
		w = below(rng_draw(o->seed, RNG_ACHLIOPTAS, j, column / 4).w[t % 4], 6);
		return sqrt(3 / r) * (w == 0 ? 1 : w == 1 ? -1 : 0);
	case PROJECT_LI:
		w = rng_draw(o->seed, RNG_VERY_SPARSE, j, column / 4).w[t % 4];
		return w < 2 * round(0x1p31 / o->sparsity) ?
			       sqrt(o->sparsity / r) * (1 - 2.0 * (w & 1)) :
			       0;
	case PROJECT_FHT:
		return sign_of_bit(o->seed, RNG_SRHT_SIGN, j >> 7, j & 127) *
		       (__builtin_popcount(j & sampled_row(o, t)) % 2 ? -1 : 1) / sqrt(r);
	default:
		return sketch_entry(o, j, t);
	}
}

/* ---- Rows to project ---- */

static void die(const struct error *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(EXIT_FAILURE);
}

static void *checked(void *p)
{
	if (!p)
		exit(EXIT_FAILURE);
	return p;
}

static void append_entry(struct row_batch *b, int32_t index, double value)
{
	struct error err = { 0 };

	if (mem_grow(&b->index, &b->capacity.indices, b->n_entries + 1, sizeof(*b->index), &err) <
		    0 ||
	    mem_grow(&b->value, &b->capacity.values, b->n_entries + 1, sizeof(*b->value), &err) < 0)
		die(&err);
	b->index[b->n_entries] = index;
	b->value[b->n_entries++] = value;
}

static void end_row(struct row_batch *b, double label)
{
	struct error err = { 0 };

	if (mem_grow(&b->label, &b->capacity.rows, b->n_rows + 1, sizeof(*b->label), &err) < 0 ||
	    mem_grow(&b->row_start, &b->capacity.starts, b->n_rows + 2, sizeof(*b->row_start),
		     &err) < 0)
		die(&err);
	b->row_start[0] = 0;
	b->label[b->n_rows++] = label;
	b->row_start[b->n_rows] = b->n_entries;
}

/* Rows of 1 .. d, some empty, some short, some full. */
static void make_rows(struct row_batch *b, int64_t n_rows, int64_t d)
{
	const double densities[] = { 0, 2.0 / (double)d, 20.0 / (double)d, 0.1, 0.5, 1 };

	for (int64_t i = 0; i < n_rows; i++) {
		double density = densities[i % LENGTH(densities)];

		for (int64_t j = 1; j <= d; j++)
			if (random_unit() < density)
				append_entry(b, (int32_t)j, random_normal());
		end_row(b, random_normal());
	}
}

static struct projection projection_of(struct projection_options options)
{
	struct projection p;
	struct error err = { 0 };

	if (projection_init(&p, &options, &err) < 0)
		die(&err);
	return p;
}

static void apply(const struct projection *p, const struct row_batch *in, struct row_batch *out)
{
	struct map_room room = { .cache_bytes = 1 << 18 };
	struct error err = { 0 };

	if (projection_apply(p, (struct row_range){ in, 0, in->n_rows }, out, &room, &err) < 0)
		die(&err);
	map_room_free(&room);
}

/* Row i as r doubles. */
static void spread(const struct row_batch *b, int64_t i, double *y, int64_t r)
{
	memset(y, 0, (size_t)r * sizeof(*y));
	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		y[b->index[k] - 1] = b->value[k];
}

/* Options of every method that can be had with r columns and d features. */
static struct projection_options options_of(enum projection_method method, int64_t r, int64_t d)
{
	return (struct projection_options){
		.method = method, .seed = 7 + random_bits() % 3, .n_columns = r, .n_features = d
	};
}

/* ---- R is what it should be ---- */

static void compare_rows_of_r(struct projection_options options, const int64_t *feature, int n)
{
	struct projection p = projection_of(options);
	int64_t r = p.options.n_columns;
	double *row = checked(malloc((size_t)r * sizeof(*row)));

	for (int f = 0; f < n; f++) {
		if (!CHECK(projection_row(&p, feature[f], row) == 0, "no row %" PRId64, feature[f]))
			break;
		for (int64_t t = 0; t < r; t++) {
			double expected = plain_entry(&p.options, (uint32_t)feature[f] - 1, t);

			CHECK(fabs(row[t] - expected) <= 2 * DBL_EPSILON * fabs(expected),
			      "%s: R[%" PRId64 "][%" PRId64 "] = %.17g, not %.17g",
			      projection_names[options.method], feature[f], t, row[t], expected);
		}
	}
	free(row);
	projection_free(&p);
}

static void test_definitions(void)
{
	const int64_t far[] = { 1, 2, 33, 128, 129, 1000000, INT32_MAX, 0 };
	const int64_t near[] = { 1, 2, 33, 128, 129, 200 };
	const int64_t columns[] = { 1, 2, 5, 32, 130, 288 };

	for (int m = 0; m < METHODS; m++)
		for (int c = 0; c < LENGTH(columns); c++) {
			struct projection_options o =
				options_of((enum projection_method)m, columns[c], 200);

			o.seed += UINT64_C(3) << 40;
			o.with_replacement = m == PROJECT_FHT;
			compare_rows_of_r(o, m == PROJECT_FHT ? near : far,
					  m == PROJECT_FHT ? LENGTH(near) : LENGTH(far));
			o.with_replacement = false;
			if (m == PROJECT_FHT && c < 4)
				compare_rows_of_r(o, near, LENGTH(near));
		}
	compare_rows_of_r(
		(struct projection_options){
			.method = PROJECT_CW, .n_columns = 105, .q = 3, .a = 5, .v = 7 },
		far, LENGTH(far));
	compare_rows_of_r(
		(struct projection_options){
			.method = PROJECT_OSNAP, .n_columns = 21, .a = 3, .v = 7 },
		far, LENGTH(far));
	compare_rows_of_r(
		(struct projection_options){ .method = PROJECT_LI, .n_columns = 50, .sparsity = 1 },
		far, LENGTH(far));
}

/* cw is (S P)': P sorts features by block, S has a block of stacked sketches for each. */
static void test_block_form(void)
{
	enum { D = 60, Q = 3, A = 4, V = 5, R = Q * A * V };
	struct projection p = projection_of((struct projection_options){
		.method = PROJECT_CW, .seed = 3, .n_columns = R, .q = Q, .a = A, .v = V });
	static double s[R][D];
	int place[D], n_placed = 0;
	double row[R];

	for (int block = 0; block < Q; block++)
		for (int j = 0; j < D; j++) {
			if (below(rng_draw(3, RNG_SKETCH_BLOCK, (uint64_t)j, 0).w[0], Q) !=
			    (uint32_t)block)
				continue;
			place[j] = n_placed;
			for (int copy = 0; copy < A; copy++) {
				struct rng_block b = rng_draw(3, RNG_SKETCH_BUCKET, (uint64_t)j,
							      (uint32_t)copy / 2);
				int phi = (int)below(b.w[copy % 2 * 2], V);

				s[block * A * V + copy * V + phi][n_placed] =
					b.w[copy % 2 * 2 + 1] & 1 ? -sqrt(1.0 / A) : sqrt(1.0 / A);
			}
			n_placed++;
		}
	for (int j = 0; j < D; j++) {
		projection_row(&p, j + 1, row);
		for (int t = 0; t < R; t++)
			CHECK(row[t] == s[t][place[j]], "R[%d][%d] = %g, not %g", j, t, row[t],
			      s[t][place[j]]);
	}
	projection_free(&p);
}

static void test_nesting(void)
{
	const enum projection_method nested[] = { PROJECT_RS,	   PROJECT_GAUSSIAN,
						  PROJECT_UNIFORM, PROJECT_ACHLIOPTAS,
						  PROJECT_LI,	   PROJECT_FHT };
	static double many[300], few[70];

	for (int m = 0; m < LENGTH(nested); m++) {
		struct projection_options o = {
			.method = nested[m], .seed = 5, .n_columns = 300, .n_features = 1000
		};
		struct projection larger = projection_of(o), smaller;

		o.n_columns = 70;
		smaller = projection_of(o);
		projection_row(&larger, 77, many);
		projection_row(&smaller, 77, few);
		for (int t = 0; t < 70; t++)
			CHECK(fabs(many[t] * sqrt(300 / 70.0) - few[t]) <= 4e-16 * fabs(few[t]),
			      "%s, column %d: %.17g and %.17g", projection_names[nested[m]], t,
			      many[t] * sqrt(300 / 70.0), few[t]);
		projection_free(&larger);
		projection_free(&smaller);
	}
}

/* ---- y = x R ---- */

/* The rows of R, one after another, for features 1 .. d. */
static double *whole_matrix(const struct projection *p, int64_t d)
{
	int64_t r = p->options.n_columns;
	double *matrix = checked(malloc((size_t)(d * r) * sizeof(*matrix)));

	for (int64_t j = 0; j < d; j++)
		projection_row(p, j + 1, matrix + j * r);
	return matrix;
}

static void check_order(const struct row_batch *out, int64_t i, int64_t r)
{
	for (int64_t k = out->row_start[i]; k < out->row_start[i + 1]; k++)
		CHECK(out->value[k] != 0 && out->index[k] <= r &&
			      out->index[k] > (k > out->row_start[i] ? out->index[k - 1] : 0),
		      "entry %" PRId64 " of row %" PRId64 ": %d:%g", k, i, out->index[k],
		      out->value[k]);
}

static void compare_row(const struct projection *p, const double *matrix,
			const struct row_batch *in, const struct row_batch *out, int64_t i)
{
	const char *name = projection_names[p->options.method];
	int64_t r = p->options.n_columns;
	double *y = checked(malloc((size_t)r * sizeof(*y))), size = 0;

	spread(out, i, y, r);
	for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++)
		size += fabs(in->value[k]);
	for (int64_t t = 0; t < r; t++) {
		double sum = 0;

		for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++)
			sum += in->value[k] * matrix[(in->index[k] - 1) * r + t];
		CHECK(fabs(y[t] - sum) <= (p->options.single ? 2e-6 : 1e-14) * (size + 1),
		      "%s, %" PRId64 " columns, row %" PRId64 " (%" PRId64 " entries), %" PRId64
		      ": %.17g, not %.17g",
		      name, r, i, in->row_start[i + 1] - in->row_start[i], t, y[t], sum);
		CHECK(!p->options.single || y[t] == (float)y[t], "%.17g is no float", y[t]);
	}
	CHECK(out->label[i] == in->label[i], "label %g, not %g", out->label[i], in->label[i]);
	check_order(out, i, r);
	free(y);
}

static void compare_products(struct projection_options options, const struct row_batch *in,
			     int64_t d)
{
	struct projection p = projection_of(options);
	double *matrix = whole_matrix(&p, d);
	struct row_batch out = { 0 };

	apply(&p, in, &out);
	CHECK(out.n_rows == in->n_rows, "%" PRId64 " rows", out.n_rows);
	for (int64_t i = 0; i < out.n_rows; i++)
		compare_row(&p, matrix, in, &out, i);
	free(matrix);
	row_batch_free(&out);
	projection_free(&p);
}

static void test_products(void)
{
	const int64_t shapes[][2] = { { 1, 1 },	    { 3, 7 },	   { 100, 40 },	 { 300, 64 },
				      { 130, 520 }, { 1000, 256 }, { 150, 4096 } };

	for (int s = 0; s < LENGTH(shapes); s++) {
		struct row_batch in = { 0 };

		make_rows(&in, 12, shapes[s][0]);
		for (int m = 0; m < METHODS; m++)
			for (int single = 0; single < 2; single++) {
				struct projection_options o = options_of(
					(enum projection_method)m, shapes[s][1], shapes[s][0]);

				o.single = single;
				if (m != PROJECT_FHT || shapes[s][1] <= power_above(shapes[s][0]))
					compare_products(o, &in, shapes[s][0]);
				o.with_replacement = m == PROJECT_FHT;
				if (o.with_replacement)
					compare_products(o, &in, shapes[s][0]);
			}
		row_batch_free(&in);
	}
}

/* fht in several parts, by sums and by transforms */
static void test_many_features(void)
{
	enum { D = 70000 };
	struct row_batch in = { 0 };

	make_rows(&in, 6, D);
	compare_products(options_of(PROJECT_FHT, 20, D), &in, D);
	compare_products(options_of(PROJECT_GAUSSIAN, 5, D), &in, D);
	row_batch_free(&in);
}

/* On the whole Hadamard matrix the map is a rotation. */
static void test_isometry(void)
{
	for (int64_t d = 1; d <= 5000; d = 3 * d + 1) {
		struct projection_options o = options_of(PROJECT_FHT, power_above(d), d);
		struct row_batch in = { 0 }, out = { 0 };
		struct projection p;

		p = projection_of(o);
		make_rows(&in, 6, d);
		apply(&p, &in, &out);
		for (int64_t i = 0; i < in.n_rows; i++) {
			double before = 0, after = 0;

			for (int64_t k = in.row_start[i]; k < in.row_start[i + 1]; k++)
				before += in.value[k] * in.value[k];
			for (int64_t k = out.row_start[i]; k < out.row_start[i + 1]; k++)
				after += out.value[k] * out.value[k];
			CHECK(fabs(after - before) <= 1e-13 * before,
			      "d %" PRId64 ": %.17g, not %.17g", d, after, before);
		}
		projection_free(&p);
		row_batch_free(&in);
		row_batch_free(&out);
	}
}

/*
 * Different columns of the Hadamard matrix are orthogonal: so those of R are, times the scale, unless
 * one was drawn twice.  With replacement some are, where 40 are drawn of 64.
 */
static void test_columns_differ(void)
{
	enum { D = 64, R = 40 };
	static double row[D][R];

	for (int with = 0; with < 2; with++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct projection_options o = options_of(PROJECT_FHT, R, D);
			struct projection p;
			int n_equal = 0;

			o.seed = seed;
			o.with_replacement = with;
			p = projection_of(o);
			for (int j = 0; j < D; j++)
				projection_row(&p, j + 1, row[j]);
			for (int t = 0; t < R; t++)
				for (int u = 0; u <= t; u++) {
					double product = 0;

					for (int j = 0; j < D; j++)
						product += row[j][t] * row[j][u];
					n_equal += u < t && fabs(product) > 1e-12;
					CHECK(u < t || fabs(product - (double)D / R) <= 1e-12,
					      "length of column %d: %g", t, product);
				}
			CHECK(with ? n_equal > 0 : n_equal == 0, "seed %d: %d columns again",
			      (int)seed, n_equal);
			projection_free(&p);
		}
}

/* ---- Rows alone decide ---- */

static bool same_rows(const struct row_batch *a, const struct row_batch *b)
{
	return a->n_rows == b->n_rows && a->n_entries == b->n_entries &&
	       a->max_index == b->max_index &&
	       !memcmp(a->label, b->label, (size_t)a->n_rows * sizeof(*a->label)) &&
	       !memcmp(a->row_start, b->row_start,
		       (size_t)(a->n_rows + 1) * sizeof(*a->row_start)) &&
	       !memcmp(a->index, b->index, (size_t)a->n_entries * sizeof(*a->index)) &&
	       !memcmp(a->value, b->value, (size_t)a->n_entries * sizeof(*a->value));
}

static void append_batch(struct row_batch *to, const struct row_batch *from)
{
	for (int64_t i = 0; i < from->n_rows; i++) {
		for (int64_t k = from->row_start[i]; k < from->row_start[i + 1]; k++)
			append_entry(to, from->index[k], from->value[k]);
		end_row(to, from->label[i]);
	}
	if (from->max_index > to->max_index)
		to->max_index = from->max_index;
}

/*
 * Projected in pieces of random sizes with a room that remembers other rows, and that may take so
 * many bytes
 */
static void compare_pieces(const struct projection *p, const struct row_batch *in,
			   const struct row_batch *whole, int64_t most_bytes)
{
	struct map_room room = { .most_bytes = most_bytes };
	struct row_batch joined = { 0 }, piece = { 0 };
	struct error err = { 0 };

	projection_apply(p, (struct row_range){ in, in->n_rows / 2, in->n_rows / 3 }, &piece, &room,
			 &err);
	for (int64_t i = 0, n; i < in->n_rows; i += n) {
		n = 1 + random_below(9);
		if (n > in->n_rows - i)
			n = in->n_rows - i;
		CHECK(projection_apply(p, (struct row_range){ in, i, n }, &piece, &room, &err) == 0,
		      "%s", err.text);
		append_batch(&joined, &piece);
	}
	CHECK(same_rows(&joined, whole), "%s: pieces differ from the whole, %" PRId64,
	      projection_names[p->options.method], most_bytes);
	row_batch_free(&joined);
	row_batch_free(&piece);
	map_room_free(&room);
}

struct shared {
	const struct projection *p;
	const struct row_batch *in, *whole;
};

static void project_again(void *arg, int64_t i, int thread)
{
	const struct shared *shared = arg;
	struct row_batch out = { 0 };

	(void)i;
	(void)thread;
	apply(shared->p, shared->in, &out);
	CHECK(same_rows(&out, shared->whole), "%s: another thread, other bits",
	      projection_names[shared->p->options.method]);
	row_batch_free(&out);
}

static void test_grouping(void)
{
	struct row_batch in = { 0 };

	make_rows(&in, 600, 300);
	append_entry(&in, 300, 1);
	end_row(&in, 3);
	for (int m = 0; m < METHODS; m++)
		for (int single = 0; single < 2; single++) {
			struct projection_options o =
				options_of((enum projection_method)m, 160, 300);
			struct row_batch whole = { 0 };
			struct projection p;

			o.single = single;
			p = projection_of(o);
			apply(&p, &in, &whole);
			for (int64_t most = 0; most < 1 << 21; most = 700 * most + 1)
				compare_pieces(&p, &in, &whole, most);
			thread_parallel_for(2, 4, project_again,
					    &(struct shared){ &p, &in, &whole });
			row_batch_free(&whole);
			projection_free(&p);
		}
	row_batch_free(&in);
}

/* One row of more entries than are worked on at a time, and the same among others. */
static void test_long_row(void)
{
	enum { D = 150000 };
	struct projection p = projection_of(options_of(PROJECT_UNIFORM, 3, D));
	struct row_batch in = { 0 }, out = { 0 }, alone = { 0 };
	struct map_room room = { .most_bytes = 1 };
	struct error err = { 0 };
	double row[3], sum[3] = { 0 }, size = 0;

	make_rows(&in, 3, 50);
	for (int32_t j = 1; j <= D; j++)
		append_entry(&in, j, random_normal());
	end_row(&in, 1);
	make_rows(&in, 3, 50);
	apply(&p, &in, &out);
	CHECK(projection_apply(&p, (struct row_range){ &in, 3, 1 }, &alone, &room, &err) == 0, "%s",
	      err.text);
	for (int64_t k = in.row_start[3]; k < in.row_start[4]; k++) {
		projection_row(&p, in.index[k], row);
		for (int t = 0; t < 3; t++)
			sum[t] += in.value[k] * row[t];
		size += fabs(in.value[k]);
	}
	for (int t = 0; t < 3; t++) {
		CHECK(fabs(alone.value[t] - sum[t]) <= 1e-14 * size, "%g, not %g", alone.value[t],
		      sum[t]);
		CHECK(alone.value[t] == out.value[out.row_start[3] + t], "others matter");
	}
	map_room_free(&room);
	row_batch_free(&in);
	row_batch_free(&out);
	row_batch_free(&alone);
	projection_free(&p);
}

/* Index 0 is a row of its own, 2^32 - 1, also beside the largest index. */
static void test_index_zero(void)
{
	for (int m = 0; m < METHODS; m++) {
		struct projection p;
		struct row_batch in = { 0 }, out = { 0 };
		double zero[32], last[32], y[32];

		if (m == PROJECT_FHT)
			continue;
		p = projection_of(options_of((enum projection_method)m, 32, 1000));
		append_entry(&in, 0, 2);
		append_entry(&in, INT32_MAX, 3);
		end_row(&in, 1);
		apply(&p, &in, &out);
		projection_row(&p, 0, zero);
		projection_row(&p, INT32_MAX, last);
		spread(&out, 0, y, 32);
		for (int t = 0; t < 32; t++)
			CHECK(fabs(y[t] - (2 * zero[t] + 3 * last[t])) <= 1e-14, "%s: %g, not %g",
			      projection_names[m], y[t], 2 * zero[t] + 3 * last[t]);
		row_batch_free(&in);
		row_batch_free(&out);
		projection_free(&p);
	}
}

static void test_linearity(void)
{
	enum { D = 200, R = 96 };

	for (int m = 0; m < METHODS; m++) {
		struct projection p = projection_of(options_of((enum projection_method)m, R, D));
		struct row_batch in = { 0 }, out = { 0 };
		double y[3][R], x[2];

		for (int i = 0; i < 3; i++) {
			for (int j = 1; j <= D; j++) {
				x[0] = sin(j);
				x[1] = j % 3 ? cos(2 * j) : 0;
				append_entry(&in, j, i < 2 ? x[i] : 0.3 * x[0] - 1.7 * x[1]);
			}
			end_row(&in, i);
		}
		apply(&p, &in, &out);
		for (int i = 0; i < 3; i++)
			spread(&out, i, y[i], R);
		for (int t = 0; t < R; t++)
			CHECK(fabs(y[2][t] - (0.3 * y[0][t] - 1.7 * y[1][t])) <= 1e-12,
			      "%s: %g, not %g", projection_names[m], y[2][t],
			      0.3 * y[0][t] - 1.7 * y[1][t]);
		row_batch_free(&in);
		row_batch_free(&out);
		projection_free(&p);
	}
}

static void test_text_kept(void)
{
	struct projection p = projection_of(options_of(PROJECT_RS, 4, 3));
	struct row_text text[4] = { { .label = { "+1", 2 } },
				    { .qid = { "qid:7", 5 } },
				    { .comment = { "# a", 3 } },
				    { .label = { "-1.0", 4 } } };
	struct row_batch in = { 0 }, out = { 0 };
	struct map_room room = { 0 };
	struct error err = { 0 };

	make_rows(&in, 4, 3);
	in.has_text = true;
	in.text = text;
	CHECK(projection_apply(&p, (struct row_range){ &in, 1, 3 }, &out, &room, &err) == 0, "%s",
	      err.text);
	CHECK(out.has_text && !memcmp(out.text, text + 1, 3 * sizeof(*text)), "another text");
	in.has_text = false;
	CHECK(projection_apply(&p, (struct row_range){ &in, 1, 3 }, &out, &room, &err) == 0, "%s",
	      err.text);
	CHECK(!out.has_text, "text from nowhere");
	in.text = NULL;
	row_batch_free(&in);
	row_batch_free(&out);
	map_room_free(&room);
	projection_free(&p);
}

/* ---- Moments ---- */

enum { MOMENT_FEATURES = 24, MOMENT_COLUMNS = 32, SEEDS = 3000 };

struct moments {
	double mean, variance;
	double mean_error, variance_error; /* standard errors */
};

static struct moments moments_of(const double *x, int n)
{
	struct moments m = { 0 };
	double fourth = 0;

	for (int i = 0; i < n; i++)
		m.mean += x[i] / n;
	for (int i = 0; i < n; i++) {
		double d = x[i] - m.mean;

		m.variance += d * d / (n - 1);
		fourth += d * d * d * d / n;
	}
	m.mean_error = sqrt(m.variance / n);
	m.variance_error = sqrt((fourth - m.variance * m.variance) / n);
	return m;
}

/* x heavy-tailed, and another vector; unit length, inner product 'product' */
static void make_two_vectors(struct row_batch *in, double *fourth, double *product)
{
	double x[2][MOMENT_FEATURES], size[2] = { 0 };

	*fourth = *product = 0;
	for (int j = 0; j < MOMENT_FEATURES; j++) {
		x[0][j] = (j % 2 ? 1 : -1) * 3 / pow(j + 1, 1.2);
		x[1][j] = 1 + x[0][j];
		for (int i = 0; i < 2; i++)
			size[i] += x[i][j] * x[i][j];
	}
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < MOMENT_FEATURES; j++) {
			x[i][j] /= sqrt(size[i]);
			append_entry(in, j + 1, x[i][j]);
		}
		end_row(in, i);
	}
	for (int j = 0; j < MOMENT_FEATURES; j++) {
		*fourth += pow(x[0][j], 4);
		*product += x[0][j] * x[1][j];
	}
}

static double table_variance(const struct projection_options *o, double fourth)
{
	double r = (double)o->n_columns, size = 32;

	switch (o->method) {
	case PROJECT_GAUSSIAN:
	case PROJECT_ACHLIOPTAS:
		return 2 / r;
	case PROJECT_UNIFORM:
		return (2 - 1.2 * fourth) / r;
	case PROJECT_LI:
		return (2 + (o->sparsity - 3) * fourth) / r;
	default:
		return 2 * (1 - fourth) / r *
		       (o->method == PROJECT_FHT && !o->with_replacement ? (size - r) / (size - 1) :
									   1);
	}
}

static void check_moments(struct projection_options o, const struct row_batch *in, double fourth,
			  double product)
{
	static double squared[SEEDS], inner[SEEDS];
	const char *name = projection_names[o.method];
	struct moments length, angle;
	struct row_batch out = { 0 };
	double expected = 0;

	for (int s = 0; s < SEEDS; s++) {
		double y[2][MOMENT_COLUMNS];
		struct projection p;

		o.seed = 1000 + (uint64_t)s;
		p = projection_of(o);
		expected = table_variance(&p.options, fourth);
		apply(&p, in, &out);
		spread(&out, 0, y[0], o.n_columns);
		spread(&out, 1, y[1], o.n_columns);
		squared[s] = inner[s] = 0;
		for (int64_t t = 0; t < o.n_columns; t++) {
			squared[s] += y[0][t] * y[0][t];
			inner[s] += y[0][t] * y[1][t];
		}
		projection_free(&p);
	}
	length = moments_of(squared, SEEDS);
	angle = moments_of(inner, SEEDS);
	CHECK(fabs(length.mean - 1) <= 4.5 * length.mean_error, "%s: mean of |xR|^2 %g +- %g", name,
	      length.mean, length.mean_error);
	CHECK(fabs(length.variance - expected) <= 5 * length.variance_error,
	      "%s: variance of |xR|^2 %g +- %g, not %g", name, length.variance,
	      length.variance_error, expected);
	CHECK(fabs(angle.mean - product) <= 4.5 * angle.mean_error,
	      "%s: mean of (xR)(yR)' %g +- %g, not %g", name, angle.mean, angle.mean_error,
	      product);
	row_batch_free(&out);
}

static void test_moments(void)
{
	struct row_batch in = { 0 };
	double fourth, product;

	make_two_vectors(&in, &fourth, &product);
	for (int m = 0; m < METHODS; m++) {
		struct projection_options o = { .method = (enum projection_method)m,
						.n_columns = MOMENT_COLUMNS,
						.n_features = MOMENT_FEATURES };

		o.with_replacement = m == PROJECT_FHT;
		check_moments(o, &in, fourth, product);
		o.n_columns = 12;
		o.with_replacement = false;
		if (m == PROJECT_FHT)
			check_moments(o, &in, fourth, product);
	}
	row_batch_free(&in);
}

/* ---- Subspaces of real rows ---- */

enum { TEXT_ROWS = 80, A1A_FEATURES = 123 };

/* The products of every two features, as features: rows as wide as text, and independent. */
static int keep_products(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct row_batch *kept = arg;

	(void)user;
	(void)err;
	for (int64_t i = 0; i < batch->n_rows && kept->n_rows < TEXT_ROWS; i++) {
		for (int64_t k = batch->row_start[i]; k < batch->row_start[i + 1]; k++)
			for (int64_t l = k; l < batch->row_start[i + 1]; l++)
				append_entry(kept,
					     (batch->index[k] - 1) * A1A_FEATURES + batch->index[l],
					     batch->value[k] * batch->value[l]);
		end_row(kept, batch->label[i]);
	}
	return 0;
}

static void read_products(struct row_batch *rows)
{
	const struct rows_options format = { 0 };
	const struct rows_visitor visitor = { .deliver = keep_products, .arg = rows };
	struct input *input = NULL;
	struct error err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/a1a.gz", getenv("T") ? getenv("T") : "testdata");
	if (input_open(&input, path, &err) < 0 || rows_scan(input, &format, &visitor, 1, &err) < 0)
		die(&err);
	input_close(input);
}

static void gram(const struct row_batch *rows, double g[TEXT_ROWS][TEXT_ROWS])
{
	for (int64_t i = 0; i < TEXT_ROWS; i++)
		for (int64_t j = 0; j < TEXT_ROWS; j++) {
			int64_t a = rows->row_start[i], b = rows->row_start[j];

			g[i][j] = 0;
			while (a < rows->row_start[i + 1] && b < rows->row_start[j + 1]) {
				if (rows->index[a] == rows->index[b])
					g[i][j] += rows->value[a] * rows->value[b];
				if (rows->index[a] <= rows->index[b])
					a++;
				else
					b++;
			}
		}
}

/* x = L^-1 x, or with 'transposed' L'^-1 x, L the lower triangle */
static void solve(double l[TEXT_ROWS][TEXT_ROWS], double *x, bool transposed)
{
	for (int k = 0; k < TEXT_ROWS; k++) {
		int i = transposed ? TEXT_ROWS - 1 - k : k;

		for (int j = 0; j < TEXT_ROWS; j++) {
			if (transposed ? j > i : j < i)
				x[i] -= (transposed ? l[j][i] : l[i][j]) * x[j];
		}
		x[i] /= l[i][i];
	}
}

static bool factor(double g[TEXT_ROWS][TEXT_ROWS])
{
	for (int i = 0; i < TEXT_ROWS; i++)
		for (int j = 0; j <= i; j++) {
			double sum = g[i][j];

			for (int k = 0; k < j; k++)
				sum -= g[i][k] * g[j][k];
			if (i == j && sum < 1e-6)
				return false;
			g[i][j] = i == j ? sqrt(sum) : sum / g[j][j];
		}
	return true;
}

/* |I - M|, M similar to L^-1 G~ L'^-1: by powers of (I - M)^2, which are symmetric */
static double embedding_error(double l[TEXT_ROWS][TEXT_ROWS], double g[TEXT_ROWS][TEXT_ROWS])
{
	double x[TEXT_ROWS], y[TEXT_ROWS], norm = 0;

	for (int i = 0; i < TEXT_ROWS; i++)
		x[i] = random_normal();
	for (int step = 0; step < 400; step++) {
		double size = 0;

		memcpy(y, x, sizeof(y));
		solve(l, y, true);
		for (int i = 0; i < TEXT_ROWS; i++) {
			double sum = 0;

			for (int j = 0; j < TEXT_ROWS; j++)
				sum += g[i][j] * y[j];
			size += x[i] * x[i];
			x[i] = sum;
		}
		/* x is now G~ L'^-1 x of the old x, which L' y is */
		solve(l, x, false);
		for (int i = 0; i < TEXT_ROWS; i++) {
			double old = 0;

			for (int j = i; j < TEXT_ROWS; j++)
				old += l[j][i] * y[j];
			x[i] = old - x[i];
		}
		norm = 0;
		for (int i = 0; i < TEXT_ROWS; i++)
			norm += x[i] * x[i];
		norm = sqrt(norm / size);
		for (int i = 0; i < TEXT_ROWS; i++)
			x[i] /= norm * sqrt(size);
	}
	return norm;
}

/* The error is near 2 sqrt(rho / r) + rho / r. */
static void test_embedding(void)
{
	static double l[TEXT_ROWS][TEXT_ROWS], g[TEXT_ROWS][TEXT_ROWS];
	const double r = 1024, expected = 2 * sqrt(TEXT_ROWS / r) + TEXT_ROWS / r;
	struct row_batch rows = { 0 };

	read_products(&rows);
	gram(&rows, l);
	if (!CHECK(factor(l), "rows are dependent"))
		return;
	for (int m = 0; m < METHODS; m++) {
		struct projection_options o = { .method = (enum projection_method)m,
						.seed = 11,
						.n_columns = (int64_t)r,
						.n_features = A1A_FEATURES * A1A_FEATURES };
		struct projection p = projection_of(o);
		struct row_batch out = { 0 };
		double error;

		apply(&p, &rows, &out);
		gram(&out, g);
		error = embedding_error(l, g);
		CHECK(error > 0.7 * expected && error < 1.4 * expected, "%s: error %g, expected %g",
		      projection_names[m], error, expected);
		row_batch_free(&out);
		projection_free(&p);
	}
	row_batch_free(&rows);
}

/* ---- Failure ---- */

static void refuse(struct projection_options options, const char *text)
{
	struct projection p;
	struct error err = { 0 };

	CHECK(projection_init(&p, &options, &err) == -1 && err.code == ERR_ARGUMENT &&
		      strstr(err.text, text),
	      "code %d, '%s' without '%s'", err.code, err.text, text);
	CHECK(p.sample == NULL && p.scale == 0, "not zeroed");
}

static void test_wrong_options(void)
{
	typedef struct projection_options options;

	refuse((options){ .method = (enum projection_method)9, .n_columns = 1 }, "number 9");
	refuse((options){ .method = PROJECT_RS }, "0 columns");
	refuse((options){ .method = PROJECT_RS, .n_columns = -1 }, "-1 columns");
	refuse((options){ .method = PROJECT_CW }, "0 columns");
	refuse((options){ .method = PROJECT_RS, .n_columns = INT64_C(1) << 31 }, "columns");
	refuse((options){ .method = PROJECT_RS, .n_columns = 1, .n_features = -1 }, "-1 features");
	refuse((options){ .method = PROJECT_FHT, .n_columns = 5 },
	       "fht needs the number of features");
	refuse((options){ .method = PROJECT_FHT, .n_columns = 17, .n_features = 9 },
	       "there are 16");
	refuse((options){ .method = PROJECT_LI, .n_columns = 5 }, "li needs");
	refuse((options){ .method = PROJECT_LI, .n_columns = 5, .sparsity = 0.5 }, "sparsity 0.5");
	refuse((options){ .method = PROJECT_LI, .n_columns = 5, .sparsity = 1.1e6 },
	       "sparsity 1.1e+06 is not between 1 and 1e+06");
	refuse((options){ .method = PROJECT_LI, .n_columns = 5, .sparsity = NAN }, "sparsity");
	refuse((options){ .method = PROJECT_LI, .n_columns = 5, .sparsity = 1e300 }, "sparsity");
	refuse((options){ .method = PROJECT_RS, .n_columns = 5, .sparsity = 2 }, "no sparsity");
	refuse((options){ .method = PROJECT_RS, .n_columns = 5, .with_replacement = true },
	       "nothing to be replaced");
	refuse((options){ .method = PROJECT_OSNAP, .n_columns = 5, .q = 5 }, "no number of blocks");
	refuse((options){ .method = PROJECT_COUNTSKETCH, .n_columns = 5, .a = 1 },
	       "entries a feature");
	refuse((options){ .method = PROJECT_CW, .n_columns = 10, .q = 3 }, "is not 10 columns");
	refuse((options){ .method = PROJECT_CW, .n_columns = 10, .v = 20 }, "is not 10 columns");
	refuse((options){ .method = PROJECT_CW, .n_columns = 1, .q = 65536, .a = 65536, .v = 1 },
	       "their product");
	refuse((options){ .method = PROJECT_CW, .n_columns = 4, .q = -2, .a = -2, .v = 1 }, "-2");
	refuse((options){ .method = PROJECT_OSNAP, .n_columns = 10, .a = 3 }, "is not 10 columns");
}

static void test_defaults(void)
{
	const struct {
		struct projection_options given;
		int64_t q, a, v;
	} cases[] = {
		{ { .method = PROJECT_CW, .n_columns = 64 }, 2, 4, 8 },
		{ { .method = PROJECT_CW, .n_columns = 12 }, 1, 4, 3 },
		{ { .method = PROJECT_CW, .n_columns = 6 }, 1, 2, 3 },
		{ { .method = PROJECT_CW, .n_columns = 7 }, 1, 1, 7 },
		{ { .method = PROJECT_CW, .n_columns = 60, .q = 6, .a = 5, .v = 2 }, 6, 5, 2 },
		{ { .method = PROJECT_OSNAP, .n_columns = 64 }, 1, 4, 16 },
		{ { .method = PROJECT_OSNAP, .n_columns = 64, .a = 8, .v = 8 }, 1, 8, 8 },
		{ { .method = PROJECT_COUNTSKETCH, .n_columns = 64 }, 64, 1, 1 },
	};
	struct projection p;

	for (int c = 0; c < LENGTH(cases); c++) {
		p = projection_of(cases[c].given);
		CHECK(p.options.q == cases[c].q && p.options.a == cases[c].a &&
			      p.options.v == cases[c].v,
		      "case %d: %" PRId64 ",%" PRId64 ",%" PRId64, c, p.options.q, p.options.a,
		      p.options.v);
		projection_free(&p);
	}
	p = projection_of((struct projection_options){
		.method = PROJECT_LI, .n_columns = 3, .n_features = 100 });
	CHECK(p.options.sparsity == 10, "%g", p.options.sparsity);
	projection_free(&p);
}

static void test_wrong_features(void)
{
	struct projection p = projection_of(options_of(PROJECT_FHT, 8, 9));
	struct map_room room = { 0 };
	struct row_batch out = { 0 };
	double row[8];

	for (int32_t wrong = 0; wrong < 2; wrong++) {
		struct row_batch in = { 0 };
		struct error err = { 0 };

		append_entry(&in, 1, 1);
		end_row(&in, 1);
		append_entry(&in, wrong ? 10 : 0, 1);
		end_row(&in, 1);
		CHECK(projection_apply(&p, (struct row_range){ &in, 0, 2 }, &out, &room, &err) ==
				      -1 &&
			      err.code == ERR_FORMAT &&
			      !strcmp(err.text, wrong ? "feature 10 above 9" : "feature 0 below 1"),
		      "'%s'", err.text);
		row_batch_free(&in);
	}
	CHECK(projection_row(&p, 0, row) < 0 && projection_row(&p, 10, row) < 0 &&
		      projection_row(&p, 9, row) == 0,
	      "rows of fht");
	row_batch_free(&out);
	map_room_free(&room);
	projection_free(&p);
}

struct attempt {
	struct projection_options options;
	const struct row_batch *in;
};

static int attempt_projection(void *arg, struct error *err)
{
	const struct attempt *attempt = arg;
	struct map_room room = { 0 };
	struct row_batch out = { 0 };
	struct projection p;
	int ret = -1;

	if (projection_init(&p, &attempt->options, err) == 0)
		ret = projection_apply(&p,
				       (struct row_range){ attempt->in, 0, attempt->in->n_rows },
				       &out, &room, err);
	map_room_free(&room);
	row_batch_free(&out);
	projection_free(&p);
	return ret;
}

static void test_memory(void)
{
	struct row_batch in = { 0 };

	make_rows(&in, 12, 200);
	for (int m = 0; m < METHODS; m++) {
		struct attempt attempt = { options_of((enum projection_method)m, 128, 200), &in };

		fail_each_allocation(projection_names[m], attempt_projection, &attempt);
	}
	row_batch_free(&in);
}

/* A room is as good as new after a failure: the sums of sketches are zero again. */
static void test_room_after_failure(void)
{
	struct projection p = projection_of(options_of(PROJECT_COUNTSKETCH, 4096, 0));
	struct map_room room = { 0 };
	struct row_batch in = { 0 }, out = { 0 }, expected = { 0 };
	struct error err = { 0 };

	make_rows(&in, 30, 500);
	apply(&p, &in, &expected);
	projection_apply(&p, (struct row_range){ &in, 0, 1 }, &out, &room, &err);
	for (int64_t n = 0; n < 6; n++) {
		row_batch_free(&out);
		mem_fail_after(n);
		err = (struct error){ 0 };
		CHECK(projection_apply(&p, (struct row_range){ &in, 1, 29 }, &out, &room, &err) < 0,
		      "succeeded");
		mem_fail_after(-1);
	}
	err = (struct error){ 0 };
	CHECK(projection_apply(&p, (struct row_range){ &in, 0, 30 }, &out, &room, &err) == 0, "%s",
	      err.text);
	CHECK(same_rows(&out, &expected), "a failure left its traces");
	row_batch_free(&in);
	row_batch_free(&out);
	row_batch_free(&expected);
	map_room_free(&room);
	projection_free(&p);
}

int main(void)
{
	test_definitions();
	test_block_form();
	test_nesting();
	test_products();
	test_many_features();
	test_isometry();
	test_columns_differ();
	test_grouping();
	test_long_row();
	test_index_zero();
	test_linearity();
	test_text_kept();
	if (!UNIT_IS_SANITIZED) /* 3000 seeds of what has been tested above */
		test_moments();
	test_embedding();
	test_wrong_options();
	test_defaults();
	test_wrong_features();
	test_memory();
	test_room_after_failure();
	return unit_report("projection");
}
